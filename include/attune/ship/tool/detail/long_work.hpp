// attune/ship/tool/detail/long_work.hpp - progress of work that takes seconds, and signals that end it.
// SPDX-License-Identifier: MIT
// tested by ship/tool/space.cpp
#pragma once

#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/tool/command.hpp>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <ctime>
#include <functional>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// Reports progress on the console's error stream, from the third second on. A terminal gets a line
/// that changes each second, another stream a line every 10 seconds.
class work_progress {
public:
    /// @param now  seconds of a clock
    explicit work_progress(console& on, std::function<double()> now = steady_seconds)
        : on_(&on)
        , now_(std::move(now))
        , begun_s_(now_())
        , next_s_(begun_s_ + 2)
    {
    }
    ~work_progress()
    {
        if (is_shown_ && on_->is_live) on_->err << "\r\x1b[K" << std::flush;
    }
    work_progress(work_progress const&) = delete;
    work_progress& operator=(work_progress const&) = delete;

    [[nodiscard]] double seconds() const { return now_() - begun_s_; }

    /// @param text  the state of the work: "34 % of 100000000 configurations"
    void note(std::function<std::string()> const& text)
    {
        double const at_s = now_();
        if (at_s < next_s_) return;
        next_s_ = at_s + (on_->is_live ? 1 : 10);
        is_shown_ = true;
        if (on_->is_live)
            on_->err << '\r' << text() << "\x1b[K" << std::flush;
        else
            on_->err << text() << std::endl;
    }

private:
    console* on_;
    std::function<double()> now_;
    double begun_s_;
    double next_s_;
    bool is_shown_ = false;
};

/// Calls `say` from a thread of its own if the object lives longer than a time. For work that
/// reports no progress.
class slow_notice {
public:
    explicit slow_notice(std::function<void()> say,
                         std::chrono::milliseconds after = std::chrono::seconds(2))
    {
        try {
            thread_ = std::thread([this, say = std::move(say), after] {
                std::unique_lock lock(busy_);
                if (!ended_.wait_for(lock, after, [this] { return is_over_; })) say();
            });
        } catch (std::system_error const&) { // at the limit of threads: no notice
        }
    }
    ~slow_notice()
    {
        {
            std::lock_guard const lock(busy_);
            is_over_ = true;
        }
        ended_.notify_one();
        if (thread_.joinable()) thread_.join();
    }
    slow_notice(slow_notice const&) = delete;
    slow_notice& operator=(slow_notice const&) = delete;

private:
    std::mutex busy_{};
    std::condition_variable ended_{};
    bool is_over_ = false;
    std::thread thread_;
};

/// While an object lives, Ctrl-C, SIGTERM and SIGHUP wait, in this thread and in those that it
/// starts, so that half-done work can be removed. The destructor delivers the signals that came.
class held_signals {
public:
    held_signals()
    {
        sigemptyset(&mine_);
        for (int const signal : {SIGINT, SIGTERM, SIGHUP}) {
            struct ::sigaction does{};
            ::sigaction(signal, nullptr, &does);
            if (does.sa_handler != SIG_IGN) sigaddset(&mine_, signal); // nohup
        }
        pthread_sigmask(SIG_BLOCK, &mine_, &before_);
    }
    ~held_signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    held_signals(held_signals const&) = delete;
    held_signals& operator=(held_signals const&) = delete;

    [[nodiscard]] bool have_come() const
    {
        sigset_t pending;
        sigemptyset(&pending);
        sigpending(&pending);
        for (int const signal : {SIGINT, SIGTERM, SIGHUP})
            if (sigismember(&mine_, signal) == 1 && sigismember(&pending, signal) == 1) return true;
        return false;
    }
    /// Does not deliver Ctrl-C: the program itself reports its end.
    void take_interrupt() const
    {
        sigset_t interrupt;
        sigemptyset(&interrupt);
        sigaddset(&interrupt, SIGINT);
        std::timespec const no_time{};
        if (sigismember(&mine_, SIGINT) == 1) ::sigtimedwait(&interrupt, nullptr, &no_time);
    }

private:
    sigset_t mine_;
    sigset_t before_;
};

/// Reports that a signal ended the work of attune space.
/// @param output  the file that would have been written
/// @return        exit code of the program
[[nodiscard]] inline int end_interrupted(held_signals const& by,
                                         std::optional<std::string> const& output, console& on)
{
    on.err << "attune: space: interrupted";
    if (output) on.err << "; " << printable(*output) << " is as it was before";
    on.err << '\n';
    by.take_interrupt();
    return interrupted;
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
