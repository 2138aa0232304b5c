// attune/tune/roofline.hpp - lets the including program compare times with the limits of the machine.
// SPDX-License-Identifier: MIT
//
// For kernel.work(): needed for the roofline of the report, limits.roofline_share and search.prune.
// The program links attune::roofline.
// Source   measure/roofline.hpp
#pragma once

#ifndef ATTUNE_OFF
#include <attune/core/version.hpp>
#include <attune/measure/roofline/machine_limits.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/loop/time_bounds.hpp>
#include <attune/tune/options.hpp>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The limits of this machine for `threads` threads and arrays of `footprint` bytes together (0:
/// far larger than the caches). Each pair of threads and footprint is measured once, in about a
/// quarter of a second. The file `machine_limits` in the folder of cache_options keeps the result.
/// If there is no such folder (ATTUNE_CACHE=off), this process keeps it. A program built without
/// optimisation, with such a folder, measures at every call.
/// @param anew  measures again and keeps the higher of old and new limits
/// Errors   errors of measure_machine()
[[nodiscard]] machine_limits limits_of_this_machine(unsigned threads, double footprint = 0,
                                                    bool anew = false);

/// The roofline of one kernel and its call.
///
/// The limits are for the largest number of threads that any run so far kept busy, see
/// threads_of(): one for a kernel without threads. All variants are compared with the same limits.
/// A variant with one thread is compared with the limits for two threads if another variant uses
/// two. Threads of the program that do other work during a run count too, and raise the limits.
///
/// The bandwidth is that of the memory. With warm caches and arrays of at most twice the last
/// cache, it is that of a triad over as many bytes. The bytes are rounded to three binary digits. A
/// kernel that mostly reads can be slightly faster than a triad, so a fraction slightly above 1 is
/// possible. If the fraction is clearly above 1, the machine may have been busy and is measured
/// again.
class kernel_roofline final : public kernel_roof {
public:
    using limits_source =
        std::function<machine_limits(unsigned threads, double footprint, bool anew)>;

    /// From this fraction on, the limits are measured again. The triad's bandwidth leaves out a
    /// quarter of its traffic: the lines that it writes are read first. So a kernel that only reads
    /// reaches 4/3.
    static constexpr double doubtful = 1.5;

    /// Measures nothing yet. Construct the object on a thread that may use all processors of the
    /// program. at() measures on these processors, even if its caller is pinned to one core.
    /// @param options  cache: whether caches are warm
    /// @param say      receives sentences for the user
    kernel_roofline(tuning_problem const& problem, tuning_options const& options,
                    std::function<void(std::string)> say,
                    limits_source limits = limits_of_this_machine);

    void note_threads(unsigned threads) noexcept override;
    /// Returns true if the next at() measures the machine, or reads its limits from a file. Nothing
    /// else should run on the machine during that call.
    [[nodiscard]] bool will_measure() const override
    {
        return is_stated_ && !known_.contains(threads_);
    }
    /// The fraction of the roofline that a call of this time reaches. Empty without stated work,
    /// without a value of it at this configuration, or on a device.
    /// @param seconds  of one call, > 0
    [[nodiscard]] std::optional<roofline> at(point const& at, double seconds) override;

    /// Bytes per second that no code of so many threads exceeds: `doubtful` times the triad's, for
    /// arrays far larger than the caches. 0: the triad was slowed, see machine_limits. Measures the
    /// machine at first, like at().
    /// Errors   errors of limits_of_this_machine()
    [[nodiscard]] double most_bytes_per_s(unsigned threads) override;

private:
    [[nodiscard]] machine_limits measured(unsigned threads, double footprint, bool anew);
    [[nodiscard]] machine_limits const& limits(bool anew);
    void say_once(std::string text);

    tuning_problem const& problem_;
    std::function<void(std::string)> say_;
    limits_source source_;
    std::string said_{};
    std::map<unsigned, machine_limits> known_{};
    std::set<unsigned> doubted_{}; ///< numbers of threads whose limits were measured again
    std::vector<int> processors_;  ///< of the thread that made this object
    bool is_for_device_;           ///< work is stated but cannot be used
    bool is_stated_;
    double footprint_ = 0;
    unsigned threads_ = 1;
};

/// Registers rooflines and verdicts for the kernels of this program.
void know_time_bounds() noexcept;

/// Runs before the constructors of static objects, which may be kernels.
[[gnu::constructor(102), gnu::used]] static void know_time_bounds_from_the_start() noexcept
{
    know_time_bounds();
}

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/roofline.ipp>
#endif
#endif // ATTUNE_OFF
