// attune/tune/loop/kernel_roofline.hpp - the share of the machine's limit that a tuned kernel reaches.
// SPDX-License-Identifier: MIT
// Source   measure/roofline.hpp
#pragma once

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
/// far larger than the caches). Measured once for each pair (about a quarter of a second) and kept
/// in the file `machine_limits` of the folder that cache_options names; if there is no such folder
/// (ATTUNE_CACHE=off), while the process lives. Measured at every call if this program is built
/// without optimisation and there is such a folder.
/// @param anew  measures again; of old and new limits the higher ones are kept
/// Errors   those of measure_machine()
[[nodiscard]] machine_limits limits_of_this_machine(unsigned threads, double footprint = 0,
                                                    bool anew = false);

/// The roofline of one kernel and its call.
///
/// The limits are for the largest number of threads that any run so far kept busy, see
/// threads_of(): one for a kernel without threads. All variants are compared with the same limits,
/// a variant with one thread also with those for two threads if another variant uses two. Threads
/// of the program that do other work during a run count too, and raise the limits.
///
/// The bandwidth is that of the memory. If caches are warm and the arrays of the call take at most
/// twice the last cache, it is that of a triad over as many bytes, rounded to three binary digits.
/// A kernel that mostly reads can be slightly faster than a triad, so a fraction slightly above 1
/// is possible. If it is clearly above 1, the machine may have been busy: it is measured again.
class kernel_roofline final : public kernel_roof {
public:
    using limits_source =
        std::function<machine_limits(unsigned threads, double footprint, bool anew)>;

    /// From this fraction on, the limits are measured again. The triad's bandwidth leaves out a
    /// quarter of its traffic (the lines that it writes are read first), so a kernel that only
    /// reads reaches 4/3.
    static constexpr double doubtful = 1.5;

    /// Measures nothing yet. Construct it on a thread that may use all processors of the program:
    /// at() measures on these, even if its caller is pinned to one core.
    /// @param options  cache: whether caches are warm
    /// @param say      receives sentences for the user
    kernel_roofline(tuning_problem const& problem, tuning_options const& options,
                    std::function<void(std::string)> say,
                    limits_source limits = limits_of_this_machine);

    [[nodiscard]] bool is_stated() const noexcept { return is_stated_; }
    /// Notes that a run kept so many threads busy.
    void note_threads(unsigned threads) noexcept override;
    /// Whether the next at() measures the machine, or reads its limits from a file. Nothing else
    /// should run on the machine during that call.
    [[nodiscard]] bool will_measure() const override
    {
        return is_stated_ && !known_.contains(threads_);
    }
    /// The fraction of the roofline that a call of this time reaches; nothing without stated work,
    /// without a value of it at this configuration, or on a device.
    /// @param seconds  of one call, > 0
    [[nodiscard]] std::optional<roofline> at(point const& at, double seconds) override;

    /// Bytes per second that no code of so many threads exceeds, for arrays far larger than the
    /// caches: `doubtful` times the triad's. 0: the triad was slowed, see machine_limits. Measures
    /// the machine at first, as at() does.
    /// Errors   those of limits_of_this_machine()
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
    std::set<unsigned> doubted_{}; ///< numbers of threads
    std::vector<int> processors_;  ///< of the thread that made this object
    bool is_for_device_;           ///< work is stated but cannot be used
    bool is_stated_;
    double footprint_ = 0;
    unsigned threads_ = 1;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/kernel_roofline.ipp>
#endif
