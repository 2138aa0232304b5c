// tests/baked/verified.cpp - a release whose build verified its variants, and found one of them wrong.
// SPDX-License-Identifier: MIT
#include <attune/ship/baked.hpp>

#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

namespace {

struct alignas(64) line {
    float values[16];
};

} // namespace

int main()
{
#ifdef __x86_64__
    if (level_of(attune::detail::words_of_this_processor()) <
        attune::detail::instruction_level::x86_64_v3) {
        std::puts("skipped: this processor has no AVX2");
        return 0;
    }
#endif
    using scale_type = void(std::span<float const>, std::span<float>, int);
    attune::baked<scale_type> const scale{attune::baked_kernel<"scale">};
    std::vector<line> from(320), to(320);
    for (int const n : {64, 4'096, 100, 5'000}) {
        auto const size = static_cast<std::size_t>(n);
        std::span<float const> const x{from[0].values, size};
        std::span<float> const y{to[0].values, size};
        attune::baked_choice const by = scale.explain(x, y, n);
        std::printf("%d: %s by %s, proven by %s\n", n, std::string(by.configuration).c_str(),
                    std::string(by.instructions).c_str(),
                    by.is_default ? "nothing" : std::string(by.proof).c_str());
    }
}
