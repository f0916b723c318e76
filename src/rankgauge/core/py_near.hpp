// The Python functions near and near_differences.
#pragma once

#include "python.hpp"

#include "near.hpp"
#include "py_dots.hpp"

namespace rankgauge {

inline PyObject* core_near(PyObject*, PyObject* args) {
    return guarded(
        [&]() -> PyObject* {
            PyObject *scores, *rows, *low, *high;
            Py_ssize_t columns;
            if (!PyArg_ParseTuple(args, "OnOOO", &scores, &columns, &rows, &low, &high)) throw Failed();
            const Buffer values(scores), places(rows), least(low), most(high);
            const std::size_t pairs = places.count(), width = values.of_floats() ? sizeof(float) : sizeof(double);
            if (columns < 1) throw std::invalid_argument("rows of this size are expected");
            const std::int64_t* row = checked_rows(values, std::size_t(columns) * width, places);
            if (least.size() != pairs * width || most.size() != pairs * width)
                throw std::invalid_argument("limits as many as pairs, in the precision of the scores, are expected");
            Filled<std::int64_t> above(pairs);
            Near near;
            {
                const Unlocked unlocked;
                if (values.of_floats())
                    find_near(values.numbers<float>(), std::size_t(columns), row, pairs, least.numbers<float>(),
                              most.numbers<float>(), above.data(), near);
                else
                    find_near(values.numbers<double>(), std::size_t(columns), row, pairs, least.numbers<double>(),
                              most.numbers<double>(), above.data(), near);
            }
            const Owned pair(bytes_of(near.pair)), column(bytes_of(near.column));
            return checked(PyTuple_Pack(3, above.get(), pair.get(), column.get()));
        },
        nullptr);
}

inline PyObject* core_near_differences(PyObject*, PyObject* args) {
    return guarded(
        [&]() -> PyObject* {
            PyObject *matrix, *first, *second, *low, *high;
            Py_ssize_t columns;
            if (!PyArg_ParseTuple(args, "OnOOOO", &matrix, &columns, &first, &second, &low, &high)) throw Failed();
            const Buffer values(matrix), ones(first), others(second), least(low), most(high);
            const std::size_t pairs = ones.count();
            if (columns < 1) throw std::invalid_argument("rows of this size are expected");
            const std::size_t row = std::size_t(columns) * sizeof(double);
            const std::int64_t *one = checked_rows(values, row, ones), *other = checked_rows(values, row, others);
            if (others.count() != pairs || least.size() != pairs * sizeof(double) || most.size() != least.size())
                throw std::invalid_argument("limits as many as pairs are expected");
            Filled<std::int64_t> above(pairs);
            Near near;
            {
                const Unlocked unlocked;
                find_near_differences(values.numbers<double>(), values.size() / row, std::size_t(columns), one, other,
                                      pairs, least.numbers<double>(), most.numbers<double>(), above.data(), near);
            }
            const Owned pair(bytes_of(near.pair)), column(bytes_of(near.column));
            return checked(PyTuple_Pack(3, above.get(), pair.get(), column.get()));
        },
        nullptr);
}

}  // namespace rankgauge
