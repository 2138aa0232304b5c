// attune/space/files/nni.ipp - makes a description of the members of a search space, and the members of a description.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/table.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/files/detail/expression_nodes.hpp>
#include <attune/space/files/detail/json_tree.hpp>
#include <attune/space/files/detail/value_list.hpp>
#include <attune/space/files/nni.hpp>
#include <attune/space/files/write_json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

[[noreturn]] inline void refuse_nni(std::string const& name)
{
    throw error("NNI has no permutation, no tile and no array", "parameter " + name,
                "give it listed values, or write_space_json()");
}

/// The most nested levels of parameters: read_json_tree() reads 32 brackets, 3 per level.
inline constexpr std::size_t max_nni_levels = 10;

class nni_writer {
public:
    explicit nni_writer(description const& space)
        : space_(space)
    {
        for (std::uint32_t i = 0; i < space_.parameters.size(); ++i)
            place_.push_back(place_of(i));
        leave_out_inner();
    }

    [[nodiscard]] space_json members()
    {
        read_.assign(place_.size(), {});
        names_.clear();
        return members_at({});
    }
    [[nodiscard]] std::vector<std::string> left_out() const
    {
        std::string constraints;
        for (std::uint32_t c = 0; c < space_.constraints.size(); ++c)
            if (space_.constraints[c].settles == no_index)
                constraints += (constraints.empty() ? "" : "; ") + constraint_text(space_, c);
        std::vector<std::string> out;
        if (!constraints.empty()) out.push_back("NNI has no constraints; left out: " + constraints);
        out.insert(out.end(), conditions_.begin(), conditions_.end());
        for (std::vector<std::string> const& of :
             {defaults_left_out(space_, "NNI"), priors_left_out(space_, "NNI")})
            out.insert(out.end(), of.begin(), of.end());
        return out;
    }

private:
    /// The option that a parameter is inside; choice no_index: none.
    struct option {
        std::uint32_t choice = no_index;
        std::uint32_t label = 0;

        [[nodiscard]] friend bool operator==(option const&, option const&) = default;
    };

    /// A parameter as read_nni() reads it.
    struct read_back {
        std::string name;
        std::size_t level = 0; ///< number of choices around it
    };

    /// The option around a parameter; nothing if it is never active.
    [[nodiscard]] std::optional<option> place_of(std::uint32_t index)
    {
        parameter_description const& p = space_.parameters[index];
        if (!p.is_conditional()) return option{};
        expression_node const& root = space_.nodes[p.active.root];
        if (root.code == op::equal) {
            expression_node const* read = &space_.nodes[root.first];
            expression_node const* text = &space_.nodes[root.second];
            if (read->code == op::text) std::swap(read, text);
            if (read->code == op::parameter && text->code == op::text) {
                std::vector<std::string> const& labels = space_.parameters[read->subject].labels;
                auto const at = std::find(labels.begin(), labels.end(), space_.texts[text->text]);
                if (at != labels.end())
                    return option{read->subject, static_cast<std::uint32_t>(at - labels.begin())};
                conditions_.push_back(p.name + " is left out: its condition " + p.active.text +
                                      " never holds");
                return {};
            }
        }
        conditions_.push_back("NNI always draws " + p.name + ": its condition " + p.active.text +
                              " is no option of a choice");
        return option{};
    }

    /// Leaves out the parameters inside a parameter that is left out.
    void leave_out_inner()
    {
        for (bool is_done = false; !is_done;) {
            is_done = true;
            for (std::uint32_t i = 0; i < place_.size(); ++i) {
                if (!place_[i] || place_[i]->choice == no_index || place_[place_[i]->choice])
                    continue;
                conditions_.push_back(space_.parameters[i].name + " is left out: it is inside " +
                                      space_.parameters[place_[i]->choice].name);
                place_[i].reset();
                is_done = false;
            }
        }
    }

