// attune/search/stop.hpp - decides if a search is over, with the reason.
// SPDX-License-Identifier: MIT
//
// The last rule is the expected regret of Makarova et al. 2022
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/search/search_limits.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace attune::inline ATTUNE_ABI {

enum class stop_reason : std::uint8_t {
    evaluations,
    seconds,
    target,
    patience,
    expected_gain,
    roofline,
    exhausted, ///< every configuration was tried
};

/// The reason why a search ended.
struct stop_verdict {
    stop_reason reason{};
    std::string text; ///< a sentence with the numbers
};

namespace detail {

/// Checks one search against its limits.
class stop_judge {
public:
    explicit stop_judge(search_limits const& limits)
        : limits_(limits)
    {
    }

    void add(outcome const& result);

    /// Returns true every five outcomes, if a limit needs the model's expectation: call gain()
    /// then.
    [[nodiscard]] bool wants_gain() const noexcept
    {
        return limits_.expected_gain > 0 && worked_ > 0 && evaluations_ >= gain_asked_ + 5;
    }
    /// @param expected  of the search's expected_gain(); nothing if unknown
    void gain(std::optional<double> expected);
    /// The last estimate.
    [[nodiscard]] std::optional<double> expected_gain() const noexcept { return gain_; }

    /// Sets a lower bound of all values, such as a roofline. The search ends when the best reaches
    /// this share of the optimum: at `least / share`.
    void enough(double share, double least) noexcept
    {
        roofline_ = share;
        least_ = least;
    }

    /// Number of outcomes that are still allowed.
    [[nodiscard]] std::uint64_t evaluations_left() const noexcept
    {
        return limits_.evaluations > evaluations_ ? limits_.evaluations - evaluations_ : 0;
    }
    /// Returns true while neither the evaluations nor `elapsed_s` have reached their limit.
    [[nodiscard]] bool has_room(double elapsed_s) const noexcept
    {
        return evaluations_left() > 0 && elapsed_s < limits_.seconds;
    }
    [[nodiscard]] search_limits const& limits() const noexcept { return limits_; }
    /// Sets new limits of the whole cost since the start; other limits stay.
    void move_limits(std::uint64_t evaluations, double seconds) noexcept
    {
        limits_.evaluations = evaluations;
        limits_.seconds = seconds;
    }
    [[nodiscard]] std::uint64_t evaluations() const noexcept { return evaluations_; }
    [[nodiscard]] std::uint64_t worked() const noexcept { return worked_; }

    /// @param elapsed_s  since the start of the search
    [[nodiscard]] std::optional<stop_verdict> verdict(double elapsed_s) const;
    /// The verdict for a space without further configurations.
    [[nodiscard]] stop_verdict exhausted() const;

private:
    [[nodiscard]] std::string nothing() const;

    search_limits limits_;
    std::uint64_t evaluations_ = 0;
    std::uint64_t worked_ = 0;
    std::uint64_t since_improvement_ = 0;
    std::uint64_t gain_asked_ = 0;
    int small_gains_ = 0;
    std::optional<double> best_;
    std::optional<double> gain_;
    double roofline_ = 0; ///< 0: unknown
    double least_ = 0;
};

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/stop.ipp>
#endif
