// Judgments by topic and then by document, both ascending as bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include "judgments.hpp"

namespace rankgauge {

struct SortedJudgments {
    std::vector<std::size_t> topics;   // numbers of the topics, sorted by their ids
    std::vector<std::int64_t> starts;  // (topics + 1) where each one's rows begin
    std::vector<std::int64_t> rows;    // numbers of the rows, sorted by topic and document
};

// Sorts rows by the id of their document. Ids of one collection begin alike, so the eight bytes behind what they have
// in common decide most comparisons.
class DocumentSorter {
public:
    explicit DocumentSorter(const Column& docs) : docs_(docs) {}

    void operator()(std::int64_t* begin, std::int64_t* end) {
        auto is_before = [&](std::int64_t a, std::int64_t b) { return doc(a) < doc(b); };
        if (std::is_sorted(begin, end, is_before)) return;
        const std::string_view first = doc(*begin);
        std::size_t common = first.size();
        for (const std::int64_t* row = begin + 1; row < end; ++row) {
            const std::string_view id = doc(*row);
            common = std::min(common, id.size());
            common = std::size_t(std::mismatch(id.begin(), id.begin() + common, first.begin()).first - id.begin());
        }
        items_.clear();
        for (const std::int64_t* row = begin; row < end; ++row) items_.push_back({head(doc(*row), common), *row});
        std::sort(items_.begin(), items_.end(), [&](const Item& a, const Item& b) {
            if (a.head != b.head) return a.head < b.head;
            const int compared = doc(a.row).compare(doc(b.row));
            return compared != 0 ? compared < 0 : a.row < b.row;
        });
        for (const Item& item : items_) *begin++ = item.row;
    }

private:
    struct Item {
        std::uint64_t head;
        std::int64_t row;
    };

    std::string_view doc(std::int64_t row) const { return docs_[std::size_t(row)]; }

    // Eight bytes from a place on, as a number that compares as they do; where there are fewer, zeros follow.
    static std::uint64_t head(std::string_view id, std::size_t place) {
        std::uint64_t number = 0;
        for (std::size_t i = place; i < place + 8; ++i)
            number = number << 8 | (i < id.size() ? std::uint8_t(id[i]) : 0);
        return number;
    }

    const Column docs_;
    std::vector<Item> items_;
};

// `topic` is the number of each row's topic among the distinct `topics`; rows of one document stay in their order.
inline SortedJudgments sort_judgments(const Column& topics, const std::int64_t* topic, const Column& docs) {
    SortedJudgments sorted;
    sorted.topics.resize(topics.size);
    std::iota(sorted.topics.begin(), sorted.topics.end(), std::size_t(0));
    std::stable_sort(sorted.topics.begin(), sorted.topics.end(),
                     [&](std::size_t a, std::size_t b) { return topics[a] < topics[b]; });
    std::vector<std::size_t> places(topics.size);
    for (std::size_t place = 0; place < topics.size; ++place) places[sorted.topics[place]] = place;
    sorted.starts.assign(topics.size + 1, 0);
    for (std::size_t row = 0; row < docs.size; ++row) ++sorted.starts[places[std::size_t(topic[row])] + 1];
    std::partial_sum(sorted.starts.begin(), sorted.starts.end(), sorted.starts.begin());
    sorted.rows.resize(docs.size);
    std::vector<std::int64_t> next(sorted.starts.begin(), sorted.starts.end() - 1);
    for (std::size_t row = 0; row < docs.size; ++row)
        sorted.rows[std::size_t(next[places[std::size_t(topic[row])]]++)] = std::int64_t(row);
    DocumentSorter sort(docs);
    for (std::size_t t = 0; t < topics.size; ++t)
        sort(sorted.rows.data() + sorted.starts[t], sorted.rows.data() + sorted.starts[t + 1]);
    return sorted;
}

}  // namespace rankgauge
