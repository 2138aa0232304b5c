// attune/tune/dispatch/served/shape_register.hpp - which code serves which shape: written with a lock, read without.
// SPDX-License-Identifier: MIT
//
// tested by tune/dispatch/dispatch_table.cpp
#pragma once

#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/dispatch/served/installed_variant.hpp>
#include <attune/tune/shape/shape_table.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The shapes of one kernel's calls. Any thread; its lock is held for microseconds. 65,536 shapes
/// are kept: the first half as they come, then those that are met again before some 65,536 others.
class shape_register {
public:
    /// A shape, as a call meets it.
    struct met_shape {
        known_shape* shape = nullptr; ///< null: there are too many, and this one is not kept
        std::uint32_t met = 1;        ///< how often it came to be looked up, with this call
        installed_variant const* serves = nullptr; ///< null: look closer
        installed_variant const* before = nullptr; ///< served it until now; null: none
    };

    [[nodiscard]] shape_table const& shapes() const noexcept { return table_; }

    /// Finds the shape, or adds it.
    [[nodiscard]] met_shape meet(std::span<std::int64_t const> key);
    /// From now on `by` serves the shape without another look.
    /// @param shape  null: only this call  @return  `by`
    installed_variant const& serve(known_shape* shape, installed_variant const& by,
                                   bool is_verified = false);
    /// From now on what served the shape before it was looked at again; else `by`.
    /// @return  what serves
    installed_variant const& serve_as_before(known_shape* shape, installed_variant const& by);
    /// The shape is looked at again, if `by` serves it.
    void forget(known_shape* shape, installed_variant const& by);
    /// The variant serves no more, except for shapes that it was verified for one by one.
    void withdraw(installed_variant const& by);
    /// All shapes that the variant serves are looked at again; see serve_as_before().
    void look_again(installed_variant const& by);

    /// Calls of the shape go through the slot, which serves what served it; until end_trials().
    /// @pre  the slot lives as long as this object
    void begin_trials(known_shape& shape, online_slot& slot);
    /// The shape is served as before, or as serve() said meanwhile.
    void end_trials(known_shape& shape);
    /// The next call of the shape is looked at again; see serve_as_before().
    void rest(known_shape& shape);

    /// Calls of the shape are counted.  @pre  `by` lives as long as this object
    static void count(known_shape& shape, call_count& by);
    /// They are not any more.
    void stop_counting(call_count const& by);

    /// Calls `f` under the lock, for what other threads read of the classes of shapes.
    /// @pre  `f` takes microseconds and uses neither this object nor another lock
    void locked(std::function<void()> const& f);

private:
    fork_safe_mutex lock_{lock_use::brief};
    shape_table table_{};
    std::vector<std::uint64_t>
        met_once_{}; ///< hashes of shapes that are not kept; empty: none so far
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/served/shape_register.ipp>
#endif
