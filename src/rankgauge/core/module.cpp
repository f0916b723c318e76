// The compiled core as a Python module: buffers in, buffers out, no NumPy headers, the GIL released while it works.
// Only the limited API is used, so that one binary serves every Python from 3.11 on.
#include "python.hpp"

#include <tuple>
#include <utility>

#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

#include "join.hpp"
#include "plan.hpp"

using namespace rankgauge;

namespace {

// ---- Judgments

// Beside the table, the documents as Python strings: dicts of a caller are asked for them.
struct PyJudgments {
    Judgments table;
    std::vector<PyObject*> topic_texts, doc_texts;

    ~PyJudgments() {
        for (PyObject* text : topic_texts) Py_XDECREF(text);
        for (PyObject* text : doc_texts) Py_XDECREF(text);
    }

    static PyObject* text_of(std::string_view id) {
        return checked(PyUnicode_DecodeUTF8(id.data(), Py_ssize_t(id.size()), "surrogateescape"));
    }

    void make_texts() {
        if (!topic_texts.empty()) return;
        std::vector<PyObject*> topics, docs;
        try {
            for (std::size_t t = 0; t < table.topics(); ++t) topics.push_back(text_of(table.topic_id(t)));
            for (std::int64_t j = 0; j < table.size(); ++j) docs.push_back(text_of(table.doc(j)));
        } catch (...) {  // all or nothing: both are asked for by number
            for (PyObject* text : topics) Py_DECREF(text);
            for (PyObject* text : docs) Py_DECREF(text);
            throw;
        }
        topic_texts.swap(topics);
        doc_texts.swap(docs);
    }
};

PyObject* judgments_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
    return guarded(
        [&] {
            no_keywords(keywords);
            PyObject *topic_data, *topic_offsets, *starts, *doc_data, *doc_offsets, *grades;
            double least;
            if (!PyArg_ParseTuple(args, "OOOOOOd", &topic_data, &topic_offsets, &starts, &doc_data, &doc_offsets,
                                  &grades, &least))
                throw Failed();
            Texts topics(topic_data, topic_offsets), docs(doc_data, doc_offsets);
            Buffer begins(starts), levels(grades);
            const Column topic = topics.column(), doc = docs.column();
            const std::int64_t* begin = begins.numbers<std::int64_t>();
            if (begins.count() != topic.size + 1 || levels.count() != doc.size || begin[0] != 0 ||
                begin[topic.size] != std::int64_t(doc.size) || doc.size > 0x7fffffff)
                throw std::invalid_argument("judgments of different lengths");
            for (std::size_t t = 0; t < topic.size; ++t)
                if (begin[t + 1] < begin[t]) throw std::invalid_argument("starts must not decrease");
            return make(type, new PyJudgments{Judgments(topic, begin, doc, levels.numbers<double>(), least), {}, {}});
        },
        nullptr);
}

PyObject* judgments_lookup(PyObject* self, PyObject* args) {
    return guarded(
        [&] {
            PyObject *topic, *doc_data, *doc_offsets;
            if (!PyArg_ParseTuple(args, "OOO", &topic, &doc_data, &doc_offsets)) throw Failed();
            const Judgments& table = reinterpret_cast<Holder<PyJudgments>*>(self)->inner->table;
            Texts docs(doc_data, doc_offsets);
            Buffer topics(topic);
            const Column column = docs.column();
            const std::int64_t* number = topics.numbers<std::int64_t>();
            if (topics.count() != column.size) throw std::invalid_argument("columns of different lengths");
            std::vector<std::int64_t> found(column.size, -1);
            for (std::size_t i = 0; i < column.size; ++i)
                if (number[i] >= 0 && number[i] < std::int64_t(table.topics())) {
                    const std::int32_t judgment = table.find(std::size_t(number[i]), hash_of(column[i]), column[i]);
                    if (judgment >= 0) found[i] = table.number(judgment);
                }
            return bytes_of(found);
        },
        nullptr);
}

