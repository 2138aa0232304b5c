// attune/measure/device/device_call.ipp - the arrays for variants, and their saved contents.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/primary_context.hpp>
#include <attune/measure/device/device_call.hpp>
#include <attune/measure/device/worker/driver_opener.hpp>

#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr unsigned char zone_pattern = 0xA5;

[[nodiscard]] inline std::string argument_text(device_buffer const& b)
{
    return "argument " + std::to_string(b.where.argument);
}

ATTUNE_INLINE bool is_bound_to_device(cuda::driver const& d, cuda::device_pointer at)
{
    unsigned kind = 0;
    std::uint64_t managed = 0; // a boolean; its width depends on the driver
    bool const has_kind =
        d.pointer_get_attribute(&kind, cuda::of_pointer::memory_type, at) == cuda::success;
    static_cast<void>(d.pointer_get_attribute(&managed, cuda::of_pointer::is_managed, at));
    return managed == 0 && (!has_kind || kind == cuda::of_pointer::device_memory);
}

ATTUNE_INLINE device_copies::device_copies(std::shared_ptr<device_session> where,
                                           device_call const& call)
    : where_(std::move(where))
    , buffers_(call.buffers)
    , zone_(std::max(zone_bytes, worker::alignment_of(where_->driver())))
    , layout_(plan_copies(call.buffers, worker::alignment_of(where_->driver())))
{
    for (std::size_t i = 0; i < buffers_.size(); ++i)
        require_on_device(i);
    for (device_region const& r : layout_.regions) {
        // The last zone begins at a whole word, which fills faster.
        std::size_t const whole =
            (r.skew() + r.bytes() + device_alignment - 1) / device_alignment * device_alignment;
        memory_.emplace_back(where_, whole + 2 * zone_,
                             "a copy of " + argument_text(buffers_[r.members.front()]));
    }
}

ATTUNE_INLINE void device_copies::require_on_device(std::size_t i) const
{
    device_buffer const& b = buffers_[i];
    if (b.place != memory_place::device || b.where.bytes == 0) return;
    cuda::driver const& d = where_->driver();
    auto const at = reinterpret_cast<cuda::device_pointer>(b.where.data);
    int ordinal = 0;
    cuda::result const got =
        d.pointer_get_attribute(&ordinal, cuda::of_pointer::device_ordinal, at);
    if (got != cuda::success)
        throw error(argument_text(b) + " is no memory of a device: " + text_of(d, got),
                    where_->name(),
                    "pass the host's memory as a std::span, a device's as a device_span");
    if (ordinal != where_->ordinal() && detail::is_bound_to_device(d, at))
        throw error(argument_text(b) + " is on device " + std::to_string(ordinal) +
                        ", the kernel runs on another one",
                    where_->name(), "copy the array, or name that device");
    std::optional<std::size_t> const left = cuda::bytes_from(d, at, b.where.bytes);
    if (left && b.where.bytes > *left)
        throw error(argument_text(b) + " is " + std::to_string(b.where.bytes) +
                        " bytes long, but the allocation it lies in ends after " +
                        std::to_string(*left),
                    where_->name(), "correct the length of the span or the extent of the pointer");
}

ATTUNE_INLINE cuda::device_pointer device_copies::begin_of(std::size_t region) const noexcept
{
    return memory_[region].address() + zone_ + layout_.regions[region].skew();
}

ATTUNE_INLINE cuda::device_pointer device_copies::address(std::size_t i) const noexcept
{
    return begin_of(layout_.of[i].region) + layout_.of[i].offset;
}

ATTUNE_INLINE std::size_t device_copies::writable_bytes() const noexcept
{
    std::size_t sum = 0;
    for (device_region const& r : layout_.regions)
        if (r.writable) sum += r.bytes();
    return sum;
}

ATTUNE_INLINE void device_copies::load()
{
    cuda::driver const& d = where_->driver();
    cuda::require_no_capture(d, "waiting for the work before this call");
    where_->require(d.context_synchronize(), "waiting for the work before this call");
    for (std::size_t k = 0; k < layout_.regions.size(); ++k) {
        device_region const& r = layout_.regions[k];
        if (r.bytes() == 0) continue;
        std::string const doing = "copying " + argument_text(buffers_[r.members.front()]);
        if (r.place == memory_place::device)
            where_->require(d.copy_on_device(begin_of(k), r.begin, r.bytes()), doing);
        else
            where_->require(
                d.copy_to_device(begin_of(k), buffers_[r.members.front()].where.data, r.bytes()),
                doing);
    }
    where_->require(d.context_synchronize(), "copying the arguments");
}

