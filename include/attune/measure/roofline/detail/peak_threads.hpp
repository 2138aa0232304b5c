// attune/measure/roofline/detail/peak_threads.hpp - threads that do the same at the same time, and how long it takes.
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

/// Starts a thread of `body(i)` that is joined when its handle is gone.
struct joined_threads {
    template <class Body>
    std::jthread operator()(Body const& body, unsigned i) const
    {
        return std::jthread(body, i);
    }
};

/// The quickest of some rounds: disturbances only ever make a machine look slower.
///
/// Thread i makes what it runs with `make(i)`, so that the system places the memory that this fills
/// near the processor which is to use it; runs it once; and then `rounds` times, in each of which
/// all threads begin when the last one is ready. A round ends when the last one is done, so that no
/// thread can have worked outside the time that is counted, and neither starting nor ending threads
/// is inside it.
/// @param threads  >= 1, the calling one is the first of them
/// @param make     make(i) returns what is called without arguments and throws nothing
/// Errors   std::system_error: the system starts no more threads; what `make` throws. Whatever was
///          started has ended by then.
template <class Clock = std::chrono::steady_clock, class Make, class Start = joined_threads>
[[nodiscard]] double
quickest_round_s(unsigned threads, int rounds, Make const& make, Start const& start = {})
{
    double best_s = std::numeric_limits<double>::infinity();
    std::optional<typename Clock::time_point> begun;
    // Runs when the last thread has arrived, before any goes on.
    auto const turn = [&]() noexcept {
        auto const now = Clock::now();
        if (begun) best_s = std::min(best_s, std::chrono::duration<double>(now - *begun).count());
        begun = now;
    };
    std::barrier meeting(static_cast<std::ptrdiff_t>(threads), turn);
    std::atomic<bool> is_off = false; // changes before the first meeting only
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
    std::vector<std::jthread> others; // joined first, whatever happens
    others.reserve(threads - 1);
    try {
        while (others.size() + 1 < threads)
            others.push_back(start(take_part, static_cast<unsigned>(others.size() + 1)));
    } catch (...) { // those that were started wait for the rest
        is_off = true;
        static_cast<void>(meeting.arrive(static_cast<std::ptrdiff_t>(threads - others.size())));
        throw;
    }
    take_part(0);
    others.clear();
    if (thrown) std::rethrow_exception(thrown);
    return best_s;
}

} // namespace attune::inline ATTUNE_ABI::detail
