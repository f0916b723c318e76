// What coverage-guided fuzzing tries on the core: judgments and a run in, and whether every way to read them agrees.
//
// The first bytes of an input choose the rules, the size of chunks and where the judgments end; `make fuzz-core` runs it.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <tuple>
#include <vector>

#include "join.hpp"
#include "sorted_judgments.hpp"
#include "table.hpp"

using namespace rankgauge;

namespace {

void require(bool holds, const char* law) {
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n", law);
    std::abort();
}

std::uint64_t bits(double value) {
    std::uint64_t same;
    std::memcpy(&same, &value, sizeof same);
    return same;
}

std::vector<std::uint64_t> bits(const std::vector<double>& values) {
    std::vector<std::uint64_t> all;
    for (double value : values) all.push_back(bits(value));
    return all;
}

// In chunks of about this size, each in memory of its own, so that reading past its end is seen; 0: at once.
template <class Reader>
void feed(Reader& reader, std::string_view text, std::size_t size) {
    for (std::size_t at = 0, n = 0; at < text.size(); ++n) {
        const std::vector<char> chunk(text.begin() + std::ptrdiff_t(at),
                                      text.begin() + std::ptrdiff_t(size ? std::min(text.size(), at + size + n % 3) : text.size()));
        reader.feed(chunk.data(), chunk.size());
        at += chunk.size();
    }
}

std::string text_of(const Strings& column, std::size_t i) {
    return column.data.substr(std::size_t(column.offsets[i]), std::size_t(column.offsets[i + 1] - column.offsets[i]));
}

auto problems_of(const Table& table) {
    std::vector<std::tuple<int, std::int64_t, std::string>> all;
    for (const Problem& problem : table.problems) all.emplace_back(problem.code, problem.line, problem.found);
    return all;
}

Table read(std::string_view text, int fields, std::size_t size) {
    Table table(fields, 1000);
    feed(table, text, size);
    table.finish();
    return table;
}

// Whether a field is a number as TREC files have it, and its value by strtod, which reads much else.
bool number_by_strtod(const std::string& field, double& value) {
    std::string lower;
    for (char c : field) lower += c >= 'A' && c <= 'Z' ? char(c + 32) : c;
    std::size_t at = !lower.empty() && (lower[0] == '-' || lower[0] == '+'), digits = 0;
    value = std::strtod(field.c_str(), nullptr);
    const std::string word = lower.substr(at);
    if (word == "nan" || word == "inf" || word == "infinity") return true;
    auto skip = [&] { for (digits = 0; at < lower.size() && lower[at] >= '0' && lower[at] <= '9'; ++at) ++digits; return digits; };
    std::size_t all = skip();
    if (at < lower.size() && lower[at] == '.') ++at, all += skip();
    if (all && at < lower.size() && lower[at] == 'e') {
        ++at;
        if (at < lower.size() && (lower[at] == '-' || lower[at] == '+')) ++at;
        all = skip();
    }
    return all && at == lower.size();
}

// Every accepted line is what a splitter that knows nothing of this core makes of it, and no other line is accepted.
void check_lines(const Table& table, std::string_view text, int fields) {
    std::size_t row = 0;
    std::int64_t number = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t stop = std::min(text.find('\n', at), text.size());
        const std::string line(text.substr(at, stop - at));
        at = stop + 1, ++number;
        std::vector<std::string> cut(1);
        for (char c : line)
            if (std::strchr(" \t\r\v\f", c) && c) { if (!cut.back().empty()) cut.emplace_back(); }
            else cut.back() += c;
        if (cut.back().empty()) cut.pop_back();
        double value = 0;
        if (int(cut.size()) != fields || line.find('\0') != line.npos || cut[0][0] == '#') continue;
        if (!number_by_strtod(cut[std::size_t(fields == 6 ? 4 : fields - 1)], value) || std::isnan(value)) continue;
        if (fields != 6 && std::isinf(value)) continue;
        require(row < table.value.size() && table.line[row] == number, "a line that is right is accepted");
        require(bits(table.value[row]) == bits(value), "a number is that of strtod, bit for bit");
        require(text_of(table.topic, row) == cut[0], "the topic is the first field");
        require(text_of(table.doc, row) == cut[std::size_t(fields == 6 ? 2 : fields - 2)], "the document is its field");
        ++row;
    }
    require(row == table.value.size(), "no other line is accepted");
}

Column column(const Strings& strings) { return {strings.data.data(), {strings.offsets.data()}, strings.offsets.size() - 1}; }

// {topic: all that is known of its hits} of joins that have some topics each, and the sums over them.
auto found_by(const std::vector<Join*>& parts) {
    std::map<std::int64_t, std::tuple<std::vector<std::int64_t>, std::vector<std::uint64_t>>> topics;
    std::int64_t rows = 0, dropped = 0, unjudged = 0;
    for (const Join* part : parts) {
        const Hits& hits = part->hits();
        rows += hits.rows, dropped += hits.dropped, unjudged += hits.unjudged_topics;
        for (std::size_t t = 0; t < hits.topic.size(); ++t) {
            auto& [whole, real] = topics[hits.topic[t]];
            require(whole.empty(), "a topic is ranked once");
            whole = {hits.retrieved[t], hits.tied[t], hits.decisive[t]};
            if (!hits.squares.empty()) real.push_back(bits(hits.squares[t]));
            for (std::size_t i = std::size_t(hits.starts[t]); i < std::size_t(hits.starts[t + 1]); ++i) {
                for (const auto* each : {&hits.rank, &hits.judgment, &hits.first, &hits.last})
                    if (!each->empty()) whole.push_back((*each)[i]);
                if (!hits.score.empty()) real.push_back(bits(hits.score[i]));
            }
        }
    }
    return std::make_tuple(topics, rows, dropped, unjudged);
}

