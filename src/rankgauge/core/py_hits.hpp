// The Python function gather_hits.
#pragma once

#include "python.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace rankgauge {

// Columns of 64-bit numbers that a join returns; the last of each only with detail.
constexpr const char* TOPIC_COLUMNS[] = {"retrieved", "tied", "decisive", "squares"};
constexpr const char* HIT_COLUMNS[] = {"rank", "judgment", "first", "last", "score"};
constexpr const char* TOTALS[] = {"unjudged_topics", "rows", "dropped"};

// What one join returned, checked.
class HitsPart {
public:
    explicit HitsPart(PyObject* columns) : columns_(held(columns)), topic_(item("topic")), starts_(item("starts")) {
        topics = topic_.count();
        topic = topic_.numbers<std::int64_t>();
        starts = starts_.numbers<std::int64_t>();
        if (starts_.count() != topics + 1 || starts[0] != 0 || !std::is_sorted(starts, starts + topics + 1))
            throw std::invalid_argument("starts that do not fit the topics");
        hits = std::size_t(starts[topics]);
    }

    bool has(const char* name) const { return find(name) != nullptr; }

    PyObject* item(const char* name) const {
        PyObject* value = find(name);
        if (!value) throw std::invalid_argument(std::string("hits without ") + name);
        return value;
    }

    // A column with this many numbers; it stays alive with this object.
    const char* numbers(const char* name, std::size_t count) {
        auto& buffer = buffers_[name];
        if (!buffer) buffer = std::make_unique<Buffer>(item(name));
        if (buffer->size() != count * 8) throw std::invalid_argument("hits of different lengths");
        return buffer->data();
    }

    std::uint64_t total(const char* name) const {
        const long long number = PyLong_AsLongLong(item(name));
        if (number == -1 && PyErr_Occurred()) throw Failed();
        return std::uint64_t(number);
    }

    std::size_t topics, hits;
    const std::int64_t *topic, *starts;

private:
    static PyObject* held(PyObject* columns) {
        if (!columns || !PyDict_Check(columns)) throw std::invalid_argument("a dict of hits is expected");
        Py_INCREF(columns);
        return columns;
    }

    PyObject* find(const char* name) const {
        const Owned key(PyUnicode_FromString(name));
        PyObject* value = PyDict_GetItemWithError(columns_.get(), key.get());
        if (!value && PyErr_Occurred()) throw Failed();
        return value;
    }

    const Owned columns_;
    Buffer topic_, starts_;
    std::map<std::string, std::unique_ptr<Buffer>> buffers_;
};

class HitsGatherer {
public:
    HitsGatherer(PyObject* results, std::size_t topics) : topics_(topics), starts_(topics + 1) {
        for (Py_ssize_t i = 0; i < PyList_Size(results); ++i)
            parts_.push_back(std::make_unique<HitsPart>(PyList_GetItem(results, i)));
    }

    // Where the hits of each topic go; false if a topic is in more than one part.
    bool place() {
        if (parts_.size() > 1 && has_unjudged_twice()) return false;
        std::vector<char> seen(topics_, false);
        std::int64_t* sizes = starts_.data() + 1;
        starts_[0] = 0;
        std::fill(sizes, sizes + topics_, 0);
        std::int64_t before = -1;
        for (const auto& part : parts_)
            for (std::size_t n = 0; n < part->topics; ++n) {
                const std::int64_t topic = part->topic[n];
                if (std::uint64_t(topic) >= topics_) throw std::invalid_argument("hits of no topic");
                if (seen[std::size_t(topic)]) return false;
                seen[std::size_t(topic)] = true;
                sizes[topic] = part->starts[n + 1] - part->starts[n];
                ascending_ &= topic > before;
                before = topic;
            }
        for (std::size_t t = 0; t < topics_; ++t) sizes[t] += starts_[t];
        return true;
    }

