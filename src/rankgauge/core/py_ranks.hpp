// The Python function ranks.
#pragma once

#include "python.hpp"

#include <memory>

#include "ranks.hpp"

namespace rankgauge {

inline PyObject* core_ranks(PyObject*, PyObject* args) {
    return guarded(
        [&] {
            PyObject *topic, *doc_data, *doc_offsets, *scores, *ranks;
            const char *order, *ties, *precision;
            if (!PyArg_ParseTuple(args, "OOOOOsss", &topic, &doc_data, &doc_offsets, &scores, &ranks, &order, &ties,
                                  &precision))
                throw Failed();
            const DocumentOrder rules(order, ties, precision);
            const Texts docs(doc_data, doc_offsets);
            const Buffer topics(topic), values(scores);
            const std::unique_ptr<Buffer> places(ranks == Py_None ? nullptr : new Buffer(ranks));
            const std::size_t size = docs.column().size;
            if (!places && rules.needs_rank()) throw std::invalid_argument("these rules need ranks");
            if (topics.count() != size || values.count() != size || (places && places->count() != size))
                throw std::invalid_argument("columns of different lengths");
            const RankedRows rows{topics.numbers<std::int64_t>(), docs.column(), values.numbers<double>(),
                                  places ? places->numbers<std::int64_t>() : nullptr};
            Filled<std::int64_t> result(size);
            {
                Unlocked unlocked;
                rank_rows(rows, rules, result.data());
            }
            return result.release();
        },
        nullptr);
}

}  // namespace rankgauge