PyMethodDef judgments_methods[] = {
    {"lookup", judgments_lookup, METH_VARARGS, "The number of each document's judgment in its topic, or -1."},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot judgments_slots[] = {{Py_tp_new, reinterpret_cast<void*>(judgments_new)},
                                 {Py_tp_dealloc, reinterpret_cast<void*>(destroy<PyJudgments>)},
                                 {Py_tp_methods, judgments_methods},
                                 {Py_tp_doc, const_cast<char*>("Judgments to look documents up in.")},
                                 {0, nullptr}};
PyType_Spec judgments_spec = {"rankgauge.core._compiled.Judgments", sizeof(Holder<PyJudgments>), 0,
                              Py_TPFLAGS_DEFAULT, judgments_slots};
PyTypeObject* judgments_type = nullptr;

// ---- Join

constexpr std::size_t CHUNK = std::size_t(1) << 18;  // bytes that stay in the processor's cache until they are parsed

struct PyJoin {
    PyObject* judgments;
    Join join;
    std::vector<std::shared_ptr<Texts>> texts;  // columns stay alive as long as their ids are pointed at

    PyJoin(PyObject* owner, const Judgments& table, Rules rules) : judgments(owner), join(table, rules) {
        Py_INCREF(owner);
    }
    ~PyJoin() {
        texts.clear();
        Py_DECREF(judgments);
    }
};

PyObject* join_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
    return guarded(
        [&] {
            no_keywords(keywords);
            PyObject* owner;
            int order, ties, single, duplicates, collect, detail;
            if (!PyArg_ParseTuple(args, "O!iipipp", judgments_type, &owner, &order, &ties, &single, &duplicates,
                                  &collect, &detail))
                throw Failed();
            if (order < 0 || order > 1 || ties < 0 || ties > 3 || duplicates < 0 || duplicates > 2)
                throw std::invalid_argument("there is no such rule");
            const Judgments& table = reinterpret_cast<Holder<PyJudgments>*>(owner)->inner->table;
            const Rules rules{order == 1, ties, single != 0, duplicates, collect != 0, detail != 0};
            return make(type, new PyJoin(owner, table, rules));
        },
        nullptr);
}

PyObject* join_feed(PyObject* self, PyObject* chunk) {
    return guarded(
        [&] {
            Entered<PyJoin> entered(self);
            Buffer buffer(chunk);
            {
                Unlocked unlocked;
                entered->join.feed(buffer.data(), buffer.size());
            }
            return tuple_of(entered->join.trouble());
        },
        nullptr);
}

// Bytes of a file from a place on, as many as there are up to `size`; below 0 if it cannot be read.
std::int64_t read_at(int file, char* room, std::size_t size, std::int64_t place) {
#if defined(_WIN32)
    return _lseeki64(file, place, SEEK_SET) < 0 ? -1 : _read(file, room, unsigned(size));
#else
    return pread(file, room, size, off_t(place));
#endif
}

PyObject* join_scan(PyObject* self, PyObject* args) {
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
                while (begin < end && read > 0 && !entered->join.trouble()) {
                    read = read_at(file, chunk.data(), std::min(CHUNK, std::size_t(end - begin)), begin);
                    if (read > 0) entered->join.feed(chunk.data(), std::size_t(read));
                    begin += read;
                }
            }
            if (read < 0) {
                PyErr_SetFromErrno(PyExc_OSError);
                throw Failed();
            }
            return tuple_of(entered->join.trouble());
        },
        nullptr);
}

PyObject* join_regroup(PyObject* self, PyObject* joins) {
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
            for (auto& other : others) {  // rows went to and fro, and with them what they point at
                auto& texts = (*other)->texts;
                entered->texts.insert(entered->texts.end(), texts.begin(), texts.end());
            }
            for (auto& other : others) (*other)->texts = entered->texts;
            Py_RETURN_NONE;
        },
        nullptr);
}

