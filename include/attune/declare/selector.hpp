// attune/declare/selector.hpp - cut-offs on a size, and the algorithms between them.
// SPDX-License-Identifier: MIT
// Source   selectors of PetaBricks (Ansel et al., PLDI 2009), as parameters in Wu, "DeepTuner",
//          2015, Sec. 4.2.1. Own: each range has separate parameters, an algorithm may have several
//          ranges, and different configurations choose differently
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/pack.hpp>

#include <boost/hana/at.hpp>
#include <boost/hana/basic_tuple.hpp>
#include <boost/hana/unpack.hpp>

#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

template <fixed_string A, fixed_string B>
[[nodiscard]] consteval auto joined_name()
{
    char text[sizeof(A.characters) + sizeof(B.characters) - 1]{};
    std::size_t at = 0;
    for (char const c : A.view())
        text[at++] = c;
    for (char const c : B.view())
        text[at++] = c;
    return fixed_string(text);
}

/// The number of ranges: the first parameter of a selector.
template <std::size_t N, std::size_t Parameters>
struct ranges_domain : range_domain<parameter_kind::integer, int> {
    static constexpr std::uint32_t ranges = N;
    static constexpr std::uint32_t selected = Parameters;
};

/// Returns true if a size lies below a cut-off.
template <class Size, class Cut>
[[nodiscard]] constexpr bool is_below(Size const& size, Cut const& cut)
{
    if constexpr (std::integral<Size> && std::integral<Cut>) {
        return std::cmp_less(+size, +cut); // + promotes a char to int
    } else if constexpr (std::is_arithmetic_v<Size> && std::is_arithmetic_v<Cut>) {
        using both = std::common_type_t<Size, Cut>;
        return static_cast<both>(size) < static_cast<both>(cut);
    } else {
        return size < cut;
    }
}

/// One algorithm of a selector.
template <class... P>
struct selectable {
    std::string_view name;
    boost::hana::basic_tuple<P...> parameters;
};
template <class T>
inline constexpr bool is_selectable = false;
template <class... P>
inline constexpr bool is_selectable<selectable<P...>> = true;
template <class T>
inline constexpr std::size_t parameters_of_selectable = 0;
template <class... P>
inline constexpr std::size_t parameters_of_selectable<selectable<P...>> = sizeof...(P);

} // namespace detail

/// An algorithm that a selector() chooses, with its parameters.
/// @param parameters  parameters that array_of() accepts, without a condition
/// Example  attune::algorithm("merge", ways)
template <class... P>
[[nodiscard]] constexpr auto algorithm(std::string_view name, P const&... parameters)
{
    constexpr bool are_elements = detail::all({true, detail::is_element<P>...});
    static_assert(are_elements, "attune: algorithm(name, p...): p is a parameter whose values are "
                                "numbers, texts or booleans");
    if constexpr (are_elements) {
        constexpr bool are_plain = detail::all({true, !P::is_conditional...});
        static_assert(are_plain, "attune: algorithm(name, p...): p is active where the algorithm "
                                 "is chosen; remove its active_if()");
        return detail::selectable<P...>{name, boost::hana::basic_tuple<P...>{parameters...}};
    } else
        return detail::selectable<>{name, {}};
}

/// The algorithm for one size: the result of selector_pack::choose().
template <class Selector, class Config>
struct chosen_algorithm {
    Selector selector;
    Config config;
    std::size_t range = 0;      ///< number of the range, from the smallest sizes on
    std::string_view algorithm; ///< name of the algorithm

    /// The value of parameter `p` in this range. If `p` belongs to another algorithm, the default
    /// of `p`.
    template <class P>
    [[nodiscard]] constexpr auto operator[](P const& p) const
    {
        return config[selector[p]][range];
    }
};

/// The parameters of a selector and the constraints between them: an argument of space().
/// @tparam N  the most ranges
template <std::size_t N, class Ranges, class Cuts, class Algorithms, class... Parameters>
struct selector_pack {
    using is_parameter_bundle = void;
    using cut_type = typename Cuts::value_type::value_type;

    Ranges ranges;         ///< number of ranges, 1 .. N
    Cuts cut_offs;         ///< an array of N - 1: the starts of ranges 1, 2, ...; ascending
    Algorithms algorithms; ///< an array of N
    boost::hana::basic_tuple<Parameters...> parameters; ///< arrays of N

