// attune/tune/pipeline/core_pin.hpp - pins the thread that measures to one core, other threads to the rest.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The processors that the calling thread may run on, ascending; empty if unknown.
[[nodiscard]] std::vector<int> allowed_processors();

/// Number of cores of these processors: hardware threads of one core count once. At least 1.
[[nodiscard]] std::size_t allowed_cores();

/// Restricts a thread to these processors. False if the system refuses or has no affinities.
/// @param thread  its number; 0: the calling thread
[[nodiscard]] bool run_only_on(std::vector<int> const& processors, long thread = 0);

/// "0-2,8" as {0, 1, 2, 8}, the notation of Linux; stops at the first character that is invalid.
[[nodiscard]] std::vector<int> processors_of(std::string_view list);

/// Pins the thread that calls hold() to its current core; other threads leave that core by
/// move_off(). Threads that the pinned thread starts, such as those of a library that a kernel
/// calls, are pinned too until release() gives them all its processors.
class core_pin {
public:
    core_pin() = default;
    ~core_pin() { release(); }
    core_pin(core_pin const&) = delete;
    core_pin& operator=(core_pin const&) = delete;

    /// @return  false, without any change, if the thread has no second processor
    bool hold();
    /// Lets the thread run on its former processors. @pre called by the thread that called hold()
    void release() noexcept;
    [[nodiscard]] bool is_held() const noexcept { return !others_.empty(); }
    /// Number of processors for other threads; 0 unless a thread is pinned.
    [[nodiscard]] std::size_t other_processors() const noexcept { return others_.size(); }

    /// Moves the calling thread to the other cores, or, if there are none, to other hardware
    /// threads of the pinned core.
    /// @return false when the system refuses
    [[nodiscard]] bool move_off() const;

private:
    std::vector<int> before_;
    std::vector<long> bound_before_{}; ///< threads restricted to `processor_` before
    int processor_ = -1;
    std::vector<int> others_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/pipeline/core_pin.ipp>
#endif
