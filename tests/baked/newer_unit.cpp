// tests/baked/newer_unit.cpp - a file of a released program for processors with AVX-512, which calls the same kernel.
// SPDX-License-Identifier: MIT
#include <attune/ship/baked.hpp>

#include <span>

// Reached on such processors alone, as the program's own code would see to.
bool runs_on_newer_processors(std::span<float const> a, std::span<float> y, int n);
bool runs_on_newer_processors(std::span<float const> a, std::span<float> y, int n)
{
    attune::baked<void(std::span<float const>, std::span<float const>, std::span<float>, int)> const
        matvec{attune::baked_kernel<"matvec">, ""};
    matvec(a, a, y, n);
    return matvec.explain(a, a, y, n).is_default;
}
