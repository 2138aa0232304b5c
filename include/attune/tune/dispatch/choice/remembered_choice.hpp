// attune/tune/dispatch/choice/remembered_choice.hpp - the variant that a store knows for a call, and what is put there.
// SPDX-License-Identifier: MIT
//
// tested by tune/loop/session.cpp
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/remember/problem/claim.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/remember/record.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/dispatch/choice/session_record.hpp>
#include <attune/tune/dispatch/dispatched_kernel.hpp>
#include <attune/tune/dispatch/served/proof_memory.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/known_choice.hpp>
#include <attune/tune/loop/session.hpp>
#include <attune/tune/loop/session_memory.hpp>
#include <attune/tune/options.hpp>
#include <attune/tune/report.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The variant for calls with the same inputs, with everything there is to say of it.
struct known_variant {
    callable code{};
    callable default_code{};
    std::optional<point> at{};
    tuning_report report{};
    known_choice choice{};
    bool is_for_this_shape = false; ///< it was tuned or verified for it
    bool is_too_short = false;
    bool is_missing = false; ///< nothing is remembered, and there is nothing to spend
    bool is_over = false;    ///< the tuning had a reason to end beside its limits
    /// Of the tuning, with those that were known before it. Empty: none ran.
    std::vector<known_outcome> outcomes{};
    proof_memory proofs{}; ///< of `code`
};

/// The store, as one kernel sees it. One thread at a time.
class remembered_choice {
public:
    /// @pre  `subject` outlives this object
    remembered_choice(dispatched_kernel const& subject, any_store store)
        : subject_(subject)
        , store_(std::move(store))
    {
    }

    /// The remembered variant, compiled. Nothing when there is none, when it cannot be used (the
    /// reason is added to `notices`), or when its tuning did less than `asked` allows: see
    /// is_enough(). One of a store that another user could have written demands a verification: see
    /// proof_memory::is_required.
    /// @param shape  of the call; empty: of none
    /// @param asked  what a tuning may cost now; where it may cost nothing, what there is serves
    [[nodiscard]] std::optional<known_variant>
    find(record_key const& key, chain_of_trees const& space, bool predict, std::string const& shape,
         search_limits const& asked, std::vector<std::string>& notices) const;

    /// The same of a problem that differs in source text or compiler alone, where its winner and
    /// its default are now compiled to the code that they were. The store then has it under this
    /// key as well.
    /// Cost   two compilations where such a problem is known
    [[nodiscard]] std::optional<known_variant>
    find_by_code(record_key const& key, chain_of_trees const& space, point const& default_at,
                 bool predict, std::string const& shape, search_limits const& asked) const;

    /// The configuration that related problems speak for, compiled; nothing where there is none.
    /// Of a kernel with a bound on its energy, those alone that were held to it or to a lower one.
    /// It was not tried for these inputs: `proofs` demand a verification, and tell the store where
    /// it fails. A result for these inputs comes first, however little it was tuned; a prediction
    /// last.
    [[nodiscard]] std::optional<known_variant> find_near(record_key const& key,
                                                         chain_of_trees const& space) const;

    /// The nearest winner of this device, without code: a tuning begins with it, whatever else it
    /// tries. Nothing unless tuning_search::use_related.
    [[nodiscard]] std::optional<point> near_point(record_key const& key,
                                                  chain_of_trees const& space) const;

    /// What the store knows of this problem's configurations, and what it is told of them.
    /// @param anew  only what an interrupted tuning left, as with miss_policy::always
    [[nodiscard]] session_memory memory_of(record_key const& key, chain_of_trees const& space,
                                           bool anew) const;

    /// Shapes for which this code was verified on this device, by equal rules.
    /// @param code  an object key; empty: nothing is known or kept
    [[nodiscard]] proof_memory proofs_of(record_key const& key, description const& space,
                                         std::string const& code) const;

    /// The right to tune this problem, among the processes that use the store.
    [[nodiscard]] problem_claim claim(record_key const& key, double wait_s) const
    {
        return store_.claim(key, wait_s);
    }

    /// What stands under this very key, whether it can be used or not.
    [[nodiscard]] std::optional<record> exact(record_key const& key) const;

    /// Into the store, unless what stands there is worth more: see may_replace().
    /// @param was_known  a record with this key was there before the tuning
    /// @return  why it was not kept; empty: it was
    [[nodiscard]] std::string keep(record const& fresh, bool was_known) const;

    /// What went wrong in the store, each once.
    [[nodiscard]] std::vector<std::string> notices() const { return store_.notices(); }

private:
    /// As is_enough(); where nothing may be spent, anything is.
    [[nodiscard]] bool serves(record const& known, search_limits const& asked) const;
    [[nodiscard]] known_variant variant_of(record const& known, record_key const& key,
                                           chain_of_trees const& space, callable code, point at,
                                           bool predict) const;
    /// Configurations of this problem that failed.
    [[nodiscard]] std::vector<point> refused_in(stored_problem const& problem,
                                                chain_of_trees const& space) const;
    /// The nearest first, without this very problem.
    [[nodiscard]] std::vector<related_problem> related_to(stored_problem const& problem,
                                                          std::size_t most) const;
    /// What predict() found for devices of the same instruction set, the nearest first. They speak
    /// where nothing was measured.
    [[nodiscard]] std::vector<related_problem> predictions_for(stored_problem const& problem) const;

    dispatched_kernel const& subject_;
    any_store store_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/choice/remembered_choice.ipp>
#endif
