// attune/compile/system/object_key.hpp - a fingerprint of machine code that does not see names.
// SPDX-License-Identifier: MIT
//
// System V ABI, chapters 4 and 5
#pragma once

#include <attune/core/version.hpp>

#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI {

/// 32 hexadecimal digits that are equal when the code and data that are loaded are equal, with
/// their relocations. In a relocatable object a symbol that the object defines counts by its place,
/// not by its name; a symbol from outside counts by its name. Debug information, comments, the
/// names of sections and the symbol table do not count. So the name of a kernel, of its file and of
/// the folder make no difference, unless the code itself holds them (__FILE__, an exception's
/// text).
///
/// Equal keys mean equal code (up to collisions of the hash); equal code may still have two keys:
/// a shared object keeps the names it exports. What is no ELF object of this machine's kind is
/// hashed as it is.
[[nodiscard]] std::string object_key(std::string_view object);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/system/object_key.ipp>
#endif
