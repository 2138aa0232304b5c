// attune/tune/device/cuda/cuda_kernel.ipp - contexts, modules and buffers behind cuda_kernel.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/primary_context.hpp>
#include <attune/measure/device/device_call.hpp>
#include <attune/tune/device/cuda/cuda_kernel.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The code in one context. Once it is in the list, only its buffers change.
struct cuda_kernel::place {
    struct device_memory {
        cuda::device_pointer at = 0;
        std::size_t bytes = 0;
    };

    cuda::context context = nullptr;
    cuda::loaded_code code;
    place* next = nullptr;
    std::vector<device_memory> staged{}; ///< by first array; state::staging guards it
};

struct cuda_kernel::state {
    cuda_target const& target;
    callable code;
    std::string name;
    std::atomic<place*> head{nullptr};    ///< readers take no lock; writers hold `loading`
    std::atomic<place*> primary{nullptr}; ///< an element of the list
    std::optional<cuda::primary_context> retained{};
    std::vector<std::unique_ptr<place>> all{};
    std::mutex loading{};
    std::mutex staging{};

    [[nodiscard]] cuda::driver const& driver() const { return *target.driver; }

    [[nodiscard]] place* find(cuda::context wanted) const
    {
        for (place* p = head.load(std::memory_order_acquire); p != nullptr; p = p->next)
            if (p->context == wanted) return p;
        return nullptr;
    }
    [[nodiscard]] bool is_on_device(cuda::context current) const
    {
        cuda::device of = -1;
        cuda::device wanted = -2;
        return current != nullptr && driver().context_get_device(&of) == cuda::success &&
               driver().device_get(&wanted, target.ordinal) == cuda::success && of == wanted;
    }
    /// @pre  `context` is current; `loading` is held
    [[nodiscard]] place& load(cuda::context context)
    {
        if (place* const known = find(context)) return *known;
        auto made = cuda::loaded_code::load(target.driver, device_variant_of(code));
        if (auto const* const why = std::get_if<failure>(&made))
            throw error(
                "kernel '" + name + "' " + std::string(describe(why->stage)),
                why->reason + ", device " + std::to_string(target.ordinal) + " (" +
                    target.limits.name + ")",
                "tune again on this device: tuning_options{.on_miss = miss_policy::always}");
        all.push_back(std::unique_ptr<place>(
            new place{context, std::get<cuda::loaded_code>(std::move(made)), head.load()}));
        head.store(all.back().get(), std::memory_order_release);
        return *all.back();
    }
};

[[nodiscard]] inline cuda::context current_context(cuda::driver const& driver)
{
    cuda::context out = nullptr;
    return driver.context_get_current(&out) == cuda::success ? out : nullptr;
}

/// @param is_alone  false: the legacy stream is used too, which waits for other streams
inline void require_uncaptured(cuda::driver const& driver, cuda::stream on, bool is_alone,
                               std::string const& what)
{
    if (!cuda::is_captured(driver, on) && (is_alone || !cuda::is_captured(driver, nullptr))) return;
    throw error("this call must wait for its stream, and the stream is being captured", what,
                "make this call once before the capture, with the same inputs and arrays of the "
                "device (attune::device_span): a capture can record later calls");
}

ATTUNE_INLINE
cuda_kernel::cuda_kernel(cuda_target const& target, callable code, std::string name)
    : state_(new state{target, std::move(code), std::move(name)})
{
}

ATTUNE_INLINE cuda_kernel::~cuda_kernel()
{
    // If a context has ended, its module and memory have ended too: ignore the driver's error.
    cuda::driver const& driver = state_->driver();
    for (std::unique_ptr<place>& p : state_->all) {
        cuda::context_scope const inside{driver, p->context, std::nothrow};
        if (!inside.is_inside()) continue;
        for (place::device_memory const& m : p->staged)
            if (m.at != 0) driver.memory_free(m.at);
        p.reset();
    }
    state_->all.clear();
}

ATTUNE_INLINE void cuda_kernel::require(cuda::result got, char const* doing) const
{
    if (got == cuda::success) return;
    throw error("kernel '" + state_->name + "' could not be run",
                std::string(doing) + ": " + cuda::text_of(state_->driver(), got) + ", " +
                    text_of(device_variant_of(state_->code).launch) + ", device " +
                    std::to_string(state_->target.ordinal),
                cuda::is_sticky(got)
                    ? "this context is unusable: look for a fault in an earlier launch"
                    : "");
}

/// Returns the code in the current context, or in the primary context if the current one is
/// unusable for this device. Loads the code there first if necessary.
ATTUNE_INLINE cuda_kernel::place& cuda_kernel::place_for(cuda::context current) const
{
    if (place* const known = state_->find(current)) return *known;
    bool const is_usable = state_->is_on_device(current);
    if (place* const known = state_->primary.load(std::memory_order_acquire);
        known != nullptr && !is_usable)
        return *known;
    std::scoped_lock const only_one(state_->loading);
    if (!is_usable && !state_->retained)
        state_->retained.emplace(state_->target.driver, state_->target.ordinal);
    cuda::context const wanted = is_usable ? current : state_->retained->handle();
    cuda::context_scope const inside{state_->driver(), wanted};
    place& loaded = state_->load(wanted);
    if (is_usable) return loaded;
    state_->primary.store(&loaded, std::memory_order_release);
    return loaded;
}

