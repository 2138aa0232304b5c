// attune/compile/device_compiler.hpp - the concept of a compiler for a device.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/compile/compiler.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/device.hpp>

#include <type_traits>

namespace attune::inline ATTUNE_ABI {

/// True for types that describe a device to compile for. Another kind of device specialises it for
/// its own type and declares make_device_target() for that: tune/device/device_target.hpp.
template <class Target>
inline constexpr bool describes_device = false;
template <>
inline constexpr bool describes_device<cuda_target> = true;

/// A compiler for the device that target() describes. Its callables include the variant's launch,
/// and object_key covers it. target() is the same for every call and copy. For a cuda_target,
/// callable::address points to a `device_variant` that callable::code owns.
template <class C>
concept device_compiler = compiler<C> && requires(C const& fixed) {
    fixed.target();
    requires std::is_lvalue_reference_v<decltype(fixed.target())>;
    requires std::is_const_v<std::remove_reference_t<decltype(fixed.target())>>;
    requires describes_device<std::remove_cvref_t<decltype(fixed.target())>>;
};

} // namespace attune::inline ATTUNE_ABI