    /// Parameter `p` of an algorithm, as an array of the space: [i] is its value in range i.
    template <class P>
    [[nodiscard]] constexpr auto operator[](P const&) const
    {
        constexpr std::size_t at = detail::names_of<Parameters...>::find(P::name);
        static_assert(at != detail::not_found,
                      "attune: selector[p]: p is a parameter of one of its algorithms");
        if constexpr (at != detail::not_found) return boost::hana::at_c<at>(parameters);
    }

    /// The algorithm of a configuration for `size`: that of the range before the first cut-off
    /// above `size`. Numbers compare by value, also whole with real, and signed with unsigned.
    template <class Config, class Size>
    [[nodiscard]] constexpr auto choose(Config const& config, Size const& size) const
    {
        auto const count = static_cast<std::size_t>(config[ranges]);
        auto const cuts = config[cut_offs];
        std::size_t range = 0;
        while (range + 1 < count && !detail::is_below(size, cuts[range]))
            ++range;
        return chosen_algorithm<selector_pack, Config>{*this, config, range,
                                                       config[algorithms][range]};
    }

    /// Sets the default: run[0] below the first cut-off, run[1] from there on, and so on. The
    /// parameters of the algorithms keep their defaults.
    /// Example  sort.with_default({"insertion", "merge"}, {64})
    template <std::size_t K>
    [[nodiscard]] constexpr selector_pack with_default(std::string_view const (&run)[K],
                                                       cut_type const (&from)[K - 1]) const
    {
        static_assert(K >= 2 && K <= N,
                      "attune: selector.with_default({...}, {...}): the selector has fewer ranges");
        selector_pack out = with_ranges(run);
        typename Cuts::value_type cuts{};
        for (std::size_t i = 0; i + 1 < N; ++i)
            cuts[i] = from[i + 1 < K ? i : K - 2];
        for (std::size_t i = 0; i + 2 < K; ++i)
            if (!(from[i] < from[i + 1]))
                throw declaration_error(
                    "attune: selector.with_default({...}, {...}): cut-offs must ascend");
        out.cut_offs = out.cut_offs.with_default(cuts);
        return out;
    }
    /// Sets the default: this algorithm for all sizes.
    [[nodiscard]] constexpr selector_pack with_default(std::string_view run) const
    {
        std::string_view const one[]{run};
        return with_ranges(one);
    }

    /// Calls f(parameters...), in the order of the space.
    template <class F>
    [[nodiscard]] constexpr auto spread(F const& f) const
    {
        return boost::hana::unpack(parameters, [&](Parameters const&... each) {
            return f(ranges, cut_offs, algorithms, each...);
        });
    }
    /// `pack` with the constraints that cut-offs ascend and neighbouring ranges differ.
    template <class Pack>
    [[nodiscard]] constexpr auto constrain(Pack const& pack) const
    {
        return [&]<std::size_t... Is>(std::index_sequence<Is...>) {
            auto const differing = pack.where(differs(Is)...);
            return [&]<std::size_t... Js>(std::index_sequence<Js...>) {
                if constexpr (sizeof...(Js) == 0)
                    return differing;
                else
                    return differing.where(
                        (ranges <= static_cast<int>(Js) + 2 || cut_offs[Js] < cut_offs[Js + 1])...);
            }(std::make_index_sequence<N - 2>{});
        }(std::make_index_sequence<N - 1>{});
    }

private:
    template <std::size_t K>
    [[nodiscard]] constexpr selector_pack with_ranges(std::string_view const (&run)[K]) const
    {
        typename Algorithms::value_type all{};
        for (std::size_t i = 0; i < N; ++i)
            all[i] = run[i < K ? i : K - 1];
        selector_pack out = *this;
        out.ranges = ranges.with_default(static_cast<int>(K));
        out.algorithms = algorithms.with_default(all);
        return out;
    }
    /// The expression that is true if range i is the last one, or differs from the next one. A
    /// parameter that is inactive in both ranges has one value in both.
    [[nodiscard]] constexpr auto differs(std::size_t i) const
    {
        auto const by_name =
            ranges <= static_cast<int>(i) + 1 || algorithms[i] != algorithms[i + 1];
        return boost::hana::unpack(parameters, [&](Parameters const&... each) {
            return (by_name || ... || (each[i] != each[i + 1]));
        });
    }
};

