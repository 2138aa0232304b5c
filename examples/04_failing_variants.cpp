// 04 - failing variants: some configurations do not compile, crash, hang or compute nonsense.
// Shows that none of them hurts the program, and what the report says. Takes a few seconds.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>

#include <cstdio>
#include <numeric>
#include <span>
#include <vector>

inline constexpr auto width = attune::ordinal<"WIDTH">(attune::powers_of_two(1, 16));
inline constexpr auto style = attune::categorical<"STYLE">(0, 1, 2, 3, 4);
inline constexpr auto space = attune::space(width, style);

// A kernel may be a file or a text. Styles 1 to 4 are faults of real kernels.
static constexpr char const* scale = R"(
#include <attune/tunable.hpp>
#include <cstddef>
#include <span>
constexpr int width = ATTUNE_TUNABLE(WIDTH, 1);
constexpr int style = ATTUNE_TUNABLE(STYLE, 0);
static_assert(style != 1 || width < 4, "not enough registers");  // refused by the compiler
void scale(std::span<float const> x, std::span<float> y, float factor)
{
    std::size_t const end = style == 2 ? y.size() + width : y.size();       // overruns y
    for (std::size_t i = 0; i < end; ++i) {
        while (style == 3 && width > 2 && factor > 0) asm volatile("");     // never ends
        y[i] = (style == 4 ? factor + 1 : factor) * x[i < x.size() ? i : 0]; // wrong result
    }
}
)";

int main()
{
    std::vector<float> x(10'000), y(x.size(), -1.0f);
    std::iota(x.begin(), x.end(), 0.0f);
    attune::kernel<void(std::span<float const>, std::span<float>, float)> kernel{
        "scale", attune::source_text(scale, "scale.kernel.cpp"), space};
    attune::tuned tuned{
        kernel,
        attune::clang_compiler{},
        {.limits = {.evaluations = 25},
         .search = {.strategy = attune::search_with<attune::exhaustive_searcher>()}}};
    tuned(x, y, 3.0f);

    auto const report = tuned.report();
    std::printf("y[9999] = %g after %u evaluations: %s\n", static_cast<double>(y[9999]),
                report.evaluations, attune::describe(report.failures).c_str());
    for (attune::failure const& f : report.first_failures)
        std::printf("%s: %s\n", std::string(attune::describe(f.stage)).c_str(), f.reason.c_str());
}
// prints:
// y[9999] = 29997 after 25 evaluations: 3 did not compile, 5 crashed, 3 ran too long, 5 *
// crashed: SIGSEGV (invalid memory access) at *, * the end of argument 1 (it has 40000 bytes)
// computed a wrong result: argument 1, element #: got #, reference # (# of 10000 differ)
// did not compile: scale.kernel.cpp:7:*: error: static assertion failed*: not enough registers
// ran too long: still running after # s
