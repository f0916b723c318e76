// Where a few scores stand among many: how many of the many are better, and which are equal. The many are sorted only
// where nothing is cheaper.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "counting.hpp"
#include "order.hpp"
#include "sorting.hpp"

namespace rankgauge {

template <class Score>
class Standings {
public:
    using Few = std::vector<std::pair<Score, std::uint32_t>>;  // scores that are among the many, each with a number

    // From the best of the few down, calls one(score, number, better) for a score that only one of the many has, and
    // tie(better, equal) once for any other: `equal` are the numbers of the many of that score, in their order. Sorts
    // the few. No score is NaN. If the few are more than one in FEW, their numbers are those of the many,
    // and is_few(number) says which these are.
    template <class IsFew, class One, class Tie>
    void each(const Score* many, std::size_t size, Few& few, IsFew&& is_few, One&& one, Tie&& tie) {
        if (few.size() > SCANS && few.size() > size / FEW && !is_descending(many, size)) {
            sort(many, size, is_few, one, tie);
            return;
        }
        sort_descending(few, room_, [](const auto& pair) { return pair.first; });
        few_.clear();
        for (const auto& [score, number] : few)
            if (few_.empty() || few_.back() != score) few_.push_back(score);
        find(many, size);
        std::size_t next = 0;
        for (std::size_t n = 0; n < few_.size(); ++n) {
            if (standings_[n].equal == 1) {
                one(few_[n], few[next].second, standings_[n].better);
            } else {
                bring_together(many, size, n);
                tie(standings_[n].better, equal_);
            }
            while (next < few.size() && few[next].first == few_[n]) ++next;
        }
    }

    static constexpr std::size_t FEW = 4;  // a quarter of the many: with more, sorting is cheaper than counting

private:
    enum class Way { WALK, SCAN, COUNT };

    static constexpr std::size_t SCANS = 8;       // so many scans of all scores are as fast as counting
    static constexpr std::size_t MAX_STEPS = 6;  // from the first score of a bucket to the one that is looked for

    struct Place {
        Score score;
        std::uint32_t number;
    };

    static bool is_descending(const Score* many, std::size_t size) {
        return std::is_sorted(many, many + size, std::greater<Score>());
    }

    template <class IsFew, class One, class Tie>
    void sort(const Score* many, std::size_t size, IsFew&& is_few, One&& one, Tie&& tie) {
        order_.resize(size);
        for (std::size_t i = 0; i < size; ++i) order_[i] = {many[i], std::uint32_t(i)};
        auto score = [](const Place& place) { return place.score; };
        sort_descending(order_, order_room_, score);
        each_tie(order_, score, [&](std::size_t begin, std::size_t end) {
            if (end - begin == 1) {
                if (is_few(order_[begin].number)) one(order_[begin].score, order_[begin].number, begin);
                return;
            }
            equal_.clear();
            bool any = false;
            for (std::size_t k = begin; k < end; ++k) {
                equal_.push_back(order_[k].number);
                any |= is_few(order_[k].number);
            }
            if (any) tie(begin, equal_);
        });
    }

    void find(const Score* many, std::size_t size) {
        standings_.clear();
        if (few_.size() <= SCANS) {
            way_ = Way::SCAN;
            for (const Score score : few_) standings_.push_back(standing(many, many + size, score));
        } else if (is_descending(many, size)) {
            way_ = Way::WALK;
            walk(many, size);
        } else {
            way_ = Way::COUNT;
            count(many, size);
        }
    }

    // Puts the numbers of the scores that are equal to one of the few into equal_.
    void bring_together(const Score* many, std::size_t size, std::size_t n) {
        const auto [better, equal] = standings_[n];
        equal_.clear();
        switch (way_) {
            case Way::WALK:
                for (std::size_t i = better; i < better + equal; ++i) equal_.push_back(std::uint32_t(i));
                break;
            case Way::SCAN:
                for (std::size_t i = 0; i < size; ++i)
                    if (many[i] == few_[n]) equal_.push_back(std::uint32_t(i));
                break;
            case Way::COUNT:
                if (!gathered_) gather();
                for (std::size_t i = n ? ends_[n - 1] : 0; i < ends_[n]; ++i) equal_.push_back(gathered_by_score_[i]);
        }
    }

    // Both descend.
    void walk(const Score* many, std::size_t size) {
        std::size_t better = 0;
        for (const Score score : few_) {
            while (many[better] > score) ++better;
            std::size_t end = better;
            while (end < size && many[end] == score) ++end;
            standings_.push_back({better, end - better});
            better = end;
        }
    }

