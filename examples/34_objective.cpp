// 34 - objective: the best value of a function of your own, not the shortest time.
// Shows a number that the kernel computes as the objective. You need Clang. Takes seconds.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/tune/objective.hpp>

#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

inline constexpr auto weight = attune::ordinal<"WEIGHT">(attune::range(100, 195, 5));
inline constexpr auto space = attune::space(weight);

// Solves x[i-1] - 2 x[i] + x[i+1] = -1 by over-relaxation; counts the sweeps that it takes.
static constexpr char const* relax_text = R"(
#include <attune/tunable.hpp>
#include <cmath>
#include <cstddef>
#include <span>
constexpr double step = ATTUNE_TUNABLE(WEIGHT, 100) / 100.0;
void relax(std::span<double> x, std::span<int> sweeps)
{
    double largest = 1;
    for (sweeps[0] = 0; largest > 1e-9 && sweeps[0] < 20000; ++sweeps[0]) {
        largest = 0;
        for (std::size_t i = 1; i + 1 < x.size(); ++i) {
            double const by = step * ((x[i - 1] + x[i + 1] + 1) / 2 - x[i]);
            largest = std::fmax(largest, std::fabs(by));
            x[i] += by;
        }
    }
}
)";

int main()
{
    attune::kernel<void(std::span<double>, std::span<int>)> kernel{
        "relax", attune::source_text(relax_text, "relax.kernel.cpp"), space};
    kernel.check([](std::span<double const> x, std::span<int const>) {
        double most = 0;
        for (std::size_t i = 1; i + 1 < x.size(); ++i)
            most = std::fmax(most, std::fabs(x[i - 1] - 2 * x[i] + x[i + 1] + 1));
        return most < 1e-6;
    });
    kernel.objective("sweeps", attune::goal::lowest,
                     [](attune::measured_call, std::span<double>, std::span<int> sweeps) {
                         return static_cast<double>(sweeps[0]);
                     });

    attune::tuned relax{kernel, attune::clang_compiler{}};
    std::vector<double> x(32, 0.0);
    std::vector<int> sweeps(1);
    relax(x, sweeps);
    attune::tuning_report const report = relax.report();
    std::printf("%d sweeps\n%s\n", sweeps[0], report.configuration.c_str());
    std::printf("the default: %s\n", report.objective.text(report.default_time.value).c_str());
}
// prints:
// # sweeps
// WEIGHT=#
// the default: # sweeps