PyObject* join_columns(PyObject* self, PyObject* args) {
    return guarded(
        [&] {
            PyObject *topic_data, *topic_offsets, *topic, *doc_data, *doc_offsets, *scores, *ranks;
            if (!PyArg_ParseTuple(args, "OOOOOOO", &topic_data, &topic_offsets, &topic, &doc_data, &doc_offsets,
                                  &scores, &ranks))
                throw Failed();
            Entered<PyJoin> entered(self);
            Texts distinct(topic_data, topic_offsets);
            entered->texts.push_back(std::make_shared<Texts>(doc_data, doc_offsets));
            const Column topics = distinct.column(), docs = entered->texts.back()->column();
            Buffer codes(topic), values(scores);
            std::unique_ptr<Buffer> places(ranks == Py_None ? nullptr : new Buffer(ranks));
            if (codes.count() != docs.size || values.count() != docs.size || (places && places->count() != docs.size))
                throw std::invalid_argument("columns of different lengths");
            const std::int64_t* code = codes.numbers<std::int64_t>();
            bool known = true;
            for (std::size_t i = 0; i < docs.size; ++i) known &= std::uint64_t(code[i]) < topics.size;
            if (!known) throw std::invalid_argument("a row of no topic");
            const double* value = values.numbers<double>();
            const std::int64_t* place = places ? places->numbers<std::int64_t>() : nullptr;
            {
                Unlocked unlocked;
                entered->join.columns(topics, code, docs, value, place);
            }
            return tuple_of(entered->join.trouble());
        },
        nullptr);
}

bool plain_whole(PyObject* value, double& number) {
    if (!PyLong_CheckExact(value)) return false;
    number = PyLong_AsDouble(value);
    if (number != -1.0 || !PyErr_Occurred()) return true;
    PyErr_Clear();
    return false;
}

// A dict's number, if it is a plain one: anything else may run code of its own, and that is not for here.
inline bool plain_number(PyObject* value, double& number) {
    if (!PyFloat_Check(value)) return plain_whole(value, number);
    number = PyFloat_AsDouble(value);
    return number == number;
}

// A dict's string, if it is one that UTF-8 can write. Lone surrogates are not for here: bytes that were no UTF-8, or no
// text at all.
inline bool plain_text(PyObject* value, std::string_view& text) {
    if (!PyUnicode_CheckExact(value)) return false;
    Py_ssize_t length;
    const char* bytes = PyUnicode_AsUTF8AndSize(value, &length);
    if (!bytes) {
        PyErr_Clear();
        return false;
    }
    text = {bytes, std::size_t(length)};
    return true;
}

