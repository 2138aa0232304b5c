// attune/compile/source/own_span.hpp - spans and constant arrays of generated text, which includes nothing.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/constant_view.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace attune::inline ATTUNE_ABI::detail {

/// What a generated kernel has in place of std::span: the same two members, a pointer and a number,
/// so that both are passed in the same registers. The header <span> of libstdc++ 12 takes
/// clang++-19 110 ms, twice as long as all else of a program's variant at -O3.
inline constexpr char const* own_span_text =
    "template <class T>\n"
    "struct attune_span {\n"
    "    T* first;\n"
    "    decltype(sizeof(0)) count;\n"
    "    T* data() const { return first; }\n"
    "    decltype(sizeof(0)) size() const { return count; }\n"
    "};\n";

static_assert(sizeof(std::span<float const>) == sizeof(float const*) + sizeof(std::size_t) &&
                  std::is_trivially_copyable_v<std::span<float const>>,
              "attune: std::span is more than a pointer and a number here");

/// The same for attune::constant_view: its members, and those of detail::constant_forms.
inline constexpr char const* own_constant_text =
    "struct attune_forms {\n"
    "    void const* (*find)(attune_forms*, char const*, long const*, long);\n"
    "    void* (*begin)(attune_forms*, char const*, long const*, long, unsigned long, void**);\n"
    "    void const* (*keep)(attune_forms*, void*);\n"
    "};\n"
    "template <class T>\n"
    "struct attune_constant {\n"
    "    T const* first;\n"
    "    decltype(sizeof(0)) count;\n"
    "    attune_forms* kept;\n"
    "    T const* data() const { return first; }\n"
    "    decltype(sizeof(0)) size() const { return count; }\n"
    "    attune_forms* forms() const { return kept; }\n"
    "};\n";
/// In a release.
inline constexpr char const* installed_constant_text =
    "#include <attune/core/constant_view.hpp>\n"
    "using attune_forms = attune::detail::constant_forms;\n";

/// A form of a constant array while a function runs: the one that the array keeps, or a new one
/// that `fill` fills. Where nothing keeps forms, or there is no memory to keep one, it goes with
/// the function.
inline constexpr char const* kept_form_text =
    "namespace {\n"
    "template <class T>\n"
    "struct attune_kept {\n"
    "    template <class Fill>\n"
    "    attune_kept(attune_forms* in, char const* name, long const* numbers, long count,\n"
    "                long elements, Fill const& fill)\n"
    "    {\n"
    "        if (in != nullptr)\n"
    "            form = static_cast<T const*>(in->find(in, name, numbers, count));\n"
    "        if (form != nullptr) return;\n"
    "        unsigned long const bytes = static_cast<unsigned long>(elements) * sizeof(T);\n"
    "        void* begun = nullptr;\n"
    "        void* to = nullptr;\n"
    "        if (in != nullptr) to = in->begin(in, name, numbers, count, bytes, &begun);\n"
    "        if (to != nullptr) {\n"
    "            fill(static_cast<T*>(to));\n"
    "            form = static_cast<T const*>(in->keep(in, begun));\n"
    "            return;\n"
    "        }\n"
    "        own = __builtin_malloc(bytes + 64);\n"
    "        if (own == nullptr) __builtin_trap();\n"
    "        T* const line = reinterpret_cast<T*>(\n"
    "            (reinterpret_cast<unsigned long>(own) + 63) / 64 * 64);\n"
    "        fill(line);\n"
    "        form = line;\n"
    "    }\n"
    "    ~attune_kept() { __builtin_free(own); }\n"
    "    attune_kept(attune_kept const&) = delete;\n"
    "    attune_kept& operator=(attune_kept const&) = delete;\n"
    "    T const* data() const { return form; }\n"
    "    T const* form = nullptr;\n"
    "    void* own = nullptr;\n"
    "};\n"
    "} // namespace\n";

static_assert(sizeof(constant_view<float>) == 2 * sizeof(void*) + sizeof(std::size_t) &&
                  std::is_trivially_copyable_v<constant_view<float>>,
              "attune: attune_constant has other members than attune::constant_view");

/// "attune_span<float const>" for "std::span<float const>", "attune_constant<float>" for
/// "attune::constant_view<float>"; other types as they are.
/// @pre  no span of a fixed extent
[[nodiscard]] inline std::string with_own_span(std::string const& type)
{
    constexpr std::string_view span = "std::span<";
    constexpr std::string_view constant = "attune::constant_view<";
    if (type.starts_with(span)) return "attune_span<" + type.substr(span.size());
    if (type.starts_with(constant)) return "attune_constant<" + type.substr(constant.size());
    return type;
}

} // namespace attune::inline ATTUNE_ABI::detail
