// 20 - program: state the mathematics; attune finds loops, tiles and vectors for this machine.
// Shows attune::nest, its plain call, and attune::show. Needs no kernel file. Takes seconds, once.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/tune/program/nest.hpp>

#include <cstdio>
#include <vector>

namespace {
constexpr auto rows = attune::input<"rows", int>(); // known when it is called
auto const [i, j, k] = attune::axes<"i", "j", "k">();
constexpr auto x = attune::array<"x", float, rows, 256>();
constexpr auto w = attune::array<"w", float, 256, 192>();
constexpr auto b = attune::array<"b", float, 192>();
constexpr auto y = attune::array<"y", float, rows, 192>();

constexpr auto gelu = [](auto v) { return 0.5f * v * (1.0f + erf(v * 0.70710678f)); };
constexpr auto layer =
    attune::nest<"layer">(y[i][j] = gelu(attune::sum(k)(x[i][k] * w[k][j]) + b[j]));
} // namespace

int main()
{
    std::vector<float> in(64 * 256, 0.1f), by(256 * 192, 0.05f), bias(192, -1.0f), out(64 * 192);
    attune::tuning_options const few{.limits = {.evaluations = 8}};
    attune::tuned fast{layer.kernel(), attune::clang_compiler{}, attune::store{"layer.attune"},
                       few};
    fast(in, by, bias, out, 64);
    layer(in, by, bias, out, 64); // the plain nest, without attune
    std::printf("y[0] = %.3f\n%s\n", static_cast<double>(out[0]), fast.report().summary().c_str());
    auto const serves = fast.explain(in, by, bias, out, 64).configuration;
    std::printf("%.60s\n", attune::show(layer, serves).c_str());
}
// prints:
// y[0] = 0.171
// *=# *
// // layer(float const x*
