// From the rows of one topic to hits: the ranks of its judged documents, in the order that the rules define.
//
// Rows whose scores descend already are not sorted, and document ids are compared only inside ties that hold a judged
// document.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "counting.hpp"
#include "judgments.hpp"
#include "order.hpp"
#include "sights.hpp"
#include "sorting.hpp"
#include "standings.hpp"
#include "text.hpp"

namespace rankgauge {

enum class Duplicates { ERROR, FIRST, MAX };

constexpr Named<Duplicates> DUPLICATES[] = {
    {"error", Duplicates::ERROR}, {"first", Duplicates::FIRST}, {"max", Duplicates::MAX}};

struct Rules {
    DocumentOrder order;
    Duplicates duplicates = Duplicates::ERROR;
    bool collect = false;  // topics may be interleaved
    bool detail = false;   // with the score of each hit and the ranks that its tie takes up
    std::shared_ptr<const Sights> sights = std::make_shared<Sights>();  // of the ties that are counted

    bool operator==(const Rules& other) const {
        return order == other.order && duplicates == other.duplicates && collect == other.collect &&
               detail == other.detail && *sights == *other.sights;
    }

    bool needs_rank() const { return order.needs_rank(); }
    bool needs_only_scores() const { return order.is_by_exact_score() && duplicates != Duplicates::MAX; }
};

struct Row {
    double score;  // the key by which documents are ordered
    std::uint64_t hash;
    const char* doc;
    std::uint32_t length;
    std::int32_t judgment;

    std::string_view id() const { return {doc, length}; }
};

// The rows of one topic, in input order; the caller owns them.
struct Topic {
    std::string_view id;
    std::int64_t judged = -1;  // its number among the judged topics
    Row* rows = nullptr;
    std::size_t size = 0;
    std::int64_t* ranks = nullptr;  // only when the rules need them
    double* values = nullptr;       // scores as in the input, only when the highest is to be kept
    bool descending = false;

    std::string_view doc(std::size_t row) const { return rows[row].id(); }
    std::int64_t rank(std::size_t row) const { return ranks[row]; }
};

struct Hits {
    std::vector<std::int64_t> topic, retrieved, tied, decisive, starts{0};  // per judged topic of the run
    std::vector<std::int64_t> rank, judgment;                              // per hit, in rank order
    std::vector<std::int64_t> first, last;                                 // ranks of its tie, only with `detail`
    std::vector<double> score, squares;                                    // per hit; their sum per topic
    std::vector<std::uint64_t> unjudged_hashes;                            // per unjudged topic, unless collected
    std::int64_t unjudged_topics = 0, rows = 0, dropped = 0;
};

class Ranker {
public:
    Ranker(const Judgments& judgments, Rules rules)
        : judgments_(judgments), rules_(std::move(rules)), ties_(*rules_.sights) {}

    // Ranks a topic, without its duplicates. If they are an error, false, and `found` is the topic and the document.
    bool rank(Topic topic, std::string& found) {
        hits.rows += std::int64_t(topic.size);
        if (!drop_duplicates(topic, found)) return false;
        if (topic.judged < 0) {
            ++hits.unjudged_topics;
            if (!rules_.collect) hits.unjudged_hashes.push_back(hash_of(topic.id));
            return true;
        }
        begin_hits();
        std::size_t judged = 0;
        for (std::size_t i = 0; i < topic.size; ++i) judged += topic.rows[i].judgment >= 0;
        if (rules_.detail) {
            scores_.resize(topic.size);
            for (std::size_t i = 0; i < topic.size; ++i) scores_[i] = topic.rows[i].score;
            add_squares(scores_);
        }
        if (topic.descending) rank_in_place(topic);
        else if (judged <= FEW) rank_by_counting(topic);
        else if (Standings::pay(judged, topic.size)) rank_by_standings(topic);
        else rank_by_sorting(topic);
        end_hits(topic.judged, std::int64_t(topic.size));
        return true;
    }

