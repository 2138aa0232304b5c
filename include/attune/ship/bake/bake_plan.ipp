// attune/ship/bake/bake_plan.ipp - chooses winners of a store, and the calls that each serves.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/shape/shape_properties.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/record.hpp>
#include <attune/ship/bake/bake_plan.hpp>
#include <attune/ship/bake/build_proofs.hpp>
#include <attune/ship/detail/bake_candidates.hpp>
#include <attune/ship/detail/store_winners.hpp>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::string planned_variant::text() const
{
    std::string out;
    for (auto const& [name, value] : configuration)
        out += (out.empty() ? "" : " ") + name + '=' + value;
    return out;
}

ATTUNE_INLINE bool is_machine_flag(std::string_view flag)
{
    return flag.starts_with("-m") && !flag.starts_with("-mprefer-vector-width=") &&
           !flag.starts_with("-mllvm") && !flag.starts_with("-mrecip") &&
           !flag.starts_with("-mno-") && !flag.starts_with("-mcmodel=");
}

/// The store has no time of a program's fallback: the plain nest without the flags and the
/// restricted pointers of the configuration PLAIN, whose time would be too short for it.
inline constexpr double plain_nest_is_slower = 10;

class bake_planner {
public:
    bake_planner(std::string const& text, std::string const& path, kernel_source source,
                 plan_choice const& choice)
        : choice_(choice)
        , winners_(text, path, choice, out_)
        , candidates_(text, winners_, choice, out_)
    {
        out_.source = std::move(source);
        out_.is_for_device = choice.is_for_device;
    }
    bake_planner(bake_planner const&) = delete;
    bake_planner& operator=(bake_planner const&) = delete;

    bake_plan plan()
    {
        winners_.find();
        candidates_.find();
        find_size_words();
        std::vector<tree_point> const points = measure();
        regret_table const regret(points);
        std::vector<std::int32_t> chosen = choose_variants(regret, choice_.most_variants);
        std::sort(chosen.begin(), chosen.end());
        std::vector<std::int32_t> place(candidates_.all().size(), baked_node::none);
        for (std::int32_t const c : chosen) {
            place[static_cast<std::size_t>(c)] = static_cast<std::int32_t>(out_.variants.size());
            out_.variants.push_back(std::move(candidates_.all()[static_cast<std::size_t>(c)]));
        }
        for (std::vector<std::size_t> const& which : by_device()) {
            planned_device device = device_of(winners_.all()[which.front()]);
            device.tree = grow_tree(points, regret, chosen, which);
            for (baked_node& node : device.tree) {
                std::size_t const inputs = out_.facts.inputs.size();
                auto const input = static_cast<std::size_t>(node.input);
                if (node.input == baked_node::none && node.below != baked_node::none)
                    node.below = place[static_cast<std::size_t>(node.below)];
                else if (node.input != baked_node::none && input >= inputs)
                    node.input =
                        static_cast<std::int32_t>(inputs + out_.size_words[input - inputs]);
            }
            out_.devices.push_back(std::move(device));
        }
        out_.known_shapes.assign(candidates_.shapes().begin(), candidates_.shapes().end());
        return std::move(out_);
    }

private:
    /// Finds the sizes as tune/sizes/ does.
    void find_size_words()
    {
        std::vector<std::int64_t> shape; // a store may have damaged ones, and of another layout
        for (record const& r : winners_.all())
            if (shape.empty() && has_tuned_sizes(r))
                shape = stored_shape(out_.facts.layout, words_in(r.shape));
        if (shape.empty()) return;
        std::vector<std::size_t> words(shape.size());
        words.resize(shape_properties(out_.facts.layout, {}).sizes(shape, words));
        std::erase_if(words, [&](std::size_t at) {
            return !shape_choice_of(out_.facts).counts(out_.facts.layout[at].argument);
        });
        out_.size_words = std::move(words);
    }