ATTUNE_INLINE void cuda_kernel::launch(void** arguments, void* stream) const
{
    cuda::context const current = current_context(state_->driver());
    place const& where = place_for(current);
    std::optional<cuda::context_scope> inside;
    if (where.context != current) inside.emplace(state_->driver(), where.context);
    require(where.code.launch(arguments, static_cast<cuda::stream>(stream)), "launching it");
}

ATTUNE_INLINE cuda::device_pointer cuda_kernel::memory_for(place& where, std::size_t slot,
                                                           std::size_t bytes,
                                                           std::size_t argument) const
{
    place::device_memory& memory = where.staged[slot];
    cuda::driver const& driver = state_->driver();
    if (memory.bytes >= bytes) return memory.at;
    if (memory.at != 0) driver.memory_free(std::exchange(memory.at, 0));
    memory.bytes = 0;
    cuda::result const got = driver.memory_allocate(&memory.at, bytes);
    if (got == cuda::out_of_memory)
        cuda::throw_out_of_memory(
            driver, bytes, "kernel '" + state_->name + "', argument " + std::to_string(argument),
            "device " + std::to_string(state_->target.ordinal),
            "pass arrays in parts, or free memory of the device");
    require(got, "asking for memory");
    memory.bytes = bytes;
    return memory.at;
}

ATTUNE_INLINE void cuda_kernel::launch_staged(void** arguments,
                                              std::span<staged_array const> arrays,
                                              void* stream) const
{
    std::scoped_lock const only_one(state_->staging);
    cuda::driver const& driver = state_->driver();
    place& where = place_for(current_context(driver));
    cuda::context_scope const inside{driver, where.context};
    auto const on = static_cast<cuda::stream>(stream);

    require_uncaptured(driver, on, false, "kernel '" + state_->name + "', arrays of the host");

    // Arrays that overlap are in one buffer and share their writes, as in verification.
    std::vector<device_buffer> given;
    std::vector<std::size_t> index; // index of each of `given` in `arrays`
    where.staged.resize(arrays.size());
    cuda::device_pointer none = 0;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        arguments[arrays[i].argument] = &none;
        if (arrays[i].bytes == 0) continue;
        buffer b;
        b.data = arrays[i].data;
        b.bytes = arrays[i].bytes;
        b.writable = arrays[i].writable;
        given.push_back({b, memory_place::host});
        index.push_back(i);
    }
    device_layout const layout = plan_copies(given);
    std::vector<cuda::device_pointer> addresses(given.size());
    for (device_region const& r : layout.regions) {
        // Every call uses the same memory, independent of the array that begins first.
        std::size_t const first = index[*std::min_element(r.members.begin(), r.members.end())];
        cuda::device_pointer const at = memory_for(where, first, r.bytes(), arrays[first].argument);
        for (std::size_t const k : r.members) {
            addresses[k] = at + layout.of[k].offset;
            arguments[arrays[index[k]].argument] = &addresses[k];
        }
        require(driver.copy_to_device(at, given[r.members.front()].where.data, r.bytes()),
                "copying to the device");
    }
    // The copies are on the default stream, which the caller's stream may not wait for.
    if (on != nullptr) require(driver.stream_synchronize(nullptr), "waiting for its end");
    require(where.code.launch(arguments, on), "launching it");
    require(driver.stream_synchronize(on), "waiting for its end");
    for (device_region const& r : layout.regions) {
        std::size_t done = 0; // bytes of the region copied so far; members are in ascending order
        for (std::size_t const k : r.members) {
            if (!given[k].where.writable) continue;
            std::size_t const begin = layout.of[k].offset;
            std::size_t const end = begin + given[k].where.bytes;
            std::size_t const skipped = done > begin ? done - begin : 0; // copied already
            if (begin + skipped >= end) continue;
            require(driver.copy_to_host(given[k].where.data + skipped, addresses[k] + skipped,
                                        end - begin - skipped),
                    "copying from the device");
            done = end;
        }
    }
}

ATTUNE_INLINE void wait_for_caller(cuda_target const& target, void* stream)
{
    cuda::driver const& driver = *target.driver;
    cuda::relaxed_thread const beside_captures{driver};
    if (stream != nullptr || current_context(driver) != nullptr)
        require_uncaptured(driver, static_cast<cuda::stream>(stream), true,
                           "the first call for its inputs");
    if (stream != nullptr)
        cuda::require_success(driver, driver.stream_synchronize(static_cast<cuda::stream>(stream)),
                              "waiting for what the program launched before: cuStreamSynchronize");
    else if (current_context(driver) != nullptr)
        cuda::require_success(driver, driver.context_synchronize(),
                              "waiting for what the program launched before: cuCtxSynchronize");
}

} // namespace attune::inline ATTUNE_ABI::detail
