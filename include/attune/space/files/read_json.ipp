// attune/space/files/read_json.ipp - makes descriptions from JSON values.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/shown_text.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/group.hpp>
#include <attune/space/files/detail/json_tree.hpp>
#include <attune/space/files/detail/value_list.hpp>
#include <attune/space/files/read_json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// The node of a bound: a whole number, or an expression of inputs.
inline std::uint32_t read_bound(json_source const& source, json_value const& v,
                                expression_builder& build)
{
    if (v.kind == json_kind::integer) return build.integer(v.integer);
    if (v.kind != json_kind::text)
        source.wrong_kind(v, "a whole number, or a text with an expression of inputs");
    std::uint32_t const node =
        at_place_in_file(source, v, [&] { return expression_reader(build, v.text).root(); });
    if (!build.scope(node).empty())
        source.fail("expected an expression of inputs only, found one of parameters", v.at);
    if (build.facts(node).kind != value_kind::integer)
        source.fail("expected an expression whose value is a whole number", v.at);
    return node;
}

inline void read_range(json_source const& source, json_value const& range, json_value const& p,
                       expression_builder& build, parameter_description& out)
{
    source.require(range, json_kind::list, "\"range\"");
    if (range.items.size() != 2)
        source.fail("expected [first, last], found " + std::to_string(range.items.size()) +
                        " values",
                    range.at);
    out.kind = parameter_kind::integer;
    out.type = value_kind::integer;
    out.rule.first = source.require(range.items[0], json_kind::integer, "the first value").integer;
    if (json_value const* const step = p.find("step")) {
        out.rule.step = source.require(*step, json_kind::integer, "\"step\"").integer;
        if (out.rule.step < 1) source.fail("expected a step of at least 1", step->at);
    }
    if (json_value const* const steps = p.find("steps")) {
        source.require(*steps, json_kind::text, "\"steps\"");
        if (steps->text == "doubling")
            out.rule.steps = progression::doubling;
        else if (steps->text == "divisors")
            out.rule.steps = progression::divisors;
        else if (steps->text != "linear")
            source.fail("expected \"linear\", \"doubling\" or \"divisors\"", steps->at);
        if (out.rule.steps == progression::doubling && out.rule.first < 1)
            source.fail("expected a first value of at least 1, because the values double",
                        range.items[0].at);
    }
    json_value const& last = range.items[1];
    out.rule.bound_node = read_bound(source, last, build);
    expression_node const& bound = build.space().nodes[out.rule.bound_node];
    if (bound.code == op::integer && bound.integer < out.rule.first)
        source.fail("expected a last value that is not below the first", last.at);
}

inline void read_interval(json_source const& source, json_value const& p,
                          parameter_description& out)
{
    out.kind = parameter_kind::real;
    out.type = value_kind::real;
    json_value const& high = source.member(p, "high", json_kind::real);
    out.low = source.member(p, "low", json_kind::real).real;
    out.high = high.real;
    if (!std::isfinite(out.low) || !std::isfinite(out.high) || !(out.low < out.high))
        source.fail("expected \"low\" below \"high\", both finite", high.at);
}

/// A permutation or a tile.
inline void read_list(json_source const& source, json_value const& p, kind_traits const& is,
                      expression_builder& build, parameter_description& out)
{
    json_value const& parts = source.member(p, "parts", json_kind::integer);
    std::int64_t const most = is.is_order ? std::int64_t{max_group_parts} : 16;
    if (parts.integer < 1 || parts.integer > most)
        source.fail("expected from 1 to " + std::to_string(most) + " parts", parts.at);
    out.kind = is.of;
    out.type = value_kind::list;
    out.parts = static_cast<std::uint32_t>(parts.integer);
    if (is.is_order) return;
    json_value const* const extent = p.find("extent");
    if (extent == nullptr) source.fail("expected a member \"extent\" of this object", p.at);
    out.rule.bound_node = read_bound(source, *extent, build);
}

