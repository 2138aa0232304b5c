// attune/compile/ahead/ahead_unit.hpp - the functions and files that the build put into the program or shared library.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/embedded_file.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <string_view>

// The generated unit includes this header before a kernel file: no standard headers here.

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
    function_type type; ///< type of the function, without `noexcept`
    void* (*address)(); ///< returns the function, to be cast to `type`
    char const* path;   ///< path of the kernel file, as in its embedded_file
    char const* flags;  ///< the FLAGS of attune_add_kernel, each followed by a line feed
};

/// For other types, such as a member pointer: the empty type, which never matches.
template <class Pointer>
struct ahead_type {
    static constexpr function_type type{};
    static constexpr bool is_function = false;
};
template <class Result, class... Args>
struct ahead_type<Result (*)(Args...)> {
    static constexpr function_type type = function_type_of<Result(Args...)>();
    static constexpr bool is_function = true;

    /// Calls `Function` with a stack that begins at a multiple of 64 bytes, like the entry of a
    /// variant (compile/source/entry.hpp). Times of both are then comparable.
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

/// The address of `Function`. Not a constant: reinterpret_cast is not constexpr.
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
    char const* path;  ///< path of the kernel file, as in its embedded_file
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

// The linker defines these symbols for each program and shared library; null if there is no such
// section.
extern "C" {
extern attune::detail::function_ahead const* const __start_attune_ahead
    __attribute__((weak, visibility("hidden")));
extern attune::detail::function_ahead const* const __stop_attune_ahead
    __attribute__((weak, visibility("hidden")));
extern attune::detail::device_ahead const* const __start_attune_ptx
    __attribute__((weak, visibility("hidden")));
extern attune::detail::device_ahead const* const __stop_attune_ptx
    __attribute__((weak, visibility("hidden")));
extern attune::detail::embedded_file const* const __start_attune_kernels
    __attribute__((weak, visibility("hidden")));
extern attune::detail::embedded_file const* const __stop_attune_kernels
    __attribute__((weak, visibility("hidden")));
}

namespace attune::inline ATTUNE_ABI::detail {

/// The kernels that attune_add_kernel and attune_embed_kernel put into one program or shared
/// library.
struct linked_kernels {
    linked_entries<function_ahead> functions{};
    linked_entries<device_ahead> ptx{};
    embedded_files files{};
};

/// The kernels of the program or shared library that contains the caller. Each function between the
/// user's code and this one must be hidden. Two shared libraries share one copy of a visible
/// function, and both would then get the same entries.
[[nodiscard, gnu::visibility("hidden")]] inline linked_kernels linked_with_caller() noexcept
{
    return {{&__start_attune_ahead, &__stop_attune_ahead},
            {&__start_attune_ptx, &__stop_attune_ptx},
            {{&__start_attune_kernels, &__stop_attune_kernels}}};
}

/// The type in a function_type's text: "void(std::span<const float>, int)".
[[nodiscard]] inline std::string_view written_type(std::string_view text)
{
    std::size_t const begin = text.find("F = ");
    std::size_t const end = text.rfind(']');
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin + 4)
        return text;
    return text.substr(begin + 4, end - begin - 4);
}

/// Compares texts too, because each shared library has its own tag of a type.
[[nodiscard]] inline bool same_type(function_type const& one, function_type const& other)
{
    return one.tag != nullptr && other.tag != nullptr &&
           (one.tag == other.tag || written_type(one.text) == written_type(other.text));
}

} // namespace attune::inline ATTUNE_ABI::detail
