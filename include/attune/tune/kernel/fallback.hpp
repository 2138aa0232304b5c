// attune/tune/kernel/fallback.hpp - the code that serves where no variant of a kernel can be compiled.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/ahead/ahead.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/kernel/kernel_description.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// The function of kernel.fallback(f); else the function that attune_add_kernel has compiled into
/// the program from the text of kernel.source with its defaults; else none. Compiles nothing, reads
/// no file, throws only std::bad_alloc.
/// @return  the address of a function of the kernel's own type, for this processor; or in `reason`
///          why a function of this text and name does not fit
[[nodiscard]] found_ahead find_fallback(kernel_description const& kernel);

/// find_fallback() without the reason; null: none.
[[nodiscard]] void* fallback_of(kernel_description const& kernel);

/// The callable::compiler of device code that the program contains.
inline constexpr char const* code_of_the_program = "PTX of the program";

/// The properties that a function or PTX in the program needs to be this kernel's default.
[[nodiscard]] wanted_ahead wanted_of(kernel_description const& kernel);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/kernel/fallback.ipp>
#endif
