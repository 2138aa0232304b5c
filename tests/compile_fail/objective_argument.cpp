// expect-error: the objective must take a configuration
// tests/compile_fail/objective_argument.cpp - an objective takes a configuration.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>

#include <span>

inline constexpr auto wide = attune::boolean<"WIDE">();
inline constexpr auto all = attune::space(wide);

int main()
{
#ifdef ATTUNE_EXPECT_FAIL
    static_cast<void>(attune::minimize(all, [](int) { return 1; }));
#else
    static_cast<void>(attune::minimize(all, [](auto const& c) { return c[wide] ? 1 : 2; }));
#endif
}
