// Fixed candidates, new scores: an array of scores is all it takes to rank the judged candidates.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "counting.hpp"
#include "judgments.hpp"
#include "order.hpp"
#include "tie_visibility.hpp"
#include "standings.hpp"

namespace rankgauge {

struct Placed {
    std::vector<std::int64_t> rank, judgment;  // per hit, in rank order within each topic
    std::vector<std::int64_t> tied, decisive;  // per topic
};

class FixedCandidates {
public:
    // Candidates of topic t are begins[t]:ends[t]; `judgment` is the number of a candidate's judgment or -1.
    FixedCandidates(std::vector<std::int64_t> begins, std::vector<std::int64_t> ends, const Column& docs,
         std::vector<std::int64_t> judgment, std::vector<double> grades, DocumentOrder order,
         TieVisibility visibility = {})
        : begins_(std::move(begins)),
          ends_(std::move(ends)),
          data_(docs.data, docs.size ? std::size_t(docs.offsets[docs.size]) : 0),
          offsets_(offsets_of(docs)),
          judgment_(std::move(judgment)),
          grades_(std::move(grades)),
          order_(order),
          visibility_(std::move(visibility)),
          tie_orders_(begins_.size()) {
        if (order.needs_rank()) throw std::invalid_argument("candidates have no ranks");
        for (std::size_t t = 0; t < begins_.size(); ++t) {
            judged_starts_.push_back(judged_.size());
            for (auto i = std::size_t(begins_[t]); i < std::size_t(ends_[t]); ++i)
                if (judgment_[i] >= 0) judged_.push_back(i);
        }
        judged_starts_.push_back(judged_.size());
        std::vector<std::pair<std::int64_t, std::int64_t>> spans;
        for (std::size_t t = 0; t < begins_.size(); ++t) spans.emplace_back(begins_[t], ends_[t]);
        std::sort(spans.begin(), spans.end());
        std::int64_t at = 0;
        for (const auto& [begin, end] : spans) {
            if (begin > at) others_.emplace_back(at, begin);
            at = std::max(at, end);
        }
        if (std::int64_t(judgment_.size()) > at) others_.emplace_back(at, std::int64_t(judgment_.size()));
    }

    std::size_t size() const { return judgment_.size(); }

    // The ranks under new scores, in rank order within each topic; nothing if a score is NaN.
    std::optional<Placed> place(const double* scores) const {
        return order_.single ? ranked(std::vector<float>(scores, scores + size()).data()) : ranked(scores);
    }
    std::optional<Placed> place(const float* scores) const { return ranked(scores); }

private:
    template <class Score>
    struct Scratch {
        explicit Scratch(const TieVisibility& visibility) : ties(visibility) {}

        TieCounter ties;
        Standings<Score> standings;
        typename Standings<Score>::Few judged;
        TiePlacer placer;
        std::vector<std::pair<std::int64_t, std::size_t>> found;
        std::int64_t tied = 0;
    };

    // The candidates of a topic, by their numbers within it.
    struct Topic {
        const FixedCandidates& all;
        std::size_t begin;

        std::string_view doc(std::size_t n) const { return all.doc(begin + n); }
        static std::int64_t rank(std::size_t) { return 0; }
    };
    struct TieOrder {
        std::once_flag once;
        std::vector<std::uint32_t> place;
    };

    // Where the candidates of a topic would come if all were tied: found at the first tie, and used at all that follow.
    const std::vector<std::uint32_t>& tie_order(std::size_t t) const {
        TieOrder& order = tie_orders_[t];
        std::call_once(order.once, [&] {
            const Topic topic{*this, std::size_t(begins_[t])};
            std::vector<std::uint32_t> sorted(std::size_t(ends_[t] - begins_[t]));
            std::iota(sorted.begin(), sorted.end(), std::uint32_t(0));
            order_.sort_tied(sorted.begin(), sorted.end(), topic, [](std::uint32_t n) { return n; });
            order.place.resize(sorted.size());
            for (std::size_t k = 0; k < sorted.size(); ++k) order.place[sorted[k]] = std::uint32_t(k);
        });
        return order.place;
    }

