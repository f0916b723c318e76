// Hashes of byte strings, seeded anew in every process. A hash only decides where to look: ids are compared whole.
#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace rankgauge {

inline std::uint64_t multiply_fold(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 Wide;  // not ISO C++: GCC warns of it otherwise
    const Wide product = static_cast<Wide>(a) * b;
    return std::uint64_t(product) ^ std::uint64_t(product >> 64);
#else
    std::uint64_t low = a * b, ah = a >> 32, al = a & 0xffffffffu, bh = b >> 32, bl = b & 0xffffffffu;
    return low ^ (ah * bh + ((ah * bl) >> 32) + ((al * bh) >> 32));
#endif
}

template <class Number>
inline std::uint64_t load(const char* bytes) {
    Number number;
    std::memcpy(&number, bytes, sizeof number);
    return number;
}

inline std::uint64_t load8(const char* bytes) { return load<std::uint64_t>(bytes); }
inline std::uint64_t load4(const char* bytes) { return load<std::uint32_t>(bytes); }
inline std::uint64_t load2(const char* bytes) { return load<std::uint16_t>(bytes); }

// Prefetches memory that will be read soon.
inline void prefetch(const void* memory) {
#if defined(__GNUC__)
    __builtin_prefetch(memory);
#else
    (void)memory;
#endif
}

inline void prefetch(const void* begin, const void* end) {
    for (auto at = static_cast<const char*>(begin); at < end; at += 64) prefetch(at);
}

// Ids that were made to collide cannot know the seed.
inline const std::uint64_t SEED = [] {
    std::random_device device;
    return (std::uint64_t(device()) << 32 | device()) | 1;
}();

[[gnu::always_inline]] inline std::uint64_t hash_of(std::string_view text) {
    const std::uint64_t seed = SEED;
    constexpr std::uint64_t A = 0xa0761d6478bd642fULL, B = 0xe7037ed1a0b428dbULL;
    const char* p = text.data();
    const std::size_t n = text.size();
    std::uint64_t state = seed ^ (n * B), a = 0, b = 0;
    if (n > 16) {
        const char* last = p + n - 16;  // the last 16 bytes overlap with what comes before: no odd ends
        for (; p < last; p += 16) state = multiply_fold(load8(p) ^ A, load8(p + 8) ^ state);
        a = load8(last);
        b = load8(last + 8);
    } else if (n >= 8) {
        a = load8(p);
        b = load8(p + n - 8);
    } else if (n >= 4) {
        a = load4(p);
        b = load4(p + n - 4);
    } else if (n > 0) {
        a = std::uint64_t(std::uint8_t(p[0])) << 16 | std::uint64_t(std::uint8_t(p[n / 2])) << 8 |
            std::uint8_t(p[n - 1]);
    }
    return multiply_fold(B ^ seed, multiply_fold(a ^ A ^ seed, b ^ state));
}

// Whether two strings are equal; most ids are short, and then this is two loads each and no call.
[[gnu::always_inline]] inline bool same_text(std::string_view a, std::string_view b) {
    const std::size_t n = a.size();
    if (n != b.size()) return false;
    if (n > 32) return std::memcmp(a.data(), b.data(), n) == 0;
    if (n > 16)
        return load8(a.data()) == load8(b.data()) && load8(a.data() + 8) == load8(b.data() + 8) &&
               load8(a.data() + n - 16) == load8(b.data() + n - 16) &&
               load8(a.data() + n - 8) == load8(b.data() + n - 8);
    if (n >= 8)
        return load8(a.data()) == load8(b.data()) && load8(a.data() + n - 8) == load8(b.data() + n - 8);
    if (n >= 4)
        return load4(a.data()) == load4(b.data()) && load4(a.data() + n - 4) == load4(b.data() + n - 4);
    if (n >= 2)
        return load2(a.data()) == load2(b.data()) && load2(a.data() + n - 2) == load2(b.data() + n - 2);
    return n == 0 || a[0] == b[0];
}

// Which of many hashes may be there twice: a bitmap that stays in the cache, where a table of all of them would not.
class Repeats {
public:
    // Forget everything and make room: for each hash 16 bits, so that 15 of 16 hashes have one to themselves.
    void reset(std::size_t expected) {
        std::size_t size = 1;
        while (4 * size < expected) size *= 2;
        words_.assign(size, Word());
        mask_ = size - 1;
        most_ = 0;
    }

