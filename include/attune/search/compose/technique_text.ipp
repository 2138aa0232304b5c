// attune/search/compose/technique_text.ipp - reads names of techniques; draws techniques.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/compose/bases.hpp>
#include <attune/search/compose/detail/genome.hpp>
#include <attune/search/compose/mutation_bandit.hpp>
#include <attune/search/compose/simplex.hpp>
#include <attune/search/compose/technique_text.hpp>
#include <attune/search/compose/unit_steps.hpp>
#include <attune/search/local/annealing.hpp>
#include <attune/search/local/coordinate_descent.hpp>
#include <attune/search/local/differential_evolution.hpp>
#include <attune/search/local/genetic.hpp>
#include <attune/search/local/local_search.hpp>
#include <attune/search/local/neighbourhood_descent.hpp>
#include <attune/search/local/particle_swarm.hpp>
#include <attune/search/meta/auc_bandit.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace attune::inline ATTUNE_ABI::search {

namespace detail {

template <class... T>
void add_all(vocabulary& to)
{
    (to.add<T>(), ...);
}

/// A composition as a searcher: the run-time form of composed<>.
class parsed_search : public stepwise_searcher {
public:
    parsed_search(chain_of_trees space, std::uint64_t seed, composition const& what)
        : stepwise_searcher(
              std::move(space), seed, [&](trials& t) { return breed_composed(t, what); })
    {
    }
};

[[nodiscard]] inline technique technique_of_composition(composition what)
{
    what.settle();
    std::string text = what.text();
    return {std::move(text), search_with<parsed_search>(what)};
}

[[noreturn]] inline void refuse_name(std::string_view name, std::string const& why)
{
    throw error("the name of a technique is not understood: " + why,
                std::string(name),
                "see search/compose/technique_text.hpp for the form of names");
}

/// `text` cut at `separator`, except inside brackets and braces.
[[nodiscard]] inline std::vector<std::string_view> split_outside(std::string_view text,
                                                                 char separator)
{
    std::vector<std::string_view> out;
    int depth = 0;
    std::size_t from = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '[' || text[i] == '{') ++depth;
        if (text[i] == ']' || text[i] == '}') --depth;
        if (text[i] != separator || depth != 0) continue;
        out.push_back(text.substr(from, i - from));
        from = i + 1;
    }
    out.push_back(text.substr(from));
    return out;
}

/// What is between the first and the last character, if these are `open` and `close`.
[[nodiscard]] inline std::optional<std::string_view>
inside(std::string_view text, char open, char close)
{
    if (text.size() < 2 || text.front() != open || text.back() != close) return {};
    return text.substr(1, text.size() - 2);
}

/// "root;h1,v1;..." -> root, settings.
[[nodiscard]] inline std::pair<std::string, setting_texts> read_root(std::string_view name,
                                                                     std::string_view token)
{
    std::vector<std::string_view> const parts = split_outside(token, ';');
    std::pair<std::string, setting_texts> out{std::string(parts.front()), {}};
    for (std::size_t i = 1; i < parts.size(); ++i) {
        std::vector<std::string_view> const pair = split_outside(parts[i], ',');
        if (pair.size() != 2)
            refuse_name(name, "'" + std::string(parts[i]) + "' is no setting,value");
        out.second.named.emplace_back(std::string(pair[0]), std::string(pair[1]));
    }
    return out;
}

/// "[argument,...,[[setting,value],...]]".
[[nodiscard]] inline setting_texts read_brackets(std::string_view name, std::string_view token)
{
    setting_texts out;
    auto const wrong = [&] {
        refuse_name(name,
                    "'" + std::string(token) + "' is no [argument,...,[[setting,value],...]]");
    };
    std::optional<std::string_view> const all = inside(token, '[', ']');
    if (!all) wrong();
    if (all->empty()) return out;
    for (std::string_view const part : split_outside(*all, ',')) {
        std::optional<std::string_view> const list = inside(part, '[', ']');
        if (!list) {
            out.arguments.emplace_back(part);
            continue;
        }
        if (list->empty()) continue;
        for (std::string_view const one : split_outside(*list, ',')) {
            std::optional<std::string_view> const pair = inside(one, '[', ']');
            if (!pair) wrong();
            std::vector<std::string_view> const both = split_outside(*pair, ',');
            if (both.size() != 2) wrong();
            out.named.emplace_back(std::string(both[0]), std::string(both[1]));
        }
    }
    return out;
}

template <class Rows>
[[nodiscard]] auto const* row_named(Rows const& rows, std::string_view name)
{
    auto const found =
        std::find_if(rows.begin(), rows.end(), [&](auto const& row) { return row.name == name; });
    return found == rows.end() ? nullptr : &*found;
}

