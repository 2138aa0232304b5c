// attune/compile/cache/request_key.hpp - the key of a variant, computed before it is compiled.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/compile_request.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/version.hpp>

#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// A hash of the process's state that a compilation reads: the variables that compilers read, and
/// the current folder where a relative path takes part. The text, the flags and the files that it
/// reads are not part of it.
///
/// @param kernel  with the flags of the compiler before its own
/// @return  32 hexadecimal digits
[[nodiscard]] std::string surroundings_of(kernel_source const& kernel, compile_request const& v);

/// 32 hexadecimal digits. They differ when the text, path, include folders, flags, macros,
/// signature, compiler, or surroundings_of() differ. Included files do not count: see cache_inputs.
///
/// @param kind      type of the cached bytes: "object", "shared object"
/// @param compiler  everything that identifies the compiler, its flags and the processor
[[nodiscard]] std::string request_key(std::string_view kind, std::string_view compiler,
                                      kernel_source const& kernel, compile_request const& v);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/cache/request_key.ipp>
#endif
