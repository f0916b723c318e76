// From the rows of a run, as they stream by, to hits. Rows are kept for one topic at a time, unless topics are
// interleaved: then they are collected in bins (see bins.hpp) and ranked at the end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bins.hpp"
#include "ranking.hpp"

namespace rankgauge {

class Join {
public:
    Join(const Judgments& judgments, Rules rules)
        : judgments_(judgments), rules_(rules), ranker_(judgments, rules), bins_(rules.collect ? BINS : 0) {}

    // The next bytes of a TREC run file. After a problem, or once finished, nothing more is taken.
    void feed(const char* data, std::size_t size) {
        if (problem_ || finished_) return;
        ids_pass_by_ = true;
        lines_.feed<6>(data, size, [&](std::string_view line, bool in_chunk) {
            if (!take_line(line)) return false;
            if (!in_chunk) settle();
            return true;
        }, [&](const SimpleLines<6>& line) { return take_fields(line.field, line.same_topic); });
        settle();
        if (lines_.is_overlong()) end_lines();  // a problem already, even if the line never ends
    }

    // Columns of some rows, as long as bytes would be taken; a row's topic is a number among `topics`. The ids of joins
    // that collect must outlive them.
    void columns(const Column& topics, const Numbers& topic, const Column& docs, const double* scores,
                 const std::int64_t* ranks) {
        if (finished_) return;
        for (std::size_t i = 0; i < docs.size && !problem_; ++i) {
            ++lines_.count;
            if ((i == 0 || topic[i] != topic[i - 1]) && !take_topic(topics[std::size_t(topic[i])])) return;
            take_row(docs[i], scores[i], ranks ? ranks[i] : 0);
        }
        settle();
    }

    // Takes from joins of later parts of the same run, and gives them, whole bins: all rows of a topic come together, and
    // each join has some topics to rank. Only for joins that collect, before they are finished.
    void regroup(const std::vector<Join*>& later) {
        end_lines();
        for (Join* other : later) {
            other->end_lines();
            if (other->problem_ && !problem_) problem_ = other->problem_;
        }
        for (std::size_t b = 0; b < bins_.size(); ++b) {
            for (Join* other : later) bins_[b].absorb(std::move(other->bins_[b]));
            const std::size_t owner = b * (later.size() + 1) / BINS;
            if (owner > 0) std::swap(bins_[b], later[owner - 1]->bins_[b]);
        }
    }

    // Ranks some of the topics that were collected; false once none is left. Ranking all of them takes long, and
    // the caller may want to stop.
    bool rank_some() {
        end_lines();
        if (!rules_.collect || problem_ || next_bin_ == bins_.size()) return false;
        Bin& bin = bins_[next_bin_++];
        bin.each_topic([&](std::string_view id, Topic topic) {
            topic.id = id;
            topic.judged = judgments_.topic(id);
            if (topic.judged >= 0) judge(topic);
            rank(topic);
        });
        bin = Bin();
        return true;
    }

    const Problem& finish() {
        end_lines();
        if (ranked_ || problem_) return problem_;
        ranked_ = true;
        if (!rules_.collect) {
            if (open_) close();
            seen_ = Names();  // as much memory as the hashes of many topics will take when parts are gathered
            return problem_;
        }
        while (rank_some()) {}
        sort_by_topic(ranker_.hits);
        return problem_;
    }

    const Rules& rules() const { return rules_; }
    const Problem& problem() const { return problem_; }
    const Hits& hits() const { return ranker_.hits; }
    Ranker& ranker() { return ranker_; }

private:
    bool fail(Code code, std::string found) {
        problem_ = {code, lines_.count, std::move(found)};
        return false;
    }

    void end_lines() {
        if (!finished_ && !problem_) lines_.finish([&](std::string_view line, bool) {
            if (take_line(line)) settle();
            return true;
        });
        finished_ = true;
    }

    bool take_line(std::string_view line) {
        if (Code code = unreadable(line)) return fail(code, quoted(line));
        const Fields fields(line);
        if (fields.is_nothing()) return true;
        if (fields.count != 6) return fail(COLUMNS, quoted(line));
        return take_fields(fields.field, false);
    }

    [[gnu::always_inline]] bool take_fields(const std::string_view (&field)[6], bool same_topic) {
        const std::string_view score = field[4];
        const std::size_t readable = std::size_t(score.data() + score.size() - field[0].data());
        double value;
        if (!read_score(score, readable, value)) return fail(BAD_SCORE, quoted(score));
        if (value != value) return fail(NOT_A_NUMBER, quoted(score));
        std::int64_t place = 0;
        if (rules_.needs_rank() && !read_rank(field[3], place)) return fail(BAD_RANK, quoted(field[3]));
        if (!same_topic && !take_topic(field[0])) return false;
        take_row(field[2], value, place);
        return true;
    }

    bool take_topic(std::string_view id) {
        if (open_ && same_text(id_, id)) return true;
        if (rules_.collect) {
            const std::uint64_t hash = hash_of(id);
            bin_ = &bins_[hash >> (64 - BIN_BITS)];
            number_ = bin_->number(id, hash);
        } else {
            if (open_) close();
            if (problem_) return false;
            const std::size_t before = seen_.size();
            if (seen_.number(id) != before) return fail(REAPPEARED, std::string(id));
            judged_ = judgments_.topic(id);
            hints_ = judged_ < 0 ? 0 : judgments_.hints(std::size_t(judged_));
            lowest_ = std::numeric_limits<double>::infinity();
            descending_ = true;
        }
        id_.assign(id);
        open_ = true;
        return true;
    }

