// expect-error: minimize_two.* return an attune::two_values
// tests/compile_fail/two_objectives.cpp - an objective of two values returns two.
// SPDX-License-Identifier: MIT
#include <attune/declare/parameters.hpp>
#include <attune/tune/minimize_two.hpp>

inline constexpr auto x = attune::ordinal<"X">(attune::range(0, 3));
inline constexpr auto line = attune::space(x);

void search()
{
#ifdef ATTUNE_EXPECT_FAIL
    (void)attune::minimize_two(line, [](auto const& c) { return 1.0 * c[x]; });
#else
    (void)attune::minimize_two(line,
                               [](auto const& c) { return attune::two_values{1.0 * c[x], 2.0}; });
#endif
}
