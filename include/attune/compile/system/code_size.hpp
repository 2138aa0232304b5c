// attune/compile/system/code_size.hpp - how large a variant's code and its stack frames are, by its object.
// SPDX-License-Identifier: MIT
// Source   System V ABI, chapters 4 and 5; llvm.org/docs/CodeGenerator.html, "Emitting function
//          stack size information"
#pragma once

#include <attune/core/callable.hpp>
#include <attune/core/version.hpp>

#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// The flag by which Clang writes the frame of each function into the object.
inline constexpr char const* frame_sizes_flag = "-fstack-size-section";
inline constexpr char const* frame_sizes_section = ".stack_sizes";

/// The sizes that a relocatable or shared object tells. `code_bytes` needs symbols: of a stripped
/// shared object, only exported functions count. `stack_bytes` needs the section of
/// frame_sizes_flag with a frame for each function; Clang writes none for a function whose frame
/// grows at run time. Bytes that are no ELF object of this machine tell nothing.
[[nodiscard]] code_size size_of_code(std::string_view object);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/system/code_size.ipp>
#endif
