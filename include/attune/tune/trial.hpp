// attune/tune/trial.hpp - one configuration put to the test: compiled, tried in a child, timed.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> compile -> measure -> remember, closed by tune
// In       a problem and points of its space
// Out      an outcome for each; the caller's data is as it was when the runner goes
// Source   own
// Depends  std only
// Tests    tests/tune/trial.cpp
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/core/outcome.hpp>
#include <attune/measure/guarded.hpp>
#include <attune/measure/snapshot.hpp>
#include <attune/tune/options.hpp>
#include <attune/tune/problem.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace attune {

/// What became of a point, and its code when it works.
struct trial {
    outcome result;
    callable code{}; ///< empty unless `result` is a measurement
};

/// Tries configurations of one problem. Between trials the caller's buffers hold what they held
/// when this was made.
class trial_runner {
public:
    /// Copies every writable buffer. @pre problem and options outlive this object
    trial_runner(tuning_problem const& problem, tuning_options const& options);
    ~trial_runner();
    trial_runner(trial_runner const&) = delete;
    trial_runner& operator=(trial_runner const&) = delete;

    /// Runs the default configuration: its output is the reference for all others.
    /// Errors  attune::error when it fails: nothing can be tuned then, and the text says why
    [[nodiscard]] trial establish_reference();

    /// @param stop_above_s  timing may end as soon as the variant is proven slower than this
    /// @pre   establish_reference() succeeded
    [[nodiscard]] trial run(point const& at, double stop_above_s);

    /// Interleaved timing of two variants, by pairs.
    /// @return  time of `challenger` / time of `holder`, with its 95 % interval in low and high
    [[nodiscard]] measurement
    compare(callable const& holder, callable const& challenger, double limit_s);

    /// Seconds spent in the compiler so far.
    [[nodiscard]] double compile_s() const noexcept { return compile_s_; }
    /// Trials whose object code had been measured before: they took that outcome.
    [[nodiscard]] std::uint32_t same_code() const noexcept { return same_code_; }

private:
    [[nodiscard]] compile_result compile(point const& at);
    /// First run, in a child. Nothing when it went well, and then `quickest_s_` is up to date.
    [[nodiscard]] std::optional<failure> try_in_child(callable const& code, double limit_s);
    [[nodiscard]] measurement time(callable const& code, double stop_above_s);
    void call(callable const& code) const;

    tuning_problem const& problem_;
    tuning_options const& options_;
    snapshot original_;
    std::vector<std::byte*> addresses_;     ///< of the caller's buffers
    std::optional<guarded_copies> guarded_; ///< what first runs work on, where that is possible
    std::optional<snapshot> reference_;     ///< the writable buffers after the default ran
    std::unordered_map<std::string, outcome> by_code_;
    double quickest_s_ = 0; ///< shortest first run so far
    double compile_s_ = 0;
    std::uint32_t same_code_ = 0;
};

} // namespace attune
