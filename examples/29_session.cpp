// 29 - session: a tuning in steps, and the program's own work between them.
// Shows a program that draws frames while two of its kernels are tuned, one evaluation a frame.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/tune/together_session.hpp>

#include <cstdio>
#include <span>
#include <vector>

inline constexpr auto lanes = attune::ordinal<"LANES">(attune::powers_of_two(1, 32));
inline constexpr auto chunk = attune::ordinal<"CHUNK">(attune::powers_of_two(1, 64));

static constexpr char const* total_text = R"(
#include <attune/tunable.hpp>
#include <cstddef>
#include <span>
void total(std::span<float const> x, std::span<float> out)
{
    constexpr int lanes = ATTUNE_TUNABLE(LANES, 1);
    float part[lanes] = {};
    for (std::size_t i = 0; i + lanes <= x.size(); i += lanes)
        for (int j = 0; j < lanes; ++j) part[j] += x[i + j];
    out[0] = 0;
    for (float const p : part) out[0] += p;
}
)";
static constexpr char const* fade_text = R"(
#include <attune/tunable.hpp>
#include <cstddef>
#include <span>
void fade(std::span<float> x)
{
    constexpr int chunk = ATTUNE_TUNABLE(CHUNK, 1);
    for (std::size_t i = 0; i + chunk <= x.size(); i += chunk)
        for (int j = 0; j < chunk; ++j) x[i + j] = 0.5f * x[i + j] + 1;
}
)";

int main()
{
    attune::kernel<void(std::span<float const>, std::span<float>)> const total_kernel{
        "total", attune::source_text(total_text, "total.kernel.cpp"), attune::space(lanes)};
    attune::tuned total{total_kernel, attune::clang_compiler{}};
    attune::kernel<void(std::span<float>)> const fade_kernel{
        "fade", attune::source_text(fade_text, "fade.kernel.cpp"), attune::space(chunk)};
    attune::tuned fade{fade_kernel, attune::clang_compiler{}};
    std::vector<float> frame(1 << 16, 0), sum(1);

    attune::together_session tuning{
        {.evaluations = 10}, attune::share(total, frame, sum), attune::share(fade, frame).calls(2)};
    int frames = 0;
    while (tuning.step()) { // one evaluation, or one final
        fade(frame);        // not tuned yet: the default runs
        ++frames;
    }
    attune::together_report const r = tuning.finish();

    for (attune::share_report const& one : r.shares)
        std::printf("%s\n", one.report.summary().c_str());
    std::printf("%llu evaluations, %d frames\n", static_cast<unsigned long long>(r.evaluations),
                frames);
    fade(frame); // the winner runs
    total(frame, sum);
    std::printf("%.0f\n", static_cast<double>(sum[0]));
}
// prints:
// *
// *
// 10 evaluations, # frames
// #