    // Looks each of the many up among the few.
    void count(const Score* many, std::size_t size) {
        const std::size_t few = few_.size();
        bounds_.assign(few_.begin(), few_.end());
        bounds_.push_back(-std::numeric_limits<Score>::infinity());  // no score is below it
        counts_.assign(2 * bounds_.size(), 0);
        places_.resize(size);
        gathered_ = false;
        const std::size_t steps = divide();
        if (steps <= MAX_STEPS) count_by_buckets(many, steps);
        else count_by_halves(many);
        std::size_t better = 0;
        for (std::size_t n = 0; n < few; ++n) {
            better += counts_[2 * n];
            standings_.push_back({better, counts_[2 * n + 1]});
            better += counts_[2 * n + 1];
        }
    }

    // Subtracting, multiplying and rounding down never reverse the order of two scores.
    static std::size_t bucket(double score, double top, double scale, double last) {
        double at = (top - score) * scale;
        at = at > 0.0 ? at : 0.0;
        at = at < last ? at : last;
        return std::uint32_t(at);
    }

    // Divides the range of the few into buckets, and returns the most of them that are in one.
    std::size_t divide() {
        const std::size_t few = few_.size(), buckets = 4 * few;
        top_ = few_[0];
        last_ = double(buckets - 1);
        scale_ = last_ / (top_ - few_[few - 1]);
        if (!(scale_ > 0.0 && std::isfinite(scale_))) return few;  // infinite scores, or nearly equal ones
        begins_.resize(buckets);
        std::size_t n = 0, next = bucket(few_[0], top_, scale_, last_), most = 0;
        for (std::size_t b = 0; b < buckets; ++b) {
            begins_[b] = std::uint32_t(n);
            while (next == b) next = ++n < few ? bucket(few_[n], top_, scale_, last_) : buckets;
            most = std::max(most, n - begins_[b]);
        }
        return most;
    }

    // Neither has a jump in its loop, which could not be foreseen.
    void count_by_buckets(const Score* many, std::size_t steps) {
        const Score* bounds = bounds_.data();
        const double top = top_, scale = scale_, last = last_;
        for (std::size_t i = 0; i < places_.size(); ++i) {
            const Score score = many[i];
            std::size_t above = begins_[bucket(score, top, scale, last)];
            for (std::size_t step = 0; step < steps; ++step) above += bounds[above] > score;
            put(i, above, bounds[above] == score);
        }
    }

    void count_by_halves(const Score* many) {
        const Score* bounds = bounds_.data();
        for (std::size_t i = 0; i < places_.size(); ++i) {
            const Score score = many[i];
            const Score* at = bounds;
            for (std::size_t left = few_.size(); left > 0;) {
                const std::size_t half = (left + 1) / 2;
                at += half * std::size_t(at[half - 1] > score);
                left -= half;
            }
            put(i, std::size_t(at - bounds), *at == score);
        }
    }

    void put(std::size_t i, std::size_t above, bool equal) {
        const std::uint32_t place = std::uint32_t(2 * above + equal);
        places_[i] = place;
        ++counts_[place];
    }

    void gather() {
        const std::size_t few = few_.size();
        ends_.resize(few);
        std::uint32_t total = 0;
        for (std::size_t n = 0; n < few; ++n) {
            ends_[n] = total;
            total += counts_[2 * n + 1];
        }
        gathered_by_score_.resize(total);
        for (std::size_t i = 0; i < places_.size(); ++i)
            if (places_[i] & 1 && places_[i] < 2 * few) gathered_by_score_[ends_[places_[i] / 2]++] = std::uint32_t(i);
        gathered_ = true;
    }

    // scratch, kept from call to call
    Way way_ = Way::SCAN;
    Few room_;
    std::vector<Score> few_;  // each once
    std::vector<Standing> standings_;
    std::vector<std::uint32_t> equal_;
    std::vector<Place> order_, order_room_;
    std::vector<Score> bounds_;
    std::vector<std::uint32_t> counts_;  // of the scores between two of the few, and of those equal to one, in turn
    std::vector<std::uint32_t> places_;  // where each score was counted
    std::vector<std::uint32_t> begins_;  // the first of the few in a bucket
    double top_ = 0.0, scale_ = 0.0, last_ = 0.0;
    bool gathered_ = false;
    std::vector<std::uint32_t> ends_, gathered_by_score_;  // of the groups of equal scores
};

}  // namespace rankgauge
