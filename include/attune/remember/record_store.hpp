// attune/remember/record_store.hpp - the concept of a store of tuning results, and any store as one value.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/remember/record.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A store of tuning results.
///
/// find(key)  the record that fits best, and its fit by compare_keys(); empty if none fits. A store
///            may miss near matches. Among equal fits it returns the latest added.
/// add(r)     keeps `r`. If it fails, the store adds a notice and does not throw.
/// notices()  sentences on problems since the last call; each problem is reported once.
template <class S>
concept record_store = requires(S store, record_key const& key, record const& entry) {
    { store.find(key) } -> std::same_as<lookup_result>;
    { store.add(entry) } -> std::same_as<void>;
    { store.notices() } -> std::same_as<std::vector<std::string>>;
};

} // namespace attune::inline ATTUNE_ABI

namespace attune::inline ATTUNE_ABI::detail {

/// A store that keeps more than winners: `store`, `memory_store` and `layers`.
///
/// note(problem, row)       keeps an outcome, when it arrives
/// end(problem)             marks the end of a tuning whose winner is not kept
/// prove(problem, proof)    keeps a shape for which a variant was verified
/// recall(problem)          the rows and the winner of this very problem
/// related(problem, most)   problems of the same kernel, the nearest first
/// proofs(problem, code)    shapes for which this code was verified on this device
/// claim(key, wait_s)       the right to tune a problem
template <class S>
concept keeps_rows =
    requires(S store, record_key const& key, stored_problem const& problem, tried_row const& row,
             proven_shape const& proof, std::string const& code, std::size_t most, double wait_s) {
        { store.note(problem, row) } -> std::same_as<void>;
        { store.end(problem) } -> std::same_as<void>;
        { store.prove(problem, proof) } -> std::same_as<void>;
        { store.recall(problem) } -> std::same_as<problem_history>;
        { store.related(problem, most) } -> std::same_as<std::vector<related_problem>>;
        { store.proofs(problem, code) } -> std::same_as<std::vector<proven_shape>>;
        { store.claim(key, wait_s) } -> std::same_as<problem_claim>;
    };

/// A store whose file keeps the calls of programs that end.
///
/// count(all)   keeps the calls of problems, or does nothing: see store.ipp
template <class S>
concept keeps_calls = requires(S store, std::vector<problem_calls> const& all) {
    { store.count(all) } -> std::same_as<void>;
};

struct any_store {
    /// A store that models only record_store: all other functions give empty answers.
    any_store();

    std::function<lookup_result(record_key const&)> find;
    std::function<void(record const&)> add;
    std::function<std::vector<std::string>()> notices;
    std::function<void(stored_problem const&, tried_row const&)> note;
    std::function<void(stored_problem const&)> end;
    std::function<void(stored_problem const&, proven_shape const&)> prove;
    std::function<problem_history(stored_problem const&)> recall;
    std::function<std::vector<related_problem>(stored_problem const&, std::size_t)> related;
    std::function<std::vector<proven_shape>(stored_problem const&, std::string const&)> proofs;
    std::function<problem_claim(record_key const&, double)> claim;
    std::function<void(std::vector<problem_calls> const&)> count{}; ///< empty: keeps no calls
};

/// @param held  a pointer to a store, plain or shared; the store outlives the result
template <class Pointer>
[[nodiscard]] any_store make_any_store_of(Pointer held)
{
    using store_type = std::remove_reference_t<decltype(*held)>;
    any_store out;
    out.find = [held](record_key const& k) { return held->find(k); };
    out.add = [held](record const& r) { held->add(r); };
    out.notices = [held] { return held->notices(); };
    if constexpr (keeps_rows<store_type>) {
        out.note = [held](auto const& p, auto const& r) { held->note(p, r); };
        out.end = [held](auto const& p) { held->end(p); };
        out.prove = [held](auto const& p, auto const& r) { held->prove(p, r); };
        out.recall = [held](auto const& p) { return held->recall(p); };
        out.related = [held](auto const& p, std::size_t most) { return held->related(p, most); };
        out.proofs = [held](auto const& p, auto const& code) { return held->proofs(p, code); };
        out.claim = [held](auto const& k, double wait_s) { return held->claim(k, wait_s); };
    }
    if constexpr (keeps_calls<store_type>)
        out.count = [held](auto const& all) { held->count(all); };
    return out;
}

/// @param held  outlives the result
template <class Store>
[[nodiscard]] any_store make_any_store(Store& held)
{
    return make_any_store_of(&held);
}

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/record_store.ipp>
#endif
