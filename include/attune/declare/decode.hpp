// attune/declare/decode.hpp - plain points to typed configurations, and back.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/order.hpp>
#include <attune/declare/pack.hpp>
#include <attune/declare/text.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The value at a coordinate of a bound table, as the type the parameter declared.
template <class T>
[[nodiscard]] T value_at(parameter_description const& parameter, coordinate at)
{
    if constexpr (std::is_same_v<T, bool>)
        return at.index != 0;
    else if constexpr (std::is_same_v<T, std::string_view>)
        return parameter.labels[at.index];
    else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
        number const n = number_at(parameter, at);
        return n.is_real ? static_cast<T>(n.real) : static_cast<T>(n.integer);
    } else {
        T out{};
        auto const elements = elements_at(parameter, at.index);
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = static_cast<typename T::value_type>(elements[i]);
        return out;
    }
}

namespace detail {

/// Number of coordinates of a value of `P`.
template <class P>
inline constexpr std::size_t coordinate_count =
    group_size<typename P::domain_type> > 0 ? group_size<typename P::domain_type> : 1;

/// The first parameter of the description for each of `P...`.
template <class... P>
[[nodiscard]] constexpr std::array<std::size_t, sizeof...(P)> first_parameters()
{
    std::array<std::size_t, sizeof...(P)> out{};
    std::size_t i = 0, at = 0;
    ((out[i++] = std::exchange(at, at + coordinate_count<P>)), ...);
    return out;
}

/// A value of `P`, as the type it declared.
/// @param space  bound, its first parameter of `P` is `first`
/// @param at     the coordinates of `P`
template <class P>
[[nodiscard]] typename P::value_type
value_in(description const& space, std::size_t first, std::span<coordinate const> at)
{
    using domain = typename P::domain_type;
    using value = typename P::value_type;
    if constexpr (group_size<domain> == 0) {
        return value_at<value>(space.parameters[first], at[0]);
    } else if constexpr (is_long_order<domain>) {
        value out{};
        std::vector<std::uint16_t> const order = order_of_digits(at, out.size());
        for (std::size_t place = 0; place < out.size(); ++place)
            out[place] = order[place];
        return out;
    } else {
        value out{};
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = value_at<typename value::value_type>(space.parameters[first + i], at[i]);
        return out;
    }
}

/// The coordinates of a value of `P`; false when the value is not in its tables.
template <class P>
[[nodiscard]] bool place_value(description const& space,
                               std::size_t first,
                               typename P::value_type const& value,
                               std::span<coordinate> at)
{
    using domain = typename P::domain_type;
    auto const place = [&](std::size_t i, std::string const& text) {
        std::optional<coordinate> const found = coordinate_of(space.parameters[first + i], text);
        if (found) at[i] = *found;
        return found.has_value();
    };
    if constexpr (group_size<domain> == 0) {
        return place(0, text_of_value(value));
    } else if constexpr (is_long_order<domain>) {
        std::vector<std::uint32_t> const digits =
            digits_of_order(std::vector<std::int64_t>(value.begin(), value.end()));
        for (std::size_t k = 0; k < at.size() && !digits.empty(); ++k)
            at[k] = {digits[k], 0};
        return !digits.empty();
    } else {
        bool all = true;
        for (std::size_t i = 0; i < value.size(); ++i)
            all = place(i, text_of_value(value[i])) && all;
        return all;
    }
}

} // namespace detail

/// @pre `space` is the bound description of the pack, `at` is a point of `space`, and `space`
///      outlives the config, whose strings point into `space`
template <class... P, class C, class F>
[[nodiscard]] config<P...>
decode(pack<detail::type_list<P...>, C, F> const&, description const& space, point const& at)
{
    return [&]<std::size_t... Is>(std::index_sequence<Is...>) {
        constexpr auto first = detail::first_parameters<P...>();
        return config<P...>{detail::value_in<P>(
            space, first[Is], std::span(at).subspan(first[Is], detail::coordinate_count<P>))...};
    }(std::index_sequence_for<P...>{});
}

/// The point of the configuration `values`; nothing when a value is not in its parameter's table.
template <class... P, class C, class F>
[[nodiscard]] std::optional<point> encode(pack<detail::type_list<P...>, C, F> const& typed,
                                          description const& space,
                                          config<P...> const& values)
{
    point out((detail::coordinate_count<P> + ...));
    bool complete = true;
    std::size_t first = 0;
    boost::hana::unpack(typed.parameters, [&](P const&... p) {
        auto const place = [&]<class One>(One const& parameter) {
            constexpr std::size_t count = detail::coordinate_count<One>;
            bool const found = detail::place_value<One>(
                space, first, values[parameter], std::span(out).subspan(first, count));
            complete = complete && found;
            first += count;
        };
        (place(p), ...);
    });
    if (!complete) return {};
    return out;
}

} // namespace attune::inline ATTUNE_ABI
