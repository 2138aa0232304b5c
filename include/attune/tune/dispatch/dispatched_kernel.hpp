// attune/tune/dispatch/dispatched_kernel.hpp - the kernel that a dispatch_table serves; it never changes.
// SPDX-License-Identifier: MIT
//
// tested by tune/dispatch/dispatch_table.cpp
#pragma once

#include <attune/compile/any_compiler.hpp>
#include <attune/compile/callable.hpp>
#include <attune/core/shape/call_shape.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/record.hpp>
#include <attune/tune/device/device_target.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/options.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// What of the shape of a call counts for this kernel.
[[nodiscard]] shape_choice shape_choice_of(kernel_description const& kernel);
/// What of it stays in the drawn calls on which a variant is proven: inputs, but for those that
/// kernel.bucket(f) lets others stand for.
[[nodiscard]] shape_choice shape_choice_of_proofs(kernel_description const& kernel);

/// A word for all that decides beside the code whether a variant is right: which arguments count,
/// what is compared, and how exactly.
[[nodiscard]] std::int64_t rules_of_proof(kernel_description const& kernel,
                                          std::vector<shape_word> const& layout);

/// What a store keeps of the calls: see call_facts.hpp.
/// @param declared  from with_annotated_defaults(kernel)
[[nodiscard]] named_texts facts_of_calls(kernel_description const& kernel,
                                         description const& declared,
                                         std::vector<shape_word> const& layout);

/// A kernel, and how it is compiled and tuned. Any thread may read it.
struct dispatched_kernel {
    kernel_description kernel;
    any_compiler compiler;
    tuning_options options;
    std::vector<shape_word> layout; ///< of the shapes of its calls
    device_finder find_device;
    description declared{}; ///< with the defaults of the kernel file
    named_texts forced{};   ///< parameters and values, see forced_choice.hpp
    named_texts facts{};    ///< of its calls, for a store

    /// Null: this processor.
    [[nodiscard]] std::shared_ptr<device_target const> target() const
    {
        return find_device ? find_device() : nullptr;
    }
    [[nodiscard]] std::vector<input_value> values_of(std::vector<number> const& inputs) const;
    /// Gives the pointers of a call their extents.
    /// Errors  as set_extents(); the launch on a device is not declared
    void complete(call_frame& frame, std::vector<number> const& inputs) const;
    /// Whether variants may serve the call: kernel.precondition(f).
    /// Errors   what it throws; on a device attune::error instead of false
    [[nodiscard]] bool is_taken(call_frame const& frame) const;
    /// The same of the call's host_call.
    [[nodiscard]] bool is_taken(void const* arguments) const;
    /// The code of a configuration: from where winners are kept, else compiled and kept there.
    [[nodiscard]] compile_result code_at(chain_of_trees const& space, point const& at) const;
    /// Keeps the code of a configuration that was compiled, for the next program.
    void keep(description const& space, point const& at) const;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/dispatched_kernel.ipp>
#endif
