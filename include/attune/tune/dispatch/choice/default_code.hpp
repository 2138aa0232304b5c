// attune/tune/dispatch/choice/default_code.hpp - the inputs that are tuned for a call, its default configuration, and its code.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/callable.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/remember/record.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/dispatch/dispatched_kernel.hpp>
#include <attune/tune/kernel/kernel_description.hpp>

#include <atomic>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Errors  attune::error: kernel.bucket<i>(f) for an argument that is bound to no input
void require_buckets(kernel_description const& kernel);

/// Returns the inputs to which kernel.bucket(f) maps those of a call; without it, `inputs`. Calls
/// the user's function: hold no lock.
/// Errors  exceptions of that function
[[nodiscard]] std::vector<number> representative_of(kernel_description const& kernel,
                                                    std::vector<number> const& inputs);

/// Returns true if a bound of a parameter or a constraint can depend on inputs. A constraint that
/// is a function can.
[[nodiscard]] bool depends_on_inputs(description const& space);

/// Returns why a configuration of other inputs is invalid for these: a broken constraint, or a
/// value that a parameter does not have. Empty: it is valid.
/// @param configuration  values of all parameters
/// Cost   1 us if no constraint and no table reads an input, otherwise 30 us or more
[[nodiscard]] std::string why_not_with(dispatched_kernel const& subject,
                                       std::vector<number> const& inputs,
                                       named_texts const& configuration);

/// The values of a configuration, with their names.
[[nodiscard]] named_texts texts_at(description const& space, point const& at);

/// The space and the default of all calls with the same bound inputs. default_code sets them.
struct call_problem {
    explicit call_problem(std::vector<number> values)
        : inputs(std::move(values))
    {
    }

    std::vector<number> inputs;
    named_texts sizes{};          ///< further inputs in the store: see tuned_sizes
    std::optional<point> rival{}; ///< a tuning measures this point too: see tuned_sizes
    fork_safe_mutex making{};     ///< guards the members below; held during a compilation
    std::optional<chain_of_trees> space{};
    std::optional<point> default_at{};
    bool default_is_declared = true; ///< no constraint moved it
    std::string moved{};             ///< a sentence on the moved default; taken by take_moved()
    std::atomic<installed_variant const*> by_default{nullptr};
};

/// Makes the default of each call_problem of one kernel, once. Any thread. A thread waits only for
/// another thread that makes the default of the same call_problem.
class default_code {
public:
    /// @pre  both outlive this object
    default_code(dispatched_kernel const& subject, installed_variants& variants);

    /// Makes the space and the default configuration.
    /// @param may_move  the nearest valid configuration replaces a default that breaks a constraint
    /// Errors   errors of space_of_call()
    void complete(call_problem& of, bool may_move = true);
    /// Returns the sentence on a moved default, once; otherwise empty.
    [[nodiscard]] std::string take_moved(call_problem& of);

    /// Returns the code of the default: a function of the program, else compiled code. Inputs with
    /// the same default share compiled code, except on a device, with a generator, or with rules of
    /// kernel.require.
    /// Errors   attune::error: the program has no function, and the default does not compile
    [[nodiscard]] installed_variant const& code_of(call_problem& of);
    /// Returns the function of kernel.fallback(f) or attune_add_kernel; may be null.
    [[nodiscard]] installed_variant const* plain_code();
    /// Returns code that is right for every call, without a lock; null: none is installed yet.
    [[nodiscard]] installed_variant const* at_hand() const noexcept { return at_hand_.load(); }
    /// Installs the default's code that a tuning compiled. Ignores empty code and a second default.
    void set(call_problem& of, callable const& code);
    /// Returns true if the code is part of the program.
    [[nodiscard]] bool is_own(installed_variant const& v) const;

private:
    void complete_locked(call_problem& of, bool may_move);
    installed_variant const& install(call_problem& of, callable code);
    /// Key of inputs that share a default; empty: they share none.
    [[nodiscard]] std::string configuration_of(call_problem const& of) const;
    [[nodiscard]] installed_variant const* shared(std::string const& configuration) const;

    dispatched_kernel const& subject_;
    installed_variants& variants_;
    bool const is_for_all_; ///< the default is the same for all inputs
    std::atomic<installed_variant const*> plain_{nullptr};
    std::atomic<installed_variant const*> at_hand_{nullptr};
    mutable fork_safe_mutex lock_{lock_use::brief}; ///< guards the members below
    std::unordered_map<std::string, installed_variant const*> by_configuration_{};
    std::optional<chain_of_trees> latest_{}; ///< spaces of other inputs share parts of this one
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/choice/default_code.ipp>
#endif
