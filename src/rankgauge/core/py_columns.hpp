// Python functions on columns of byte strings and numbers.
#pragma once

#include "python.hpp"

#include <algorithm>

#include "hashing.hpp"
#include "table.hpp"

namespace rankgauge {

inline PyObject* core_take(PyObject*, PyObject* args) {
    return guarded(
        [&] {
            PyObject *data, *offsets, *indices;
            if (!PyArg_ParseTuple(args, "OOO", &data, &offsets, &indices)) throw Failed();
            Texts texts(data, offsets);
            Buffer wanted(indices);
            const Column column = texts.column();
            const std::int64_t* index = wanted.numbers<std::int64_t>();
            Strings taken;
            taken.offsets.reserve(wanted.count() + 1);
            for (std::size_t i = 0; i < wanted.count(); ++i) {
                if (index[i] < 0 || index[i] >= std::int64_t(column.size))
                    throw std::invalid_argument("an index lies outside the column");
                taken.add(column[std::size_t(index[i])]);
            }
            return pair_of(taken);
        },
        nullptr);
}

// (code of each string, index of each distinct string's first appearance); same(i) is a quick check
// whether string i equals the one before, as the ids of topics often do; it may be false for equal strings.
template <class Strings_, class Same>
inline PyObject* encoded(const Strings_& texts, std::size_t size, Same&& same) {
    Filled<std::int64_t> codes(size);
    std::vector<std::int64_t> firsts;
    Names names;
    for (std::size_t i = 0; i < size; ++i) {
        if (i && same(i)) {
            codes[i] = codes[i - 1];
            continue;
        }
        codes[i] = names.number(texts[i]);
        if (codes[i] == std::int64_t(firsts.size())) firsts.push_back(std::int64_t(i));
    }
    return checked(Py_BuildValue("(NN)", codes.release(), bytes_of(firsts)));
}

inline PyObject* core_encode(PyObject*, PyObject* args) {
    return guarded(
        [&] {
            PyObject *data, *offsets;
            if (!PyArg_ParseTuple(args, "OO", &data, &offsets)) throw Failed();
            const Texts texts(data, offsets);
            const Column column = texts.column();
            return encoded(column, column.size,
                           [&](std::size_t i) { return same_text(column[i], column[i - 1]); });
        },
        nullptr);
}

inline PyObject* core_duplicates(PyObject*, PyObject* args) {
    return guarded(
        [&] {
            PyObject *groups, *data, *offsets;
            if (!PyArg_ParseTuple(args, "OOO", &groups, &data, &offsets)) throw Failed();
            Texts texts(data, offsets);
            Buffer group_buffer(groups);
            const Column column = texts.column();
            const std::int64_t* group = group_buffer.numbers<std::int64_t>();
            if (group_buffer.count() != column.size) throw std::invalid_argument("columns of different lengths");
            if (column.size >= 0xffffffffu) throw std::invalid_argument("too many rows");
            std::vector<std::int64_t> again, first;
            {
                Unlocked unlocked;
                Slots slots;
                slots.reset(column.size);
                for (std::size_t i = 0; i < column.size; ++i) {
                    std::uint64_t hash = multiply_fold(hash_of(column[i]), std::uint64_t(group[i]) * 2 + 0x9e3779b97f4a7c15);
                    std::uint32_t found = slots.find_or_add(hash, std::uint32_t(i), [&](std::uint32_t n) {
                        return group[n] == group[i] && column[n] == column[i];
                    });
                    if (found == i) continue;
                    again.push_back(std::int64_t(i));
                    first.push_back(found);
                }
            }
            return checked(Py_BuildValue("(NN)", bytes_of(again), bytes_of(first)));
        },
        nullptr);
}

inline PyObject* core_cumulate(PyObject*, PyObject* args) {
    return guarded(
        [&] {
            PyObject *values, *starts;
            if (!PyArg_ParseTuple(args, "OO", &values, &starts)) throw Failed();
            Buffer numbers(values), begins(starts);
            const double* value = numbers.numbers<double>();
            const std::int64_t* begin = begins.numbers<std::int64_t>();
            const std::size_t groups = begins.count() ? begins.count() - 1 : 0;
            if (!begins.count() || begin[0] != 0 || begin[groups] != std::int64_t(numbers.count()) ||
                !std::is_sorted(begin, begin + groups + 1))
                throw std::invalid_argument("groups that do not make up the values");
            Filled<double> sums(numbers.count());
            for (std::size_t g = 0; g < groups; ++g) {
                double total = 0.0;
                for (std::int64_t i = begin[g]; i < begin[g + 1]; ++i) sums[std::size_t(i)] = total += value[i];
            }
            return sums.release();
        },
        nullptr);
}

}  // namespace rankgauge
