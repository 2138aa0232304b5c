// products - a matrix product, many small ones, and a feed-forward layer with gelu, as programs.
// Each is tuned by a few evaluations and compared with its plain nest. Takes seconds.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/tune/program/nest.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

using attune::array, attune::sum;
namespace {

auto const [b, i, j, k] = attune::axes<"b", "i", "j", "k">();

// C += A B; sizes are known when it is called.
constexpr auto m = attune::input<"m", int>();
constexpr auto n = attune::input<"n", int>();
constexpr auto inner = attune::input<"inner", int>();
constexpr auto A = array<"A", float, m, inner>();
constexpr auto B = array<"B", float, inner, n>();
constexpr auto C = array<"C", float, m, n>();
constexpr auto matmul = attune::nest<"matmul">(C[i][j] += A[i][k] * B[k][j]);

// Twelve products, as between the heads of an attention layer.
constexpr auto P = array<"P", float, 12, 64, 32>();
constexpr auto Q = array<"Q", float, 12, 32, 64>();
constexpr auto R = array<"R", float, 12, 64, 64>();
constexpr auto batched = attune::nest<"batched">(R[b][i][j] = sum(k)(P[b][i][k] * Q[b][k][j]));

// A layer with bias and gelu, in the form of tanh.
constexpr auto x = array<"x", float, 64, 128>();
constexpr auto w = array<"w", float, 128, 256>();
constexpr auto bias = array<"bias", float, 256>();
constexpr auto y = array<"y", float, 64, 256>();
constexpr auto gelu = [](auto v) {
    return 0.5f * v * (1.0f + tanh(0.79788456f * (v + 0.044715f * v * v * v)));
};
constexpr auto layer = attune::nest<"layer">(y[i][j] = gelu(sum(k)(x[i][k] * w[k][j]) + bias[j]));

std::vector<float> some(std::size_t count)
{
    std::vector<float> out(count);
    for (std::size_t at = 0; at < count; ++at)
        out[at] = static_cast<float>(static_cast<int>(at * 7 % 11) - 5) / 8;
    return out;
}

/// Calls the tuned program and its plain nest.
void compare(auto const& program, std::vector<float> out, auto const& call)
{
    attune::tuned fast{program.kernel(), attune::clang_compiler{}, {.limits = {.evaluations = 5}}};
    std::vector<float> want = out;
    call(fast, out);
    call(program, want);
    float worst = 0;
    for (std::size_t at = 0; at < out.size(); ++at)
        worst = std::max(worst, std::fabs(out[at] - want[at]));
    std::printf("%s: %s\n", worst < 1e-3f ? "right" : "wrong", fast.report().summary().c_str());
}

} // namespace

int main()
{
    auto const a = some(96 * 96), of = some(12 * 64 * 32), by = some(128 * 256), add = some(256);
    compare(matmul, some(96 * 96), [&](auto& f, auto& out) { f(a, a, out, 96, 96, 96); });
    compare(batched, some(12 * 64 * 64), [&](auto& f, auto& out) { f(of, of, out); });
    compare(layer, some(64 * 256), [&](auto& f, auto& out) { f(some(64 * 128), by, add, out); });
}
// prints:
// right: *
// right: *
// right: *
