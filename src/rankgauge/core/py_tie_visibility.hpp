// The visibility of ties as Python hands it over: (levels, ((kinds, reach, cutoffs, first), ...)).
#pragma once

#include "python.hpp"

#include <algorithm>
#include <utility>

#include "tie_visibility.hpp"

namespace rankgauge {

inline TieVisibility visibility_of(PyObject* object) {
    TieVisibility visibility;
    if (!object) return visibility;
    if (!PyTuple_Check(object)) throw std::invalid_argument("the visibility of ties is a tuple");
    PyObject *levels, *each;
    if (!PyArg_ParseTuple(object, "OO", &levels, &each)) throw Failed();
    visibility.levels = Buffer(levels).copy<double>();
    if (!std::is_sorted(visibility.levels.begin(), visibility.levels.end()))
        throw std::invalid_argument("levels must ascend");
    const Py_ssize_t size = PySequence_Size(each);
    if (size < 0) throw Failed();
    for (Py_ssize_t n = 0; n < size; ++n) {
        Owned item(PySequence_GetItem(each, n));
        if (!PyTuple_Check(item.get())) throw std::invalid_argument("visible ties are a tuple");
        PyObject *kinds, *cutoffs;
        long long reach;
        int first;
        if (!PyArg_ParseTuple(item.get(), "OLOp", &kinds, &reach, &cutoffs, &first)) throw Failed();
        VisibleTies visible{Buffer(kinds).copy<std::int64_t>(), reach, Buffer(cutoffs).copy<std::int64_t>(), first != 0};
        if (visible.kinds.size() != visibility.levels.size()) throw std::invalid_argument("a kind per level is expected");
        visibility.groups.push_back(std::move(visible));
    }
    return visibility;
}

}  // namespace rankgauge
