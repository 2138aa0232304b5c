// attune/measure/turns/timing_turns.hpp - gives the timings of one bench their turns.
// SPDX-License-Identifier: MIT
// tested by measure/turns/place_turn.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/turns/place_turn.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// What is timed during a turn is timed alone, among all processes and objects on this machine that
/// use attune on the same processors, or on the same device. First runs and compilers need none. A
/// turn is waited for, for a bounded time; if others do not get on, all further timings are made at
/// once and notices() says so, until the places are found free again.
///
/// One thread at a time. Objects of one thread do not wait for each other: a kernel that tunes
/// another one while it is timed goes on.
class timing_turns {
public:
    /// Seconds that a turn is waited for, at most.
    static constexpr double longest_wait_s = 3.0;
    /// Seconds after which prepare() lets others have their turn.
    static constexpr double longest_turn_s = 1.0;

    /// @param wait_s  less than longest_wait_s, or that
    /// @param file    see place_turn
    explicit timing_turns(double wait_s = longest_wait_s, std::string file = file_of_turns());

    /// Turns on a device alone. @param bus  its PCI bus id; another text: there are no turns
    void use_device(std::string const& bus);
    /// Turns at all processors of the machine, not only those of the thread.
    void use_machine();

    /// One, until this object goes.
    class turn {
    public:
        explicit turn(timing_turns& of);
        ~turn();
        turn(turn const&) = delete;
        turn& operator=(turn const&) = delete;

        /// Calls `f` outside of the turn, for what is the user's and is not timed.
        /// Errors   exceptions of `f`; the turn is over then
        void apart(std::function<void()> const& f);
        /// Between two timings: who waits comes next, if this turn is long.
        void prepare();

    private:
        timing_turns& of_;
        bool is_within_; ///< this thread has one already
        std::optional<place_turn> lock_{};
        double since_s_ = 0;
    };

    /// A sentence where others disturbed; each once.
    [[nodiscard]] std::vector<std::string> notices() const;

private:
    [[nodiscard]] place_turn next();

    std::string file_;
    double wait_s_;
    bool was_late_ = false;               ///< the last time
    std::vector<std::uint64_t> places_{}; ///< empty: the processors of the thread
    std::string notice_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/turns/timing_turns.ipp>
#endif
