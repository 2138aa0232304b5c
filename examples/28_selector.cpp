// 28 - selector: an algorithm with its parameters for each range of sizes.
// Shows selector, algorithm, operators for selectors. Takes seconds, once.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/declare/selector.hpp>
#include <attune/search/compose/composed.hpp>
#include <attune/search/compose/selector_operators.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

// Up to three ranges of the length of a row. An algorithm has parameters of its own in each range.
inline constexpr auto ways = attune::ordinal<"WAYS">(attune::values(2, 4, 8));
inline constexpr auto bits = attune::ordinal<"BITS">(attune::values(4, 8, 11));
inline constexpr auto sort =
    attune::selector<"SORT", 3>(attune::powers_of_two(8, 4096), attune::algorithm("insertion"),
                                attune::algorithm("merge", ways), attune::algorithm("radix", bits));
inline constexpr auto space = attune::space(sort);

int main()
{
    // Many short rows, some longer ones, two long ones; sort.kernel.cpp sorts each.
    std::vector<int> begin{0};
    for (auto const& [rows, length] : {std::pair{4000, 12}, std::pair{100, 400}, {2, 20000}})
        for (int row = 0; row < rows; ++row)
            begin.push_back(begin.back() + length);
    std::vector<std::uint32_t> from(static_cast<std::size_t>(begin.back())), to(from.size());
    std::uint32_t number = 1;
    for (std::uint32_t& key : from)
        key = number = 1664525 * number + 1013904223;

    using signature =
        void(std::span<std::uint32_t const>, std::span<int const>, std::span<std::uint32_t>);
    attune::kernel<signature> kernel{"sort_rows", attune::source_file("sort.kernel.cpp"), space};

    // The usual search changes parameters one by one; this one moves cut-offs and swaps ranges.
    namespace search = attune::search;
    using moving = search::composed<search::greedy,
                                    search::operators<search::selector<search::selector_move>>>;
    attune::tuning_options options;
    options.search.strategy = attune::search_with<moving>();
    options.limits.evaluations = 60;
    attune::tuned rows{kernel, attune::clang_compiler{}, attune::store{"sort.attune"}, options};
    rows(from, begin, to);

    bool sorted = true;
    for (std::size_t row = 0; row + 1 < begin.size(); ++row)
        sorted = sorted && std::is_sorted(to.begin() + begin[row], to.begin() + begin[row + 1]);
    std::printf("%s\n%s\n", sorted ? "sorted" : "not sorted", rows.report().summary().c_str());
}
// prints:
// sorted
// #x faster than the default: *; SORT_RANGES=# *; # evaluations in #*
// or: keeps the default SORT_RANGES=# *: nothing was proven faster*; # evaluations in #*
