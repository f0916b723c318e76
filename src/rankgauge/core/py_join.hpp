// The Python type Join.
#pragma once

#include "python.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

#include "counting.hpp"
#include "join.hpp"
#include "py_judgments.hpp"
#include "py_mapping.hpp"
#include "py_tie_visibility.hpp"

namespace rankgauge {

constexpr std::size_t CHUNK = std::size_t(1) << 18;  // bytes that stay in the processor's cache until they are parsed

struct PyJoin {
    PyObject* judgments;
    Join join;
    std::vector<std::shared_ptr<Texts>> texts;  // columns whose ids are pointed at: those of joins that collect

    PyJoin(PyObject* owner, const Judgments& table, Rules rules) : judgments(owner), join(table, rules) {
        Py_INCREF(owner);
    }
    ~PyJoin() {
        texts.clear();
        Py_DECREF(judgments);
    }
};

inline PyObject* join_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
    return guarded(
        [&] {
            no_keywords(keywords);
            PyObject* owner;
            const char *order, *ties, *precision, *duplicates;
            int collect, detail;
            PyObject* visibility = nullptr;
            if (!PyArg_ParseTuple(args, "O!sssspp|O", ModuleState::of(type)->judgments, &owner, &order, &ties, &precision,
                                  &duplicates, &collect, &detail, &visibility))
                throw Failed();
            const Judgments& table = PyJudgments::of(owner).table;
            const Rules rules{DocumentOrder(order, ties, precision), rule_of(duplicates, DUPLICATES), collect != 0,
                              detail != 0, std::make_shared<TieVisibility>(visibility_of(visibility))};
            return make(type, new PyJoin(owner, table, rules));
        },
        nullptr);
}

inline PyObject* join_feed(PyObject* self, PyObject* chunk) {
    return guarded(
        [&] {
            Entered<PyJoin> entered(self);
            Buffer buffer(chunk);
            {
                Unlocked unlocked;
                entered->join.feed(buffer.data(), buffer.size());
            }
            return tuple_of(entered->join.problem());
        },
        nullptr);
}

// Bytes of a file from a place on, as many as there are up to `size`; below 0 if it cannot be read.
inline std::int64_t read_at(int file, char* room, std::size_t size, std::int64_t place) {
#if defined(_WIN32)
    return _lseeki64(file, place, SEEK_SET) < 0 ? -1 : _read(file, room, unsigned(size));
#else
    return pread(file, room, size, off_t(place));
#endif
}

inline PyObject* join_scan(PyObject* self, PyObject* args) {
    return guarded(
        [&] {
            int file;
            long long begin, end;
            if (!PyArg_ParseTuple(args, "iLL", &file, &begin, &end)) throw Failed();
            Entered<PyJoin> entered(self);
            std::int64_t read = 1;
            {
                Unlocked unlocked;
                std::vector<char> chunk(CHUNK);
                while (begin < end && read > 0 && !entered->join.problem()) {
                    read = read_at(file, chunk.data(), std::min(CHUNK, std::size_t(end - begin)), begin);
                    if (read > 0) entered->join.feed(chunk.data(), std::size_t(read));
                    begin += read;
                }
            }
            if (read < 0) {
                PyErr_SetFromErrno(PyExc_OSError);
                throw Failed();
            }
            return tuple_of(entered->join.problem());
        },
        nullptr);
}

inline PyObject* join_regroup(PyObject* self, PyObject* joins) {
    return guarded(
        [&]() -> PyObject* {
            if (!PyList_Check(joins)) throw std::invalid_argument("a list of joins is expected");
            const Py_ssize_t count = PyList_Size(joins);
            if (std::size_t(count) >= BINS) throw std::invalid_argument("too many joins");
            Entered<PyJoin> entered(self);
            std::vector<std::unique_ptr<Entered<PyJoin>>> others;
            std::vector<Join*> later;
            for (Py_ssize_t i = 0; i < count; ++i) {
                PyObject* join = checked(PyList_GetItem(joins, i));
                if (Py_TYPE(join) != Py_TYPE(self)) throw std::invalid_argument("joins are expected");
                others.push_back(std::make_unique<Entered<PyJoin>>(join));
                PyJoin& other = *others.back()->operator->();
                if (other.judgments != entered->judgments || !(other.join.rules() == entered->join.rules()))
                    throw std::invalid_argument("joins must have the same judgments and rules");
                later.push_back(&other.join);
            }
            if (!entered->join.rules().collect) throw std::invalid_argument("only joins that collect can be regrouped");
            {
                Unlocked unlocked;
                entered->join.regroup(later);
            }
            for (auto& other : others) {  // rows were exchanged, and with them what they point at
                auto& texts = (*other)->texts;
                entered->texts.insert(entered->texts.end(), texts.begin(), texts.end());
            }
            for (auto& other : others) (*other)->texts = entered->texts;
            Py_RETURN_NONE;
        },
        nullptr);
}