namespace detail {

template <std::size_t N, class Algorithms, class... P>
[[nodiscard]] constexpr auto selected_parameters(Algorithms const& algorithms,
                                                 std::string_view name, P const&... each)
{
    auto const one = [&](auto const& p) {
        return attune::array_of<N>(p).active_if_each(
            [&](std::size_t i) { return algorithms[i] == name; });
    };
    return boost::hana::basic_tuple<decltype(one(each))...>{one(each)...};
}

template <class... A, class... B>
[[nodiscard]] constexpr auto joined_tuples(boost::hana::basic_tuple<A...> const& a,
                                           boost::hana::basic_tuple<B...> const& b)
{
    return boost::hana::unpack(a, [&](A const&... from_a) {
        return boost::hana::unpack(b, [&](B const&... from_b) {
            return boost::hana::basic_tuple<A..., B...>{from_a..., from_b...};
        });
    });
}
[[nodiscard]] constexpr auto joined_tuples() { return boost::hana::basic_tuple<>{}; }
template <class First, class... Rest>
[[nodiscard]] constexpr auto all_joined(First const& first, Rest const&... rest)
{
    if constexpr (sizeof...(Rest) == 0)
        return first;
    else
        return joined_tuples(first, all_joined(rest...));
}

template <std::size_t N, class Ranges, class Cuts, class Algorithms, class... P>
[[nodiscard]] constexpr auto make_selector(Ranges const& count, Cuts const& cuts,
                                           Algorithms const& algorithms,
                                           boost::hana::basic_tuple<P...> const& parameters)
{
    return selector_pack<N, Ranges, Cuts, Algorithms, P...>{count, cuts, algorithms, parameters};
}

} // namespace detail

/// Chooses an algorithm by size: 1 to N ranges between ascending cut-offs. Each range has one of
/// `algorithms`, with its own values of the parameters. An argument of space(), which gets these
/// parameters:
/// - NAME_RANGES, the number of ranges
/// - NAME_CUT, an array of N - 1 values of `cut_offs`: the starts of the ranges after the first
/// - NAME, an array of N names of algorithms
/// - each parameter of an algorithm, an array of N.
/// Elements beyond the number of ranges are inactive. In each range, parameters of other algorithms
/// are inactive. Neighbouring ranges differ, so different configurations choose differently.
/// In a kernel:  `int r = 0; while (r + 1 < SORT_RANGES && n >= SORT_CUT[r]) ++r;`, then SORT[r].
/// @param cut_offs  as for ordinal(): values(...), range(...), powers_of_two(...)
/// Example  constexpr auto sort = attune::selector<"SORT", 3>(attune::powers_of_two(8, 4096),
///              attune::algorithm("insertion"), attune::algorithm("merge", ways));
///          attune::space(sort, flags)
template <fixed_string Name, std::size_t N, class Domain, class... A>
[[nodiscard]] constexpr auto selector(Domain const& cut_offs, A const&... algorithms)
{
    constexpr bool is_few = N >= 2 && N <= 16;
    static_assert(is_few, "attune: selector<\"X\", N>(...) needs 2 <= N <= 16 ranges");
    constexpr bool is_domain = detail::is_ordinal_domain<Domain>;
    static_assert(is_domain, "attune: selector<\"X\", N>(cut-offs, ...) takes values(...), "
                             "range(...) or powers_of_two(...) as cut-offs");
    constexpr bool are_algorithms =
        sizeof...(A) > 0 && detail::all({true, detail::is_selectable<A>...});
    static_assert(are_algorithms, "attune: selector<\"X\", N>(cut-offs, a...) takes algorithms: "
                                  "algorithm(\"name\", its parameters...)");
    if constexpr (is_few && is_domain && are_algorithms) {
        constexpr std::size_t count = (detail::parameters_of_selectable<A> + ...);
        using domain = detail::ranges_domain<N, count>;
        parameter<detail::joined_name<Name, "_RANGES">(), domain> const ranges{
            domain{detail::make_range<parameter_kind::integer>(
                progression::linear, 1, 1, detail::as_bound(static_cast<int>(N)))}};
        auto const cuts =
            attune::array_of<N - 1>(ordinal<detail::joined_name<Name, "_CUT">()>(cut_offs))
                .active_if_each([&](std::size_t i) { return ranges > static_cast<int>(i) + 1; });
        auto const names =
            attune::array_of<N>(categorical<Name>(algorithms.name...))
                .active_if_each([&](std::size_t i) { return ranges > static_cast<int>(i); });
        auto const parameters =
            detail::all_joined(boost::hana::unpack(algorithms.parameters, [&](auto const&... each) {
                return detail::selected_parameters<N>(names, algorithms.name, each...);
            })...);
        return detail::make_selector<N>(ranges, cuts, names, parameters);
    } else
        return detail::already_reported{};
}

} // namespace attune::inline ATTUNE_ABI
