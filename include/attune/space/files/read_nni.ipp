// attune/space/files/read_nni.ipp - makes a description of the members of an NNI search space.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/space/files/detail/expression_nodes.hpp>
#include <attune/space/files/detail/json_tree.hpp>
#include <attune/space/files/detail/values_from.hpp>
#include <attune/space/files/read_json.hpp>
#include <attune/space/files/read_nni.hpp>
#include <attune/space/files/write_expression.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

class nni_reader {
public:
    nni_reader(json_source const& source, description& space)
        : source_(source)
        , build_(space)
    {
    }

    /// Adds the members of a search space, but "_name".
    /// @param prefix  of their names
    /// @param active  node of their condition; no_index: they always count
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

    /// @return  the options with members of their own; null if these are plain values
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
            json_value const text = *name; // a copy: it is inside of what it replaces
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

    /// The ends of an interval, checked, and what follows them.
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
        // A draw that is exactly between two multiples has no weight.
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
