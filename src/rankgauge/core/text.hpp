// Lines and fields of TREC files: cutting chunks of bytes into lines, lines into fields, fields into numbers.
// Independent of Python. Input is hostile: nothing here reads past its end.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "hashing.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace rankgauge {

// What is wrong with a line; codes.py has the same list.
enum Code : int {
    FINE = 0,
    COLUMNS = 1,
    BAD_SCORE = 2,
    BAD_GRADE = 3,
    NOT_A_NUMBER = 4,
    BAD_RANK = 5,
    DUPLICATE = 6,
    BINARY = 7,
    LONG_LINE = 8,
    REAPPEARED = 9,
};

constexpr std::size_t MAX_LINE = std::size_t(1) << 20;
constexpr std::size_t FOUND_BYTES = 200;
constexpr std::int64_t NO_RANK = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t LARGE_RANK = std::int64_t(1) << 53;

struct Problem {
    Code code = FINE;
    std::int64_t line = 0;
    std::string found;

    explicit operator bool() const { return code != FINE; }
};

inline std::string quoted(std::string_view text) { return std::string(text.substr(0, FOUND_BYTES)); }

// The white space of Python's bytes.split().
inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// What stands between the fields of a simple line.
inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

inline const char* skip_space(const char* at, const char* end) {
    while (at < end && is_space(*at)) ++at;
    return at;
}

inline const char* skip_field(const char* at, const char* end) {
    while (at < end && !is_space(*at)) ++at;
    return at;
}

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

inline bool equals_folded(std::string_view text, std::string_view lower) {
    if (text.size() != lower.size()) return false;
    for (std::size_t i = 0; i < text.size(); ++i)
        if ((text[i] | 0x20) != lower[i]) return false;
    return true;
}

inline int lowest_bit(std::uint64_t bits) {
#if defined(__GNUC__)
    return __builtin_ctzll(bits);
#else
    int n = 0;
    while (!(bits >> n & 1)) ++n;
    return n;
#endif
}

// The eight bytes from here on, the first in the lowest place.
inline std::uint64_t eight_bytes(const char* at) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(load8(at));
#else
    return load8(at);
#endif
}

constexpr std::uint64_t ZEROS = 0x3030303030303030;  // eight digits 0

// The number that eight decimal digits make, all at once; false if these are not eight digits.
inline bool eight_digits(std::uint64_t eight, std::uint64_t& number) {
    const std::uint64_t digits = eight - ZEROS;
    if (((eight + 0x4646464646464646) | digits) & 0x8080808080808080) return false;
    const std::uint64_t pairs = digits * 10 + (digits >> 8);
    number = ((pairs & 0x000000FF000000FF) * 0x000F424000000064 +
              ((pairs >> 16) & 0x000000FF000000FF) * 0x0000271000000001) >> 32;
    return true;
}

// Any valid number without a sign, correctly rounded; what is too large for a double is infinity, what is too small 0.
inline double read_slowly(const char* begin, const char* end, long exponent) {
    double value = 0.0;
#if defined(__cpp_lib_to_chars)
    if (std::from_chars(begin, end, value).ec == std::errc::result_out_of_range) {
        const char* first = begin;  // the place of the first digit that counts decides between the two
        while (*first == '0' || *first == '.') ++first;
        const char* point = begin;
        while (point < end && is_digit(*point)) ++point;
        value = point - first + exponent > 0 ? std::numeric_limits<double>::infinity() : 0.0;
    }
#else
    // strtod reads the decimal point of the locale. Digits and an exponent do without one.
    std::string digits(begin, std::find_if(begin, end, [](char c) { return c == 'e' || c == 'E'; }));
    const std::size_t point = digits.find('.');
    if (point != std::string::npos) {
        exponent -= long(digits.size() - point - 1);
        digits.erase(point, 1);
    }
    value = std::strtod((digits + 'e' + std::to_string(exponent)).c_str(), nullptr);
#endif
    return value;
}

constexpr double TENS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                           1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
// Up to here whole numbers are exact as doubles, and so are those powers of ten: one operation with two of them rounds
// once, which gives the correct result.
constexpr std::uint64_t EXACT = std::uint64_t(1) << 53;

