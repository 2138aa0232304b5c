// expect-error: attune needs exceptions: leave out -fno-exceptions
// flags: -fno-exceptions
#ifdef ATTUNE_EXPECT_FAIL
#include <attune/compile/clang.hpp>
inline attune::clang_compiler const compiler{};
#endif
