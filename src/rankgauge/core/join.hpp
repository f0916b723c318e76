// Rows of a run to hits: the ranks of the judged documents, topic by topic, in the order the options ask for.
//
// Rows are kept for one topic at a time, unless topics are interleaved (`collect`). A topic whose scores descend
// already is not sorted, and document ids are compared only inside ties that hold a judged document.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "judgments.hpp"
#include "sorting.hpp"
#include "text.hpp"

namespace rankgauge {

enum Ties : int { DOCID_DESC = 0, DOCID_ASC = 1, INPUT = 2, BY_RANK = 3 };
enum Duplicates : int { REFUSE = 0, FIRST = 1, MAX = 2 };

struct Rules {
    bool by_rank = false;  // the rank column orders, not the score
    int ties = DOCID_DESC;
    bool single = false;  // scores are compared in single precision
    int duplicates = REFUSE;
    bool collect = false;  // topics may be interleaved
    // Documents of a lower grade are as good as unjudged to the measures that will look at the hits.
    double least = -std::numeric_limits<double>::infinity();

    bool needs_rank() const { return by_rank || ties == BY_RANK; }
};

struct Hits {
    std::vector<std::int64_t> topic, retrieved, tied, decisive, starts{0};  // one entry a judged topic seen
    std::vector<std::int64_t> rank, judgment;                              // one entry a hit, in rank order
    std::int64_t unjudged_topics = 0, rows = 0, dropped = 0;
};

// Copies of ids that have to outlive the chunk they came in.
class Arena {
public:
    std::string_view copy(std::string_view text) {
        if (text.size() > room_) {
            room_ = std::max(text.size(), std::size_t(1) << 16);
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

private:
    std::vector<std::unique_ptr<char[]>> blocks_;
    char* at_ = nullptr;
    std::size_t room_ = 0;
};

class Join {
public:
    Join(const Judgments& judgments, Rules rules) : judgments_(judgments), rules_(rules) {}

    // The next bytes of a TREC run file. After trouble, or once finished, nothing more is taken.
    void feed(const char* data, std::size_t size) {
        if (trouble_ || finished_) return;
        ids_pass_by_ = true;
        lines_.feed(data, size, [&](std::string_view line, bool in_chunk) {
            if (!take_line(line)) return false;
            if (!in_chunk) settle();
            return true;
        }, [&](const std::string_view (&field)[6]) { return take_fields(field[0], field[2], field[3], field[4]); });
        settle();
    }

    // Whole columns, whose memory outlives this object; a row's topic is a number among the distinct `topics`.
    void columns(const Column& topics, const std::int64_t* topic, const Column& docs, const double* scores,
                 const std::int64_t* ranks) {
        for (std::size_t i = 0; i < docs.size && !trouble_; ++i) {
            lines_.count = std::int64_t(i) + 1;
            if ((i == 0 || topic[i] != topic[i - 1]) && !take_topic(topics[std::size_t(topic[i])])) return;
            take_row(docs[i], scores[i], ranks ? ranks[i] : 0);
        }
    }

    // One judged topic of which all scores are known, and which judged documents have which: what a dict can tell
    // without being walked through id by id. `members(score, add)` is asked only for ties: it calls add(id) for each
    // document of that score, in input order.
    template <class Members>
    void scored(std::size_t judged_topic, std::vector<double>& scores,
                std::vector<std::pair<double, std::int32_t>>& judged, Members&& members) {
        if (rules_.single) {
            for (double& score : scores) score = seen_as(score);
            for (auto& [score, judgment] : judged) score = seen_as(score);
        }
        begin_hits();
        const bool sorted = judged.size() > 8;
        if (sorted) {  // then one walk down both lists finds all ranks
            sort_descending(scores, scores_, [](double score) { return score; });
            sort_descending(judged, judged_, [](const auto& pair) { return pair.first; });
        }
        done_.clear();
        std::size_t better = 0;
        for (const auto& [score, judgment] : judged) {
            std::size_t equal = 0;
            if (sorted) {
                while (scores[better] > score) ++better;
                while (better + equal < scores.size() && scores[better + equal] == score) ++equal;
            } else {
                better = 0;
                for (double other : scores) {
                    better += other > score;
                    equal += other == score;
                }
            }
            if (equal == 1) {
                found_.emplace_back(std::int64_t(better) + 1, judgment);
                continue;
            }
            if (std::find(done_.rbegin(), done_.rend(), score) != done_.rend()) continue;
            done_.push_back(score);
            only_.rows.clear();
            group_.clear();
            members(score, [&](std::string_view id) {
                group_.push_back(std::uint32_t(only_.rows.size()));
                only_.rows.push_back({score, 0, id.data(), std::uint32_t(id.size()),
                                      judgment_of(judged_topic, hash_of(id), id)});
            });
            rank_group(only_, better);
        }
        hits_.rows += std::int64_t(scores.size());
        end_hits(std::int64_t(judged_topic), std::int64_t(scores.size()));
    }

    // The judgment of a document, if it has one of a grade that matters; otherwise -1.
    std::int32_t judgment_of(std::size_t topic, std::uint64_t hash, std::string_view id) const {
        const std::int32_t judgment = judgments_.find(topic, hash, id);
        return judgment >= 0 && matters(judgment) ? judgment : -1;
    }

    bool matters(std::int64_t judgment) const { return judgments_.grade(judgment) >= rules_.least; }

    // A score as the rules compare it.
    double seen_as(double score) const { return rules_.single ? double(float(score)) : score; }

    bool needs_rank() const { return rules_.needs_rank(); }
    void skip_topics(std::int64_t unjudged) { hits_.unjudged_topics += unjudged; }

    const Trouble& finish() {
        if (finished_) return trouble_;
        finished_ = true;
        if (!trouble_) lines_.finish([&](std::string_view line, bool) {
            if (take_line(line)) settle();
            return true;
        });
        if (rules_.collect) {
            for (auto& topic : collected_)
                if (!trouble_) close(*topic);
        } else if (current_ && !trouble_) {
            close(*current_);
        }
        current_ = nullptr;
        return trouble_;
    }

    const Trouble& trouble() const { return trouble_; }
    const Hits& hits() const { return hits_; }

private:
    struct Row {
        double score;
        std::uint64_t hash;
        const char* doc;
        std::uint32_t length;
        std::int32_t judgment;

        std::string_view id() const { return {doc, length}; }
    };

    struct Topic {
        std::string id;
        std::int64_t judged = -1;  // its number among the judged topics
        std::vector<Row> rows;
        std::vector<std::int64_t> ranks;  // only when the rules need them
        std::vector<double> values;       // scores as they were given, only when the highest is to be kept
        std::size_t settled = 0;          // rows whose ids are out of the chunk
        bool descending = true;
    };

    bool fail(Code code, std::string found) {
        trouble_ = {code, lines_.count, std::move(found)};
        return false;
    }

    bool take_line(std::string_view line) {
        if (Code code = unreadable(line)) return fail(code, quoted(line));
        const Fields fields(line);
        if (fields.is_nothing()) return true;
        if (fields.count != 6) return fail(COLUMNS, quoted(line));
        return take_fields(fields.field[0], fields.field[2], fields.field[3], fields.field[4]);
    }

    bool take_fields(std::string_view topic, std::string_view doc, std::string_view rank, std::string_view score) {
        double value;
        // four fields stand before the score
        if (!read_number(score, value, true)) return fail(BAD_SCORE, quoted(score));
        if (value != value) return fail(NOT_A_NUMBER, quoted(score));
        std::int64_t place = 0;
        if (rules_.needs_rank() && !read_whole(rank, place)) return fail(BAD_RANK, quoted(rank));
        if (!take_topic(topic)) return false;
        take_row(doc, value, place);
        return true;
    }

    bool take_topic(std::string_view id) {
        if (current_ && same_text(current_->id, id)) return true;
        if (rules_.collect) {
            std::uint32_t number = seen_.number(id);
            if (number == collected_.size()) {
                collected_.push_back(std::make_unique<Topic>());
                open(*collected_.back(), id);
            }
            current_ = collected_[number].get();
            return true;
        }
        if (current_) {
            close(*current_);
            if (trouble_) return false;
        }
        std::size_t before = seen_.size();
        if (seen_.number(id) != before) return fail(REAPPEARED, std::string(id));
        open(only_, id);
        current_ = &only_;
        return true;
    }

    void open(Topic& topic, std::string_view id) {
        topic.id.assign(id);
        topic.judged = judgments_.topic(id);
        topic.rows.clear();
        topic.ranks.clear();
        topic.values.clear();
        topic.settled = 0;
        topic.descending = true;
        if (!rules_.collect) arena_.clear();
    }

    void take_row(std::string_view doc, double score, std::int64_t rank) {
        Topic& topic = *current_;
        if (rules_.duplicates == MAX) topic.values.push_back(score);
        if (rules_.by_rank) score = -double(rank);
        else score = seen_as(score);
        Row row{score, hash_of(doc), doc.data(), std::uint32_t(doc.size()), -1};
        if (topic.judged >= 0) row.judgment = judgment_of(std::size_t(topic.judged), row.hash, doc);
        if (!topic.rows.empty() && topic.rows.back().score < score) topic.descending = false;
        topic.rows.push_back(row);
        if (rules_.needs_rank()) topic.ranks.push_back(rank);
        if (rules_.collect && ids_pass_by_) {
            topic.rows.back().doc = arena_.copy(doc).data();
            topic.settled = topic.rows.size();
        }
    }

    // Ids of the open topic move out of the chunk that is about to go away.
    void settle() {
        if (!current_) return;
        for (std::size_t i = current_->settled; i < current_->rows.size(); ++i) {
            Row& row = current_->rows[i];
            row.doc = arena_.copy(row.id()).data();
        }
        current_->settled = current_->rows.size();
    }

    // Rows of one document more than once: refused, or all dropped but the first, or the first of the highest score.
    bool drop_duplicates(Topic& topic) {
        std::vector<Row>& rows = topic.rows;
        slots_.reset(rows.size());
        bool any = false;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            std::uint32_t first = slots_.find_or_add(rows[i].hash, std::uint32_t(i), [&](std::uint32_t n) {
                return same_text(rows[n].id(), rows[i].id());
            });
            if (first == i) continue;
            if (rules_.duplicates == REFUSE) {
                std::string found = topic.id;
                found.push_back('\0');
                found.append(rows[i].id());
                return fail(DUPLICATE, std::move(found));
            }
            if (!any) {
                dropped_.assign(rows.size(), false);
                kept_.resize(rows.size());
                for (std::size_t k = 0; k < rows.size(); ++k) kept_[k] = std::uint32_t(k);
            }
            any = true;
            ++hits_.dropped;
            std::uint32_t& kept = kept_[first];  // the row that stands for the document so far
            if (rules_.duplicates == MAX && topic.values[i] > topic.values[kept]) {
                dropped_[kept] = true;
                kept = std::uint32_t(i);
            } else {
                dropped_[i] = true;
            }
        }
        if (any) {
            std::size_t kept = 0;
            for (std::size_t i = 0; i < rows.size(); ++i) {
                if (dropped_[i]) continue;
                rows[kept] = rows[i];
                if (!topic.ranks.empty()) topic.ranks[kept] = topic.ranks[i];
                ++kept;
            }
            rows.resize(kept);
            topic.descending = std::is_sorted(rows.begin(), rows.end(),
                                              [](const Row& a, const Row& b) { return a.score > b.score; });
        }
        return true;
    }

    void close(Topic& topic) {
        hits_.rows += std::int64_t(topic.rows.size());
        if (!drop_duplicates(topic)) return;
        if (topic.judged < 0) {
            ++hits_.unjudged_topics;
            return;
        }
        begin_hits();
        std::size_t judged = 0;
        for (const Row& row : topic.rows) judged += row.judgment >= 0;
        if (topic.descending) rank_in_place(topic);
        else if (judged <= 8) rank_by_counting(topic);
        else rank_by_sorting(topic);
        end_hits(topic.judged, std::int64_t(topic.rows.size()));
        if (rules_.collect) topic = Topic{};
    }

    void begin_hits() {
        tied_ = decisive_ = 0;
        found_.clear();
    }

    void end_hits(std::int64_t judged_topic, std::int64_t retrieved) {
        if (!std::is_sorted(found_.begin(), found_.end())) std::sort(found_.begin(), found_.end());
        for (const auto& [rank, judgment] : found_) {
            hits_.rank.push_back(rank);
            hits_.judgment.push_back(judgment);
        }
        hits_.topic.push_back(judged_topic);
        hits_.retrieved.push_back(retrieved);
        hits_.tied.push_back(tied_);
        hits_.decisive.push_back(decisive_);
        hits_.starts.push_back(std::int64_t(hits_.rank.size()));
    }

    void rank_in_place(Topic& topic) {
        const std::vector<Row>& rows = topic.rows;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (rows[i].judgment < 0) continue;
            std::size_t begin = i, end = i + 1;
            while (begin > 0 && rows[begin - 1].score == rows[i].score) --begin;
            while (end < rows.size() && rows[end].score == rows[i].score) ++end;
            if (end - begin == 1) {
                found_.emplace_back(std::int64_t(i) + 1, rows[i].judgment);
                continue;
            }
            group_.clear();
            for (std::size_t k = begin; k < end; ++k) group_.push_back(std::uint32_t(k));
            rank_group(topic, begin);
            i = end - 1;
        }
    }

