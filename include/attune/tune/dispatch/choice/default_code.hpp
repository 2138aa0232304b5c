// attune/tune/dispatch/choice/default_code.hpp - the default configuration of a call, and its code.
// SPDX-License-Identifier: MIT
//
// tested by tune/dispatch/dispatch_table.cpp
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/dispatch/dispatched_kernel.hpp>
#include <attune/tune/dispatch/served/installed_variant.hpp>

#include <atomic>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The configurations of all calls whose bound inputs have the same values. Filled by default_code.
struct call_problem {
    explicit call_problem(std::vector<number> values)
        : inputs(std::move(values))
    {
    }

    std::vector<number> inputs;
    fork_safe_mutex making{}; ///< held while the members below are made, so while code is compiled
    std::optional<chain_of_trees> space{};
    std::optional<point> default_at{};
    bool default_is_declared = true; ///< no constraint moved it
    std::string moved{};             ///< a sentence on the moved default; taken by take_moved()
    std::atomic<installed_variant const*> by_default{nullptr};
};

/// Makes the default of each call_problem of one kernel, once. Any thread. A thread waits only for
/// one that makes the default of the same call_problem.
class default_code {
public:
    /// @pre  both outlive this object
    default_code(dispatched_kernel const& subject, installed_variants& variants);

    /// Its space and default configuration.
    /// @param may_move  the nearest valid configuration stands for a default that breaks a
    /// constraint
    /// Errors   as space_of_call()
    void complete(call_problem& of, bool may_move = true);
    /// What there is to say of a default that was moved, once; else empty.
    [[nodiscard]] std::string take_moved(call_problem& of);

    /// The kernel with its defaults: what the program itself holds, else compiled; once for all
    /// inputs with the same default configuration, unless a generator writes the code.
    /// Errors   attune::error: neither can be had
    [[nodiscard]] installed_variant const& code_of(call_problem& of);
    /// The function of kernel.fallback(f) or attune_add_kernel; null: none.
    [[nodiscard]] installed_variant const* plain_code();
    /// Code that is right for every call and needs no lock; null: none is installed so far.
    [[nodiscard]] installed_variant const* at_hand() const noexcept { return at_hand_.load(); }
    /// The default was compiled elsewhere. Empty code is ignored, and so is a second one.
    void set(call_problem& of, callable const& code);
    /// Whether the program itself holds this code.
    [[nodiscard]] bool is_own(installed_variant const& v) const;

private:
    void complete_locked(call_problem& of, bool may_move);
    installed_variant const& install(call_problem& of, callable code);
    /// Which inputs share a default; empty: none do.
    [[nodiscard]] std::string configuration_of(call_problem const& of) const;
    [[nodiscard]] installed_variant const* shared(std::string const& configuration) const;

    dispatched_kernel const& subject_;
    installed_variants& variants_;
    bool const is_for_all_; ///< no input decides on the default
    std::atomic<installed_variant const*> plain_{nullptr};
    std::atomic<installed_variant const*> at_hand_{nullptr};
    mutable fork_safe_mutex lock_{lock_use::brief}; ///< of what follows
    std::unordered_map<std::string, installed_variant const*> by_configuration_{};
    std::optional<chain_of_trees> latest_{}; ///< other inputs share what of it they have in common
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/choice/default_code.ipp>
#endif
