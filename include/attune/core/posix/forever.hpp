// attune/core/posix/forever.hpp - what is kept until the process is gone, on purpose.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <memory>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// Keeps an object as long as the process, also past the destructors of static objects: the one
/// place where attune leaks. For code in use: a thread may run it when the object that installed it
/// is destroyed, and when exit() is at work. Null is nothing to keep; the same object is kept once.
void keep_forever(std::shared_ptr<void const> object);

/// How many objects keep_forever() holds.
[[nodiscard]] std::size_t kept_forever();

/// Owns an object, but leaves it where it is when the program ends: threads of the program may
/// still be in it then.
template <class T>
class owned_until_end {
public:
    explicit owned_until_end(T* object) noexcept
        : object_(object)
    {
    }
    owned_until_end(owned_until_end&& other) noexcept
        : object_(std::exchange(other.object_, nullptr))
    {
    }
    owned_until_end& operator=(owned_until_end&& other) noexcept
    {
        std::swap(object_, other.object_);
        return *this;
    }
    ~owned_until_end()
    {
        if (!program_is_ending()) {
            delete object_;
            return;
        }
        try { // so that a leak checker, which runs after the last static object is gone, finds it
            keep_forever(std::shared_ptr<void const>(std::shared_ptr<void const>(), object_));
        } catch (...) {
        }
    }

    [[nodiscard]] T* operator->() const noexcept { return object_; }
    [[nodiscard]] T& operator*() const noexcept { return *object_; }

private:
    T* object_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/forever.ipp>
#endif
