// tests/emulated_cuda/machine.hpp - everything the emulated driver knows: its devices, their memory, and the error after which nothing works any more.
// SPDX-License-Identifier: MIT
//
// The environment says what is in the machine; cuInit reads it while no context is in use:
//   ATTUNE_EMULATED_DEVICES          how many (1); 0 is a machine without any
//   ATTUNE_EMULATED_CAPABILITY       90 for 9.0 (90); "90,80" for different ones, here and below
//   ATTUNE_EMULATED_NAME             ("Emulated sm_90")
//   ATTUNE_EMULATED_MEMORY           bytes (1073741824)
//   ATTUNE_EMULATED_MULTIPROCESSORS  (4)
//   ATTUNE_EMULATED_VERSION          what cuDriverGetVersion says (13000)
//   ATTUNE_EMULATED_HANG_S           processor seconds after which a launch counts as hanging (10)
//   ATTUNE_EMULATED_ORDER            "oldest": of the threads that can go on the one that could
//   first
//                                    (default); "newest": the last one. What differs between the
//                                    two lacks a barrier
//   ATTUNE_EMULATED_FAIL             "cuIpcGetMemHandle=801,cuMemAlloc_v2=2": calls that always
//   fail
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <sys/types.h>
#include <vector>

namespace attune_emulated {

using address = unsigned long long;

/// One allocation. The device's addresses may be touched only while a kernel runs on the device;
/// the driver has a view of its own. Before and after lie pages that may never be touched.
struct allocation {
    int device = 0;
    std::size_t bytes = 0;
    std::byte* base = nullptr; ///< the array, as the device sees it
    std::byte* view = nullptr; ///< the same, as the driver sees it
    std::size_t lead = 0;      ///< bytes before the array in its first page
    std::size_t mapped = 0;    ///< bytes of both, whole pages
    int file = -1;
    bool is_imported = false;
    std::int32_t from_process = 0, from_file = 0; ///< where it is imported from

    [[nodiscard]] std::byte* pages() const { return base - lead; }
    /// What `lead` and the bytes behind the array hold, unless a kernel wrote there.
    static constexpr std::byte slack{0xff};
};

struct device_context {
    int device = 0;
};

struct device_state {
    std::string name;
    int capability = 90;
    int multiprocessors = 4;
    std::size_t memory_bytes = 0;
    std::size_t used_bytes = 0;
    int retained = 0;                  ///< how often the primary context is
    device_context* primary = nullptr; ///< the same for the whole life of the process
    std::uint64_t clock_ns = 0;
    bool hangs = false;
};

enum class handle_kind { module, function, stream, event, graph, executable_graph };

struct machine {
    std::recursive_mutex mutex{};
    bool is_initialized = false;
    pid_t owner = 0;
    int version = 13000;
    double hang_s = 10;
    bool newest_first = false;
    int sticky = 0;
    std::uint64_t launches = 0;
    std::vector<device_state> devices{};
    std::map<address, allocation> allocations{}; ///< by `base`
    std::map<void const*, handle_kind> handles{};

    /// @return  null: no allocation holds that address
    [[nodiscard]] allocation* find(address at);
    /// Of a range of one allocation of `device`, or of any for -1.
    /// @return  the driver's view of it; null: there is none
    [[nodiscard]] std::byte* view_of(address at, std::size_t bytes, int device = -1);
    void read_environment();
    /// Whether `handle` is one of these and still there.
    [[nodiscard]] bool knows(void const* handle, handle_kind kind) const
    {
        auto const found = handles.find(handle);
        return found != handles.end() && found->second == kind;
    }
    /// Frees everything, as the end of the process would.
    void reset();
};

[[nodiscard]] machine& the_machine();

/// The current context of this thread; null: none.
[[nodiscard]] device_context*& current_context();

/// Lets the device's addresses be touched while it lives.
class open_memory {
public:
    explicit open_memory(int device);
    ~open_memory();
    open_memory(open_memory const&) = delete;
    open_memory& operator=(open_memory const&) = delete;

private:
    int device_;
};

/// False when a kernel wrote just before or behind an array of the device.
[[nodiscard]] bool slack_is_whole(int device);

/// Maps `bytes` of `file`, which is long enough, or of a new one for -1. Addresses are multiples of
/// 256, as a device's are.
/// @return  0, or a CUDA error
[[nodiscard]] int map(allocation& made, int device, std::size_t bytes, int file);
void unmap(allocation const& what);

/// What a call does that no graph can hold.
enum class disturbance {
    unsafe,  ///< asks for memory, loads, frees: refused as the modes of thread and capture say
    legacy,  ///< the same on the legacy stream, which cannot wait for a stream that is captured
    context, ///< waits for every stream
};

/// The calling thread's: see cuThreadExchangeStreamCaptureMode.
[[nodiscard]] int& capture_mode();

/// Captures that do not bear it are lost. @return  0: there are none
[[nodiscard]] int disturb_captures(disturbance by);
void abandon_captures();

enum class need { nothing, initialized, context };

/// What every call begins with. @return  0: go on
[[nodiscard]] int admission(char const* function, need needed);

/// Blocks for ever when the device of the current context hangs.
void wait_for_device(std::unique_lock<std::recursive_mutex>& lock);

/// One call of the driver: `body(machine)` unless it is refused.
template <class Body>
int call(char const* function, need needed, Body&& body)
{
    std::unique_lock lock(the_machine().mutex);
    if (int const refused = admission(function, needed); refused != 0) return refused;
    return body(the_machine());
}

/// The same, of a call that waits for all work of the device.
template <class Body>
int waiting_call(char const* function, disturbance what, Body&& body)
{
    std::unique_lock lock(the_machine().mutex);
    if (int const refused = admission(function, need::context); refused != 0) return refused;
    if (int const refused = disturb_captures(what); refused != 0) return refused;
    wait_for_device(lock);
    return body(the_machine());
}

[[nodiscard]] inline device_state& current_device()
{
    return the_machine().devices[static_cast<std::size_t>(current_context()->device)];
}

} // namespace attune_emulated

/// What of the library can be called: the driver's own names.
#define ATTUNE_EMULATED_API extern "C" __attribute__((visibility("default")))
