// tests/support/other_threads.hpp - a second thread of the program, and none.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/measure/sandbox/isolation.hpp>

#include <condition_variable>
#include <doctest/doctest.h>
#include <functional>
#include <mutex>
#include <thread>
#include <time.h>
#include <utility>

#include "sanitized.hpp"

namespace attune_test {

inline constexpr char const* has_a_thread_of_its_own =
    "the thread sanitizer adds a thread to every program";

/// Lives until this object goes, and does what it is given.
class other_thread {
public:
    other_thread()
        : thread_([this] { work(); })
    {
    }
    ~other_thread()
    {
        call({});
        thread_.join();
    }
    other_thread(other_thread const&) = delete;
    other_thread& operator=(other_thread const&) = delete;

    /// Does it there; returns when it is done.
    void call(std::function<void()> what) const
    {
        std::unique_lock lock(mutex_);
        next_ = std::move(what);
        has_next_ = true;
        changed_.notify_all();
        changed_.wait(lock, [this] { return !has_next_; });
    }

private:
    void work()
    {
        std::unique_lock lock(mutex_);
        for (bool goes_on = true; goes_on;) {
            changed_.wait(lock, [this] { return has_next_; });
            goes_on = static_cast<bool>(next_);
            if (goes_on) next_();
            has_next_ = false;
            changed_.notify_all();
        }
    }

    mutable std::mutex mutex_{};
    mutable std::condition_variable changed_{};
    mutable std::function<void()> next_{};
    mutable bool has_next_ = false;
    std::thread thread_; // last: it uses the others
};

/// A thread that was joined is still listed for a moment.
inline void wait_until_alone()
{
    for (int i = 0; i < 10'000 && attune::detail::has_other_threads(); ++i) {
        timespec const nap{0, 1'000'000};
        nanosleep(&nap, nullptr);
    }
    REQUIRE_FALSE(attune::detail::has_other_threads());
}

} // namespace attune_test

using attune_test::has_a_thread_of_its_own;
