// attune/tune/loop/online_bench.hpp - a bench that verifies on a copy, and times in the program's own calls.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/callable.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/bench.hpp>
#include <attune/tune/shape/online_slot.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Thrown when the program makes no more calls; earlier outcomes stay.
class calls_ended : public std::exception {
public:
    [[nodiscard]] char const* what() const noexcept override
    {
        return "the program makes no calls of this shape any more";
    }
};

/// First runs use another bench, on a copy of a call. A candidate that was right there is timed in
/// calls of the program, each next to a call of the serving code. Only the ratio of these two times
/// is used, so that a change of the machine's speed has no effect. A candidate that is several
/// times slower on the copy is timed on the copy.
class online_bench final : public bench {
public:
    /// @param on_copy     a bench of the same problem
    /// @param serving     code that the slot serves  @pre  it stays loaded
    /// @param patience_s  returns the seconds without a call after which the bench throws
    ///                    calls_ended. The bench calls it every few milliseconds while it waits for
    ///                    a call
    /// @pre  `slot` outlives this object
    online_bench(std::unique_ptr<bench> on_copy, online_slot& slot, callable serving,
                 double precision, std::function<double()> patience_s);

    [[nodiscard]] first_run_result establish(callable const& trusted, double limit_s) override;
    [[nodiscard]] first_run_result first_run(callable const& tried, double limit_s) override;
    [[nodiscard]] shape_verdict verify(callable const& trusted, callable const& tried,
                                       double limit_s) override;
    /// Errors  calls_ended, cut_short
    [[nodiscard]] outcome time(callable const& tried, double stop_above_s, double limit_s,
                               timing_record& record) override;
    /// Errors  calls_ended, cut_short
    [[nodiscard]] std::variant<round_times, std::size_t> compare(std::span<callable const> tried,
                                                                 double limit_s) override;
    [[nodiscard]] std::string protection() const override;
    [[nodiscard]] std::vector<std::string> notices() const override { return copy_->notices(); }

private:
    class taker;
    [[nodiscard]] timed_pair pair(callable const& tried);
    [[nodiscard]] bool is_slow_on_copy(callable const& tried, double limit_s);

    std::unique_ptr<bench> copy_;
    online_slot& slot_;
    callable serving_;
    double precision_;
    std::function<double()> patience_s_;
    double serving_first_s_ = 0; ///< first run of the serving code on the copy
    double serving_copy_s_ = 0;  ///< its time on the copy; 0: not yet known
    double serving_s_ = 0;       ///< its time in calls; 0: not yet known
    std::unordered_map<void const*, double> slower_{}; ///< factor to the serving code, by entry
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/online_bench.ipp>
#endif