    // Ranks one judged topic from all its scores and those of its judged documents, which a dict gives without reading
    // every id. `members(score, add)` is called only for ties: it calls add(id) for each document of that score, in
    // input order.
    template <class Members>
    void rank_scores(std::size_t judged_topic, std::vector<double>& scores,
                     std::vector<std::pair<double, std::int32_t>>& judged, Members&& members) {
        if (!rules_.order.is_by_exact_score()) {
            for (double& score : scores) score = rules_.order.key(score, 0);
            for (auto& [score, judgment] : judged) score = rules_.order.key(score, 0);
        }
        begin_hits();
        if (rules_.detail) add_squares(scores);
        const bool sorted = judged.size() > FEW;
        const bool counted = sorted && Standings::pay(judged.size(), scores.size()) &&
                             !std::is_sorted(scores.begin(), scores.end(), std::greater<double>());
        if (sorted) sort_descending(judged, judged_, [](const auto& pair) { return pair.first; });
        if (counted) count(scores, judged);
        else if (sorted) sort_descending(scores, scores_, [](double score) { return score; });
        done_.clear();
        std::size_t better = 0, distinct = 0;
        for (const auto& [score, judgment] : judged) {
            std::size_t equal = 0;
            if (counted) {
                while (few_[distinct] != score) ++distinct;
                better = standings_[distinct].better;
                equal = standings_[distinct].equal;
            } else if (sorted) {  // one walk down both lists finds all ranks
                while (scores[better] > score) ++better;
                while (better + equal < scores.size() && scores[better + equal] == score) ++equal;
            } else {
                const Standing found = standing(scores.data(), scores.data() + scores.size(), score);
                better = found.better;
                equal = found.equal;
            }
            if (equal == 1) {
                found_.push_back({std::int64_t(better) + 1, judgment, 0, 0, score});
                continue;
            }
            if (std::find(done_.rbegin(), done_.rend(), score) != done_.rend()) continue;
            done_.push_back(score);
            tied_rows_.clear();
            group_.clear();
            members(score, [&](std::string_view id) {
                group_.push_back(std::uint32_t(tied_rows_.size()));
                tied_rows_.push_back({score, 0, id.data(), std::uint32_t(id.size()),
                                      judgments_.find(judged_topic, hash_of(id), id)});
            });
            Topic topic;
            topic.rows = tied_rows_.data();
            topic.size = tied_rows_.size();
            rank_group(topic, better);
        }
        hits.rows += std::int64_t(scores.size());
        end_hits(std::int64_t(judged_topic), std::int64_t(scores.size()));
    }

    Hits hits;

private:
    // A document more than once is an error, or only its first row counts, or the first of the highest score.
    bool drop_duplicates(Topic& topic, std::string& found) {
        Row* rows = topic.rows;
        repeats_.reset(topic.size);
        for (std::size_t i = 0; i < topic.size; ++i) repeats_.add(rows[i].hash);
        if (!repeats_.most()) return true;
        slots_.reset(repeats_.most());
        bool any = false;
        for (std::size_t i = 0; i < topic.size; ++i) {
            if (!repeats_(rows[i].hash)) continue;
            std::uint32_t first = slots_.find_or_add(rows[i].hash, std::uint32_t(i), [&](std::uint32_t n) {
                return same_text(rows[n].id(), rows[i].id());
            });
            if (first == i) continue;
            if (rules_.duplicates == Duplicates::ERROR) {
                found = topic.id;
                found.push_back('\0');
                found.append(rows[i].id());
                return false;
            }
            if (!any) {
                dropped_.assign(topic.size, false);
                kept_.resize(topic.size);
                for (std::size_t k = 0; k < topic.size; ++k) kept_[k] = std::uint32_t(k);
            }
            any = true;
            ++hits.dropped;
            std::uint32_t& kept = kept_[first];  // the row that stands for the document so far
            if (rules_.duplicates == Duplicates::MAX && topic.values[i] > topic.values[kept]) {
                dropped_[kept] = true;
                kept = std::uint32_t(i);
            } else {
                dropped_[i] = true;
            }
        }
        if (any) {
            std::size_t kept = 0;
            for (std::size_t i = 0; i < topic.size; ++i) {
                if (dropped_[i]) continue;
                rows[kept] = rows[i];
                if (topic.ranks) topic.ranks[kept] = topic.ranks[i];
                ++kept;
            }
            topic.size = kept;
            topic.descending = std::is_sorted(rows, rows + kept,
                                              [](const Row& a, const Row& b) { return a.score > b.score; });
        }
        return true;
    }

