// attune/tune/kernel/problem.hpp - the inputs of one tuning, without templates.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/any_compiler.hpp>
#include <attune/compile/compiler.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/remember/any_store.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/device/device_target.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/kernel/kernel_description.hpp>

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

template <class T>
class shared_with_child;

/// What kernel.check_error() measured; NaN: nothing.
struct errors_seen {
    double latest = 0;
    double of_default = 0; ///< from the caller's contents
};

/// What was measured of a configuration beside its time, for the bounds of its kernel; NaN:
/// unknown.
struct bounded_values {
    double error = std::numeric_limits<double>::quiet_NaN();  ///< by kernel.check_error()
    double joules = std::numeric_limits<double>::quiet_NaN(); ///< by kernel.bound_energy()
};

/// How far they are beyond the kernel's bounds, see excess_over(): that of the error first. Empty:
/// there are no bounds, or nothing was measured.
[[nodiscard]] std::vector<double> excesses(kernel_description const& kernel,
                                           bounded_values const& seen);

} // namespace detail

/// One kernel, one set of inputs, one call.
struct tuning_problem {
    kernel_description const& kernel;
    chain_of_trees space;
    point default_at; ///< every parameter at its default
    detail::any_compiler const& compiler;
    call_frame const& frame;
    device_target const* device = nullptr; ///< of the code; null: this processor
    bool predict = false;                  ///< run nothing: see predicted_bench.hpp
    /// A known configuration that takes part in the final, whatever the search finds.
    std::optional<point> rival{};
    /// Its bench is used only for verify(), for an installed variant at another shape.
    bool only_verifies = false;
    /// Where first runs leave the errors of their results, also those in a forked child; null:
    /// they are not kept.
    std::shared_ptr<detail::shared_with_child<detail::errors_seen>> error_seen{};
};

namespace detail {

/// The compile request of configuration `at`: the kernel's signature; a macro, flags or a
/// compiler's name per parameter; and the launch geometry, if the kernel declares one. A generated
/// kernel has macros only for parameters in its name, as in "scale<TILE>".
[[nodiscard]] compile_request make_variant(kernel_description const& kernel,
                                           description const& space, point const& at);

/// Compares the parameters of the declaration with those of the kernel file, and gives every
/// parameter without a declared default the one that the file states. Annotations inside any #if
/// count, so that a file for two compilers has the parameters of both. A parameter that only the
/// kernel's name or launch reads needs with_default(), and so does each of a generated kernel.
/// Errors   attune::error naming parameter, file and line: declared but not used, annotated but not
///          declared, no default, two different defaults
[[nodiscard]] description with_annotated_defaults(kernel_description const& kernel);

/// The space of one call, in which every parameter has its default.
/// @param declared  from with_annotated_defaults(kernel)
/// @param device    of a device compiler: adds its limits as constraints; null: no device
/// @param moved     if the defaults break a constraint for these inputs, the nearest valid
///                  configuration becomes the default, and a sentence is appended here; null: an
///                  error instead
/// @param like      of other inputs of the same kernel and device: the result shares the trees that
///                  do not differ; null: none is known
/// Errors   as chain_of_trees and device_target::add_limits; attune::error naming parameter, file
///          and line: a default outside its parameter's values, defaults that break a constraint
[[nodiscard]] chain_of_trees
space_of_call(kernel_description const& kernel, description const& declared,
              std::vector<input_value> const& inputs, device_target const* device = nullptr,
              std::string* moved = nullptr, chain_of_trees const* like = nullptr);

/// Number of elements behind each argument that is a raw pointer; 0 for other arguments.
/// Errors   attune::error naming the argument: its extent is not declared, or is not a number
[[nodiscard]] std::vector<std::size_t> extents_of(kernel_description const& kernel,
                                                  std::vector<input_value> const& inputs);

/// Whether results of this call are compared with those of the user's reference.
[[nodiscard]] bool has_reference(kernel_description const& kernel, call_frame const& frame);

/// Errors   attune::error: the extent of an array of pointers is not declared
void require_targets(kernel_description const& kernel);

/// Sets the extents of a call's pointers.
/// Errors   as extents_of()
void set_extents(call_frame& frame, kernel_description const& kernel,
                 std::vector<input_value> const& inputs);

/// The key of a remembered result of this kernel.
/// @param bound   the space with the values of its inputs
/// @param target  of a device compiler: its launch is part of the key; null: processor
[[nodiscard]] record_key make_key(kernel_description const& kernel, description const& bound,
                                  std::string const& compiler_identity,
                                  device_target const* target = nullptr);

/// The name of the processor, from the operating system.
[[nodiscard]] std::string device_name();

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/kernel/problem.ipp>
#endif
