// attune/measure/cuda/loaded_variant.hpp - a loaded variant, and the arguments of its launches.
// SPDX-License-Identifier: MIT
// Source   CUDA driver API reference, module and execution control
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/cuda/loaded_code.hpp>
#include <attune/measure/cuda/device_call.hpp>
#include <attune/measure/cuda/device_session.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Arguments in the form of a launch: one address each.
class packed_arguments {
public:
    /// Packs arrays by address and other arguments by value; copies its parameters.
    packed_arguments(std::span<device_argument const> arguments,
                     std::vector<cuda::device_pointer> addresses);
    packed_arguments(packed_arguments const&) = delete;
    packed_arguments& operator=(packed_arguments const&) = delete;

    [[nodiscard]] void** all() noexcept { return all_.data(); }
    [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }

private:
    std::vector<device_argument> arguments_;
    std::vector<cuda::device_pointer> addresses_;
    std::vector<void*> all_;
};

/// A loaded kernel. All functions need the session's context to be current.
class loaded_variant {
public:
    /// Errors   `stopped` at stage load or launch; at stage crash when an earlier kernel failed
    loaded_variant(std::shared_ptr<device_session> where, device_variant const& what);
    ~loaded_variant();
    loaded_variant(loaded_variant const&) = delete;
    loaded_variant& operator=(loaded_variant const&) = delete;

    /// Enqueues one launch.
    /// Errors   `stopped` at stage launch; at stage crash when an earlier kernel failed
    void launch(cuda::stream on, void** arguments);

    [[nodiscard]] cuda::function handle() const noexcept { return code_->handle(); }

private:
    std::shared_ptr<device_session> where_;
    std::optional<cuda::loaded_code> code_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cuda/loaded_variant.ipp>
#endif
