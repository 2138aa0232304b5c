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

namespace detail {

/// Limits and additional checks of a sandboxed run.
struct sandboxed_run_options {
    double limit_s = 10;          ///< wall seconds for the run
    double check_limit_s = 60;    ///< wall seconds for comparing and `also_check` together
    double begin_limit_s = 10;    ///< wall seconds until the run begins
    std::size_t memory_bytes = 0; ///< as in trial_limits
    /// Called in the child after the run and the comparison, for checks beyond a tolerance. A text
    /// that is not empty fails the variant at `verify`. May be empty.
    std::function<std::string()> also_check = {};
    /// Called in the parent with the address of a fault; the returned text, such as the array that
    /// ends there, is appended to the reason. May be empty, and may return an empty text.
    std::function<std::string(std::uintptr_t)> explain_address = {};
    /// Memory that the child does not get, which makes the fork cheaper. If a child needs it,
    /// `missed` is called in the parent, and the run is repeated in a child with all memory.
    std::span<address_range const> without = {};
    std::function<void()> missed = {};
};

} // namespace detail

/// Wall seconds of a first run (cold, with copies of pages: for limits, not for comparisons), or
/// why the variant is unusable.
using first_run_result = std::variant<double, failure>;

namespace detail {

/// Runs once in a forked child on copy-on-write memory and compares the writable buffers there with
/// the reference. A crash, a hang or a wrong result does not affect the caller. For the child's
/// properties see child_process.hpp.
///
/// The reason of a failure is one line: "SIGSEGV (invalid memory access) at address 0x10"; the text
/// of an exception; "exit(3) was called"; "still running after 0.5 s"; the text of a mismatch. A
/// check that takes too long fails at `verify`. The log is the output to stderr.
///
/// @param run        one run of the variant on `buffers`
/// @param buffers    of the call, in private memory, with their inputs. A run that writes nothing
///                   passes if they contain the result already
/// @param reference  snapshot of the same buffers after a trusted run; null: results are not
///                   compared
/// Errors   those of run_in_child: no child can be started, or it does not begin
/// Cost     that of run_in_child, and of compare() for each writable buffer
[[nodiscard]] first_run_result sandboxed_run(std::function<void()> const& run,
                                             std::span<buffer const> buffers,
                                             snapshot const* reference,
                                             sandboxed_run_options const& options = {});

[[nodiscard]] std::string first_line(std::string const& text);
/// The first mismatch of a writable buffer; empty when there is none.
[[nodiscard]] std::string objection_to(std::span<buffer const> buffers, snapshot const& reference);
/// True when a child may have crashed at memory that it did not get.
[[nodiscard]] bool has_missed(child_end const& end, std::span<address_range const> without);
/// The failure of a child that did not return.
[[nodiscard]] failure verdict_of(child_end const& end, child_limits const& limits);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/sandbox/sandboxed_run.ipp>
#endif
