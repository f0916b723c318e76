// Sights as Python hands them over: (levels, ((kinds, reach, cutoffs, first), ...)).
#pragma once

#include "python.hpp"

#include <algorithm>
#include <utility>

#include "sights.hpp"

namespace rankgauge {

inline Sights sights_of(PyObject* object) {
    Sights sights;
    if (!object) return sights;
    if (!PyTuple_Check(object)) throw std::invalid_argument("sights are a tuple");
    PyObject *levels, *each;
    if (!PyArg_ParseTuple(object, "OO", &levels, &each)) throw Failed();
    sights.levels = Buffer(levels).copy<double>();
    if (!std::is_sorted(sights.levels.begin(), sights.levels.end()))
        throw std::invalid_argument("levels must ascend");
    const Py_ssize_t size = PySequence_Size(each);
    if (size < 0) throw Failed();
    for (Py_ssize_t n = 0; n < size; ++n) {
        Owned item(PySequence_GetItem(each, n));
        if (!PyTuple_Check(item.get())) throw std::invalid_argument("a sight is a tuple");
        PyObject *kinds, *cutoffs;
        long long reach;
        int first;
        if (!PyArg_ParseTuple(item.get(), "OLOp", &kinds, &reach, &cutoffs, &first)) throw Failed();
        Sight sight{Buffer(kinds).copy<std::int64_t>(), reach, Buffer(cutoffs).copy<std::int64_t>(), first != 0};
        if (sight.kinds.size() != sights.levels.size()) throw std::invalid_argument("a kind per level is expected");
        sights.each.push_back(std::move(sight));
    }
    return sights;
}

}  // namespace rankgauge
