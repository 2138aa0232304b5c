// attune/measure/turns/place_turn.hpp - what is timed on some processors, or on a device, is timed alone, across processes.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/range_lock.hpp>
#include <attune/core/version.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Processors that the calling thread may run on, by their numbers; empty: unknown.
[[nodiscard]] std::vector<std::uint64_t> processors_of_this_thread();

/// A device as a place beside the processors. @param bus  its PCI bus id: "0000:3b:00.0"
/// @return  nothing: it is none
[[nodiscard]] std::optional<std::uint64_t> place_of_device(std::string const& bus);

/// The file whose bytes stand for the places of this machine: $ATTUNE_TURNS, else
/// attune-cores-UID in the system's folder of temporary files: not in $TMPDIR, of which each job
/// may have its own. That one is of this user alone, because whoever may lock a byte can keep the
/// others waiting; users who trust each other name a file that all of them may write to. Empty
/// where the variable is "off".
[[nodiscard]] std::string file_of_turns();

/// The right to time something at some places, which are processors or devices, among all processes
/// and objects on a machine that use attune through the same file. Two of them wait for each other
/// only where they have a place in common, so the ranks of a job that are bound to processors of
/// their own do not, nor do tunings on two devices. The one that has waited longest is next.
/// Released with the object or its process. Movable.
/// Cost     10 us where no other process times
class place_turn {
public:
    /// @param places  such as processors_of_this_thread()
    /// @param wait_s  longest wait for processes that hold them, seconds
    /// @param file    of the locks; empty: no process waits
    explicit place_turn(std::vector<std::uint64_t> places, double wait_s,
                        std::string const& file = file_of_turns());

    /// False: others had a place for all of `wait_s`, or the file has no locks. Then the
    /// caller measures, and reports notice().
    [[nodiscard]] bool is_alone() const noexcept { return lock_.state() == lock_state::mine; }
    /// Others had a place for all of the wait.
    [[nodiscard]] bool is_late() const noexcept { return lock_.state() == lock_state::busy; }
    /// A sentence for the report where the times may be disturbed; else empty.
    [[nodiscard]] std::string notice() const;
    [[nodiscard]] double waited_s() const noexcept { return waited_s_; }
    void release() noexcept { lock_.release(); }

private:
    range_lock lock_{};
    double waited_s_ = 0;
    bool is_of_device_ = false;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/turns/place_turn.ipp>
#endif
