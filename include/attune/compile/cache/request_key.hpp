// attune/compile/cache/request_key.hpp - the key of a variant, known before it is compiled.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/source.hpp>
#include <attune/compile/source/variant.hpp>
#include <attune/core/version.hpp>

#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// 32 hexadecimal digits that differ whenever text, path, include folders, flags, macros,
/// signature, the compiler or the environment variables that it reads differ. The current folder
/// counts when something in the kernel is relative to it. What the kernel includes is not looked
/// at: that is for cache_inputs.
///
/// @param kind      what the bytes are: "object", "shared object"
/// @param compiler  everything that identifies the compiler, its flags and the processor
[[nodiscard]] std::string request_key(std::string_view kind,
                                      std::string_view compiler,
                                      kernel_source const& kernel,
                                      compile_request const& v);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/cache/request_key.ipp>
#endif