inline void read_prior(json_source const& source, json_value const& p, parameter_description& out)
{
    if (json_value const* const weights = p.find("weights")) {
        source.require(*weights, json_kind::list, "\"weights\"");
        for (json_value const& w : weights->items) {
            source.require(w, json_kind::real, "a weight");
            if (!(w.real > 0) || !std::isfinite(w.real))
                source.fail("expected a weight above 0", w.at);
            out.prior.weights.push_back(w.real);
        }
        if (out.rule.bound_node == no_index && out.prior.weights.size() != out.value_count())
            source.fail("expected one weight per value, " + std::to_string(out.value_count()) +
                            " in all",
                        weights->at);
    }
    if (p.find("centre") == nullptr && p.find("deviation") == nullptr) return;
    out.prior.centre = source.member(p, "centre", json_kind::real).real;
    out.prior.deviation = source.member(p, "deviation", json_kind::real).real;
    if (!(out.prior.deviation > 0))
        source.fail("expected a deviation above 0", p.find("deviation")->at);
}

inline void read_scale(json_source const& source, json_value const& p, parameter_description& out)
{
    json_value const* const on = p.find("scale");
    if (on == nullptr) return;
    source.require(*on, json_kind::text, "\"scale\"");
    if (on->text != "log" && on->text != "linear")
        source.fail("expected \"linear\" or \"log\"", on->at);
    if (on->text != "log") return;
    bool positive = out.traits().is_interval ? out.low > 0 : out.rule.first > 0;
    if (!out.integers.empty()) positive = out.integers.front() > 0;
    if (!out.reals.empty()) positive = out.reals.front() > 0;
    if (!positive || out.type == value_kind::text || out.type == value_kind::list ||
        out.type == value_kind::boolean)
        source.fail("expected numbers above 0 for a logarithmic scale", on->at);
    out.on = scale::log;
}

/// Refuses a file with too many parameters.
inline void require_room(json_source const& source, std::size_t at, std::size_t added,
                         description const& space)
{
    constexpr std::size_t most = std::size_t{1} << 16U;
    if (space.parameters.size() + added > most)
        source.fail("expected at most 2^16 parameters, elements and items in all", at);
}

/// Adds a permutation with more orders than a coordinate can number, as a group of digits.
inline void read_long_order(json_source const& source, json_value const& p, json_value const& name,
                            std::uint32_t items, description& space)
{
    for (char const* const member : {"active_if", "weights", "centre", "deviation", "elements"})
        if (json_value const* const v = p.find(member))
            source.fail("expected no \"" + std::string(member) +
                            "\" of a permutation of more than " +
                            std::to_string(max_permutation_items) + " items",
                        v->at);
    require_room(source, name.at, items, space);
    require_new_name(source, name.at, name.text, space);
    for (std::uint32_t k = 0; k + 1 < items; ++k)
        require_new_name(source, name.at, name_of_digit(name.text, k), space);
    append_digits(space, name.text, items);
    json_value const* const given = p.find("default");
    if (given == nullptr || given->kind == json_kind::null) return;
    source.require(*given, json_kind::list, "\"default\"");
    std::vector<std::int64_t> order;
    for (json_value const& item : given->items)
        order.push_back(
            source.require(item, json_kind::integer, "an element of \"default\"").integer);
    if (!set_default_order(space, space.groups.back(), order))
        source.fail("expected the whole numbers from 0 to " + std::to_string(items - 1) +
                        " once each as the default of " + name.text,
                    given->at);
}

