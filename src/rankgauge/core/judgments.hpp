// Judgments as a table to look documents up in: topic -> document -> the judgment.
//
// Documents of a grade below `least` are left out: no measure that reads the hits distinguishes them from unjudged
// ones. So the table stays small, however many documents were judged.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hashing.hpp"

namespace rankgauge {

// Numbers of 64 or 32 bits as Python hands them over.
struct Numbers {
    const std::int64_t* wide = nullptr;
    const std::int32_t* narrow = nullptr;  // null where they are wide

    std::int64_t operator[](std::size_t i) const { return narrow ? narrow[i] : wide[i]; }
};

// A column of byte strings as Python hands it over; the caller keeps it alive.
struct Column {
    const char* data = nullptr;
    Numbers offsets;
    std::size_t size = 0;

    std::string_view operator[](std::size_t i) const {
        const std::int64_t begin = offsets[i];
        return {data + begin, std::size_t(offsets[i + 1] - begin)};
    }
};

class Judgments {
public:
    Judgments(const Column& topics, const std::int64_t* starts, const Column& docs, const double* grades, double least)
        : tables_(topics.size), hints_(topics.size, 0) {
        for (std::size_t t = 0; t < topics.size; ++t) {
            for (std::int64_t j = starts[t]; j < starts[t + 1]; ++j) {
                if (!(grades[j] >= least)) continue;
                const std::string_view doc = docs[std::size_t(j)];
                data_.append(doc);
                offsets_.push_back(std::int64_t(data_.size()));
                grades_.push_back(grades[j]);
                numbers_.push_back(j);
            }
            starts_.push_back(std::int64_t(grades_.size()));
        }
        std::size_t total = 0;
        for (std::size_t t = 0; t < topics.size; ++t) {
            topics_.number(topics[t]);
            std::size_t room = 4, judged = std::size_t(starts_[t + 1] - starts_[t]);
            while (room < 2 * judged) room *= 2;
            tables_[t] = {total, room - 1};
            total += room;
        }
        slots_.assign(total, Slot{0, -1});
        for (std::size_t t = 0; t < topics.size; ++t)
            for (std::int64_t j = starts_[t]; j < starts_[t + 1]; ++j) {
                std::uint64_t hash = hash_of(doc(j));
                std::size_t at = hash & tables_[t].mask;
                while (slots_[tables_[t].begin + at].judgment >= 0) at = (at + 1) & tables_[t].mask;
                slots_[tables_[t].begin + at] = {std::uint32_t(hash >> 32), std::int32_t(j)};
                hints_[t] |= std::uint64_t(1) << (hash >> 58);
            }
    }

    std::size_t topics() const { return tables_.size(); }
    std::int64_t topic(std::string_view id) const { return topics_.find(id); }
    const std::string& topic_id(std::size_t t) const { return topics_[t]; }
    std::int64_t begin(std::size_t topic) const { return starts_[topic]; }
    std::int64_t end(std::size_t topic) const { return starts_[topic + 1]; }
    std::int64_t size() const { return std::int64_t(grades_.size()); }
    // The number among all judgments, of any grade.
    std::int64_t number(std::int64_t judgment) const { return numbers_[std::size_t(judgment)]; }
    double grade(std::int64_t judgment) const { return grades_[std::size_t(judgment)]; }

    std::string_view doc(std::int64_t j) const {
        return {data_.data() + offsets_[std::size_t(j)],
                std::size_t(offsets_[std::size_t(j) + 1] - offsets_[std::size_t(j)])};
    }

    // A bit for each of the 64 ranges of hashes in which a topic has a document: where it has few, most documents are
    // recognised as unjudged without being looked up.
    std::uint64_t hints(std::size_t topic) const { return hints_[topic]; }
    static bool hinted(std::uint64_t hints, std::uint64_t hash) { return hints >> (hash >> 58) & 1; }

    // Prefetches the judgments of a topic, when many of its documents will be looked up.
    void expect(std::size_t topic) const {
        const auto first = std::size_t(starts_[topic]), last = std::size_t(starts_[topic + 1]);
        prefetch(&slots_[tables_[topic].begin], &slots_[tables_[topic].begin + tables_[topic].mask]);
        prefetch(&offsets_[first], &offsets_[last]);
        prefetch(grades_.data() + first, grades_.data() + last);
        prefetch(data_.data() + offsets_[first], data_.data() + offsets_[last]);
    }

    // The judgment of a document in a topic, or -1.
    std::int32_t find(std::size_t topic, std::uint64_t hash, std::string_view id) const {
        const Range table = tables_[topic];
        for (std::size_t at = hash & table.mask;; at = (at + 1) & table.mask) {
            const Slot slot = slots_[table.begin + at];
            if (slot.judgment < 0) return -1;
            if (slot.tag == std::uint32_t(hash >> 32) && same_text(doc(slot.judgment), id)) return slot.judgment;
        }
    }

private:
    struct Slot {
        std::uint32_t tag;
        std::int32_t judgment;
    };
    struct Range {
        std::size_t begin, mask;
    };

    Names topics_;
    std::vector<std::int64_t> starts_{0}, numbers_;
    std::string data_;
    std::vector<std::int64_t> offsets_{0};
    std::vector<double> grades_;
    std::vector<Range> tables_;
    std::vector<std::uint64_t> hints_;
    std::vector<Slot> slots_;
};

}  // namespace rankgauge
