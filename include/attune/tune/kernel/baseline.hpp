// attune/tune/kernel/baseline.hpp - makes the user's own code a contestant of the final.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/kernel/kernel_description.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// Represents the code of kernel.baseline(f) as a callable. Its address is no function: only the
/// calls of with_baseline() interpret it.
[[nodiscard]] inline callable baseline_code(kernel_description const& kernel)
{
    callable out;
    out.address = const_cast<void*>(static_cast<void const*>(&kernel.baseline));
    return out;
}

[[nodiscard]] inline bool is_baseline(kernel_description const& kernel, callable const& code)
{
    return code.address == &kernel.baseline;
}

/// A copy of `frame` whose call() of baseline_code() calls the user's own code.
/// @pre   kernel.baseline is not empty; the kernel outlives the frame
/// Cost   3 ns per call of a variant, about 10 ns per call of the baseline
[[nodiscard]] inline call_frame with_baseline(call_frame const& frame,
                                              kernel_description const& kernel)
{
    call_frame out = frame;
    out.call = [call = frame.call, with_arguments = frame.with_arguments,
                own = &kernel.baseline](void* entry, std::span<std::byte* const> data) {
        if (entry == own)
            with_arguments(data, *own);
        else
            call(entry, data);
    };
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
