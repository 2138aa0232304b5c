// attune/core/posix/forever.hpp - objects that are kept until the process ends.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>

#include <memory>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// Keeps an object until the process ends, also during the destructors of static objects. It is
/// meant for loaded code: another thread may run the code while its owner is destroyed or exit()
/// runs. Null is ignored; an object given twice is kept once.
void keep_forever(std::shared_ptr<void const> object);

/// Owns an object; does not destroy it when the program ends, because other threads may still use
/// it then.
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
        try { // keeps the object reachable for a leak checker
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
