// The Python type Judgments, and the function sort_judgments.
#pragma once

#include "python.hpp"

#include <vector>

#include "judgments.hpp"
#include "sorted_judgments.hpp"
#include "table.hpp"

namespace rankgauge {

// Beside the table, its documents as Python strings: what is looked up in the dicts of a caller.
struct PyJudgments {
    Judgments table;
    std::vector<PyObject*> doc_texts;

    explicit PyJudgments(Judgments judgments) : table(std::move(judgments)) {}
    PyJudgments(const PyJudgments&) = delete;
    ~PyJudgments() {
        for (PyObject* text : doc_texts) Py_XDECREF(text);
    }

    static PyJudgments& of(PyObject* object) { return *reinterpret_cast<Holder<PyJudgments>*>(object)->inner; }

    static PyObject* text_of(std::string_view id) {
        return checked(PyUnicode_DecodeUTF8(id.data(), Py_ssize_t(id.size()), "surrogateescape"));
    }

    void make_texts() {
        if (!doc_texts.empty()) return;
        std::vector<PyObject*> docs;
        try {
            for (std::int64_t j = 0; j < table.size(); ++j) docs.push_back(text_of(table.doc(j)));
        } catch (...) {  // all or nothing: they are indexed by number
            for (PyObject* text : docs) Py_DECREF(text);
            throw;
        }
        doc_texts.swap(docs);
    }
};

inline PyObject* judgments_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
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
            return make(type, new PyJudgments(Judgments(topic, begin, doc, levels.numbers<double>(), least)));
        },
        nullptr);
}

inline PyObject* judgments_lookup(PyObject* self, PyObject* args) {
    return guarded(
        [&] {
            PyObject *topic, *doc_data, *doc_offsets;
            if (!PyArg_ParseTuple(args, "OOO", &topic, &doc_data, &doc_offsets)) throw Failed();
            const Judgments& table = PyJudgments::of(self).table;
            Texts docs(doc_data, doc_offsets);
            Buffer topics(topic);
            const Column column = docs.column();
            const std::int64_t* number = topics.numbers<std::int64_t>();
            if (topics.count() != column.size) throw std::invalid_argument("columns of different lengths");
            std::vector<std::int64_t> judgments(column.size, -1);
            for (std::size_t i = 0; i < column.size; ++i)
                if (number[i] >= 0 && number[i] < std::int64_t(table.topics())) {
                    const std::int32_t judgment = table.find(std::size_t(number[i]), hash_of(column[i]), column[i]);
                    if (judgment >= 0) judgments[i] = table.number(judgment);
                }
            return bytes_of(judgments);
        },
        nullptr);
}

inline PyObject* core_sort_judgments(PyObject*, PyObject* args) {
    return guarded(
        [&] {
            PyObject *topic_data, *topic_offsets, *topic, *doc_data, *doc_offsets;
            if (!PyArg_ParseTuple(args, "OOOOO", &topic_data, &topic_offsets, &topic, &doc_data, &doc_offsets))
                throw Failed();
            const Texts distinct(topic_data, topic_offsets), ids(doc_data, doc_offsets);
            const Column topics = distinct.column(), docs = ids.column();
            const Buffer numbers(topic);
            const std::int64_t* number = numbers.numbers<std::int64_t>();
            if (numbers.count() != docs.size) throw std::invalid_argument("columns of different lengths");
            for (std::size_t i = 0; i < docs.size; ++i)
                if (std::uint64_t(number[i]) >= topics.size) throw std::invalid_argument("a row of no topic");
            SortedJudgments sorted;
            {
                Unlocked unlocked;
                sorted = sort_judgments(topics, number, docs);
            }
            Strings names;
            for (std::size_t t : sorted.topics) names.add(topics[t]);
            return checked(Py_BuildValue("{s:N,s:N,s:N}", "topics", pair_of(names), "starts", bytes_of(sorted.starts),
                                         "rows", bytes_of(sorted.rows)));
        },
        nullptr);
}

inline PyMethodDef judgments_methods[] = {
    {"lookup", judgments_lookup, METH_VARARGS, "The number of each document's judgment in its topic, or -1."},
    {nullptr, nullptr, 0, nullptr}};
inline PyType_Slot judgments_slots[] = {{Py_tp_new, reinterpret_cast<void*>(judgments_new)},
                                        {Py_tp_dealloc, reinterpret_cast<void*>(destroy<PyJudgments>)},
                                        {Py_tp_methods, judgments_methods},
                                        {Py_tp_doc, const_cast<char*>("Judgments to look documents up in.")},
                                        {0, nullptr}};
inline PyType_Spec judgments_spec = {"rankgauge.core._compiled.Judgments", sizeof(Holder<PyJudgments>), 0,
                                     Py_TPFLAGS_DEFAULT, judgments_slots};

// What a module object holds: its own types, as far as others of its types have to recognise them.
struct ModuleState {
    PyObject* judgments;  // the type

    static ModuleState* of(PyObject* module) { return static_cast<ModuleState*>(PyModule_GetState(module)); }
    static ModuleState* of(PyTypeObject* type) { return static_cast<ModuleState*>(PyType_GetModuleState(type)); }
};

}  // namespace rankgauge
