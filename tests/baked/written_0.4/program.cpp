// tests/baked/written_0.4/program.cpp - what attune_bake of 0.4 wrote compiles, and serves what it said that it serves.
// SPDX-License-Identifier: MIT
//
// The files *.cxx are as they were written, but for the folder of the kernel file; they are never
// changed. The store said: TILE=8 for N=64, right for 16, 24, 32 and 64 elements; TILE=16 for
// N=512, right for 128, 136, 256 and 512; all at multiples of 64 bytes. The tree changes
// at 181, the geometric mean.
#include <attune/ship/baked.hpp>

#include <array>
#include <cstddef>
#include <cstdio>
#include <span>

namespace {

struct alignas(64) aligned {
    std::array<float, 2'048> values{};
};
aligned memory;

struct expected_call {
    std::size_t from;
    int n;
    int tile;
};

} // namespace

int main()
{
    attune::baked<void(std::span<float>, int)> const fill{attune::baked_kernel<"fill">, "base"};
    constexpr expected_call calls[] = {
        {0, 16, 8},   {0, 24, 8},    {0, 32, 8}, {0, 64, 8}, // verified
        {16, 32, 8},                                         // 64 bytes further
        {0, 17, 4},   {0, 100, 4},                           // a remainder
        {0, 128, 4},                 // for TILE=8 by the tree, and too large
        {1, 16, 4},                  // another place in memory
        {0, 256, 16}, {0, 512, 16},  // verified
        {0, 257, 4},  {0, 1'024, 4}, // a remainder; too large
    };
    int wrong = 0;
    for (expected_call const& one : calls)
        for (int time = 0; time < 2; ++time) {
            std::span<float> const x{memory.values.data() + one.from,
                                     static_cast<std::size_t>(one.n)};
            fill(x, one.n);
            attune::baked_choice const by = fill.explain(x, one.n);
            bool const is_as_expected = x.front() == static_cast<float>(one.tile) &&
                                        x.back() == x.front() && by.is_default == (one.tile == 4) &&
                                        by.configuration == (one.tile == 4   ? "TILE=4"
                                                             : one.tile == 8 ? "TILE=8"
                                                                             : "TILE=16");
            if (is_as_expected) continue;
            ++wrong;
            std::printf("%d elements from %d: TILE=%d, not %d; %.*s\n", one.n,
                        static_cast<int>(one.from), static_cast<int>(x.front()), one.tile,
                        static_cast<int>(by.why.size()), by.why.data());
        }
    return wrong;
}