[[nodiscard]] inline kind_row const* kind_named(vocabulary const& known, std::string_view name)
{
    for (kind_row const& k : known.kinds())
        if (k.name() == name) return &k;
    return nullptr;
}

/// Whether parameters of this kind have the operator.
[[nodiscard]] inline bool has_operator(kind_row const& kind, operator_row const& op)
{
    return std::find(kind.lineage.begin(), kind.lineage.end(), op.of) != kind.lineage.end();
}

[[nodiscard]] inline operator_entry
read_entry(std::string_view name, std::string_view token, vocabulary const& known)
{
    std::vector<std::string_view> const parts = split_outside(token, ';');
    if (parts.size() < 2 || parts.size() > 3)
        refuse_name(name, "'" + std::string(token) + "' is no kind;operator;[...]");
    kind_row const* const kind = kind_named(known, parts[0]);
    if (kind == nullptr) refuse_name(name, "'" + std::string(parts[0]) + "' is no known kind");
    std::string const what = "'" + std::string(parts[1]) + "'";
    bool is_known = false;
    for (operator_row const& op : known.operators()) {
        if (op.name != parts[1]) continue;
        is_known = true;
        if (!has_operator(*kind, op)) continue;
        setting_texts const settings =
            parts.size() == 3 ? read_brackets(name, parts[2]) : setting_texts{};
        std::optional<any_operator> made;
        if (auto const why = op.make(settings, made)) refuse_name(name, what + ": " + *why);
        return {*kind, std::move(*made)};
    }
    refuse_name(name,
                is_known ? "parameters of kind '" + kind->name() + "' have no operator " + what
                         : what + " is no known operator");
}

[[nodiscard]] inline std::optional<technique> read_meta(std::string_view name,
                                                        std::vector<std::string_view> const& tokens,
                                                        vocabulary const& known)
{
    auto const [root, settings] = read_root(name, tokens.front());
    if (root != "auc_bandit" && root != "round_robin") return {};
    std::vector<technique> among;
    for (std::size_t i = 1; i < tokens.size(); ++i) {
        std::optional<std::string_view> const one = inside(tokens[i], '{', '}');
        if (!one) refuse_name(name, "'" + std::string(tokens[i]) + "' is no {technique}");
        among.push_back(parse_technique(*one, known));
    }
    if (among.empty()) refuse_name(name, "it chooses among no techniques");
    auc_bandit_options options;
    for (auto const& [setting, value] : settings.named) {
        bool const is_bandit = root == "auc_bandit";
        bool const is_read =
            (is_bandit && setting == "exploration" && read_setting(value, options.exploration)) ||
            (is_bandit && setting == "window" && read_setting(value, options.window) &&
             options.window > 0);
        if (!is_read) refuse_name(name, "'" + setting + "," + value + "' is no setting of " + root);
    }
    return root == "auc_bandit" ? auc_bandit_of(std::move(among), options)
                                : round_robin_of(std::move(among));
}

/// The kinds of parameters that a space has, each the closest one of some gene.
[[nodiscard]] inline std::vector<kind_row const*> kinds_in(description const& space,
                                                           vocabulary const& known)
{
    std::vector<kind_row const*> out;
    point const anywhere(space.parameters.size());
    for (std::uint32_t p = 0; p < space.parameters.size();) {
        group_description const* const group = space.group_of(p);
        std::vector<std::uint32_t> whole(group != nullptr ? group->count : 1);
        for (std::uint32_t& one : whole)
            one = p++;
        gene_view const gene(space, whole, anywhere);
        kind_row const* closest = nullptr;
        for (kind_row const& kind : known.kinds())
            if ((closest == nullptr || kind.lineage.size() > closest->lineage.size()) &&
                kind.holds(gene))
                closest = &kind;
        if (closest != nullptr && std::find(out.begin(), out.end(), closest) == out.end())
            out.push_back(closest);
    }
    return out;
}

} // namespace detail

