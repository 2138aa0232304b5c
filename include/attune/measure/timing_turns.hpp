// attune/measure/timing_turns.hpp - one timing at a time on a processor or device, across processes.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/range_lock.hpp>
#include <attune/core/version.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Numbers of the processors that the calling thread may run on; empty: unknown.
[[nodiscard]] std::vector<std::uint64_t> processors_of_this_thread();

/// A device as a place beside the processors. @param bus  its PCI bus id: "0000:3b:00.0"
/// @return  empty: it is no bus id
[[nodiscard]] std::optional<std::uint64_t> place_of_device(std::string const& bus);

/// The file with a byte for each place of this machine: $ATTUNE_TURNS, else attune-cores-UID in the
/// system's folder of temporary files. $TMPDIR is not used, because each job may have another. The
/// second file is for this user alone, because any process that may lock a byte can make the others
/// wait. Users who trust each other name a file that all of them may write. Empty if the variable
/// is "off".
[[nodiscard]] std::string file_of_turns();

/// The right to time at some places (processors or devices), among all processes and objects of a
/// machine that use attune with the same file. Two objects wait for each other only if they have a
/// place in common. Ranks of a job on separate processors, and tunings on two devices, do not wait.
/// The object that has waited longest is next. The destructor, or the end of the process, releases
/// the right. Movable.
/// Cost     10 us if no other process times
class place_turn {
public:
    /// @param places  such as processors_of_this_thread()
    /// @param wait_s  longest wait for the holders of the places, in seconds
    /// @param file    file of the locks; empty: no process waits
    explicit place_turn(std::vector<std::uint64_t> places, double wait_s,
                        std::string const& file = file_of_turns());

    /// Returns false if others held a place for all of `wait_s`, or the file has no locks. The
    /// caller then measures, and reports notice().
    [[nodiscard]] bool is_alone() const noexcept { return lock_.state() == lock_state::mine; }
    /// Returns true if others held a place for the whole wait.
    [[nodiscard]] bool is_late() const noexcept { return lock_.state() == lock_state::busy; }
    /// A sentence for the report if the times may be disturbed; else empty.
    [[nodiscard]] std::string notice() const;
    [[nodiscard]] double waited_s() const noexcept { return waited_s_; }
    void release() noexcept { lock_.release(); }

private:
    range_lock lock_{};
    double waited_s_ = 0;
    bool is_of_device_ = false;
};

/// A timing during a turn runs alone among all processes and objects on this machine that use
/// attune on the same processors or device. First runs and compilers need no turn. An object waits
/// a bounded time for a turn. After a wait without success, all further timings start at once and
/// notices() reports it, until the places are free again.
///
/// Used by one thread at a time. Objects of the same thread do not wait for each other, because a
/// timed kernel may tune another kernel.
class timing_turns {
public:
    /// Longest wait for a turn, in seconds.
    static constexpr double longest_wait_s = 3.0;
    /// Seconds after which prepare() passes the turn on.
    static constexpr double longest_turn_s = 1.0;

    /// @param wait_s  longest wait, at most longest_wait_s
    /// @param file    see place_turn
    explicit timing_turns(double wait_s = longest_wait_s, std::string file = file_of_turns());

    /// Takes turns on a device only. @param bus  its PCI bus id; any other text: there are no turns
    void use_device(std::string const& bus);
    /// Takes turns at all processors of the machine, not only those of the thread.
    void use_machine();

    /// A turn, until the destructor.
    class turn {
    public:
        explicit turn(timing_turns& of);
        ~turn();
        turn(turn const&) = delete;
        turn& operator=(turn const&) = delete;

        /// Calls `f`, user code that is not timed, outside of the turn.
        /// Errors   exceptions of `f`; the turn is over then
        void apart(std::function<void()> const& f);
        /// Call it between two timings: passes a long turn on to a waiting object.
        void prepare();

    private:
        timing_turns& of_;
        bool is_within_; ///< this thread already has a turn
        std::optional<place_turn> lock_{};
        double since_s_ = 0;
    };

    /// A sentence for each disturbance by others, once.
    [[nodiscard]] std::vector<std::string> notices() const;

private:
    [[nodiscard]] place_turn next();

    std::string file_;
    double wait_s_;
    bool was_late_ = false;               ///< the last wait had no success
    std::vector<std::uint64_t> places_{}; ///< empty: the processors of the thread
    std::string notice_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/timing_turns.ipp>
#endif
