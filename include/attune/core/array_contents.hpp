// attune/core/array_contents.hpp - contents of arrays for which code may have a path of its own.
// SPDX-License-Identifier: MIT
// tested by tune/shape/array_contents.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstdint>

namespace attune::inline ATTUNE_ABI {

/// Contents of all arrays of a call: all elements are this number, unless said otherwise. Elements
/// of types without such a number stay.
enum class array_contents : std::uint8_t {
    own, ///< the call's; kernel.contents(...) does not take it
    zero,
    negative_zero,
    denormal,
    equal,  ///< all elements are the first one
    sorted, ///< the call's, ascending
    least,  ///< the least finite number; as an index, INT_MIN would lead out of all memory
    infinite,
    not_a_number,
};

} // namespace attune::inline ATTUNE_ABI
