// Values that are permuted within rows and added up, with the random numbers and the permutations of NumPy.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rankgauge {

// The interface of NumPy's bit generators (numpy/random/bitgen.h), which does not change between versions.
struct BitGenerator {
    void* state;
    std::uint64_t (*next_uint64)(void* state);
    std::uint32_t (*next_uint32)(void* state);
    double (*next_double)(void* state);
    std::uint64_t (*next_raw)(void* state);
};

// Words of 32 bits in the order in which a generator of 64-bit numbers hands them out: the lower half comes first.
class Words {
public:
    explicit Words(const BitGenerator& source) : source_(source) {}

    std::uint32_t next() {
        if (at_ == SIZE) refill();
        return words_[at_++];
    }

private:
    static constexpr std::size_t SIZE = 512;

    void refill() {
        for (std::size_t i = 0; i < SIZE; i += 2) {
            const std::uint64_t number = source_.next_uint64(source_.state);
            words_[i] = std::uint32_t(number);
            words_[i + 1] = std::uint32_t(number >> 32);
        }
        at_ = 0;
    }

    const BitGenerator& source_;
    std::uint32_t words_[SIZE];
    std::size_t at_ = SIZE;
};

// The permutation of `Generator.permuted`: from the last place to the second, each value changes places with a random
// one up to itself. A word that is too large is drawn again. To try it as a step that changes nothing, rather than to
// branch, is twice as fast: which words are too large cannot be predicted.
inline void permute(double* values, std::size_t count, Words& words) {
    std::size_t last = count - 1, least = 1;
    while (least * 2 <= last) least *= 2;
    for (; least > 0; least /= 2)
        while (last >= least) {
            const std::size_t word = words.next() & (least * 2 - 1);
            const bool fits = word <= last;
            const std::size_t other = fits ? word : last;
            const double value = values[last];
            values[last] = values[other];
            values[other] = value;
            last -= fits;
        }
}

// (samples, width): sums over the rows, each of which is permuted anew for every sample; one row after the other.
inline void permuted_sums(const BitGenerator& source, const double* rows, std::size_t height, std::size_t width,
                          std::size_t samples, double* sums) {
    Words words(source);
    std::vector<double> permuted(width);
    std::fill(sums, sums + samples * width, 0.0);
    for (const double* row = rows; row != rows + height * width; row += width)
        for (std::size_t sample = 0; sample < samples; ++sample) {
            std::copy(row, row + width, permuted.begin());
            permute(permuted.data(), width, words);
            double* sum = sums + sample * width;
            for (std::size_t i = 0; i < width; ++i) sum[i] += permuted[i];
        }
}

}  // namespace rankgauge