// {topic: {document: score}} as it stands. False when it is not of plain strings and numbers, and then this join is of
// no more use.
PyObject* join_mapping(PyObject* self, PyObject* mapping) {
    return guarded(
        [&]() -> PyObject* {
            Entered<PyJoin> entered(self);
            auto* owner = reinterpret_cast<Holder<PyJudgments>*>(entered->judgments)->inner;
            owner->make_texts();
            const Judgments& table = owner->table;
            Ranker& ranker = entered->join.ranker();
            if (!PyDict_CheckExact(mapping) || entered->join.rules().needs_rank()) Py_RETURN_FALSE;
            PyObject *key, *value, *doc, *given;
            std::int64_t unjudged = 0;
            for (Py_ssize_t at = 0; PyDict_Next(mapping, &at, &key, &value);) {
                if (!PyUnicode_CheckExact(key) || !PyDict_CheckExact(value)) Py_RETURN_FALSE;
                PyObject* bytes = PyUnicode_AsEncodedString(key, "utf-8", "surrogateescape");
                if (!bytes) {  // half a surrogate pair
                    PyErr_Clear();
                    Py_RETURN_FALSE;
                }
                const Owned id(bytes);
                if (table.topic({PyBytes_AsString(bytes), std::size_t(PyBytes_Size(bytes))}) >= 0) continue;
                // of a topic without judgments nothing is wanted, but it has to be well-formed, too
                double number;
                std::string_view text;
                for (Py_ssize_t row = 0; PyDict_Next(value, &row, &doc, &given);)
                    if (!plain_text(doc, text) || !plain_number(given, number)) Py_RETURN_FALSE;
                unjudged += PyDict_Size(value) > 0;
            }
            std::vector<double> scores;
            std::vector<std::pair<double, std::int32_t>> judged;
            std::vector<std::pair<PyObject*, PyObject*>> rows;  // borrowed: nothing here lets anyone change the dict
            for (std::size_t t = 0; t < table.topics(); ++t) {
                PyObject* results = PyDict_GetItemWithError(mapping, owner->topic_texts[t]);
                if (!results) {
                    if (PyErr_Occurred()) throw Failed();
                    continue;
                }
                const std::int64_t size = PyDict_Size(results);
                if (size == 0) continue;
                judged.clear();
                scores.resize(std::size_t(size));
                double* score = scores.data();
                std::string_view id;
                double number = 0.0;
                // Few judgments are looked up in the dict; for many it is cheaper to look the dict's documents up.
                const bool many = 8 * (table.end(t) - table.begin(t)) > size;
                if (many) {
                    table.expect(t);
                    rows.clear();
                    // Objects of a dict lie anywhere in memory: ask for all of them before the first is looked at.
                    for (Py_ssize_t at = 0; PyDict_Next(results, &at, &doc, &given);) {
                        prefetch(doc);
                        prefetch(reinterpret_cast<const char*>(doc) + 64);
                        prefetch(given);
                        rows.emplace_back(doc, given);
                    }
                    for (const auto& [text, given] : rows) {
                        if (!plain_text(text, id) || !plain_number(given, number)) Py_RETURN_FALSE;
                        *score++ = number;
                        const std::int32_t judgment = table.find(t, hash_of(id), id);
                        if (judgment >= 0) judged.emplace_back(number, judgment);
                    }
                } else {
                    for (Py_ssize_t at = 0; PyDict_Next(results, &at, &doc, &given);) {
                        if (!plain_text(doc, id) || !plain_number(given, number)) Py_RETURN_FALSE;
                        *score++ = number;
                    }
                }
                for (std::int64_t j = table.begin(t); j < table.end(t) && !many; ++j) {
                    value = PyDict_GetItemWithError(results, owner->doc_texts[std::size_t(j)]);
                    if (!value) {
                        if (PyErr_Occurred()) throw Failed();
                        continue;
                    }
                    plain_number(value, number);
                    judged.emplace_back(number, std::int32_t(j));
                }
                ranker.rank_scores(t, scores, judged, [&](double score, auto&& add) {
                    for (Py_ssize_t at = 0; PyDict_Next(results, &at, &doc, &given);) {
                        plain_number(given, number);
                        if (entered->join.rules().seen_as(number) != score) continue;
                        plain_text(doc, id);
                        add(id);
                    }
                });
            }
            ranker.hits.unjudged_topics += unjudged;
            Py_RETURN_TRUE;
        },
        nullptr);
}

PyObject* join_finish(PyObject* self, PyObject*) {
    return guarded(
        [&] {
            Entered<PyJoin> entered(self);
            {
                Unlocked unlocked;
                entered->join.finish();
            }
            if (entered->join.trouble()) return tuple_of(entered->join.trouble());
            const Hits& hits = entered->join.hits();
            Owned told(Py_BuildValue(
                "{s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:L,s:L,s:L}", "topic", bytes_of(hits.topic), "retrieved",
                bytes_of(hits.retrieved), "tied", bytes_of(hits.tied), "decisive", bytes_of(hits.decisive), "starts",
                bytes_of(hits.starts), "rank", bytes_of(hits.rank), "judgment", bytes_of(hits.judgment),
                "unjudged_topics", static_cast<long long>(hits.unjudged_topics), "rows",
                static_cast<long long>(hits.rows), "dropped", static_cast<long long>(hits.dropped)));
            if (entered->join.rules().detail) {
                const Owned detail(Py_BuildValue("{s:N,s:N,s:N,s:N}", "first", bytes_of(hits.first), "last",
                                                 bytes_of(hits.last), "score", bytes_of(hits.score), "squares",
                                                 bytes_of(hits.squares)));
                if (PyDict_Update(told.get(), detail.get()) != 0) throw Failed();
            }
            return told.release();
        },
        nullptr);
}

