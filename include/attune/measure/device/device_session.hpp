// attune/measure/device/device_session.hpp - the use of a device: errors, memory, streams, events.
// SPDX-License-Identifier: MIT
//
// Some errors (an illegal access) destroy a context. A kernel that does not end blocks it: each
// call that waits for the device then hangs, even one that frees memory.
// Source   CUDA driver API reference, event management: the resolution is about 0.5 us. The time
//          between two events without work is not subtracted, because a kernel fills that gap
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/cuda/primary_context.hpp>
#include <attune/measure/sandbox/signal_guard.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// A device of this process. Functions that call the driver need its context to be current: see
/// cuda::context_scope.
class device_session {
public:
    /// Errors   attune::error: no such device, the driver's own
    device_session(std::shared_ptr<cuda::driver const> driver, int ordinal);
    /// Keeps a blocked context until the process ends.
    ~device_session();
    device_session(device_session const&) = delete;
    device_session& operator=(device_session const&) = delete;

    [[nodiscard]] cuda::driver const& driver() const noexcept { return *context_->of(); }
    [[nodiscard]] cuda::primary_context const& context() const noexcept { return *context_; }
    [[nodiscard]] int ordinal() const noexcept { return ordinal_; }
    /// "device 0 (NVIDIA H200)".
    [[nodiscard]] std::string const& name() const noexcept { return name_; }
    /// The value of a CUdevice_attribute; 0 if the driver does not support it.
    [[nodiscard]] int attribute(int which) const noexcept;

    /// Checks a call that must succeed before anything can be measured.
    /// @param doing  a sentence's subject: "copying argument 2 to the device"
    /// Errors   attune::error unless `got` is success
    void require(cuda::result got, std::string const& doing);

    /// Checks a call whose failure may be a variant's.
    /// @param doing  precedes CUDA's message; may be empty
    /// Errors   `stopped` at `stage` unless `got` is success; at stage crash if the error destroys
    ///          the context
    void check(cuda::result got, failure_stage stage, std::string_view doing);

    /// True: a kernel runs that this process cannot stop; false: it has ended.
    void set_blocked(bool is_blocked) noexcept { is_blocked_ = is_blocked; }
    [[nodiscard]] bool is_blocked() const noexcept { return is_blocked_; }
    /// Errors   attune::error if an earlier error has destroyed the context
    void require_alive() const;

    /// Frees resources in the device's context; does nothing if that would hang.
    template <class Function>
    void clean_up(Function const& give_back) const noexcept
    {
        if (is_blocked_) return;
        try {
            cuda::context_scope const here{*context_};
            give_back(driver());
        } catch (...) {
            // If the context cannot be entered, it frees its resources at its end.
        }
    }

private:
    std::unique_ptr<cuda::primary_context> context_;
    int ordinal_;
    cuda::device device_ = 0;
    std::string name_;
    std::string lost_by_{}; ///< CUDA's message for the error that destroyed the context
    bool is_blocked_ = false;
};

/// An allocation, aligned to 256 bytes.
class device_memory {
public:
    /// @param what_for  for the error: "argument 2"  @pre the session's context is current
    /// Errors   attune::error: out of memory (the text has the bytes requested and free)
    device_memory(std::shared_ptr<device_session> where, std::size_t bytes,
                  std::string const& what_for);
    /// Returns empty if there is no room.
    /// Errors   attune::error: other errors of the driver
    [[nodiscard]] static std::optional<device_memory>
    if_it_fits(std::shared_ptr<device_session> where, std::size_t bytes);

    ~device_memory();
    device_memory(device_memory&& other) noexcept;
    device_memory& operator=(device_memory&& other) noexcept;

    [[nodiscard]] cuda::device_pointer address() const noexcept { return address_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

private:
    device_memory(std::shared_ptr<device_session> where, cuda::device_pointer address,
                  std::size_t bytes) noexcept;

    std::shared_ptr<device_session> where_;
    cuda::device_pointer address_ = 0;
    std::size_t bytes_ = 0;
};

/// Owns a non-blocking stream. All functions need the session's context to be current.
class device_clock {
public:
    /// Errors   attune::error: the driver's own
    explicit device_clock(std::shared_ptr<device_session> where);
    ~device_clock();
    device_clock(device_clock const&) = delete;
    device_clock& operator=(device_clock const&) = delete;

    [[nodiscard]] cuda::stream stream() const noexcept { return stream_; }

    /// Enqueues work and waits for its end.
    /// @param limit_s  wall seconds for this work and all work before it on the stream
    /// @return  seconds from the beginning of the work to its end, by events
    /// Errors   `stopped`: crash with CUDA's message, or timeout, which blocks the session;
    ///          exceptions of `enqueue`
    double time(std::function<void()> const& enqueue, double limit_s);

    /// Waits for all work on the stream.
    /// Errors   as time()
    void wait(double limit_s);

    /// Returns true if a kernel that exceeded its limit ends within `limit_s` wall seconds.
    [[nodiscard]] bool recovers(double limit_s);

private:
    [[nodiscard]] bool ends_within(double limit_s);
    void wait_for_end(double limit_s);
    void give_back() const noexcept;

    std::shared_ptr<device_session> where_;
    cuda::stream stream_ = nullptr;
    cuda::event begin_ = nullptr;
    cuda::event end_ = nullptr;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/device/device_session.ipp>
#endif
