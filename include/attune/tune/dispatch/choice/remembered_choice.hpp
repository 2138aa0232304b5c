// attune/tune/dispatch/choice/remembered_choice.hpp - reads and writes the variants of a store for calls.
// SPDX-License-Identifier: MIT
//
// tested by tune/loop/session.cpp
#pragma once

#include <attune/core/callable.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/remember/record.hpp>
#include <attune/remember/record_store.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/dispatch/dispatched_kernel.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/known_choice.hpp>
#include <attune/tune/loop/session.hpp>
#include <attune/tune/options.hpp>
#include <attune/tune/report.hpp>
#include <attune/tune/shape/shape_trust.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The variant for calls with the same inputs, and the facts on it.
struct known_variant {
    callable code{};
    callable default_code{};
    std::optional<point> at{};
    tuning_report report{};
    std::string shape{}; ///< words of the record's call; empty: a new tuning, or not stored
    known_choice choice{};
    bool is_for_this_shape = false; ///< it was tuned or verified for the shape
    bool is_too_short = false;
    bool is_missing = false; ///< the store has no result, and no tuning is allowed
    bool is_over = false;    ///< the tuning ended for another reason than its limits
    /// Outcomes of the tuning, including earlier ones. Empty: no tuning ran.
    std::vector<known_outcome> outcomes{};
    proof_memory proofs{}; ///< proofs of `code`
};

/// A tuned problem of a store.
struct tuned_result {
    named_texts inputs{};
    point best{};
    std::string shape{};                   ///< shape of the tuned call; may be empty
    std::vector<known_outcome> outcomes{}; ///< the last are those of default, ties and winner
};

/// The store, for one kernel. One thread at a time.
class remembered_choice {
public:
    /// @pre  `subject` outlives this object
    remembered_choice(dispatched_kernel const& subject, any_store store)
        : subject_(subject)
        , store_(std::move(store))
    {
    }

    /// Returns the variant of the store's record, compiled. Empty if there is no record, if the
    /// variant is unusable (`notices` then has the reason), or if its tuning did less than `asked`
    /// allows: see is_enough(). Sets proof_memory::is_required if another user could have written
    /// the store.
    ///
    /// If the variant was wrong here before, returns the fastest other outcome below the default's
    /// time, which must be verified too. After `most_refused` wrong ones, returns empty.
    /// @param shape  shape of the call; may be empty
    /// @param asked  limits that a tuning would have; if they are 0, any record serves
    [[nodiscard]] std::optional<known_variant>
    find(record_key const& key, chain_of_trees const& space, point const& default_at, bool predict,
         std::string const& shape, search_limits const& asked,
         std::vector<std::string>& notices) const;

    /// The same for a problem that differs only in source text or compiler, if its winner and its
    /// default still compile to the same code. Adds the record to the store under this key.
    /// Cost   two compilations if such a problem is known
    [[nodiscard]] std::optional<known_variant>
    find_by_code(record_key const& key, chain_of_trees const& space, point const& default_at,
                 bool predict, std::string const& shape, search_limits const& asked) const;

    /// Returns the best configuration of related problems, compiled; may be empty. Prefers a record
    /// of these inputs, even of a short tuning; takes predictions last. For a kernel with a bound
    /// on its energy, only winners with this bound or a lower one count. `proofs` require a
    /// verification, and add a failure to the store.
    [[nodiscard]] std::optional<known_variant> find_near(record_key const& key,
                                                         chain_of_trees const& space) const;

    /// Returns true if there is a winner of this device for other inputs that `accepts` accepts.
    [[nodiscard]] bool
    has_winner_for(record_key const& key, description const& space,
                   std::function<bool(named_texts const& inputs)> const& accepts) const;

    /// Returns the winner of the nearest problem on this device, without its code. A tuning begins
    /// with it. Empty without tuning_search::use_related.
    [[nodiscard]] std::optional<point> near_point(record_key const& key,
                                                  chain_of_trees const& space) const;

    /// Returns the store's outcomes of this problem, and the receiver of new outcomes.
    /// @param anew  true: only outcomes of an interrupted tuning, as with miss_policy::always; code
    ///              that was wrong before does not run again
    [[nodiscard]] session_memory memory_of(record_key const& key, chain_of_trees const& space,
                                           bool anew) const;

    /// Returns the proofs of this code on this device with equal rules_of_proof().
    /// @param code  object key; empty: no proofs are read or kept
    [[nodiscard]] proof_memory proofs_of(record_key const& key, description const& space,
                                         std::string const& code) const;

    /// Returns the function for proof_memory::refuse: it notes in the store that this code is
    /// wrong.
    /// @param even_if_right  true: also for code that was right for another shape
    [[nodiscard]] std::function<bool(failure const&)>
    refusal_of(record_key const& key, description const& space, point const& at,
               std::string const& code, bool even_if_right) const;

    /// Returns true if the store's latest outcome of this configuration is a failure.
    [[nodiscard]] bool has_failed(record_key const& key, chain_of_trees const& space,
                                  point const& at) const;

    /// Claims the right to tune this problem, among the processes that use the store.
    [[nodiscard]] problem_claim claim(record_key const& key, double wait_s) const
    {
        return store_.claim(key, wait_s);
    }

    /// Returns the store's result of this problem; empty: no usable record.
    [[nodiscard]] std::optional<tuned_result>
    tuned_here(record_key const& key, chain_of_trees const& space, point const& default_at) const;
    /// The same of problems that differ from this one in inputs alone.
    [[nodiscard]] std::vector<tuned_result> tuned_at_others(record_key const& key,
                                                            chain_of_trees const& space,
                                                            point const& default_at) const;

    /// Returns the record under this key, even if it cannot be used.
    [[nodiscard]] std::optional<record> exact(record_key const& key) const;

    /// Puts the record into the store, unless the stored one is worth more: see may_replace().
    /// @param was_known  a record with this key was there before the tuning
    /// @return  why the store does not keep the record; empty: it does
    [[nodiscard]] std::string keep(record const& fresh, bool was_known) const;

    /// Returns sentences on problems of the store, each once.
    [[nodiscard]] std::vector<std::string> notices() const { return store_.notices(); }

private:
    /// Like is_enough(); if `asked` allows no tuning, any record serves.
    [[nodiscard]] bool serves(record const& known, search_limits const& asked) const;
    [[nodiscard]] known_variant variant_of(record const& known, record_key const& key,
                                           chain_of_trees const& space, callable code, point at,
                                           bool predict) const;
    /// Returns the best of the problem's outcomes; see find(). @param known  the refused winner
    [[nodiscard]] std::optional<known_variant> find_next(record const& known, record_key const& key,
                                                         chain_of_trees const& space,
                                                         point const& default_at, bool predict,
                                                         problem_history const& past) const;
    /// Returns the configurations of this problem that failed.
    [[nodiscard]] std::vector<point> refused_in(stored_problem const& problem,
                                                chain_of_trees const& space) const;
    /// Returns the related problems, the nearest first, without this problem itself.
    [[nodiscard]] std::vector<related_problem> related_to(stored_problem const& problem,
                                                          std::size_t most) const;
    /// Returns results of predict() for devices of the same instruction set, the nearest first.
    [[nodiscard]] std::vector<related_problem> predictions_for(stored_problem const& problem) const;

    dispatched_kernel const& subject_;
    any_store store_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/choice/remembered_choice.ipp>
#endif
