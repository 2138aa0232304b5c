// tests/emulated_cuda/streams.cpp - cuStream*, cuEvent*, cuGraph*.
// SPDX-License-Identifier: MIT
#include <thread>
#include <utility>

#include "streams.hpp"

using namespace attune_emulated;

namespace {

struct emulated_stream {
    static constexpr handle_kind kind = handle_kind::stream;
    int device = 0;
    bool is_blocking = true; ///< it and the legacy stream wait for each other
    bool is_capturing = false;
    bool is_lost = false; ///< the capture: something was done that it does not bear
    int mode = 0;         ///< of the capture: 0 global, 1 of its thread, 2 relaxed
    std::thread::id captured_by{};
    std::vector<work> captured{};
};
struct emulated_event {
    static constexpr handle_kind kind = handle_kind::event;
    int device = 0;
    bool is_timed = true;
    bool is_recorded = false;
    bool is_pending = false; ///< behind a launch that hangs
    std::uint64_t at_ns = 0;
};
struct emulated_graph {
    static constexpr handle_kind kind = handle_kind::graph;
    std::vector<work> nodes;
};
struct emulated_executable {
    static constexpr handle_kind kind = handle_kind::executable_graph;
    std::vector<work> nodes;
};

/// Null, 1 and 2 name the default streams.
bool is_default(void const* on) { return reinterpret_cast<std::uintptr_t>(on) <= 2; }

template <class T>
T* known(void* handle)
{
    return the_machine().knows(handle, T::kind) ? static_cast<T*>(handle) : nullptr;
}

template <class T>
int give(void** out, T made)
{
    if (out == nullptr) return 1;
    auto* const kept = new T(std::move(made));
    the_machine().handles.emplace(kept, T::kind);
    *out = kept;
    return 0;
}

template <class T>
int destroy(char const* function, void* what)
{
    return call(function, need::initialized, [&](machine& m) {
        T* const object = known<T>(what);
        if (object == nullptr) return 400;
        m.handles.erase(what);
        delete object;
        return m.sticky;
    });
}

/// Every stream that is being captured.
template <class Function>
void each_capture(Function const& act)
{
    for (auto const& [handle, kind] : the_machine().handles) {
        if (kind != handle_kind::stream) continue;
        auto& s = *static_cast<emulated_stream*>(const_cast<void*>(handle));
        if (s.is_capturing) act(s);
    }
}

bool is_legacy_captured()
{
    bool found = false;
    each_capture([&](emulated_stream const& s) { found = found || s.is_blocking; });
    return found;
}

int run_now(machine& m, device_state& d, work const& what)
{
    if (d.hangs || m.sticky != 0) return 0;
    if (int const error = what(m, d); error != 0) m.sticky = error;
    return 0;
}

/// What a stream is asked for. @return  0, or why not
int find_stream(void* on, emulated_stream*& out)
{
    out = nullptr;
    if (is_default(on)) return is_legacy_captured() ? 906 : 0;
    out = known<emulated_stream>(on);
    return out == nullptr || out->device != current_context()->device ? 400 : 0;
}

} // namespace

namespace attune_emulated {

int& capture_mode()
{
    thread_local int mode = 0;
    return mode;
}

int disturb_captures(disturbance by)
{
    int refused = 0;
    int const mode = capture_mode();
    each_capture([&](emulated_stream& s) {
        bool const is_here = current_context() != nullptr && s.device == current_context()->device;
        bool const is_own = s.captured_by == std::this_thread::get_id();
        bool const is_unsafe = is_own ? mode != 2 && s.mode != 2 : mode == 0 && s.mode == 0;
        int error = is_unsafe || (by == disturbance::context && is_here) ? 900 : 0;
        if (by == disturbance::legacy && is_here && s.is_blocking) error = 906;
        if (error == 0) return;
        s.is_lost = true;
        refused = error;
    });
    return refused;
}

void abandon_captures()
{
    each_capture([](emulated_stream& s) { s.is_capturing = false; });
    capture_mode() = 0;
}

int submit(void* on, work what)
{
    emulated_stream* s = nullptr;
    if (int const refused = find_stream(on, s); refused != 0) return refused;
    if (s != nullptr && s->is_capturing) {
        s->captured.push_back(std::move(what));
        return 0;
    }
    return run_now(the_machine(), current_device(), what);
}

} // namespace attune_emulated

ATTUNE_EMULATED_API int cuStreamCreate(void** out, unsigned flags)
{
    return call("cuStreamCreate", need::context, [&](machine&) {
        if (flags > 1) return 1;
        return give<emulated_stream>(out, {current_context()->device, flags == 0});
    });
}

ATTUNE_EMULATED_API int cuStreamDestroy_v2(void* what)
{
    return destroy<emulated_stream>("cuStreamDestroy_v2", what);
}

ATTUNE_EMULATED_API int cuStreamSynchronize(void* what)
{
    std::unique_lock lock(the_machine().mutex);
    if (int const no = admission("cuStreamSynchronize", need::context); no != 0) return no;
    emulated_stream* s = nullptr;
    if (int const refused = find_stream(what, s); refused != 0) return refused;
    if (s != nullptr && s->is_capturing) return 900;
    wait_for_device(lock);
    return 0;
}