/// Adds an array of elements like `element`, which is complete except for its default.
inline void read_array(json_source const& source, json_value const& p, json_value const& count,
                       parameter_description element, description& space)
{
    std::int64_t const elements = source.require(count, json_kind::integer, "\"elements\"").integer;
    if (elements < 1 || elements > max_group_parts)
        source.fail("expected from 1 to " + std::to_string(max_group_parts) + " elements",
                    count.at);
    if (element.type == value_kind::list)
        source.fail("expected elements that are numbers, texts or booleans", count.at);
    std::size_t const values =
        element.integers.size() + element.reals.size() + element.labels.size();
    if (values > max_table_values / static_cast<std::size_t>(elements))
        source.fail("expected at most 2^20 values of all elements together", count.at);
    for (std::string const& label : element.labels)
        if (label.find(',') != std::string::npos)
            source.fail("expected texts without commas as values of an array", count.at);
    json_value const* const given = p.find("default");
    bool const has_default = given != nullptr && given->kind != json_kind::null;
    if (has_default) {
        source.require(*given, json_kind::list, "\"default\"");
        if (given->items.size() != static_cast<std::size_t>(elements))
            source.fail("expected " + std::to_string(elements) + " values, found " +
                            std::to_string(given->items.size()),
                        given->at);
    }
    std::string const array = element.name;
    std::size_t const at = source.member(p, "name", json_kind::text).at;
    require_room(source, at, static_cast<std::size_t>(elements), space);
    require_new_name(source, at, array, space);
    // Only names that begin like an element of the array are compared: sixty arrays may have a
    // thousand elements each.
    auto const begins = [start = array + "["](auto const& v) { return v.name.starts_with(start); };
    bool const may_clash = std::ranges::any_of(space.parameters, begins) ||
                           std::ranges::any_of(space.groups, begins) ||
                           std::ranges::any_of(space.inputs, begins);
    auto const first = static_cast<std::uint32_t>(space.parameters.size());
    for (std::size_t i = 0; i < static_cast<std::size_t>(elements); ++i) {
        parameter_description one = element;
        one.name = name_of_element(array, i);
        if (has_default) set_default(source, given->items[i], one);
        if (may_clash) require_new_name(source, at, one.name, space);
        space.parameters.push_back(std::move(one));
    }
    space.groups.push_back({array, group_kind::array, first, static_cast<std::uint32_t>(elements)});
}

/// Returns true if the words differ only in one letter, in the order of letters, or in case.
[[nodiscard]] inline bool is_misspelt(std::string word, std::string right)
{
    word = in_small_letters(std::move(word));
    right = in_small_letters(std::move(right));
    if (word.size() > right.size()) std::swap(word, right);
    auto const front = std::ranges::mismatch(word, right).in1 - word.begin();
    auto const back =
        std::mismatch(word.rbegin(), word.rend(), right.rbegin()).first - word.rbegin();
    auto const same = std::min(static_cast<std::size_t>(front + back), word.size());
    if (same + 1 >= right.size()) return true;
    return std::ranges::is_permutation(word, right);
}

/// Refuses a member whose name looks like a misspelt known name. Ignores other unknown members.
inline void refuse_misspelt(json_source const& source, json_value const& object,
                            std::initializer_list<char const*> known)
{
    for (auto const& [name, at] : object.keys) {
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        for (char const* const right : known)
            if (object.find(right) == nullptr && is_misspelt(name, right))
                source.fail("expected a known member, found \"" + name + '"', at,
                            std::string("write \"") + right + "\", or choose another name");
    }
}

/// Refuses conditions with a name that is read nowhere: all of them would be lost. An empty list
/// loses none.
/// @param right  the name of the list in `object`; empty: the list belongs elsewhere
inline void refuse_lost_conditions(json_source const& source, json_value const& object,
                                   std::string const& right)
{
    if (!right.empty() && object.find(right) != nullptr) return;
    auto const is_empty = [&](std::string const& name) {
        json_value const& value = *object.find(name);
        return value.kind == json_kind::list && value.items.empty();
    };
    for (auto const& [name, at] : object.keys)
        for (char const* const other : {"conditions", "constraints", "restrictions"})
            if (is_misspelt(name, other) && !is_empty(name))
                source.fail("expected a known member, found \"" + name + '"', at,
                            right.empty() ? "move it into \"ConfigurationSpace\""
                                          : "write \"" + right + "\", or choose another name");
}

