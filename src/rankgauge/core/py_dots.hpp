// The Python function dots.
#pragma once

#include "python.hpp"

#include "dots.hpp"

namespace rankgauge {

// The rows that are wanted of a matrix, checked to be there.
inline const std::int64_t* checked_rows(const Buffer& matrix, std::size_t row_size, const Buffer& rows) {
    if (row_size == 0 || matrix.size() % row_size != 0) throw std::invalid_argument("rows of this size are expected");
    const std::int64_t *row = rows.numbers<std::int64_t>(), count = std::int64_t(matrix.size() / row_size);
    for (std::size_t i = 0; i < rows.count(); ++i)
        if (row[i] < 0 || row[i] >= count) throw std::invalid_argument("a row that is not there");
    return row;
}

inline PyObject* core_dots(PyObject*, PyObject* args) {
    return guarded(
        [&] {
            PyObject *a, *rows_a, *b, *rows_b;
            Py_ssize_t dim;
            if (!PyArg_ParseTuple(args, "OOOOn", &a, &rows_a, &b, &rows_b, &dim)) throw Failed();
            const Buffer left(a), left_rows(rows_a), right(b), right_rows(rows_b);
            const std::size_t count = left_rows.count(), width = left.of_floats() ? sizeof(float) : sizeof(double);
            if (dim < 1 || left.of_floats() != right.of_floats() || right_rows.count() != count)
                throw std::invalid_argument("as many rows of two matrices, in the same precision, are expected");
            const std::int64_t *one = checked_rows(left, std::size_t(dim) * width, left_rows),
                               *other = checked_rows(right, std::size_t(dim) * width, right_rows);
            Filled<double> products(count);
            {
                const Unlocked unlocked;
                if (left.of_floats())
                    dots(left.numbers<float>(), one, right.numbers<float>(), other, count, std::size_t(dim),
                         products.data());
                else
                    dots(left.numbers<double>(), one, right.numbers<double>(), other, count, std::size_t(dim),
                         products.data());
            }
            return products.release();
        },
        nullptr);
}

}  // namespace rankgauge
