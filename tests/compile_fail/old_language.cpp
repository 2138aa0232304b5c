// expect-error: attune needs C\+\+20: compile with -std=c\+\+20
// flags: -std=c++17
#ifdef ATTUNE_EXPECT_FAIL
#include <attune/attune.hpp>
inline constexpr auto tile = attune::ordinal<"TILE">(attune::powers_of_two(8, 64));
#endif
