// attune/remember/problem/claim.hpp - one process tunes a problem; the others know it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/range_lock.hpp>
#include <attune/core/version.hpp>

#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// The right to tune one problem, among all that use a store. The kernel releases it when its
/// process ends in any way. Movable.
///
/// - `mine`: tune, if another look into the store still finds nothing.
/// - `busy`: another process or object tunes it: serve what there is, or wait.
/// - `unavailable`: the store has no locks, so that no claim is possible: tune.
class problem_claim {
public:
    /// Of a store that no other process sees.
    problem_claim() = default;

    /// @param path      of the file for the locks; created where it is missing, as its folders are
    /// @param identity  identity_of(key)
    /// @param wait_s    at most, for the one who has it
    problem_claim(std::string const& path, std::string const& identity, double wait_s);

    [[nodiscard]] lock_state state() const noexcept { return lock_.state(); }
    /// False: another one tunes the problem now.
    [[nodiscard]] bool may_tune() const noexcept { return state() != lock_state::busy; }
    void release() noexcept { lock_.release(); }

private:
    range_lock lock_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/problem/claim.ipp>
#endif
