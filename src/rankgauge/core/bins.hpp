// Rows of interleaved topics, until all of them are read.
//
// A row written straight to its topic would go to another place in memory than the row before, and wait for it. So rows
// go to one of a few bins, by the hash of their topic; a bin is small enough to be sorted by topic in the cache.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "hashing.hpp"
#include "ranking.hpp"

namespace rankgauge {

constexpr int BIN_BITS = 6;
constexpr std::size_t BINS = std::size_t(1) << BIN_BITS;

// Copies of ids that have to outlive the chunk they came in.
class Arena {
public:
    std::string_view copy(std::string_view text) {
        if (text.size() > room_) {
            room_ = std::max(text.size(), BLOCK);
            blocks_.emplace_back(new char[room_]);
            at_ = blocks_.back().get();
        }
        char* begin = at_;
        std::memcpy(begin, text.data(), text.size());
        at_ += text.size();
        room_ -= text.size();
        return {begin, text.size()};
    }

    void clear() {
        blocks_.clear();
        room_ = 0;
    }

    void absorb(Arena&& other) {
        for (auto& block : other.blocks_) blocks_.push_back(std::move(block));
        other.clear();
        room_ = 0;
    }

private:
    static constexpr std::size_t BLOCK = std::size_t(1) << 15;
    std::vector<std::unique_ptr<char[]>> blocks_;
    char* at_ = nullptr;
    std::size_t room_ = 0;
};

class Bin {
public:
    // The number of a topic in this bin; a new topic gets the next one.
    std::uint32_t number(std::string_view topic, std::uint64_t hash) {
        const std::uint32_t number = topics_.number(topic, hash);
        if (number == sizes_.size()) sizes_.push_back(0);
        return number;
    }

    std::size_t rows() const { return std::accumulate(sizes_.begin(), sizes_.end(), std::size_t(0)); }

    std::string_view keep(std::string_view id) { return arena_.copy(id); }

    // A new row; it has its topic's number in the place of a judgment.
    Row& add(std::uint32_t topic) {
        if (blocks_.empty() || blocks_.back().size() == BLOCK) {
            blocks_.emplace_back();
            blocks_.back().reserve(BLOCK);
        }
        ++sizes_[topic];
        Row& row = blocks_.back().emplace_back();
        row.judgment = std::int32_t(topic);
        return row;
    }

    void add_unusual(std::int64_t rank, double value) {
        ranks_.push_back(rank);
        values_.push_back(value);
    }

    // Takes the rows of another bin behind its own.
    void absorb(Bin&& other) {
        std::vector<std::uint32_t> numbers;
        for (std::size_t n = 0; n < other.topics_.size(); ++n) {
            numbers.push_back(number(other.topics_[n], hash_of(other.topics_[n])));
            sizes_[numbers[n]] += other.sizes_[n];
        }
        for (auto& block : other.blocks_) {
            for (Row& row : block) row.judgment = std::int32_t(numbers[std::size_t(row.judgment)]);
            blocks_.push_back(std::move(block));
        }
        ranks_.insert(ranks_.end(), other.ranks_.begin(), other.ranks_.end());
        values_.insert(values_.end(), other.values_.begin(), other.values_.end());
        arena_.absorb(std::move(other.arena_));
        other = Bin();
    }

    // Calls each(id, topic) for every topic, its rows brought together in their order.
    template <class Each>
    void each_topic(Each&& each) {
        std::vector<std::size_t> places(sizes_.size() + 1, 0);
        std::partial_sum(sizes_.begin(), sizes_.end(), places.begin() + 1);
        const std::size_t total = places.back();
        std::unique_ptr<Row[]> rows(new Row[total]);
        std::vector<std::int64_t> ranks(ranks_.size());
        std::vector<double> values(values_.size());
        std::size_t from = 0;
        for (auto& block : blocks_) {
            for (const Row& row : block) {
                const std::size_t to = places[std::size_t(row.judgment)]++;
                rows[to] = row;
                if (!ranks.empty()) {
                    ranks[to] = ranks_[from];
                    values[to] = values_[from];
                }
                ++from;
            }
            block = {};
        }
        for (std::size_t n = 0; n < sizes_.size(); ++n) {
            const std::size_t begin = places[n] - sizes_[n];
            Topic topic;
            topic.rows = rows.get() + begin;
            topic.size = sizes_[n];
            topic.ranks = ranks.data() + (ranks.empty() ? 0 : begin);
            topic.values = values.data() + (values.empty() ? 0 : begin);
            each(topics_[n], topic);
        }
    }

private:
    static constexpr std::size_t BLOCK = std::size_t(1) << 10;  // rows
    Names topics_;
    std::vector<std::size_t> sizes_;
    std::vector<std::vector<Row>> blocks_;
    std::vector<std::int64_t> ranks_;  // of all rows, only when the rules need them
    std::vector<double> values_;
    Arena arena_;
};

// Puts the hits in the order of the judgments; the order of collected topics has no meaning.
inline void sort_by_topic(Hits& hits) {
    std::vector<std::size_t> order(hits.topic.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return hits.topic[a] < hits.topic[b]; });
    Hits sorted;
    sorted.unjudged_topics = hits.unjudged_topics;
    sorted.rows = hits.rows;
    sorted.dropped = hits.dropped;
    for (std::size_t n : order) {
        sorted.topic.push_back(hits.topic[n]);
        sorted.retrieved.push_back(hits.retrieved[n]);
        sorted.tied.push_back(hits.tied[n]);
        sorted.decisive.push_back(hits.decisive[n]);
        if (!hits.squares.empty()) sorted.squares.push_back(hits.squares[n]);
        for (auto h = std::size_t(hits.starts[n]); h < std::size_t(hits.starts[n + 1]); ++h) {
            sorted.rank.push_back(hits.rank[h]);
            sorted.judgment.push_back(hits.judgment[h]);
            if (hits.first.empty()) continue;
            sorted.first.push_back(hits.first[h]);
            sorted.last.push_back(hits.last[h]);
            sorted.score.push_back(hits.score[h]);
        }
        sorted.starts.push_back(std::int64_t(sorted.rank.size()));
    }
    hits = std::move(sorted);
}

}  // namespace rankgauge