// The decimal number a field holds, as Python's float() reads it (without its underscores).
inline bool read_number(std::string_view field, double& value) {
    const char *at = field.data(), *end = at + field.size();
    bool negative = false;
    if (at < end && (*at == '-' || *at == '+')) negative = *at++ == '-';
    const char* begin = at;
    std::uint64_t mantissa = 0;  // wraps from the 20th digit on, and is then not used
    while (at < end && is_digit(*at)) mantissa = mantissa * 10 + std::uint64_t(*at++ - '0');
    std::ptrdiff_t digits = at - begin, after_point = 0;
    if (at < end && *at == '.') {
        const char* point = at++;
        std::uint64_t number;
        while (end - at >= 8 && eight_digits(eight_bytes(at), number)) {
            mantissa = mantissa * 100000000 + number;
            at += 8;
        }
        while (at < end && is_digit(*at)) mantissa = mantissa * 10 + std::uint64_t(*at++ - '0');
        after_point = at - point - 1;
        digits += after_point;
    }
    if (digits == 0) {
        std::string_view word(begin, std::size_t(end - begin));
        if (equals_folded(word, "nan")) value = std::numeric_limits<double>::quiet_NaN();
        else if (equals_folded(word, "inf") || equals_folded(word, "infinity"))
            value = negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
        else return false;
        return true;
    }
    long exponent = 0;
    if (at < end && (*at == 'e' || *at == 'E')) {
        ++at;
        bool down = false;
        if (at < end && (*at == '-' || *at == '+')) down = *at++ == '-';
        if (at == end) return false;
        for (; at < end && is_digit(*at); ++at)
            if (exponent < 100000000) exponent = exponent * 10 + (*at - '0');
        if (down) exponent = -exponent;
    }
    if (at != end) return false;
    const long scale = exponent - long(after_point);
    if (digits <= 19 && mantissa <= EXACT && scale >= -22 && scale <= 22)
        value = scale < 0 ? double(mantissa) / TENS[-scale] : double(mantissa) * TENS[scale];
    else value = read_slowly(begin, end, exponent);
    if (negative) value = -value;
    return true;
}

// All but the last of eight bytes, by how many the last are.
constexpr std::uint64_t BEFORE[] = {~std::uint64_t(0), ~std::uint64_t(0) >> 8,  ~std::uint64_t(0) >> 16,
                                    ~std::uint64_t(0) >> 24, ~std::uint64_t(0) >> 32, ~std::uint64_t(0) >> 40,
                                    ~std::uint64_t(0) >> 48, ~std::uint64_t(0) >> 56, 0};

// The last of eight bytes, with digits 0 in place of those before them.
inline std::uint64_t last_bytes(std::uint64_t eight, int count) {
    return (eight & ~BEFORE[count]) | (ZEROS & BEFORE[count]);
}

// The same as read_number, at once, if the number is as most scores are: at most 15 digits and a point, at most eight of
// them behind it. `readable` bytes lie before the end of the field, its own among them.
[[gnu::always_inline]] inline bool read_score(std::string_view field, std::size_t readable, double& value) {
#if defined(__SSE2__)
    const bool negative = field[0] == '-';
    const int digits = int(field.size()) - negative - 1;
    if (readable >= 24 && digits > 0 && digits <= 15) {
        const char* end = field.data() + field.size();
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(end - 16));
        const int points = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('.'))) >> (15 - digits);
        const int behind = points ? digits - lowest_bit(std::uint64_t(points)) : 9;
        if (behind <= 8) {
            // The last eight bytes without the point: those before it move up by one.
            const std::uint64_t eight =
                (eight_bytes(end - 9) & BEFORE[behind]) | (eight_bytes(end - 8) & ~BEFORE[behind]);
            std::uint64_t number, more = 0;
            if (eight_digits(last_bytes(eight, std::min(digits, 8)), number) &&
                (digits <= 8 || eight_digits(last_bytes(eight_bytes(end - 17), digits - 8), more))) {
                value = double(std::int64_t(more * 100000000 + number)) / TENS[behind];
                if (negative) value = -value;
                return true;
            }
        }
    }
