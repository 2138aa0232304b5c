// attune/tune/kernel/own_code.hpp - the user's own code of a kernel: its fallback, and its baseline in the final.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/ahead/ahead.hpp>
#include <attune/core/callable.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/group.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/kernel/kernel_description.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// The properties that a function or PTX in the program needs to be this kernel's default.
[[nodiscard]] inline wanted_ahead wanted_of(kernel_description const& kernel)
{
    wanted_ahead wanted{kernel.signature.function, kernel.type, kernel.source, {}, kernel.linked};
    // A parameter that is only in the name, like in scale<TILE>, has a declared default.
    for (named_value const& v : named_values(kernel.space)) {
        if (kernel.space.parameters[v.first].role != parameter_role::macro) continue;
        if (auto const text = default_text_of(kernel.space, v))
            wanted.macros.push_back(std::string(v.name) + '=' + *text);
    }
    return wanted;
}

/// Returns the function of kernel.fallback(f). If there is none, returns the function that
/// attune_add_kernel has compiled into the program from the text of kernel.source with its
/// defaults. Compiles nothing, reads no file, throws only std::bad_alloc.
/// @return  the address of a function of the kernel's own type, for this processor; or in `reason`
///          why a function of this text and name does not fit
[[nodiscard]] inline found_ahead find_fallback(kernel_description const& kernel)
{
    if (kernel.fallback != nullptr) return {kernel.fallback, {}};
    return find_ahead(wanted_of(kernel));
}

/// find_fallback() without the reason; null: there is none.
[[nodiscard]] inline void* fallback_of(kernel_description const& kernel)
{
    return find_fallback(kernel).address;
}

/// The callable::compiler of device code that the program contains.
inline constexpr char const* code_of_the_program = "PTX of the program";

/// Represents the code of kernel.baseline(f) as a callable. The address is no function: only the
/// calls of with_baseline() interpret it.
[[nodiscard]] inline callable baseline_code(kernel_description const& kernel)
{
    callable out;
    out.address = const_cast<void*>(static_cast<void const*>(&kernel.baseline));
    return out;
}

[[nodiscard]] inline bool is_baseline(kernel_description const& kernel, callable const& code)
{
    return code.address == &kernel.baseline;
}

/// Returns the kernel with the user's own code as its reference. Empty without a baseline, and for
/// a kernel with a reference or a check.
[[nodiscard]] inline std::optional<kernel_description>
judged_by_own(kernel_description const& kernel)
{
    if (!kernel.baseline || kernel.reference || kernel.check) return {};
    std::optional<kernel_description> out(kernel);
    out->reference = kernel.baseline;
    return out;
}

/// Returns true if the code ended, and an element of its results differs: see mismatch::text().
[[nodiscard]] inline bool is_difference(failure const& why)
{
    return why.stage == failure_stage::verify &&
           why.reason.find(", reference ") != std::string::npos;
}

/// The notice that baseline and default have other results, where no reference decides.
/// @param difference  the first one
/// @param effect      its effect on the tuning
[[nodiscard]] inline std::string differs_from_own(std::string const& difference,
                                                  std::string_view effect)
{
    return "your own code (kernel.baseline) and the default have different results, and nothing "
           "says which is right: " +
           difference + "; " + std::string(effect) +
           ": give the right result by kernel.reference(f), or the allowed difference by "
           "kernel.tolerate<i>(...)";
}

/// Copies `frame`; call() of the copy calls the user's own code for baseline_code().
/// @pre   kernel.baseline is not empty; the kernel outlives the frame
/// Cost   3 ns per call of a variant, about 10 ns per call of the baseline
[[nodiscard]] inline call_frame with_baseline(call_frame const& frame,
                                              kernel_description const& kernel)
{
    call_frame out = frame;
    out.call = [call = frame.call, with_arguments = frame.with_arguments,
                own = &kernel.baseline](void* entry, std::span<std::byte* const> data) {
        if (entry == own)
            with_arguments(data, *own);
        else
            call(entry, data);
    };
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
