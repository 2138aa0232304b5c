// attune/space/files/write_nni.ipp - makes the members of an NNI search space.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/table.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/files/detail/left_out.hpp>
#include <attune/space/files/write_json.hpp>
#include <attune/space/files/write_nni.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

[[noreturn]] inline void refuse_nni(std::string const& name)
{
    throw error("NNI has no permutation, no tile and no array", "parameter " + name,
                "give it listed values, or write_space_json()");
}

/// Of parameters inside of each other: read_json_tree() takes 32 brackets, 3 of them for a level.
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
    /// The option that a parameter is inside of: none of the choice no_index.
    struct option {
        std::uint32_t choice = no_index;
        std::uint32_t label = 0;

        [[nodiscard]] friend bool operator==(option const&, option const&) = default;
    };

    /// What read_nni() makes of a parameter.
    struct read_back {
        std::string name;
        std::size_t level = 0; ///< choices that it is inside of
    };

    /// Nothing for a parameter that never counts.
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
                conditions_.push_back(p.name + " is left out: it counts where " + p.active.text +
                                      ", and there is no such value");
                return {};
            }
        }
        conditions_.push_back(p.name + " counts where " + p.active.text +
                              ", which is no option of a choice: NNI always draws it");
        return option{};
    }

    /// What is inside of a parameter that is left out is left out, too.
    void leave_out_inner()
    {
        for (bool is_done = false; !is_done;) {
            is_done = true;
            for (std::uint32_t i = 0; i < place_.size(); ++i) {
                if (!place_[i] || place_[i]->choice == no_index || place_[place_[i]->choice])
                    continue;
                conditions_.push_back(space_.parameters[i].name + " is left out: it is inside of " +
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
                throw error("read_nni() reads 10 levels of parameters inside of each other",
                            "parameter " + space_.parameters[i].name, "make one choice of two");
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
        if (p.value_count() == 0)
            throw error("the values of a parameter are not known", p.name, "call bind_inputs()");
        bool const is_integer = p.kind == parameter_kind::integer || p.range_count > 0;
        if (is_integer && is_consecutive(p))
            return {{"_type", "randint"},
                    {"_value", {p.integer_at(0), p.integer_at(p.value_count() - 1) + 1}}};
        if (p.range_count > 0 && p.rule.step == 1)
            throw error("NNI names the number behind the last one of a long range",
                        "parameter " + p.name, "end the range one below");
        if (p.range_count > 0)
            throw error("NNI has no form for a long range with a step", "parameter " + p.name,
                        "take the step 1, or fewer values");
        return {{"_type", "choice"}, {"_value", options(index)}};
    }

    [[nodiscard]] static bool is_consecutive(parameter_description const& p)
    {
        if (p.integer_at(p.value_count() - 1) == std::numeric_limits<std::int64_t>::max())
            return false; // NNI names the number behind the last one
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
    try {
        nni_file out;
        out.text = writer.members().dump(2) + '\n';
        out.left_out = writer.left_out();
        return out;
    } catch (detail::space_json::exception const&) {
        throw error("a space cannot be written as JSON", space.name,
                    "write its names and texts in UTF-8");
    }
}

} // namespace attune::inline ATTUNE_ABI
