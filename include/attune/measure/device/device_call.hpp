// attune/measure/device/device_call.hpp - a kernel's call on a device: arrays, arguments, options, copies.
// SPDX-License-Identifier: MIT
//
// A copy of an array keeps the original's offset from a multiple of the device's alignment, at
// least 256 bytes. A vector load that is misaligned in the original is then misaligned in the copy.
//
// The zones around copies work as the pattern of guarded.hpp, but without a page that faults.
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/measure/device/device_session.hpp>
#include <attune/measure/sandbox/isolation.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

enum class memory_place : std::uint8_t { host, device };

/// An array of a call. `where.data` is an address in the memory of `place`.
struct device_buffer {
    buffer where;
    memory_place place = memory_place::device;
};

/// An argument of a kernel: an array, passed by its address, or bytes passed by value.
struct device_argument {
    static constexpr std::size_t by_value = static_cast<std::size_t>(-1);

    std::size_t buffer = by_value;  ///< bytes if passed by value
    std::vector<std::byte> value{}; ///< when by value
};

/// A call for a device. Refers to the caller's memory.
struct device_call {
    int ordinal = 0; ///< ordinal of the device
    std::vector<device_buffer> buffers;
    std::vector<device_argument> arguments; ///< in the kernel's order
};

/// Minimum alignment of cuMemAlloc, in bytes.
inline constexpr std::size_t device_alignment = 256;

/// Size of the zone on either side of a copy, or the alignment of the driver's kind if that is
/// more. The zone contains a pattern that is checked after first runs.
inline constexpr std::size_t zone_bytes = 256;

/// Memory that contains one array of the caller, or several overlapping ones.
struct device_region {
    memory_place place = memory_place::device;
    std::uintptr_t begin = 0; ///< the caller's addresses
    std::uintptr_t end = 0;
    bool writable = false;            ///< true when one of its arrays is writable
    std::vector<std::size_t> members; ///< indices of the arrays, by address

    [[nodiscard]] std::size_t bytes() const noexcept { return end - begin; }
    std::size_t alignment = device_alignment; ///< of the driver's kind
    /// Offset of a copy from a multiple of the alignment.
    [[nodiscard]] std::size_t skew() const noexcept
    {
        return place == memory_place::device ? begin % alignment : 0;
    }
};

struct device_layout {
    struct position {
        std::size_t region = 0;
        std::size_t offset = 0; ///< bytes from the region's beginning
    };
    std::vector<device_region> regions;
    std::vector<position> of; ///< of each array
};

/// @param alignment  see worker::alignment_of()
[[nodiscard]] inline device_layout plan_copies(std::span<device_buffer const> buffers,
                                               std::size_t alignment = device_alignment)
{
    auto const begin_of = [&](std::size_t i) {
        return reinterpret_cast<std::uintptr_t>(buffers[i].where.data);
    };
    std::vector<std::size_t> order(buffers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (buffers[a].place != buffers[b].place) return buffers[a].place < buffers[b].place;
        return begin_of(a) != begin_of(b) ? begin_of(a) < begin_of(b) : a < b;
    });
    device_layout out;
    out.of.resize(buffers.size());
    for (std::size_t const i : order) {
        buffer const& b = buffers[i].where;
        if (b.bytes == 0) continue;
        bool const joins = !out.regions.empty() && out.regions.back().place == buffers[i].place &&
                           begin_of(i) < out.regions.back().end;
        if (!joins) out.regions.push_back({buffers[i].place, begin_of(i), begin_of(i), false, {}});
        device_region& r = out.regions.back();
        r.alignment = alignment;
        r.end = std::max(r.end, begin_of(i) + b.bytes);
        r.writable = r.writable || b.writable;
        r.members.push_back(i);
        out.of[i] = {out.regions.size() - 1, begin_of(i) - r.begin};
    }
    // Sorts empty arrays last: one inside another array must not separate overlapping arrays.
    for (std::size_t const i : order) {
        buffer const& b = buffers[i].where;
        if (b.bytes > 0) continue;
        out.of[i] = {out.regions.size(), 0};
        out.regions.push_back({buffers[i].place, begin_of(i), begin_of(i), b.writable, {i}});
    }
    return out;
}

