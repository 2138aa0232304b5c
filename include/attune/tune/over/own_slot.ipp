// attune/tune/over/own_slot.ipp - the thread of a slot.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/own_float_environment.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/over/own_slot.hpp>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

struct own_slot::state {
    explicit state(std::function<evaluation(point const&)> evaluated)
        : objective(std::move(evaluated))
        , worker([this] { work(); })
    {
    }
    ~state()
    {
        {
            std::scoped_lock const one(lock);
            is_over = true;
        }
        changed.notify_one();
        worker.join();
    }
    state(state const&) = delete;
    state& operator=(state const&) = delete;

    void work()
    {
        hosts.set();
        std::unique_lock held(lock);
        for (;;) {
            changed.wait(held, [this] { return is_over || given; });
            if (is_over) return;
            point const at = *std::exchange(given, {});
            held.unlock();
            guarded_evaluation out = evaluate_guarded(objective, at);
            held.lock();
            seen = std::move(out);
            answered.notify_one();
        }
    }

    std::function<evaluation(point const&)> objective;
    float_environment const hosts = own_float_environment::hosts(); ///< for the objective
    std::mutex lock;
    std::condition_variable changed;
    std::condition_variable answered;
    std::optional<point> given{};
    std::optional<guarded_evaluation> seen{};
    bool is_over = false;
    std::thread worker; // last: it uses what is above
};

ATTUNE_INLINE own_slot::own_slot(std::function<evaluation(point const&)> objective)
    : state_(std::make_unique<state>(std::move(objective)))
{
}
ATTUNE_INLINE own_slot::~own_slot() = default;

ATTUNE_INLINE void own_slot::submit(point const& at)
{
    {
        std::scoped_lock const one(state_->lock);
        state_->given = at;
    }
    state_->changed.notify_one();
}

ATTUNE_INLINE std::optional<guarded_evaluation> own_slot::take(double wait_s)
{
    std::unique_lock one(state_->lock);
    if (wait_s > 0)
        state_->answered.wait_for(one, std::chrono::duration<double>(wait_s),
                                  [this] { return state_->seen.has_value(); });
    return std::exchange(state_->seen, {});
}

} // namespace attune::inline ATTUNE_ABI::detail
