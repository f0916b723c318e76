// From the rows of one topic to hits: the ranks of its judged documents, in the order that the rules define.
//
// Rows whose scores descend already are not sorted, and document ids are compared only inside ties that hold a judged
// document.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "judgments.hpp"
#include "order.hpp"
#include "tie_visibility.hpp"
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
    std::shared_ptr<const TieVisibility> visibility = std::make_shared<TieVisibility>();  // of the ties that are counted

    bool operator==(const Rules& other) const {
        return order == other.order && duplicates == other.duplicates && collect == other.collect &&
               detail == other.detail && *visibility == *other.visibility;
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

    // Takes them all out, and keeps the memory.
    void clear() {
        for (auto* column : {&topic, &retrieved, &tied, &decisive, &starts, &rank, &judgment, &first, &last}) column->clear();
        starts.push_back(0);
        score.clear();
        squares.clear();
        unjudged_hashes.clear();
        unjudged_topics = rows = dropped = 0;
    }
};

class Ranker {
public:
    Ranker(const Judgments& judgments, Rules rules)
        : judgments_(judgments), rules_(std::move(rules)), ties_(*rules_.visibility) {}

    // A document more than once is an error, or only its first row counts, or the first of the highest score. Rows
    // that are dropped are counted here, others when the topic is ranked.
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
            ++hits.rows;
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
                if (topic.values) topic.values[kept] = topic.values[i];
                ++kept;
            }
            topic.size = kept;
            topic.descending = std::is_sorted(rows, rows + kept,
                                              [](const Row& a, const Row& b) { return a.score > b.score; });
        }
        return true;
    }

    // Ranks a topic, without its duplicates. If they are an error, false, and `found` is the topic and the document.
    bool rank(Topic topic, std::string& found) {
        if (!drop_duplicates(topic, found)) return false;
        hits.rows += std::int64_t(topic.size);
        if (topic.judged < 0) {
            ++hits.unjudged_topics;
            if (!rules_.collect) hits.unjudged_hashes.push_back(hash_of(topic.id));
            return true;
        }
        begin_hits();
        if (rules_.detail || !topic.descending) {
            scores_.resize(topic.size);
            for (std::size_t i = 0; i < topic.size; ++i) scores_[i] = topic.rows[i].score;
        }
        if (rules_.detail) add_squares(scores_);
        if (topic.descending) rank_in_place(topic);
        else rank_by_standings(topic);
        end_hits(topic.judged, std::int64_t(topic.size));
        return true;
    }

    // Ranks one judged topic from all its scores and those of its judged documents, which a dict gives without reading
    // every id: judgment(number) is the judgment of one, row(i) is called for ties only. The numbers are those of rows
    // wherever is_judged(i) may be called.
    template <class Judged, class JudgmentOf, class RowOf>
    void rank_scores(std::size_t judged_topic, std::vector<double>& scores, Standings<double>::Few& judged,
                     Judged&& is_judged, JudgmentOf&& judgment, RowOf&& row) {
        if (!rules_.order.is_by_exact_score()) {
            for (double& score : scores) score = rules_.order.key(score, 0);
            for (auto& [score, judgment] : judged) score = rules_.order.key(score, 0);
        }
        begin_hits();
        if (rules_.detail) add_squares(scores);
        standings_.each(
            scores.data(), scores.size(), judged, is_judged,
            [&](double score, std::uint32_t number, std::size_t better) {
                add_untied(better, judgment(number), score);
            },
            [&](std::size_t better, const std::vector<std::uint32_t>& tied) {
                tied_rows_.clear();
                group_.clear();
                for (std::uint32_t i : tied) {
                    group_.push_back(std::uint32_t(tied_rows_.size()));
                    tied_rows_.push_back(row(i));
                }
                Topic topic;
                topic.rows = tied_rows_.data();
                topic.size = tied_rows_.size();
                rank_group(topic, better, group_);
            });
        hits.rows += std::int64_t(scores.size());
        end_hits(std::int64_t(judged_topic), std::int64_t(scores.size()));
    }

    Hits hits;

private:
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
                add_untied(i, rows[i].judgment, rows[i].score);
                continue;
            }
            group_.clear();
            for (std::size_t k = begin; k < end; ++k) group_.push_back(std::uint32_t(k));
            rank_group(topic, begin, group_);
            i = end - 1;
        }
    }

    void rank_by_standings(const Topic& topic) {
        const Row* rows = topic.rows;
        judged_.clear();
        for (std::size_t i = 0; i < topic.size; ++i)
            if (rows[i].judgment >= 0) judged_.emplace_back(rows[i].score, std::uint32_t(i));
        standings_.each(
            scores_.data(), topic.size, judged_, [&](std::uint32_t row) { return rows[row].judgment >= 0; },
            [&](double score, std::uint32_t row, std::size_t better) { add_untied(better, rows[row].judgment, score); },
            [&](std::size_t better, const std::vector<std::uint32_t>& tied) { rank_group(topic, better, tied); });
    }

    void add_untied(std::size_t better, std::int32_t judgment, double score) {
        found_.push_back({std::int64_t(better) + 1, judgment, 0, 0, score});
    }

    // Ranks rows of equal score, in input order, behind `before` others.
    void rank_group(const Topic& topic, std::size_t before, const std::vector<std::uint32_t>& group) {
        const Row* rows = topic.rows;
        tied_ += std::int64_t(group.size());
        ties_.add(before, group.size(), [&](std::size_t n, auto&& use) {
            if (rows[group[n]].judgment >= 0) use(judgments_.grade(rows[group[n]].judgment));
        });
        placer_.each(
            group, [&](std::uint32_t row) { return rows[row].judgment >= 0; },
            [&](std::uint32_t a, std::uint32_t b) { return rules_.order.is_before(topic, a, b); },
            [&](std::uint32_t row, std::size_t k) {
                found_.push_back({std::int64_t(before + k) + 1, rows[row].judgment, std::uint32_t(k),
                                  std::uint32_t(group.size() - 1 - k), rows[row].score});
            });
    }

    struct Found {
        std::int64_t rank;
        std::int32_t judgment;
        std::uint32_t before, behind;  // documents that tie with it
        double score;

        bool operator<(const Found& other) const { return rank < other.rank; }
    };

    const Judgments& judgments_;
    const Rules rules_;
    TieCounter ties_;

    // scratch, kept from topic to topic
    Repeats repeats_;
    Slots slots_;
    std::vector<char> dropped_;
    Standings<double> standings_;
    Standings<double>::Few judged_;
    TiePlacer placer_;
    std::vector<double> scores_, squares_of_;
    std::vector<Row> tied_rows_;
    std::vector<std::uint32_t> group_, kept_;
    std::vector<Found> found_;
    std::int64_t tied_ = 0;
    double squares_ = 0.0;
};

}  // namespace rankgauge
