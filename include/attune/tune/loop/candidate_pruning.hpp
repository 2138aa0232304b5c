// attune/tune/loop/candidate_pruning.hpp - which configurations cannot be faster than the best so far.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/cache.hpp>
#include <attune/measure/roofline/core_peaks.hpp>
#include <attune/measure/roofline/roofline.hpp>
#include <attune/space/kept_settings.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/loop/time_bounds.hpp>
#include <attune/tune/options.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The peaks of a core of this machine, kept as limits_of_this_machine() are. Cost: 0.1 s at first.
/// @param anew  measures again; of old and new peaks the higher ones are kept
[[nodiscard]] core_peaks core_peaks_of_this_machine(bool anew);

/// Whether the cores that the calling thread may use are alike.
[[nodiscard]] bool allowed_cores_are_alike();

/// Measures of the machine; tests pass a script.
struct pruning_machine {
    std::function<core_peaks(bool anew)> peaks = core_peaks_of_this_machine;
    /// The highest rate of the memory; 0: unknown, and bytes bound nothing.
    std::function<double(unsigned threads)> bytes_per_s = [](unsigned) { return 0.0; };
    std::function<bool()> is_even = allowed_cores_are_alike;
    double cached =
        static_cast<double>(sweep_bytes()); ///< bytes that all caches of a thread may keep
};

/// Where a kernel states the work of a configuration (kernel.work), compares what that takes at
/// least on this machine with the best measured time.
///
/// A configuration cannot win when its least time, over `margin`, is above the upper end of the
/// interval of the best. Peaks are measured again before the first such verdict and later, because
/// another program may have slowed the measurement. Some configurations that cannot win are tried
/// nevertheless, the 2nd, 8th, 32nd and so on: if the time of any configuration is below its own
/// least time, the statement is wrong, no verdict is made any more, and a sentence says so.
///
/// Where the stated work of all settings of the parameters that it reads can be listed, it also
/// says which part of the space may still win. Not so where the space has real parameters or a
/// group without a tree, or where there are more settings than setting_limits has.
class candidate_pruning final : public candidate_verdicts {
public:
    /// The search goes on in what may still win once that is less than this share of its space.
    static constexpr double worth_narrowing = 0.5;
    /// For what the measured peaks lack to those of the best code, and for noise.
    static constexpr double margin = 1.15;

    /// Measures nothing yet.
    /// @param say  receives sentences for the user
    /// @pre   `problem` outlives this object
    candidate_pruning(tuning_problem const& problem, tuning_options const& options,
                      std::function<void(std::string)> say, pruning_machine of = {});