    PyObject* gathered() {
        const Owned columns(PyDict_New());
        for (const char* name : TOPIC_COLUMNS)
            if (is_wanted(name, "squares")) set(columns, name, by_topic(name));
        for (const char* name : HIT_COLUMNS)
            if (is_wanted(name, "first", "last", "score")) set(columns, name, by_hit(name));
        for (const char* name : TOTALS) {
            std::uint64_t total = 0;
            for (const auto& part : parts_) total += part->total(name);
            set(columns, name, checked(PyLong_FromLongLong(static_cast<long long>(total))));
        }
        set(columns, "starts", starts_.release());
        Py_INCREF(columns.get());
        return columns.get();
    }

private:
    // Topics without judgments have no number; equal hashes are taken for equal topics. If they are not, a topic is
    // looked for in several parts that is in one, which costs time and changes no result.
    bool has_unjudged_twice() {
        std::vector<std::uint64_t> hashes;
        for (const auto& part : parts_) {
            const Buffer some(part->item("unjudged_hashes"));
            hashes.insert(hashes.end(), some.numbers<std::uint64_t>(), some.numbers<std::uint64_t>() + some.count());
        }
        Unlocked unlocked;
        std::sort(hashes.begin(), hashes.end());
        return std::adjacent_find(hashes.begin(), hashes.end()) != hashes.end();
    }

    // Columns of detail are wanted where the first part has them; the others must have them as well then.
    template <class... Detail>
    bool is_wanted(const char* name, Detail... detail) const {
        const bool optional = ((std::string_view(name) == detail) || ...);
        return !optional || (!parts_.empty() && parts_[0]->has(name));
    }

    static void set(const Owned& dict, const char* name, PyObject* value) {
        const Owned owned(value);
        if (PyDict_SetItemString(dict.get(), name, value) != 0) throw Failed();
    }

    PyObject* by_topic(const char* name) {
        Filled<std::uint64_t> column(topics_);
        std::fill(column.data(), column.data() + topics_, 0);  // 0.0 as well
        for (const auto& part : parts_) {
            const char* numbers = part->numbers(name, part->topics);
            for (std::size_t n = 0; n < part->topics; ++n)
                std::memcpy(&column[std::size_t(part->topic[n])], numbers + 8 * n, 8);
        }
        return column.release();
    }

    PyObject* by_hit(const char* name) {
        std::vector<const char*> columns;
        for (const auto& part : parts_) columns.push_back(part->numbers(name, part->hits));
        if (parts_.size() == 1 && ascending_ && PyBytes_CheckExact(parts_[0]->item(name))) {
            PyObject* column = parts_[0]->item(name);  // in place already, and nobody can change it
            Py_INCREF(column);
            return column;
        }
        Filled<std::uint64_t> column{static_cast<std::size_t>(starts_[topics_])};
        {
            Unlocked unlocked;
            for (std::size_t p = 0; p < parts_.size(); ++p) {
                const HitsPart& part = *parts_[p];
                for (std::size_t n = 0; n < part.topics; ++n)
                    std::memcpy(column.data() + starts_[std::size_t(part.topic[n])], columns[p] + 8 * part.starts[n],
                                8 * std::size_t(part.starts[n + 1] - part.starts[n]));
            }
        }
        return column.release();
    }

    const std::size_t topics_;
    std::vector<std::unique_ptr<HitsPart>> parts_;
    Filled<std::int64_t> starts_;
    bool ascending_ = true;  // topics come in the order of the judgments
};

inline PyObject* core_gather_hits(PyObject*, PyObject* args) {
    return guarded(
        [&]() -> PyObject* {
            PyObject* results;
            Py_ssize_t topics;
            if (!PyArg_ParseTuple(args, "O!n", &PyList_Type, &results, &topics)) throw Failed();
            if (topics < 0 || topics > PY_SSIZE_T_MAX / 16) throw std::invalid_argument("no such number of topics");
            HitsGatherer gatherer(results, std::size_t(topics));
            if (!gatherer.place()) Py_RETURN_NONE;
            return gatherer.gathered();
        },
        nullptr);
}

}  // namespace rankgauge
