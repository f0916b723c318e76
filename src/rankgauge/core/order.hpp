// The order of documents within a topic: the one place of this core that decides it (pure/order.py is its twin).
//
// Rules come by the names they have in Python. Documents have a key, and the highest key comes first; the rule for ties
// decides between equal keys.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankgauge {

enum class Ties { DOCID_DESC, DOCID_ASC, INPUT, RANK };

template <class Rule>
struct Named {
    std::string_view name;
    Rule rule;
};

constexpr Named<bool> ORDERS[] = {{"score", false}, {"rank", true}};
constexpr Named<bool> PRECISIONS[] = {{"double", false}, {"single", true}};
constexpr Named<Ties> TIES[] = {{"docid_desc", Ties::DOCID_DESC},
                                {"docid_asc", Ties::DOCID_ASC},
                                {"input", Ties::INPUT},
                                {"rank", Ties::RANK}};

template <class Rule, std::size_t Count>
Rule rule_of(std::string_view name, const Named<Rule> (&rules)[Count]) {
    for (const Named<Rule>& named : rules)
        if (named.name == name) return named.rule;
    throw std::invalid_argument("no such rule: " + std::string(name));
}

struct DocumentOrder {
    bool by_rank = false;  // the rank column orders, not the score
    Ties ties = Ties::DOCID_DESC;
    bool single = false;  // scores are compared in single precision

    DocumentOrder() = default;
    DocumentOrder(std::string_view order, std::string_view ties_rule, std::string_view precision)
        : by_rank(rule_of(order, ORDERS)), ties(rule_of(ties_rule, TIES)), single(rule_of(precision, PRECISIONS)) {}

    bool operator==(const DocumentOrder& other) const {
        return by_rank == other.by_rank && ties == other.ties && single == other.single;
    }

    bool needs_rank() const { return by_rank || ties == Ties::RANK; }
    bool is_by_exact_score() const { return !needs_rank() && !single; }

    double key(double score, std::int64_t rank) const {
        return by_rank ? -double(rank) : single ? double(float(score)) : score;
    }

    // Whether document a comes before document b, both numbered in input order and with equal keys. `documents` has
    // doc(number), the id, and rank(number). Equal ids stay in input order.
    template <class Documents>
    bool is_before(const Documents& documents, std::size_t a, std::size_t b) const {
        if (ties == Ties::INPUT) return a < b;
        if (ties == Ties::RANK && documents.rank(a) != documents.rank(b)) return documents.rank(a) < documents.rank(b);
        const int compared = documents.doc(a).compare(documents.doc(b));
        if (compared == 0) return a < b;
        return ties == Ties::DOCID_ASC ? compared < 0 : compared > 0;
    }

    // Sorts items of equal keys; number(item) is the document's.
    template <class Iterator, class Documents, class Number>
    void sort_tied(Iterator first, Iterator last, const Documents& documents, Number number) const {
        std::sort(first, last,
                  [&](const auto& a, const auto& b) { return is_before(documents, number(a), number(b)); });
    }
};

// Places some documents of a tie, which takes fewer comparisons than to sort all of it: the others are counted into them.
class TiePlacer {
public:
    // Calls use(number, before) for each wanted document of a tie, from the first to the last: so many of the tie come
    // before it. `tied` are the numbers of all its documents.
    template <class Wanted, class Before, class Use>
    void each(const std::vector<std::uint32_t>& tied, Wanted&& is_wanted, Before&& is_before, Use&& use) {
        wanted_.clear();
        for (std::uint32_t number : tied)
            if (is_wanted(number)) wanted_.push_back(number);
        std::sort(wanted_.begin(), wanted_.end(), is_before);
        counts_.assign(wanted_.size() + 1, 0);
        for (std::uint32_t number : tied) {
            if (is_wanted(number)) continue;
            const auto at = std::upper_bound(wanted_.begin(), wanted_.end(), number, is_before);
            ++counts_[std::size_t(at - wanted_.begin())];
        }
        std::size_t before = 0;
        for (std::size_t k = 0; k < wanted_.size(); ++k) {
            before += counts_[k];
            use(wanted_[k], before + k);
        }
    }

private:
    std::vector<std::uint32_t> wanted_, counts_;
};

// Calls each(first, last) for every group of neighbours with equal keys.
template <class Items, class Key, class Each>
void each_tie(const Items& items, Key key, Each&& each) {
    for (std::size_t first = 0; first < items.size();) {
        std::size_t last = first + 1;
        while (last < items.size() && key(items[last]) == key(items[first])) ++last;
        each(first, last);
        first = last;
    }
}

}  // namespace rankgauge
