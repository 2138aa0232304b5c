// Sorts the rows of a table, which differ in length. The algorithm for each length is tunable, also
// for the parts of a merge sort.
#include <attune/tunable.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

enum algorithm { insertion, merge, radix };
constexpr int ranges = ATTUNE_TUNABLE(SORT_RANGES, 1);
constexpr std::size_t cut[] = ATTUNE_TUNABLE(SORT_CUT, {64, 64});
constexpr algorithm sort_by[] = ATTUNE_TUNABLE(SORT, {merge, merge, merge});
constexpr std::size_t ways[] = ATTUNE_TUNABLE(WAYS, {2, 2, 2});
constexpr int bits[] = ATTUNE_TUNABLE(BITS, {8, 8, 8});

using keys = std::span<std::uint32_t>;

static void sort_part(keys a, keys space)
{
    std::size_t const n = a.size();
    if (n < 2) return;
    int r = 0;
    while (r + 1 < ranges && n >= cut[r])
        ++r;
    if (sort_by[r] == insertion) {
        for (std::size_t i = 1; i < n; ++i) {
            std::uint32_t const key = a[i];
            std::size_t at = i;
            for (; at > 0 && a[at - 1] > key; --at)
                a[at] = a[at - 1];
            a[at] = key;
        }
    } else if (sort_by[r] == merge) {
        std::size_t const part = (n + ways[r] - 1) / ways[r];
        for (std::size_t at = 0; at < n; at += part) {
            std::size_t const size = std::min(part, n - at);
            sort_part(a.subspan(at, size), space.subspan(at, size));
        }
        for (std::size_t length = part; length < n; length *= 2) { // neighbours, until one is left
            for (std::size_t at = 0; at < n; at += 2 * length) {
                auto const middle = a.begin() + std::min(at + length, n);
                auto const end = a.begin() + std::min(at + 2 * length, n);
                std::merge(a.begin() + at, middle, middle, end, space.begin() + at);
            }
            std::copy_n(space.begin(), n, a.begin());
        }
    } else {
        std::size_t const digits = std::size_t{1} << bits[r];
        std::vector<std::size_t> place(digits);
        for (int shift = 0; shift < 32; shift += bits[r]) {
            std::fill(place.begin(), place.end(), 0);
            for (std::uint32_t const key : a)
                ++place[key >> shift & (digits - 1)];
            std::size_t sum = 0;
            for (std::size_t& count : place)
                sum += std::exchange(count, sum);
            for (std::uint32_t const key : a)
                space[place[key >> shift & (digits - 1)]++] = key;
            std::copy_n(space.begin(), n, a.begin());
        }
    }
}

void sort_rows(std::span<std::uint32_t const> from, std::span<int const> begin, keys to)
{
    std::copy(from.begin(), from.end(), to.begin());
    std::vector<std::uint32_t> space(to.size());
    for (std::size_t row = 0; row + 1 < begin.size(); ++row) {
        auto const first = static_cast<std::size_t>(begin[row]);
        auto const size = static_cast<std::size_t>(begin[row + 1]) - first;
        sort_part(to.subspan(first, size), keys(space).subspan(first, size));
    }
}
