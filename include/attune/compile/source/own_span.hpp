// attune/compile/source/own_span.hpp - spans of generated text, which includes nothing.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <span>
#include <string>
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

/// "attune_span<float const>" for "std::span<float const>"; other types as they are.
/// @pre  no span of a fixed extent
[[nodiscard]] inline std::string with_own_span(std::string const& type)
{
    constexpr char const* from = "std::span<";
    return type.starts_with(from) ? "attune_span<" + type.substr(std::string(from).size()) : type;
}

} // namespace attune::inline ATTUNE_ABI::detail
