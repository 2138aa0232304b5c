// A loop nest over rows, entries of a row and dense columns, each split in two, in any order that
// knows the row before its entries. The schedule is in macros.
#include <attune/tunable.hpp>

#include <algorithm>

constexpr int order[] =
    ATTUNE_TUNABLE(ORDER, {0, 1, 2, 3, 4, 5}); // 2 d: tiles of axis d, 2 d + 1: inside a tile
constexpr int tile[] = {ATTUNE_TUNABLE(ROWS, 1), ATTUNE_TUNABLE(ENTRIES, 1),
                        ATTUNE_TUNABLE(COLUMNS, 1)};
constexpr int unroll = ATTUNE_TUNABLE(UNROLL, 1); // of the innermost loop
constexpr int vector = ATTUNE_TUNABLE(VECTOR, 1); // its iterations at once
constexpr int chunk =
    ATTUNE_TUNABLE(CHUNK, 1); // iterations of the outermost loop that a thread takes at once
constexpr bool dynamic = ATTUNE_TUNABLE(DYNAMIC, false);
constexpr int threads = ATTUNE_TUNABLE(THREADS, 1); // where OpenMP is on

/// Where the loops are: of each axis what its first loop has chosen, and its place.
struct place {
    int first[3];
    int at[3];
};

/// Runs body(i, p, j) for all rows i, entries p of start[i] .. start[i + 1] - 1, and columns j.
template <int Level, class Body>
inline void nest(int const* start, int rows, int columns, place where, Body const& body)
{
    if constexpr (Level == 6) {
        body(where.at[0], where.at[1], where.at[2]);
    } else {
        constexpr int axis = order[Level] / 2;
        constexpr bool by_tile = order[Level] % 2 == 0;
        constexpr bool is_second = [] {
            for (int level = 0; level < Level; ++level)
                if (order[level] / 2 == axis) return true;
            return false;
        }();
        int const low = axis == 1 ? start[where.at[0]] : 0;
        int const high = axis == 0 ? rows : axis == 1 ? start[where.at[0] + 1] : columns;
        int const first = where.first[axis];
        int const begin = by_tile ? (is_second ? low + first : low) : (is_second ? first : 0);
        int const end = by_tile     ? high
                        : is_second ? std::min(first + tile[axis], high)
                                    : std::min(tile[axis], high - low);
        constexpr int step = by_tile ? tile[axis] : 1;
        auto const once = [&](int x) {
            place next = where;
            (is_second ? next.at : next.first)[axis] = x;
            nest<Level + 1>(start, rows, columns, next, body);
        };
        if constexpr (Level == 0 && dynamic) {
#pragma omp parallel for schedule(dynamic, chunk) num_threads(threads)
            for (int x = begin; x < end; x += step)
                once(x);
        } else if constexpr (Level == 0) {
#pragma omp parallel for schedule(static, chunk) num_threads(threads)
            for (int x = begin; x < end; x += step)
                once(x);
        } else if constexpr (Level == 5) {
#pragma clang loop vectorize_width(vector) unroll_count(unroll)
            for (int x = begin; x < end; x += step)
                once(x);
        } else
            for (int x = begin; x < end; x += step)
                once(x);
    }
}