inline void read_parameter(json_source const& source, json_value const& p,
                           expression_builder& build)
{
    source.require(p, json_kind::object, "a parameter");
    refuse_misspelt(source, p,
                    {"name", "kind", "values", "range", "step", "steps", "low", "high", "scale",
                     "parts", "extent", "elements", "default", "weights", "centre", "deviation",
                     "active_if"});
    json_value const& name = source.member(p, "name", json_kind::text);
    parameter_description out;
    out.name = name.text;
    json_value const* const kind_member = p.find("kind");
    std::string kind;
    if (kind_member != nullptr)
        kind = source.require(*kind_member, json_kind::text, "\"kind\"").text;
    auto const named = std::find_if(traits_of_kinds.begin(), traits_of_kinds.end(),
                                    [&](kind_traits const& k) { return k.name == kind; });
    bool const is_known = named != traits_of_kinds.end();
    kind_traits const is = is_known ? *named : kind_traits{};
    std::string const from = is.is_interval               ? "low"
                             : is.is_list                 ? "parts"
                             : p.find("range") != nullptr ? "range"
                                                          : "values";
    for (char const* const other : {"values", "range", "low", "parts"})
        if (json_value const* const second = p.find(other); second != nullptr && from != other)
            source.fail("expected the values of " + out.name + " from \"" + from +
                            "\" alone, found \"" + other + '"',
                        second->at,
                        kind_member != nullptr               ? ""
                        : other == std::string_view("low")   ? "write \"kind\": \"real\""
                        : other == std::string_view("parts") ? "write \"kind\": \"permutation\""
                                                             : "");
    if (is.is_interval) {
        read_interval(source, p, out);
    } else if (is.is_list) {
        read_list(source, p, is, build, out);
    } else if (json_value const* const range = p.find("range")) {
        read_range(source, *range, p, build, out);
        if (is.is_ordered) out.kind = is.of;
    } else if (is.is_truth && p.find("values") == nullptr) {
        out.kind = parameter_kind::boolean;
        out.type = value_kind::boolean;
    } else if (is_known || kind.empty()) {
        json_value values = source.member(p, "values", json_kind::list);
        if (is.is_truth) to_kind(source, json_kind::boolean, "the kind", values);
        if (is_known && is.of == parameter_kind::integer)
            to_kind(source, json_kind::integer, "the kind", values);
        set_values(source, values, is.of == parameter_kind::categorical, out);
        if (is.is_ordered && out.type == value_kind::integer) out.kind = is.of;
    } else {
        source.fail("expected \"integer\", \"ordinal\", \"categorical\", \"boolean\", \"real\", "
                    "\"permutation\" or \"tile\"",
                    kind_member->at);
    }
    read_scale(source, p, out);
    if (out.traits().is_order && out.parts > max_permutation_items)
        return read_long_order(source, p, name, out.parts, build.space());
    if (json_value const* const count = p.find("elements")) {
        read_prior(source, p, out);
        return read_array(source, p, *count, std::move(out), build.space());
    }
    if (json_value const* const v = p.find("default")) set_default(source, *v, out);
    read_prior(source, p, out);
    add_parameter(source, name.at, std::move(out), build.space());
}

[[nodiscard]] inline bool names_parameter(json_value const& s, std::string const& name)
{
    json_value const* const params = s.find("params");
    return params != nullptr &&
           std::any_of(params->items.begin(), params->items.end(), [&](json_value const& p) {
               json_value const* const other = p.find("name");
               return other != nullptr && other->text == name;
           });
}

