// Where a few scores stand among many: how many of the many are better, and which are equal. To look each of the many
// up among the few is cheaper than to sort them all.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "counting.hpp"

namespace rankgauge {

class Standings {
public:
    // Whether that is so for this many of them.
    static bool pay(std::size_t few, std::size_t many) { return few <= many / 8; }

    // Counts scores into the few, which are in descending order, each once. No score is NaN.
    void count(const std::vector<double>& scores, const std::vector<double>& few) {
        few_.assign(few.begin(), few.end());
        few_.push_back(-std::numeric_limits<double>::infinity());  // no score is below it
        counts_.assign(2 * few_.size(), 0);
        places_.resize(scores.size());
        grouped_ = false;
        const std::size_t steps = divide();
        if (steps && steps <= MOST_STEPS) count_by_buckets(scores, steps);
        else count_by_halves(scores);
        standings_.clear();
        std::size_t better = 0;
        for (std::size_t n = 0; n < few.size(); ++n) {
            better += counts_[2 * n];
            standings_.push_back({better, counts_[2 * n + 1]});
            better += counts_[2 * n + 1];
        }
    }

    // Where one of the few stands.
    Standing operator[](std::size_t n) const { return standings_[n]; }

    // Puts the numbers of the scores that are equal to one of the few into `group`, in their order.
    void members(std::size_t n, std::vector<std::uint32_t>& group) {
        if (!grouped_) bring_together();
        group.assign(members_.begin() + std::ptrdiff_t(n ? ends_[n - 1] : 0), members_.begin() + std::ptrdiff_t(ends_[n]));
    }

private:
    static constexpr std::size_t MOST_STEPS = 6;

    // Subtracting, multiplying and rounding down never reverse the order of two scores.
    static std::size_t bucket(double score, double top, double scale, double last) {
        double at = (top - score) * scale;
        at = at > 0.0 ? at : 0.0;
        at = at < last ? at : last;
        return std::uint32_t(at);
    }

    // Divides the range of the few into buckets, and returns the most of them that are in one; 0 if it cannot be divided.
    std::size_t divide() {
        const std::size_t few = few_.size() - 1, buckets = 4 * few;
        top_ = few_[0];
        last_ = double(buckets - 1);
        scale_ = last_ / (top_ - few_[few - 1]);
        if (!(scale_ > 0.0 && std::isfinite(scale_))) return 0;  // infinite scores, or nearly equal ones
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
    void count_by_buckets(const std::vector<double>& scores, std::size_t steps) {
        const double *few = few_.data(), top = top_, scale = scale_, last = last_;
        for (std::size_t i = 0; i < scores.size(); ++i) {
            const double score = scores[i];
            std::size_t above = begins_[bucket(score, top, scale, last)];
            for (std::size_t step = 0; step < steps; ++step) above += few[above] > score;
            put(i, above, few[above] == score);
        }
    }

    void count_by_halves(const std::vector<double>& scores) {
        const double* few = few_.data();
        for (std::size_t i = 0; i < scores.size(); ++i) {
            const double score = scores[i];
            const double* at = few;
            for (std::size_t left = few_.size() - 1; left > 0;) {
                const std::size_t half = (left + 1) / 2;
                at += half * std::size_t(at[half - 1] > score);
                left -= half;
            }
            put(i, std::size_t(at - few), *at == score);
        }
    }

    void put(std::size_t i, std::size_t above, bool equal) {
        const std::uint32_t place = std::uint32_t(2 * above + equal);
        places_[i] = place;
        ++counts_[place];
    }

    void bring_together() {
        const std::size_t few = few_.size() - 1;
        ends_.resize(few);
        std::uint32_t total = 0;
        for (std::size_t n = 0; n < few; ++n) {
            ends_[n] = total;
            total += counts_[2 * n + 1];
        }
        members_.resize(total);
        for (std::size_t i = 0; i < places_.size(); ++i)
            if (places_[i] & 1 && places_[i] < 2 * few) members_[ends_[places_[i] / 2]++] = std::uint32_t(i);
        grouped_ = true;
    }

    std::vector<double> few_;
    std::vector<Standing> standings_;
    std::vector<std::uint32_t> counts_;  // of the scores between two of the few, and of those equal to one, in turn
    std::vector<std::uint32_t> places_;  // where each score was counted
    std::vector<std::uint32_t> begins_;  // the first of the few in a bucket
    double top_ = 0.0, scale_ = 0.0, last_ = 0.0;
    bool grouped_ = false;
    std::vector<std::uint32_t> ends_, members_;  // of the groups of equal scores
};

}  // namespace rankgauge
