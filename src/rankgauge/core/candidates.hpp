// Fixed candidates, new scores: an array of scores is all it takes to rank the judged candidates.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "counting.hpp"
#include "judgments.hpp"
#include "order.hpp"
#include "ranking.hpp"
#include "sorting.hpp"

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
         Sights sights = {})
        : begins_(std::move(begins)),
          ends_(std::move(ends)),
          data_(docs.data, docs.size ? std::size_t(docs.offsets[docs.size]) : 0),
          offsets_(offsets_of(docs)),
          judgment_(std::move(judgment)),
          grades_(std::move(grades)),
          order_(order),
          sights_(std::move(sights)) {
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

    std::string_view doc(std::size_t at) const {
        return {data_.data() + offsets_[at], std::size_t(offsets_[at + 1] - offsets_[at])};
    }
    static std::int64_t rank(std::size_t) { return 0; }

private:
    struct Candidate {
        double score;
        std::size_t at;
    };
    struct Scratch {
        explicit Scratch(const Sights& sights) : ties(sights) {}

        TieCounter ties;
        std::vector<Candidate> order, room;
        std::vector<std::pair<std::int64_t, std::size_t>> found;
        std::vector<double> done;
        std::vector<std::size_t> group;
        std::int64_t tied = 0;
    };

    static std::vector<std::int64_t> offsets_of(const Column& docs) {
        std::vector<std::int64_t> offsets;
        for (std::size_t i = 0; i <= docs.size; ++i) offsets.push_back(docs.offsets[i]);
        return offsets;
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
        Scratch scratch(sights_);
        for (const auto& [begin, end] : others_)
            if (has_nan(scores + begin, scores + end)) return {};
        for (std::size_t t = 0; t < begins_.size(); ++t) {
            if (has_nan(scores + begins_[t], scores + ends_[t])) return {};  // here, where they are in the cache anyway
            scratch.tied = 0;
            scratch.ties.begin_topic();
            scratch.found.clear();
            // counting costs candidates x judged, sorting candidates x log(candidates)
            if (judged_starts_[t + 1] - judged_starts_[t] <= 16) count(t, scores, scratch);
            else sort(t, scores, scratch);
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
    void count(std::size_t t, const Score* scores, Scratch& scratch) const {
        const auto begin = std::size_t(begins_[t]), end = std::size_t(ends_[t]);
        scratch.done.clear();
        for (std::size_t j = judged_starts_[t]; j < judged_starts_[t + 1]; ++j) {
            const std::size_t at = judged_[j];
            const Score score = scores[at];
            auto [better, equal] = standing(scores + begin, scores + end, score);
            if (equal > 1) {
                if (std::find(scratch.done.begin(), scratch.done.end(), score) == scratch.done.end()) {
                    scratch.done.push_back(score);
                    scratch.tied += std::int64_t(equal);
                    scratch.group.clear();
                    for (std::size_t i = begin; i < end; ++i)
                        if (scores[i] == score) scratch.group.push_back(i);
                    scratch.ties.add(better, equal, [&](std::size_t n, auto&& use) { see(scratch.group[n], use); });
                }
                for (std::size_t i = begin; i < end; ++i)
                    if (scores[i] == score && i != at) better += order_.is_before(*this, i, at);
            }
            scratch.found.emplace_back(std::int64_t(better) + 1, at);
        }
        std::sort(scratch.found.begin(), scratch.found.end());
    }

    template <class Score>
    void sort(std::size_t t, const Score* scores, Scratch& scratch) const {
        const auto begin = std::size_t(begins_[t]), end = std::size_t(ends_[t]);
        std::vector<Candidate>& order = scratch.order;
        order.clear();
        for (std::size_t i = begin; i < end; ++i) order.push_back({scores[i], i});
        auto score = [](const Candidate& candidate) { return candidate.score; };
        sort_descending(order, scratch.room, score);
        each_tie(order, score, [&](std::size_t first, std::size_t last) {
            bool judged = false;
            for (std::size_t k = first; k < last; ++k) judged |= judgment_[order[k].at] >= 0;
            if (!judged) return;
            if (last - first > 1) {
                order_.sort_tied(order.begin() + std::ptrdiff_t(first), order.begin() + std::ptrdiff_t(last), *this,
                                 [](const Candidate& candidate) { return candidate.at; });
                scratch.tied += std::int64_t(last - first);
                scratch.ties.add(first, last - first,
                                 [&](std::size_t n, auto&& use) { see(order[first + n].at, use); });
            }
            for (std::size_t k = first; k < last; ++k)
                if (judgment_[order[k].at] >= 0) scratch.found.emplace_back(std::int64_t(k) + 1, order[k].at);
        });
    }

    const std::vector<std::int64_t> begins_, ends_;
    const std::string data_;
    const std::vector<std::int64_t> offsets_;
    std::vector<std::int64_t> judgment_;
    const std::vector<double> grades_;
    const DocumentOrder order_;
    const Sights sights_;  // of the ties that are counted
    std::vector<std::size_t> judged_, judged_starts_;  // the judged candidates, topic after topic
    std::vector<std::pair<std::int64_t, std::int64_t>> others_;  // (begin, end) of candidates without a judged topic
};

}  // namespace rankgauge