    static std::vector<std::int64_t> offsets_of(const Column& docs) {
        std::vector<std::int64_t> offsets;
        for (std::size_t i = 0; i <= docs.size; ++i) offsets.push_back(docs.offsets[i]);
        return offsets;
    }

    std::string_view doc(std::size_t at) const {
        return {data_.data() + offsets_[at], std::size_t(offsets_[at + 1] - offsets_[at])};
    }

    template <class Use>
    void see(std::size_t at, Use&& use) const {
        if (judgment_[at] >= 0) use(grades_[std::size_t(judgment_[at])]);
    }

    template <class Score>
    std::optional<Placed> ranked(const Score* scores) const {
        Placed placed;
        placed.rank.reserve(judged_.size());
        placed.judgment.reserve(judged_.size());
        Scratch<Score> scratch(visibility_);
        for (const auto& [begin, end] : others_)
            if (has_nan(scores + begin, scores + end)) return {};
        for (std::size_t t = 0; t < begins_.size(); ++t) {
            if (has_nan(scores + begins_[t], scores + ends_[t])) return {};  // here, where they are in the cache anyway
            scratch.tied = 0;
            scratch.ties.begin_topic();
            scratch.found.clear();
            rank(t, scores, scratch);
            for (const auto& [rank, at] : scratch.found) {
                placed.rank.push_back(rank);
                placed.judgment.push_back(judgment_[at]);
            }
            placed.tied.push_back(scratch.tied);
            placed.decisive.push_back(scratch.ties.end_topic(scratch.found.size(), [&](std::size_t n, auto&& use) {
                see(scratch.found[n].second, [&](double level) { use(scratch.found[n].first, level); });
            }));
        }
        return placed;
    }

    template <class Score>
    void rank(std::size_t t, const Score* scores, Scratch<Score>& scratch) const {
        const auto begin = std::size_t(begins_[t]), size = std::size_t(ends_[t]) - begin;
        scratch.judged.clear();
        for (std::size_t j = judged_starts_[t]; j < judged_starts_[t + 1]; ++j)
            scratch.judged.emplace_back(scores[judged_[j]], std::uint32_t(judged_[j] - begin));
        auto is_judged = [&](std::uint32_t n) { return judgment_[begin + n] >= 0; };
        scratch.standings.each(
            scores + begin, size, scratch.judged, is_judged,
            [&](Score, std::uint32_t n, std::size_t better) {
                scratch.found.emplace_back(std::int64_t(better) + 1, begin + n);
            },
            [&](std::size_t better, const std::vector<std::uint32_t>& tied) {
                scratch.tied += std::int64_t(tied.size());
                scratch.ties.add(better, tied.size(), [&](std::size_t n, auto&& use) { see(begin + tied[n], use); });
                const std::vector<std::uint32_t>& order = tie_order(t);
                scratch.placer.each(
                    tied, is_judged, [&](std::uint32_t a, std::uint32_t b) { return order[a] < order[b]; },
                    [&](std::uint32_t n, std::size_t before) {
                        scratch.found.emplace_back(std::int64_t(better + before) + 1, begin + n);
                    });
            });
    }

    const std::vector<std::int64_t> begins_, ends_;
    const std::string data_;
    const std::vector<std::int64_t> offsets_;
    std::vector<std::int64_t> judgment_;
    const std::vector<double> grades_;
    const DocumentOrder order_;
    const TieVisibility visibility_;  // of the ties that are counted
    mutable std::vector<TieOrder> tie_orders_;
    std::vector<std::size_t> judged_, judged_starts_;  // the judged candidates, topic after topic
    std::vector<std::pair<std::int64_t, std::int64_t>> others_;  // (begin, end) of candidates without a judged topic
};

}  // namespace rankgauge
