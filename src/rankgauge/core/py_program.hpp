// The Python type Program.
#pragma once

#include "python.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "program.hpp"
#include "py_judgments.hpp"
#include "py_mapping.hpp"
#include "ranking.hpp"

namespace rankgauge {

struct PyProgram {
    Program program;
    PyObject* judgments;
    PyObject* keys;  // the names of the first outputs; others are not in dicts
    const Rules rules;

    // What reading dicts needs, which is done by one thread at a time: it never lets go of the GIL.
    struct Reading {
        Ranker ranker;
        MappingReader reader;
        Program::Room room;

        explicit Reading(PyProgram& of)
            : ranker(PyJudgments::of(of.judgments).table, of.rules),
              reader(PyJudgments::of(of.judgments), of.rules, ranker), room(of.program) {}
    };
    std::unique_ptr<Reading> reading;

    PyProgram(PyObject* judged, PyObject* names, Rules order, const std::vector<std::int64_t>& starts,
              std::vector<double> grades, double lowest)
        : program(starts, std::move(grades), lowest), judgments(judged), keys(names), rules(std::move(order)) {
        Py_INCREF(judgments);
        Py_INCREF(keys);
    }
    PyProgram(const PyProgram&) = delete;
    ~PyProgram() {
        reading.reset();
        Py_DECREF(judgments);
        Py_DECREF(keys);
    }

    static PyProgram& of(PyObject* object) { return *reinterpret_cast<Holder<PyProgram>*>(object)->inner; }
};

inline const Operation& operation_of(const char* name) {
    for (const Operation& operation : OPERATIONS)
        if (std::strcmp(operation.name, name) == 0) return operation;
    throw std::invalid_argument(std::string("no operation is called ") + name);
}

// A float or an int as the number of a register.
inline Cell cell_of(PyObject* value) {
    Cell cell;
    if (PyFloat_Check(value)) cell.number = PyFloat_AsDouble(value);
    else cell.whole = PyLong_AsLongLong(value);
    if (PyErr_Occurred()) throw Failed();
    return cell;
}

inline void add_instructions(Program& program, PyObject* instructions) {
    for (Py_ssize_t i = 0; i < PyList_Size(instructions); ++i) {
        const char* name;
        int arguments[4] = {-1, -1, -1, -1};
        PyObject* instruction = checked(PyList_GetItem(instructions, i));
        if (!PyTuple_Check(instruction)) throw std::invalid_argument("an instruction is a tuple");
        if (!PyArg_ParseTuple(instruction, "s|iiii", &name, arguments, arguments + 1, arguments + 2, arguments + 3))
            throw Failed();
        program.add(operation_of(name), arguments);
    }
}

inline PyObject* program_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
    return guarded(
        [&] {
            no_keywords(keywords);
            PyObject *judgments, *keys, *instructions, *constants, *tables, *outputs, *starts, *grades;
            const char *order, *ties, *precision, *duplicates;
            double lowest;
            if (!PyArg_ParseTuple(args, "O!(ssss)O!O!O!O!O!OOd", ModuleState::of(type)->judgments, &judgments, &order,
                                  &ties, &precision, &duplicates, &PyTuple_Type, &keys, &PyList_Type, &instructions,
                                  &PyList_Type, &constants, &PyList_Type, &tables, &PyList_Type, &outputs, &starts,
                                  &grades, &lowest))
                throw Failed();
            const Buffer begins(starts), levels(grades);
            const std::vector<std::int64_t> begin = begins.copy<std::int64_t>();
            const Judgments& table = PyJudgments::of(judgments).table;
            const std::int64_t size = std::int64_t(levels.count());
            if (begin.size() != table.topics() + 1 || begin.front() != 0 || begin.back() != size ||
                !std::is_sorted(begin.begin(), begin.end()) || (table.size() && table.number(table.size() - 1) >= size))
                throw std::invalid_argument("other judgments");
            auto made = std::make_unique<PyProgram>(
                judgments, keys, Rules{DocumentOrder(order, ties, precision), rule_of(duplicates, DUPLICATES)}, begin,
                levels.copy<double>(), lowest);
            std::vector<Cell> cells;
            for (Py_ssize_t i = 0; i < PyList_Size(constants); ++i) cells.push_back(cell_of(PyList_GetItem(constants, i)));
            made->program.add_constants(std::move(cells));
            for (Py_ssize_t i = 0; i < PyList_Size(tables); ++i)
                made->program.tables.push_back(Buffer(PyList_GetItem(tables, i)).copy<double>());
            add_instructions(made->program, instructions);
            for (Py_ssize_t i = 0; i < PyList_Size(outputs); ++i) {
                const long output = PyLong_AsLong(PyList_GetItem(outputs, i));
                if (PyErr_Occurred()) throw Failed();
                made->program.add_output(int(std::min(std::max(output, -1L), 0x7fffffffL)));
            }
            if (std::size_t(PyTuple_Size(keys)) > made->program.outputs.size())
                throw std::invalid_argument("more names than outputs");
            made->program.close();
            return make(type, made.release());
        },
        nullptr);
}

// Numbers of 64 or 32 bits as those of 64.
inline std::vector<std::int64_t> widened(PyObject* buffer) {
    const Buffer numbers(buffer);
    const Numbers some = numbers.integers();
    std::vector<std::int64_t> wide(numbers.count_of_integers());
    for (std::size_t i = 0; i < wide.size(); ++i) wide[i] = some[i];
    return wide;
}

