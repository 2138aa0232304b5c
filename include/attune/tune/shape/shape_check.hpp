// attune/tune/shape/shape_check.hpp - checks an installed variant for a call of a new shape, and measures its runs.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/callable.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/bench.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/kernel/kernel_description.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace attune::inline ATTUNE_ABI::detail {

/// Measures the seconds of a run without those in which another program had its processor.
class run_clock {
public:
    /// Returns the wall seconds of the run so far. If the system took the processor away from this
    /// thread, and the thread waited for nothing, returns the CPU seconds of the process if they
    /// are less. They count all threads, because another thread of the run may have had the
    /// processor.
    [[nodiscard]] double seconds() const
    {
        double const wall_s = clocks_.wall_s() - begun_s_;
        bool const is_disturbed = clocks_.preemptions() > preemptions_ && clocks_.waits() == waits_;
        return is_disturbed ? std::min(wall_s, clocks_.process_cpu_s() - cpu_s_) : wall_s;
    }

private:
    system_clocks clocks_{};
    std::uint64_t preemptions_ = clocks_.preemptions();
    std::uint64_t waits_ = clocks_.waits();
    double cpu_s_ = clocks_.process_cpu_s();
    double begun_s_ = clocks_.wall_s();
};

struct shape_check_limits {
    double check_s = 1; ///< wall seconds; a check that would take longer does not take place
    std::size_t most_bytes = std::size_t{1} << 30; ///< all arrays of the call together
    /// False: a variant is slower only if it does not end in time.
    bool compares_times = true;
    /// True for one of many checks of one variant, on calls that attune made. The check then
    /// ignores changes of the process, and compares times only if the first ones differ clearly.
    bool is_one_of_many = false;
};

/// Runs an installed variant on copies of this call's arrays, between guard pages. Compares its
/// results with those of the trusted code (or the user's reference, or check), by the rules of
/// first_runs. Decides in one forked child, because a call waits.
///
/// The trusted code and the variant run at most twice each: on the caller's contents, and on
/// perturbed ones if these can show an error. The trusted code runs twice more if two runs leave an
/// array unchanged: see first_runs. The child does not map large memory outside the call's arrays;
/// if the code needs that memory, another child runs the check with all of it.
///
/// A right variant is clearly slower if its fastest run takes over 1.5 times the fastest run of the
/// trusted code, and 2 us more. If the first runs leave that open, both run again in turns, at most
/// three times and for 0.1 s. Below 0.1 ms both always run again, because the first runs mostly
/// fill caches; a variant counts as slower there after 16 times. These runs use copies at the
/// alignments of the caller's arrays. A first run of over 20 ms stops at six times the trusted
/// code's time: the variant is slower, and whether it is right stays unknown.
///
/// Does not write to the caller's memory. If `protect` (or the result of choose_isolation()) is
/// `guard` or `none`, the runs take place in this process, also on copies. The process state is
/// then restored, but not a variant's writes to other memory, or its call of exit().
///
/// Arrays that overlap keep their relative places in one copy, with the caller's contents only.
///
/// @param trusted  serves unless the verdict is `right`; may be a function of the program
/// @param tried    the variant
/// @return  `unknown` if the trusted code fails on the copies, the check or the first forms of
///          constant arrays exceed the limit, or the arrays exceed `most_bytes`; also without
///          memory or child process. Never throws: an exception of a user's function is a failure
///          of the run that it checks
/// Cost     1 ms and about four copies of the arrays, plus the runs; see bench.tune.new_shape
[[nodiscard]] shape_verdict verify_shape(kernel_description const& kernel, call_frame const& frame,
                                         callable const& trusted, callable const& tried,
                                         shape_check_limits const& limits = {},
                                         isolation protect = isolation::automatic);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/shape/shape_check.ipp>
#endif
