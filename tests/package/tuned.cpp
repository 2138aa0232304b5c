// tests/package/tuned.cpp - a unit that tunes with the system's compiler and remembers, in any form of attune.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>

#include <cstdio>
#include <span>
#include <unistd.h>
#include <vector>

inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2));
inline constexpr auto unrolls = attune::space(unroll);

constexpr char const* kernel_text = R"(#include <attune/tunable.hpp>
#include <span>
void scale(std::span<float> y)
{
    int const unroll = ATTUNE_TUNABLE(UNROLL, 1);
    for (unsigned long i = 0; i < y.size(); i += unroll)
        for (unsigned long j = i; j < i + unroll && j < y.size(); ++j) y[j] *= 3.0f;
})";

/// @return  0 where a call gave the right result, tuned, and left a record
int tune_and_remember()
{
    std::vector<float> y(1 << 18, 2.0f);
    attune::kernel<void(std::span<float>)> const kernel{
        "scale", attune::source_text(kernel_text, "scale.kernel.cpp"), unrolls};
    attune::tuning_options options{.limits = {.evaluations = 2},
                                   .progress = attune::silent_progress()};
    char store[] = "attune-package-XXXXXX";
    int const file = ::mkstemp(store);
    if (file < 0) return 1;
    ::close(file);
    ::unlink(store);
    attune::tuned scale{kernel, attune::system_compiler{}, attune::store{store}, options};
    scale(y);
    std::printf("%g, %s\n", static_cast<double>(y[0]), scale.report().summary().c_str());
    bool const remembered = ::unlink(store) == 0;
    return y[0] == 6.0f && y.back() == 6.0f && scale.report().evaluations == 2 && remembered ? 0
                                                                                             : 1;
}
