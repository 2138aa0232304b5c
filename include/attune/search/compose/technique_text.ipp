// attune/search/compose/technique_text.ipp - all words of attune; reads names of techniques.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/search/compose/aging_evolution.hpp>
#include <attune/search/compose/bases.hpp>
#include <attune/search/compose/operators.hpp>
#include <attune/search/compose/order_operators.hpp>
#include <attune/search/compose/selector_operators.hpp>
#include <attune/search/compose/settings.hpp>
#include <attune/search/compose/simplex.hpp>
#include <attune/search/compose/technique_text.hpp>
#include <attune/search/meta/auc_bandit.hpp>

#include <cstddef>

namespace attune::inline ATTUNE_ABI::search {

namespace detail {

template <class... T>
void add_all(vocabulary& to)
{
    (to.add<T>(), ...);
}

} // namespace detail

ATTUNE_INLINE vocabulary::vocabulary()
{
    detail::add_all<any_kind, number_kind, real_kind, whole_kind, boolean_kind, categorical_kind,
                    tile_kind, permutation_kind, selector_kind, array_kind>(*this);
    detail::add_all<noop, randomize, stochastic_mix, swarm, set_linear, normal_mutation>(*this);
    detail::add_all<scale, difference, sum, number_swarm, flip, boolean_swarm>(*this);
    detail::add_all<array_cross, array_swarm, array_swarm_parallel>(*this);
    detail::add_all<small_random_change, random_swap, random_invert, random_shift, random_move>(
        *this);
    detail::add_all<random_reversal>(*this);
    detail::add_all<permutation_cross, px, pmx, cx, ox1, ox3, permutation_swarm>(*this);
    detail::add_all<cut_off_shift, range_swap, range_redraw, range_split, range_removal>(*this);
    detail::add_all<selector_move, selector_cross, selector_swarm>(*this);
    detail::add_all<greedy, random_three_parents, de, de_alt>(*this);
    detail::add_all<uniform_greedy_mutation, normal_greedy_mutation, ga, gga, pso>(*this);
    detail::add_all<aging_evolution, climb>(*this);
    detail::add_all<pure_random, nelder_mead, torczon>(*this);
    detail::add_all<pattern_search, pseudo_annealing, mutation_bandit>(*this);
    detail::add_all<annealing_settings, coordinate_descent_settings, genetic_settings>(*this);
    detail::add_all<differential_evolution_settings, particle_swarm_settings>(*this);
    detail::add_all<local_search_settings, neighbourhood_descent_settings>(*this);
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

namespace detail {

[[noreturn]] inline void refuse_name(std::string_view name, std::string const& why)
{
    throw error("the name of a technique is not understood: " + why, std::string(name),
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

/// The text between the first and the last character, if these are `open` and `close`.
[[nodiscard]] inline std::optional<std::string_view> inside(std::string_view text, char open,
                                                            char close)
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

[[nodiscard]] inline operator_entry read_entry(std::string_view name, std::string_view token,
                                               vocabulary const& known)
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
    refuse_name(name, is_known
                          ? "parameters of kind '" + kind->name() + "' have no operator " + what
                          : what + " is no known operator");
}

/// parse_technique() of a name inside `depth` pairs of braces.
[[nodiscard]] inline technique technique_inside(std::string_view name, vocabulary const& known,
                                                int depth);

[[nodiscard]] inline std::optional<technique> read_meta(std::string_view name,
                                                        std::vector<std::string_view> const& tokens,
                                                        vocabulary const& known, int depth)
{
    auto const [root, settings] = read_root(name, tokens.front());
    if (root != "auc_bandit" && root != "round_robin") return {};
    std::vector<technique> among;
    for (std::size_t i = 1; i < tokens.size(); ++i) {
        std::optional<std::string_view> const one = inside(tokens[i], '{', '}');
        if (!one) refuse_name(name, "'" + std::string(tokens[i]) + "' is no {technique}");
        among.push_back(technique_inside(*one, known, depth + 1));
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

technique technique_inside(std::string_view name, vocabulary const& known, int depth)
{
    constexpr int most_depth = 16; // each level is a nested call, and the stack is finite
    if (depth > most_depth)
        refuse_name(name, "it is inside more than " + std::to_string(most_depth) + " braces");
    std::vector<std::string_view> const tokens = split_outside(name, ' ');
    if (std::optional<technique> meta = read_meta(name, tokens, known, depth))
        return std::move(*meta);
    auto const [root, settings] = read_root(name, tokens.front());
    if (auto const* const closed = row_named(known.closed(), root)) {
        if (tokens.size() > 1)
            refuse_name(name, "'" + root + "' is a closed technique and has no operators");
        technique out;
        if (auto const why = closed->make(settings, out)) refuse_name(name, *why);
        return out;
    }
    auto const* const base = row_named(known.bases(), root);
    if (base == nullptr) refuse_name(name, "'" + root + "' is no known technique");
    shared_base made;
    if (auto const why = base->make(settings, made)) refuse_name(name, *why);
    composition what{std::move(made), {}};
    for (std::size_t i = 1; i < tokens.size(); ++i)
        what.operators.push_back(read_entry(name, tokens[i], known));
    return technique_of_composition(std::move(what));
}

} // namespace detail

ATTUNE_INLINE technique parse_technique(std::string_view name, vocabulary const& known)
{
    technique out = detail::technique_inside(name, known, 0);
    out.make = attune::detail::named_search(out.name, std::move(out.make));
    return out;
}

} // namespace attune::inline ATTUNE_ABI::search
