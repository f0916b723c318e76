// The Python type Table, and the function topic_lines.
#pragma once

#include "python.hpp"

#include <optional>
#include <utility>

#include "table.hpp"
#include "topic_lines.hpp"

namespace rankgauge {

inline PyObject* table_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
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

inline PyObject* table_feed(PyObject* self, PyObject* chunk) {
    return guarded(
        [&] {
            Entered<Table> entered(self);
            Buffer buffer(chunk);
            std::int64_t problems;
            {
                Unlocked unlocked;
                problems = entered->feed(buffer.data(), buffer.size());
            }
            return checked(PyLong_FromLongLong(problems));
        },
        nullptr);
}

// The rows so far, which are then forgotten, and all problems.
inline PyObject* taken(Table& table) {
    Owned problems(PyList_New(0));
    for (const Problem& problem : table.problems)
        if (PyList_Append(problems.get(), Owned(tuple_of(problem)).get()) != 0) throw Failed();
    Owned counts(PyDict_New());
    for (std::size_t code = 0; code < table.counts.size(); ++code) {
        if (!table.counts[code]) continue;
        const Owned key(PyLong_FromSize_t(code)), count(PyLong_FromLongLong(table.counts[code]));
        if (PyDict_SetItem(counts.get(), key.get(), count.get()) != 0) throw Failed();
    }
    const auto texts = [](Strings& column) { return pair_of(std::exchange(column, Strings())); };
    const auto numbers = [](auto& column) { return bytes_of(std::exchange(column, {})); };
    return checked(Py_BuildValue(
        "{s:N,s:N,s:N,s:N,s:N,s:N,s:L,s:N,s:N}", "topic", texts(table.topic), "doc", texts(table.doc), "label",
        texts(table.label), "value", numbers(table.value), "rank", numbers(table.rank), "line", numbers(table.line),
        "lines", static_cast<long long>(table.lines.count), "problems", problems.release(), "counts",
        counts.release()));
}

inline PyObject* table_take(PyObject* self, PyObject*) {
    return guarded(
        [&] {
            Entered<Table> table(self);
            return taken(*table.operator->());
        },
        nullptr);
}

inline PyObject* table_finish(PyObject* self, PyObject*) {
    return guarded(
        [&] {
            Entered<Table> table(self);
            table->finish();
            return taken(*table.operator->());
        },
        nullptr);
}

inline PyMethodDef table_methods[] = {
    {"feed", table_feed, METH_O, "Take the next bytes of the file; return the number of problems so far."},
    {"take", table_take, METH_NOARGS, "Return the rows so far and all problems as a dict, and forget the rows."},
    {"finish", table_finish, METH_NOARGS, "Return the rows and the problems as a dict; no more may follow."},
    {nullptr, nullptr, 0, nullptr}};
inline PyType_Slot table_slots[] = {{Py_tp_new, reinterpret_cast<void*>(table_new)},
                                    {Py_tp_dealloc, reinterpret_cast<void*>(destroy<Table>)},
                                    {Py_tp_methods, table_methods},
                                    {Py_tp_doc, const_cast<char*>("A whole TREC file as columns.")},
                                    {0, nullptr}};
inline PyType_Spec table_spec = {"rankgauge.core._compiled.Table", sizeof(Holder<Table>), 0, Py_TPFLAGS_DEFAULT,
                                 table_slots};

inline PyObject* core_topic_lines(PyObject*, PyObject* text) {
    return guarded(
        [&] {
            const Buffer buffer(text);
            std::optional<TopicLines> lines;
            {
                Unlocked unlocked;
                lines.emplace(buffer.data(), buffer.size());
            }
            return checked(Py_BuildValue("(NNN)", bytes_of(lines->begins), bytes_of(lines->ends), pair_of(lines->topics)));
        },
        nullptr);
}

}  // namespace rankgauge
