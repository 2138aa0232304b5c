// 14 - kernel settings: declarations of a kernel beside its parameters.
// Shows a reference, a check, your own code as a rival, stated work, and code without a compiler.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/tune/roofline.hpp>

#include <cmath>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

inline constexpr auto lanes = attune::ordinal<"LANES">(attune::powers_of_two(1, 32));
inline constexpr auto space = attune::space(lanes);

static constexpr char const* norm_text = R"(
#include <attune/tunable.hpp>
#include <cstddef>
#include <span>
constexpr int LANES = ATTUNE_TUNABLE(LANES, 1);
void norm(std::span<double const> x, std::span<double> sum)
{
    double part[LANES] = {};
    std::size_t i = 0;
    for (; i + LANES <= x.size(); i += LANES)
        for (int j = 0; j < LANES; ++j) part[j] += x[i + j] * x[i + j];
    for (; i < x.size(); ++i) part[0] += x[i] * x[i];
    sum[0] = 0;
    for (double const p : part) sum[0] += p;
}
)";

// The code as it was before attune.
static void plain_norm(std::span<double const> x, std::span<double> sum)
{
    sum[0] = 0;
    for (double const v : x)
        sum[0] += v * v;
}

int main()
{
    attune::kernel<void(std::span<double const>, std::span<double>)> kernel{
        "norm", attune::source_text(norm_text, "norm.kernel.cpp"), space};

    kernel.reference(plain_norm);           // slow and simple code says what is right
    kernel.tolerate<1>({.relative = 1e-9}); // of argument 1
    kernel.check([](std::span<double const> x, std::span<double const> sum) -> std::string {
        return std::isfinite(sum[0]) || x.empty() ? "" : "the sum is not finite";
    });
    kernel.baseline(plain_norm); // a rival in the final, named in the report
    kernel.fallback(plain_norm); // serves where nothing can be compiled
    kernel.work([](std::span<double const> x, std::span<double> const&) {
        return attune::work{.flops = 2.0 * static_cast<double>(x.size()),
                            .bytes = 8.0 * static_cast<double>(x.size())};
    });

    attune::tuned norm{kernel, attune::clang_compiler{}};
    std::vector<double> x(1 << 16, 0.5), sum(1);
    norm(x, sum);
    attune::tuning_report const report = norm.report();
    std::printf("%g, %u evaluations\n", sum[0], report.evaluations);
    std::printf("beside the own code: %s\n", report.baseline ? "yes" : "no");
    std::printf("roofline: %s\n", report.roofline ? "known" : "not known");
}
// prints:
// 16384, 6 evaluations
// beside the own code: yes
// roofline: known
