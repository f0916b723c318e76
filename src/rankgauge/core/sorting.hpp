// Scores in descending order. Scores of a ranking are spread out well enough for buckets to leave little to sort.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace rankgauge {

// Sorts items by score(item), the highest first; items of equal score stay in their order. No score is NaN.
template <class Item, class Score>
void sort_descending(std::vector<Item>& items, std::vector<Item>& room, Score score) {
    auto better = [&](const Item& a, const Item& b) { return score(a) > score(b); };
    auto sort = [&](std::size_t begin, std::size_t end) {
        constexpr std::size_t FEW = 24;
        if (end - begin > FEW) {
            std::stable_sort(items.begin() + std::ptrdiff_t(begin), items.begin() + std::ptrdiff_t(end), better);
            return;
        }
        for (std::size_t i = begin + 1; i < end; ++i) {
            const Item item = items[i];
            std::size_t at = i;
            for (; at > begin && better(item, items[at - 1]); --at) items[at] = items[at - 1];
            items[at] = item;
        }
    };
    if (std::is_sorted(items.begin(), items.end(), better)) return;
    const std::size_t size = items.size();
    const auto [low, high] = std::minmax_element(items.begin(), items.end(),
                                                 [&](const Item& a, const Item& b) { return score(a) < score(b); });
    const double top = score(*high), span = top - score(*low), scale = double(size - 1) / span;
    if (size < 48 || !std::isfinite(span) || !std::isfinite(scale)) {  // infinite scores, or nearly equal ones
        sort(0, size);
        return;
    }
    // Subtracting, multiplying and rounding down never reverse the order of two scores.
    auto bucket = [&](const Item& item) { return std::uint32_t((top - score(item)) * scale); };
    std::vector<std::uint32_t> begins(size + 1);
    for (const Item& item : items) ++begins[bucket(item) + 1];
    for (std::size_t b = 1; b <= size; ++b) begins[b] += begins[b - 1];
    room.resize(size);
    for (const Item& item : items) room[begins[bucket(item)]++] = item;  // begins[b] is now where b ends
    items.swap(room);
    std::uint32_t begin = 0;
    for (std::size_t b = 0; b < size; ++b) {
        const std::uint32_t end = begins[b];
        sort(begin, end);
        begin = end;
    }
}

}  // namespace rankgauge
