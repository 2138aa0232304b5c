// attune/tune/kernel/drawn_arguments.hpp - calls with the arguments that a user's function draws: kernel.calls(f).
// SPDX-License-Identifier: MIT
// tested by tune/kernel/declared_lengths.cpp
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/shape/call_draw.hpp>
#include <attune/core/shape/call_shape.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/kernel/keyed_call.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Makes a call of a kernel whose shapes count by `choice`. The call owns its arrays.
using drawn_call_maker =
    std::function<keyed_call(call_draw& draw, shape_choice const& choice,
                             std::vector<std::optional<tolerance>> const& tolerances)>;

template <class T>
inline constexpr bool is_made_of_elements = is_span<T> || is_constant_view<T>;

/// What makes an argument of type `T`: a container of the elements for an array, else a value.
template <class T, class Made>
concept argument_source =
    (is_made_of_elements<T> && requires(Made& made) { T{made.data(), made.size()}; }) ||
    (!is_made_of_elements<T> && requires(Made& made) { static_cast<T>(made); });

/// `made` as an argument of type `T`.
/// Errors   attune::error: the type has another number of elements
template <class T, class Made>
    requires argument_source<T, Made>
[[nodiscard]] T argument_of(Made& made)
{
    if constexpr (is_span<T>)
        if constexpr (T::extent != std::dynamic_extent)
            if (made.size() != T::extent)
                throw error(
                    "kernel.calls(f): an array has another number of elements than its type", {},
                    "give a std::span<T, " + std::to_string(T::extent) + "> as many elements");
    if constexpr (is_made_of_elements<T>)
        return T{made.data(), made.size()};
    else
        return static_cast<T>(made);
}

/// Whether `F` returns a std::tuple that makes `Args`.
template <class F, class... Args>
[[nodiscard]] consteval bool makes_arguments()
{
    if constexpr (!std::is_invocable_v<F const&, call_draw&>)
        return false;
    else {
        using made = std::remove_cvref_t<std::invoke_result_t<F const&, call_draw&>>;
        if constexpr (requires { std::tuple_size<made>::value; }) {
            if constexpr (std::tuple_size_v<made> == sizeof...(Args))
                return []<std::size_t... At>(std::index_sequence<At...>) {
                    return (argument_source<Args, std::tuple_element_t<At, made>> && ...);
                }(std::index_sequence_for<Args...>{});
            else
                return false;
        } else
            return false;
    }
}

/// @param f  see kernel.calls()
template <class Result, class... Args, class F>
[[nodiscard]] drawn_call_maker make_call_maker(F f)
{
    return [f = std::move(f)](call_draw& draw, shape_choice const& choice,
                              std::vector<std::optional<tolerance>> const& tolerances) {
        auto const held = std::make_shared<decltype(f(draw))>(f(draw));
        keyed_call out;
        auto const make = [&]<std::size_t... At>(std::index_sequence<At...>) {
            auto const of = [&](Args const&... args) {
                auto const key = shape_of_call<Args...>{choice}(args...);
                out.shape.assign(key.begin(), key.end());
                out.frame = make_frame_of<Result, Args...>(tolerances, args...);
            };
            of(argument_of<Args>(std::get<At>(*held))...);
        };
        make(std::index_sequence_for<Args...>{});
        out.frame.result =
            std::make_shared<std::pair<std::shared_ptr<void>, std::shared_ptr<void>>>(
                out.frame.result, held);
        return out;
    };
}

} // namespace attune::inline ATTUNE_ABI::detail
