// 16 - background: calls never wait for a tuning.
// Shows calls with inputs that were not tuned, and a tuning ahead of calls.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>

#include <cstddef>
#include <cstdio>
#include <span>
#include <vector>

inline constexpr auto lanes = attune::ordinal<"LANES">(attune::powers_of_two(1, 32));
inline constexpr auto space = attune::space(lanes);

static constexpr char const* text = R"(
#include <attune/tunable.hpp>
#include <cstddef>
#include <span>
void sum(std::span<double const> x, std::span<double> out)
{
    constexpr int lanes = ATTUNE_TUNABLE(LANES, 1);
    double part[lanes] = {};
    std::size_t i = 0;
    for (; i + lanes <= x.size(); i += lanes)
        for (int j = 0; j < lanes; ++j) part[j] += x[i + j];
    for (; i < x.size(); ++i) part[0] += x[i];
    out[0] = 0;
    for (double const p : part) out[0] += p;
}
)";

int main()
{
    attune::kernel<void(std::span<double const>, std::span<double>)> const kernel{
        "sum", attune::source_text(text, "sum.kernel.cpp"), space};
    attune::tuning_options options;

    options.on_miss = attune::miss_policy::tune_in_background; // the default serves meanwhile

    attune::tuned sum{kernel, attune::clang_compiler{}, options};
    std::vector<double> x(1 << 16, 0.5), out(1);
    sum(x, out); // returns at once
    std::printf("%g\n", out[0]);

    sum.wait(); // for nothing but the next line
    std::printf("tuned: %s\n", sum.is_tuned(x, out) ? "yes" : "no");

    options.on_miss = attune::miss_policy::lookup_only;
    attune::tuned other{kernel, attune::clang_compiler{}, options};
    other.prepare({{x, out}}); // tunes now, with every policy
    std::printf("prepared: %s\n", other.is_tuned(x, out) ? "yes" : "no");
}
// prints:
// 32768
// tuned: yes
// prepared: yes
