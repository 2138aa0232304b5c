// 32 - scratch: an array whose contents after a call do not matter.
// Shows kernel.tolerate<i>(attune::any_value). Takes a few seconds.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>

#include <cstdio>
#include <span>
#include <vector>

inline constexpr auto parts = attune::ordinal<"PARTS">(attune::powers_of_two(1, 16));
inline constexpr auto space = attune::space(parts);

// Each variant leaves as many partial sums in the scratch array as it has parts.
static constexpr char const* text = R"(
#include <attune/tunable.hpp>
#include <cstddef>
#include <span>
constexpr int parts = ATTUNE_TUNABLE(PARTS, 1);
void sum(std::span<double const> x, std::span<double> scratch, std::span<double> out)
{
    for (int p = 0; p < parts; ++p) scratch[p] = 0;
    std::size_t i = 0;
    for (; i + parts <= x.size(); i += parts)
        for (int p = 0; p < parts; ++p) scratch[p] += x[i + p];
    for (; i < x.size(); ++i) scratch[0] += x[i];
    out[0] = 0;
    for (int p = 0; p < parts; ++p) out[0] += scratch[p];
}
)";

int main()
{
    attune::kernel<void(std::span<double const>, std::span<double>, std::span<double>)> kernel{
        "sum", attune::source_text(text, "sum.kernel.cpp"), space};
    kernel.tolerate<1>(attune::any_value);     // argument 1 is scratch: nothing of it is compared
    kernel.lengths(attune::any_length, 16, 1); // a call with a shorter array is an error

    attune::tuned sum{kernel, attune::clang_compiler{}};
    std::vector<double> x(1 << 16, 0.5), scratch(16), out(1);
    sum(x, scratch, out);
    std::printf("%g, %u evaluations, %u failed\n", out[0], sum.report().evaluations,
                attune::total(sum.report().failures));
}
// prints:
// 32768, 5 evaluations, # failed
