// How many of many scores are better than one, and whether one is NaN. Where compilers do not vectorise it themselves
// (64-bit scores on baseline x86-64), two of them are compared in one step.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace rankgauge {

struct Standing {
    std::size_t better = 0, equal = 0;
};

// How many scores are better than this one, and how many are equal.
template <class Score>
Standing standing(const Score* at, const Score* end, Score score) {
    Standing found;
#if defined(__SSE2__)
    if constexpr (sizeof(Score) == 8) {
        const __m128d one = _mm_set1_pd(score);
        __m128i better = _mm_setzero_si128(), equal = better;
        for (; end - at >= 2; at += 2) {
            const __m128d two = _mm_loadu_pd(at);
            better = _mm_sub_epi64(better, _mm_castpd_si128(_mm_cmpgt_pd(two, one)));  // true is -1
            equal = _mm_sub_epi64(equal, _mm_castpd_si128(_mm_cmpeq_pd(two, one)));
        }
        alignas(16) std::uint64_t halves[4];
        _mm_store_si128(reinterpret_cast<__m128i*>(halves), better);
        _mm_store_si128(reinterpret_cast<__m128i*>(halves + 2), equal);
        found = {std::size_t(halves[0] + halves[1]), std::size_t(halves[2] + halves[3])};
    }
#endif
    constexpr std::ptrdiff_t BLOCK = 1 << 30;  // counts as wide as scores are counted as many at once
    while (at < end) {
        std::uint32_t better = 0, equal = 0;
        for (const Score* stop = end - at > BLOCK ? at + BLOCK : end; at < stop; ++at) {
            better += *at > score;
            equal += *at == score;
        }
        found.better += better;
        found.equal += equal;
    }
    return found;
}

template <class Score>
bool has_nan(const Score* at, const Score* end) {
    std::uint32_t found = 0;
#if defined(__SSE2__)
    if constexpr (sizeof(Score) == 8) {
        __m128d any = _mm_setzero_pd();
        for (; end - at >= 4; at += 4) any = _mm_or_pd(any, _mm_cmpunord_pd(_mm_loadu_pd(at), _mm_loadu_pd(at + 2)));
        found = std::uint32_t(_mm_movemask_pd(any));
    }
#endif
    for (; at < end; ++at) found |= std::uint32_t(*at != *at);
    return found != 0;
}

}  // namespace rankgauge
