// attune/compile/system/object_key.hpp - the fingerprint and the sizes of machine code.
// SPDX-License-Identifier: MIT
// Source   System V ABI, chapters 4 and 5
// Source   System V ABI, chapters 4 and 5; llvm.org/docs/CodeGenerator.html, "Emitting function
//          stack size information"
#pragma once

#include <attune/core/callable.hpp>
#include <attune/core/version.hpp>

#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// 32 hexadecimal digits, equal if the loaded code and data are equal, with their relocations. In a
/// relocatable object, a defined symbol counts by its place and an undefined one by its name. Debug
/// information, comments, section names and the symbol table do not count. Names of kernel, file
/// and folder therefore do not matter, unless the code contains them (as __FILE__).
///
/// Equal keys mean equal code (up to hash collisions). Equal code may have two keys, because a
/// shared object contains its exported names. Bytes that are no ELF object of this machine are
/// hashed as a whole.
[[nodiscard]] std::string object_key(std::string_view object);

/// The flag by which Clang writes the frame of each function into the object.
inline constexpr char const* frame_sizes_flag = "-fstack-size-section";
inline constexpr char const* frame_sizes_section = ".stack_sizes";

/// The sizes that a relocatable or shared object states. `code_bytes` needs symbols: in a stripped
/// shared object, only exported functions count. `stack_bytes` needs the section of
/// frame_sizes_flag with a frame for each function. Clang writes no frame for a function whose
/// frame grows at run time. Bytes that are no ELF object of this machine give no sizes.
[[nodiscard]] code_size size_of_code(std::string_view object);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/system/object_key.ipp>
#endif
