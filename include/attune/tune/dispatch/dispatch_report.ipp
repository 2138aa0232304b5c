// attune/tune/dispatch/dispatch_report.ipp - what a dispatch_table says.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/dispatch/dispatch_report.hpp>

#include <cstddef>
#include <mutex>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr std::size_t most_sentences = 1'000;
inline constexpr std::size_t most_failures = 100;

ATTUNE_INLINE dispatch_report::dispatch_report(std::string kernel, progress_sink sink)
    : kernel_(std::move(kernel))
    , sink_(std::move(sink))
{
    latest_.kernel = kernel_;
}

ATTUNE_INLINE tuning_report dispatch_report::latest() const
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    return latest_;
}

ATTUNE_INLINE void dispatch_report::set(tuning_report now)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    latest_ = std::move(now);
}

ATTUNE_INLINE void dispatch_report::set_serving(served_shapes const& counts, std::string sentence)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    latest_.shapes = counts;
    latest_.serving = std::move(sentence);
}

ATTUNE_INLINE void dispatch_report::add_shape_failure(shape_failure failed)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    if (latest_.shape_failures.size() < most_failures)
        latest_.shape_failures.push_back(std::move(failed));
}

ATTUNE_INLINE bool dispatch_report::tell(std::string const& text)
{
    {
        std::scoped_lock<fork_safe_mutex> const here(lock_);
        if (said_.size() >= most_sentences || !said_.insert(text).second) return false;
    }
    if (!sink_) return true;
    struct progress p;
    p.event = progress_event::notice;
    p.name = kernel_;
    p.text = text;
    sink_(p);
    return true;
}

ATTUNE_INLINE void dispatch_report::note(std::string const& text)
{
    if (!tell(text)) return;
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    latest_.notices.push_back(text);
}

} // namespace attune::inline ATTUNE_ABI::detail
