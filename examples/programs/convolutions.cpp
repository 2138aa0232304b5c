// convolutions - 3x3 with bias and relu, 1x1, and depthwise, as programs over images of channels.
// Each is tuned by a few evaluations and compared with its plain nest. Takes seconds.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/tune/program/nest.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

using attune::array, attune::axis, attune::padded, attune::sum;
namespace {

auto const [h, v, f, c] = attune::axes<"h", "v", "f", "c">();
constexpr auto r = axis<"r", 3>(); // a window has an extent of its own
constexpr auto s = axis<"s", 3>();
constexpr auto image = array<"image", float, 28, 28, 32>();
constexpr auto out = array<"out", float, 28, 28, 48>();

// Outside of the image padded() reads 0.
constexpr auto w = array<"w", float, 3, 3, 32, 48>();
constexpr auto bias = array<"bias", float, 48>();
constexpr auto conv = attune::nest<"conv">(
    out[h][v][f] =
        max(sum(r, s, c)(padded(image)[h + r - 1][v + s - 1][c] * w[r][s][c][f]) + bias[f], 0.0f));

// 1x1: a product of pixels.
constexpr auto point_w = array<"point_w", float, 32, 48>();
constexpr auto pointwise =
    attune::nest<"pointwise">(out[h][v][f] = sum(c)(image[h][v][c] * point_w[c][f]));

// Each channel by itself, in steps of two pixels.
constexpr auto depth_w = array<"depth_w", float, 3, 3, 32>();
constexpr auto half = array<"half", float, 14, 14, 32>();
constexpr auto depthwise = attune::nest<"depthwise">(
    half[h][v][c] = sum(r, s)(padded(image)[2 * h + r - 1][2 * v + s - 1][c] * depth_w[r][s][c]));

std::vector<float> some(std::size_t count)
{
    std::vector<float> all(count);
    for (std::size_t at = 0; at < count; ++at)
        all[at] = static_cast<float>(static_cast<int>(at * 7 % 11) - 5) / 8;
    return all;
}

/// Calls the tuned program and its plain nest.
void compare(auto const& program, std::vector<float> to, auto const& call)
{
    attune::tuned fast{program.kernel(), attune::clang_compiler{}, {.limits = {.evaluations = 5}}};
    std::vector<float> want = to;
    call(fast, to);
    call(program, want);
    float worst = 0;
    for (std::size_t at = 0; at < to.size(); ++at)
        worst = std::max(worst, std::fabs(to[at] - want[at]));
    std::printf("%s: %s\n", worst < 1e-3f ? "right" : "wrong", fast.report().summary().c_str());
}

} // namespace

int main()
{
    auto const of = some(28 * 28 * 32), weights = some(9 * 32 * 48), add = some(48);
    auto const first = some(32 * 48), windows = some(9 * 32);
    compare(conv, some(28 * 28 * 48), [&](auto& g, auto& to) { g(of, weights, add, to); });
    compare(pointwise, some(28 * 28 * 48), [&](auto& g, auto& to) { g(of, first, to); });
    compare(depthwise, some(14 * 14 * 32), [&](auto& g, auto& to) { g(of, windows, to); });
}
// prints:
// right: *
// right: *
// right: *
