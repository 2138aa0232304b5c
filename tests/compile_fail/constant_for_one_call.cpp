// expect-error: deleted
// tests/compile_fail/constant_for_one_call.cpp - an array that goes with the call would be packed for it alone.
// SPDX-License-Identifier: MIT
#include <attune/core/constant_array.hpp>

#include <vector>

void call(attune::constant_view<float> weights);

void make(std::vector<float> const& numbers)
{
    attune::constant_array<float> const weights(numbers);
#ifdef ATTUNE_EXPECT_FAIL
    call(attune::constant_array<float>(numbers));
#else
    call(weights);
#endif
}
