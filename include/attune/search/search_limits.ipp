// attune/search/search_limits.ipp - decides if a search is over, and writes the reason.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/search/search_limits.hpp>

#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline std::string limit_text(double v) { return formatted("%.4g", v); }

ATTUNE_INLINE void stop_judge::add(outcome const& result)
{
    ++evaluations_;
    ++since_improvement_;
    auto const* const m = std::get_if<measurement>(&result);
    if (m == nullptr || !__builtin_isfinite(m->value)) return;
    ++worked_;
    if (!best_ || m->value < *best_ - limits_.improvement * __builtin_fabs(*best_))
        since_improvement_ = 0;
    if (!best_ || m->value < *best_) best_ = m->value;
}

ATTUNE_INLINE void stop_judge::gain(std::optional<double> expected)
{
    gain_asked_ = evaluations_;
    small_gains_ = expected && *expected < limits_.expected_gain ? small_gains_ + 1 : 0;
    gain_ = expected;
}

ATTUNE_INLINE std::optional<stop_verdict> stop_judge::verdict(double elapsed_s) const
{
    if (best_ && *best_ <= limits_.target)
        return stop_verdict{stop_reason::target, "the target " + limit_text(limits_.target) +
                                                     " is reached: " + limit_text(*best_)};
    if (roofline_ > 0 && best_ && *best_ * roofline_ <= least_)
        return stop_verdict{stop_reason::roofline,
                            limit_text(least_ / *best_) + " of the roofline is reached (" +
                                limit_text(roofline_) + " was asked for): " + limit_text(*best_) +
                                " s, where " + limit_text(least_) + " s is the least"};
    if (evaluations_ >= limits_.evaluations)
        return stop_verdict{stop_reason::evaluations,
                            std::to_string(evaluations_) + " evaluations are done" + nothing()};
    if (elapsed_s >= limits_.seconds)
        return stop_verdict{stop_reason::seconds,
                            limit_text(limits_.seconds) + " s have passed" + nothing()};
    if (since_improvement_ >= limits_.patience)
        return stop_verdict{stop_reason::patience, "no improvement in " +
                                                       std::to_string(since_improvement_) +
                                                       " evaluations" + nothing()};
    if (small_gains_ >= 2)
        return stop_verdict{stop_reason::expected_gain,
                            "the expected remaining gain is " + limit_text(gain_.value_or(0)) +
                                ", less than " + limit_text(limits_.expected_gain)};
    return {};
}

ATTUNE_INLINE stop_verdict stop_judge::exhausted() const
{
    return {stop_reason::exhausted,
            "all " + std::to_string(evaluations_) + " configurations were tried" + nothing()};
}

ATTUNE_INLINE std::string stop_judge::nothing() const
{
    return evaluations_ > 0 && worked_ == 0 ? ", and none of them worked" : "";
}

} // namespace attune::inline ATTUNE_ABI::detail
