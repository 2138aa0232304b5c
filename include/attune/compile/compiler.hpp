// attune/compile/compiler.hpp - the concepts of compilers, and a type-erased compiler.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/source.hpp>
#include <attune/core/callable.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

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
#include <attune/compile/compiler.ipp>
#endif
