// expect-error: the objective must take a configuration of the space and a budget
// tests/compile_fail/budget_argument.cpp - an objective with a fidelity takes a budget as well.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>
#include <attune/tune/minimize_with_budget.hpp>

inline constexpr auto wide = attune::boolean<"WIDE">();
inline constexpr auto all = attune::space(wide);

int main()
{
#ifdef ATTUNE_EXPECT_FAIL
    static_cast<void>(
        attune::minimize_with_budget(all, [](auto const& c) { return c[wide] ? 1 : 2; }));
#else
    static_cast<void>(attune::minimize_with_budget(
        all, [](auto const& c, double budget) { return c[wide] ? budget : 2; }));
#endif
}