PyMethodDef join_methods[] = {
    {"feed", join_feed, METH_O, "Take the next bytes of a TREC run file; return trouble or None."},
    {"scan", join_scan, METH_VARARGS, "Take the bytes of an open file from one place to another; return trouble or None."},
    {"regroup", join_regroup, METH_O, "Exchange rows with joins of later parts of a run, so that topics are whole."},
    {"columns", join_columns, METH_VARARGS, "Take whole columns; return trouble or None."},
    {"mapping", join_mapping, METH_O, "Take {topic: {document: score}}; return False if it is not plain."},
    {"finish", join_finish, METH_NOARGS, "Return the hits as a dict of buffers, or trouble as a tuple."},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot join_slots[] = {{Py_tp_new, reinterpret_cast<void*>(join_new)},
                            {Py_tp_dealloc, reinterpret_cast<void*>(destroy<PyJoin>)},
                            {Py_tp_methods, join_methods},
                            {Py_tp_doc, const_cast<char*>("Rows of a run to the ranks of its judged documents.")},
                            {0, nullptr}};
PyType_Spec join_spec = {"rankgauge.core._compiled.Join", sizeof(Holder<PyJoin>), 0, Py_TPFLAGS_DEFAULT, join_slots};

// ---- Table

PyObject* table_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
    return guarded(
        [&] {
            no_keywords(keywords);
            int fields;
            long long keep;
            if (!PyArg_ParseTuple(args, "iL", &fields, &keep)) throw Failed();
            if (fields != 6 && fields != 4 && fields != 3) throw std::invalid_argument("fields must be 6, 4 or 3");
            return make(type, new Table(fields, keep));
        },
        nullptr);
}

PyObject* table_feed(PyObject* self, PyObject* chunk) {
    return guarded(
        [&]() -> PyObject* {
            Entered<Table> entered(self);
            Buffer buffer(chunk);
            {
                Unlocked unlocked;
                entered->feed(buffer.data(), buffer.size());
            }
            Py_RETURN_NONE;
        },
        nullptr);
}

PyObject* table_finish(PyObject* self, PyObject*) {
    return guarded(
        [&] {
            Entered<Table> table(self);
            table->finish();
            Owned problems(PyList_New(0));
            for (const Trouble& problem : table->problems)
                if (PyList_Append(problems.get(), Owned(tuple_of(problem)).get()) != 0) throw Failed();
            Owned counts(PyDict_New());
            for (std::size_t code = 0; code < table->counts.size(); ++code) {
                if (!table->counts[code]) continue;
                const Owned key(PyLong_FromSize_t(code)), count(PyLong_FromLongLong(table->counts[code]));
                if (PyDict_SetItem(counts.get(), key.get(), count.get()) != 0) throw Failed();
            }
            return checked(Py_BuildValue(
                "{s:N,s:N,s:N,s:N,s:N,s:N,s:L,s:N,s:N}", "topic", pair_of(table->topic), "doc", pair_of(table->doc),
                "label", pair_of(table->label), "value", bytes_of(table->value), "rank", bytes_of(table->rank), "line",
                bytes_of(table->line), "lines", static_cast<long long>(table->lines.count), "problems",
                problems.release(), "counts", counts.release()));
        },
        nullptr);
}

PyMethodDef table_methods[] = {
    {"feed", table_feed, METH_O, "Take the next bytes of the file."},
    {"finish", table_finish, METH_NOARGS, "Return the columns and the problems as a dict."},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot table_slots[] = {{Py_tp_new, reinterpret_cast<void*>(table_new)},
                             {Py_tp_dealloc, reinterpret_cast<void*>(destroy<Table>)},
                             {Py_tp_methods, table_methods},
                             {Py_tp_doc, const_cast<char*>("A whole TREC file as columns.")},
                             {0, nullptr}};
PyType_Spec table_spec = {"rankgauge.core._compiled.Table", sizeof(Holder<Table>), 0, Py_TPFLAGS_DEFAULT, table_slots};

// ---- Plan

PyObject* plan_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
    return guarded(
        [&] {
            no_keywords(keywords);
            PyObject *begins, *ends, *doc_data, *doc_offsets, *judgments, *grades;
            int ties;
            if (!PyArg_ParseTuple(args, "OOOOOOi", &begins, &ends, &doc_data, &doc_offsets, &judgments, &grades, &ties))
                throw Failed();
            Texts docs(doc_data, doc_offsets);
            Buffer first(begins), last(ends), judgment(judgments), grade(grades);
            const std::int64_t *number = judgment.numbers<std::int64_t>(), *begin = first.numbers<std::int64_t>(),
                               *end = last.numbers<std::int64_t>();
            if (first.count() != last.count() || docs.column().size != judgment.count())
                throw std::invalid_argument("candidates of different lengths");
            for (std::size_t t = 0; t < first.count(); ++t)
                if (begin[t] < 0 || end[t] < begin[t] || end[t] > std::int64_t(judgment.count()))
                    throw std::invalid_argument("a topic outside the candidates");
            for (std::size_t i = 0; i < judgment.count(); ++i)
                if (number[i] >= std::int64_t(grade.count())) throw std::invalid_argument("a judgment without a grade");
            return make(type, new Plan(first.copy<std::int64_t>(), last.copy<std::int64_t>(), docs.column(),
                                       judgment.copy<std::int64_t>(), grade.copy<double>(), ties));
        },
        nullptr);
}

