// attune/compile/ahead/ahead_unit.hpp - how a program lists the functions that were compiled with it.
// SPDX-License-Identifier: MIT
#pragma once

// A kernel file follows this header in the generated unit: no header of the standard library here.
#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// A function type as this compiler writes it: `F = void(std::span<const float>, int)` somewhere in
/// a longer text.
template <class F>
[[nodiscard]] constexpr char const* function_type_text() noexcept
{
    return __PRETTY_FUNCTION__;
}

/// Its address stands for the type in all of a program or shared library, with and without RTTI.
/// Not constant: a linker may fold constants. Never written.
template <class F>
struct __attribute__((visibility("hidden"))) attune_type_tag {
    static inline char at = 0;
};

} // namespace detail

/// A function type at run time.
struct function_type {
    char const* text = "";     ///< for messages: g++ writes one type in more than one way
    void const* tag = nullptr; ///< of detail::attune_type_tag; null: no type
};

template <class F>
[[nodiscard]] constexpr function_type function_type_of() noexcept
{
    return {detail::function_type_text<F>(), &detail::attune_type_tag<F>::at};
}

/// One function of a kernel file, compiled into the program with its defaults.
struct function_ahead {
    char const* name;   ///< as the program declares it: "sgemm", "linear::sgemm" or "sgemm<TILE>"
    function_type type; ///< of the function, less a `noexcept`
    void* (*address)(); ///< to be cast to that type
    char const* path;   ///< of the kernel file, as in its embedded_kernel
    char const* flags;  ///< the FLAGS of attune_add_kernel, each followed by a line feed
};

namespace detail {

/// A pointer to something that is no function, such as a member of a class: never matches.
template <class Pointer>
struct ahead_type {
    static constexpr function_type type{};
    static constexpr bool is_function = false;
};
template <class Result, class... Args>
struct ahead_type<Result (*)(Args...)> {
    static constexpr function_type type = function_type_of<Result(Args...)>();
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
            detail::ahead_type<decltype(Function)>::type,
            &detail::ahead_address<Function>,
            path,
            flags};
}

/// One __global__ function of a kernel file, compiled to PTX with its defaults.
struct device_ahead {
    char const* name;  ///< as the program declares it: "saxpy", "linear::gemm" or "gemm<TILE>"
    char const* entry; ///< its symbol in the PTX
    char const* types; ///< of its arguments: "float const*, int"; "?": C linkage does not tell
    char const* path;  ///< of the kernel file, as in its embedded_kernel
    char const* flags; ///< the FLAGS of attune_add_kernel, each followed by a line feed
    unsigned char const* ptx; ///< a text that ends with a zero
};

} // namespace attune::inline ATTUNE_ABI

/// Lists a `device_ahead` among those of the program. For generated code.
#define ATTUNE_LIST_PTX(kernel)                                                                    \
    __attribute__((section("attune_ptx"),                                                          \
                   used)) attune::device_ahead const* const kernel##_listed = &(kernel);

/// Lists a `function_ahead` among those of the program. For generated code.
#define ATTUNE_LIST_AHEAD(function)                                                                \
    __attribute__((section("attune_ahead"),                                                        \
                   used)) attune::function_ahead const* const function##_listed = &(function);
