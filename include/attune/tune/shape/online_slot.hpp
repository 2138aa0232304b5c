// attune/tune/shape/online_slot.hpp - shares the calls of one shape between the serving code and a candidate.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <atomic>
#include <cstdint>
#include <functional>

namespace attune::inline ATTUNE_ABI::detail {

/// Two calls of the program, one right after the other.
struct timed_pair {
    double serving_s = 0;   ///< seconds of the serving code
    double candidate_s = 0; ///< seconds of the candidate; infinity: it threw
};

/// Gives each call, on any thread, the code that it runs: nearly always the serving code. The
/// thread that tunes asks for the time of a candidate. The slot then times one call of the serving
/// code. It gives the candidate to the next call if the allowed loss permits that.
///
/// The loss by candidates of all slots is at most a share of the time of all calls. No call waits.
class online_slot {
public:
    /// @param serves      serving code
    /// @param lost_share  allowed loss as a share of the time of all calls, 0 to 1
    /// @param now_s       clock that any thread may read
    online_slot(void* serves, double lost_share, std::function<double()> now_s);

    /// The code and the measurement of one call.
    struct turn {
        void* entry = nullptr;
        bool is_timed = false;
        double begun_s = 0;
    };
    [[nodiscard]] turn begin()
    {
        phase const now = phase_.load(std::memory_order_acquire);
        if ((now == phase::wants_serving && can_afford()) || now == phase::wants_candidate)
            if (turn out = take(now); out.is_timed) return out;
        unmeasured_.store(unmeasured_.load(std::memory_order_relaxed) + 1,
                          std::memory_order_relaxed);
        return {.entry = serves_.load(std::memory_order_acquire)};
    }
    /// @param has_thrown  true if the code threw
    void end(turn const& of, bool has_thrown);

    // The members below are for the thread that tunes.

    /// Sets the serving code.  @pre  no time is requested
    void serve(void* entry);
    /// Requests the times of the serving code and of a candidate.
    /// @param slower  known or expected time of the candidate, as a multiple of the serving code's
    /// @pre  no time is requested; the candidate stays loaded until has_ended()
    void ask(void* candidate, double slower);
    [[nodiscard]] bool has_ended() const noexcept
    {
        return phase_.load(std::memory_order_acquire) == phase::idle;
    }
    /// Withdraws the request. @return  false: a timed call is running; withdraw later
    [[nodiscard]] bool withdraw();
    /// Sets the sums outside this slot: the seconds of calls, and the seconds lost by candidates.
    void set_others(double spent_s, double lost_s) noexcept
    {
        others_spent_s_.store(spent_s, std::memory_order_relaxed);
        others_lost_s_.store(lost_s, std::memory_order_relaxed);
    }
    /// Returns the result of the latest request. @pre  has_ended(), without withdraw()
    [[nodiscard]] timed_pair const& latest() const noexcept { return latest_; }

    /// Returns the approximate number of calls so far.
    [[nodiscard]] std::uint64_t calls() const noexcept
    {
        return unmeasured_.load(std::memory_order_relaxed) +
               measured_.load(std::memory_order_relaxed);
    }
    /// Returns a lower bound of the seconds of calls of this slot.
    [[nodiscard]] double spent_s() const noexcept;
    /// Returns an upper bound of the seconds lost by candidates of this slot.
    [[nodiscard]] double lost_s() const noexcept { return lost_s_.load(); }

private:
    enum class phase : unsigned char {
        idle,
        wants_serving,   ///< the next call runs the serving code
        serving,         ///< a timed call runs the serving code
        wants_candidate, ///< the next call runs the candidate
        candidate,       ///< a timed call runs the candidate
    };
    [[nodiscard]] bool can_afford() const noexcept;
    [[nodiscard]] turn take(phase wanted);

    std::atomic<phase> phase_{phase::idle};
    std::atomic<void*> serves_;
    std::atomic<void*> candidate_{nullptr};
    std::atomic<std::uint64_t> unmeasured_{0}; ///< calls that were not timed
    std::atomic<std::uint64_t> measured_{0};
    std::atomic<std::uint64_t> settled_{0}; ///< unmeasured calls whose time is in spent_s_
    std::atomic<double> spent_s_{0};        ///< seconds of measured and settled calls
    std::atomic<double> lost_s_{0};
    std::atomic<double> others_spent_s_{0};
    std::atomic<double> others_lost_s_{0};
    std::atomic<double> serving_s_{0}; ///< seconds of the latest timed call; 0: none yet
    std::atomic<double> slower_{1};    ///< parameter of ask()
    timed_pair latest_{};
    double lost_share_;
    std::function<double()> now_s_;
    double clock_s_; ///< seconds of two clock readings
};

/// Takes a turn of the slot for its lifetime, and ends it.
class online_call {
public:
    explicit online_call(online_slot& through);
    ~online_call();
    online_call(online_call const&) = delete;
    online_call& operator=(online_call const&) = delete;

    [[nodiscard]] void* entry() const noexcept { return turn_.entry; }

private:
    online_slot& slot_;
    online_slot::turn turn_;
    int thrown_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/shape/online_slot.ipp>
#endif
