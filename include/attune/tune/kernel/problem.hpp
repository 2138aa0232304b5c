// attune/tune/kernel/problem.hpp - the inputs of one tuning, without templates, and the memory that a call needs.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/compiler.hpp>
#include <attune/core/evaluation.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/lower.hpp>
#include <attune/declare/point.hpp>
#include <attune/remember/record.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/device/device_target.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/kernel/kernel_description.hpp>

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Adds the constraint that the bytes of kernel.memory(...) are at most machine::memory_bytes.
/// @param space   space of the kernel; its inputs need no values
/// @param memory  node of `space`; no_index: nothing is added
void limit_memory(description& space, lowered_formula const& memory);

/// Returns why one configuration must not run now; empty if it may run, or if the kernel states no
/// memory. A trial in a forked child may take at most three quarters of the free memory. Example
/// text: "it needs 12.4 GiB, 8 * TILE * N bytes of kernel.memory(...), and may take 3.1 GiB of the
/// free 4.1 GiB".
/// @param bound  the kernel's space with the values of its inputs
/// @param free   bytes; negative: the system's present value
[[nodiscard]] std::string memory_objection(kernel_description const& kernel,
                                           description const& bound, point const& at,
                                           double free = -1);

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI {

namespace detail {

template <class T>
class shared_with_child;

/// Errors measured by kernel.check_error(); NaN: not measured.
struct errors_seen {
    double latest = 0;
    double of_default = 0; ///< from the caller's contents
};

/// Values of a configuration beside its time, for the bounds of its kernel; NaN: unknown.
struct bounded_values {
    double error = std::numeric_limits<double>::quiet_NaN();  ///< by kernel.check_error()
    double joules = std::numeric_limits<double>::quiet_NaN(); ///< by kernel.bound_energy()
};

/// Returns how far the values are beyond the kernel's bounds, first for the error: see
/// excess_over(). Empty without bounds or measured values.
[[nodiscard]] std::vector<double> excesses(kernel_description const& kernel,
                                           bounded_values const& seen);

} // namespace detail

/// The subject of a tuning: one kernel, one set of inputs, one call.
struct tuning_problem {
    kernel_description const& kernel;
    chain_of_trees space;
    point default_at; ///< every parameter at its default
    detail::any_compiler const& compiler;
    call_frame const& frame;
    device_target const* device = nullptr; ///< the device of the code; null: this processor
    bool predict = false;                  ///< run nothing: times are predicted from code
    /// A known configuration that always takes part in the final.
    std::optional<point> rival{};
    /// True if the problem's bench only verifies an installed variant at another shape.
    bool only_verifies = false;
    /// Place for the errors of first runs' results, also in a forked child; null: they are not
    /// kept.
    std::shared_ptr<detail::shared_with_child<detail::errors_seen>> error_seen{};
    named_texts sizes{}; ///< distinguishes tunings of several sizes in a log: see tuned_sizes
    std::optional<point> guard{}; ///< by kernel_source::guard; always takes part in the final
};

namespace detail {

/// The compile request of configuration `at`: the kernel's signature; a macro, flags or a
/// compiler's name per parameter; and the launch geometry, if the kernel declares one. A generated
/// kernel has macros only for parameters in its name, as in "scale<TILE>".
[[nodiscard]] compile_request make_variant(kernel_description const& kernel,
                                           description const& space, point const& at);

/// Compares the parameters of the declaration with those of the kernel file. Every parameter
/// without a declared default gets the default of the file. Annotations inside any #if count, so
/// that a file for two compilers has the parameters of both. A parameter that only the kernel's
/// name or launch reads needs with_default(), and so does each parameter of a generated kernel.
/// Errors   attune::error naming parameter, file and line: declared but not used, annotated but not
///          declared, no default, two different defaults
[[nodiscard]] description with_annotated_defaults(kernel_description const& kernel);

/// The space of one call, in which every parameter has its default.
/// @param declared  from with_annotated_defaults(kernel)
/// @param device    of a device compiler: adds its limits as constraints; may be null
/// @param moved     receives a sentence if the defaults break a constraint for these inputs; the
///                  nearest valid configuration is then the default. Null: that is an error
/// @param like      space of other inputs of the same kernel and device: the result shares the
///                  equal trees; may be null
/// Errors   errors of chain_of_trees and device_target::add_limits; attune::error naming parameter,
///          file and line: a default outside its parameter's values, defaults that break a
///          constraint
[[nodiscard]] chain_of_trees
space_of_call(kernel_description const& kernel, description const& declared,
              std::vector<input_value> const& inputs, device_target const* device = nullptr,
              std::string* moved = nullptr, chain_of_trees const* like = nullptr);

/// Number of elements behind each argument that is a raw pointer; 0 for other arguments.
/// Errors   attune::error naming the argument: its extent is not declared, or is not a number
[[nodiscard]] std::vector<std::size_t> extents_of(kernel_description const& kernel,
                                                  std::vector<input_value> const& inputs);

/// Returns true if results of this call are compared with those of the user's reference.
[[nodiscard]] bool has_reference(kernel_description const& kernel, call_frame const& frame);

/// Returns the answer of a user's function for the call's own arrays; `asked` receives a host_call.
[[nodiscard]] bool answer_of(std::function<bool(void const*)> const& asked,
                             call_frame const& frame);

/// Returns false if kernel.precondition(f) refuses the call.
[[nodiscard]] bool takes_call(kernel_description const& kernel, call_frame const& frame);

/// Errors   attune::error: the extent of an array of pointers is not declared
void require_targets(kernel_description const& kernel);

/// Errors   errors of extents_of()
void set_extents(call_frame& frame, kernel_description const& kernel,
                 std::vector<input_value> const& inputs);

/// @param bound   the space with the values of its inputs
/// @param target  of a device compiler: its launch is part of the key; null: processor
[[nodiscard]] record_key make_key(kernel_description const& kernel, description const& bound,
                                  std::string const& compiler_identity,
                                  device_target const* target = nullptr);

/// Returns true if a tuning of the kernel needs the joules of variants.
[[nodiscard]] inline bool reads_energy(kernel_description const& kernel)
{
    return kernel.most_joules > 0 || (kernel.objective && kernel.objective->needs_joules);
}

/// Meaning, unit and direction of the values of a tuning.
[[nodiscard]] inline problem_objective objective_of(tuning_problem const& problem)
{
    if (problem.predict) return {.is_seconds = false};
    return problem.kernel.objective ? problem.kernel.objective->of : problem_objective{};
}

/// The name of the processor, from the operating system.
[[nodiscard]] std::string device_name();

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/kernel/problem.ipp>
#endif