    void begin_hits() {
        tied_ = 0;
        ties_.begin_topic();
        squares_ = 0.0;
        found_.clear();
    }

    // From the smallest up: the sum must not depend on the order of the lines.
    void add_squares(const std::vector<double>& scores) {
        squares_of_.clear();
        for (double score : scores) squares_of_.push_back(score * score);
        std::sort(squares_of_.begin(), squares_of_.end());
        for (double square : squares_of_) squares_ += square;
    }

    void end_hits(std::int64_t judged_topic, std::int64_t retrieved) {
        if (!std::is_sorted(found_.begin(), found_.end())) std::sort(found_.begin(), found_.end());
        for (const Found& hit : found_) {
            hits.rank.push_back(hit.rank);
            hits.judgment.push_back(judgments_.number(hit.judgment));
            if (!rules_.detail) continue;
            hits.first.push_back(hit.rank - hit.before);
            hits.last.push_back(hit.rank + hit.behind);
            hits.score.push_back(hit.score);
        }
        if (rules_.detail) hits.squares.push_back(squares_);
        hits.topic.push_back(judged_topic);
        hits.retrieved.push_back(retrieved);
        hits.tied.push_back(tied_);
        hits.decisive.push_back(ties_.end_topic(found_.size(), [&](std::size_t n, auto&& use) {
            use(found_[n].rank, judgments_.grade(found_[n].judgment));
        }));
        hits.starts.push_back(std::int64_t(hits.rank.size()));
    }

    void rank_in_place(const Topic& topic) {
        const Row* rows = topic.rows;
        for (std::size_t i = 0; i < topic.size; ++i) {
            if (rows[i].judgment < 0) continue;
            std::size_t begin = i, end = i + 1;
            while (begin > 0 && rows[begin - 1].score == rows[i].score) --begin;
            while (end < topic.size && rows[end].score == rows[i].score) ++end;
            if (end - begin == 1) {
                found_.push_back({std::int64_t(i) + 1, rows[i].judgment, 0, 0, rows[i].score});
                continue;
            }
            group_.clear();
            for (std::size_t k = begin; k < end; ++k) group_.push_back(std::uint32_t(k));
            rank_group(topic, begin);
            i = end - 1;
        }
    }

    // With few judged documents, counting the better scores is cheaper than sorting them.
    void rank_by_counting(const Topic& topic) {
        const Row* rows = topic.rows;
        scores_.resize(topic.size);
        for (std::size_t i = 0; i < topic.size; ++i) scores_[i] = rows[i].score;
        done_.clear();
        for (std::size_t i = 0; i < topic.size; ++i) {
            const double score = rows[i].score;
            if (rows[i].judgment < 0 || std::find(done_.begin(), done_.end(), score) != done_.end()) continue;
            const auto [better, equal] = standing(scores_.data(), scores_.data() + topic.size, score);
            if (equal == 1) {
                found_.push_back({std::int64_t(better) + 1, rows[i].judgment, 0, 0, score});
                continue;
            }
            done_.push_back(score);
            group_.clear();
            for (std::size_t k = 0; k < topic.size; ++k)
                if (rows[k].score == score) group_.push_back(std::uint32_t(k));
            rank_group(topic, better);
        }
    }

