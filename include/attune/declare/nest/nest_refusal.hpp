// attune/declare/nest/nest_refusal.hpp - what is said of a call whose arrays do not fit the program.
// SPDX-License-Identifier: MIT
// tested by declare/nest/evaluate.cpp
//
// Inline, for files with ATTUNE_OFF, which are linked with nothing of attune's.
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// Errors   attune::error: an input that is an extent is negative
[[noreturn]] inline void refuse_extent(std::string_view program, std::string_view input,
                                       std::int64_t value)
{
    throw error("an extent of program '" + std::string(program) + "' is negative",
                std::string(input) + " = " + std::to_string(value),
                "call it with a number of elements");
}

/// Errors   attune::error: an array has `given` elements (or rows) instead of `wanted`
[[noreturn]] inline void refuse_size(std::string_view program, std::string_view array,
                                     std::int64_t given, std::int64_t wanted)
{
    throw error("an array of program '" + std::string(program) + "' has another size than declared",
                std::string(array) + " is given with " + std::to_string(given) +
                    ", its extents say " + std::to_string(wanted),
                "check the extents, and their order among the arguments");
}

/// Errors   attune::error: an index reaches `reached` in dimension `dimension`, from 1, of `extent`
[[noreturn]] inline void refuse_index(std::string_view program, std::string_view array,
                                      std::size_t dimension, std::int64_t reached,
                                      std::int64_t extent)
{
    throw error("an index of program '" + std::string(program) + "' leaves its array",
                "index " + std::to_string(dimension) + " of " + std::string(array) + " reaches " +
                    std::to_string(reached) + ", and its extent is " + std::to_string(extent),
                "check the extents, or write attune::padded(" + std::string(array) + ")[...]");
}

} // namespace attune::inline ATTUNE_ABI::detail
