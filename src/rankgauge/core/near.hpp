// Scores above a limit, counted, and scores between two limits, listed: what is left to be looked at more closely.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rankgauge {

struct Near {
    std::vector<std::int64_t> pair, column;
};

// A pair is a row of scores with a low and a high limit. How many scores of the row are above the high one is added
// to `above`; those from the low to the high one are listed.
template <class Score>
void find_near(const Score* scores, std::size_t columns, const std::int64_t* rows, std::size_t pairs, const Score* low,
               const Score* high, std::int64_t* above, Near& near) {
    constexpr std::size_t STEP = 64;  // scores that are counted at once, and gone through again if one of them is near
    for (std::size_t pair = 0; pair < pairs; ++pair) {
        const Score* row = scores + std::size_t(rows[pair]) * columns;
        const Score least = low[pair], most = high[pair];
        std::int64_t better = 0;
        for (std::size_t begin = 0; begin < columns; begin += STEP) {
            const std::size_t end = columns - begin > STEP ? begin + STEP : columns;
            std::uint32_t over = 0, reached = 0;
            for (std::size_t i = begin; i < end; ++i) {
                over += row[i] > most;
                reached += row[i] >= least;
            }
            better += over;
            if (reached == over) continue;
            for (std::size_t i = begin; i < end; ++i) {
                if (row[i] >= least && !(row[i] > most)) {
                    near.pair.push_back(std::int64_t(pair));
                    near.column.push_back(std::int64_t(i));
                }
            }
        }
        above[pair] = better;
    }
}

}  // namespace rankgauge