void check_judgments(const Table& table, Strings& topics, std::vector<std::int64_t>& topic, SortedJudgments& sorted) {
    std::map<std::string, std::map<std::string, std::vector<std::int64_t>>> expected;
    Names names;
    for (std::size_t i = 0; i < table.value.size(); ++i) {
        const std::string name = text_of(table.topic, i);
        topic.push_back(names.number(name));
        if (topic.back() + 1 == std::int64_t(topics.offsets.size())) topics.add(name);
        expected[name][text_of(table.doc, i)].push_back(std::int64_t(i));
    }
    sorted = sort_judgments(column(topics), topic.data(), column(table.doc));
    std::size_t place = 0, row = 0;
    for (const auto& [name, docs] : expected) {
        require(text_of(topics, sorted.topics[place]) == name, "topics are sorted as by std::map");
        require(sorted.starts[place++] == std::int64_t(row), "topics begin where they do in std::map");
        for (const auto& [doc, rows] : docs)
            for (std::int64_t each : rows) require(sorted.rows[row++] == each, "documents are sorted as by std::map");
    }
    require(place == sorted.topics.size() && row == sorted.rows.size(), "sorting keeps all judgments");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 4) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 4, size - 4);
    const std::size_t end = text.size() * data[3] / 256, chunk = 1 + data[2] % 200;
    const std::string_view judged = text.substr(0, end), run = text.substr(end);
    for (int fields : {3, 4, 6}) {
        const std::string_view file = fields == 6 ? run : judged;
        const Table whole = read(file, fields, 0), parts = read(file, fields, chunk);
        require(whole.topic.data == parts.topic.data && whole.topic.offsets == parts.topic.offsets &&
                    whole.doc.data == parts.doc.data && whole.doc.offsets == parts.doc.offsets &&
                    whole.label.data == parts.label.data && whole.label.offsets == parts.label.offsets &&
                    bits(whole.value) == bits(parts.value) && whole.rank == parts.rank && whole.line == parts.line &&
                    problems_of(whole) == problems_of(parts) && whole.lines.count == parts.lines.count,
                "a table in chunks is the table at once");
        check_lines(whole, file, fields);
    }
    const Table table = read(judged, 4, 0);
    Strings topics, docs;
    std::vector<std::int64_t> topic, starts{0};
    SortedJudgments sorted;
    check_judgments(table, topics, topic, sorted);
    Strings ordered;
    std::vector<double> grades;
    for (std::size_t t = 0; t < sorted.topics.size(); ++t) {
        ordered.add(text_of(topics, sorted.topics[t]));
        for (std::int64_t i = sorted.starts[t]; i < sorted.starts[t + 1]; ++i) {
            const std::size_t row = std::size_t(sorted.rows[std::size_t(i)]);
            if (i > sorted.starts[t] && text_of(table.doc, row) == text_of(table.doc, std::size_t(sorted.rows[std::size_t(i - 1)]))) continue;
            docs.add(text_of(table.doc, row));
            grades.push_back(table.value[row]);
        }
        starts.push_back(std::int64_t(grades.size()));
    }
    const Judgments judgments(column(ordered), starts.data(), column(docs), grades.data(), data[0] & 1 ? 1.0 : -1e300);
    Rules rules;
    rules.order.ties = TIES[data[1] % std::size(TIES)].rule;
    rules.order.by_rank = data[0] & 2;
    rules.order.single = data[0] & 4;
    rules.detail = data[0] & 8;
    rules.duplicates = DUPLICATES[data[1] / 16 % 3].rule;
    Join whole(judgments, rules), parts(judgments, rules);
    feed(whole, run, 0), feed(parts, run, chunk);
    const Problem problem = whole.finish(), same = parts.finish();
    require(std::tie(problem.code, problem.line, problem.found) == std::tie(same.code, same.line, same.found),
            "a problem in chunks is the problem at once");
    if (!problem) require(found_by({&whole}) == found_by({&parts}), "hits in chunks are the hits at once");
    rules.collect = true;
    Join all(judgments, rules), first(judgments, rules), second(judgments, rules), third(judgments, rules);
    feed(all, run, chunk);
    const bool failed = bool(all.finish());
    if (!problem) require(!failed && found_by({&all}) == found_by({&whole}), "collected hits are those of a run in order");
    std::size_t from = 0, cut = 0;
    for (Join* part : {&first, &second, &third}) {
        cut = part == &third ? run.size() : std::min(run.find('\n', std::max(from, run.size() * std::size_t(part == &first ? 1 : 2) / 3)), run.size() - 1) + 1;
        if (run.empty()) cut = 0;
        feed(*part, run.substr(from, std::max(from, cut) - from), chunk);
        from = std::max(from, cut);
    }
    first.regroup({&second, &third});
    bool any = false;
    for (Join* part : {&first, &second, &third}) any |= bool(part->finish());
    require(any == failed, "regrouped in three, a run has a problem if it has one at once");
    if (!any) require(found_by({&first, &second, &third}) == found_by({&all}), "regrouped in three is one");
    return 0;
}
