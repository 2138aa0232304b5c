// 18 - streaming sizes: the winner of one size serves sizes that never come again.
// Shows kernel.bucket(f), for numbers of tokens, particles or requests. Takes a few seconds.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>

#include <cstddef>
#include <cstdio>
#include <span>
#include <vector>

inline constexpr auto n = attune::input<"N", int>();
inline constexpr auto lanes = attune::ordinal<"LANES">(attune::powers_of_two(1, 32));
inline constexpr auto space = attune::space(lanes);

static constexpr char const* text = R"(
#include <attune/tunable.hpp>
#include <span>
void sum(std::span<double const> x, std::span<double> out, int n)
{
    constexpr int lanes = ATTUNE_TUNABLE(LANES, 1);
    double part[lanes] = {};
    int i = 0;
    for (; i + lanes <= n; i += lanes)
        for (int j = 0; j < lanes; ++j) part[j] += x[i + j];
    for (; i < n; ++i) part[0] += x[i];
    out[0] = 0;
    for (double const p : part) out[0] += p;
}
)";

int main()
{
    attune::kernel<void(std::span<double const>, std::span<double>, int)> kernel{
        "sum", attune::source_text(text, "sum.kernel.cpp"), space};

    kernel.bind<2>(n).bucket<2>([](int size) { return (size + 9999) / 10000 * 10000; });

    int tunings = 0;
    attune::tuning_options options;
    options.progress = [&](attune::progress const& p) {
        if (p.event == attune::progress_event::started) ++tunings;
    };
    attune::tuned sum{kernel, attune::clang_compiler{}, options};
    std::vector<double> x(1 << 15, 0.5), out(1);
    int sizes = 0, right = 0;
    for (int i = 0; i < 200; ++i) {
        int const size = 10001 + i * 7919 % 19999; // none comes twice
        sum(std::span<double const>(x).first(static_cast<std::size_t>(size)), out, size);
        right += out[0] * 2 == size ? 1 : 0;
        ++sizes;
    }
    std::printf("%d sizes, %d of them right, %d tunings\n", sizes, right, tunings);
}
// prints:
// 200 sizes, 200 of them right, 2 tunings
