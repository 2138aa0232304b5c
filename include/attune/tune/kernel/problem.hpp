// attune/tune/kernel/problem.hpp - everything one tuning works on, without templates.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/any_compiler.hpp>
#include <attune/compile/compiler.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/record_store.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/device/device_target.hpp>
#include <attune/tune/kernel.hpp>
#include <attune/tune/kernel/call_frame.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Any store as one value.
struct any_store {
    std::function<lookup_result(record_key const&)> find;
    std::function<void(record const&)> add;
    std::function<std::vector<std::string>()> notices;
};

/// @param held  refers to the store; must outlive the result
template <class Store>
[[nodiscard]] any_store make_any_store(Store& held)
{
    return {[&held](record_key const& k) { return held.find(k); },
            [&held](record const& r) { held.add(r); },
            [&held] { return held.notices(); }};
}

/// One kernel, one set of inputs, one call.
struct tuning_problem {
    kernel_description const& kernel;
    chain_of_trees space;
    point default_at; ///< where every parameter stands at its default
    any_compiler const& compiler;
    call_frame const& frame;
    bool predict = false; ///< nothing runs: see predicted_bench.hpp
    /// A configuration known from before, which has to be beaten like the default: it takes part in
    /// the final whatever the search finds.
    std::optional<point> rival{};
    /// Of an installed variant at another shape: its bench only has to verify().
    bool only_verifies = false;
};

/// The variant that `at` stands for: the kernel's signature, and per parameter a macro, or flags,
/// or the name of a compiler; and the geometry of its launch, where the kernel declares one.
[[nodiscard]] compile_request
make_variant(kernel_description const& kernel, description const& space, point const& at);

/// Compares the parameters that the declaration and the kernel file name, and gives every parameter
/// without a default of its own the one that the file states. Annotations count whatever #if they
/// stand under, so that a file for two compilers names all parameters of both. One that only the
/// kernel's name or its launch reads needs with_default().
/// Errors   attune::error naming parameter, file and line: declared but used nowhere, annotated but
///          not declared, no default, two different ones
[[nodiscard]] description with_annotated_defaults(kernel_description const& kernel);

/// The configurations of one call, in which every parameter has its default.
/// @param declared  from with_annotated_defaults(kernel)
/// @param device    of a compiler for a device: its limits are constraints too; null: the launch
///                  does not matter
/// @param moved     where the defaults break a constraint for these inputs, the valid configuration
///                  nearest to them becomes the default, and a sentence here says so; null: that is
///                  an error
/// Errors   as chain_of_trees and device_target::add_limits; attune::error naming parameter, file
/// and line:
///          a default that is no value of its parameter, defaults that break a constraint
[[nodiscard]] chain_of_trees space_of_call(kernel_description const& kernel,
                                           description const& declared,
                                           std::vector<input_value> const& inputs,
                                           device_target const* device = nullptr,
                                           std::string* moved = nullptr);

/// Elements behind each argument of a call that is a raw pointer; 0 for the others.
/// Errors   attune::error naming the argument: its extent is not declared, or no number
[[nodiscard]] std::vector<std::size_t> extents_of(kernel_description const& kernel,
                                                  std::vector<input_value> const& inputs);

/// Errors   attune::error: nothing says what is behind the pointers of an array
void require_targets(kernel_description const& kernel);

/// Tells a call what is behind its pointers.  Errors  as extents_of()
void set_extents(call_frame& frame,
                 kernel_description const& kernel,
                 std::vector<input_value> const& inputs);

/// What a remembered result of this kernel depends on.
/// @param bound   the space with the values of its inputs
/// @param target  of a compiler for a device, whose launch and rules count too; null: this
/// processor
[[nodiscard]] record_key make_key(kernel_description const& kernel,
                                  description const& bound,
                                  std::string const& compiler_identity,
                                  device_target const* target = nullptr);

/// The processor, as the system names it.
[[nodiscard]] std::string device_name();

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/kernel/problem.ipp>
#endif
