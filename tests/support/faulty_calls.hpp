// tests/support/faulty_calls.hpp - kernels whose variant is wrong for some shapes, and their calls.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/tune/tuned.hpp>

#include <cstddef>
#include <string>
#include <utility>

#include "../../bench/support/shape_calls.hpp"
#include "accumulate.hpp"

namespace attune_test {

/// The index of a fault.
inline std::size_t fault_named(std::string const& name)
{
    std::size_t which = 0;
    while (bench::faults.at(which).name != name)
        ++which;
    return which;
}

inline bench::shape_choice of_length(int n)
{
    bench::shape_choice out;
    out.n = n;
    return out;
}

template <class Store>
using faulty_tuned = attune::tuned<bench::faulty_signature, bench::faulty_compiler, Store>;

/// With that fault, as a process of its own has it.
template <class Store>
faulty_tuned<Store> tuned_with_fault(std::size_t which, Store store,
                                     attune::tuning_options options = quick_options())
{
    return {bench::faulty_kernel(which), bench::faulty_compiler{which}, std::move(store),
            std::move(options)};
}

} // namespace attune_test
