// attune/tune/dispatch/dispatched_kernel.hpp - the kernel of a dispatch_table, its report, and its code that serves calls.
// SPDX-License-Identifier: MIT
//
// tested by tune/dispatch/dispatch_table.cpp
#pragma once

#include <attune/compile/compiler.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/shape/call_shape.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/record.hpp>
#include <attune/tune/device/device_target.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/options.hpp>
#include <attune/tune/progress.hpp>
#include <attune/tune/report.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Returns which arguments decide the shape of a call of this kernel.
[[nodiscard]] shape_choice shape_choice_of(kernel_description const& kernel);
/// The same for the drawn calls on which a variant is proven: a drawn call keeps the inputs, except
/// those that kernel.bucket(f) maps.
[[nodiscard]] shape_choice shape_choice_of_proofs(kernel_description const& kernel);

/// Returns a hash of the facts beside the code that decide if a variant is right: which arguments
/// count, and which results are compared, how exactly.
[[nodiscard]] std::int64_t rules_of_proof(kernel_description const& kernel,
                                          std::vector<shape_word> const& layout);

/// Returns the facts of calls for a store: see call_facts.hpp.
/// @param declared  from with_annotated_defaults(kernel)
[[nodiscard]] named_texts facts_of_calls(kernel_description const& kernel,
                                         description const& declared,
                                         std::vector<shape_word> const& layout);

/// A kernel, its compiler and its options. Any thread may read it.
struct dispatched_kernel {
    kernel_description kernel;
    any_compiler compiler;
    tuning_options options;
    std::vector<shape_word> layout; ///< layout of the shapes of its calls
    device_finder find_device;
    description declared{}; ///< with the defaults of the kernel file
    named_texts forced{};   ///< parameters and values, see mode.hpp
    named_texts facts{};    ///< from facts_of_calls()

    /// Returns the device; null: this processor.
    [[nodiscard]] std::shared_ptr<device_target const> target() const
    {
        return find_device ? find_device() : nullptr;
    }
    [[nodiscard]] std::vector<input_value> values_of(std::vector<number> const& inputs) const;
    /// Sets the extents of a call's pointers.
    /// Errors  errors of set_extents(); the launch on a device is not declared
    void complete(call_frame& frame, std::vector<number> const& inputs) const;
    /// Returns true if variants may serve the call: kernel.precondition(f).
    /// Errors   exceptions of that function; on a device attune::error instead of false
    [[nodiscard]] bool is_taken(call_frame const& frame) const;
    /// The same for the call's host_call.
    [[nodiscard]] bool is_taken(void const* arguments) const;
    /// Returns the code of a configuration, from the winners' cache or compiled and kept there.
    [[nodiscard]] compile_result code_at(chain_of_trees const& space, point const& at) const;
    /// Keeps the code of a compiled configuration for the next program.
    void keep(description const& space, point const& at) const;
};

/// Code that serves calls. It never changes and is never unloaded.
struct installed_variant {
    callable code;
    std::unique_ptr<loaded_kernel const> on_device{}; ///< null: `code` is for this processor
};

/// All code of one kernel that serves calls. Any thread may install.
class installed_variants {
public:
    /// @pre  `subject` outlives this object
    explicit installed_variants(dispatched_kernel const& subject)
        : subject_(subject)
    {
    }
    /// Installs code for the life of this object. On this processor, returns equal code that is
    /// installed already, because many inputs have the same code.
    /// Errors   errors of the device that loads the code
    [[nodiscard]] installed_variant const& install(callable code);

private:
    /// @pre  lock_ is held  @return  may be null
    [[nodiscard]] installed_variant const* equal_to(callable const& code) const;

    dispatched_kernel const& subject_;
    fork_safe_mutex lock_{lock_use::brief};
    std::vector<std::unique_ptr<installed_variant const>> all_{};
    std::unordered_map<void*, installed_variant const*> by_address_{};
    std::unordered_map<std::string, installed_variant const*> by_key_{}; ///< callable::object_key
};

/// The latest report, and the sentences that it sent. Keeps the first 1,000 sentences and the first
/// 100 failures. Any thread. Holds no lock while it calls the sink: a sink may call the kernel.
class dispatch_report {
public:
    /// @param kernel  name of the kernel
    dispatch_report(std::string kernel, progress_sink sink);

    [[nodiscard]] tuning_report latest() const;
    void set(tuning_report now);
    /// Sets which code serves the latest new shape, and why.
    void set_serving(served_shapes const& counts, std::string sentence);
    void add_shape_failure(shape_failure failed);

    /// Sends a sentence once in the life of this object. @return  true if it was sent
    bool tell(std::string const& text);
    /// Sends a sentence, and keeps it in the report.
    void note(std::string const& text);
    /// Sends the first difference between the user's own code and the default, before all other
    /// sentences of the report. @param difference  its shape and values
    void note_difference(std::string const& difference);

private:
    std::string kernel_;
    progress_sink sink_;
    mutable fork_safe_mutex lock_{lock_use::brief}; ///< guards the members below
    tuning_report latest_{};
    std::unordered_set<std::string> said_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/dispatched_kernel.ipp>
#endif