inline PyObject* program_measure(PyObject* self, PyObject* args) {
    return guarded(
        [&] {
            PyObject *begins, *ranks, *judgments, *sizes;
            if (!PyArg_ParseTuple(args, "OOOO", &begins, &ranks, &judgments, &sizes)) throw Failed();
            Program& program = PyProgram::of(self).program;
            const auto starts = widened(begins), rank = widened(ranks), judgment = widened(judgments),
                       retrieved = widened(sizes);
            const std::size_t topics = program.topics();
            if (starts.size() != topics + 1 || retrieved.size() != topics || starts.front() != 0 ||
                !std::is_sorted(starts.begin(), starts.end()) || std::size_t(starts.back()) != rank.size() ||
                rank.size() != judgment.size())
                throw std::invalid_argument("columns of different lengths");
            for (std::int64_t j : judgment)
                if (std::uint64_t(j) >= program.judgments()) throw std::invalid_argument("no such judgment");
            Filled<double> values(program.outputs.size() * topics);
            try {
                Unlocked unlocked;
                Program::Guest room(program);
                for (std::size_t t = 0; t < topics; ++t) {
                    const std::size_t begin = std::size_t(starts[t]), size = std::size_t(starts[t + 1]) - begin;
                    room->run(t, {rank.data() + begin, judgment.data() + begin, size, retrieved[t]}, values.data() + t, topics);
                }
            } catch (const Stopped& stopped) {
                return checked(PyLong_FromLongLong(stopped.depth));
            }
            return values.release();
        },
        nullptr);
}

#if !defined(Py_GIL_DISABLED)
// {topic: {name: value}} of the judged topics of a dict.
class MappingValues {
public:
    MappingValues(PyProgram& program, PyProgram::Reading& reading) : program_(program), reading_(reading) {}

    PyObject* of(PyObject* mapping) {
        const Judgments& table = PyJudgments::of(program_.judgments).table;
        const Hits& hits = reading_.ranker.hits;
        // Making Python objects may run code that changes the dict, so that comes last.
        std::vector<std::unique_ptr<Owned>> topics;
        PyObject *key, *results;
        std::string_view id;
        const std::size_t outputs = program_.program.outputs.size();
        std::vector<double> values;
        for (Py_ssize_t at = 0; PyDict_Next(mapping, &at, &key, &results);) {
            exact_text(key, id);
            const std::int64_t topic = table.topic(id);
            if (topic < 0) continue;
            const std::size_t place = std::size_t(std::lower_bound(hits.topic.begin(), hits.topic.end(), topic) - hits.topic.begin());
            TopicHits found{hits.rank.data(), hits.judgment.data(), 0, 0};
            if (place < hits.topic.size() && hits.topic[place] == topic) {
                const std::int64_t begin = hits.starts[place], end = hits.starts[place + 1];
                found = {hits.rank.data() + begin, hits.judgment.data() + begin, std::size_t(end - begin), hits.retrieved[place]};
            }
            values.resize(values.size() + outputs);
            reading_.room.run(std::size_t(topic), found, values.data() + values.size() - outputs);
            Py_INCREF(key);
            topics.push_back(std::make_unique<Owned>(key));
        }
        Owned all(PyDict_New());
        const double* value = values.data();
        for (const auto& topic : topics) {
            const Owned row(PyDict_New());
            for (Py_ssize_t n = 0; n < PyTuple_Size(program_.keys); ++n) {
                const Owned number(PyFloat_FromDouble(value[n]));
                if (PyDict_SetItem(row.get(), PyTuple_GetItem(program_.keys, n), number.get()) != 0) throw Failed();
            }
            value += outputs;
            if (PyDict_SetItem(all.get(), topic->get(), row.get()) != 0) throw Failed();
        }
        return all.release();
    }

private:
    PyProgram& program_;
    PyProgram::Reading& reading_;
};
#endif

inline PyObject* program_of_mapping(PyObject* self, PyObject* mapping) {
#if defined(Py_GIL_DISABLED)  // other threads could change the dicts while they are read
    (void)self;
    (void)mapping;
    Py_RETURN_NONE;
#else
    return guarded(
        [&]() -> PyObject* {
            PyProgram& program = PyProgram::of(self);
            // Taken out, in case that making an object runs code that comes here again.
            auto reading = std::move(program.reading);
            if (!reading) reading = std::make_unique<PyProgram::Reading>(program);
            reading->ranker.hits.clear();
            if (!reading->reader.read(mapping)) Py_RETURN_NONE;
            PyObject* values;
            try {
                values = MappingValues(program, *reading).of(mapping);
            } catch (const Stopped& stopped) {
                return checked(PyLong_FromLongLong(stopped.depth));
            }
            program.reading = std::move(reading);
            return values;
        },
        nullptr);
#endif
}

inline PyMethodDef program_methods[] = {
    {"measure", program_measure, METH_VARARGS,
     "The outputs for all topics of a run, one after the other; an int if they need deeper tables (0: no program)."},
    {"of_mapping", program_of_mapping, METH_O,
     "{topic: {name: output}} of {topic: {document: score}}; None if that is not of exact types, or an int as above."},
    {nullptr, nullptr, 0, nullptr}};
inline PyType_Slot program_slots[] = {{Py_tp_new, reinterpret_cast<void*>(program_new)},
                                      {Py_tp_dealloc, reinterpret_cast<void*>(destroy<PyProgram>)},
                                      {Py_tp_methods, program_methods},
                                      {Py_tp_doc, const_cast<char*>("Formulas of measures, to be run a topic at a time.")},
                                      {0, nullptr}};
inline PyType_Spec program_spec = {"rankgauge.core._compiled.Program", sizeof(Holder<PyProgram>), 0, Py_TPFLAGS_DEFAULT,
                                   program_slots};

}  // namespace rankgauge
