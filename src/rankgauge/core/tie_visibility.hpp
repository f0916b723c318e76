// Which ties could change a value: what measures see of the documents of a tie, and of the ranks that it takes up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace rankgauge {

constexpr std::int64_t UNSEEN = -1;  // the kind of documents that measures do not distinguish from unjudged ones

// The ties that some measures see.
struct VisibleTies {
    std::vector<std::int64_t> kinds;    // of the documents of each level
    std::int64_t reach = 0;             // ties that begin below this rank are not seen ...
    std::vector<std::int64_t> cutoffs;  // ... unless they cross one of these ranks
    bool first = false;                 // nothing is seen below the first document of a kind

    bool operator==(const VisibleTies& other) const {
        return kinds == other.kinds && reach == other.reach && cutoffs == other.cutoffs && first == other.first;
    }

    bool covers(std::int64_t before, std::int64_t size) const {
        if (before < reach) return true;
        for (const std::int64_t cutoff : cutoffs)
            if (before < cutoff && cutoff < before + size) return true;
        return false;
    }
};

struct TieVisibility {
    std::vector<double> levels;  // ascending: the numbers by which judgments are distinguished, such as grades
    std::vector<VisibleTies> groups;

    bool operator==(const TieVisibility& other) const { return levels == other.levels && groups == other.groups; }

    std::int64_t kind(const VisibleTies& visible, double level) const {
        const auto at = std::lower_bound(levels.begin(), levels.end(), level);
        return at == levels.end() || *at != level ? UNSEEN : visible.kinds[std::size_t(at - levels.begin())];
    }
};

// Counts the ties of a topic that could change a value.
class TieCounter {
public:
    explicit TieCounter(const TieVisibility& visibility) : visibility_(visibility) {}

    void begin_topic() {
        count_ = 0;
        open_.clear();
    }

    // A tie of `size` documents behind `before` others; judged(n, use) calls use(level) if the nth is judged.
    template <class Judged>
    void add(std::size_t before, std::size_t size, Judged&& judged) {
        for (std::size_t s = 0; s < visibility_.groups.size(); ++s) {
            const VisibleTies& visible = visibility_.groups[s];
            if (!visible.covers(std::int64_t(before), std::int64_t(size)) || !differ(visible, size, judged)) continue;
            if (!visible.first) {
                ++count_;
                while (!open_.empty() && open_.back().first == before) open_.pop_back();
                return;
            }
            open_.emplace_back(before, s);
        }
    }

    // The number of ties, once all hits are known: hit(n, use) calls use(rank, level) for the nth in rank order.
    template <class Hit>
    std::int64_t end_topic(std::size_t hits, Hit&& hit) {
        std::size_t counted = std::size_t(-1);
        for (const auto& open : open_) {  // no structured binding: C++17 does not let a lambda capture one
            const auto before = open.first, s = open.second;
            if (before == counted) continue;
            bool reached = false;
            for (std::size_t n = 0; n < hits && !reached; ++n)
                hit(n, [&](std::int64_t rank, double level) {
                    if (visibility_.kind(visibility_.groups[s], level) == UNSEEN) return;
                    reached = true;
                    if (rank > std::int64_t(before)) {
                        ++count_;
                        counted = before;
                    }
                });
        }
        return count_;
    }

private:
    template <class Judged>
    bool differ(const VisibleTies& visible, std::size_t size, Judged&& judged) const {
        std::int64_t before = UNSEEN;
        for (std::size_t n = 0; n < size; ++n) {
            std::int64_t kind = UNSEEN;
            judged(n, [&](double level) { kind = visibility_.kind(visible, level); });
            if (n && kind != before) return true;
            before = kind;
        }
        return false;
    }

    const TieVisibility& visibility_;
    std::int64_t count_ = 0;
    std::vector<std::pair<std::size_t, std::size_t>> open_;  // ties that only a `first` group sees, and that group
};

}  // namespace rankgauge
