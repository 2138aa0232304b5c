// attune/compile/device_compiler.hpp - what a compiler of kernels for a device must offer.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/compiler.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/device.hpp>

#include <concepts>

namespace attune::inline ATTUNE_ABI {

/// A compiler whose callables point to a `device_variant` (callable::address), which callable::code
/// keeps alive: code for target(), with the launch that the variant was made with. object_key
/// covers both. target() is the same for every call and every copy.
template <class C>
concept device_compiler = compiler<C> && requires(C const& fixed) {
    { fixed.target() } -> std::same_as<cuda_target const&>;
};

/// One readable error for a type that is no compiler for a device; true otherwise. For public entry
/// points: `if constexpr (require_device_compiler<C>()) { body }`.
template <class C>
consteval bool require_device_compiler()
{
    static_assert(device_compiler<C>,
                  "attune: this type does not compile for a device; it needs what attune::compiler "
                  "says, and target() const -> attune::cuda_target const&");
    return device_compiler<C>;
}

/// What such a callable points to. Valid while a copy of `code` lives.
[[nodiscard]] inline device_variant const& device_variant_of(callable const& code) noexcept
{
    return *static_cast<device_variant const*>(code.address);
}

} // namespace attune::inline ATTUNE_ABI
