// attune/tune/loop/kernel_roofline.hpp - how near a tuned kernel is to what the machine can do.
// SPDX-License-Identifier: MIT
// Source   measure/roofline.hpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/roofline/roofline.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/options.hpp>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// What this machine can do with so many threads, on arrays of so many bytes together (0: far
/// larger than the caches). Measured once for each (about a quarter of a second) and kept beside
/// the compiled code, in the file `machine_limits` of the folder that cache_options names; measured
/// every time where there is no such folder (ATTUNE_CACHE=off), and where this program is built
/// without optimisation.
/// @param anew  measured even if they are kept; the higher ones count
/// Errors   those of measure_machine()
[[nodiscard]] machine_limits
limits_of_this_machine(unsigned threads, double footprint = 0, bool anew = false);

/// The roofline of one kernel and its call.
///
/// It is that of the largest number of threads that any run so far kept busy, see threads_of(): one
/// for a kernel without threads. All variants are compared with the same limits: a variant with one
/// thread, of a kernel whose others use two, is compared with what two threads can do. Threads of
/// the program that work on something else during a run are counted too, and raise the limits.
///
/// The bandwidth is that of the memory; where caches are warm and the arrays of the call take no
/// more than twice the last of them, it is that of a triad over arrays as large together, rounded
/// to three binary digits. A kernel that mostly reads can be a little faster than a triad: a
/// fraction somewhat above 1 is no error. Where it is clearly above, the limits may have been
/// measured on a busy machine: they are measured once more.
class kernel_roofline {
public:
    using limits_source =
        std::function<machine_limits(unsigned threads, double footprint, bool anew)>;

    /// From this fraction on, the limits are measured again. Of what a triad moves, a quarter is
    /// not counted (the lines that it writes are read before), so that a kernel that only reads
    /// reaches 4/3.
    static constexpr double doubtful = 1.5;

    /// Measures nothing yet. Call it on a thread that may use all processors of the program: at()
    /// measures on these, also while its caller is kept on one core.
    /// @param options  the state of the caches counts
    /// @param say      takes sentences for the user
    /// Errors   attune::error: the work stated for the default configuration is no number, negative
    ///          or nothing
    kernel_roofline(tuning_problem const& problem,
                    tuning_options const& options,
                    std::function<void(std::string)> say,
                    limits_source limits = limits_of_this_machine);

    [[nodiscard]] bool is_stated() const noexcept { return is_stated_; }
    /// Notes that a run kept so many threads busy.
    void note_threads(unsigned threads) noexcept;
    /// Whether the next at() measures the machine, or reads its limits from a file. Nothing else
    /// should run on the machine during that call.
    [[nodiscard]] bool will_measure() const { return is_stated_ && !known_.contains(threads_); }
    /// Which fraction of the roofline a time of one call reaches; nothing when no work is stated,
    /// or none that has a value at this configuration, or on a device.  @param seconds  > 0
    [[nodiscard]] std::optional<roofline> at(point const& at, double seconds);

private:
    [[nodiscard]] work work_at(point const& at) const;
    [[nodiscard]] machine_limits const& limits(bool anew);
    void say_once(std::string text);

    tuning_problem const& problem_;
    std::function<void(std::string)> say_;
    limits_source source_;
    std::string said_{};
    std::map<unsigned, machine_limits> known_{};
    std::set<unsigned> doubted_{}; ///< numbers of threads
    std::vector<int> processors_;  ///< of the thread that made this
    bool is_for_device_;           ///< work is stated, to no use
    bool is_stated_;
    double footprint_ = 0;
    unsigned threads_ = 1;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/kernel_roofline.ipp>
#endif
