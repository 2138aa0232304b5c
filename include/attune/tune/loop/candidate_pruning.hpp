// attune/tune/loop/candidate_pruning.hpp - finds configurations that cannot be faster than the best so far.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/measure/roofline/machine_limits.hpp>
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

/// The peaks of a core of this machine, stored like limits_of_this_machine(). Cost: 0.1 s for the
/// first call.
/// @param anew  measures again and keeps the higher of old and new peaks
[[nodiscard]] core_peaks core_peaks_of_this_machine(bool anew);

/// Returns true if all cores that the calling thread may use are of one kind.
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

/// Compares the least time of a configuration on this machine with the best measured time. The
/// least time follows from the work that the kernel states for the configuration (kernel.work).
///
/// A configuration cannot win if its least time, divided by `margin`, is above the upper end of the
/// interval of the best. Peaks are measured again before the first such verdict and later, because
/// another program may have slowed the measurement. Some configurations that cannot win are tried
/// as a check, the 2nd, 8th, 32nd and so on. If the time of any configuration is below its least
/// time, the stated work is wrong: verdicts end, with a sentence for the user.
///
/// The class also finds the part of the space that may still win. It must be able to list all
/// settings of the parameters that the work reads. A list is impossible for a space with real
/// parameters or with a group without a tree, and for more settings than setting_limits allows.
class candidate_pruning final : public candidate_verdicts {
public:
    /// The search continues in the part that may still win once that part is less than this share
    /// of the searched space.
    static constexpr double worth_narrowing = 0.5;
    /// Allows for noise, and for the gap between measured peaks and the peaks of the best code.
    static constexpr double margin = 1.15;

    /// Measures nothing yet.
    /// @param say  receives sentences for the user
    /// @pre   `problem` outlives this object
    candidate_pruning(tuning_problem const& problem, tuning_options const& options,
                      std::function<void(std::string)> say, pruning_machine of = {});

    /// False if no function of the kernel states the work of configurations, on a device, if cores
    /// differ, without tuning_search::prune, and after a contradiction.
    [[nodiscard]] bool is_on() const noexcept override { return is_on_; }
    /// Least time of the configuration, without the margin; 0 if it is unknown.
    [[nodiscard]] least_time least(point const& at);
    /// Returns the least time of a configuration that cannot win; empty: it must be tried.
    [[nodiscard]] std::optional<double> cannot_win(point const& at) override;
    /// Returns true if the configuration may win, also after it was pruned: the best and the peaks
    /// change. Counts nothing.
    [[nodiscard]] bool may_win(point const& at) override;
    /// @return  true if the time contradicts the stated work; earlier pruning may then have been
    ///          wrong
    bool measured(point const& at, measurement const& time) override;
    /// Returns the settings that may still win, if the search should move to them. The search
    /// should move if they are less than worth_narrowing of the searched part. The search must move
    /// if the part lacks one of them, because the machine is faster than was measured before. Empty
    /// before the first configuration was pruned, and while best and machine stay the same.
    /// Cost  the first call calls the user's function once per setting; later calls may measure
    ///       peaks. Uses only the memory rates that verdicts needed so far. Bytes bound nothing for
    ///       other numbers of threads.
    /// @param may_go_on  false: no time is left for that, and the result is empty
    [[nodiscard]] std::optional<kept_settings> narrower(std::function<bool()> const& may_go_on =
                                                            [] { return true; }) override;
    /// Notes that the search continues in this part; empty: in the whole space.
    /// @param is_checked  a pruned configuration is tried as a check
    /// @return  false if the settings of the part cannot be listed, or if the stated work reads
    ///          other parameters. The search must then use the whole space
    bool narrowed(std::optional<kept_settings> const& part, bool is_checked = false) override;
    /// Notes that the part cannot be built: later results of narrower() are empty.
    void stays_wide() override;
    /// Share of the space's configurations in which the search continues.
    [[nodiscard]] double left_share() const noexcept override
    {
        return left_ > 0 ? left_ / all_ : 1;
    }
    /// Notes the threads that a run kept busy. A configuration that states no threads may use as
    /// many.
    void note_threads(unsigned threads) noexcept override
    {
        is_judged_ = is_judged_ && threads <= most_threads_;
        most_threads_ = std::max(most_threads_, threads);
    }
    /// Counts configurations that an interrupted tuning pruned.
    void add_pruned(std::size_t count) noexcept override { pruned_ += count; }
    /// Subtracts so many pruned configurations, which are tried after all.
    void take_back(std::size_t count) noexcept override { pruned_ -= std::min(count, pruned_); }
    /// Number of pruned configurations; 0 after a contradiction, which ends all verdicts.
    [[nodiscard]] std::size_t pruned() const noexcept override { return pruned_; }
    /// Sentence for the report: the number of configurations that are left, and the number of
    /// proposals that were pruned; empty if none was.
    [[nodiscard]] std::string sentence() const override;

private:
    /// Configurations with one setting of scope_.
    struct setting {
        std::uint64_t number = 0;
        double configurations = 0;
        work done{}; ///< all zeros: unknown
    };

    [[nodiscard]] std::optional<work> work_of(point const& at, std::vector<bool>* read);
    /// @param rate_of  rate of the memory, by the number of threads
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
    unsigned most_threads_ = 1; ///< threads of a configuration that states none
    bool is_on_ = false;
    double best_ = 0;         ///< seconds of the best; 0: none yet
    double best_at_most_ = 0; ///< upper end of its interval
    std::size_t pruned_ = 0;
    std::size_t verdicts_ = 0;   ///< configurations that cannot win, including those that are tried
    std::size_t next_trial_ = 2; ///< the verdict that is checked
    std::vector<std::uint32_t> scope_{}; ///< parameters that the work reads
    std::vector<setting> settings_{};
    bool is_listed_ = false;     ///< true after the first attempt to fill settings_
    bool is_judged_ = false;     ///< nothing changed since narrower() compared the settings
    std::vector<bool> part_{};   ///< settings with which the search continues; empty: all
    double all_ = 0;             ///< configurations of the space
    double left_ = 0;            ///< configurations of the part; 0: the whole space
    std::size_t next_peaks_ = 1; ///< the verdict before which the machine is measured again
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/candidate_pruning.ipp>
#endif
