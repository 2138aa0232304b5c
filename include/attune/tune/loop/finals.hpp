// attune/tune/loop/finals.hpp - selects the configurations of the final and its winner.
// SPDX-License-Identifier: MIT
//
// The lowest of many nearly equal measured times is lowest by noise. Therefore a few of the fastest
// configurations are timed again, in turns.
#pragma once

#include <attune/core/callable.hpp>
#include <attune/core/evaluation.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/measure/clock/time_in_turns.hpp>
#include <attune/measure/sandbox/isolation.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A configuration that may be the best. `code` is empty if it was measured before an interruption.
struct finalist {
    point at;
    measurement time; ///< or the number of the kernel's objective that the search minimises
    callable code;
    bool stays = false; ///< takes part with any time
};

/// Keeps the fastest configurations of a running search, with their code loaded.
class leaders {
public:
    /// Most leaders that take part in a final.
    static constexpr std::size_t most = 8;
    /// Times of one code at different moments may differ by this share. For example, another
    /// program that uses the second thread of a core from time to time gives the machine two
    /// speeds. From its tenth round on, the final drops configurations that are clearly slower.
    static constexpr double drift = 0.35;

    /// @param default_time  time of the default configuration, which always takes part and is not
    ///                      in all(): a configuration enters only if it may be faster
    leaders(measurement const& default_time, std::string default_key)
        : default_time_(default_time)
        , default_key_(std::move(default_key))
    {
    }

    /// Adds one measurement. Only the first of several configurations with equal code takes part.
    void consider(finalist candidate)
    {
        if (!candidate.stays && !(candidate.time.value <= default_time_.value * (1 + drift)))
            return;
        std::string const& key = candidate.code.object_key;
        if (!key.empty()) {
            if (key == default_key_) return;
            for (finalist& f : all_)
                if (f.code.object_key == key) {
                    f.stays = f.stays || candidate.stays;
                    return;
                }
        }
        auto const place = std::upper_bound(
            all_.begin(), all_.end(), candidate,
            [](finalist const& a, finalist const& b) { return a.time.value < b.time.value; });
        all_.insert(place, std::move(candidate));
        // Remove configurations whose interval lies above that of the fastest, even with drift.
        double const limit = all_.front().time.high * (1 + drift);
        auto const is_slow = [&](finalist const& f) { return !f.stays && f.time.low > limit; };
        auto const slow = std::find_if(all_.begin(), all_.end(), is_slow);
        if (slow != all_.end()) remove(*slow);
        std::erase_if(all_, is_slow);
        while (all_.size() > most) {
            auto const last = std::find_if(all_.rbegin(), all_.rend(),
                                           [](finalist const& f) { return !f.stays; });
            if (last == all_.rend()) return;
            remove(*last);
            all_.erase(std::next(last).base());
        }
    }

    /// All leaders, the lowest time first.
    [[nodiscard]] std::span<finalist> all() noexcept { return all_; }
    /// Returns once the fastest configuration that was removed, for a final in which all leaders
    /// fail.
    [[nodiscard]] std::optional<finalist> take_substitute()
    {
        return std::exchange(substitute_, std::nullopt);
    }

private:
    void remove(finalist const& f)
    {
        if (!substitute_ || f.time.value < substitute_->time.value) substitute_ = f;
    }

    measurement default_time_;
    std::string default_key_;
    std::vector<finalist> all_;
    std::optional<finalist> substitute_{};
};

/// Rounds that must fit into a final with so many contestants: the fewest that can prove a
/// difference, a warm-up round and a spare one. Doubled, because runs in the final may be slower.
[[nodiscard]] inline double final_rounds(std::size_t contestants)
{
    return 2 * static_cast<double>(fewest_for(final_options(contestants, 0).confidence) + 2);
}

/// The final's share of the time budget: a tenth, at most two seconds; for slow kernels the rounds
/// of two contestants, at most a quarter.
[[nodiscard]] inline double final_limit_s(double budget_s, double default_s, double best_s)
{
    return std::min(std::max(std::min(2.0, 0.1 * budget_s), final_rounds(2) * (default_s + best_s)),
                    0.25 * budget_s);
}

