// attune/measure/roofline/detail/peak_threads.hpp - times threads that run the same work at once.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Starts `body(i)` in a thread that is joined when its handle is destroyed.
struct joined_threads {
    template <class Body>
    std::jthread operator()(Body const& body, unsigned i) const
    {
        return std::jthread(body, i);
    }
};

/// Seconds of the quickest round: disturbances only make rounds longer.
///
/// Thread i creates its work with `make(i)`, so that the system places its memory near its
/// processor, and runs it once. Then it runs `rounds` times; in each round all threads begin
/// together, and the round ends with the last thread. Starting and ending threads is not timed.
/// @param threads  >= 1; the calling thread is the first
/// @param make     make(i) returns a callable without arguments that does not throw
/// Errors   std::system_error: the system starts no more threads; exceptions of `make`. All started
///          threads have ended then.
template <class Clock = std::chrono::steady_clock, class Make, class Start = joined_threads>
[[nodiscard]] double quickest_round_s(unsigned threads, int rounds, Make const& make,
                                      Start const& start = {})
{
    double best_s = std::numeric_limits<double>::infinity();
    std::optional<typename Clock::time_point> begun;
    // Called when the last thread has arrived, before any thread continues.
    auto const turn = [&]() noexcept {
        auto const now = Clock::now();
        if (begun) best_s = std::min(best_s, std::chrono::duration<double>(now - *begun).count());
        begun = now;
    };
    std::barrier meeting(static_cast<std::ptrdiff_t>(threads), turn);
    std::atomic<bool> is_off = false; // changes only before the first barrier
    std::mutex lock;
    std::exception_ptr thrown;
    auto const take_part = [&](unsigned i) {
        std::optional<std::invoke_result_t<Make const&, unsigned>> act;
        try {
            act.emplace(make(i));
            (*act)();
        } catch (...) {
            std::scoped_lock const held(lock);
            thrown = std::current_exception();
            is_off = true;
        }
        meeting.arrive_and_wait();
        for (int round = 0; round < rounds && !is_off; ++round) {
            (*act)();
            meeting.arrive_and_wait();
        }
    };
    std::vector<std::jthread> others(threads - 1); // joined before the objects above are destroyed
    unsigned running = 1;
    try {
        for (std::jthread& other : others) {
            other = start(take_part, running);
            ++running;
        }
    } catch (...) { // the started threads wait at the barrier for the missing ones
        is_off = true;
        static_cast<void>(meeting.arrive(static_cast<std::ptrdiff_t>(threads - running + 1)));
        throw;
    }
    take_part(0);
    others.clear();
    if (thrown) std::rethrow_exception(thrown);
    return best_s;
}

} // namespace attune::inline ATTUNE_ABI::detail
