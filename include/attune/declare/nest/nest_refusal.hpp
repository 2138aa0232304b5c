// attune/declare/nest/nest_refusal.hpp - what is said of a call whose arrays do not fit the program.
// SPDX-License-Identifier: MIT
// tested by declare/nest/evaluate.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// Errors   attune::error: an input that is an extent is negative
[[noreturn]] void
refuse_extent(std::string_view program, std::string_view input, std::int64_t value);

/// Errors   attune::error: an array has `given` elements (or rows) instead of `wanted`
[[noreturn]] void refuse_size(std::string_view program,
                              std::string_view array,
                              std::int64_t given,
                              std::int64_t wanted);

/// Errors   attune::error: an index reaches `reached` in dimension `dimension`, from 1, of `extent`
[[noreturn]] void refuse_index(std::string_view program,
                               std::string_view array,
                               std::size_t dimension,
                               std::int64_t reached,
                               std::int64_t extent);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/nest/nest_refusal.ipp>
#endif
