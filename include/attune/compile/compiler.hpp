// attune/compile/compiler.hpp - what a compiler of kernel variants must offer.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/compile/source/variant.hpp>
#include <attune/core/version.hpp>

#include <concepts>
#include <string>

namespace attune::inline ATTUNE_ABI {

/// compile() gives a callable or a failure (stage compile or load) and may be called from several
/// threads at once; it throws attune::error only when no variant whatever could be compiled.
/// identity() names everything but the kernel that decides about the code: compiler, version,
/// flags, CPU. Equal identities and equal input give equal code.
template <class C>
concept compiler =
    requires(C& c, C const& fixed, kernel_source const& kernel, compile_request const& v) {
        { c.compile(kernel, v) } -> std::same_as<compile_result>;
        { fixed.identity() } -> std::convertible_to<std::string>;
    };

/// One readable error for a type that is no compiler; true otherwise. For public entry points:
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

} // namespace attune::inline ATTUNE_ABI
