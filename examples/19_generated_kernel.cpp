// 19 - a generated kernel: your function writes the text of each configuration.
// Shows generated_source, for your own generators and for text that macros cannot express. Takes
// seconds, once.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>

#include <cstdio>
#include <span>
#include <string>
#include <vector>

inline constexpr auto results =
    attune::ordinal<"RESULTS">(attune::powers_of_two(1, 32)).with_default(1);
inline constexpr auto order =
    attune::categorical<"ORDER">("by result", "by weight").with_default("by result");
inline constexpr auto space = attune::space(results, order);

static constexpr int taps = 7;
static constexpr int weights[taps] = {1, 0, -9, 16, -9, 0, 1}; // a filter; zeros need no code

/// "        r2 += -9.0f * x[i + 4];": one of the statements of a block of results.
static std::string statement(int result, int weight)
{
    if (weights[weight] == 0) return {};
    return "        r" + std::to_string(result) + " += " + std::to_string(weights[weight]) +
           ".0f * x[i + " + std::to_string(result + weight) + "];\n";
}

/// A loop over blocks of `count` results, without a branch or an inner loop.
static std::string loop(int count, bool by_result)
{
    std::string declared, sums, written;
    for (int r = 0; r < count; ++r) {
        declared += "        float r" + std::to_string(r) + " = 0;\n";
        written += "        y[i + " + std::to_string(r) + "] = r" + std::to_string(r) + ";\n";
    }
    for (int s = 0; s < count * taps; ++s)
        sums += by_result ? statement(s / taps, s % taps) : statement(s % count, s / count);
    std::string const step = std::to_string(count);
    return "    for (; i + " + step + " <= y.size(); i += " + step + ") {\n" + declared + sums +
           written + "    }\n";
}

int main()
{
    // The text depends on the configuration alone. Several threads may call the function at once.
    // Change "1" with the function.
    attune::kernel_source const source = attune::generated_source(
        space,
        [](auto const& config) {
            return "#include <cstddef>\n#include <span>\n"
                   "void filter(std::span<float const> x, std::span<float> y)\n"
                   "{\n    std::size_t i = 0;\n" +
                   loop(config[results], config[order] == "by result") + loop(1, true) + "}\n";
        },
        "filter.cpp", "1");
    attune::kernel<void(std::span<float const>, std::span<float>)> kernel{"filter", source, space};
    attune::tuned filter{kernel, attune::clang_compiler{}, attune::store{"filter.attune"}};

    std::vector<float> x(1 << 16, 1.0f), y(x.size() - taps + 1);
    x[3] = 2;
    filter(x, y);
    std::printf("%g %g\n", static_cast<double>(y[0]), static_cast<double>(y[1]));
    std::printf("%s\n", filter.report().summary().c_str());
}
// prints:
// 16 -9
// #x faster than the default: *; RESULTS=# *; # evaluations in #*
// or: keeps the default RESULTS=# *: nothing was proven faster*; # evaluations in #*
