// attune/declare/decode.hpp - plain points to typed configurations, and back; a point read by parameter.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/pack.hpp>
#include <attune/declare/parameter.hpp>
#include <attune/declare/point.hpp>
#include <attune/declare/text.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The value at a coordinate of a bound table, in the type that the parameter declared.
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

/// The value of `P`, in the type that it declared.
/// @param space  bound; `first` is the index of the first parameter of `P`
/// @param at     coordinate_count<P> coordinates
template <class P>
[[nodiscard]] typename P::value_type value_in(description const& space, std::size_t first,
                                              coordinate const* at)
{
    using domain_type = typename P::domain_type;
    using value = typename P::value_type;
    if constexpr (group_size<domain_type> == 0) {
        return value_at<value>(space.parameters[first], at[0]);
    } else {
        value out{};
        if constexpr (is_long_order<domain_type>)
            write_order(at, out.data(), out.size());
        else
            for (std::size_t i = 0; i < out.size(); ++i)
                out[i] = value_at<typename value::value_type>(space.parameters[first + i], at[i]);
        return out;
    }
}

/// The coordinates of a value of `P`. Returns false if the value is not in its tables.
template <class P>
[[nodiscard]] bool place_value(description const& space, std::size_t first,
                               typename P::value_type const& value, coordinate* at)
{
    using domain_type = typename P::domain_type;
    auto const place = [&](std::size_t i, auto const& part) {
        auto const found = coordinate_of(space.parameters[first + i], text_of_value(part));
        if (found) at[i] = *found;
        return found.has_value();
    };
    bool all = true;
    if constexpr (group_size<domain_type> == 0)
        all = place(0, value);
    else if constexpr (is_long_order<domain_type>)
        all = write_digits(value.data(), at, value.size());
    else
        for (std::size_t i = 0; i < value.size(); ++i)
            all = place(i, value[i]) && all;
    return all;
}

} // namespace detail

/// @pre `space` is the bound description of the pack, `at` is a point of `space`, and `space`
///      outlives the config, whose strings point into `space`
template <class... P, class C, class F>
[[nodiscard]] config<P...> decode(pack<detail::type_list<P...>, C, F> const&,
                                  description const& space, point const& at)
{
    return [&]<std::size_t... Is>(std::index_sequence<Is...>) {
        constexpr auto first = detail::first_parameters<P...>();
        return config<P...>{detail::value_in<P>(space, first[Is], at.data() + first[Is])...};
    }(std::index_sequence_for<P...>{});
}

/// The point of the configuration `values`; nothing if a value is not in its parameter's table.
template <class... P, class C, class F>
[[nodiscard]] std::optional<point> encode(pack<detail::type_list<P...>, C, F> const& typed,
                                          description const& space, config<P...> const& values)
{
    point out((detail::coordinate_count<P> + ...));
    bool complete = true;
    std::size_t first = 0;
    boost::hana::unpack(typed.parameters, [&](P const&... p) {
        auto const place = [&]<class One>(One const& parameter) {
            bool const found =
                detail::place_value<One>(space, first, values[parameter], out.data() + first);
            complete = complete && found;
            first += detail::coordinate_count<One>;
        };
        (place(p), ...);
    });
    if (!complete) return {};
    return out;
}

/// A configuration of a space that is known at run time. The type of a config names all parameters
/// of its space; the type of this view names none. So the user's functions of a kernel can read
/// parameters, although the type of the kernel has no space.
class configuration_view {
public:
    /// @param read  one mark per parameter of the space; operator[] sets the mark of the parameter
    ///              that it reads; null: no marks
    /// @pre  `space` is bound, `at` is one of its points, and both outlive this object and the
    ///       strings that it returns
    configuration_view(description const& space, point const& at,
                       std::vector<bool>* read = nullptr) noexcept
        : space_(&space)
        , at_(&at)
        , read_(read)
    {
    }

    /// The value of `p`, as the type that `p` declared.
    /// Errors   attune::error: `p` is not a parameter of the space
    /// Example  unsigned const threads = at[threads_parameter];
    template <class P>
    [[nodiscard]] auto operator[](P const&) const
    {
        constexpr bool is_parameter = detail::is_parameter<P>;
        static_assert(is_parameter, "attune: configuration_view[p]: p must be a parameter");
        if constexpr (is_parameter) {
            constexpr std::size_t count = detail::group_size<typename P::domain_type>;
            std::uint32_t const found =
                count > 0 ? space_->find_group(P::name) : space_->find_parameter(P::name);
            if (found == no_index || (count > 0 && space_->groups[found].count != count))
                throw error("a function reads a parameter that is not in the space",
                            "parameter " + std::string(P::name),
                            "add it to attune::space(...), or do not read it");
            std::size_t const first = count > 0 ? space_->groups[found].first : found;
            for (std::size_t i = 0; read_ != nullptr && i < detail::coordinate_count<P>; ++i)
                (*read_)[first + i] = true;
            return detail::value_in<P>(*space_, first, at_->data() + first);
        }
    }

private:
    description const* space_;
    point const* at_;
    std::vector<bool>* read_;
};

} // namespace attune::inline ATTUNE_ABI
