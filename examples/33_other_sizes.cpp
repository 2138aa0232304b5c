// 33 - other sizes: a kernel is tuned at 1,000 elements and called with 1,001, 7 and 1,000,000.
// Shows report().serving, which names the code for a new size, and why. Takes a few seconds.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>

#include <cstddef>
#include <cstdio>
#include <span>
#include <vector>

inline constexpr auto block = attune::ordinal<"BLOCK">(attune::powers_of_two(1, 32));

static constexpr char const* text = R"(
#include <attune/tunable.hpp>
#include <cstddef>
#include <span>
constexpr int BLOCK = ATTUNE_TUNABLE(BLOCK, 1);
static float bent(float v)
{
    for (int k = 0; k < 40; ++k) v = 0.9f * v + 0.1f * v * v;
    return v;
}
void bend(std::span<float const> x, std::span<float> y)
{
    std::size_t i = 0;
    for (; i + BLOCK <= x.size(); i += BLOCK)
        for (int j = 0; j < BLOCK; ++j) y[i + j] = bent(x[i + j]);
    for (; i < x.size(); ++i) y[i] = bent(x[i]);
}
)";

int main()
{
    attune::kernel<void(std::span<float const>, std::span<float>)> const kernel{
        "bend", attune::source_text(text, "bend.kernel.cpp"), attune::space(block)};
    attune::tuned bend{kernel, attune::clang_compiler{}};
    std::size_t const sizes[] = {1'000, 1'001, 7, 1'000'000, 1'000'000, 1'000'000};
    std::vector<float> const x(1'000'000, 0.5f);
    std::vector<float> y(1'000'000);
    for (std::size_t const size : sizes) {
        bend(std::span(x).first(size), std::span(y).first(size));
        std::printf("%zu: %s\n", size, bend.report().serving.c_str());
        bend.wait(); // a check that takes long is made beside the program
    }
}
// prints:
// 1000: *
// 1001: *
// 7: *
// 1000000: *
// 1000000: *
// 1000000: *