    // With few judged documents, counting the better scores is cheaper than sorting them.
    void rank_by_counting(Topic& topic) {
        const std::vector<Row>& rows = topic.rows;
        scores_.resize(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) scores_[i] = rows[i].score;
        done_.clear();
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const double score = rows[i].score;
            if (rows[i].judgment < 0 || std::find(done_.begin(), done_.end(), score) != done_.end()) continue;
            std::size_t better = 0, equal = 0;
            for (double other : scores_) {
                better += other > score;
                equal += other == score;
            }
            if (equal == 1) {
                found_.emplace_back(std::int64_t(better) + 1, rows[i].judgment);
                continue;
            }
            done_.push_back(score);
            group_.clear();
            for (std::size_t k = 0; k < rows.size(); ++k)
                if (rows[k].score == score) group_.push_back(std::uint32_t(k));
            rank_group(topic, better);
        }
    }

    void rank_by_sorting(Topic& topic) {
        const std::vector<Row>& rows = topic.rows;
        order_.resize(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) order_[i] = {rows[i].score, std::uint32_t(i)};
        sort_descending(order_, order_room_, [](const Place& place) { return place.score; });
        for (std::size_t begin = 0; begin < order_.size();) {
            std::size_t end = begin + 1;
            while (end < order_.size() && order_[end].score == order_[begin].score) ++end;
            if (end - begin == 1) {
                const Row& row = rows[order_[begin].row];
                if (row.judgment >= 0) found_.emplace_back(std::int64_t(begin) + 1, row.judgment);
            } else {
                group_.clear();
                bool judged = false;
                for (std::size_t k = begin; k < end; ++k) {
                    group_.push_back(order_[k].row);
                    judged |= rows[order_[k].row].judgment >= 0;
                }
                if (judged) rank_group(topic, begin);
            }
            begin = end;
        }
    }

