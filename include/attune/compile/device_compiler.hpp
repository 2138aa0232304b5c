// attune/compile/device_compiler.hpp - the concept of a compiler for a device.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/compile/compiler.hpp>
#include <attune/core/version.hpp>

#include <type_traits>

namespace attune::inline ATTUNE_ABI {

/// True for types that describe a device to compile for. A kind of device specialises it for its
/// own type and declares make_device_target() for that: cuda_compiler.hpp, device_target.hpp.
template <class Target>
inline constexpr bool describes_device = false;

/// A compiler for the device that target() describes. Its callables include the variant's launch,
/// and object_key covers it. target() is the same for every call and copy.
template <class C>
concept device_compiler = compiler<C> && requires(C const& fixed) {
    fixed.target();
    requires std::is_lvalue_reference_v<decltype(fixed.target())>;
    requires std::is_const_v<std::remove_reference_t<decltype(fixed.target())>>;
    requires describes_device<std::remove_cvref_t<decltype(fixed.target())>>;
};

} // namespace attune::inline ATTUNE_ABI
