// attune/compile/ahead_unit.hpp - how a function that was compiled with the program is listed in
// it. SPDX-License-Identifier: MIT tested by compile/ahead.cpp
#pragma once

// A kernel file follows this header in the generated unit: no header of the standard library here.
#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI {

/// One function of a kernel file, compiled into the program with its defaults.
struct function_ahead {
    char const* name;   ///< as the program declares it: "sgemm", "linear::sgemm" or "sgemm<TILE>"
    char const* type;   ///< its type, as function_type_text() writes it
    void* (*address)(); ///< to be cast to that type
    char const* path;   ///< of the kernel file, as in its embedded_kernel
    char const* flags;  ///< the FLAGS of attune_add_kernel, each followed by a line feed
};

/// A function type as this compiler writes it: `F = void(std::span<const float>, int)` somewhere in
/// a longer text. Equal texts mean equal types while one compiler compiles all of the program.
template <class F>
[[nodiscard]] constexpr char const* function_type_text() noexcept
{
    return __PRETTY_FUNCTION__;
}

namespace detail {

/// A pointer to something that is no function, such as a member of a class: never matches.
template <class Pointer>
struct ahead_type {
    static constexpr char const* text = "";
    static constexpr bool is_function = false;
};
template <class Result, class... Args>
struct ahead_type<Result (*)(Args...)> {
    static constexpr char const* text = function_type_text<Result(Args...)>();
    static constexpr bool is_function = true;
};
template <class Result, class... Args>
struct ahead_type<Result (*)(Args...) noexcept> : ahead_type<Result (*)(Args...)> {};

/// The address of `Function`; a constant cannot hold it as what it is not.
template <auto Function>
void* ahead_address() noexcept
{
    if constexpr (ahead_type<decltype(Function)>::is_function)
        return reinterpret_cast<void*>(Function);
    else
        return nullptr;
}

} // namespace detail

/// For generated code: what `&function` is, less a `noexcept`.
template <auto Function>
[[nodiscard]] constexpr function_ahead
describe_ahead(char const* name, char const* path, char const* flags) noexcept
{
    return {name,
            detail::ahead_type<decltype(Function)>::text,
            &detail::ahead_address<Function>,
            path,
            flags};
}

} // namespace attune::inline ATTUNE_ABI

/// Lists a `function_ahead` among those of the program. For generated code.
#define ATTUNE_LIST_AHEAD(function)                                                                \
    __attribute__((section("attune_ahead"),                                                        \
                   used)) attune::function_ahead const* const function##_listed = &(function);
