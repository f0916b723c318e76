// The Python function run_text.
#pragma once

#include "python.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace rankgauge {

// A number as Python's repr() writes it: with the fewest digits that are read back as the same number.
#if defined(__cpp_lib_to_chars)
using Writing = Unlocked;

inline void add_number(std::string& text, double value) {
    if (value != value) {
        text += "nan";  // whatever its sign
        return;
    }
    const double size = std::fabs(value);
    const bool plain = size == 0 || (size >= 1e-4 && size < 1e16);
    char digits[32];
    const auto form = plain ? std::chars_format::fixed : std::chars_format::scientific;
    char* const end = std::to_chars(digits, digits + sizeof digits, value, form).ptr;
    text.append(digits, end);
    if (plain && std::find(digits, end, '.') == end) text += ".0";
}
#else  // libraries that have integers alone
struct Writing {
    Writing() {}
};

inline void add_number(std::string& text, double value) {
    char* digits = PyOS_double_to_string(value, 'r', 0, Py_DTSF_ADD_DOT_0, nullptr);
    if (!digits) throw Failed();
    text += digits;
    PyMem_Free(digits);
}
#endif

inline void add_number(std::string& text, std::int64_t value) {
    char digits[24];
    text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

inline PyObject* core_run_text(PyObject*, PyObject* args) {
    return guarded(
        [&] {
            PyObject *topic_data, *topic_offsets, *doc_data, *doc_offsets, *ranks, *scores, *tag_data, *tag_offsets;
            if (!PyArg_ParseTuple(args, "OOOOOOOO", &topic_data, &topic_offsets, &doc_data, &doc_offsets, &ranks,
                                  &scores, &tag_data, &tag_offsets))
                throw Failed();
            const Texts topics(topic_data, topic_offsets), docs(doc_data, doc_offsets), tags(tag_data, tag_offsets);
            const Buffer rank_buffer(ranks), score_buffer(scores);
            const Column topic = topics.column(), doc = docs.column(), tag = tags.column();
            const std::int64_t* rank = rank_buffer.numbers<std::int64_t>();
            const double* score = score_buffer.numbers<double>();
            for (const std::size_t size : {doc.size, tag.size, rank_buffer.count(), score_buffer.count()})
                if (size != topic.size) throw std::invalid_argument("columns of different lengths");
            std::string text;
            {
                Writing writing;
                for (std::size_t i = 0; i < topic.size; ++i) {
                    text.append(topic[i]).append(" Q0 ").append(doc[i]) += ' ';
                    add_number(text, rank[i]);
                    add_number(text += ' ', score[i]);
                    (text += ' ').append(tag[i]) += '\n';
                }
            }
            return bytes_of(text);
        },
        nullptr);
}

}  // namespace rankgauge
