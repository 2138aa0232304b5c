// attune/tune/shape/shape_check.hpp - may an installed variant serve a call of a shape it never ran at?
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/measure/shape_verdict.hpp>
#include <attune/tune/kernel.hpp>
#include <attune/tune/kernel/call_frame.hpp>

#include <cstddef>

namespace attune::inline ATTUNE_ABI {

/// What a check of a new shape may take.
struct shape_check_limits {
    double check_s = 1; ///< wall seconds; a check that would take longer is not made
    std::size_t most_bytes = std::size_t{1} << 30; ///< all arrays of the call together
};

/// Runs an installed variant on copies of this call's arrays, between forbidden pages, against what
/// the trusted code (or the user's reference, or check) makes of them: by the rules of first_runs,
/// which see. Unlike a tuning it decides everything in one forked child, which is cheap enough for
/// a call that waits: at most four runs in all, the trusted code and the variant from the caller's
/// contents and from perturbed ones, as far as these say something. (Large memory that is no array
/// of the call is left out of the fork. Code that needs it all the same is run once more, with
/// everything.)
///
/// The caller's memory is not written to. Where `protect` (or what choose_isolation() makes of it)
/// is `guard` or `none` the runs are made in this process, on copies all the same, and the state of
/// the process is put back; what a variant writes elsewhere, or that it calls exit(), is not
/// undone there.
///
/// Arrays that overlap keep their places relative to each other, in one copy; their contents are
/// not perturbed.
///
/// @param trusted  what serves when the verdict is not `right`; its address may be a function of
///                 the program itself
/// @param tried    the variant
/// @return  `unknown` when the trusted code fails on the copies, when the check would take longer
///          than its limit, where the arrays take more than `most_bytes`, and where there is no
///          memory or no child process. Never throws: what the user's functions throw is a failure
///          of the run they look at
/// Cost     beside the runs 1 ms and about four copies of the arrays; see bench.tune.new_shape
[[nodiscard]] shape_verdict verify_shape(kernel_description const& kernel,
                                         call_frame const& frame,
                                         callable const& trusted,
                                         callable const& tried,
                                         shape_check_limits const& limits = {},
                                         isolation protect = isolation::automatic);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/shape/shape_check.ipp>
#endif