inline PyObject* join_columns(PyObject* self, PyObject* args) {
    return guarded(
        [&] {
            PyObject *topic_data, *topic_offsets, *topic, *doc_data, *doc_offsets, *scores, *ranks;
            if (!PyArg_ParseTuple(args, "OOOOOOO", &topic_data, &topic_offsets, &topic, &doc_data, &doc_offsets,
                                  &scores, &ranks))
                throw Failed();
            Entered<PyJoin> entered(self);
            Texts distinct(topic_data, topic_offsets);
            const auto ids = std::make_shared<Texts>(doc_data, doc_offsets);
            if (entered->join.rules().collect) entered->texts.push_back(ids);
            const Column topics = distinct.column(), docs = ids->column();
            Buffer codes(topic), values(scores);
            std::unique_ptr<Buffer> places(ranks == Py_None ? nullptr : new Buffer(ranks));
            if (codes.count_of_integers() != docs.size || values.count() != docs.size || (places && places->count() != docs.size))
                throw std::invalid_argument("columns of different lengths");
            const Numbers code = codes.integers();
            bool known = true;
            for (std::size_t i = 0; i < docs.size; ++i) known &= std::uint64_t(code[i]) < topics.size;
            if (!known) throw std::invalid_argument("a row of no topic");
            const double* value = values.numbers<double>();
            if (has_nan(value, value + docs.size)) throw std::invalid_argument("a score is NaN");
            const std::int64_t* place = places ? places->numbers<std::int64_t>() : nullptr;
            {
                Unlocked unlocked;
                entered->join.columns(topics, code, docs, value, place);
            }
            return tuple_of(entered->join.problem());
        },
        nullptr);
}

inline PyObject* join_mapping(PyObject* self, PyObject* mapping) {
#if defined(Py_GIL_DISABLED)  // other threads could change the dicts while they are read
    (void)self;
    (void)mapping;
    Py_RETURN_FALSE;
#else
    return guarded(
        [&] {
            Entered<PyJoin> entered(self);
            Join& join = entered->join;
            MappingReader reader(PyJudgments::of(entered->judgments), join.rules(), join.ranker());
            return checked(PyBool_FromLong(reader.read(mapping)));
        },
        nullptr);
#endif
}

inline PyObject* join_rank_some(PyObject* self, PyObject*) {
    return guarded(
        [&] {
            Entered<PyJoin> entered(self);
            bool left;
            {
                Unlocked unlocked;
                left = entered->join.rank_some();
            }
            return checked(PyBool_FromLong(left));
        },
        nullptr);
}

inline PyObject* join_finish(PyObject* self, PyObject*) {
    return guarded(
        [&] {
            Entered<PyJoin> entered(self);
            {
                Unlocked unlocked;
                entered->join.finish();
            }
            if (entered->join.problem()) return tuple_of(entered->join.problem());
            const Hits& hits = entered->join.hits();
            Owned columns(Py_BuildValue(
                "{s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:L,s:L,s:L}", "topic", bytes_of(hits.topic), "retrieved",
                bytes_of(hits.retrieved), "tied", bytes_of(hits.tied), "decisive", bytes_of(hits.decisive), "starts",
                bytes_of(hits.starts), "rank", bytes_of(hits.rank), "judgment", bytes_of(hits.judgment),
                "unjudged_hashes", bytes_of(hits.unjudged_hashes), "unjudged_topics", static_cast<long long>(hits.unjudged_topics),
                "rows", static_cast<long long>(hits.rows), "dropped", static_cast<long long>(hits.dropped)));
            if (entered->join.rules().detail) {
                const Owned detail(Py_BuildValue("{s:N,s:N,s:N,s:N}", "first", bytes_of(hits.first), "last",
                                                 bytes_of(hits.last), "score", bytes_of(hits.score), "squares",
                                                 bytes_of(hits.squares)));
                if (PyDict_Update(columns.get(), detail.get()) != 0) throw Failed();
            }
            return columns.release();
        },
        nullptr);
}

inline PyMethodDef join_methods[] = {
    {"feed", join_feed, METH_O, "Take the next bytes of a TREC run file; return a problem or None."},
    {"scan", join_scan, METH_VARARGS,
     "Take the bytes of an open file from one place to another; return a problem or None."},
    {"regroup", join_regroup, METH_O, "Exchange rows with joins of later parts of a run, so that topics are whole."},
    {"columns", join_columns, METH_VARARGS, "Take columns of some rows; return a problem or None."},
    {"mapping", join_mapping, METH_O, "Take {topic: {document: score}}; return False if it is not of exact types."},
    {"rank_some", join_rank_some, METH_NOARGS, "Rank some of the collected topics; return False once none is left."},
    {"finish", join_finish, METH_NOARGS, "Return the hits as a dict of buffers, or a problem as a tuple."},
    {nullptr, nullptr, 0, nullptr}};
inline PyType_Slot join_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(join_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(destroy<PyJoin>)},
    {Py_tp_methods, join_methods},
    {Py_tp_doc, const_cast<char*>("Finds the ranks of the judged documents of a run.")},
    {0, nullptr}};
inline PyType_Spec join_spec = {"rankgauge.core._compiled.Join", sizeof(Holder<PyJoin>), 0, Py_TPFLAGS_DEFAULT,
                                join_slots};

}  // namespace rankgauge
