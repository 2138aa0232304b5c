// attune/search/compose/operator.hpp - kinds of parameters, and operators that make one parameter of a child from its parents.
// SPDX-License-Identifier: MIT
// tested by search/compose/composed.cpp
// Source   Wu, "DeepTuner", 2015, Sec. 4.2.2; Sec. 4.2.1, Fig. 4.1: a kind inherits the
//          operators of its parent
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/search/compose/gene.hpp>
#include <attune/search/compose/settings.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
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

/// An operator:
/// - name: without blanks; parents: the least number of configurations, the child included, or
///   needs() if settings decide that
/// - (child, parents, engine): changes the child, which has the value of the first parent;
///   `parents` are the others. A fourth argument, std::span<double>, is memory that some bases keep
///   for each member and gene: one number per parameter of the gene, 0 at first
/// Optional: of, the kind that it applies to (else any_kind); settings, see settings.hpp.
template <class Op>
concept technique_operator =
    requires {
        { Op::name } -> std::convertible_to<std::string_view>;
        { Op::parents } -> std::convertible_to<std::size_t>;
    } && std::copy_constructible<Op> && std::default_initializable<Op> &&
    (std::invocable<Op const&, gene, std::span<gene_view const>, random_engine&> ||
     std::invocable<Op const&, gene, std::span<gene_view const>, random_engine&,
                    std::span<double>>);

namespace detail {

template <class Op>
struct kind_of_operator {
    using type = any_kind;
};
template <class Op>
    requires requires { typename Op::of; }
struct kind_of_operator<Op> {
    using type = typename Op::of;
};

template <class Op>
void apply_operator(Op const& op, gene child, std::span<gene_view const> parents,
                    random_engine& engine, [[maybe_unused]] std::span<double> memory)
{
    if constexpr (std::invocable<Op const&, gene, std::span<gene_view const>, random_engine&>)
        op(child, parents, engine);
    else
        op(child, parents, engine, memory);
}

/// Any operator as a value.
class any_operator {
public:
    template <class Op>
        requires(technique_operator<Op>)
    explicit any_operator(Op op)
        : text_(operator_text(op))
        , needs_(Op::parents)
    {
        if constexpr (requires {
                          { op.needs() } -> std::convertible_to<std::size_t>;
                      })
            needs_ = op.needs();
        act_ = [op = std::move(op)](gene child, std::span<gene_view const> parents,
                                    random_engine& engine, std::span<double> memory) {
            apply_operator(op, child, parents, engine, memory);
        };
    }

    /// "op;[...]", as in names of techniques.
    [[nodiscard]] std::string const& text() const noexcept { return text_; }
    /// Least number of configurations, the child included.
    [[nodiscard]] std::size_t needs() const noexcept { return needs_; }
    void operator()(gene child, std::span<gene_view const> parents, random_engine& engine,
                    std::span<double> memory) const
    {
        act_(child, parents, engine, memory);
    }

private:
    std::string text_;
    std::size_t needs_;
    std::function<void(gene, std::span<gene_view const>, random_engine&, std::span<double>)> act_;
};

struct operator_entry {
    kind_row kind;
    any_operator with;
};

} // namespace detail

/// One entry of an operator map.
template <class Kind, class Op>
struct for_kind {
    using kind_type = Kind;
    using operator_type = Op;
    Op with{};

    static_assert(kind_with_operators<Kind>,
                  "attune: for_kind<Kind, Op>: 'Kind' is no kind of parameters; it needs `kind`, "
                  "its name, and holds(gene_view) -> bool");
    static_assert(technique_operator<Op>,
                  "attune: for_kind<Kind, Op>: 'Op' is no operator; it needs `name`, `parents` and "
                  "a call (gene child, std::span<gene_view const> parents, random_engine&)");
    static_assert(detail::is_kind_within<Kind, typename detail::kind_of_operator<Op>::type>(),
                  "attune: for_kind<Kind, Op>: parameters of this kind do not have this operator; "
                  "see Op::of");
};
template <class Op>
using for_any = for_kind<any_kind, Op>;
template <class Op>
using number = for_kind<number_kind, Op>;
template <class Op>
using real = for_kind<real_kind, Op>;
template <class Op>
using whole = for_kind<whole_kind, Op>;
template <class Op>
using boolean = for_kind<boolean_kind, Op>;
template <class Op>
using categorical = for_kind<categorical_kind, Op>;
template <class Op>
using tile = for_kind<tile_kind, Op>;
template <class Op>
using permutation = for_kind<permutation_kind, Op>;
template <class Op>
using array = for_kind<array_kind, Op>;
template <class Op>
using selector = for_kind<selector_kind, Op>;
/// For an operator that is also a kind: holds(gene_view) of `Op` selects its parameters.
template <class Op>
using of_own_kind = for_kind<Op, Op>;

namespace detail {

template <class... Kinds>
[[nodiscard]] constexpr bool are_different_kinds()
{
    bool out = true;
    std::string_view const names[] = {Kinds::kind..., ""};
    for (std::size_t i = 0; i < sizeof...(Kinds); ++i)
        for (std::size_t j = i + 1; j < sizeof...(Kinds); ++j)
            out = out && names[i] != names[j];
    return out;
}

} // namespace detail

/// The operator of each kind of parameter: operators<number<set_linear>, permutation<pmx>>.
/// Parameters of other kinds get the default operator of the base.
template <class... Entries>
struct operators {
    std::tuple<Entries...> entries{};

    static_assert(detail::are_different_kinds<typename Entries::kind_type...>(),
                  "attune: operators<...>: two entries are for the same kind of parameters");
};

} // namespace attune::inline ATTUNE_ABI::search