    void add(std::uint64_t hash) {
        Word& word = words_[hash >> 6 & mask_];
        const std::uint64_t bit = std::uint64_t(1) << (hash & 63), again = word.once & bit;
        word.twice |= again;
        word.once |= bit;
        most_ += again ? 2 : 0;  // it, and the one before
    }

    // How many of them may be there twice, at most; and whether this one may be.
    std::size_t most() const { return most_; }
    bool operator()(std::uint64_t hash) const { return words_[hash >> 6 & mask_].twice >> (hash & 63) & 1; }

private:
    struct Word {
        std::uint64_t once = 0, twice = 0;
    };
    std::vector<Word> words_ = std::vector<Word>(1);
    std::size_t mask_ = 0, most_ = 0;
};

// Open addressing from hashes to small numbers; the caller keeps what the numbers stand for and compares it.
class Slots {
public:
    // Forget everything and make room; costs no more than the room itself.
    void reset(std::size_t expected) {
        std::size_t size = 8;
        while (size < 2 * expected) size *= 2;
        if (slots_.size() < size) slots_.resize(size);
        mask_ = size - 1;
        used_ = 0;
        std::memset(slots_.data(), 0, size * sizeof(slots_[0]));
    }

    // The number stored under this hash for which same(number) holds; stores and returns `fresh` if there is none.
    template <class Same>
    std::uint32_t find_or_add(std::uint64_t hash, std::uint32_t fresh, Same&& same) {
        for (std::size_t at = hash & mask_;; at = (at + 1) & mask_) {
            std::uint64_t slot = slots_[at];
            if (slot == 0) {
                slots_[at] = (hash >> 32 << 32) | (std::uint64_t(fresh) + 1);
                ++used_;
                return fresh;
            }
            if ((slot ^ hash) >> 32 == 0) {
                std::uint32_t number = std::uint32_t(slot) - 1;
                if (same(number)) return number;
            }
        }
    }

    template <class Same>
    std::int64_t find(std::uint64_t hash, Same&& same) const {
        for (std::size_t at = hash & mask_;; at = (at + 1) & mask_) {
            std::uint64_t slot = slots_[at];
            if (slot == 0) return -1;
            if ((slot ^ hash) >> 32 == 0) {
                std::uint32_t number = std::uint32_t(slot) - 1;
                if (same(number)) return number;
            }
        }
    }

    bool is_full() const { return 2 * used_ > mask_; }

    // Twice the room; hash_of_number returns the hash each number was stored under.
    template <class HashOf>
    void grow(std::size_t numbers, HashOf&& hash_of_number) {
        reset(2 * (numbers + 8));
        for (std::size_t n = 0; n < numbers; ++n)
            find_or_add(hash_of_number(std::uint32_t(n)), std::uint32_t(n), [](std::uint32_t) { return false; });
    }

private:
    std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(8);
    std::size_t mask_ = 7, used_ = 0;
};

// Byte strings numbered in order of first appearance. Owns copies of them.
class Names {
public:
    std::size_t size() const { return names_.size(); }
    const std::string& operator[](std::size_t number) const { return names_[number]; }

    // The number of a name; a new name gets the next number (then the result equals the size before the call).
    std::uint32_t number(std::string_view name) { return number(name, hash_of(name)); }

    std::uint32_t number(std::string_view name, std::uint64_t hash) {
        if (slots_.is_full())
            slots_.grow(names_.size(), [&](std::uint32_t n) { return hash_of(names_[n]); });
        std::uint32_t fresh = std::uint32_t(names_.size());
        std::uint32_t found = slots_.find_or_add(hash, fresh,
                                                 [&](std::uint32_t n) { return same_text(names_[n], name); });
        if (found == fresh) names_.emplace_back(name);
        return found;
    }

    std::int64_t find(std::string_view name) const {
        return slots_.find(hash_of(name), [&](std::uint32_t n) { return same_text(names_[n], name); });
    }

private:
    std::vector<std::string> names_;
    Slots slots_;
};

}  // namespace rankgauge
