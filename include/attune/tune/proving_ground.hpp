// attune/tune/proving_ground.hpp - where a variant runs for the first time, and what it must give.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> compile -> measure -> remember, closed by tune
// In       a problem, its trusted default variant, then others
// Out      whether a variant works, decided on copies between forbidden pages, in a forked child
//          where that can be had
// Source   own
// Depends  std only
// Tests    tests/tune/proving_ground.cpp
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/guarded.hpp>
#include <attune/measure/isolation.hpp>
#include <attune/measure/probation.hpp>
#include <attune/measure/snapshot.hpp>
#include <attune/tune/problem.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Right is what the default variant (or the user's reference) makes of the same arrays, within
/// their tolerances; or what the user's check accepts.
///
/// First runs do not begin with the caller's contents of the arrays they write, if that can be
/// helped: the answer of an earlier call may stand there, and a variant that writes nothing would
/// pass. The default runs once from the caller's contents and once from perturbed ones. When its
/// results are the same, it overwrites what it finds, and trials begin with the perturbed contents.
/// When they differ it reads what it writes over, and trials begin with the caller's; only if those
/// hide idleness (one more call would leave an array as it is) there is a second trial, from the
/// perturbed contents. Where the default fails on those, where arrays overlap, or together take
/// more than a gigabyte, trials have the caller's contents alone.
///
/// A variant fails, at stage `verify`, also when its result is right but it leaves the process
/// changed (see process_state), a child process, or 1 MiB or more of memory at each call.
/// What the default itself changes, the others may.
class proving_ground {
public:
    /// @param original  snapshot of the problem's buffers; all three outlive this object
    proving_ground(tuning_problem const& problem, isolation wanted, snapshot const& original);

    proving_ground(proving_ground const&) = delete;
    proving_ground& operator=(proving_ground const&) = delete;

    /// Runs the default and keeps its results. `limit_s` as below.
    /// @param second_run_up_to_s  a default that takes longer is not run on perturbed contents
    /// @return  as first_run: a failure when it does not work, and then there is nothing to compare
    [[nodiscard]] probation_result
    establish(callable const& code, double limit_s, double second_run_up_to_s);

    /// Whether a variant works. @param limit_s  wall seconds for one run
    [[nodiscard]] probation_result first_run(callable const& code, double limit_s);

    /// What is wrong with the caller's buffers after a run from the caller's contents; or nothing.
    [[nodiscard]] std::string objection() const;
    /// What the default leaves changed in the process.
    [[nodiscard]] std::span<std::string const> tolerated() const noexcept { return tolerated_; }

    /// How the program is protected now; may change from fork to guard while a tuning goes on.
    [[nodiscard]] isolation_choice const& protection() const noexcept { return protection_; }

private:
    enum class contents : std::uint8_t { original, perturbed, both };

    void fill(bool with_perturbed);
    void call(callable const& code) const;
    void call_trusted(callable const& code) const;
    [[nodiscard]] std::string thrown_by_trusted(callable const& code) const;
    [[nodiscard]] probation_result
    run_once(std::function<void()> const& run, double limit_s, snapshot const* expected);
    [[nodiscard]] probation_result
    run_in_fork(std::function<void()> const& run, double limit_s, snapshot const* expected);
    [[nodiscard]] probation_result run_in_process(std::function<void()> const& run,
                                                  double limit_s,
                                                  snapshot const* expected) const;
    [[nodiscard]] std::string refusal(std::span<std::byte* const> data) const;
    void leave_memory_out();
    [[nodiscard]] bool learn_from_perturbed(callable const& code, double limit_s);

    tuning_problem const& problem_;
    snapshot const& original_;
    isolation wanted_;
    isolation_choice protection_;
    std::vector<std::byte*> own_;           ///< the caller's addresses
    std::optional<guarded_copies> guarded_; ///< what first runs work on, where that is possible
    std::span<buffer const> buffers_;       ///< of `guarded_`, or the caller's
    std::span<std::byte* const> addresses_;
    std::optional<snapshot> expected_{};
    std::optional<snapshot> expected_of_perturbed_{};
    contents begin_with_ = contents::original;
    bool holds_perturbed_ = false; ///< what `buffers_` hold now
    std::vector<std::string> tolerated_{};
    std::vector<address_range> without_{}; ///< memory that forked children do not get
};

} // namespace attune::inline ATTUNE_ABI
