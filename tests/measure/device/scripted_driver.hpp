// tests/measure/device/scripted_driver.hpp - a driver whose device is this process, and fails on cue.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/cuda/code.hpp>
#include <attune/cuda/driver.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace attune_test {

namespace cu = attune::detail::cuda;

/// What a scripted kernel sees of its launch.
struct scripted_launch {
    unsigned grid[3];
    unsigned block[3];
    unsigned shared_bytes;
    void** arguments;
    bool is_cooperative = false;
    unsigned cluster = 1;

    template <class T>
    T& at(std::size_t i) const
    {
        return *static_cast<T*>(arguments[i]);
    }
    template <class T>
    T* array(std::size_t i) const
    {
        return reinterpret_cast<T*>(at<cu::device_pointer>(i));
    }
};

/// The device: memory is the host's, kernels are functions by the name of their image, and all work
/// is done when it is put on a stream. One at a time.
class scripted_device {
public:
    /// Seconds that a launch takes.
    using kernel = std::function<double(scripted_launch const&)>;

    std::map<std::string, kernel> kernels{};
    std::map<std::string, int> calls{}; ///< of each function
    std::string fails{};                ///< the function that fails ...
    int fails_at = 1;                   ///< ... at this call of it, and then always
    cu::result fails_with = 999;
    cu::result pending = 0;     ///< what the latest kernel has done to the context
    int looks_until_done = 0;   ///< so often event_query says "not ready"; -1: for ever
    double now_s = 1;           ///< by the device's clock
    double event_cost_s = 1e-6; ///< between two records
    std::size_t memory_bytes = std::size_t{1} << 30;
    std::size_t used_bytes = 0;
    int devices = 1;
    int ordinal_of_pointers = 0;
    int pointer_kind = cu::of_pointer::device_memory;
    bool is_in_pieces = false; ///< arrays are what cuMemMap has put together
    std::size_t flushed_bytes = 0;
    std::size_t launches = 0;
    std::size_t replays = 0;
    std::map<std::string, int> live{}; ///< objects by kind
    std::map<cu::device_pointer, std::size_t> allocations{};
    cu::context current = nullptr;

    scripted_device() { self() = this; }
    ~scripted_device()
    {
        for (auto const& [at, bytes] : allocations)
            std::free(reinterpret_cast<void*>(at));
        self() = nullptr;
    }
    scripted_device(scripted_device const&) = delete;
    scripted_device& operator=(scripted_device const&) = delete;

    [[nodiscard]] std::shared_ptr<cu::driver const> driver();

    /// "" when all that was made is gone and the program's own context is current.
    [[nodiscard]] std::string leaks() const
    {
        std::string said;
        for (auto const& [kind, count] : live)
            if (count != 0) said += kind + ' ';
        if (current != nullptr) said += "current context";
        return said;
    }
    /// What a kernel does that writes wherever it comes to: the caller's own arrays, which are
    /// vectors here, are spared.
    void overwrite_all() const
    {
        for (auto const& [at, bytes] : allocations)
            std::memset(reinterpret_cast<void*>(at), 0x41, bytes);
    }
    /// A handle of some kind.
    template <class Handle>
    cu::result make(Handle* out, char const* kind)
    {
        ++live[kind];
        *out = reinterpret_cast<Handle>(static_cast<std::uintptr_t>(++made_));
        return cu::success;
    }
    cu::result drop(char const* kind)
    {
        --live[kind];
        return cu::success;
    }
    [[nodiscard]] cu::result enter(char const* name)
    {
        int const count = ++calls[name];
        if (name == fails && count >= fails_at) return fails_with;
        return cu::success;
    }
    cu::result run(std::string const& image, scripted_launch launch);
    cu::result enqueue(std::function<void()> work)
    {
        if (pending != 0) return pending;
        if (capturing)
            captured.push_back(std::move(work));
        else
            work();
        return cu::success;
    }

    static scripted_device*& self()
    {
        static scripted_device* one = nullptr;
        return one;
    }

    bool capturing = false;
    std::vector<std::function<void()>> captured{};
    std::map<void*, std::vector<std::function<void()>>> graphs{};
    std::map<void*, std::string> modules{};   // image
    std::map<void*, std::string> functions{}; // image
    std::map<void*, double> stamps{};

private:
    std::uintptr_t made_ = 0;
};

/// A variant of one thread whose kernel has this name.
[[nodiscard]] inline attune::device_variant variant_named(std::string const& name)
{
    attune::device_variant v;
    v.code.image = name;
    v.code.entry = "entry";
    return v;
}

} // namespace attune_test

#include "scripted_functions.hpp"
