// attune/compile/compiler.hpp - the concepts of a compiler: of kernel variants, and of variants for a device.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/source.hpp>
#include <attune/core/callable.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <concepts>
#include <string>
#include <type_traits>
#include <variant>

namespace attune::inline ATTUNE_ABI {

/// The callable of a variant, or the reason why it did not compile or load.
using compile_result = std::variant<callable, failure>;

/// compile() gives a callable or a failure (stage compile or load). Several threads may call it.
/// compile() throws attune::error only if no variant could be compiled. identity() names all that
/// determines the code besides the kernel: compiler, version, flags, CPU. Equal identities and
/// equal input give equal code.
template <class C>
concept compiler =
    requires(C& c, C const& fixed, kernel_source const& kernel, compile_request const& v) {
        { c.compile(kernel, v) } -> std::same_as<compile_result>;
        { fixed.identity() } -> std::convertible_to<std::string>;
    };

namespace detail {

/// Returns true for a compiler; otherwise gives one readable compile error. For public entry
/// points:
/// `if constexpr (require_compiler<C>()) { body }`.
template <class C>
consteval bool require_compiler()
{
    static_assert(
        compiler<C>,
        "attune: this type is not a compiler; it needs compile(attune::kernel_source "
        "const&, attune::compile_request const&) -> attune::compile_result, and identity() const "
        "-> std::string");
    return compiler<C>;
}

} // namespace detail

/// True for types that describe a device to compile for. A kind of device specialises the constant
/// for its type, and declares make_device_target() for this type: cuda_compiler.hpp,
/// device_target.hpp.
template <class Target>
inline constexpr bool describes_device = false;

/// A compiler for the device that target() describes. The callables include the variant's launch,
/// and object_key covers it. target() is the same for every call and copy.
template <class C>
concept device_compiler = compiler<C> && requires(C const& fixed) {
    fixed.target();
    requires std::is_lvalue_reference_v<decltype(fixed.target())>;
    requires std::is_const_v<std::remove_reference_t<decltype(fixed.target())>>;
    requires describes_device<std::remove_cvref_t<decltype(fixed.target())>>;
};

} // namespace attune::inline ATTUNE_ABI
