// The rank of every row within its topic.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include "judgments.hpp"
#include "order.hpp"
#include "sorting.hpp"

namespace rankgauge {

struct RankedRows {
    const std::int64_t* topic;  // rows of equal numbers are a topic
    Column docs;
    const double* scores;
    const std::int64_t* ranks;  // null where the rules do not need them

    std::string_view doc(std::size_t row) const { return docs[row]; }
    std::int64_t rank(std::size_t row) const { return ranks[row]; }
};

// Writes the ranks, from 1 on, to `result`. Topics may be interleaved. Rows whose score is NaN come last, in input
// order.
inline void rank_rows(const RankedRows& rows, const DocumentOrder& order, std::int64_t* result) {
    struct Place {
        double key;
        std::size_t row;
    };
    const std::size_t size = rows.docs.size;
    std::vector<std::size_t> by_topic(size);
    std::iota(by_topic.begin(), by_topic.end(), std::size_t(0));
    if (!std::is_sorted(rows.topic, rows.topic + size))
        std::stable_sort(by_topic.begin(), by_topic.end(),
                         [&](std::size_t a, std::size_t b) { return rows.topic[a] < rows.topic[b]; });
    std::vector<Place> places, room;
    std::vector<std::size_t> last;  // rows whose score is NaN
    each_tie(by_topic, [&](std::size_t row) { return rows.topic[row]; }, [&](std::size_t begin, std::size_t end) {
        places.clear();
        last.clear();
        for (std::size_t i = begin; i < end; ++i) {
            const std::size_t row = by_topic[i];
            const double key = order.key(rows.scores[row], rows.ranks ? rows.ranks[row] : 0);
            if (key == key) places.push_back({key, row});
            else last.push_back(row);
        }
        sort_descending(places, room, [](const Place& place) { return place.key; });
        each_tie(places, [](const Place& place) { return place.key; }, [&](std::size_t first, std::size_t stop) {
            if (stop - first > 1)
                order.sort_tied(places.begin() + std::ptrdiff_t(first), places.begin() + std::ptrdiff_t(stop), rows,
                                [](const Place& place) { return place.row; });
        });
        std::int64_t rank = 0;
        for (const Place& place : places) result[place.row] = ++rank;
        for (std::size_t row : last) result[row] = ++rank;
    });
}

}  // namespace rankgauge
