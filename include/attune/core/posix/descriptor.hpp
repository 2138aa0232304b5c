// attune/core/posix/descriptor.hpp - a file descriptor with an owner that closes it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// Owns an open file; can be moved, not copied.
class descriptor {
public:
    descriptor() = default;
    /// @param number  negative: no file
    explicit descriptor(int number) noexcept
        : number_(number)
    {
    }
    descriptor(descriptor&& other) noexcept
        : number_(std::exchange(other.number_, -1))
    {
    }
    descriptor& operator=(descriptor&& other) noexcept
    {
        std::swap(number_, other.number_);
        return *this;
    }
    ~descriptor() { close(); }

    [[nodiscard]] int get() const noexcept { return number_; }
    [[nodiscard]] bool is_open() const noexcept { return number_ >= 0; }
    explicit operator bool() const noexcept { return is_open(); }

    /// Closes the file now; does nothing when none is open.
    void close() noexcept;

private:
    int number_ = -1;
};

/// Whether the process could open so many files now.
[[nodiscard]] bool has_free_descriptors(int count) noexcept;

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/descriptor.ipp>
#endif
