// attune/compile/compiler.hpp - the concept of a compiler of kernel variants.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/compile/source/compile_request.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/version.hpp>

#include <concepts>
#include <string>

namespace attune::inline ATTUNE_ABI {

/// compile() gives a callable or a failure (stage compile or load) and may be called from several
/// threads at once; it throws attune::error only when no variant could be compiled. identity()
/// names everything besides the kernel that determines the code: compiler, version, flags, CPU.
/// Equal identities and equal input give equal code.
template <class C>
concept compiler =
    requires(C& c, C const& fixed, kernel_source const& kernel, compile_request const& v) {
        { c.compile(kernel, v) } -> std::same_as<compile_result>;
        { fixed.identity() } -> std::convertible_to<std::string>;
    };

namespace detail {

/// True for a compiler; else one readable compile error. For public entry points:
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

} // namespace attune::inline ATTUNE_ABI
