// attune/measure/cuda/l2_flush.hpp - evicts the data of a call from a device's L2 cache.
// SPDX-License-Identifier: MIT
// Source   own: writes twice the size of the cache
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/numbers.hpp>
#include <attune/measure/cuda/device_clock.hpp>
#include <attune/measure/cuda/device_memory.hpp>
#include <attune/measure/cuda/device_session.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

class l2_flush {
public:
    /// If the driver does not report the size of the cache, 64 MiB are assumed.
    /// @pre the session's context is current
    /// Errors   attune::error: out of memory
    explicit l2_flush(std::shared_ptr<device_session> where)
        : where_(std::move(where))
        , sweep_(where_, 2 * cache_bytes(*where_), "room to flush the L2 cache")
    {
    }

    /// Enqueues the flush on the clock's stream.
    /// Errors   `stopped`
    void enqueue(device_clock& clock)
    {
        where_->check(
            where_->driver().set_bytes_async(sweep_.address(), 0, sweep_.bytes(), clock.stream()),
            failure_stage::crash, "cuMemsetD8Async");
    }

private:
    [[nodiscard]] static std::size_t cache_bytes(device_session const& where) noexcept
    {
        int const known = where.attribute(cuda::of_device::l2_bytes);
        return known > 0 ? static_cast<std::size_t>(known) : std::size_t{64} << 20;
    }

    std::shared_ptr<device_session> where_;
    device_memory sweep_;
};

} // namespace attune::inline ATTUNE_ABI::detail