ATTUNE_EMULATED_API int cuEventCreate(void** out, unsigned flags)
{
    return call("cuEventCreate", need::context, [&](machine&) {
        return give<emulated_event>(out, {current_context()->device, (flags & 2U) == 0});
    });
}

ATTUNE_EMULATED_API int cuEventDestroy_v2(void* what)
{
    return destroy<emulated_event>("cuEventDestroy_v2", what);
}

ATTUNE_EMULATED_API int cuEventRecord(void* what, void* on)
{
    return call("cuEventRecord", need::context, [&](machine&) {
        auto* const e = known<emulated_event>(what);
        emulated_stream* s = nullptr;
        if (e == nullptr || e->device != current_context()->device) return 400;
        if (int const refused = find_stream(on, s); refused != 0) return refused;
        e->is_recorded = s == nullptr || !s->is_capturing; // in a graph it is only a dependency
        e->is_pending = current_device().hangs;
        e->at_ns = current_device().clock_ns;
        return 0;
    });
}

ATTUNE_EMULATED_API int cuEventQuery(void* what)
{
    return call("cuEventQuery", need::context, [&](machine&) {
        auto const* const e = known<emulated_event>(what);
        if (e == nullptr) return 400;
        return e->is_pending ? 600 : 0;
    });
}

ATTUNE_EMULATED_API int cuEventElapsedTime(float* milliseconds, void* begin, void* end)
{
    return call("cuEventElapsedTime", need::context, [&](machine&) {
        auto const* const b = known<emulated_event>(begin);
        auto const* const e = known<emulated_event>(end);
        if (milliseconds == nullptr || b == nullptr || e == nullptr) return 400;
        if (!b->is_recorded || !e->is_recorded || !b->is_timed || !e->is_timed) return 400;
        if (b->is_pending || e->is_pending) return 600;
        auto const passed_ns = static_cast<double>(static_cast<std::int64_t>(e->at_ns - b->at_ns));
        *milliseconds = static_cast<float>(passed_ns * 1e-6);
        return 0;
    });
}

ATTUNE_EMULATED_API int cuEventElapsedTime_v2(float* milliseconds, void* begin, void* end)
{
    return cuEventElapsedTime(milliseconds, begin, end);
}

ATTUNE_EMULATED_API int cuThreadExchangeStreamCaptureMode(int* mode)
{
    return call("cuThreadExchangeStreamCaptureMode", need::initialized, [&](machine&) {
        if (mode == nullptr || *mode < 0 || *mode > 2) return 1;
        std::swap(*mode, capture_mode());
        return 0;
    });
}

ATTUNE_EMULATED_API int cuStreamBeginCapture_v2(void* on, int mode)
{
    return call("cuStreamBeginCapture_v2", need::context, [&](machine&) {
        if (is_default(on)) return 900;
        emulated_stream* s = nullptr;
        if (int const refused = find_stream(on, s); refused != 0) return refused;
        if (mode < 0 || mode > 2 || s->is_capturing) return s->is_capturing ? 401 : 1;
        s->is_capturing = true;
        s->is_lost = false;
        s->mode = mode;
        s->captured_by = std::this_thread::get_id();
        s->captured.clear();
        return 0;
    });
}

ATTUNE_EMULATED_API int cuStreamIsCapturing(void* on, int* status)
{
    return call("cuStreamIsCapturing", need::context, [&](machine&) {
        if (status == nullptr) return 1;
        emulated_stream* s = nullptr;
        if (int const refused = find_stream(on, s); refused != 0) return refused;
        *status = s == nullptr || !s->is_capturing ? 0 : s->is_lost ? 2 : 1;
        return 0;
    });
}

ATTUNE_EMULATED_API int cuStreamEndCapture(void* on, void** out)
{
    return call("cuStreamEndCapture", need::context, [&](machine&) {
        emulated_stream* s = nullptr;
        if (int const refused = find_stream(on, s); refused != 0) return refused;
        if (s == nullptr || !s->is_capturing) return 401;
        if (s->mode != 2 && s->captured_by != std::this_thread::get_id()) return 908;
        s->is_capturing = false;
        *out = nullptr;
        if (s->is_lost) return 901;
        return give<emulated_graph>(out, {std::exchange(s->captured, {})});
    });
}

ATTUNE_EMULATED_API int cuGraphInstantiateWithFlags(void** out, void* from,
                                                    unsigned long long /*flags*/)
{
    return call("cuGraphInstantiateWithFlags", need::context, [&](machine&) {
        auto const* const g = known<emulated_graph>(from);
        return g == nullptr ? 400 : give<emulated_executable>(out, {g->nodes});
    });
}

ATTUNE_EMULATED_API int cuGraphLaunch(void* what, void* on)
{
    return call("cuGraphLaunch", need::context, [&](machine&) {
        auto const* const g = known<emulated_executable>(what);
        if (g == nullptr) return 400;
        for (work const& node : g->nodes)
            if (int const refused = submit(on, node); refused != 0) return refused;
        return 0;
    });
}

ATTUNE_EMULATED_API int cuGraphExecDestroy(void* what)
{
    return destroy<emulated_executable>("cuGraphExecDestroy", what);
}

ATTUNE_EMULATED_API int cuGraphDestroy(void* what)
{
    return destroy<emulated_graph>("cuGraphDestroy", what);
}
