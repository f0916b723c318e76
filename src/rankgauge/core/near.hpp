// Scores above a limit, counted, and scores between two limits, listed: what is left to be looked at more closely.
#pragma once

#include <algorithm>
#include <cmath>
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

// Of numbers; NaN does not count. Several maxima side by side do not wait for each other.
inline double largest_magnitude(const double* values, std::size_t count) {
    constexpr std::size_t LANES = 4;
    double largest[LANES] = {};
    for (; count >= LANES; values += LANES, count -= LANES)
        for (std::size_t i = 0; i < LANES; ++i) largest[i] = std::max(largest[i], std::fabs(values[i]));
    for (std::size_t i = 0; i < count; ++i) largest[i] = std::max(largest[i], std::fabs(values[i]));
    return std::max(std::max(largest[0], largest[1]), std::max(largest[2], largest[3]));
}

// The same for the distances between the values of two rows, which are the pair. Two values are no farther apart than
// the sum of their magnitudes, so that the largest magnitudes of two rows, and of some columns of them, tell of most
// pairs that all is below the low limit.
inline void find_near_differences(const double* values, std::size_t height, std::size_t columns,
                                  const std::int64_t* first, const std::int64_t* second, std::size_t pairs,
                                  const double* low, const double* high, std::int64_t* above, Near& near) {
    constexpr std::size_t STEP = 16;
    const std::size_t steps = (columns + STEP - 1) / STEP;
    std::vector<double> largest(height), largest_of_steps(height * steps);
    for (std::size_t row = 0; row < height; ++row)
        for (std::size_t step = 0; step < steps; ++step) {
            const std::size_t begin = step * STEP;
            const double magnitude = largest_magnitude(values + row * columns + begin, std::min(STEP, columns - begin));
            largest_of_steps[row * steps + step] = magnitude;
            largest[row] = std::max(largest[row], magnitude);
        }
    for (std::size_t pair = 0; pair < pairs; ++pair) {
        const std::size_t one = std::size_t(first[pair]), other = std::size_t(second[pair]);
        const double least = low[pair], most = high[pair];
        above[pair] = 0;
        if (largest[one] + largest[other] < least) continue;
        const double *a = values + one * columns, *b = values + other * columns;
        const double *of_a = &largest_of_steps[one * steps], *of_b = &largest_of_steps[other * steps];
        std::int64_t over_all = 0;
        for (std::size_t step = 0; step < steps; ++step) {
            if (of_a[step] + of_b[step] < least) continue;
            const std::size_t begin = step * STEP, end = std::min(begin + STEP, columns);
            std::int64_t over = 0, reached = 0;
            for (std::size_t i = begin; i < end; ++i) {
                const double distance = std::fabs(a[i] - b[i]);
                over += distance > most;
                reached += distance >= least;
            }
            over_all += over;
            if (reached == over) continue;
            for (std::size_t i = begin; i < end; ++i) {
                const double distance = std::fabs(a[i] - b[i]);
                if (distance >= least && !(distance > most)) {
                    near.pair.push_back(std::int64_t(pair));
                    near.column.push_back(std::int64_t(i));
                }
            }
        }
        above[pair] = over_all;
    }
}

}  // namespace rankgauge
