// attune/measure/cuda/device_memory.ipp - allocates and frees device memory.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/cuda/device_memory.hpp>

#include <algorithm>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE device_memory::device_memory(std::shared_ptr<device_session> where,
                                           cuda::device_pointer address, std::size_t bytes) noexcept
    : where_(std::move(where))
    , address_(address)
    , bytes_(bytes)
{
}

ATTUNE_INLINE std::optional<device_memory>
device_memory::if_it_fits(std::shared_ptr<device_session> where, std::size_t bytes)
{
    cuda::device_pointer at = 0;
    cuda::result const got = where->driver().memory_allocate(&at, std::max<std::size_t>(bytes, 1));
    if (got == cuda::out_of_memory) return {};
    where->require(got, "asking for " + std::to_string(bytes) + " bytes of device memory");
    return device_memory(std::move(where), at, bytes);
}

ATTUNE_INLINE device_memory::device_memory(std::shared_ptr<device_session> where, std::size_t bytes,
                                           std::string const& what_for)
{
    std::optional<device_memory> got = if_it_fits(where, bytes);
    if (!got)
        cuda::throw_out_of_memory(where->driver(), bytes, what_for, where->name(),
                                  "free other arrays on the device, or tune on a smaller problem");
    *this = std::move(*got);
}

ATTUNE_INLINE device_memory::~device_memory()
{
    if (where_ && address_ != 0)
        where_->clean_up([this](cuda::driver const& d) { d.memory_free(address_); });
}

ATTUNE_INLINE device_memory::device_memory(device_memory&& other) noexcept
    : where_(std::move(other.where_))
    , address_(std::exchange(other.address_, 0))
    , bytes_(std::exchange(other.bytes_, 0))
{
}

ATTUNE_INLINE device_memory& device_memory::operator=(device_memory&& other) noexcept
{
    std::swap(where_, other.where_);
    std::swap(address_, other.address_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

} // namespace attune::inline ATTUNE_ABI::detail
