// attune/measure/cuda/device_session.hpp - working on one device, and knowing when that is over.
// SPDX-License-Identifier: MIT
//
// Some errors destroy a context (an illegal access), and a kernel that does not end blocks it: then
// whatever waits for the device would wait for ever, freeing memory too
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/cuda/primary_context.hpp>
#include <attune/measure/sandbox/signal_guard.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI {

/// One device of this process. Functions that call the driver need its context to be current: see
/// cuda::context_scope.
class device_session {
public:
    /// Errors   attune::error: no such device, the driver's own
    device_session(std::shared_ptr<cuda::driver const> driver, int ordinal);
    /// A context that a kernel still runs in is kept until the process ends.
    ~device_session();
    device_session(device_session const&) = delete;
    device_session& operator=(device_session const&) = delete;

    [[nodiscard]] cuda::driver const& driver() const noexcept { return *context_->of(); }
    [[nodiscard]] cuda::primary_context const& context() const noexcept { return *context_; }
    [[nodiscard]] int ordinal() const noexcept { return ordinal_; }
    /// "device 0 (NVIDIA H200)".
    [[nodiscard]] std::string const& name() const noexcept { return name_; }
    /// A CUdevice_attribute; 0 where the driver does not know it.
    [[nodiscard]] int attribute(int which) const noexcept;

    /// For what must work before anything can be measured.
    /// @param doing  a sentence's subject: "copying argument 2 to the device"
    /// Errors   attune::error unless `got` is success
    void require(cuda::result got, std::string const& doing);

    /// For what a variant may be to blame for.
    /// @param doing  what is put before CUDA's words; may be empty
    /// Errors   `stopped` at this stage unless `got` is success; at stage crash if no context
    ///          survives that
    void check(cuda::result got, failure_stage stage, std::string_view doing);

    /// A kernel runs on that nothing in this process can stop; or it has ended after all.
    void set_blocked(bool is_blocked) noexcept { is_blocked_ = is_blocked; }
    [[nodiscard]] bool is_blocked() const noexcept { return is_blocked_; }
    /// Errors   attune::error when an earlier error has destroyed the context
    void require_alive() const;

    /// Gives back what was taken, in the right context; does nothing when that would wait for ever.
    template <class Function>
    void clean_up(Function const& give_back) const noexcept
    {
        if (is_blocked_) return;
        try {
            cuda::context_scope const here{*context_};
            give_back(driver());
        } catch (...) {
            // What a context holds that cannot be entered any more goes with it.
        }
    }

private:
    std::unique_ptr<cuda::primary_context> context_;
    int ordinal_;
    cuda::device device_ = 0;
    std::string name_;
    std::string lost_by_{}; ///< CUDA's words for the error that destroyed the context
    bool is_blocked_ = false;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cuda/device_session.ipp>
#endif
