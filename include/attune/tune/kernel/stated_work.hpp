// attune/tune/kernel/stated_work.hpp - the work of one call, as the user declares it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/configuration_view.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/lower.hpp>
#include <attune/declare/point.hpp>
#include <attune/measure/roofline/roofline.hpp>

#include <functional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The work of one call.
/// @param bound      the kernel's space with the values of its inputs
/// @param at         the configuration of the call
/// @param arguments  address of the call's std::tuple of arguments
/// @param read       a mark per parameter, set where the user's function reads its value; null: no
///                   marks
/// Errors   attune::error: a formula has no value; exceptions of the user's function pass through
using stated_work = std::function<work(description const& bound, point const& at,
                                       void const* arguments, std::vector<bool>* read)>;

/// The two formulas of a kernel, as nodes of its space.
struct work_formulas {
    lowered_formula flops;
    lowered_formula bytes;
    bool double_precision = false;
};

/// Errors   attune::error: a formula is negative or has no value, such as a quotient by zero or a
///          whole number past 2^63
[[nodiscard]] work value_of(work_formulas const& formulas, description const& bound,
                            point const& at);

template <class T>
inline constexpr bool is_span_of_double = false;
template <class T, std::size_t Extent>
inline constexpr bool is_span_of_double<std::span<T, Extent>> =
    std::is_same_v<std::remove_cv_t<T>, double>;

/// The formulas become nodes of `space`, the kernel's own.
template <class... Args, class Flops, class Bytes>
[[nodiscard]] stated_work work_by_formulas(description& space, Flops const& flops,
                                           Bytes const& bytes)
{
    constexpr bool numbers = is_number_formula<Flops>() && is_number_formula<Bytes>();
    static_assert(
        numbers, "attune: kernel.work(flops, bytes): each is a number or an expression over inputs "
                 "and parameters that yields one");
    if constexpr (numbers)
        return [formulas = work_formulas{lower_formula(space, flops, "kernel.work(...)"),
                                         lower_formula(space, bytes, "kernel.work(...)"),
                                         (is_span_of_double<Args> || ...)}](
                   description const& bound, point const& at, void const*, std::vector<bool>*) {
            return value_of(formulas, bound, at);
        };
    else
        return {};
}

/// Whether kernel.work(f) is of the arguments alone, or of a configuration, too.
template <class F, class... Args>
inline constexpr bool is_work_of_call = std::is_invocable_r_v<work, F const&, Args const&...>;
template <class F, class... Args>
inline constexpr bool is_work_of_configuration =
    !is_work_of_call<F, Args...> &&
    std::is_invocable_r_v<work, F const&, configuration_view const&, Args const&...>;

template <class... Args, class F>
[[nodiscard]] stated_work work_by_function(F f)
{
    constexpr bool fits = is_work_of_call<F, Args...> || is_work_of_configuration<F, Args...>;
    static_assert(fits,
                  "attune: kernel.work(f): f must take the kernel's arguments, before them an "
                  "attune::configuration_view if it reads parameters, and return an attune::work; "
                  "or give two expressions, kernel.work(flops, bytes)");
    if constexpr (is_work_of_call<F, Args...>)
        return [f](description const&, point const&, void const* arguments,
                   std::vector<bool>*) -> work {
            return std::apply(f, *static_cast<std::tuple<Args...> const*>(arguments));
        };
    else if constexpr (fits)
        return [f](description const& bound, point const& at, void const* arguments,
                   std::vector<bool>* read) -> work {
            return std::apply(
                [&](Args const&... args) {
                    return f(configuration_view{bound, at, read}, args...);
                },
                *static_cast<std::tuple<Args...> const*>(arguments));
        };
    else
        return {};
}

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/kernel/stated_work.ipp>
#endif
