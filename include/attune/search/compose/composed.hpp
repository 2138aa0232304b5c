// attune/search/compose/composed.hpp - a search made of a base and an operator for each kind of parameter.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Chapter 4. Own: a child that breaks a constraint becomes the
//          nearest valid configuration; a population that finds nothing new gets random members; a
//          population that starts late starts with the best of other techniques
// Bench    bench/search/tsp.cpp
//
// The three parts are a base (bases.hpp, or a user's struct), kinds (operator.hpp) and
// operators (operators.hpp, order_operators.hpp, or a user's struct: operator.hpp).
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/compose/bases.hpp>
#include <attune/search/compose/gene.hpp>
#include <attune/search/compose/operator.hpp>
#include <attune/search/compose/operators.hpp>
#include <attune/search/compose/order_operators.hpp>
#include <attune/search/local/stepwise.hpp>
#include <attune/search/searcher.hpp>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

namespace detail {

/// A base and operators as values: the common form of templates and names of techniques.
struct composition {
    shared_base base;
    std::vector<operator_entry> operators; ///< sorted by name of kind

    /// "root;h1,v1;... kind;op;[...] kind;op;[...]".
    [[nodiscard]] std::string text() const;
    /// Sorts the operators.
    /// Errors  attune::error: an operator needs more parents than the base promises, two entries
    ///         are for one kind, or the population is empty or above 65,536
    void settle();
};

/// Makes children by `what`, without end.
[[nodiscard]] search_process breed_composed(trials& t, composition what);

/// The technique of a composition.
[[nodiscard]] technique technique_of_composition(composition what);

/// True if every operator gets enough parents.
template <class Base, class Operators>
inline constexpr bool has_enough_parents = false;
template <class Base, class... Entries>
inline constexpr bool has_enough_parents<Base, operators<Entries...>> =
    ((Entries::operator_type::parents <= Base::promise) && ...);

template <class Base, class... Entries>
[[nodiscard]] composition composition_of(Base const& base, operators<Entries...> const& with)
{
    composition out{std::make_shared<base_model<Base> const>(base), {}};
    (out.operators.push_back({row_of_kind<typename Entries::kind_type>(),
                              any_operator(std::get<Entries>(with.entries).with)}),
     ...);
    out.settle();
    return out;
}

} // namespace detail

/// A search by populations: composed<random_three_parents, operators<number<set_linear>,
/// permutation<pmx>>>. In each turn the base chooses parents, the operator of each kind makes the
/// selected parameters of the child, and the outcome updates the population.
/// Cost   microseconds per child and parameter
template <class Base, class Operators = operators<>>
class composed : public stepwise_searcher {
    static_assert(technique_base<Base>, "attune::search::composed<Base, Operators>: 'Base' is no "
                                        "base of techniques; see technique_base");
    static_assert(detail::has_enough_parents<Base, Operators>,
                  "attune::search::composed<Base, operators<...>>: an operator needs more parents "
                  "than the base promises; choose another operator or another base");

public:
    /// Errors  attune::error: the settings of an operator need more parents than the base promises,
    ///         or the population is empty or above 65,536
    explicit composed(chain_of_trees searched, std::uint64_t seed = 0, Base const& base = {},
                      Operators const& with = {})
        : stepwise_searcher(std::move(searched), seed, [&](trials& t) {
            return detail::breed_composed(t, detail::composition_of(base, with));
        })
    {
    }
};

/// composed<> with its name, which holds all settings: see parse_technique().
template <class Base, class... Entries>
    requires(technique_base<Base>)
[[nodiscard]] technique technique_of(Base const& base,
                                     operators<Entries...> const& with = operators<>{})
{
    std::string const name = detail::composition_of(base, with).text();
    return {name, attune::detail::named_search(
                      name, search_with<composed<Base, operators<Entries...>>>(base, with))};
}

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/compose/composed.ipp>
#endif