    // Rows of equal score (group_, in input order), `before` of them all: ordered by the rule for ties.
    void rank_group(const Topic& topic, std::size_t before) {
        const std::vector<Row>& rows = topic.rows;
        tied_ += std::int64_t(group_.size());
        auto kind = [&](std::uint32_t k) {  // an unjudged document is of a kind of its own
            const std::int32_t j = rows[k].judgment;
            return std::make_pair(j >= 0, j >= 0 ? judgments_.grade(j) : 0.0);
        };
        for (std::uint32_t k : group_)
            if (kind(k) != kind(group_[0])) {
                ++decisive_;
                break;
            }
        auto later_id = [&](std::uint32_t a, std::uint32_t b) { return rows[a].id() > rows[b].id(); };
        if (rules_.ties == DOCID_DESC) std::sort(group_.begin(), group_.end(), later_id);
        else if (rules_.ties == DOCID_ASC)
            std::sort(group_.begin(), group_.end(),
                      [&](std::uint32_t a, std::uint32_t b) { return rows[a].id() < rows[b].id(); });
        else if (rules_.ties == BY_RANK)
            std::sort(group_.begin(), group_.end(), [&](std::uint32_t a, std::uint32_t b) {
                return topic.ranks[a] != topic.ranks[b] ? topic.ranks[a] < topic.ranks[b] : later_id(a, b);
            });
        for (std::size_t k = 0; k < group_.size(); ++k)
            if (rows[group_[k]].judgment >= 0)
                found_.emplace_back(std::int64_t(before + k) + 1, rows[group_[k]].judgment);
    }

    struct Place {
        double score;
        std::uint32_t row;
    };

    const Judgments& judgments_;
    const Rules rules_;
    Lines lines_;
    Trouble trouble_;
    Hits hits_;
    Names seen_;
    Topic only_;
    Topic* current_ = nullptr;
    std::vector<std::unique_ptr<Topic>> collected_;
    Arena arena_;
    bool finished_ = false;
    bool ids_pass_by_ = false;  // ids lie in chunks, which go away; those of columns stay

    // scratch of close()
    Slots slots_;
    std::vector<char> dropped_;
    std::vector<double> scores_, done_;
    std::vector<Place> order_;
    std::vector<std::uint32_t> group_, kept_;
    std::vector<std::pair<std::int64_t, std::int32_t>> found_;
    std::vector<std::pair<double, std::int32_t>> judged_;
    std::vector<Place> order_room_;
    std::int64_t tied_ = 0, decisive_ = 0;
};

}  // namespace rankgauge
