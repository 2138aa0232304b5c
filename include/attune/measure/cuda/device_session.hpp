// attune/measure/cuda/device_session.hpp - the use of one device, and errors that end it.
// SPDX-License-Identifier: MIT
//
// Some errors (an illegal access) destroy a context, and a kernel that does not end blocks it. Then
// every call that waits for the device waits for ever, freeing memory too.
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/cuda/primary_context.hpp>
#include <attune/measure/sandbox/signal_guard.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// One device of this process. Functions that call the driver need its context to be current: see
/// cuda::context_scope.
class device_session {
public:
    /// Errors   attune::error: no such device, the driver's own
    device_session(std::shared_ptr<cuda::driver const> driver, int ordinal);
    /// A blocked context is kept until the process ends.
    ~device_session();
    device_session(device_session const&) = delete;
    device_session& operator=(device_session const&) = delete;

    [[nodiscard]] cuda::driver const& driver() const noexcept { return *context_->of(); }
    [[nodiscard]] cuda::primary_context const& context() const noexcept { return *context_; }
    [[nodiscard]] int ordinal() const noexcept { return ordinal_; }
    /// "device 0 (NVIDIA H200)".
    [[nodiscard]] std::string const& name() const noexcept { return name_; }
    /// The value of a CUdevice_attribute; 0 when the driver does not support it.
    [[nodiscard]] int attribute(int which) const noexcept;

    /// For calls that must succeed before anything can be measured.
    /// @param doing  a sentence's subject: "copying argument 2 to the device"
    /// Errors   attune::error unless `got` is success
    void require(cuda::result got, std::string const& doing);

    /// For calls whose failure may be a variant's.
    /// @param doing  precedes CUDA's message; may be empty
    /// Errors   `stopped` at `stage` unless `got` is success; at stage crash if the error destroys
    ///          the context
    void check(cuda::result got, failure_stage stage, std::string_view doing);

    /// True: a kernel runs that this process cannot stop; false: it has ended.
    void set_blocked(bool is_blocked) noexcept { is_blocked_ = is_blocked; }
    [[nodiscard]] bool is_blocked() const noexcept { return is_blocked_; }
    /// Errors   attune::error when an earlier error has destroyed the context
    void require_alive() const;

    /// Frees resources in the device's context; does nothing when that would wait for ever.
    template <class Function>
    void clean_up(Function const& give_back) const noexcept
    {
        if (is_blocked_) return;
        try {
            cuda::context_scope const here{*context_};
            give_back(driver());
        } catch (...) {
            // A context that cannot be entered frees its resources when it ends.
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

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cuda/device_session.ipp>
#endif
