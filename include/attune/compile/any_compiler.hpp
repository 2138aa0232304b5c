// attune/compile/any_compiler.hpp - a type-erased compiler.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/compiler.hpp>
#include <attune/core/version.hpp>

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// An optional part of a compiler that keeps the code of winners for later processes. keep_winner()
/// stores the code of a compiled variant, and returns false on failure. find_winner() loads that
/// code, faster than compiling, or returns empty. Neither throws because of the disk.
template <class C>
concept remembering_compiler =
    compiler<C> && requires(C& c, kernel_source const& kernel, compile_request const& v) {
        { c.find_winner(kernel, v) } -> std::convertible_to<std::optional<callable>>;
        { c.keep_winner(kernel, v) } -> std::convertible_to<bool>;
    };

/// An optional part of a compiler. notice() is a sentence for the user, such as the name of the
/// compiler that replaces the requested one; empty if there is none.
template <class C>
concept noticing_compiler = compiler<C> && requires(C& c) {
    { c.notice() } -> std::convertible_to<std::string>;
};

/// An optional part of a compiler for this processor. code_quantities() names the numbers that each
/// of its callables has in callable::size: some of "code_bytes", "stack_bytes", "spills" and
/// "vector_instructions".
template <class C>
concept sizing_compiler = compiler<C> && requires(C& c) {
    { c.code_quantities() } -> std::convertible_to<std::vector<std::string_view>>;
};

namespace detail {

struct any_compiler {
    using compile_function = compile_result(kernel_source const&, compile_request const&);

    /// Optional parts have defaults: no notice, nothing kept, no sizes.
    any_compiler();
    any_compiler(std::function<compile_function> compile_it, std::function<std::string()> name_it);

    std::function<compile_function> compile;
    std::function<std::string()> identity;
    std::function<std::string()> notice;
    std::function<std::vector<std::string_view>()> code_quantities;
    std::function<std::optional<callable>(kernel_source const&, compile_request const&)>
        find_winner;
    std::function<bool(kernel_source const&, compile_request const&)> keep_winner;
};

/// @param held  an owning or plain pointer to the compiler
template <class Compiler, class Pointer>
[[nodiscard]] any_compiler erase_compiler(Pointer held)
{
    any_compiler out;
    out.compile = [held](kernel_source const& k, compile_request const& v) {
        return held->compile(k, v);
    };
    out.identity = [held] { return std::string{std::as_const(*held).identity()}; };
    if constexpr (noticing_compiler<Compiler>)
        out.notice = [held] { return std::string{held->notice()}; };
    if constexpr (sizing_compiler<Compiler>)
        out.code_quantities = [held] {
            return std::vector<std::string_view>{held->code_quantities()};
        };
    if constexpr (remembering_compiler<Compiler>) {
        out.find_winner = [held](kernel_source const& k, compile_request const& v) {
            return std::optional<callable>{held->find_winner(k, v)};
        };
        out.keep_winner = [held](kernel_source const& k, compile_request const& v) {
            return static_cast<bool>(held->keep_winner(k, v));
        };
    }
    return out;
}

/// @param held  must outlive the result
template <class Compiler>
[[nodiscard]] any_compiler make_any_compiler(Compiler& held)
{
    return erase_compiler<Compiler>(&held);
}

template <class Compiler>
[[nodiscard]] any_compiler share_compiler(Compiler held)
{
    return erase_compiler<Compiler>(std::make_shared<Compiler>(std::move(held)));
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/any_compiler.ipp>
#endif