    [[gnu::always_inline]] void take_row(std::string_view doc, double score, std::int64_t rank) {
        const double value = score;
        if (!only_scores_) score = rules_.order.key(score, rank);
        const std::uint64_t hash = hash_of(doc);
        if (rules_.collect && ids_pass_by_) doc = bin_->keep(doc);
        // filled in its place: a copy would have to wait for its stores
        Row& row = rules_.collect ? bin_->add(number_) : rows_.emplace_back();
        row.score = score;
        row.hash = hash;
        row.doc = doc.data();
        row.length = std::uint32_t(doc.size());
        if (rules_.collect) {
            ++collected_;
            if (!only_scores_) bin_->add_unusual(rank, value);
            return;
        }
        row.judgment = -1;
        if (Judgments::hinted(hints_, hash)) row.judgment = judgments_.find(std::size_t(judged_), hash, doc);
        descending_ &= score <= lowest_;  // no jump, which could not be foreseen
        lowest_ = score;
        if (!only_scores_) {
            ranks_.push_back(rank);
            values_.push_back(value);
        }
    }

    // Ids of the open topic move out of the chunk or the column that is about to go away. Duplicates do not wait for the
    // end of the topic: a small compressed file can hold one row many million times.
    void settle() {
        for (; settled_ < rows_.size(); ++settled_) rows_[settled_].doc = arena_.copy(rows_[settled_].id()).data();
        if (rows_.size() >= limit_) {
            thin_open();
            limit_ = std::max(LEAST_THINNED, 2 * rows_.size());
        } else if (collected_ >= limit_) {
            thin_bins();
            limit_ = std::max(LEAST_THINNED, 2 * collected_);
        }
    }

    void thin_open() {
        Topic topic = open_topic();
        if (!drop_duplicates(topic) || topic.size == rows_.size()) return;
        rows_.resize(topic.size);
        if (!only_scores_) {
            ranks_.resize(topic.size);
            values_.resize(topic.size);
        }
        Arena kept;
        for (Row& row : rows_) row.doc = kept.copy(row.id()).data();
        arena_ = std::move(kept);
        settled_ = topic.size;
    }

    // All of them only if the largest shows that it is worth it.
    void thin_bins() {
        Bin& largest = *std::max_element(bins_.begin(), bins_.end(),
                                         [](const Bin& a, const Bin& b) { return a.rows() < b.rows(); });
        const std::size_t before = largest.rows();
        thin(largest);
        if (2 * largest.rows() > before) return;
        for (Bin& bin : bins_) thin(bin);
    }

    void thin(Bin& bin) {
        collected_ -= bin.rows();
        Bin thinned;  // its topics have the same numbers
        bin.each_topic([&](std::string_view id, Topic topic) {
            topic.id = id;
            if (problem_ || !drop_duplicates(topic)) return;
            const std::uint32_t number = thinned.number(id, hash_of(id));
            for (std::size_t i = 0; i < topic.size; ++i) {
                Row& row = thinned.add(number);
                row.score = topic.rows[i].score;
                row.hash = topic.rows[i].hash;
                row.length = topic.rows[i].length;
                row.doc = ids_pass_by_ ? thinned.keep(topic.doc(i)).data() : topic.rows[i].doc;
                if (!only_scores_) thinned.add_unusual(topic.ranks[i], topic.values[i]);
            }
            collected_ += topic.size;
        });
        bin = std::move(thinned);
    }

    bool drop_duplicates(Topic& topic) {
        std::string found;
        if (!ranker_.drop_duplicates(topic, found)) return fail(DUPLICATE, std::move(found));
        return true;
    }

    Topic open_topic() {
        Topic topic;
        topic.id = id_;
        topic.judged = judged_;
        topic.rows = rows_.data();
        topic.size = rows_.size();
        topic.ranks = ranks_.data();
        topic.values = values_.data();
        topic.descending = descending_;
        return topic;
    }

    // The topic that was open is complete.
    void close() {
        rank(open_topic());
        rows_.clear();
        ranks_.clear();
        values_.clear();
        arena_.clear();
        settled_ = 0;
        limit_ = LEAST_THINNED;
        open_ = false;
    }

    void judge(Topic& topic) {
        const std::size_t judged = std::size_t(topic.judged);
        const std::uint64_t hints = judgments_.hints(judged);
        for (std::size_t i = 0; i < topic.size; ++i) {
            Row& row = topic.rows[i];
            row.judgment = Judgments::hinted(hints, row.hash) ? judgments_.find(judged, row.hash, row.id()) : -1;
        }
    }

    void rank(const Topic& topic) {
        std::string found;
        if (!ranker_.rank(topic, found)) fail(DUPLICATE, std::move(found));
    }

    const Judgments& judgments_;
    const Rules rules_;
    const bool only_scores_ = rules_.needs_only_scores();
    Lines lines_;
    Problem problem_;
    Ranker ranker_;
    bool finished_ = false, ranked_ = false;
    bool ids_pass_by_ = false;  // ids lie in chunks, which go away; those of collected columns stay

    // the open topic
    bool open_ = false;
    std::string id_;
    std::int64_t judged_ = -1;
    std::uint64_t hints_ = 0;
    double lowest_ = 0.0;  // its last score
    bool descending_ = true;
    std::vector<Row> rows_;
    std::vector<std::int64_t> ranks_;
    std::vector<double> values_;
    std::size_t settled_ = 0;  // rows whose ids are out of the chunk
    static constexpr std::size_t LEAST_THINNED = std::size_t(1) << 18;
    std::size_t limit_ = LEAST_THINNED;  // of rows, before duplicates are dropped
    Arena arena_;
    Names seen_;

    // collected topics
    std::vector<Bin> bins_;
    Bin* bin_ = nullptr;
    std::size_t next_bin_ = 0;  // to be ranked
    std::uint32_t number_ = 0;  // of the open topic in its bin
    std::size_t collected_ = 0;  // rows in all bins
};

}  // namespace rankgauge
