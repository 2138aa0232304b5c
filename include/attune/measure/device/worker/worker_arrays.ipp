// attune/measure/device/worker/worker_arrays.ipp - CUDA IPC handles, or copies through host memory.
// SPDX-License-Identifier: MIT
// Source   CUDA driver API reference, cuIpcGetMemHandle: a handle refers to a whole allocation
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/device/device_call.hpp>
#include <attune/measure/device/worker/driver_opener.hpp>
#include <attune/measure/device/worker/worker_arrays.hpp>

#include <algorithm>
#include <cstring>
#include <exception>
#include <map>
#include <optional>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail::worker {

/// Handles by the address of their allocation. Each allocation has one handle, so that the worker
/// recognises allocations that it has opened.
using allocation_handles = std::map<cuda::device_pointer, cuda::ipc_handle>;

/// Sets the handle of the allocation that contains a region. Returns false if there is none.
[[nodiscard]] inline bool take_handle(cuda::driver const& driver, device_region const& region,
                                      allocation_handles& taken, sent_region& out)
{
    cuda::device_pointer base = 0;
    std::size_t bytes = 0;
    if (driver.memory_get_address_range(&base, &bytes, region.begin) != cuda::success) return false;
    out.offset = region.begin - base;
    if (out.offset + region.bytes() > bytes) return false;
    auto const known = taken.find(base);
    if (known != taken.end())
        out.handle = known->second;
    else if (driver.ipc_get_memory(&out.handle, base) == cuda::success)
        taken.emplace(base, out.handle);
    else
        return false;
    out.by_handle = true;
    return true;
}

ATTUNE_INLINE void pack_arrays(std::shared_ptr<cuda::driver const> const& driver,
                               device_call const& call, route by, beginning& how, message& to)
{
    device_layout const layout = plan_copies(call.buffers, alignment_of(*driver));
    for (device_layout::position const& at : layout.of) {
        how.region_of.push_back(at.region);
        how.offset_of.push_back(at.offset);
    }
    std::unique_ptr<cuda::primary_context> context;
    std::optional<cuda::context_scope> here;
    allocation_handles taken;
    std::size_t all = 0;
    for (device_region const& region : layout.regions) {
        sent_region out;
        out.place = region.place;
        out.bytes = region.bytes();
        out.skew = region.skew();
        if (region.place == memory_place::device && region.bytes() > 0) {
            if (context == nullptr) {
                context = std::make_unique<cuda::primary_context>(driver, call.ordinal);
                here.emplace(*context);
                // The caller's work on these arrays must be complete.
                cuda::synchronize_context(*driver, "waiting for the work before this call");
            }
            if (by == route::handle) static_cast<void>(take_handle(*driver, region, taken, out));
        }
        if (!out.by_handle) {
            out.offset = all;
            all += (out.bytes + device_alignment - 1) / device_alignment * device_alignment;
        }
        how.regions.push_back(out);
    }
    to.bulk_bytes = all;
    if (all == 0) return;
    shared_memory memory(all);
    for (std::size_t k = 0; k < layout.regions.size(); ++k) {
        sent_region const& out = how.regions[k];
        std::uintptr_t const from = layout.regions[k].begin;
        if (out.by_handle || out.bytes == 0) continue;
        if (out.place == memory_place::host)
            std::memcpy(memory.data() + out.offset, reinterpret_cast<void const*>(from), out.bytes);
        else
            cuda::require_success(*driver,
                                  driver->copy_to_host(memory.data() + out.offset, from, out.bytes),
                                  "copying from the device");
    }
    to.bulk = memory.take_file();
}

