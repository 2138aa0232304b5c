// attune/declare/config.hpp - one configuration, read by parameter with the parameter's own type.
// SPDX-License-Identifier: MIT
//
// Storage is hana::basic_tuple
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/parameter.hpp>

#include <boost/hana/at.hpp>
#include <boost/hana/basic_tuple.hpp>

#include <array>
#include <cstddef>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

inline constexpr std::size_t not_found = ~std::size_t{0};

/// The names of a list of parameters, searchable at compile time.
template <class... Params>
struct names_of {
    static constexpr std::array<std::string_view, sizeof...(Params)> names{Params::name...};

    [[nodiscard]] static constexpr std::size_t find(std::string_view name)
    {
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i] == name) return i;
        return not_found;
    }
    [[nodiscard]] static constexpr std::size_t count(std::string_view name)
    {
        std::size_t found = 0;
        for (std::string_view const n : names)
            found += n == name ? 1U : 0U;
        return found;
    }
};

} // namespace detail

/// One value per parameter.
template <class... Params>
class config {
public:
    constexpr config() = default;
    constexpr explicit config(typename Params::value_type... values)
        : values_{values...}
    {
    }

    /// The value of `p`, as the type `p` declared.
    template <class P>
    [[nodiscard]] constexpr auto operator[](P const&) const
    {
        constexpr bool is_parameter = detail::is_parameter<P>;
        static_assert(is_parameter, "attune: config[p]: p must be a parameter");
        if constexpr (is_parameter) {
            constexpr std::size_t at = detail::names_of<Params...>::find(P::name);
            constexpr bool in_space = at != detail::not_found;
            static_assert(in_space, "attune: config[p]: p is not a parameter of this space");
            if constexpr (in_space) {
                // The object in the space may carry a prior, which is part of its type.
                constexpr bool same =
                    ((P::name == Params::name &&
                      std::same_as<typename P::domain_type, typename Params::domain_type>) ||
                     ...);
                static_assert(same,
                              "attune: config[p]: p has the name of a parameter of this space, but "
                              "another domain");
                return boost::hana::at_c<at>(values_);
            } else
                return typename P::value_type{};
        }
    }

    [[nodiscard]] friend constexpr bool operator==(config const& a, config const& b)
    {
        return [&]<std::size_t... Is>(std::index_sequence<Is...>) {
            return ((boost::hana::at_c<Is>(a.values_) == boost::hana::at_c<Is>(b.values_)) && ...);
        }(std::index_sequence_for<Params...>{});
    }

private:
    boost::hana::basic_tuple<typename Params::value_type...> values_{};
};

} // namespace attune::inline ATTUNE_ABI
