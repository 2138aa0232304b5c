// attune/search/compose/kinds.hpp - kinds of parameters for operators.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 4.2.1, Fig. 4.1: a kind inherits the operators of its parent
// tested by search/compose/composed.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/search/compose/gene.hpp>

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

/// A kind: `kind`, its name without blanks; holds(gene), true if a parameter is of the kind,
/// whatever its value; optionally `parent`, a kind whose operators also apply (else any_kind). If
/// several kinds hold a parameter, it belongs to the kind with the most ancestors.
template <class K>
concept kind_with_operators = requires(gene_view const& g) {
    { K::kind } -> std::convertible_to<std::string_view>;
    { K::holds(g) } -> std::convertible_to<bool>;
};

struct any_kind {
    static constexpr std::string_view kind = "any";
    static bool holds(gene_view const&) { return true; }
};
/// Real, whole and listed numbers.
struct number_kind {
    static constexpr std::string_view kind = "number";
    using parent = any_kind;
    static bool holds(gene_view const& g) { return g.is_number(); }
};
struct real_kind {
    static constexpr std::string_view kind = "real";
    using parent = number_kind;
    static bool holds(gene_view const& g) { return g.is_number() && g.is_real(); }
};
/// Parameters of kind integer and ordinal: numbers with a table or range.
struct whole_kind {
    static constexpr std::string_view kind = "whole";
    using parent = number_kind;
    static bool holds(gene_view const& g) { return g.is_number() && !g.is_real(); }
};

namespace detail {

/// A single parameter of the kind, not an element of an array.
template <parameter_kind Kind>
struct lone_kind {
    static constexpr std::string_view kind = attune::detail::traits_of(Kind).name;
    using parent = any_kind;
    static bool holds(gene_view const& g) { return g.size() == 1 && g.parameter().kind == Kind; }
};

} // namespace detail

struct boolean_kind : detail::lone_kind<parameter_kind::boolean> {};
struct categorical_kind : detail::lone_kind<parameter_kind::categorical> {};
struct tile_kind : detail::lone_kind<parameter_kind::tile> {};
struct permutation_kind {
    static constexpr std::string_view kind = "permutation";
    using parent = any_kind;
    static bool holds(gene_view const& g) { return g.is_order(); }
};
/// A whole selector. Without an operator for selectors, its parameters are separate genes.
struct selector_kind {
    static constexpr std::string_view kind = "selector";
    using parent = any_kind;
    static bool holds(gene_view const& g) { return g.is_selector(); }
};
/// A whole array. Without an operator for arrays, its elements are separate genes.
struct array_kind {
    static constexpr std::string_view kind = "array";
    using parent = any_kind;
    static bool holds(gene_view const& g) { return g.is_array(); }
};

namespace detail {

/// The names of a kind, its parent, and so on, up to "any".
template <class K>
[[nodiscard]] std::vector<std::string> lineage_of()
{
    std::vector<std::string> out{std::string(K::kind)};
    if constexpr (std::is_same_v<K, any_kind>)
        return out;
    else {
        std::vector<std::string> above;
        if constexpr (requires { typename K::parent; })
            above = lineage_of<typename K::parent>();
        else
            above = lineage_of<any_kind>();
        out.insert(out.end(), above.begin(), above.end());
        return out;
    }
}

/// Returns true if `K` is `Top` or one of its descendants.
template <class K, class Top>
[[nodiscard]] constexpr bool is_kind_within()
{
    if constexpr (std::is_same_v<K, Top> || std::is_same_v<Top, any_kind>)
        return true;
    else if constexpr (requires { typename K::parent; })
        return is_kind_within<typename K::parent, Top>();
    else
        return false;
}

/// A kind as a value.
struct kind_row {
    std::vector<std::string> lineage; ///< its name first
    bool (*holds)(gene_view const&) = nullptr;

    [[nodiscard]] std::string const& name() const noexcept { return lineage.front(); }
};
template <class K>
[[nodiscard]] kind_row row_of_kind()
{
    return {lineage_of<K>(), [](gene_view const& g) -> bool { return K::holds(g); }};
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI::search