/// The seconds for the final: the rest of the budget, at least half of the limit. So the final
/// takes place even after an overlong last evaluation.
[[nodiscard]] inline double final_time_s(double limit_s, double left_s)
{
    return std::clamp(left_s, 0.5 * limit_s, limit_s);
}

/// Returns true if enough rounds fit to distinguish `contestants`; a round takes `round_s` seconds.
[[nodiscard]] inline bool fits_final(std::size_t contestants, double round_s, double limit_s)
{
    return final_rounds(contestants) * round_s <= limit_s;
}

/// The outcome of a final, in which contestant 0 is the default configuration.
struct final_result {
    std::size_t winner = 0;
    /// Contestants, ascending, whose ratio to the winner has an interval with 1 in it.
    std::vector<std::size_t> ties{};
    std::size_t best = 0;          ///< the fastest contestant besides the default
    measurement ratio{1, 1, 1, 0}; ///< winner / default; if the default wins, best / default
    measurement time{};            ///< seconds of the winner
    /// Time of the default in the rounds of the winner: `time` over `ratio`, with the interval of
    /// `ratio`. If the default wins, the default's own time.
    measurement default_time{};
    /// The share by which another contestant may be faster, by the end of its interval; 0.1: 10 %.
    double unsure = 0;
};

/// The fastest contestant that is faster than the default beyond the interval wins; if there is
/// none, the default wins. Contestants leave a final at different times, so their overall medians
/// include changes of the machine. Two contestants are therefore compared by their common rounds.
/// @param passengers  number of last contestants that are timed for comparison and cannot win
/// @param guard  a contestant that no winner may be slower than: its median alone decides if it
///               beats the default; 0: none
/// @pre  every contestant ran at least once
[[nodiscard]] inline final_result result_of_final(round_times const& times,
                                                  std::size_t passengers = 0, std::size_t guard = 0)
{
    final_result out;
    std::size_t const candidates = times.size() - passengers;
    double const confidence = final_options(times.size(), 0).confidence;
    auto const is_faster = [&](std::size_t i, std::size_t other) {
        return times.ratio(other, i).value < 1;
    };
    for (std::size_t i = 1; i < candidates; ++i) {
        if (i == 1 || is_faster(i, out.best)) out.best = i;
        measurement const to_default = times.ratio(0, i, confidence);
        bool const is_proven =
            i == guard ? to_default.value < 1 : is_below_one(to_default, confidence);
        if (!is_proven) continue;
        if (out.winner == 0 || is_faster(i, out.winner)) out.winner = i;
    }
    out.ratio = times.ratio(0, out.winner != 0 ? out.winner : out.best, confidence);
    out.time = out.default_time = times.time(out.winner);
    if (out.winner != 0)
        out.default_time = {out.time.value / out.ratio.value, out.time.value / out.ratio.high,
                            out.time.value / out.ratio.low, out.ratio.samples};
    for (std::size_t i = 0; i < candidates; ++i) {
        if (i == out.winner) continue;
        measurement const to_winner = times.ratio(i, out.winner, confidence);
        if (to_winner.low <= 1 && to_winner.high >= 1) out.ties.push_back(i);
        out.unsure = std::max(out.unsure, to_winner.high - 1);
    }
    return out;
}

/// Returns a notice if the default wins only because the final had too few rounds; otherwise empty.
[[nodiscard]] inline std::string want_of_rounds(final_result const& end, std::size_t contestants,
                                                problem_objective const& of = {})
{
    std::size_t const fewest = fewest_for(final_options(contestants, 0).confidence);
    if (end.winner != 0 || end.ratio.high >= 1 || end.ratio.samples >= fewest) return {};
    return "the final had time for only " + std::to_string(end.ratio.samples) + " rounds of the " +
           std::to_string(fewest) + " that can prove a difference: a configuration that was " +
           detail::formatted("%.2fx", 1 / end.ratio.value) + " " + of.better() +
           " than the default in them is not installed; tune with more seconds";
}

} // namespace attune::inline ATTUNE_ABI::detail
