// attune/compile/device_compiler.hpp - what a compiler of kernels for a device must offer.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/compile/compiler.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/device.hpp>

#include <type_traits>

namespace attune::inline ATTUNE_ABI {

/// Whether a type says what device code is made for. A device of another kind specialises it for
/// its own type, and declares make_device_target() for that: tune/device/device_target.hpp.
template <class Target>
inline constexpr bool describes_device = false;
template <>
inline constexpr bool describes_device<cuda_target> = true;

/// A compiler whose callables are for target(), of a type that describes_device, with the launch
/// that the variant was made with. object_key covers both. target() is the same for every call and
/// every copy. For a cuda_target, callable::address points to a `device_variant`, which
/// callable::code keeps alive.
template <class C>
concept device_compiler = compiler<C> && requires(C const& fixed) {
    fixed.target();
    requires std::is_lvalue_reference_v<decltype(fixed.target())>;
    requires std::is_const_v<std::remove_reference_t<decltype(fixed.target())>>;
    requires describes_device<std::remove_cvref_t<decltype(fixed.target())>>;
};

} // namespace attune::inline ATTUNE_ABI