inline void read_inputs(json_source const& source, json_value const& s, description& space)
{
    auto const add = [&](std::string const& name, std::size_t at, value_kind type,
                         std::optional<number> value) {
        if (name.empty()) source.fail("expected a name that is not empty", at);
        if (space.find_input(name) != no_index)
            source.fail("expected each input once, found " + name + " again", at);
        space.inputs.push_back({name, type, value});
    };
    if (json_value const* const problem = s.find("problem")) {
        for (std::size_t i = 0; i < problem->keys.size(); ++i) {
            json_value const& v = problem->items[i];
            auto const& [name, at] = problem->keys[i];
            if (names_parameter(s, name)) continue; // ignored: a parameter has this name
            if (v.kind == json_kind::integer)
                add(name, at, value_kind::integer, number::of(v.integer));
            else if (v.kind == json_kind::real)
                add(name, at, value_kind::real, number::of(v.real));
        }
    }
    if (json_value const* const inputs = s.find("inputs")) {
        source.require(*inputs, json_kind::object, "\"inputs\"");
        for (std::size_t i = 0; i < inputs->items.size(); ++i) {
            json_value const& v = source.require(inputs->items[i], json_kind::text, "an input");
            if (v.text != "integer" && v.text != "real")
                source.fail("expected \"integer\" or \"real\"", v.at);
            add(inputs->keys[i].first, inputs->keys[i].second,
                v.text == "real" ? value_kind::real : value_kind::integer, {});
        }
    }
}

/// @param active_if  the condition of a value, or a list with the condition of each element
/// @pre   all parameters were read
inline void read_condition(json_source const& source, json_value const& active_if,
                           named_value const& of, expression_builder& build)
{
    bool const is_list = active_if.kind == json_kind::list;
    if (is_list && active_if.items.size() != of.count)
        source.fail("expected " + std::to_string(of.count) + " conditions, found " +
                        std::to_string(active_if.items.size()),
                    active_if.at);
    constraint_description made;
    for (std::uint32_t i = 0; i < of.count; ++i) {
        json_value const& one = is_list ? active_if.items[i] : active_if;
        if (is_list || i == 0) {
            source.require(one, json_kind::text, "a condition");
            made = at_place_in_file(
                source, one, [&] { return expression_reader(build, one.text).constraint(); });
        }
        parameter_description& p = build.space().parameters[of.first + i];
        p.active.root = made.root;
        p.active.text = made.text;
    }
    if (undecided_parameter(build.space()) != no_index)
        source.fail("expected a condition that does not lead back to " + std::string(of.name),
                    active_if.at);
}

/// Returns true if the values of `p` are 1, 2, ..., `last`.
[[nodiscard]] inline bool counts_to(description const& space, parameter_description const& p,
                                    std::int64_t last)
{
    if (!p.traits().is_ordered || p.type != value_kind::integer) return false;
    if (p.rule.bound_node != no_index) {
        expression_node const& bound = space.nodes[p.rule.bound_node];
        return p.rule.steps == progression::linear && p.rule.first == 1 && p.rule.step == 1 &&
               bound.code == op::integer && bound.integer == last;
    }
    for (std::uint32_t i = 0; i < p.value_count(); ++i)
        if (p.integer_at(i) != std::int64_t{i} + 1) return false;
    return p.value_count() == last;
}

/// @param s       an entry of "selectors"
/// @param behind  the first parameter after all earlier selectors
/// @pre   all parameters were read
[[nodiscard]] inline selector_description read_selector(json_source const& source,
                                                        json_value const& s,
                                                        description const& space,
                                                        std::uint32_t behind)
{
    source.require(s, json_kind::object, "a selector");
    json_value const& first = source.member(s, "first", json_kind::text);
    json_value const& count = source.member(s, "parameters", json_kind::integer);
    std::vector<named_value> const all = named_values(space);
    auto const at = std::find_if(all.begin(), all.end(),
                                 [&](named_value const& v) { return v.name == first.text; });
    bool good = at != all.end() && at->count == 1 && at->group == nullptr && count.integer >= 0 &&
                count.integer <= all.end() - at - 3;
    selector_description out;
    if (good) {
        out = {at->first, at[1].count + 1, static_cast<std::uint32_t>(count.integer)};
        for (std::int64_t i = 1; i < count.integer + 3; ++i)
            good = good && at[i].is_array() && at[i].count + (i == 1 ? 1 : 0) == out.ranges;
    }
    if (!good)
        source.fail("expected a selector: the number of ranges, then arrays of cut-offs, one fewer "
                    "than ranges, of algorithms and of each of the parameters",
                    s.at);
    if (out.first < behind)
        source.fail("expected selectors in the order of their parameters, without a common one",
                    first.at);
    if (!counts_to(space, space.parameters[at->first], out.ranges))
        source.fail("expected the whole numbers from 1 to " + std::to_string(out.ranges) +
                        " as values of " + first.text + ", the number of ranges",
                    first.at);
    if (!space.parameters[at[1].first].traits().is_ordered)
        source.fail("expected ascending numbers as values of " + std::string(at[1].name) +
                        ", the cut-offs of a selector",
                    first.at);
    if (space.parameters[at[2].first].traits().is_interval)
        source.fail("expected values that can be counted as those of " + std::string(at[2].name) +
                        ", the algorithms of a selector",
                    first.at);
    return out;
}

