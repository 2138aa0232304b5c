// 05 - second run: a stored result needs no second search.
// Shows the store, inputs as part of its key, the report, and a page. Takes a few seconds.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/ship/report/write_html.hpp>
#include <attune/tune/capture.hpp>

#include <cstdio>
#include <span>
#include <vector>

inline constexpr auto n = attune::input<"N", int>();
inline constexpr auto step = attune::ordinal<"STEP">(attune::powers_of_two(1, 64));
inline constexpr auto space = attune::space(step).where(n % step == 0);

static constexpr char const* total = R"(
#include <attune/tunable.hpp>
#include <span>
constexpr int step = ATTUNE_TUNABLE(STEP, 1);
void total(std::span<float const> x, std::span<float> sum, int n)
{
    float lanes[step] = {};
    for (int i = 0; i < n; i += step)
        for (int j = 0; j < step; ++j) lanes[j] += x[i + j];
    sum[0] = 0;
    for (float const lane : lanes) sum[0] += lane;
}
)";

// Imitates one run of a program: two calls share nothing but the file.
static void run(int size)
{
    std::vector<float> x(static_cast<std::size_t>(size), 0.5f), sum(1);
    attune::kernel<void(std::span<float const>, std::span<float>, int)> kernel{
        "total", attune::source_text(total, "total.kernel.cpp"), space};
    kernel.bind<2>(n); // the input N is argument 2 of the call

    attune::tuned tuned{kernel, attune::clang_compiler{}, attune::store{"total.attune"}};
    tuned(x, sum, size); // tunes, or remembers
    tuned(x, sum, size); // costs what a call of a function costs
    auto const report = tuned.report();
    std::printf("n = %d: sum %g, %s, %u evaluations\n", size, static_cast<double>(sum[0]),
                report.how == attune::decision::remembered ? "remembered" : "tuned",
                report.evaluations);
}

int main()
{
    run(4096); // tunes
    run(4096); // remembers
    run(8192); // another size is another problem: tunes
    run(8192); // remembers
    attune::store store{"total.attune"};
    attune::write_html(store, "total.html"); // open it in a browser
}
// prints:
// n = 4096: sum 2048, tuned, 7 evaluations
// n = 4096: sum 2048, remembered, 0 evaluations
// n = 8192: sum 4096, tuned, 7 evaluations
// n = 8192: sum 4096, remembered, 0 evaluations