    [[nodiscard]] space_json members_at(option const& at)
    {
        space_json out = space_json::object();
        std::string prefix;
        read_back inside; // the option, as read_nni() reads it
        if (at.choice != no_index) {
            parameter_description const& of = space_.parameters[at.choice];
            out["_name"] = of.labels[at.label];
            prefix = of.name + '/' + of.labels[at.label] + '/';
            inside = {read_[at.choice].name + '/' + of.labels[at.label] + '/',
                      read_[at.choice].level + 1};
        }
        for (std::uint32_t i = 0; i < place_.size(); ++i) {
            if (place_[i] != at) continue;
            std::string name = space_.parameters[i].name;
            if (!prefix.empty() && name.starts_with(prefix) && name.size() > prefix.size() &&
                !out.contains(name.substr(prefix.size())))
                name.erase(0, prefix.size());
            read_[i] = {inside.name + name, inside.level};
            if (name == "_name" || name == "_type" || name == "_value" || out.contains(name) ||
                !names_.insert(read_[i].name).second)
                throw error("a search space of NNI has another member of this name",
                            "parameter " + space_.parameters[i].name, "give it another name");
            if (inside.level >= max_nni_levels)
                throw error("read_nni() reads at most 10 levels of parameters inside each other",
                            "parameter " + space_.parameters[i].name,
                            "join two nested choices into one");
            out[name] = parameter(i);
        }
        return out;
    }

    [[nodiscard]] space_json parameter(std::uint32_t index)
    {
        parameter_description const& p = space_.parameters[index];
        if (p.type == value_kind::list) refuse_nni(p.name);
        if (p.traits().is_interval && p.low < p.high)
            return {{"_type", p.on == scale::log ? "loguniform" : "uniform"},
                    {"_value", {p.low, p.high}}};
        if (p.traits().is_interval)
            return {{"_type", "choice"}, {"_value", space_json::array({p.low})}};
        require_table(p);
        bool const is_integer = p.kind == parameter_kind::integer || p.range_count > 0;
        if (is_integer && is_consecutive(p))
            return {{"_type", "randint"},
                    {"_value", {p.integer_at(0), p.integer_at(p.value_count() - 1) + 1}}};
        if (p.range_count > 0 && p.rule.step == 1)
            throw error("NNI writes the number after the end of a range, and 2^63 - 1 has none",
                        "parameter " + p.name, "end the range one below");
        if (p.range_count > 0)
            throw error("NNI has no form for a long range with a step", "parameter " + p.name,
                        "use step 1, or fewer values");
        return {{"_type", "choice"}, {"_value", options(index)}};
    }

    [[nodiscard]] static bool is_consecutive(parameter_description const& p)
    {
        if (p.integer_at(p.value_count() - 1) == std::numeric_limits<std::int64_t>::max())
            return false; // NNI writes the number after the last one
        if (p.range_count > 0) return p.rule.step == 1;
        for (std::size_t i = 1; i < p.integers.size(); ++i)
            if (p.integers[i] != p.integers[i - 1] + 1) return false;
        return true;
    }

    [[nodiscard]] space_json options(std::uint32_t index)
    {
        parameter_description const& p = space_.parameters[index];
        space_json out = space_json::array();
        bool const is_nested = std::any_of(place_.begin(), place_.end(), [&](auto const& place) {
            return place && place->choice == index;
        });
        for (std::uint32_t i = 0; i < p.value_count(); ++i)
            if (is_nested)
                out.push_back(members_at({index, i}));
            else if (p.type == value_kind::text)
                out.push_back(p.labels[i]);
            else if (p.traits().is_truth)
                out.push_back(number_at(p, {i, 0}).integer != 0);
            else if (p.type == value_kind::real)
                out.push_back(finite(p, p.reals[i]));
            else
                out.push_back(p.integers[i]);
        return out;
    }

    [[nodiscard]] static double finite(parameter_description const& p, double value)
    {
        if (std::isfinite(value)) return value;
        throw error("a value is no finite number", "parameter " + p.name, "leave it out");
    }

    description const& space_;
    std::vector<std::optional<option>> place_; // by parameter
    std::vector<read_back> read_;              // by parameter
    std::set<std::string> names_;              // of read_
    std::vector<std::string> conditions_;
};

} // namespace detail