    // With some more of them, the scores are counted into theirs.
    void rank_by_standings(const Topic& topic) {
        const Row* rows = topic.rows;
        scores_.resize(topic.size);
        judged_rows_.clear();
        for (std::size_t i = 0; i < topic.size; ++i) {
            scores_[i] = rows[i].score;
            if (rows[i].judgment >= 0) judged_rows_.emplace_back(rows[i].score, std::int32_t(i));
        }
        sort_descending(judged_rows_, judged_, [](const auto& pair) { return pair.first; });
        count(scores_, judged_rows_);
        std::size_t next = 0;
        for (std::size_t n = 0; n < few_.size(); ++n) {
            const Row& row = rows[judged_rows_[next].second];
            if (standings_[n].equal == 1) {
                found_.push_back({std::int64_t(standings_[n].better) + 1, row.judgment, 0, 0, row.score});
            } else {
                standings_.members(n, group_);
                rank_group(topic, standings_[n].better);
            }
            while (next < judged_rows_.size() && judged_rows_[next].first == few_[n]) ++next;
        }
    }

    // Counts scores into those of the judged documents, which are in descending order.
    void count(const std::vector<double>& scores, const std::vector<std::pair<double, std::int32_t>>& judged) {
        few_.clear();
        for (const auto& [score, number] : judged)
            if (few_.empty() || few_.back() != score) few_.push_back(score);
        standings_.count(scores, few_);
    }

    void rank_by_sorting(const Topic& topic) {
        const Row* rows = topic.rows;
        order_.resize(topic.size);
        for (std::size_t i = 0; i < topic.size; ++i) order_[i] = {rows[i].score, std::uint32_t(i)};
        sort_descending(order_, order_room_, [](const Place& place) { return place.score; });
        each_tie(order_, [](const Place& place) { return place.score; }, [&](std::size_t begin, std::size_t end) {
            if (end - begin == 1) {
                const Row& row = rows[order_[begin].row];
                if (row.judgment >= 0) found_.push_back({std::int64_t(begin) + 1, row.judgment, 0, 0, row.score});
                return;
            }
            group_.clear();
            bool judged = false;
            for (std::size_t k = begin; k < end; ++k) {
                group_.push_back(order_[k].row);
                judged |= rows[order_[k].row].judgment >= 0;
            }
            if (judged) rank_group(topic, begin);
        });
    }

    // Ranks rows of equal score (group_, in input order) behind `before` others, ordered by the rule for ties.
    void rank_group(const Topic& topic, std::size_t before) {
        const Row* rows = topic.rows;
        tied_ += std::int64_t(group_.size());
        ties_.add(before, group_.size(), [&](std::size_t n, auto&& use) {
            if (rows[group_[n]].judgment >= 0) use(judgments_.grade(rows[group_[n]].judgment));
        });
        if (rules_.order.ties != Ties::INPUT)  // in input order they are
            rules_.order.sort_tied(group_.begin(), group_.end(), topic, [](std::uint32_t row) { return row; });
        for (std::size_t k = 0; k < group_.size(); ++k) {
            const Row& row = rows[group_[k]];
            if (row.judgment < 0) continue;
            const std::size_t behind = group_.size() - 1 - k;
            found_.push_back({std::int64_t(before + k) + 1, row.judgment, std::uint32_t(k), std::uint32_t(behind),
                              row.score});
        }
    }

    static constexpr std::size_t FEW = 8;  // judged documents, for each of which the better scores are counted

    struct Found {
        std::int64_t rank;
        std::int32_t judgment;
        std::uint32_t before, behind;  // documents that tie with it
        double score;

        bool operator<(const Found& other) const { return rank < other.rank; }
    };

    struct Place {
        double score;
        std::uint32_t row;
    };

    const Judgments& judgments_;
    const Rules rules_;
    TieCounter ties_;

    // scratch, kept from topic to topic
    Repeats repeats_;
    Slots slots_;
    std::vector<char> dropped_;
    Standings standings_;
    std::vector<double> scores_, few_, squares_of_, done_;
    std::vector<Row> tied_rows_;
    std::vector<Place> order_, order_room_;
    std::vector<std::uint32_t> group_, kept_;
    std::vector<Found> found_;
    std::vector<std::pair<double, std::int32_t>> judged_, judged_rows_;
    std::int64_t tied_ = 0;
    double squares_ = 0.0;
};

}  // namespace rankgauge
