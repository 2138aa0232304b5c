// attune/tune/together_session.ipp - steps of a session, its checks of the caller, and its end.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/together/together_tuning.hpp>
#include <attune/tune/together_session.hpp>

#include <thread>

namespace attune::inline ATTUNE_ABI {

struct together_session::parts {
    detail::together_tuning tuning;
    std::thread::id thread = std::this_thread::get_id();
    bool is_within = false; ///< within a step
};

/// Guards one step of the session, which rests again at the end of the guard.
class together_session::within_step {
public:
    explicit within_step(parts& of)
        : of_(of)
    {
        if (of.thread != std::this_thread::get_id())
            throw error("a session of several tunings is used by two threads", "together_session",
                        "call it on the thread that made it");
        if (of.is_within)
            throw error("a session of several tunings is used from within one of its steps",
                        "together_session", "call it when step() has returned");
        of.is_within = true;
    }
    ~within_step()
    {
        of_.tuning.rest();
        of_.is_within = false;
    }
    within_step(within_step const&) = delete;
    within_step& operator=(within_step const&) = delete;

private:
    parts& of_;
};

ATTUNE_INLINE together_session::together_session(search_limits const& budget,
                                                 std::vector<tuning_share> shares)
{
    detail::own_float_environment const numbers;
    parts_.reset(new parts{{budget, std::move(shares), detail::together_tuning::arrays::copied}});
    parts_->tuning.rest();
}

ATTUNE_INLINE together_session::together_session(together_session&& other) noexcept = default;

ATTUNE_INLINE together_session& together_session::operator=(together_session&& other) noexcept
{
    std::swap(parts_, other.parts_);
    return *this;
}

ATTUNE_INLINE together_session::~together_session()
{
    if (!parts_) return;
    detail::own_float_environment const numbers;
    if (!parts_->tuning.is_in_child() && !detail::program_is_ending()) {
        ATTUNE_ASSERT(!parts_->is_within && parts_->thread == std::this_thread::get_id(),
                      "a session is destroyed by the thread that made it, and not within a step");
        parts_.reset();
        return;
    }
    // Workers, files and turns belong to the parent process, and a `tuned` of the session may be
    // destroyed. At the end of the program other threads may use them.
    parts* const kept = parts_.release();
    try { // keep_forever() keeps them reachable for a leak checker
        detail::keep_forever({std::shared_ptr<void const>(), kept});
    } catch (...) {
    }
}

ATTUNE_INLINE bool together_session::step()
{
    if (!parts_ || parts_->tuning.is_in_child()) return false;
    detail::own_float_environment const numbers;
    within_step const now(*parts_);
    return parts_->tuning.step_and_settle();
}

ATTUNE_INLINE together_report together_session::finish()
{
    if (!parts_) return {};
    if (parts_->tuning.is_in_child())
        throw error("a session of several tunings is used in the child of a fork",
                    "together_session.finish()", "finish it in the process that made it");
    detail::own_float_environment const numbers;
    within_step const now(*parts_);
    return parts_->tuning.finish();
}

} // namespace attune::inline ATTUNE_ABI
