// attune/tune/kernel/launch_declaration.hpp - grid, block and shared memory as formulas of a declaration.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/launch.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/expression/expression.hpp>
#include <attune/declare/lower.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The launch of a kernel on a device, as nodes of the kernel's space. no_index: not declared, so
/// 1, or 0 bytes. Ignored by compilers for this processor.
struct launch_declaration {
    using extents = std::array<std::uint32_t, 3>; ///< in x, y, z

    extents grid{no_index, no_index, no_index};    ///< blocks
    extents block{no_index, no_index, no_index};   ///< threads of a block
    extents cluster{no_index, no_index, no_index}; ///< blocks of a cluster
    std::uint32_t shared_bytes = no_index;         ///< dynamic shared memory of a block
    bool is_cooperative = false;
};

namespace detail {

/// An argument that is a raw pointer or an array of pointers, and the length behind each pointer.
struct argument_extent {
    std::size_t position = 0;      ///< of the argument, 0-based
    std::uint32_t node = no_index; ///< of the kernel's space, over inputs; no_index: not declared
};

} // namespace detail

/// The geometry at one configuration. If an extent has no value there, such as a quotient by zero,
/// or is 2^63 or more, it becomes 0, which no device launches. Shared bytes become -1.
/// @param bound  the kernel's space with the values of its inputs
/// @pre   `bound` was made from the description that `launch` was declared in
[[nodiscard]] launch_geometry geometry_at(launch_declaration const& launch,
                                          description const& bound, point const& at);

namespace detail {

/// Returns true if a formula of the launch reads this parameter, an index into `space.parameters`.
[[nodiscard]] bool reads(launch_declaration const& launch, description const& space,
                         std::uint32_t parameter);

} // namespace detail

/// Returns the declared launch as text: equal texts mean equal launches for all configurations.
[[nodiscard]] std::string text_of(launch_declaration const& launch, description const& space);

namespace detail {

/// Returns true if grid(...) and similar functions accept `E`: a whole number without code
/// quantities.
template <class E>
[[nodiscard]] constexpr bool is_launch_number()
{
    if constexpr (symbolic<E>)
        return kind_yielded<E> == value_kind::integer &&
               !reads_code<decltype(lift(std::declval<E const&>()))>;
    else
        return std::is_integral_v<E> && !std::is_same_v<E, bool>;
}

template <class... E>
void declare_extents(description& space, launch_declaration::extents& out, std::string_view what,
                     E const&... numbers)
{
    constexpr bool three_at_most = sizeof...(E) >= 1 && sizeof...(E) <= 3;
    static_assert(
        three_at_most,
        "attune: kernel.grid(x, y, z), block(x, y, z), cluster(x, y, z): give one, two or "
        "three extents");
    constexpr bool whole = (is_launch_number<E>() && ...);
    static_assert(
        whole, "attune: kernel.grid(...), block(...), cluster(...): an extent is a whole number, "
               "or an expression over parameters and inputs that yields one");
    if constexpr (three_at_most && whole) out = {lower_formula(space, numbers, what).root...};
    for (std::size_t i = sizeof...(E); i < out.size(); ++i)
        out[i] = no_index; // the list above has set these to 0
}

template <class E>
void declare_shared_bytes(description& space, std::uint32_t& out, E const& bytes)
{
    constexpr bool whole = is_launch_number<E>();
    static_assert(whole,
                  "attune: kernel.shared_bytes(n): n is a whole number, or an expression over "
                  "parameters and inputs that yields one");
    if constexpr (whole) out = lower_formula(space, bytes, "kernel.shared_bytes(...)").root;
}

template <bool... NeedsExtent>
[[nodiscard]] std::vector<argument_extent> pointers_among()
{
    std::vector<argument_extent> out;
    std::size_t position = 0;
    auto const look = [&](bool needs_extent) {
        if (needs_extent) out.push_back({position, no_index});
        ++position;
    };
    (look(NeedsExtent), ...);
    return out;
}

template <class E>
void declare_extent(description& space, argument_extent& out, E const& elements)
{
    constexpr bool whole = is_launch_number<E>();
    static_assert(whole,
                  "attune: kernel.extent<i>(n): n is a whole number, or an expression over inputs "
                  "that yields one");
    if constexpr (whole) {
        constexpr bool varies = reads_parameter<decltype(lift(elements))>;
        static_assert(!varies,
                      "attune: kernel.extent<i>(n): n reads a parameter, but an argument has the "
                      "same size for every variant; use inputs");
        if constexpr (!varies) out.node = lower_formula(space, elements, "kernel.extent(...)").root;
    }
}

/// Adds a condition on compiled code to `rules`, and the inputs that it reads to `space`.
/// Errors   attune::error: one name has two meanings
void add_code_rule(description& space, description& rules, std::span<instruction const> code);
/// Adds a number of compiled code to `into` as a feature, and the inputs that it reads to `space`.
void add_code_feature(description& space, description& into, std::span<instruction const> code);

template <class C>
void declare_code_rule(description& space, description& rules, C const& condition)
{
    constexpr bool formula = symbolic<C>;
    static_assert(formula,
                  "attune: kernel.require(...) takes conditions such as attune::registers <= 64");
    if constexpr (formula) {
        constexpr bool decides = kind_yielded<C> == value_kind::boolean;
        static_assert(decides,
                      "attune: kernel.require(...): this is a number, not a condition; compare it "
                      "with something");
        constexpr bool of_code = reads_code<decltype(lift(condition))>;
        static_assert(
            of_code || !decides,
            "attune: kernel.require(...): this condition reads nothing of the compiled "
            "code; write it in space(...).where(...), so that nothing is compiled for it");
        if constexpr (decides && of_code) add_code_rule(space, rules, lift(condition).code);
    }
}

template <class F>
void declare_code_feature(description& space, description& into, F const& feature)
{
    constexpr bool formula = symbolic<F>;
    static_assert(formula,
                  "attune: kernel.features(...) takes numbers of the compiled code, such as "
                  "attune::registers");
    if constexpr (formula) {
        constexpr bool number = is_number(kind_yielded<F>);
        static_assert(number,
                      "attune: kernel.features(...): a feature is one number or a condition");
        constexpr bool of_code = reads_code<decltype(lift(feature))>;
        static_assert(
            of_code || !number,
            "attune: kernel.features(...): this feature reads nothing of the compiled code; write "
            "it in space(...).features(...), so that it is known before anything is compiled");
        if constexpr (number && of_code) add_code_feature(space, into, lift(feature).code);
    }
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/kernel/launch_declaration.ipp>
#endif
