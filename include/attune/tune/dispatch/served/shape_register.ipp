// attune/tune/dispatch/served/shape_register.ipp - which code serves which shape.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/dispatch/served/shape_register.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// More shapes than this are not kept: each call of another one is looked at anew.
inline constexpr std::size_t most_known_shapes = 65'536;
/// From here on a shape is kept when it is met again. Sizes that never repeat take no room.
inline constexpr std::size_t kept_at_once = most_known_shapes / 2;
inline constexpr std::size_t remembered_hashes = 65'536;

ATTUNE_INLINE shape_register::met_shape shape_register::meet(std::span<std::int64_t const> key)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    std::uint64_t const hash = hash_of_shape(key);
    met_shape out{.shape = table_.find(hash, key)};
    if (out.shape == nullptr) {
        std::size_t const known = table_.shapes().size();
        if (known >= most_known_shapes) return out;
        if (known >= kept_at_once) {
            if (met_once_.empty()) met_once_.resize(remembered_hashes);
            std::uint64_t& last = met_once_[hash % remembered_hashes];
            if (std::exchange(last, hash) != hash) return out;
        }
        out.shape = &table_.insert(hash, key);
        out.shape->calls = known >= kept_at_once ? 1 : 0;
    }
    out.serves = out.shape->serves.load(std::memory_order_acquire);
    if (out.serves == nullptr) out.met = ++out.shape->calls;
    out.before = out.shape->before;
    return out;
}

ATTUNE_INLINE installed_variant const&
shape_register::serve(known_shape* shape, installed_variant const& by, bool is_verified)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    if (shape != nullptr && shape->tries.load(std::memory_order_relaxed) != nullptr) {
        shape->before = &by;
        shape->was_verified = is_verified;
    } else if (shape != nullptr) {
        shape->is_verified = is_verified;
        shape->before = nullptr;
        shape->serves.store(&by, std::memory_order_release);
    }
    return by;
}

ATTUNE_INLINE installed_variant const& shape_register::serve_as_before(known_shape* shape,
                                                                       installed_variant const& by)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    if (shape == nullptr || shape->tries.load(std::memory_order_relaxed) != nullptr) return by;
    installed_variant const& serves = shape->before != nullptr ? *shape->before : by;
    shape->is_verified = shape->before != nullptr && shape->was_verified;
    shape->serves.store(&serves, std::memory_order_release);
    return serves;
}

ATTUNE_INLINE void shape_register::forget(known_shape* shape, installed_variant const& by)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    if (shape != nullptr && shape->serves.load(std::memory_order_relaxed) == &by)
        shape->serves.store(nullptr, std::memory_order_release);
}

ATTUNE_INLINE void shape_register::withdraw(installed_variant const& by)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    for (std::unique_ptr<known_shape> const& s : table_.shapes()) {
        if (s->serves.load(std::memory_order_relaxed) == &by && !s->is_verified)
            s->serves.store(nullptr, std::memory_order_release);
        if (s->before == &by && !s->was_verified) s->before = nullptr;
    }
}

ATTUNE_INLINE void shape_register::look_again(installed_variant const& by)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    for (std::unique_ptr<known_shape> const& s : table_.shapes())
        if (s->serves.load(std::memory_order_relaxed) == &by) {
            s->before = &by;
            s->was_verified = s->is_verified;
            s->serves.store(nullptr, std::memory_order_release);
        }
}

ATTUNE_INLINE void shape_register::begin_trials(known_shape& shape, online_slot& slot)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    if (auto const* const serves = shape.serves.load(std::memory_order_relaxed)) {
        shape.before = serves;
        shape.was_verified = shape.is_verified;
    }
    shape.tries.store(&slot, std::memory_order_release);
    shape.serves.store(nullptr, std::memory_order_release);
}

ATTUNE_INLINE void shape_register::end_trials(known_shape& shape)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    shape.is_verified = shape.was_verified;
    shape.serves.store(std::exchange(shape.before, nullptr), std::memory_order_release);
    shape.tries.store(nullptr, std::memory_order_release);
}

ATTUNE_INLINE void shape_register::rest(known_shape& shape)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    shape.before = shape.serves.load(std::memory_order_relaxed);
    shape.was_verified = shape.is_verified;
    shape.serves.store(nullptr, std::memory_order_release);
}

ATTUNE_INLINE void shape_register::count(known_shape& shape, call_count& by)
{
    shape.counter.store(&by, std::memory_order_release);
}

ATTUNE_INLINE void shape_register::stop_counting(call_count const& by)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    for (std::unique_ptr<known_shape> const& s : table_.shapes())
        if (s->counter.load(std::memory_order_relaxed) == &by)
            s->counter.store(nullptr, std::memory_order_relaxed);
}

ATTUNE_INLINE void shape_register::locked(std::function<void()> const& f)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    f();
}

} // namespace attune::inline ATTUNE_ABI::detail