ATTUNE_INLINE vocabulary::vocabulary()
{
    detail::add_all<any_kind,
                    number_kind,
                    real_kind,
                    whole_kind,
                    boolean_kind,
                    categorical_kind,
                    tile_kind,
                    permutation_kind,
                    array_kind>(*this);
    detail::add_all<noop, randomize, stochastic_mix, swarm, set_linear, normal_mutation>(*this);
    detail::add_all<scale, difference, sum, number_swarm, flip, boolean_swarm>(*this);
    detail::add_all<array_cross, array_swarm, array_swarm_parallel>(*this);
    detail::add_all<small_random_change, random_swap, random_invert, random_shift, random_move>(
        *this);
    detail::add_all<permutation_cross, px, pmx, cx, ox1, ox3, permutation_swarm>(*this);
    detail::add_all<greedy, random_three_parents, de, de_alt>(*this);
    detail::add_all<uniform_greedy_mutation, normal_greedy_mutation, ga, gga, pso>(*this);
    detail::add_all<pure_random, nelder_mead, torczon>(*this);
    detail::add_all<pattern_search, pseudo_annealing, mutation_bandit>(*this);
    add_search({"annealing", search_with<annealing>()});
    add_search({"coordinate_descent", search_with<coordinate_descent>()});
    add_search({"differential_evolution", search_with<differential_evolution>()});
    add_search({"genetic", search_with<genetic>()});
    add_search({"local_search", search_with<local_search>()});
    add_search({"neighbourhood_descent", search_with<neighbourhood_descent>()});
    add_search({"particle_swarm", search_with<particle_swarm>()});
}

ATTUNE_INLINE vocabulary& vocabulary::add_search(technique one)
{
    std::string name = one.name;
    closed_.push_back({std::move(name),
                       [one = std::move(one)](detail::setting_texts const& from,
                                              technique& out) -> std::optional<std::string> {
                           out = one;
                           if (from.named.empty()) return {};
                           return "'" + from.named.front().first + "' is none of its settings";
                       }});
    return *this;
}

ATTUNE_INLINE technique parse_technique(std::string_view name, vocabulary const& known)
{
    std::vector<std::string_view> const tokens = detail::split_outside(name, ' ');
    if (std::optional<technique> meta = detail::read_meta(name, tokens, known))
        return std::move(*meta);
    auto const [root, settings] = detail::read_root(name, tokens.front());
    if (auto const* const closed = detail::row_named(known.closed(), root)) {
        if (tokens.size() > 1)
            detail::refuse_name(name, "'" + root + "' is a closed technique and has no operators");
        technique out;
        if (auto const why = closed->make(settings, out)) detail::refuse_name(name, *why);
        return out;
    }
    auto const* const base = detail::row_named(known.bases(), root);
    if (base == nullptr) detail::refuse_name(name, "'" + root + "' is no known technique");
    std::optional<detail::any_base> made;
    if (auto const why = base->make(settings, made)) detail::refuse_name(name, *why);
    detail::composition what{std::move(*made), {}};
    for (std::size_t i = 1; i < tokens.size(); ++i)
        what.operators.push_back(detail::read_entry(name, tokens[i], known));
    return detail::technique_of_composition(std::move(what));
}

ATTUNE_INLINE technique random_technique(random_engine& engine,
                                         description const& space,
                                         vocabulary const& known)
{
    auto const& bases = known.bases();
    std::optional<detail::any_base> base;
    (void)bases[uniform_below(engine, bases.size())].make({}, base);
    std::vector<detail::kind_row const*> const kinds = detail::kinds_in(space, known);
    for (;;) {
        detail::composition what{*base, {}};
        bool changes = kinds.empty();
        for (detail::kind_row const* const kind : kinds) {
            std::vector<detail::any_operator> all;
            std::vector<std::string> names;
            for (detail::operator_row const& op : known.operators()) {
                if (!detail::has_operator(*kind, op)) continue;
                detail::any_operator one = op.draw(engine);
                if (one.needs() > base->promise()) continue;
                all.push_back(std::move(one));
                names.push_back(op.name);
            }
            std::size_t const chosen = uniform_below(engine, all.size());
            changes = changes || names[chosen] != noop::name;
            what.operators.push_back({*kind, std::move(all[chosen])});
        }
        // A technique that changes nothing is none.
        if (changes) return detail::technique_of_composition(std::move(what));
    }
}

ATTUNE_INLINE technique random_bandit(random_engine& engine,
                                      description const& space,
                                      std::vector<technique> const& library,
                                      vocabulary const& known)
{
    constexpr std::array<std::size_t, 3> windows{500, 200, 100};
    constexpr std::array<double, 3> explorations{0.05, 0.15, 0.45};
    auc_bandit_options options;
    options.window = windows[uniform_below(engine, windows.size())];
    options.exploration = explorations[uniform_below(engine, explorations.size())];
    std::vector<technique> among;
    while (among.size() < 5)
        if (uniform_below(engine, 2) == 0)
            among.push_back(library[uniform_below(engine, library.size())]);
        else
            among.push_back(random_technique(engine, space, known));
    return auc_bandit_of(std::move(among), options);
}

} // namespace attune::inline ATTUNE_ABI::search
