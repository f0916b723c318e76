// The Python function permuted_sums.
#pragma once

#include "python.hpp"

#include "permuting.hpp"

namespace rankgauge {

inline PyObject* core_permuted_sums(PyObject*, PyObject* args) {
    return guarded(
        [&] {
            PyObject *generator, *matrix;
            Py_ssize_t width, samples;
            if (!PyArg_ParseTuple(args, "OOnn", &generator, &matrix, &width, &samples)) throw Failed();
            const Owned capsule(PyObject_GetAttrString(generator, "capsule"));
            const auto* source = static_cast<BitGenerator*>(PyCapsule_GetPointer(capsule.get(), "BitGenerator"));
            if (!source) throw Failed();
            const Buffer rows(matrix);
            const double* values = rows.numbers<double>();
            if (width < 1 || samples < 0 || rows.count() % std::size_t(width) != 0)
                throw std::invalid_argument("rows of this width, and a number of samples are expected");
            if (samples > PY_SSIZE_T_MAX / width) throw std::bad_alloc();
            Filled<double> sums(std::size_t(samples) * std::size_t(width));
            {
                const Unlocked unlocked;
                permuted_sums(*source, values, rows.count() / std::size_t(width), std::size_t(width),
                              std::size_t(samples), sums.data());
            }
            return sums.release();
        },
        nullptr);
}

}  // namespace rankgauge
