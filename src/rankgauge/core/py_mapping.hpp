// {topic: {document: score}} to hits, without making columns of it first.
//
// Only dicts, strings and numbers of Python's own types are taken: any other type may run code of its own while it is
// read, and that code could change the dict.
#pragma once

#include "python.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "py_judgments.hpp"
#include "ranking.hpp"

namespace rankgauge {

inline bool exact_integer(PyObject* value, double& number) {
    if (!PyLong_CheckExact(value)) return false;
    number = PyLong_AsDouble(value);
    if (number != -1.0 || !PyErr_Occurred()) return true;
    PyErr_Clear();
    return false;
}

// The number of a float or int; false for NaN, an int that no double can hold, and any other type.
inline bool exact_number(PyObject* value, double& number) {
    if (!PyFloat_Check(value)) return exact_integer(value, number);
    number = PyFloat_AsDouble(value);
    return number == number;
}

// The UTF-8 of a str; false for lone surrogates (bytes that were not UTF-8, or no text at all) and any other type.
inline bool exact_text(PyObject* value, std::string_view& text) {
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

// A borrowed reference, or null where the dict has no such key.
inline PyObject* value_at(PyObject* dict, PyObject* key) {
    PyObject* value = PyDict_GetItemWithError(dict, key);
    if (!value && PyErr_Occurred()) throw Failed();
    return value;
}

class MappingReader {
public:
    MappingReader(PyJudgments& judgments, const Rules& rules, Ranker& ranker)
        : judgments_(judgments), table_(judgments.table), rules_(rules), ranker_(ranker) {
        judgments.make_texts();
    }

    // False if something is not of the exact types; the ranker cannot be used any more then.
    bool read(PyObject* mapping) {
        if (!PyDict_CheckExact(mapping) || rules_.needs_rank()) return false;
        std::int64_t unjudged = 0;
        std::vector<std::pair<std::int64_t, PyObject*>> judged;  // borrowed, as all that is read here
        PyObject *topic, *results;
        std::string_view id;
        for (Py_ssize_t at = 0; PyDict_Next(mapping, &at, &topic, &results);) {
            // With surrogates, different keys could be the bytes of one topic.
            if (!exact_text(topic, id) || !PyDict_CheckExact(results)) return false;
            const std::int64_t t = table_.topic(id);
            if (t < 0 && !is_well_formed(results)) return false;
            if (PyDict_Size(results) == 0) continue;
            if (t < 0)
                ++unjudged;
            else
                judged.emplace_back(t, results);
        }
        std::sort(judged.begin(), judged.end());
        for (const auto& [t, found] : judged)
            if (!read_topic(std::size_t(t), found)) return false;
        ranker_.hits.unjudged_topics += unjudged;
        return true;
    }

private:
    static bool is_well_formed(PyObject* results) {
        PyObject *doc, *score;
        std::string_view id;
        double number;
        for (Py_ssize_t at = 0; PyDict_Next(results, &at, &doc, &score);)
            if (!exact_text(doc, id) || !exact_number(score, number)) return false;
        return true;
    }

    bool read_topic(std::size_t t, PyObject* results) {
        const std::int64_t size = PyDict_Size(results);
        judged_.clear();
        scores_.resize(std::size_t(size));
        // Few judgments are looked up in the dict; for many it is cheaper to look the dict's documents up.
        const bool many = 8 * (table_.end(t) - table_.begin(t)) > size;
        if (!(many ? look_up_documents(t, results) : read_scores(results))) return false;
        if (!many) look_up_judgments(t, results);
        ranker_.rank_scores(
            t, scores_, judged_, [&](std::uint32_t i) { return judgment_[i] >= 0; },
            [&](std::uint32_t number) { return many ? judgment_[number] : std::int32_t(number); },
            [&](std::uint32_t i) {
                std::string_view id;
                exact_text(rows_[i].first, id);
                const std::int32_t judgment = many ? judgment_[i] : table_.find(t, hash_of(id), id);
                return Row{scores_[i], 0, id.data(), std::uint32_t(id.size()), judgment};
            });
        return true;
    }

    bool look_up_documents(std::size_t t, PyObject* results) {
        table_.expect(t);
        rows_.clear();
        judgment_.clear();
        PyObject *doc, *value;
        // Objects of a dict lie anywhere in memory: ask for all of them before the first is read.
        for (Py_ssize_t at = 0; PyDict_Next(results, &at, &doc, &value);) {
            prefetch(doc);
            prefetch(reinterpret_cast<const char*>(doc) + 64);
            prefetch(value);
            rows_.emplace_back(doc, value);
        }
        double* score = scores_.data();
        std::string_view id;
        double number = 0.0;
        for (const auto& [doc, value] : rows_) {
            if (!exact_text(doc, id) || !exact_number(value, number)) return false;
            *score++ = number;
            const std::int32_t judgment = table_.find(t, hash_of(id), id);
            if (judgment >= 0) judged_.emplace_back(number, std::uint32_t(judgment_.size()));
            judgment_.push_back(judgment);
        }
        return true;
    }

    bool read_scores(PyObject* results) {
        double* score = scores_.data();
        PyObject *doc, *value;
        std::string_view id;
        double number = 0.0;
        rows_.clear();
        for (Py_ssize_t at = 0; PyDict_Next(results, &at, &doc, &value);) {
            if (!exact_text(doc, id) || !exact_number(value, number)) return false;
            *score++ = number;
            rows_.emplace_back(doc, value);
        }
        return true;
    }

    void look_up_judgments(std::size_t t, PyObject* results) {
        double number = 0.0;
        for (std::int64_t j = table_.begin(t); j < table_.end(t); ++j) {
            PyObject* value = value_at(results, judgments_.doc_texts[std::size_t(j)]);
            if (!value) continue;
            exact_number(value, number);
            judged_.emplace_back(number, std::uint32_t(j));
        }
    }

    PyJudgments& judgments_;
    const Judgments& table_;
    const Rules& rules_;
    Ranker& ranker_;
    std::vector<double> scores_;
    Standings<double>::Few judged_;
    std::vector<std::pair<PyObject*, PyObject*>> rows_;  // borrowed: no code runs that could change the dict
    std::vector<std::int32_t> judgment_;                 // of each row, where the documents were looked up
};

}  // namespace rankgauge
