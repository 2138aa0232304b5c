// 35 - several sizes: a variant for each size in which the program spends its time.
// Shows the sizes that were tuned beside the program, and the loss of a size that was not tuned.
// Takes 10 s.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>

#include <cstddef>
#include <cstdio>
#include <span>
#include <vector>

inline constexpr auto lanes = attune::ordinal<"LANES">(attune::powers_of_two(1, 64));
inline constexpr auto space = attune::space(lanes);

static constexpr char const* text = R"(
#include <attune/tunable.hpp>
#include <cstddef>
#include <span>
double sum(std::span<double const> x)
{
    constexpr int lanes = ATTUNE_TUNABLE(LANES, 1);
    double part[lanes] = {};
    std::size_t i = 0;
    for (; i + lanes <= x.size(); i += lanes)
        for (int j = 0; j < lanes; ++j) part[j] += x[i + j];
    for (; i < x.size(); ++i) part[0] += x[i];
    double out = 0;
    for (double const p : part) out += p;
    return out;
}
)";

int main()
{
    attune::kernel<double(std::span<double const>)> const kernel{
        "sum", attune::source_text(text, "sum.kernel.cpp"), space};
    attune::tuning_options options;

    options.on_miss = attune::miss_policy::tune_in_background;
    options.sizes = attune::size_policy::automatic; // the default

    attune::tuned sum{kernel, attune::clang_compiler{}, options};
    std::vector<double> const x(1 << 18, 0.5);
    std::span<double const> const all(x);
    double last = sum(all.first(4096)); // the first size
    sum.wait();
    for (int i = 0; i < 1'000'000 && sum.report().sizes.size() < 2; ++i)
        last = sum(all); // calls of this size now take most of the time
    sum.wait();

    attune::tuning_report const report = sum.report();
    for (attune::size_report const& one : report.sizes)
        std::printf("tuned for %s\n", one.sizes.c_str());
    std::printf("regret of a size that was left out: %s\n",
                report.size_regret ? "measured" : "unknown");
    std::printf("%g\n", last);
}
// prints:
// tuned for length of argument 0: 4096
// tuned for length of argument 0: 262144
// regret of a size that was left out: measured
// 131072