ATTUNE_INLINE nni_file write_nni(named_space const& space)
{
    description settled = space.space;
    if (!settled.groups.empty()) detail::refuse_nni(settled.groups.front().name);
    detail::settle_conditions(settled);
    detail::nni_writer writer(settled);
    nni_file out;
    out.text = detail::text_of_json(writer.members(), 2, space.name) + '\n';
    out.left_out = writer.left_out();
    return out;
}

namespace detail {

class nni_reader {
public:
    nni_reader(json_source const& source, description& space)
        : source_(source)
        , build_(space)
    {
    }

    /// Adds the members of a search space, except "_name".
    /// @param prefix  beginning of their names
    /// @param active  node of their condition; no_index: always active
    void read(json_value const& members, std::string const& prefix, std::uint32_t active)
    {
        for (std::size_t i = 0; i < members.items.size(); ++i) {
            auto const& [name, at] = members.keys[i];
            if (name == "_name") continue;
            if (name.empty()) source_.fail("expected a name that is not empty", at);
            read_parameter(members.items[i], at, prefix + name, active);
        }
    }

private:
    [[noreturn]] void refuse(parameter_description const& p, std::string const& type,
                             std::string const& what, std::size_t at,
                             std::string const& next = "") const
    {
        source_.fail("parameter " + p.name + " of the type " + type + ": " + what, at, next);
    }

    void read_parameter(json_value const& p, std::size_t at, std::string const& name,
                        std::uint32_t active)
    {
        source_.require(p, json_kind::object, "parameter " + name);
        json_value const& type = source_.member(p, "_type", json_kind::text);
        json_value const& values = source_.member(p, "_value", json_kind::list);
        parameter_description out;
        out.name = name;
        if (active != no_index) {
            out.active.root = active;
            out.active.text = write_expression(build_.space(), active);
        }
        json_value const* options = nullptr;
        if (type.text == "choice")
            options = read_choice(values, out);
        else if (type.text == "randint")
            read_randint(values, out);
        else if (type.text == "uniform" || type.text == "loguniform")
            read_interval(type, values, out);
        else if (type.text == "quniform" || type.text == "qloguniform")
            read_multiples(type, values, out);
        else if (type.text.ends_with("normal"))
            refuse(out, type.text, "attune has no parameters without bounds", type.at,
                   "give it bounds: uniform, loguniform or their quantised forms");
        else
            refuse(out, type.text,
                   "expected choice, randint, uniform, loguniform, quniform or qloguniform",
                   type.at);
        require_room(source_, at, 1, build_.space());
        auto const index = static_cast<std::uint32_t>(build_.space().parameters.size());
        add_parameter(source_, at, std::move(out), build_.space());
        if (options == nullptr) return;
        for (json_value const& option : options->items) {
            if (option.keys.size() < 2) continue;
            std::string const& of = option.find("_name")->text;
            std::uint32_t const chosen = build_.two(
                op::equal, build_.add({.code = op::parameter, .subject = index}), build_.text(of));
            read(option, name + '/' + of + '/', chosen);
        }
    }

    /// @return  the options with members; null for plain values
    [[nodiscard]] json_value const* read_choice(json_value const& values,
                                                parameter_description& out) const
    {
        if (values.items.empty()) refuse(out, "choice", "expected at least one option", values.at);
        bool const is_nested = values.items.front().kind == json_kind::object;
        json_value names = values;
        for (json_value& v : names.items) {
            if ((v.kind == json_kind::object) != is_nested)
                refuse(out, "choice", "expected options that are all objects, or none", v.at);
            if (v.kind == json_kind::list || v.kind == json_kind::null)
                refuse(out, "choice",
                       "expected numbers, texts, truths or objects as options, found " +
                           std::string(name_of(v.kind)),
                       v.at);
            if (!is_nested) continue;
            json_value const* const name = v.find("_name");
            if (name == nullptr || name->kind != json_kind::text)
                refuse(out, "choice", "expected a text \"_name\" of each option", v.at);
            json_value const text = *name; // a copy: the name is inside the value that it replaces
            v = text;
        }
        set_values(source_, names, false, out);
        return is_nested ? &values : nullptr;
    }

