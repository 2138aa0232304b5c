// attune/compile/system/object_key.hpp - a fingerprint of machine code, independent of names.
// SPDX-License-Identifier: MIT
// Source   System V ABI, chapters 4 and 5
#pragma once

#include <attune/core/version.hpp>

#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// 32 hexadecimal digits that are equal when the loaded code and data are equal, with their
/// relocations. In a relocatable object, a defined symbol counts by its place and an undefined one
/// by its name. Debug information, comments, section names and the symbol table do not count. So
/// names of kernel, file and folder do not matter, unless the code contains them (as __FILE__).
///
/// Equal keys mean equal code (up to hash collisions). Equal code may have two keys, because a
/// shared object contains its exported names. Bytes that are no ELF object of this machine are
/// hashed as a whole.
[[nodiscard]] std::string object_key(std::string_view object);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/system/object_key.ipp>
#endif
