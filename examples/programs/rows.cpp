// rows - softmax and layer norm: several statements, which pass temporaries on.
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

auto const [i, j] = attune::axes<"i", "j">();
constexpr auto x = array<"x", float, 64, 512>();
constexpr auto y = array<"y", float, 64, 512>();

// A temporary is made and dropped by each call, or is never there at all.
constexpr auto top = attune::temporary<"top", float, 64>();
constexpr auto e = attune::temporary<"e", float, 64, 512>();
constexpr auto total = attune::temporary<"total", float, 64>();
constexpr auto softmax =
    attune::nest<"softmax">(top[i] = attune::max(j)(x[i][j]), e[i][j] = exp(x[i][j] - top[i]),
                            total[i] = sum(j)(e[i][j]), y[i][j] = e[i][j] / total[i]);

constexpr auto mean = attune::temporary<"mean", float, 64>();
constexpr auto deviation = attune::temporary<"deviation", float, 64>();
constexpr auto scale = array<"scale", float, 512>();
constexpr auto square = [](auto v) { return v * v; };
constexpr auto norm =
    attune::nest<"norm">(mean[i] = sum(j)(x[i][j]) / 512.0f,
                         deviation[i] = sqrt(sum(j)(square(x[i][j] - mean[i])) / 512.0f + 1e-5f),
                         y[i][j] = (x[i][j] - mean[i]) / deviation[i] * scale[j]);

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
    auto const of = some(64 * 512), by = some(512);
    compare(softmax, some(64 * 512), [&](auto& f, auto& out) { f(of, out); });
    compare(norm, some(64 * 512), [&](auto& f, auto& out) { f(of, by, out); });
}
// prints:
// right: *
// right: *
