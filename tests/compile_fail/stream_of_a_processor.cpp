// expect-error: which has no streams
// tests/compile_fail/stream_of_a_processor.cpp - code for this processor runs on no stream.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>

#include <span>

inline constexpr auto wide = attune::boolean<"WIDE">();
inline constexpr auto all = attune::space(wide);

void run(std::span<float> x)
{
    attune::kernel<void(std::span<float>)> const k{"k", attune::source_text("", "k.cpp"), all};
    attune::tuned t{k, attune::system_compiler{}};
#ifdef ATTUNE_EXPECT_FAIL
    t.on(nullptr)(x);
#else
    t(x);
#endif
}

int main() {}