/// Options for measuring on a device.
struct device_bench_options {
    cache_state cache = cache_state::warm; ///< cold: the L2 cache is flushed before each run
    double precision = 0.01;               ///< relative half-width of the interval
    double timing_limit_s = 1.0;           ///< wall seconds for one timing
    bool as_graph = false;                 ///< true: launches are replayed from a CUDA graph
    bool compare_results = true;           ///< false: the caller compares the contents() itself
    /// True: establish() may run the default again, from perturbed contents (see content.hpp).
    /// False: a variant that writes nothing passes if the arrays already contain the result.
    bool perturb = true;
    /// True: establish() may run the default once more, to find a race. False: the default and a
    /// variant have at most four runs together, six if two runs leave an array unchanged.
    bool repeat_default = true;
    /// device_compare_text, compiled: compares results on the device. The host compares if there is
    /// no image or if it does not work.
    device_code comparison{};
};

/// Wall seconds until a run in compare() counts as hanging. Contestants have run before, so a run
/// may take long even if little time is left for the comparison.
/// @param limit_s    limit of the comparison
/// @param default_s  time of the default; 0: unknown
[[nodiscard]] constexpr double hang_limit_s(double limit_s, double default_s) noexcept
{
    return std::max(limit_s, first_run_limit_s(default_s));
}

/// Returns true for memory of one device. Every device can use managed and pinned memory.
[[nodiscard]] bool is_bound_to_device(cuda::driver const& d, cuda::device_pointer at);

enum class region_kind : std::uint8_t {
    written, ///< regions that a kernel may write
    read,    ///< regions that are only read
};

/// Copies of the contents of some regions; empty for the others.
struct saved_contents {
    std::vector<std::optional<device_memory>> of;
};

/// Copies of a call's arrays. Only load() reads the caller's device memory; other functions may
/// read host memory later. All functions need the session's context to be current.
class device_copies {
public:
    /// Allocates the copies; load() fills them. The caller's memory must outlive this object.
    /// Errors   attune::error: out of memory; an array that is not on this device, or exceeds its
    ///          allocation
    device_copies(std::shared_ptr<device_session> where, device_call const& call);

    /// The address of array `i` for a kernel.
    [[nodiscard]] cuda::device_pointer address(std::size_t i) const noexcept;
    [[nodiscard]] device_layout const& layout() const noexcept { return layout_; }
    [[nodiscard]] std::size_t writable_bytes() const noexcept;

    /// Copies the contents of the caller's arrays, after all pending work of the context.
    /// Errors   attune::error: the driver's own
    void load();

    /// Copies some regions; skips those without room.
    /// Errors   attune::error: the driver's own
    [[nodiscard]] saved_contents save(region_kind which, device_clock& clock);
    /// Returns true if all non-empty written regions were saved.
    [[nodiscard]] bool is_whole(saved_contents const& saved) const noexcept;
    /// The address of array `i` in saved contents; 0 if it was not saved.
    [[nodiscard]] cuda::device_pointer address_in(saved_contents const& saved,
                                                  std::size_t i) const noexcept;
    /// Enqueues copying saved contents back, on the clock's stream.
    /// Errors   `stopped`
    void restore(saved_contents const& saved, device_clock& clock);

    /// Enqueues filling the zones, on the clock's stream.
    /// Errors   `stopped`
    void mend_zones(device_clock& clock);
    /// "written up to 4 bytes past the end of argument 2 (it has 80 bytes)"; empty if all zones are
    /// intact.
    /// @pre the device is idle
    /// Errors   `stopped`
    [[nodiscard]] std::string damage();

    /// The contents of array `i`.
    /// @pre the device is idle
    /// Errors   `stopped`
    [[nodiscard]] std::vector<std::byte> contents(std::size_t i);
    /// Sets the contents of a writable array.
    /// @pre bytes.size() is its size
    /// Errors   `stopped`
    void set_contents(std::size_t i, std::span<std::byte const> bytes);

private:
    void require_on_device(std::size_t i) const;
    [[nodiscard]] cuda::device_pointer begin_of(std::size_t region) const noexcept;
    [[nodiscard]] std::vector<bool> written_in(cuda::device_pointer zone, std::size_t bytes);

    std::shared_ptr<device_session> where_;
    std::vector<device_buffer> buffers_;
    std::size_t zone_; ///< bytes
    device_layout layout_;
    std::vector<device_memory> memory_; ///< of each region, with its zones
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/device/device_call.ipp>
#endif
