// Where the lines of each topic are in the text of a TREC file.
#pragma once

#include <vector>

#include "table.hpp"

namespace rankgauge {

// Consecutive lines with the same first field: where they begin and end, and that field. Blank lines belong to none, and
// a field that is all of its line begins anew. Every line of the text has its end.
struct TopicLines {
    std::vector<std::int64_t> begins, ends;
    Strings topics;

    TopicLines(const char* text, std::size_t size) {
        const char *const end = text + size, *next;
        std::string_view topic;
        for (const char* line = text; line < end; line = next) {
            const void* newline = std::memchr(line, '\n', std::size_t(end - line));
            next = newline ? static_cast<const char*>(newline) + 1 : end;
            const char* begin = skip_space(line, next);
            const bool goes_on = !topic.empty() && std::size_t(next - begin) > topic.size() + 1 &&
                                 is_space(begin[topic.size()]) &&
                                 std::memcmp(begin, topic.data(), topic.size()) == 0;
            if (goes_on) {
                ends.back() = next - text;
                continue;
            }
            topic = std::string_view(begin, std::size_t(skip_field(begin, next) - begin));
            if (topic.empty()) continue;
            topics.add(topic);
            begins.push_back(line - text);
            ends.push_back(next - text);
        }
    }
};

}  // namespace rankgauge
