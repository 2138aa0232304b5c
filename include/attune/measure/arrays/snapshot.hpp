// attune/measure/arrays/snapshot.hpp - copies of the writable arguments, to restore them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/measure/arrays/content.hpp>
#include <attune/measure/arrays/fresh_memory.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Copies of the writable buffers of a call, in the buffers' order.
class snapshot {
public:
    /// Copies the writable buffers.
    /// Errors   bad_alloc
    explicit snapshot(std::span<buffer const> buffers)
        : buffers_(buffers.begin(), buffers.end())
        , saved_(buffers.size())
    {
        for (std::size_t i = 0; i < buffers_.size(); ++i)
            if (has_content(i)) {
                saved_[i] = detail::fresh_memory(content_bytes(buffers_[i]));
                copy_content(buffers_[i], saved_[i].bytes());
            }
    }

    /// Writes the copies back, except gaps between rows. Allocates nothing.
    /// @pre     the memory of the buffers still exists
    void restore() const noexcept
    {
        for (std::size_t i = 0; i < buffers_.size(); ++i)
            if (has_content(i)) set_content(buffers_[i], saved_[i].bytes());
    }

    /// Copies the buffers again, into the same memory. Allocates nothing.
    void take_again() noexcept
    {
        for (std::size_t i = 0; i < buffers_.size(); ++i)
            if (has_content(i)) copy_content(buffers_[i], saved_[i].bytes());
    }

    /// The copy of buffer `i`, without gaps; empty for a buffer that is not writable.
    /// @pre i < size()
    [[nodiscard]] std::span<std::byte const> saved(std::size_t i) const noexcept
    {
        return saved_[i].bytes();
    }
    /// Number of buffers, writable or not.
    [[nodiscard]] std::size_t size() const noexcept { return buffers_.size(); }

private:
    [[nodiscard]] bool has_content(std::size_t i) const noexcept
    {
        return buffers_[i].writable && buffers_[i].bytes > 0;
    }

    std::vector<buffer> buffers_;
    std::vector<detail::fresh_memory> saved_;
};

} // namespace attune::inline ATTUNE_ABI::detail
