// A whole TREC file as columns, with a record of every problem.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "text.hpp"

namespace rankgauge {

struct Strings {
    std::string data;
    std::vector<std::int64_t> offsets{0};

    void add(std::string_view text) {
        data.append(text);
        offsets.push_back(std::int64_t(data.size()));
    }
};

class Table {
public:
    // fields: 6 for a run, 4 for judgments, 3 for judgments without the second column.
    Table(int fields, std::int64_t keep) : fields_(fields), keep_(keep) {}

    // Returns the number of problems so far. A line that is too long counts before its end, as it may have none.
    std::int64_t feed(const char* data, std::size_t size) {
        if (fields_ == 6) feed_lines<6>(data, size);
        else if (fields_ == 4) feed_lines<4>(data, size);
        else feed_lines<3>(data, size);
        return count_ + lines.is_overlong();
    }

    void finish() {
        lines.finish([&](std::string_view line, bool) { return row(line); });
    }

    Lines lines;
    Strings topic, doc, label;
    std::vector<double> value;
    std::vector<std::int64_t> rank, line;
    std::vector<Problem> problems;
    std::array<std::int64_t, 16> counts{};

private:
    template <int FIELDS>
    void feed_lines(const char* data, std::size_t size) {
        lines.feed<FIELDS>(data, size, [&](std::string_view line, bool) { return row(line); },
                           [&](const SimpleLines<FIELDS>& line) { return row(Fields(line.field)); });
    }

    bool row(std::string_view text) {
        if (Code code = unreadable(text)) return note(code, text);
        const Fields fields(text);
        return fields.is_nothing() || row(fields, text);
    }

    bool row(const Fields& fields) { return row(fields, fields.whole()); }

    bool row(const Fields& fields, std::string_view text) {
        std::string_view found = text;
        const Code code = take(fields, found);
        return code == FINE || note(code, found);
    }

    // Always true: reading goes on.
    bool note(Code code, std::string_view found) {
        ++count_;
        if (++counts[code] <= keep_) problems.push_back({code, lines.count, quoted(found)});
        return true;
    }

    Code take(const Fields& fields, std::string_view& found) {
        if (fields.count != fields_) return COLUMNS;
        const bool run = fields_ == 6;
        const std::string_view number = fields.field[run ? 4 : fields_ - 1];
        double read;
        if (!read_number(number, read) || (!run && std::isinf(read))) {
            found = number;
            return run ? BAD_SCORE : BAD_GRADE;
        }
        if (read != read) {
            found = number;
            return NOT_A_NUMBER;
        }
        std::int64_t place = NO_RANK;
        if (run && !read_rank(fields.field[3], place)) place = NO_RANK;
        topic.add(fields.field[0]);
        doc.add(fields.field[run ? 2 : fields_ - 2]);
        label.add(run ? fields.field[5] : fields_ == 4 ? fields.field[1] : std::string_view("0"));
        value.push_back(read);
        if (run) rank.push_back(place);
        line.push_back(lines.count);
        return FINE;
    }

    const int fields_;
    const std::int64_t keep_;
    std::int64_t count_ = 0;  // of all problems
};

}  // namespace rankgauge
