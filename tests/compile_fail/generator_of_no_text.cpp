// expect-error: attune::generated_source\(space, f, name, revision\): f must take a configuration
// tests/compile_fail/generator_of_no_text.cpp - a generator writes a text.
// SPDX-License-Identifier: MIT
#include <attune/compile/source/generated.hpp>

#include <string>

inline constexpr auto tile = attune::ordinal<"TILE">(attune::values(1, 2));
inline constexpr auto space = attune::space(tile);

int main()
{
#ifdef ATTUNE_EXPECT_FAIL
    auto const write = [](auto const& config) { return config[tile]; };
#else
    auto const write = [](auto const& config) { return std::to_string(config[tile]); };
#endif
    return attune::generated_source(space, write, "a.cpp", "1").generator ? 0 : 1;
}