ATTUNE_INLINE received_arrays::received_arrays(std::shared_ptr<cuda::driver const> driver,
                                               beginning& how, message& from)
    : driver_(std::move(driver))
{
    if (from.bulk.is_open())
        bulk_ = shared_memory(std::move(from.bulk), static_cast<std::size_t>(from.bulk_bytes));
    context_ = std::make_unique<cuda::primary_context>(driver_, how.call.ordinal);
    cuda::context_scope const here{*context_};
    std::vector<place> places;
    for (sent_region const& region : how.regions) {
        places.push_back(receive(region, how.may_copy));
        if (!why_unreachable_.empty()) return;
    }
    cuda::require_success(*driver_, driver_->context_synchronize(), "waiting for the device");
    for (std::size_t i = 0; i < how.call.buffers.size(); ++i) {
        place const& at = places[how.region_of[i]];
        device_buffer& b = how.call.buffers[i];
        if (b.where.bytes > how.regions[how.region_of[i]].bytes - how.offset_of[i])
            throw damaged_message();
        b.place = at.in;
        b.where.data = at.data == nullptr ? nullptr : at.data + how.offset_of[i];
    }
}

ATTUNE_INLINE received_arrays::~received_arrays()
{
    try {
        release();
    } catch (std::exception const&) {
        // The end of the process frees the rest.
    }
}

ATTUNE_INLINE void received_arrays::release()
{
    if (copies_.empty() && opened_.empty()) return;
    cuda::context_scope const here{*context_};
    cuda::result freed = cuda::success;
    for (cuda::device_pointer const one : std::exchange(copies_, {}))
        if (cuda::result const got = driver_->memory_free(one); got != cuda::success) freed = got;
    cuda::result closed = cuda::success;
    for (opened const& one : std::exchange(opened_, {}))
        if (cuda::result const got = driver_->ipc_close_memory(one.base); got != cuda::success)
            closed = got;
    cuda::require_success(*driver_, closed, "cuIpcCloseMemHandle");
    cuda::require_success(*driver_, freed, "freeing memory");
}

ATTUNE_INLINE cuda::device_pointer received_arrays::allocate(std::size_t bytes)
{
    cuda::device_pointer made = 0;
    cuda::result const got = driver_->memory_allocate(&made, bytes);
    if (got == cuda::out_of_memory) return 0;
    cuda::require_success(*driver_, got, "asking for memory");
    copies_.push_back(made);
    return made;
}

ATTUNE_INLINE received_arrays::place received_arrays::receive(sent_region const& region,
                                                              bool may_copy)
{
    if (region.bytes == 0) return {region.place, nullptr};
    std::byte* const shared = bulk_.data() + (region.by_handle ? 0 : region.offset);
    if (!region.by_handle &&
        (region.offset > bulk_.size() || region.bytes > bulk_.size() - region.offset))
        throw damaged_message();
    if (region.place == memory_place::host) return {memory_place::host, shared};

    if (region.by_handle) {
        cuda::device_pointer const base = open(region.handle);
        if (base == 0) return {};
        return {memory_place::device, reinterpret_cast<std::byte*>(base + region.offset)};
    }
    // The copy has the original's alignment. Without room for it, the bench reads the host memory.
    cuda::device_pointer const copy = may_copy ? allocate(region.bytes + region.skew) : 0;
    if (copy == 0) return {memory_place::host, shared};
    cuda::require_success(*driver_,
                          driver_->copy_to_device(copy + region.skew, shared, region.bytes),
                          "copying to the device");
    return {memory_place::device, reinterpret_cast<std::byte*>(copy + region.skew)};
}

ATTUNE_INLINE cuda::device_pointer received_arrays::open(cuda::ipc_handle const& handle)
{
    // Open only once: some drivers refuse to open a handle twice.
    for (opened const& one : opened_)
        if (std::memcmp(&one.handle, &handle, sizeof handle) == 0) return one.base;
    cuda::device_pointer base = 0;
    cuda::result const got =
        driver_->ipc_open_memory(&base, handle, cuda::flag::ipc_enable_peer_access);
    if (got != cuda::success) {
        why_unreachable_ = "cuIpcOpenMemHandle: " + cuda::text_of(*driver_, got);
        return 0;
    }
    opened_.push_back({handle, base});
    return base;
}

} // namespace attune::inline ATTUNE_ABI::detail::worker
