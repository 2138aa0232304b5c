// expect-error: the compiler makes code for this processor, which can run it
// tests/compile_fail/predict_for_a_processor.cpp - what can be measured is not predicted.
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
    (void)t.predict(x);
#else
    t(x);
#endif
}

int main() {}