inline void read_constraints(json_source const& source, json_value const& list,
                             expression_builder& build)
{
    for (json_value const& c : list.items) {
        source.require(c, json_kind::text, "a constraint");
        build.space().constraints.push_back(at_place_in_file(
            source, c, [&] { return expression_reader(build, c.text).constraint(); }));
    }
}

inline named_space read_space(json_source const& source, json_value const& s)
{
    source.require(s, json_kind::object, "a space");
    refuse_misspelt(
        source, s,
        {"name", "problem", "inputs", "params", "selectors", "constraints", "cartesian", "valid"});
    refuse_lost_conditions(source, s, "constraints");
    named_space out;
    if (json_value const* const name = s.find("name"))
        out.name = source.require(*name, json_kind::text, "\"name\"").text;
    read_inputs(source, s, out.space);
    expression_builder build(out.space);
    for (json_value const& p : source.member(s, "params", json_kind::list).items)
        read_parameter(source, p, build);
    if (out.space.parameters.empty())
        source.fail("expected at least one parameter", s.find("params")->at);
    auto param = s.find("params")->items.begin();
    for (named_value const& v : named_values(out.space))
        if (json_value const* const active_if = (param++)->find("active_if"))
            read_condition(source, *active_if, v, build);
    if (json_value const* const selectors = s.find("selectors"))
        for (json_value const& one :
             source.require(*selectors, json_kind::list, "\"selectors\"").items) {
            std::vector<selector_description>& all = out.space.selectors;
            std::uint32_t const behind = all.empty() ? 0 : all.back().first + all.back().count();
            all.push_back(read_selector(source, one, out.space, behind));
        }
    if (json_value const* const constraints = s.find("constraints"))
        read_constraints(source, source.require(*constraints, json_kind::list, "\"constraints\""),
                         build);
    for (auto const& [member, count] :
         {std::pair{"cartesian", &out.cartesian}, std::pair{"valid", &out.valid}})
        if (json_value const* const v = s.find(member);
            v != nullptr && v->kind != json_kind::null) {
            *count = source.require(*v, json_kind::real, std::string("\"") + member + '"').text;
            if (count->find_first_not_of("0123456789") != std::string::npos)
                source.fail("expected a whole number, not below 0, as \"" + std::string(member) +
                                '"',
                            v->at);
        }
    return out;
}

/// Errors  attune::error
[[nodiscard]] inline std::string text_of_spaces(std::string const& path)
{
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file.is_open() || file.bad())
        throw error("a file of spaces cannot be read", path, "check its name and permissions");
    return text;
}

} // namespace detail

ATTUNE_INLINE std::vector<named_space> read_spaces_json(std::string_view text,
                                                        std::string const& source)
{
    detail::json_source const from{text, source};
    detail::json_value const root = detail::read_json_tree(from);
    std::vector<named_space> out;
    if (root.kind != detail::json_kind::list) {
        out.push_back(detail::read_space(from, root));
        return out;
    }
    for (detail::json_value const& s : root.items)
        out.push_back(detail::read_space(from, s));
    return out;
}

ATTUNE_INLINE std::vector<named_space> read_spaces_file(std::string const& path)
{
    return read_spaces_json(detail::text_of_spaces(path), path);
}

} // namespace attune::inline ATTUNE_ABI
