// tests/baked/develop.cpp - tunes matvec.kernel.cpp: `baked_develop FILE` writes the store that the tests bake.
// SPDX-License-Identifier: MIT
//
// With a second argument it tunes nothing, and verifies what was found for many other sizes.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>

#include <cstddef>
#include <cstdio>
#include <span>
#include <vector>

inline constexpr auto rows = attune::ordinal<"ROWS">(attune::values(1, 2, 4, 8));
inline constexpr auto sums = attune::ordinal<"SUMS">(attune::values(1, 8, 16, 32, 64));
inline constexpr auto flags = attune::flags<"FLAGS">("-O3", "-O3 -mprefer-vector-width=512");
inline constexpr auto space = attune::space(rows, sums, flags);
inline constexpr auto size = attune::input<"N", int>();

int main(int count, char** arguments)
{
    attune::kernel<void(std::span<float const>, std::span<float const>, std::span<float>, int)>
        kernel{"matvec", attune::source_file("matvec.kernel.cpp"), space};
    kernel.bind<3>(size).tolerate<2>({.absolute = 1e-4, .relative = 1e-4});
    attune::tuning_options options;
    options.limits = {.evaluations = 24, .seconds = 20};
    bool const only_verifies = count > 2;
    if (only_verifies) options.on_miss = attune::miss_policy::lookup_only;
    attune::tuned matvec{kernel, attune::clang_compiler{},
                         attune::store{count > 1 ? arguments[1] : "matvec.attune"}, options};
    std::vector<float> const memory(1'000 * 1'000, 1.0f);
    std::vector<float> result(1'100);
    unsigned state = 1;
    auto const below = [&state](unsigned limit) {
        state = state * 1664525u + 1013904223u;
        return (state >> 8) % limit;
    };
    std::vector<int> sizes{48, 250, 768};
    for (int i = 0; only_verifies && i < 400; ++i)
        sizes.push_back(static_cast<int>(i % 2 == 0 ? below(120) : below(800)));
    for (int const n : sizes) {
        auto const elements = static_cast<std::size_t>(n);
        std::span<float const> const a{memory.data() + below(16), elements * elements};
        std::span<float const> const x{memory.data() + below(16), elements};
        std::span<float> const y{result.data() + below(16), elements};
        for (int call = 0; call < (only_verifies ? 3 : 1); ++call)
            matvec(a, x, y, n);
    }
    std::printf("%s\n", matvec.report().summary().c_str());
}