PyObject* plan_place(PyObject* self, PyObject* args) {
    return guarded(
        [&] {
            PyObject* scores;
            int single;
            if (!PyArg_ParseTuple(args, "Op", &scores, &single)) throw Failed();
            auto* plan = reinterpret_cast<Holder<Plan>*>(self)->inner;  // placing changes nothing: any number at once
            Buffer buffer(scores);
            if (buffer.size() != plan->size() * (buffer.of_floats() ? sizeof(float) : sizeof(double)))
                throw std::invalid_argument("scores of another length");
            std::optional<Placed> placed;
            if (buffer.of_floats()) {
                const float* score = buffer.numbers<float>();
                Unlocked unlocked;
                placed = plan->place(score);
            } else {
                const double* score = buffer.numbers<double>();
                Unlocked unlocked;
                placed = single ? plan->place(std::vector<float>(score, score + plan->size()).data()) : plan->place(score);
            }
            if (!placed) Py_RETURN_NONE;
            return checked(Py_BuildValue("(NNNN)", bytes_of(placed->rank), bytes_of(placed->judgment),
                                         bytes_of(placed->tied), bytes_of(placed->decisive)));
        },
        nullptr);
}

PyMethodDef plan_methods[] = {
    {"place", plan_place, METH_VARARGS, "Return (rank, judgment, tied, decisive) for new scores of the candidates, None if one is NaN."},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot plan_slots[] = {{Py_tp_new, reinterpret_cast<void*>(plan_new)},
                            {Py_tp_dealloc, reinterpret_cast<void*>(destroy<Plan>)},
                            {Py_tp_methods, plan_methods},
                            {Py_tp_doc, const_cast<char*>("Fixed candidates that take new scores.")},
                            {0, nullptr}};
PyType_Spec plan_spec = {"rankgauge.core._compiled.Plan", sizeof(Holder<Plan>), 0, Py_TPFLAGS_DEFAULT, plan_slots};

// ---- columns of byte strings

PyObject* core_take(PyObject*, PyObject* args) {
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

// (code of each string, index of each distinct string's first appearance); same(i) may say that string i is the one
// before, without looking closely: ids of topics come in runs.
template <class Strings_, class Same>
PyObject* encoded(const Strings_& texts, std::size_t size, Same&& same) {
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

PyObject* core_encode(PyObject*, PyObject* args) {
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

PyObject* core_duplicates(PyObject*, PyObject* args) {
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

// Arrow's string views: 16 bytes each, with the string itself or its place in one of several buffers.
class Views {
public:
    Views(PyObject* views, PyObject* heaps) : views_(views) {
        for (Py_ssize_t i = 0; i < PyList_Size(heaps); ++i)
            heaps_.push_back(std::make_unique<Buffer>(PyList_GetItem(heaps, i)));
    }

    std::size_t size() const { return views_.size() / 16; }
    const char* at(std::size_t i) const { return views_.data() + 16 * i; }

    std::string_view operator[](std::size_t i) const {
        std::int32_t parts[4];  // size, prefix, number of the buffer, place in it
        std::memcpy(parts, at(i), 16);
        if (parts[0] < 0) throw std::invalid_argument("a view of negative length");
        const auto length = std::size_t(parts[0]);
        if (length <= 12) return {at(i) + 4, length};
        if (parts[2] < 0 || std::size_t(parts[2]) >= heaps_.size() || parts[3] < 0 ||
            std::size_t(parts[3]) + length > heaps_[std::size_t(parts[2])]->size())
            throw std::invalid_argument("a view outside its buffers");
        return {heaps_[std::size_t(parts[2])]->data() + parts[3], length};
    }

private:
    Buffer views_;
    std::vector<std::unique_ptr<Buffer>> heaps_;
};

PyObject* core_pack_views(PyObject*, PyObject* args) {
    return guarded(
        [&] {
            PyObject *given, *heaps;
            if (!PyArg_ParseTuple(args, "OO!", &given, &PyList_Type, &heaps)) throw Failed();
            const Views views(given, heaps);
            Filled<std::int64_t> offsets(views.size() + 1);
            offsets[0] = 0;
            {
                Unlocked unlocked;
                for (std::size_t i = 0; i < views.size(); ++i)
                    offsets[i + 1] = offsets[i] + std::int64_t(views[i].size());
            }
            const auto size = std::size_t(offsets[views.size()]);
            Filled<char> packed(size);
            {
                Unlocked unlocked;
                for (std::size_t i = 0; i < views.size(); ++i) {
                    const std::string_view text = views[i];
                    const auto place = std::size_t(offsets[i]);
                    char* to = packed.data() + place;
                    // 12 bytes at once, where there is room: what is too much the next string writes over
                    if (text.size() <= 12 && place + 12 <= size) std::memcpy(to, text.data(), 12);
                    else if (text.size() >= 16 && text.size() <= 32) {  // two copies of 16 that overlap: no call
                        std::memcpy(to, text.data(), 16);
                        std::memcpy(to + text.size() - 16, text.data() + text.size() - 16, 16);
                    } else std::memcpy(to, text.data(), text.size());
                }
            }
            return checked(Py_BuildValue("(NN)", packed.release(), offsets.release()));
        },
        nullptr);
}

PyObject* core_encode_views(PyObject*, PyObject* args) {
    return guarded(
        [&] {
            PyObject *given, *heaps;
            if (!PyArg_ParseTuple(args, "OO!", &given, &PyList_Type, &heaps)) throw Failed();
            const Views views(given, heaps);
            // equal views are equal strings; different ones may be, too, when they lie in the buffers
            return encoded(views, views.size(),
                           [&](std::size_t i) { return std::memcmp(views.at(i), views.at(i - 1), 16) == 0; });
        },
        nullptr);
}

PyObject* core_cumulate(PyObject*, PyObject* args) {
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

PyMethodDef functions[] = {
    {"cumulate", core_cumulate, METH_VARARGS, "Running sums of float64 values, group by group."},
    {"take", core_take, METH_VARARGS, "The strings at these indices, as a new column."},
    {"encode", core_encode, METH_VARARGS, "(code of each string, index of each distinct string's first appearance)."},
    {"duplicates", core_duplicates, METH_VARARGS,
     "(rows whose string was already there in their group, the row where it was first)."},
    {"encode_views", core_encode_views, METH_VARARGS, "As encode, for Arrow's string views."},
    {"pack_views", core_pack_views, METH_VARARGS, "Arrow's string views as (data, offsets)."},
    {nullptr, nullptr, 0, nullptr}};

int execute(PyObject* module) {
    return guarded(
        [&] {
            auto add = [&](PyType_Spec* spec, const char* name) {
                PyObject* type = checked(PyType_FromSpec(spec));
                Py_INCREF(type);  // one reference for the module, one for this file
                if (PyModule_AddObject(module, name, type) != 0) throw Failed();
                return reinterpret_cast<PyTypeObject*>(type);
            };
            judgments_type = add(&judgments_spec, "Judgments");
            add(&join_spec, "Join");
            add(&table_spec, "Table");
            add(&plan_spec, "Plan");
            return 0;
        },
        -1);
}

PyModuleDef_Slot slots[] = {{Py_mod_exec, reinterpret_cast<void*>(execute)}, {0, nullptr}};
PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_compiled", "The compiled core.", 0,
                          functions,             slots,       nullptr,              nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__compiled() { return PyModuleDef_Init(&definition); }
