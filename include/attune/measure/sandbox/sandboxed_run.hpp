// attune/measure/sandbox/sandboxed_run.hpp - one run of an untested variant in a forked child.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/measure/arrays/snapshot.hpp>
#include <attune/measure/sandbox/child_process.hpp>
#include <attune/measure/sandbox/fork_exclusions.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <variant>

namespace attune::inline ATTUNE_ABI {

/// What a first run may take beside its time. The defaults fit any kernel but those that allocate
/// much memory of their own, or whose check takes minutes.
struct trial_limits {
    std::size_t memory_bytes = 0; ///< that it may map in addition; 0: see usual_child_memory()
    double check_s = 60;          ///< wall seconds for the comparison and the user's check together
    double begin_s = 10;          ///< wall seconds until it begins, on a loaded machine
};

/// What a sandboxed run may take, and what else it must satisfy.
struct sandboxed_run_options {
    double limit_s = 10;          ///< wall seconds for the run
    double check_limit_s = 60;    ///< wall seconds for comparing and `also_check` together
    double begin_limit_s = 10;    ///< wall seconds until the run begins
    std::size_t memory_bytes = 0; ///< as in trial_limits
    /// Called in the child after the run and the comparison; a text that is not empty fails the
    /// variant at `verify`. For checks a tolerance cannot express. May be empty.
    std::function<std::string()> also_check = {};
    /// Called in the parent with the address a signal reports; its text follows the reason of the
    /// failure: whose memory ends there. May be empty, and may return an empty text.
    std::function<std::string(std::uintptr_t)> explain_address = {};
    /// Memory that the child is forked without, to make that cheaper. A child that misses some of
    /// it proves nothing: `missed` is called in the parent, and another child gets all there is.
    std::span<address_range const> without = {};
    std::function<void()> missed = {};
};

/// Wall seconds of the first run, in the child (cold, and paying for copied pages: fit for setting
/// limits, not for comparing), or why the variant is unusable.
using first_run_result = std::variant<double, failure>;

/// Runs once in a forked child on copy-on-write memory and compares the writable buffers with the
/// reference there: a crash, a hang or a wrong result costs one evaluation, never the caller, whose
/// memory stays as it was. What the child is like: child_process.hpp.
///
/// The reason of a failure is one line: "SIGSEGV (invalid memory access) at address 0x10"; the text
/// of an exception; "exit(3) was called"; "still running after 0.5 s"; the text of a mismatch. A
/// check that takes too long fails the variant at `verify`, with a sentence of its own. The log is
/// what was written to stderr.
///
/// @param run        one run of the variant on `buffers`
/// @param buffers    of the call, in private memory (what processes share is not protected),
///                   holding their inputs. A run that writes nothing passes where the result is
///                   there already
/// @param reference  taken of the same buffers after a trusted run; null: any result will do
/// Errors   those of run_in_child: no child can be made, or it does not begin
/// Cost     that of run_in_child, and of compare for each writable buffer
[[nodiscard]] first_run_result sandboxed_run(std::function<void()> const& run,
                                             std::span<buffer const> buffers,
                                             snapshot const* reference,
                                             sandboxed_run_options const& options = {});

namespace detail {
[[nodiscard]] std::string first_line(std::string const& text);
/// The first mismatch of any writable buffer, or nothing.
[[nodiscard]] std::string objection_to(std::span<buffer const> buffers, snapshot const& reference);
/// Whether a child may have died of memory that it was forked without.
[[nodiscard]] bool has_missed(child_end const& end, std::span<address_range const> without);
/// What a child that did not simply return says about the variant.
[[nodiscard]] failure verdict_of(child_end const& end, child_limits const& limits);
} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/sandbox/sandboxed_run.ipp>
#endif
