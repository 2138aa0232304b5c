// attune/tune/kernel/compile_point.hpp - code of a kernel: of one configuration, by the compiler and the kernel's rules, and of the user.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/ahead/ahead.hpp>
#include <attune/compile/compiler.hpp>
#include <attune/core/callable.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/point.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/kernel/kernel_description.hpp>
#include <attune/tune/kernel/problem.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// A number of compiled code, with the name of its code_quantity: {"registers", 96}.
struct code_number {
    std::string_view name;
    number value;
};
using code_numbers = std::vector<code_number>;

/// Returns a sentence, "registers <= 64 does not hold: registers = 96"; empty if every rule of
/// kernel.require(...) holds. The device's own conditions on code are in launch_objection().
/// @param bound  the kernel's space with the values of its inputs
/// @param at     the configuration that was compiled
/// @param known  the code quantities that the device gives
[[nodiscard]] std::string broken_rule(kernel_description const& kernel, description const& bound,
                                      point const& at, code_numbers const& known);

/// The numbers of kernel.features(...), in order of declaration; NaN for a feature without a value,
/// such as a quotient by zero. Parameters as above.
[[nodiscard]] std::vector<double> code_metrics_at(kernel_description const& kernel,
                                                  description const& bound, point const& at,
                                                  code_numbers const& known);

/// The code quantities that compilers for this processor give of a variant.
[[nodiscard]] code_numbers numbers_of(code_size const& size);

/// @param given  code_quantities() of a compiler for this processor; null for a device
/// Errors   attune::error naming a quantity that kernel.require(...) reads and that the compiler or
///          device does not give
void require_quantities(kernel_description const& kernel,
                        std::vector<std::string_view> const* given);

/// Compiles one configuration, from the text of source_at(). Code that the device cannot launch, or
/// that breaks a rule of kernel.require(...), is a failure of stage `launch`. A configuration for
/// this processor that needs more memory than is free, see kernel.memory(...), is also such a
/// failure, and is not compiled. Several threads may call it.
/// @param bound  the kernel's space with the values of its inputs
/// @param device    the device of the code; null: this processor
/// @param features  if given, receives code_metrics_at() of device code, refused code included
/// Errors   errors of the compiler
[[nodiscard]] compile_result compile_point(kernel_description const& kernel,
                                           description const& bound, any_compiler const& compiler,
                                           device_target const* device, point const& at,
                                           std::vector<double>* features = nullptr);

/// Does the same for a trial, which also fails at stage `launch` if the call needs more memory than
/// a trial may take: see memory_objection(). Serving code skips this check, so that a moment
/// without free memory does not lose a known winner.
[[nodiscard]] compile_result compile_for_trial(kernel_description const& kernel,
                                               description const& bound,
                                               any_compiler const& compiler,
                                               device_target const* device, point const& at,
                                               std::vector<double>* features = nullptr);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/kernel/compile_point.ipp>
#endif
