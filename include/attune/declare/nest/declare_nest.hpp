// attune/declare/nest/declare_nest.hpp - statements become a program, or one sentence of what is wrong.
// SPDX-License-Identifier: MIT
// tested by declare/nest/evaluate.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/declaration.hpp>
#include <attune/declare/nest/value_pack.hpp>

#include <cstddef>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

template <class T>
inline constexpr bool is_nest_assignment = false;
template <write_kind Kind, class Target, class Value>
inline constexpr bool is_nest_assignment<nest_assignment<Kind, Target, Value>> = true;

/// One sentence, and only one, for what is wrong with the types.
template <class Declaration>
[[nodiscard]] consteval bool check_declaration()
{
    constexpr nest_fault fault = Declaration::outline.fault;
    static_assert(fault != nest_fault::too_large,
                  "attune: nest: a program has at most 64 arrays, 64 axes and 255 elements");
    static_assert(
        fault != nest_fault::same_name,
        "attune: nest: the program, its arrays, axes and inputs have a name each, and two "
        "of them are the same");
    static_assert(fault != nest_fault::reserved_name,
                  "attune: nest: a name is a word of C++, or begins with _; the generated code "
                  "cannot use it");
    static_assert(
        fault != nest_fault::other_shape,
        "attune: nest: two arrays, two axes or two inputs of one name have other types or "
        "extents");
    static_assert(fault != nest_fault::target_of_no_axes,
                  "attune: nest: what a statement writes has one index for each dimension, each of "
                  "them another axis: C[i][j] = ...; read with indices such as 2 * i + r instead");
    static_assert(fault != nest_fault::free_axis,
                  "attune: nest: an axis of the value is no index of what is written; reduce over "
                  "it, as by attune::sum(k)(...) or +=");
    static_assert(fault != nest_fault::reduced_target,
                  "attune: nest: a reduction is over an axis that is an index of what is written");
    static_assert(fault != nest_fault::nested_reduction,
                  "attune: nest: a reduction is inside another one; write the inner one to an "
                  "attune::temporary first");
    static_assert(fault != nest_fault::partial_reduction,
                  "attune: nest: a reduction inside a formula is the same for several elements of "
                  "what is written; write it to an attune::temporary first, once for each");
    static_assert(fault != nest_fault::written_twice,
                  "attune: nest: two statements write one array; write an attune::temporary first");
    static_assert(fault != nest_fault::read_before_written,
                  "attune: nest: a temporary is read, or continued by +=, before a statement has "
                  "written it");
    static_assert(fault != nest_fault::read_and_written,
                  "attune: nest: an array is written by a statement that reads it, or by a later "
                  "one; write another array, or continue it by +=");
    static_assert(
        fault != nest_fault::no_result,
        "attune: nest: the statements write temporaries alone, and no array of the caller");
    static_assert(fault != nest_fault::unknown_extent,
                  "attune: nest: an axis is no index of an array by itself, so that its extent is "
                  "not known; declare it: attune::axis<\"r\", 3>()");
    static_assert(fault != nest_fault::extents_differ,
                  "attune: nest: an axis is an index of two arrays with other extents there; "
                  "shapes do not fit, or the axis needs its own: attune::axis<\"i\", 62>()");
    static_assert(fault != nest_fault::target_not_whole,
                  "attune: nest: an axis has an extent of its own that is not that of the array "
                  "which is written; a statement writes all elements");
    if constexpr (fault == nest_fault::none) {
        constexpr bool whole = Declaration::order_is_whole;
        static_assert(whole,
                      "attune: nest: with_arguments(...) names each array that is no temporary and "
                      "each input once");
        return whole;
    } else
        return false;
}

/// Stands for a program that is wrong, so that there is one error.
struct no_declaration {};

template <class... Steps>
[[nodiscard]] consteval value_pack<Steps...> made_steps(Steps const&... steps)
{
    return [&]<std::size_t... At>(std::index_sequence<At...>) {
        return value_pack<Steps...>{{pack_part<At, Steps>{steps}...}};
    }(std::index_sequence_for<Steps...>{});
}

/// A program of `statements`. In a constant expression, so that what is wrong does not compile.
template <fixed_string Name, class... Statements>
[[nodiscard]] consteval auto declare_nest(Statements const&... statements)
{
    constexpr bool named = is_identifier(Name.view());
    static_assert(named, "attune: nest<\"name\">(...): the name is that of a function");
    constexpr bool written = sizeof...(Statements) > 0 && (is_nest_assignment<Statements> && ...);
    static_assert(written,
                  "attune: nest<\"name\">(...) takes statements: C[i][j] = ..., C[i][j] += ...");
    if constexpr (named && written) {
        using declaration =
            nest_declaration<Name, type_list<>, decltype(make_step(std::declval<Statements>()))...>;
        if constexpr (check_declaration<declaration>()) {
            declaration const out(made_steps(make_step(statements)...));
            auto const numbers = out.numbers();
            if (leaves_an_array(declaration::form(numbers)))
                throw declaration_error("attune: nest: an index leaves its array; write "
                                        "attune::padded(x)[...] where it then reads 0, or make the "
                                        "axis shorter");
            return out;
        } else
            return no_declaration{};
    } else
        return no_declaration{};
}

} // namespace attune::inline ATTUNE_ABI::detail