#else
    (void)readable;
#endif
    return read_number(field, value);
}

// The rank a field holds. A larger number would be no key to order by: keys are doubles.
inline bool read_rank(std::string_view field, std::int64_t& value) {
    if (!field.empty() && field[0] == '+') {
        field.remove_prefix(1);
        if (field.empty() || !is_digit(field[0])) return false;
    }
    auto result = std::from_chars(field.data(), field.data() + field.size(), value);
    return result.ec == std::errc() && result.ptr == field.data() + field.size() && value < LARGE_RANK &&
           value > -LARGE_RANK;
}

// A line cut into fields; `count` is one more than MOST when there are too many.
struct Fields {
    static constexpr int MOST = 6;
    std::string_view field[MOST];
    int count = 0;

    explicit Fields(std::string_view line) {
        const char *at = line.data(), *end = at + line.size();
        while ((at = skip_space(at, end)) < end) {
            const char* stop = skip_field(at, end);
            if (count == MOST) {
                ++count;
                return;
            }
            field[count++] = {at, std::size_t(stop - at)};
            at = stop;
        }
    }

    template <int COUNT>
    explicit Fields(const std::string_view (&fields)[COUNT]) : count(COUNT) {
        static_assert(COUNT > 0 && COUNT <= MOST);
        for (int i = 0; i < COUNT; ++i) field[i] = fields[i];
    }

    // The line again, from its first field to its last, neither none nor too many.
    std::string_view whole() const {
        const std::string_view last = field[count - 1];
        return {field[0].data(), std::size_t(last.data() + last.size() - field[0].data())};
    }

    bool is_nothing() const { return count == 0 || field[0][0] == '#'; }
};

// Bit i is set where byte i of 64 is at most a space: white space, or control characters that no line should have.
inline std::uint64_t space_bits(const char* at) {
    std::uint64_t bits = 0;
#if defined(__SSE2__)
    const __m128i space = _mm_set1_epi8(' ');
    for (int i = 0; i < 4; ++i) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 16 * i));
        const __m128i found = _mm_cmpeq_epi8(_mm_min_epu8(bytes, space), bytes);
        bits |= std::uint64_t(std::uint32_t(_mm_movemask_epi8(found))) << (16 * i);
    }
#else
    for (int i = 0; i < 64; ++i) bits |= std::uint64_t(std::uint8_t(at[i]) <= ' ') << i;
#endif
    return bits;
}

// Cuts simple lines, as most are, into so many fields: one space or tab between them, a newline after the last.
// Lines of one chunk follow each other, and most begin as the one before did: with its topic. (Not if the third field is
// the last: the document is part of the beginning then.)
//
// What is done for every line, here and in Join, is always inlined: as calls the steps take a seventh longer.
template <int COUNT>
class SimpleLines {
public:
    static_assert(COUNT > 2);
    std::string_view field[COUNT];
    bool same_topic = false;  // as in the simple line before, nothing in between

