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
#include <attune/remember/any_store.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/remember/record.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/dispatch/dispatched_kernel.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/known_choice.hpp>
#include <attune/tune/loop/session.hpp>
#include <attune/tune/loop/session_memory.hpp>
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

/// The variant for calls with the same inputs, with all facts on it.
struct known_variant {
    callable code{};
    callable default_code{};
    std::optional<point> at{};
    tuning_report report{};
    known_choice choice{};
    bool is_for_this_shape = false; ///< it was tuned or verified for the shape
    bool is_too_short = false;
    bool is_missing = false; ///< nothing is remembered, and there is nothing to spend
    bool is_over = false;    ///< the tuning ended for a reason beside its limits
    /// Outcomes of the tuning, including earlier ones. Empty: no tuning ran.
    std::vector<known_outcome> outcomes{};
    proof_memory proofs{}; ///< proofs of `code`
};

/// A tuned problem of a store.
struct tuned_result {
    named_texts inputs{};
    point best{};
    std::string shape{};                   ///< of the tuned call; may be empty
    std::vector<known_outcome> outcomes{}; ///< at last those of default, ties and winner
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

    /// Returns the remembered variant, compiled. Empty if there is none, if it cannot be used
    /// (`notices` then has the reason), or if its tuning did less than `asked` allows: see
    /// is_enough(). A variant from a store that another user could have written must be verified:
    /// see proof_memory::is_required. If the variant was wrong here before, the fastest other
    /// outcome below the default's time is returned, to be verified as well. After `most_refused`
    /// wrong ones the result is empty.
    /// @param shape  shape of the call; may be empty
    /// @param asked  limits of a tuning now; if they are 0, any result serves
    [[nodiscard]] std::optional<known_variant>
    find(record_key const& key, chain_of_trees const& space, point const& default_at, bool predict,
         std::string const& shape, search_limits const& asked,
         std::vector<std::string>& notices) const;

    /// The same for a problem that differs only in source text or compiler, if its winner and its
    /// default still compile to the same code. The store then has it under this key, too.
    /// Cost   two compilations if such a problem is known
    [[nodiscard]] std::optional<known_variant>
    find_by_code(record_key const& key, chain_of_trees const& space, point const& default_at,
                 bool predict, std::string const& shape, search_limits const& asked) const;

    /// Returns the best configuration of related problems, compiled; may be empty. For a kernel
    /// with a bound on its energy, only winners with this bound or a lower one count. The
    /// configuration was not tried for these inputs: `proofs` demand a verification, and report a
    /// failure to the store. A result for these inputs has priority, even of a short tuning; a
    /// prediction comes last.
    [[nodiscard]] std::optional<known_variant> find_near(record_key const& key,
                                                         chain_of_trees const& space) const;

    /// Returns true if there is a winner of this device for other inputs that `accepts` accepts.
    [[nodiscard]] bool
    has_winner_for(record_key const& key, description const& space,
                   std::function<bool(named_texts const& inputs)> const& accepts) const;

    /// Returns the nearest winner of this device, without code, with which a tuning begins. Empty
    /// without tuning_search::use_related.
    [[nodiscard]] std::optional<point> near_point(record_key const& key,
                                                  chain_of_trees const& space) const;

    /// Returns the store's outcomes of this problem, and the receiver of new outcomes.
    /// @param anew  only the outcomes of an interrupted tuning, as with miss_policy::always. Code
    ///              that was wrong before is not run again
    [[nodiscard]] session_memory memory_of(record_key const& key, chain_of_trees const& space,
                                           bool anew) const;

    /// Returns the shapes for which this code was verified on this device, by equal rules.
    /// @param code  an object key; empty: nothing is known or kept
    [[nodiscard]] proof_memory proofs_of(record_key const& key, description const& space,
                                         std::string const& code) const;

    /// Returns the function for proof_memory::refuse: it keeps that this code is wrong here.
    /// @param even_if_right  also code that was right for another shape
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

    /// Returns what the store knows of this problem; empty: no usable record.
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
    /// @return  why it was not kept; empty: it was
    [[nodiscard]] std::string keep(record const& fresh, bool was_known) const;

    /// Problems of the store, each once.
    [[nodiscard]] std::vector<std::string> notices() const { return store_.notices(); }

private:
    /// Like is_enough(); if nothing may be spent, any record serves.
    [[nodiscard]] bool serves(record const& known, search_limits const& asked) const;
    [[nodiscard]] known_variant variant_of(record const& known, record_key const& key,
                                           chain_of_trees const& space, callable code, point at,
                                           bool predict) const;
    /// Returns the best of the problem's outcomes; see find(). @param known  the refused winner
    [[nodiscard]] std::optional<known_variant> find_next(record const& known, record_key const& key,
                                                         chain_of_trees const& space,
                                                         point const& default_at, bool predict,
                                                         problem_history const& past) const;
    /// Configurations of this problem that failed.
    [[nodiscard]] std::vector<point> refused_in(stored_problem const& problem,
                                                chain_of_trees const& space) const;
    /// Related problems, the nearest first, without this problem itself.
    [[nodiscard]] std::vector<related_problem> related_to(stored_problem const& problem,
                                                          std::size_t most) const;
    /// Results of predict() for devices of the same instruction set, the nearest first. Used if
    /// nothing was measured.
    [[nodiscard]] std::vector<related_problem> predictions_for(stored_problem const& problem) const;

    dispatched_kernel const& subject_;
    any_store store_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/choice/remembered_choice.ipp>
#endif
