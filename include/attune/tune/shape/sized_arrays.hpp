// attune/tune/shape/sized_arrays.hpp - memory for arrays of a call that are longer, or lie elsewhere.
// SPDX-License-Identifier: MIT
// tested by tune/shape/drawn_calls.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/shape/drawn_calls.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The memory of one drawn call.
class sized_arrays {
public:
    /// The call. Arrays that it has room for are the beginnings of the original's. Longer ones, and
    /// those with a place of their own, lie in memory of this object, and repeat what the original
    /// has.
    /// @param frame  of the original, with call_frame::resized
    /// @return  what it refers to is valid until the next make()
    /// Errors   std::bad_alloc
    [[nodiscard]] call_frame make(call_frame const& frame, drawn_call const& call);

private:
    std::vector<std::unique_ptr<std::byte[]>> blocks_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/shape/sized_arrays.ipp>
#endif
