// 23 - arrays and orders: parameters of many values, here the rounds of a delivery van.
// Shows permutation of any length, array_of, constraints on elements. Needs no compiler. A second.
#include <attune/attune.hpp>
#include <attune/search/local/annealing.hpp>

#include <array>
#include <cmath>
#include <cstdio>

constexpr int stops = 24;

// The order of the stops: a permutation has up to 1,024 items.
inline constexpr auto order = attune::permutation<"ORDER", stops>();

// The stops after which the van returns to load: three numbers under one name, a std::array<int,
// 3>.
inline constexpr auto cut =
    attune::array_of<3>(attune::integer<"CUT">(0, stops)).with_default({6, 12, 18});

// Expressions read elements. The van holds 8 parcels.
inline constexpr auto space =
    attune::space(order, cut)
        .where(cut[0] <= 8, cut[0] <= cut[1], cut[1] - cut[0] <= 8, cut[1] <= cut[2],
               cut[2] - cut[1] <= 8, stops - cut[2] <= 8);

// Stops lie on a spiral around the depot at (0, 0).
static double between(int a, int b)
{
    auto const x = [](int i) { return i < 0 ? 0 : (4 + i % 5) * std::cos(i * 2.4); };
    auto const y = [](int i) { return i < 0 ? 0 : (4 + i % 5) * std::sin(i * 2.4); };
    return std::hypot(x(a) - x(b), y(a) - y(b));
}

static double way(std::array<int, stops> const& visits, std::array<int, 3> const& returns)
{
    double sum = 0;
    int at = -1; // the depot
    for (int i = 0; i < stops; ++i) {
        for (int const end : returns)
            if (end == i && at >= 0) {
                sum += between(at, -1);
                at = -1;
            }
        sum += between(at, visits[static_cast<std::size_t>(i)]);
        at = visits[static_cast<std::size_t>(i)];
    }
    return sum + between(at, -1);
}

int main()
{
    std::array<int, stops> first{};
    for (int i = 0; i < stops; ++i)
        first[static_cast<std::size_t>(i)] = i;
    double const before = way(first, {6, 12, 18});

    auto const found = attune::minimize(space, [](auto const& c) { return way(c[order], c[cut]); },
                                        attune::search_limits::of_evaluations(3000),
                                        {.seed = 1,
                                         .search = attune::search_with<attune::annealing>(),
                                         .progress = attune::silent_progress()});
    std::array<int, 3> const returns = (*found.best)[cut];
    std::printf("2^%.0f configurations\n", found.space->log2_size());
    std::printf("from %.0f to %.0f, back after %d, %d and %d stops: %s\n", before, found.value,
                returns[0], returns[1], returns[2],
                found.value < 0.7 * before ? "shorter by a third" : "hardly shorter");
}
// prints:
// 2^86 configurations
// from # to #, back after #, # and # stops: shorter by a third
