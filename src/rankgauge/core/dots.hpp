// Products of vectors in double precision, always added up in the same order.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rankgauge {

constexpr std::size_t LANES = 64;  // sums that are kept side by side

// Products of numbers in single precision are exact in double precision.
template <class Number>
double dot(const Number* a, const Number* b, std::size_t dim) {
    double sums[LANES] = {};
    std::size_t begin = 0;
    for (; begin + LANES <= dim; begin += LANES)
        for (std::size_t lane = 0; lane < LANES; ++lane)
            sums[lane] += double(a[begin + lane]) * double(b[begin + lane]);
    for (std::size_t lane = 0; begin + lane < dim; ++lane) sums[lane] += double(a[begin + lane]) * double(b[begin + lane]);
    for (std::size_t half = LANES / 2; half > 0; half /= 2)
        for (std::size_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
    return sums[0];
}

template <class Number>
void dots(const Number* a, const std::int64_t* rows_a, const Number* b, const std::int64_t* rows_b, std::size_t count,
          std::size_t dim, double* products) {
    for (std::size_t i = 0; i < count; ++i)
        products[i] = dot(a + std::size_t(rows_a[i]) * dim, b + std::size_t(rows_b[i]) * dim, dim);
}

}  // namespace rankgauge
