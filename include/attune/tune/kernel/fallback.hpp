// attune/tune/kernel/fallback.hpp - what runs where no variant of a kernel can be compiled.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/ahead/ahead.hpp>
#include <attune/compile/callable.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/tune/kernel.hpp>

#include <optional>
#include <string>

namespace attune::inline ATTUNE_ABI {

/// The function of kernel.fallback(f); else the one that attune_add_kernel has compiled into the
/// program from the text of kernel.source with its defaults; else none. Compiles nothing, reads no
/// file and throws nothing but std::bad_alloc.
/// @return  the address of a function of the kernel's own type, for this processor; without one, in
///          `reason`, why a function of this text and name does not fit
[[nodiscard]] found_ahead find_fallback(kernel_description const& kernel);

/// find_fallback() without the reason; null: there is none.
[[nodiscard]] void* fallback_of(kernel_description const& kernel);

/// Code for a device, or why there is none.
struct found_on_device {
    std::optional<callable> code{}; ///< its address points to a device_variant
    std::string reason{};           ///< as in found_ahead
};

/// callable::compiler of such code.
inline constexpr char const* code_of_the_program = "PTX of the program";

/// The default of a kernel as PTX, which attune_add_kernel(target file.cu) has put into the
/// program, with the launch that the kernel declares at `at`: loaded_kernel loads it without NVRTC.
/// @param bound  the space with the inputs of the call  @param at  its default configuration
[[nodiscard]] found_on_device find_fallback_on_device(kernel_description const& kernel,
                                                      description const& bound,
                                                      point const& at);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/kernel/fallback.ipp>
#endif
