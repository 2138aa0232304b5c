// 31 - drawn calls: only the program knows which index arrays are right.
// Shows a function that makes calls, on which a variant proves itself for other sizes.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>

#include <cstdio>
#include <span>
#include <tuple>
#include <vector>

inline constexpr auto rows = attune::ordinal<"ROWS">(attune::values(1, 2, 4));

static constexpr char const* spread_text = R"(
#include <attune/tunable.hpp>
#include <span>
constexpr int rows = ATTUNE_TUNABLE(ROWS, 1);
void spread(std::span<int const> from, std::span<float const> x, std::span<float> y)
{
    std::size_t i = 0;
    for (; i + rows <= y.size(); i += rows)
        for (int r = 0; r < rows; ++r) y[i + r] = x[from[i + r]];
    for (; i < y.size(); ++i) y[i] = x[from[i]];
}
)";

int main()
{
    attune::kernel<void(std::span<int const>, std::span<float const>, std::span<float>)> indexed{
        "spread", attune::source_text(spread_text, "spread.kernel.cpp"), attune::space(rows)};
    indexed.calls([](attune::call_draw& draw) {
        auto const count = static_cast<std::size_t>(draw.size(1, 10'000));
        std::vector<int> from(count);
        for (int& one : from)
            one = static_cast<int>(draw.index(50));
        return std::tuple{from, draw.reals(50), std::vector<float>(count)};
    });
    attune::tuned spread{indexed, attune::clang_compiler{}, {.limits = {.evaluations = 3}}};
    std::vector<int> const from(100'000, 7);
    std::vector<float> const x(50, 3.0f);
    std::vector<float> y(100'000);
    spread(from, x, y);
    std::printf("y[99999] = %.0f\n", static_cast<double>(y[99'999]));
}
// prints:
// y[99999] = 3
