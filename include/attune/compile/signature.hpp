// attune/compile/signature.hpp - the types of a kernel's arguments as C++ text.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> [compile] -> measure -> remember
// In       a function type: void(std::span<float const>, int)
// Out      the same as text that compiles in the kernel's file: "std::span<float const>", "int"
// Source   own
// Depends  std only
// Tests    tests/compile/signature.cpp
#pragma once

#include <attune/compile/variant.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/device_span.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

template <class T>
struct type_name {
    static constexpr bool known = false;
};

template <class T>
struct span_parts {
    static constexpr bool is_span = false;
};
template <class T, std::size_t Extent>
struct span_parts<std::span<T, Extent>> {
    static constexpr bool is_span = true;
    static constexpr std::size_t extent = Extent;
    using element = T;
};

template <class T>
struct device_span_parts {
    static constexpr bool is_device_span = false;
};
template <class T>
struct device_span_parts<device_span<T>> {
    static constexpr bool is_device_span = true;
    using element = T;
};

#define ATTUNE_TYPE_NAME(type)                                                                     \
    template <>                                                                                    \
    struct type_name<type> {                                                                       \
        static constexpr bool known = true;                                                        \
        static constexpr char const* text = #type;                                                 \
    };
ATTUNE_TYPE_NAME(void)
ATTUNE_TYPE_NAME(bool)
ATTUNE_TYPE_NAME(char)
ATTUNE_TYPE_NAME(signed char)
ATTUNE_TYPE_NAME(unsigned char)
ATTUNE_TYPE_NAME(wchar_t)
ATTUNE_TYPE_NAME(char8_t)
ATTUNE_TYPE_NAME(char16_t)
ATTUNE_TYPE_NAME(char32_t)
ATTUNE_TYPE_NAME(short)
ATTUNE_TYPE_NAME(unsigned short)
ATTUNE_TYPE_NAME(int)
ATTUNE_TYPE_NAME(unsigned int)
ATTUNE_TYPE_NAME(long)
ATTUNE_TYPE_NAME(unsigned long)
ATTUNE_TYPE_NAME(long long)
ATTUNE_TYPE_NAME(unsigned long long)
ATTUNE_TYPE_NAME(float)
ATTUNE_TYPE_NAME(double)
ATTUNE_TYPE_NAME(long double)
#undef ATTUNE_TYPE_NAME
template <>
struct type_name<std::byte> {
    static constexpr bool known = true;
    static constexpr char const* text = "std::byte";
};

} // namespace detail

/// True when `type_text<T>()` exists: void, arithmetic types, std::byte, and spans in host or
/// device memory of, pointers to and references to const of such types.
template <class T>
[[nodiscard]] consteval bool has_type_text() noexcept
{
    using bare = std::remove_const_t<T>;
    if constexpr (std::is_volatile_v<T> || std::is_rvalue_reference_v<T>) {
        return false;
    } else if constexpr (std::is_lvalue_reference_v<T>) {
        using target = std::remove_reference_t<T>;
        return std::is_const_v<target> && has_type_text<target>();
    } else if constexpr (std::is_pointer_v<bare>) {
        return has_type_text<std::remove_pointer_t<bare>>();
    } else if constexpr (detail::span_parts<bare>::is_span) {
        return has_type_text<typename detail::span_parts<bare>::element>();
    } else if constexpr (detail::device_span_parts<bare>::is_device_span) {
        return has_type_text<typename detail::device_span_parts<bare>::element>();
    } else {
        return detail::type_name<bare>::known;
    }
}

/// The type as C++ text, const to the right: "float const*", "std::span<float const>",
/// "attune::device_span<float>", which a compiler for a device writes as "float*".
/// Errors   a static_assert with one sentence for a type that a kernel file may not know
template <class T>
[[nodiscard]] std::string type_text()
{
    static_assert(has_type_text<T>(),
                  "attune: a kernel's arguments and result can be arithmetic types, std::byte, "
                  "std::span<T>, std::span<T const>, attune::device_span, pointers, and references "
                  "to const; give a structure of your own as its members or as a pointer to bytes");
    if constexpr (has_type_text<T>()) {
        using bare = std::remove_const_t<T>;
        if constexpr (std::is_lvalue_reference_v<T>) {
            return type_text<std::remove_reference_t<T>>() + '&';
        } else if constexpr (std::is_const_v<T>) {
            return type_text<bare>() + " const";
        } else if constexpr (std::is_pointer_v<bare>) {
            return type_text<std::remove_pointer_t<bare>>() + '*';
        } else if constexpr (detail::span_parts<bare>::is_span) {
            using parts = detail::span_parts<bare>;
            std::string text = "std::span<" + type_text<typename parts::element>();
            if constexpr (parts::extent != std::dynamic_extent)
                text += ", " + std::to_string(parts::extent);
            return text + '>';
        } else if constexpr (detail::device_span_parts<bare>::is_device_span) {
            using element = typename detail::device_span_parts<bare>::element;
            return "attune::device_span<" + type_text<element>() + '>';
        } else {
            return detail::type_name<bare>::text;
        }
    }
}

namespace detail {

template <class Signature>
struct signature_parts {
    static constexpr bool is_function = false;
};
template <class Result, class... Arguments>
struct signature_parts<Result(Arguments...)> {
    static constexpr bool is_function = true;
    static void write(variant& v)
    {
        v.result = type_text<Result>();
        v.arguments = {type_text<Arguments>()...};
    }
};

} // namespace detail

/// A variant without macros of the kernel `function`, whose signature is the function type
/// `Signature`: `variant_of<void(std::span<float>, int)>("scale")`.
template <class Signature>
[[nodiscard]] variant variant_of(std::string function)
{
    static_assert(detail::signature_parts<Signature>::is_function,
                  "attune: a kernel's signature is written as a function type, such as "
                  "void(std::span<float const>, std::span<float>, int)");
    variant v{std::move(function), "void", {}, {}};
    if constexpr (detail::signature_parts<Signature>::is_function)
        detail::signature_parts<Signature>::write(v);
    return v;
}

} // namespace attune::inline ATTUNE_ABI
