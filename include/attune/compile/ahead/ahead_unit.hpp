// attune/compile/ahead/ahead_unit.hpp - the lists of functions that were compiled with the program.
// SPDX-License-Identifier: MIT
#pragma once

// The generated unit includes this header before a kernel file: no standard headers here.
#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// A text that contains the function type as the compiler writes it:
/// `F = void(std::span<const float>, int)`.
template <class F>
[[nodiscard]] constexpr char const* function_type_text() noexcept
{
    return __PRETTY_FUNCTION__;
}

/// `&at` identifies a type within a program or shared library, with and without RTTI. `at` is not
/// const, because a linker may merge constants; it is never written.
template <class F>
struct __attribute__((visibility("hidden"))) attune_type_tag {
    static inline char at = 0;
};

/// A function type as a value.
struct function_type {
    char const* text = "";     ///< for messages only: g++ has several texts for one type
    void const* tag = nullptr; ///< &attune_type_tag<F>::at; null: no type
};

template <class F>
[[nodiscard, gnu::visibility("hidden")]] constexpr function_type function_type_of() noexcept
{
    return {function_type_text<F>(), &attune_type_tag<F>::at};
}

/// A function of a kernel file that was compiled into the program with its defaults.
struct function_ahead {
    char const* name;   ///< as the program declares it: "sgemm", "linear::sgemm" or "sgemm<TILE>"
    function_type type; ///< of the function, without `noexcept`
    void* (*address)(); ///< returns the function, to be cast to `type`
    char const* path;   ///< of the kernel file, as in its embedded_file
    char const* flags;  ///< the FLAGS of attune_add_kernel, each followed by a line feed
};

/// Not a pointer to a function (a member pointer, say): its empty type never matches.
template <class Pointer>
struct ahead_type {
    static constexpr function_type type{};
    static constexpr bool is_function = false;
};
template <class Result, class... Args>
struct ahead_type<Result (*)(Args...)> {
    static constexpr function_type type = function_type_of<Result(Args...)>();
    static constexpr bool is_function = true;

    /// Calls `Function` with a stack that begins at a multiple of 64 bytes, as the entry of a
    /// variant does (compile/source/entry.hpp), so that times of both can be compared.
    template <Result (*Function)(Args...)>
    static Result entry(Args... arguments)
    {
        alignas(64) char frame;
        __asm__ volatile("" : : "r"(&frame) : "memory");
        return Function(static_cast<Args&&>(arguments)...);
    }
};
template <class Result, class... Args>
struct ahead_type<Result (*)(Args...) noexcept> : ahead_type<Result (*)(Args...)> {};

/// The address of `Function`. Not a constant, because reinterpret_cast is not constexpr.
template <auto Function>
void* ahead_address() noexcept
{
    if constexpr (ahead_type<decltype(Function)>::is_function)
        return reinterpret_cast<void*>(&ahead_type<decltype(Function)>::template entry<Function>);
    else
        return nullptr;
}

/// For generated code: describes `Function`.
template <auto Function>
[[nodiscard]] constexpr function_ahead describe_ahead(char const* name, char const* path,
                                                      char const* flags) noexcept
{
    return {name, ahead_type<decltype(Function)>::type, &ahead_address<Function>, path, flags};
}

/// A __global__ function of a kernel file that was compiled to PTX with its defaults.
struct device_ahead {
    char const* name;  ///< as the program declares it: "saxpy", "linear::gemm" or "gemm<TILE>"
    char const* entry; ///< its symbol in the PTX
    char const* types; ///< of its arguments: "float const*, int"; "?": unknown with C linkage
    char const* path;  ///< of the kernel file, as in its embedded_file
    char const* flags; ///< the FLAGS of attune_add_kernel, each followed by a line feed
    unsigned char const* ptx; ///< zero-terminated text
};

} // namespace attune::inline ATTUNE_ABI::detail

/// Adds a `device_ahead` to the program's list. For generated code.
#define ATTUNE_LIST_PTX(kernel)                                                                    \
    __attribute__((section("attune_ptx"), used,                                                    \
                   retain)) attune::detail::device_ahead const* const kernel##_listed = &(kernel);

/// Adds a `function_ahead` to the program's list. For generated code.
#define ATTUNE_LIST_AHEAD(function)                                                                \
    __attribute__((section("attune_ahead"), used,                                                  \
                   retain)) attune::detail::function_ahead const* const function##_listed =        \
        &(function);
