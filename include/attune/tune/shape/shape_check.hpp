// attune/tune/shape/shape_check.hpp - checks an installed variant for a call of a new shape.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/measure/shape_verdict.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/kernel/kernel_description.hpp>

#include <cstddef>

namespace attune::inline ATTUNE_ABI::detail {

/// Limits of a check of a new shape.
struct shape_check_limits {
    double check_s = 1; ///< wall seconds; a check that would take longer is not done
    std::size_t most_bytes = std::size_t{1} << 30; ///< all arrays of the call together
    bool compares_times = true;                    ///< else shape_verdict::is_slower says nothing
    /// One of many checks of one variant, on calls that attune made: what a run changes of the
    /// process is not looked at, and times are compared where the first ones differ clearly.
    bool is_one_of_many = false;
};

/// Runs an installed variant on copies of this call's arrays, between guard pages, and compares
/// with the results of the trusted code (or the user's reference, or check), by the rules of
/// first_runs. Unlike a tuning it decides in one forked child, because a call is waiting: at most
/// four runs, of the trusted code and of the variant, each on the caller's contents and on
/// perturbed ones where these can show an error. (Large memory outside the call's arrays is not
/// mapped in the child. Code that needs that memory is run once more with all of it.) Two more runs
/// of the trusted code where two leave an array unchanged: see first_runs.
///
/// A variant that is right is clearly slower if its fastest run takes more than 1.5 times the
/// fastest run of the trusted code, and 2 us more. Where the runs so far leave that open, both run
/// again in turn, three times at most and for 0.1 s: always below 0.1 ms, where the first runs
/// mostly fill caches.
///
/// Does not write to the caller's memory. If `protect` (or the result of choose_isolation()) is
/// `guard` or `none`, the runs take place in this process, also on copies, and the process state is
/// restored; writes of a variant to other memory, or its call of exit(), are not undone then.
///
/// Arrays that overlap keep their relative places in one copy; their contents are not perturbed.
///
/// @param trusted  serves if the verdict is not `right`; its address may be a function of the
///                 program
/// @param tried    the variant
/// @return  `unknown` if the trusted code fails on the copies, if the check would exceed its limit,
///          if a variant that may make forms of constant arrays exceeds it, if the arrays exceed
///          `most_bytes`, or without memory or child process. Never throws: an exception of a
///          user's function is a failure of the run that it checks
/// Cost     1 ms and about four copies of the arrays, plus the runs; see bench.tune.new_shape
[[nodiscard]] shape_verdict verify_shape(kernel_description const& kernel, call_frame const& frame,
                                         callable const& trusted, callable const& tried,
                                         shape_check_limits const& limits = {},
                                         isolation protect = isolation::automatic);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/shape/shape_check.ipp>
#endif