    // The length of the line that begins here, without its newline; 0 for Lines and Fields to look closer.
    [[gnu::always_inline]] std::size_t cut(const char* at, const char* end) {
        const std::size_t room = std::size_t(end - at);
        same_topic = before_ && head_ <= 32 && room >= head_ + 64 && same_text({at, head_}, {before_, head_});
        std::size_t length = 0;
        if (same_topic) {
            field[0] = {at, field[0].size()};
            field[1] = {at + field[0].size() + 1, field[1].size()};
            length = cut_tail(at);
        }
        if (!length) {
            same_topic = false;
            length = *at == '#' ? 0 : cut_whole(at, room);
        }
        before_ = length ? at : nullptr;
        head_ = length ? std::size_t(field[2].data() - at) : 0;
        return length;
    }

private:
    // The fields behind a head that is known, if they lie within 64 bytes.
    [[gnu::always_inline]] std::size_t cut_tail(const char* at) {
        constexpr int REST = COUNT - 2, LAST = REST - 1;
        const char* tail = at + head_;
        std::uint64_t from[REST] = {space_bits(tail)};  // from each field's end on
        for (int i = 1; i < REST; ++i) from[i] = from[i - 1] & (from[i - 1] - 1);
        // A field is empty if it ends at the beginning, or where the one before does.
        const std::uint64_t ends = from[0] ^ (from[LAST] & (from[LAST] - 1));
        if (!from[LAST] || (ends & (ends << 1 | 1))) return 0;
        std::size_t stop[REST];
        for (int i = 0; i < REST; ++i) stop[i] = std::size_t(lowest_bit(from[i]));
        char common = ' ';  // to all ends but the last: none is above a space, so with its bit they are spaces
        for (int i = 0; i < LAST; ++i) common &= tail[stop[i]];
        if (common != ' ')
            for (int i = 0; i < LAST; ++i)
                if (!is_blank(tail[stop[i]])) return 0;
        if (tail[stop[LAST]] != '\n') return 0;
        field[2] = {tail, stop[0]};
        for (int i = 1; i < REST; ++i) field[i + 2] = {tail + stop[i - 1] + 1, stop[i] - stop[i - 1] - 1};
        return head_ + stop[LAST];
    }

    std::size_t cut_whole(const char* at, std::size_t room) {
        std::size_t begin = 0;
        int count = 0;
        for (std::size_t base = 0; base < MAX_LINE && room >= base + 64; base += 64)
            for (std::uint64_t bits = space_bits(at + base); bits; bits &= bits - 1) {
                const std::size_t stop = base + std::size_t(lowest_bit(bits));
                if (stop == begin) return 0;
                field[count] = {at + begin, stop - begin};
                if (++count == COUNT) return at[stop] == '\n' ? stop : 0;
                if (!is_blank(at[stop])) return 0;
                begin = stop + 1;
            }
        return 0;
    }

    const char* before_ = nullptr;  // the simple line before
    std::size_t head_ = 0;          // how much of it stands before the third field
};

// What no format can have: an endless line, or NUL bytes.
inline Code unreadable(std::string_view line) {
    if (line.size() > MAX_LINE) return LONG_LINE;
    return line.find('\0') != std::string_view::npos ? BINARY : FINE;
}

// Cuts chunks into lines, also those that span chunks, and counts them. `each(line, in_chunk)` is called for every line
// without its newline, `simple(lines)` instead for simple lines of FIELDS; both return false to stop. A line that grows
// past MAX_LINE is kept just long enough to be recognised.
class Lines {
public:
    std::int64_t count = 0;

    // Whether the line that has not ended yet is too long already.
    bool is_overlong() const { return rest_.size() > MAX_LINE; }

    template <int FIELDS, class Each, class Simple>
    void feed(const char* data, std::size_t size, Each&& each, Simple&& simple) {
        const char *at = data, *end = data + size;
        SimpleLines<FIELDS> lines;
        if (!rest_.empty()) {
            const char* newline = static_cast<const char*>(std::memchr(at, '\n', size));
            keep(at, newline ? newline : end);
            if (!newline) return;
            at = newline + 1;
            ++count;
            bool more = each(std::string_view(rest_), false);
            rest_.clear();
            if (!more) return;
        }
        while (at < end) {
            if (std::size_t length = lines.cut(at, end)) {
                ++count;
                if (!simple(lines)) return;
                at += length + 1;
                continue;
            }
            const char* newline = static_cast<const char*>(std::memchr(at, '\n', std::size_t(end - at)));
            if (!newline) {
                keep(at, end);
                return;
            }
            ++count;
            if (!each(std::string_view(at, std::size_t(newline - at)), true)) return;
            at = newline + 1;
        }
    }

    template <class Each>
    void finish(Each&& each) {
        if (rest_.empty()) return;
        ++count;
        each(std::string_view(rest_), false);
        rest_.clear();
    }

private:
    void keep(const char* begin, const char* end) {
        std::size_t room = MAX_LINE + 1 - std::min(rest_.size(), MAX_LINE + 1);
        rest_.append(begin, std::min(room, std::size_t(end - begin)));
    }

    std::string rest_;
};

}  // namespace rankgauge
