// The core without Python, for the sanitizers: reads cases from standard input and works them off.
// A case is two blocks of bytes, judgments and a run, each after its length (8 bytes, as this machine writes them).
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "candidates.hpp"
#include "join.hpp"
#include "ranks.hpp"
#include "sorted_judgments.hpp"
#include "table.hpp"
#include "topic_lines.hpp"

using namespace rankgauge;

namespace {

bool read_block(std::vector<char>& block) {
    std::uint64_t size = 0;
    if (std::fread(&size, sizeof size, 1, stdin) != 1) return false;
    block.assign(size, '\0');
    return size == 0 || std::fread(block.data(), 1, size, stdin) == size;
}

// Feeds a block in chunks of about this size, each in memory of its own that ends where the chunk ends.
template <class Reader>
void feed(Reader& reader, const std::vector<char>& block, std::size_t size) {
    for (std::size_t at = 0, n = 0; at < block.size(); ++n) {
        const std::size_t length = std::min(size + n % 3, block.size() - at);
        const std::vector<char> chunk(block.begin() + std::ptrdiff_t(at), block.begin() + std::ptrdiff_t(at + length));
        reader.feed(chunk.data(), chunk.size());
        at += length;
    }
    reader.finish();
}

Column column(const Strings& strings) { return {strings.data.data(), {strings.offsets.data()}, strings.offsets.size() - 1}; }

struct Judged {
    Strings topics, docs;
    std::vector<std::int64_t> starts{0};
    std::vector<double> grades;
};

Judged judged(const std::vector<char>& block, std::size_t size) {
    Table table(4, 10);
    feed(table, block, size);
    std::map<std::string, std::map<std::string, double>> sorted;
    auto text = [](const Strings& column, std::size_t i) {
        return column.data.substr(std::size_t(column.offsets[i]), std::size_t(column.offsets[i + 1] - column.offsets[i]));
    };
    for (std::size_t i = 0; i < table.value.size(); ++i) sorted[text(table.topic, i)][text(table.doc, i)] = table.value[i];
    std::vector<std::int64_t> number;
    Names names;
    Strings distinct;
    for (std::size_t i = 0; i < table.value.size(); ++i) {
        number.push_back(names.number(text(table.topic, i)));
        if (number.back() + 1 == std::int64_t(distinct.offsets.size())) distinct.add(text(table.topic, i));
    }
    const SortedJudgments ordered = sort_judgments(column(distinct), number.data(), column(table.doc));
    if (ordered.rows.size() != number.size() || ordered.topics.size() != sorted.size()) std::abort();
    Judged found;
    for (const auto& [topic, docs] : sorted) {
        found.topics.add(topic);
        for (const auto& [doc, grade] : docs) {
            found.docs.add(doc);
            found.grades.push_back(grade);
        }
        found.starts.push_back(std::int64_t(found.grades.size()));
    }
    return found;
}

}  // namespace

int main() {
    std::vector<char> qrels, run;
    long long cases = 0, hits = 0, problems = 0;
    while (read_block(qrels) && read_block(run)) {
        const Judged known = judged(qrels, 50 + qrels.size() / 100);
        const Judgments judgments(column(known.topics), known.starts.data(), column(known.docs), known.grades.data(), cases % 2 ? 1.0 : -1.0);
        const std::size_t scale = 1 + run.size() / 4096;  // large files in larger chunks
        for (std::size_t size : {scale, 63 * scale, run.size() + 1}) {
            const int step = run.size() < 1 << 13 ? 1 : 5;  // a few rules are enough for long files
            for (int rule = 0; rule < 24; rule += step) {
                Rules rules;
                rules.order.ties = TIES[(rule + cases) % std::size(TIES)].rule;
                rules.order.by_rank = (rule + cases) % 5 == 0;
                rules.order.single = (rule + cases) % 3 == 0;
                rules.duplicates = DUPLICATES[rule / 4 % 3].rule;
                rules.collect = rule >= 12;
                rules.detail = (rule + cases) % 7 == 0;
                Join join(judgments, rules);
                feed(join, run, size);
                hits += static_cast<long long>(join.hits().rank.size());
                problems += bool(join.problem());
                if (!rules.collect) continue;
                Join first(judgments, rules), second(judgments, rules), third(judgments, rules);
                const std::size_t half = run.size() / 2;
                first.feed(run.data(), half);
                third.feed(run.data() + half, run.size() - half);
                first.regroup({&second, &third});
                for (Join* part : {&first, &second, &third}) {
                    part->finish();
                    hits += static_cast<long long>(part->hits().rank.size());
                }
            }
            hits += static_cast<long long>(TopicLines(run.data(), run.size()).begins.size());
            Table table(6, 3);
            feed(table, run, size);
            const Column docs = column(table.doc);
            std::vector<std::int64_t> judgment;
            for (std::size_t i = 0; i < docs.size; ++i)
                judgment.push_back(judgments.topics() ? judgments.find(i % judgments.topics(), hash_of(docs[i]), docs[i]) : -1);
            for (const auto& ties : TIES) {
                DocumentOrder order;
                order.ties = ties.rule;
                order.by_rank = cases % 2;
                std::vector<std::int64_t> topic(docs.size), ranks(docs.size);
                for (std::size_t i = 0; i < docs.size; ++i) topic[i] = std::int64_t(hash_of(docs[i]) % 3) - 1;
                rank_rows({topic.data(), docs, table.value.data(), table.rank.data()}, order, ranks.data());
                for (std::int64_t rank : ranks) hits += rank == 1;
            }
            const std::int64_t half = std::int64_t(docs.size / 2), all = std::int64_t(docs.size);
            for (const char* ties : {"docid_desc", "docid_asc", "input"}) {
                const DocumentOrder order("score", ties, (cases + ties[0]) % 2 ? "single" : "double");
                const FixedCandidates candidates({0, half}, {half, all}, docs, judgment, known.grades, order);
                const std::vector<float> narrow(table.value.begin(), table.value.end());
                const auto placed = order.ties == Ties::DOCID_ASC ? candidates.place(narrow.data()) : candidates.place(table.value.data());
                if (placed) hits += static_cast<long long>(placed->rank.size());
            }
        }
        ++cases;
    }
    std::printf("%lld cases, %lld hits, %lld problems\n", cases, hits, problems);
}