    /// The times of all candidates at each winner's problem.
    [[nodiscard]] std::vector<tree_point> measure()
    {
        std::vector<tree_point> out;
        for (record const& r : winners_.all()) {
            problem_objective const of = objective_of(r.key);
            double const default_s = of.turned(r.default_s);
            tree_point p{.seconds = std::vector<std::optional<double>>(candidates_.all().size()),
                         .is_usable = std::vector<bool>(candidates_.all().size()),
                         .has_failed = std::vector<bool>(candidates_.all().size()),
                         .default_s = out_.is_plain ? plain_nest_is_slower * default_s : default_s};
            for (auto const& [name, argument] : out_.facts.inputs) {
                std::string const* const text = value_of(r.key.inputs, name);
                p.inputs.push_back(text != nullptr ? number_of(*text).value_or(0.0) : 0.0);
            }
            std::vector<std::int64_t> const shape =
                stored_shape(out_.facts.layout, words_in(r.shape));
            for (std::size_t const word : out_.size_words)
                p.inputs.push_back(shape.empty() ? 0.0 : static_cast<double>(shape[word]));
            auto const note = [&](value_texts const& values, double value) {
                if (auto const at = candidates_.place_of(values)) p.seconds[*at] = of.turned(value);
            };
            for (tried_row const& row : candidates_.rows_of(r))
                if (auto const* const m = std::get_if<measurement>(&row.result))
                    note(row.values, m->value);
                else if (auto const at = candidates_.place_of(row.values);
                         at && !succeeded(row.result))
                    p.has_failed[*at] = true;
            for (value_texts const& tie : r.ties)
                note(tie, r.best_s);
            note(values_of(r.configuration), r.best_s);
            for (std::size_t c = 0; c < candidates_.all().size(); ++c)
                p.is_usable[c] =
                    winners_.is_predicted(r)
                        ? choice_.is_unverified || !candidates_.all()[c].recorded.largest.empty()
                        : is_covered(candidates_.all()[c].recorded,
                                     {out_.facts.layout, candidates_.all()[c].divisors,
                                      candidates_.all()[c].address_modulus},
                                     shape);
            out.push_back(std::move(p));
        }
        return out;
    }

    /// The winners of each device; first the device with most of them.
    [[nodiscard]] std::vector<std::vector<std::size_t>> by_device() const
    {
        std::map<std::string, std::vector<std::size_t>> all;
        for (std::size_t i = 0; i < winners_.all().size(); ++i)
            all[winners_.all()[i].key.device].push_back(i);
        std::vector<std::vector<std::size_t>> out;
        for (auto& [name, which] : all)
            out.push_back(std::move(which));
        std::sort(out.begin(), out.end(), [](auto const& a, auto const& b) {
            return a.size() != b.size() ? a.size() > b.size() : a < b;
        });
        return out;
    }

    /// @param r  of "Intel(R) Xeon(R) ... (6.143.8)"
    [[nodiscard]] planned_device device_of(record const& r) const
    {
        planned_device out{.name = r.key.device};
        if (std::string const* const vendor = value_of(*winners_.facts_of(r), "vendor"))
            out.vendor = *vendor;
        if (choice_.is_for_device) {
            out.architecture = winners_.architecture_of(r);
            out.is_predicted = winners_.is_predicted(r);
            if (out.is_predicted)
                out.name.resize(out.name.size() - std::string_view(predicted_device).size());
            return out;
        }
        std::size_t const open = out.name.rfind('(');
        if (open == std::string::npos) return out;
        char const* const end = out.name.data() + out.name.size();
        auto const family = std::from_chars(out.name.data() + open + 1, end, out.family);
        if (family.ptr != end && *family.ptr == '.')
            std::from_chars(family.ptr + 1, end, out.model);
        return out;
    }

    plan_choice const& choice_;
    bake_plan out_{};
    store_winners winners_;
    bake_candidates candidates_;
};

ATTUNE_INLINE bake_plan plan_of(std::string const& store, std::string const& path,
                                kernel_source source, plan_choice const& choice)
{
    return bake_planner(store, path, std::move(source), choice).plan();
}

} // namespace attune::inline ATTUNE_ABI::detail