    void read_randint(json_value const& values, parameter_description& out)
    {
        std::array<std::int64_t, 2> ends{};
        if (values.items.size() != 2)
            refuse(out, "randint", "expected [first, last], without last itself", values.at);
        for (std::size_t i = 0; i < 2; ++i) {
            if (values.items[i].kind != json_kind::integer)
                refuse(out, "randint", "expected whole numbers", values.items[i].at);
            ends[i] = values.items[i].integer;
        }
        if (ends[0] >= ends[1])
            refuse(out, "randint", "expected a last number above the first", values.items[1].at);
        out.kind = parameter_kind::integer;
        out.type = value_kind::integer;
        out.rule.first = ends[0];
        out.rule.bound_node = build_.integer(ends[1] - 1);
    }

    /// The checked ends of an interval, and the step if there is one.
    [[nodiscard]] std::array<double, 3> reals_of(json_value const& type, json_value const& values,
                                                 std::size_t count,
                                                 parameter_description const& out) const
    {
        std::array<double, 3> all{};
        if (values.items.size() != count)
            refuse(out, type.text, count == 2 ? "expected [low, high]" : "expected [low, high, q]",
                   values.at);
        for (std::size_t i = 0; i < count; ++i) {
            json_value const& v = values.items[i];
            if ((v.kind != json_kind::integer && v.kind != json_kind::real) ||
                !std::isfinite(v.real))
                refuse(out, type.text, "expected numbers", v.at);
            all[i] = v.real;
        }
        if (type.text.find("log") != type.text.npos && !(all[0] > 0))
            refuse(out, type.text, "expected a low end above 0", values.items[0].at);
        return all;
    }

    void read_interval(json_value const& type, json_value const& values, parameter_description& out)
    {
        auto const [low, high, none] = reals_of(type, values, 2, out);
        if (!(low < high))
            refuse(out, type.text, "expected a high end above the low one", values.items[1].at);
        out.kind = parameter_kind::real;
        out.type = value_kind::real;
        out.low = low;
        out.high = high;
        if (type.text == "loguniform") out.on = scale::log;
    }

    void read_multiples(json_value const& type, json_value const& values,
                        parameter_description& out)
    {
        auto const [low, high, q] = reals_of(type, values, 3, out);
        if (!(low <= high))
            refuse(out, type.text, "expected a high end not below the low one", values.items[1].at);
        if (!(q > 0)) refuse(out, type.text, "expected q above 0", values.items[2].at);
        bool const is_whole =
            std::all_of(values.items.begin(), values.items.end(), [](json_value const& v) {
                return v.real == std::floor(v.real) && std::abs(v.real) <= 0x1p53;
            });
        // A draw exactly between two multiples has probability 0.
        double const first = low < high ? std::floor(low / q + 0.5) : std::round(low / q);
        double const last = std::max(first, std::ceil(high / q - 0.5));
        if (last - first >= static_cast<double>(max_table_values))
            refuse(out, type.text, "expected at most 2^20 values", values.at, "give a larger q");
        out.kind = parameter_kind::ordinal;
        out.type = is_whole ? value_kind::integer : value_kind::real;
        auto const add = [](auto& to, auto value) {
            if (to.empty() || to.back() < value) to.push_back(value);
        };
        for (double k = first; k <= last; ++k) {
            double const value = std::clamp(k * q, low, high);
            if (is_whole)
                add(out.integers, static_cast<std::int64_t>(value));
            else
                add(out.reals, value);
        }
        if (type.text == "qloguniform") out.on = scale::log;
    }

    json_source const& source_;
    expression_builder build_;
};

} // namespace detail

ATTUNE_INLINE named_space read_nni(std::string_view text, std::string const& source)
{
    detail::json_source const from{text, source};
    detail::json_value const root = detail::read_json_tree(from);
    from.require(root, detail::json_kind::object, "a search space of NNI");
    named_space out;
    detail::nni_reader(from, out.space).read(root, "", no_index);
    if (out.space.parameters.empty()) from.fail("expected at least one parameter", root.at);
    return out;
}

ATTUNE_INLINE named_space read_nni_file(std::string const& path)
{
    return read_nni(detail::text_of_spaces(path), path);
}

} // namespace attune::inline ATTUNE_ABI