ATTUNE_INLINE saved_contents device_copies::save(region_kind which, device_clock& clock)
{
    cuda::driver const& d = where_->driver();
    saved_contents out;
    for (std::size_t k = 0; k < layout_.regions.size(); ++k) {
        device_region const& r = layout_.regions[k];
        out.of.emplace_back();
        if (r.writable != (which == region_kind::written) || r.bytes() == 0) continue;
        out.of[k] = device_memory::if_it_fits(where_, r.bytes());
        if (!out.of[k]) continue;
        where_->require(
            d.copy_on_device_async(out.of[k]->address(), begin_of(k), r.bytes(), clock.stream()),
            "saving contents");
    }
    where_->require(d.stream_synchronize(clock.stream()), "saving contents");
    return out;
}

ATTUNE_INLINE bool device_copies::is_whole(saved_contents const& saved) const noexcept
{
    for (std::size_t k = 0; k < layout_.regions.size(); ++k)
        if (layout_.regions[k].writable && layout_.regions[k].bytes() > 0 && !saved.of[k])
            return false;
    return true;
}

ATTUNE_INLINE cuda::device_pointer device_copies::address_in(saved_contents const& saved,
                                                             std::size_t i) const noexcept
{
    std::optional<device_memory> const& memory = saved.of[layout_.of[i].region];
    return memory ? memory->address() + layout_.of[i].offset : 0;
}

ATTUNE_INLINE void device_copies::restore(saved_contents const& saved, device_clock& clock)
{
    for (std::size_t k = 0; k < saved.of.size(); ++k)
        if (saved.of[k])
            where_->check(where_->driver().copy_on_device_async(begin_of(k), saved.of[k]->address(),
                                                                layout_.regions[k].bytes(),
                                                                clock.stream()),
                          failure_stage::crash, "copying on the device");
}

ATTUNE_INLINE void device_copies::mend_zones(device_clock& clock)
{
    auto const fill = [&](cuda::device_pointer from, cuda::device_pointer to) {
        where_->check(
            where_->driver().set_bytes_async(from, zone_pattern, to - from, clock.stream()),
            failure_stage::crash, "filling memory");
    };
    for (std::size_t k = 0; k < memory_.size(); ++k) {
        fill(memory_[k].address(), begin_of(k));
        fill(begin_of(k) + layout_.regions[k].bytes(), memory_[k].address() + memory_[k].bytes());
    }
}

ATTUNE_INLINE std::vector<bool> device_copies::written_in(cuda::device_pointer zone,
                                                          std::size_t bytes)
{
    std::vector<unsigned char> now(bytes);
    where_->check(where_->driver().copy_to_host(now.data(), zone, bytes), failure_stage::crash,
                  "copying from the device");
    std::vector<bool> out(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
        out[i] = now[i] != zone_pattern;
    return out;
}

ATTUNE_INLINE std::string device_copies::damage()
{
    auto const text_of_damage = [&](std::ptrdiff_t reach, char const* where, std::size_t array) {
        device_buffer const& b = buffers_[array];
        return "written up to " + std::to_string(reach) + (reach == 1 ? " byte " : " bytes ") +
               where + argument_text(b) + " (it has " + std::to_string(b.where.bytes) + " bytes)";
    };
    for (std::size_t k = 0; k < memory_.size(); ++k) {
        device_region const& r = layout_.regions[k];
        cuda::device_pointer const first = memory_[k].address();
        cuda::device_pointer const end = begin_of(k) + r.bytes();
        std::vector<bool> const past = written_in(end, first + memory_[k].bytes() - end);
        if (auto const last = std::find(past.rbegin(), past.rend(), true); last != past.rend()) {
            auto const owner = std::find_if(r.members.begin(), r.members.end(), [&](std::size_t i) {
                return layout_.of[i].offset + buffers_[i].where.bytes == r.bytes();
            });
            return text_of_damage(past.rend() - last, "past the end of ", *owner);
        }
        std::vector<bool> const before = written_in(first, begin_of(k) - first);
        if (auto const at = std::find(before.begin(), before.end(), true); at != before.end())
            return text_of_damage(before.end() - at, "before the start of ", r.members.front());
    }
    return {};
}

ATTUNE_INLINE std::vector<std::byte> device_copies::contents(std::size_t i)
{
    std::vector<std::byte> out(buffers_[i].where.bytes);
    if (!out.empty())
        where_->check(where_->driver().copy_to_host(out.data(), address(i), out.size()),
                      failure_stage::crash, "copying from the device");
    return out;
}

ATTUNE_INLINE void device_copies::set_contents(std::size_t i, std::span<std::byte const> bytes)
{
    if (bytes.empty()) return;
    cuda::driver const& d = where_->driver();
    where_->check(d.copy_to_device(address(i), bytes.data(), bytes.size()), failure_stage::crash,
                  "copying");
    where_->check(d.context_synchronize(), failure_stage::crash, "copying");
}

} // namespace attune::inline ATTUNE_ABI::detail