    /// False without a function that states the work of configurations, for a device, on cores that
    /// differ, unless tuning_search::prune is true, and after a contradiction.
    [[nodiscard]] bool is_on() const noexcept override { return is_on_; }
    /// What the configuration takes at least, without the margin; 0 where nothing is known of it.
    [[nodiscard]] least_time least(point const& at);
    /// The least time of a configuration that cannot win; nothing: it is to be tried.
    [[nodiscard]] std::optional<double> cannot_win(point const& at) override;
    /// Whether no verdict would be made on the configuration now, whatever it was before: best and
    /// machine change. Counts nothing.
    [[nodiscard]] bool may_win(point const& at) override;
    /// Notes the time of a configuration.
    /// @return  true: it contradicts the stated work, and what was pruned may have been wrong
    bool measured(point const& at, measurement const& time) override;
    /// The settings that may still win, where the search should go on in these: they are less than
    /// worth_narrowing of what it has, or it lacks one, because the machine does more than was
    /// measured before. Nothing before the first configuration was pruned, and as long as best and
    /// machine stay.
    /// Cost  at first a call of the user's function per setting; then little, and the peaks anew.
    ///       Rates of the memory are those that verdicts needed so far; bytes of other numbers of
    ///       threads bound nothing.
    /// @param may_go_on  false: no time is left for that; gives nothing
    [[nodiscard]] std::optional<kept_settings> narrower(std::function<bool()> const& may_go_on =
                                                            [] { return true; }) override;
    /// The search goes on in this part now; nothing: in the whole space.
    /// @param is_checked  one that was pruned is tried nevertheless
    /// @return  false: it is a part by other parameters than those that the stated work reads now,
    ///          or these cannot be listed: the search is to go on in the whole space
    bool narrowed(std::optional<kept_settings> const& part, bool is_checked = false) override;
    /// The part cannot be built: narrower() gives nothing any more.
    void stays_wide() override;
    /// Share of the space's configurations in which the search goes on.
    [[nodiscard]] double left_share() const noexcept override
    {
        return left_ > 0 ? left_ / all_ : 1;
    }
    /// Notes that a run kept so many threads busy: so many may serve a configuration that states
    /// none.
    void note_threads(unsigned threads) noexcept override
    {
        is_judged_ = is_judged_ && threads <= most_threads_;
        most_threads_ = std::max(most_threads_, threads);
    }
    /// Counts configurations that an interrupted tuning pruned.
    void add_pruned(std::size_t count) noexcept override { pruned_ += count; }
    /// So many that were pruned are tried after all.
    void take_back(std::size_t count) noexcept override { pruned_ -= std::min(count, pruned_); }
    /// 0 after a contradiction: no verdict holds any more.
    [[nodiscard]] std::size_t pruned() const noexcept override { return pruned_; }
    /// One line for the report: how many configurations are left, and how many that were proposed
    /// were pruned; empty: none was.
    [[nodiscard]] std::string sentence() const override;

private:
    /// Configurations with one setting of scope_.
    struct setting {
        std::uint64_t number = 0;
        double configurations = 0;
        work done{}; ///< all zeros: unknown
    };

    [[nodiscard]] std::optional<work> work_of(point const& at, std::vector<bool>* read);
    /// @param rate_of  of the memory, by the number of threads
    [[nodiscard]] least_time least_of(work const& done,
                                      std::function<double(unsigned threads)> const& rate_of);
    [[nodiscard]] bool loses(setting const& one);
    [[nodiscard]] bool loses(double least_s) const noexcept
    {
        return least_s > margin * best_at_most_;
    }
    void measure_peaks_anew();
    [[nodiscard]] bool list_settings(std::function<bool()> const& may_go_on);
    [[nodiscard]] bool is_worth_narrowing();
    [[nodiscard]] core_peaks const& peaks();
    [[nodiscard]] double bytes_per_s(unsigned threads);
    [[nodiscard]] bool is_below(point const& at, double seconds);
    void stop(std::string why);

    tuning_problem const& problem_;
    std::function<void(std::string)> say_;
    pruning_machine machine_;
    std::optional<core_peaks> peaks_{};
    std::map<unsigned, double> bytes_per_s_{};
    std::vector<std::byte*> data_{};
    unsigned most_threads_ = 1; ///< of a configuration that states none
    bool is_on_ = false;
    double best_ = 0;         ///< seconds of the best; 0: none yet
    double best_at_most_ = 0; ///< upper end of its interval
    std::size_t pruned_ = 0;
    std::size_t verdicts_ = 0;   ///< configurations that cannot win, also those that are tried
    std::size_t next_trial_ = 2; ///< the verdict that is checked
    std::vector<std::uint32_t> scope_{}; ///< parameters that the work reads
    std::vector<setting> settings_{};
    bool is_listed_ = false;     ///< it was tried to fill settings_
    bool is_judged_ = false;     ///< nothing changed since narrower() compared the settings
    std::vector<bool> part_{};   ///< settings with which the search goes on; empty: all
    double all_ = 0;             ///< configurations of the space
    double left_ = 0;            ///< of the part; 0: the whole space
    std::size_t next_peaks_ = 1; ///< the verdict before which the machine is measured again
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/candidate_pruning.ipp>
#endif
