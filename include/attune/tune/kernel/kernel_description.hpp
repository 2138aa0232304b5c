// attune/tune/kernel/kernel_description.hpp - a kernel without its C++ types, and its launch as text.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/ahead/ahead_unit.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/shape/call_arguments.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/lower.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/kernel/launch_declaration.hpp>
#include <attune/tune/kernel/user_functions.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// An input of the space and the argument of the call that gives its value.
struct input_argument {
    std::string input;
    std::size_t position = 0;
};

} // namespace detail

struct kernel_description {
    std::string name;
    kernel_source source;
    compile_request signature{}; ///< function and types; without macros
    description space;           ///< from lower(): inputs without values
    std::vector<detail::input_argument> inputs{};
    std::vector<std::optional<tolerance>> tolerances{}; ///< by argument; empty: default
    std::optional<launch_declaration> launch{};         ///< device launch; nodes of `space`
    /// The `constraints` and `features` on compiled code, with their own nodes. They are formulas
    /// over parameters and inputs of the space, and over code quantities.
    description code_rules{};
    std::vector<detail::argument_extent> extents{}; ///< one per raw pointer argument, in order
    /// The user's check. Takes the address of a std::tuple of detail::host_argument; may be empty.
    std::function<std::string(void const*)> check{};
    /// The function of kernel.check_error(most, f), which also sets `check`; may be empty.
    std::function<double(void const*)> error{};
    double most_error = 0;  ///< the bound on `error`
    double most_joules = 0; ///< of kernel.bound_energy(joules); 0: no bound
    /// The function of kernel.objective(unit, goal, f); empty: the search minimises the time.
    std::optional<detail::stated_objective> objective{};
    /// The user's reference, called like `check`; may be empty.
    std::function<void(void const*)> reference{};
    /// Returns true if the reference is quick enough for a call; empty: for each call.
    std::function<bool(void const*)> reference_serves{};
    std::function<void(void const*)> baseline{}; ///< the user's own code; may be empty
    detail::stated_work work{};                  ///< of one call; may be empty
    bool work_varies = false;                    ///< by a function of the configuration
    detail::lowered_formula memory{};            ///< bytes of one call; no_index: not stated
    detail::function_type type{};                ///< of the signature
    detail::linked_kernels linked{};             ///< where the kernel was declared
    void* fallback = nullptr; ///< of kernel.fallback(f): a function of that type; null: none
    /// By kernel.slow_fallback(f): the default is compiled although there is a fallback.
    bool fallback_is_slow = false;
    /// The function of kernel.precondition(f), called like `check`; may be empty.
    std::function<bool(void const*)> precondition{};
    std::vector<bool> ignored{}; ///< by argument, true: no part of a call's shape; may be shorter
    bool any_shape = false;      ///< a variant verified for one call is valid for all calls
    bool any_alignment = false;  ///< a verified variant is valid at all positions in a cache line
    std::vector<detail::input_bucket> buckets{}; ///< of kernel.bucket<i>(f)
    detail::declared_lengths lengths{};          ///< of kernel.lengths(...)
    detail::drawn_call_maker calls{};            ///< of kernel.calls(f); may be empty
    /// The contents of kernel.contents(...); empty: not declared.
    std::optional<std::vector<array_contents>> contents{};
};

} // namespace attune::inline ATTUNE_ABI

namespace attune::inline ATTUNE_ABI::detail {

struct launch_facts;

/// The launch of the kernel on a device, for a store. A formula is C++ over the functions of
/// ship/baked/device_code.hpp: "ceil_divide(in[0], multiply(at[0], at[1]))". Here in[i] is input i
/// of the call. at[i] is the number that launch_facts::reads[i] names, in fields between tabs:
///   whole NAME, real NAME       the number that parameter NAME has
///   item I NAME, place I NAME   of a list: number I; the place of number I
///   text NAME TEXT              1 if parameter NAME has this text, otherwise 0
/// @param declared  from with_annotated_defaults(kernel)
/// @return  empty if no launch is declared, or if a formula cannot be written in this form
[[nodiscard]] std::optional<launch_facts> launch_facts_of(kernel_description const& kernel,
                                                          description const& declared);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/kernel/kernel_description.ipp>
#endif
