// tests/baked/program.cpp - a release with a baked kernel: 1,000 random calls against the default and the plain sum.
// SPDX-License-Identifier: MIT
//
// baked_program [MOST] [CALLS]: MOST is an instruction set that is not exceeded; "" and so many
// calls. Prints how many calls a variant served, for the first size and for all.
#include <attune/ship/baked.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

namespace {

struct generator {
    std::uint64_t state = 7;
    std::size_t below(std::size_t limit)
    {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::size_t>((state >> 33) % limit);
    }
    float real() { return static_cast<float>(below(2'001)) / 1'000.0f - 1.0f; }
};

} // namespace

int main(int count, char** arguments)
{
    std::string_view const most = count > 1 ? arguments[1] : "";
    int const calls = count > 2 ? std::atoi(arguments[2]) : 1'000;
    using product = void(std::span<float const>, std::span<float const>, std::span<float>, int);
    attune::baked<product> const matvec{attune::baked_kernel<"matvec">, most};
    auto* const by_default =
        reinterpret_cast<product*>(attune::detail::baked_table_of<"matvec", product>().fallback());
    generator random;
    std::size_t const largest = calls < 1'000 ? 400 : 1'100;
    std::vector<float> memory(largest * largest + 64);
    for (float& one : memory)
        one = random.real();
    int wrong = 0;
    int tuned = 0;
    int above = 0;
    for (int call = 0; call < calls; ++call) {
        // Small, large, tuned sizes and sizes beyond them; odd places in memory.
        std::size_t const kind = random.below(4);
        std::size_t const wanted = kind == 0   ? random.below(70)
                                   : kind == 1 ? random.below(400)
                                   : kind == 2 ? std::size_t{48} * (1 + random.below(16))
                                               : 250 + random.below(850) * (random.below(20) == 0);
        std::size_t const n = std::min(wanted, largest);
        std::span<float const> const a{memory.data() + random.below(16), n * n};
        std::span<float const> const x{memory.data() + random.below(32), n};
        std::vector<float> result(n + 32, 7.0f);
        std::size_t const at = random.below(16);
        std::span<float> const y{result.data() + at, n};
        attune::baked_choice const by = matvec.explain(a, x, y, static_cast<int>(n));
        tuned += by.is_default ? 0 : 1;
        if (!most.empty() && by.instructions > most && by.instructions != "base") ++above;
        matvec(a, x, y, static_cast<int>(n));
        std::vector<float> of_default(n);
        by_default(a, x, of_default, static_cast<int>(n));
        for (std::size_t i = 0; i < result.size(); ++i) {
            double expected = 0.0;
            bool const is_inside = i >= at && i < at + n;
            for (std::size_t k = 0; is_inside && k < n; ++k)
                expected += static_cast<double>(a[(i - at) * n + k]) * static_cast<double>(x[k]);
            if (!is_inside) expected = 7.0;
            auto const got = static_cast<double>(result[i]);
            if (!(std::fabs(expected - got) <= 1e-3)) ++wrong;
            if (!is_inside) continue;
            // What develop.cpp tolerates.
            auto const usual = static_cast<double>(of_default[i - at]);
            if (!(std::fabs(usual - got) <= 1e-4 + 1e-4 * std::fabs(usual))) ++wrong;
        }
    }
    std::vector<float> y(48);
    attune::baked_choice const first =
        matvec.explain(std::span(memory).first(48 * 48), std::span(memory).first(48), y, 48);
    std::printf("48: %s %.*s\nwrong=%d tuned=%d above=%d\n",
                first.is_default ? "default" : "variant",
                static_cast<int>(first.instructions.size()), first.instructions.data(), wrong,
                tuned, above);
    return wrong == 0 && above == 0 && tuned * 10 >= calls ? 0 : 1;
}
