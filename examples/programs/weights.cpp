// weights - a linear layer whose weights are the same in all calls: they are packed once, outside.
// Calls with them, then with others, and compares with the plain nest. Takes seconds.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/core/constant_array.hpp>
#include <attune/tune/program/nest.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

using attune::array, attune::constant, attune::sum;
namespace {

auto const [i, j, k] = attune::axes<"i", "j", "k">();
constexpr auto x = array<"x", float, 8, 192>();
constexpr auto y = array<"y", float, 8, 256>();

// The inputs of an output lie side by side: columns that no vector can read without packing.
constexpr auto w = constant<"w", float, 256, 192>();
constexpr auto linear = attune::nest<"linear">(y[i][j] = sum(k)(x[i][k] * w[j][k]));

std::vector<float> some(std::size_t count, int shift)
{
    std::vector<float> out(count);
    for (std::size_t at = 0; at < count; ++at)
        out[at] = static_cast<float>((static_cast<int>(at) * 7 + shift) % 11 - 5) / 8;
    return out;
}

/// Calls the tuned program twice, and its plain nest.
bool is_right(auto& fast, std::vector<float> const& in, attune::constant_array<float> const& by)
{
    std::vector<float> out(8 * 256), want(8 * 256);
    fast(in, by, out); // packs, once for this array
    fast(in, by, out); // reads the packed form
    linear(in, by, want);
    float worst = 0;
    for (std::size_t at = 0; at < out.size(); ++at)
        worst = std::max(worst, std::fabs(out[at] - want[at]));
    return worst < 1e-3f;
}

} // namespace

int main()
{
    attune::tuned fast{linear.kernel(), attune::clang_compiler{}, {.limits = {.evaluations = 5}}};
    std::vector<float> const in = some(8 * 192, 0);
    // Nothing can write the elements of a constant_array, so that no packed form is out of date.
    attune::constant_array<float> weights(some(256 * 192, 1));
    std::printf("%s\n", is_right(fast, in, weights) ? "right" : "wrong");
    std::printf("packed: %s\n", weights.kept_bytes() > 0 ? "yes" : "no");
    // Where they change, a new array takes the place of the old one.
    weights = attune::constant_array<float>(some(256 * 192, 2));
    std::printf("%s\n", is_right(fast, in, weights) ? "right" : "wrong");
}
// prints:
// right
// packed: *
// right
