// expect-error: attune: kernel\.bucket<i>\(f\): argument i must be a number
// tests/compile_fail/bucket_of_an_array.cpp - what stands for a size is a size.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>

#include <span>

inline constexpr auto tile = attune::ordinal<"TILE">(attune::values(1, 2));

int main()
{
    attune::kernel<void(std::span<float>, int)> kernel{
        "scale", attune::source_text("", "scale.kernel.cpp"), attune::space(tile)};
    kernel.bucket<1>([](int size) { return size; });
#ifdef ATTUNE_EXPECT_FAIL
    kernel.bucket<0>([](int size) { return size; });
#endif
}
