// attune/compile/source/signature.hpp - the types of a kernel's arguments as C++ text.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/source.hpp>
#include <attune/core/constant_array.hpp>
#include <attune/core/device_span.hpp>
#include <attune/core/kernel_type.hpp>
#include <attune/core/matrix_view.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

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

template <class T>
struct constant_view_parts {
    static constexpr bool is_constant_view = false;
};
template <class T>
struct constant_view_parts<constant_view<T>> {
    static constexpr bool is_constant_view = true;
    using element = T;
};

template <class T>
struct view_parts {
    static constexpr bool is_view = false;
};
template <class T>
struct view_parts<matrix_view<T>> {
    static constexpr bool is_view = true;
    static constexpr char const* name = "attune::matrix_view<";
    using element = T;
};
template <class T>
struct view_parts<volume_view<T>> {
    static constexpr bool is_view = true;
    static constexpr char const* name = "attune::volume_view<";
    using element = T;
};

/// Returns true if `type_text<T>()` exists: for void, for each type that attune::kernel_type<T>
/// names, and for spans, views, pointers and references to const of such a type.
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
    } else if constexpr (span_parts<bare>::is_span) {
        return has_type_text<typename span_parts<bare>::element>();
    } else if constexpr (device_span_parts<bare>::is_device_span) {
        return has_type_text<typename device_span_parts<bare>::element>();
    } else if constexpr (constant_view_parts<bare>::is_constant_view) {
        return has_type_text<typename constant_view_parts<bare>::element>();
    } else if constexpr (view_parts<bare>::is_view) {
        return has_type_text<typename view_parts<bare>::element>();
    } else if constexpr (std::is_void_v<bare>) {
        return true;
    } else {
        return can_be_named<bare>();
    }
}

/// The type as C++ text, const on the right: "float const*", "std::span<float const>",
/// "attune::device_span<float>" (see device_type()).
/// Errors   a static_assert with one sentence for unsupported types
template <class T>
[[nodiscard]] std::string type_text()
{
    static_assert(has_type_text<T>(),
                  "attune: a kernel's arguments and result can be numbers, enumerations, "
                  "std::complex, std::array, structures that attune::kernel_type<T> names, and "
                  "std::span, attune::matrix_view, attune::volume_view, attune::device_span, "
                  "pointers and references to const of these");
    if constexpr (has_type_text<T>()) {
        using bare = std::remove_const_t<T>;
        if constexpr (std::is_lvalue_reference_v<T>) {
            return type_text<std::remove_reference_t<T>>() + '&';
        } else if constexpr (std::is_const_v<T>) {
            return type_text<bare>() + " const";
        } else if constexpr (std::is_pointer_v<bare>) {
            return type_text<std::remove_pointer_t<bare>>() + '*';
        } else if constexpr (span_parts<bare>::is_span) {
            using parts = span_parts<bare>;
            std::string text = "std::span<" + type_text<typename parts::element>();
            if constexpr (parts::extent != std::dynamic_extent)
                text += ", " + std::to_string(parts::extent);
            return text + '>';
        } else if constexpr (device_span_parts<bare>::is_device_span) {
            using element = typename device_span_parts<bare>::element;
            return "attune::device_span<" + type_text<element>() + '>';
        } else if constexpr (constant_view_parts<bare>::is_constant_view) {
            using element = typename constant_view_parts<bare>::element;
            return "attune::constant_view<" + type_text<element>() + '>';
        } else if constexpr (view_parts<bare>::is_view) {
            using parts = view_parts<bare>;
            return parts::name + type_text<typename parts::element>() + '>';
        } else if constexpr (std::is_void_v<bare>) {
            return "void";
        } else {
            return detail::kernel_name<bare>();
        }
    }
}

/// The value type that remains without spans, views, pointers, references and const.
template <class T>
struct innermost {
    using type = T;
};
template <class T>
struct innermost<T const> : innermost<T> {};
template <class T>
struct innermost<T*> : innermost<T> {};
template <class T>
struct innermost<T* const> : innermost<T> {};
template <class T>
struct innermost<T&> : innermost<T> {};
template <class T, std::size_t N>
struct innermost<std::span<T, N>> : innermost<T> {};
template <class T>
struct innermost<device_span<T>> : innermost<T> {};
template <class T>
struct innermost<constant_view<T>> : innermost<T> {};
template <class T>
struct innermost<matrix_view<T>> : innermost<T> {};
template <class T>
struct innermost<volume_view<T>> : innermost<T> {};

/// Adds to `text` what a kernel file needs for a type: the header that defines the type, and a
/// check of the size and alignment of a structure or enumeration.
template <class T>
void declare_type(std::string& text)
{
    auto const add = [&text](std::string const& line) {
        if (text.find(line) == std::string::npos) text += line;
    };
    if constexpr (array_length<T> > 0 && !has_kernel_name<T>) {
        add("#include <array>\n");
        declare_type<std::remove_cv_t<typename member_of_array<T>::type>>(text);
    } else if constexpr (has_kernel_name<T> && !std::is_arithmetic_v<T>) {
        if constexpr (requires { kernel_type<T>::header; })
            add("#include " + std::string(kernel_type<T>::header) + '\n');
        if constexpr ((std::is_class_v<T> || std::is_enum_v<T> || std::is_union_v<T>) &&
                      !standard_complex<T> && !std::is_same_v<T, std::byte>) {
            std::string const name = kernel_name<T>();
            std::string const size = std::to_string(sizeof(T));
            add("static_assert(sizeof(" + name + ") == " + size + " && alignof(" + name +
                ") == " + std::to_string(alignof(T)) + ", \"attune: " + name + " has " + size +
                " bytes in the program, and another size or alignment in the kernel file\");\n");
        }
    }
}

template <class T>
void declare(std::string& text)
{
    if constexpr (view_parts<std::remove_cvref_t<T>>::is_view)
        if (constexpr std::string_view line = "#include <attune/matrix_view.hpp>\n";
            text.find(line) == std::string::npos)
            text += line;
    declare_type<typename innermost<std::remove_cvref_t<T>>::type>(text);
}

template <class Signature>
struct signature_parts {
    static constexpr bool is_function = false;
};
template <class Result, class... Arguments>
struct signature_parts<Result(Arguments...)> {
    static constexpr bool is_function = true;
    static void write(compile_request& v)
    {
        v.result = type_text<Result>();
        v.arguments = {type_text<Arguments>()...};
        (declare<Arguments>(v.declarations), ...);
        if constexpr (!std::is_void_v<Result>) declare<Result>(v.declarations);
    }
};

} // namespace detail

/// A request without macros for the kernel `function` with the function type `Signature`:
/// `variant_of<void(std::span<float>, int)>("scale")`.
template <class Signature>
[[nodiscard]] compile_request variant_of(std::string function)
{
    static_assert(detail::signature_parts<Signature>::is_function,
                  "attune: a kernel's signature is written as a function type, such as "
                  "void(std::span<float const>, std::span<float>, int)");
    compile_request v{std::move(function), "void", {}, {}};
    if constexpr (detail::signature_parts<Signature>::is_function)
        detail::signature_parts<Signature>::write(v);
    return v;
}

} // namespace attune::inline ATTUNE_ABI
