// attune/declare/decode.hpp - plain points to typed configurations, and back.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/pack.hpp>
#include <attune/declare/text.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

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

/// @pre `space` is the bound description of the pack, `at` is a point of `space`, and `space`
///      outlives the config, whose strings point into `space`
template <class... P, class C, class F>
[[nodiscard]] config<P...>
decode(pack<detail::type_list<P...>, C, F> const&, description const& space, point const& at)
{
    return [&]<std::size_t... Is>(std::index_sequence<Is...>) {
        return config<P...>{value_at<typename P::value_type>(space.parameters[Is], at[Is])...};
    }(std::index_sequence_for<P...>{});
}

/// The point of the configuration `values`; nothing when a value is not in its parameter's table.
template <class... P, class C, class F>
[[nodiscard]] std::optional<point> encode(pack<detail::type_list<P...>, C, F> const& typed,
                                          description const& space,
                                          config<P...> const& values)
{
    point out;
    bool complete = true;
    std::size_t i = 0;
    boost::hana::unpack(typed.parameters, [&](P const&... p) {
        auto const place = [&](auto const& parameter) {
            auto const at =
                coordinate_of(space.parameters[i++], detail::text_of_value(values[parameter]));
            complete = complete && at.has_value();
            out.push_back(at.value_or(coordinate{}));
        };
        (place(p), ...);
    });
    if (!complete) return {};
    return out;
}

} // namespace attune::inline ATTUNE_ABI
