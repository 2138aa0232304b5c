// attune/space/tree/wide_tree.hpp - a group of parameters whose tree would be too wide, and walks that draw its settings without a tree.
// SPDX-License-Identifier: MIT
// Source   Knuth 1975, "Estimating the efficiency of backtrack programs" (a random walk from the
//          root counts the leaves without bias); own: diagrams of single conditions give the number
//          of settings of each branch, and values are drawn in proportion
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/build_options.hpp>
#include <attune/space/conditions/domains.hpp>
#include <attune/space/diagram/constraint_program.hpp>
#include <attune/space/diagram/diagram_maker.hpp>
#include <attune/space/order/order.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

enum class search_result : std::uint8_t { found, none, spent };

/// Walks down the levels of a group.
class guided_walk {
public:
    /// The references must outlive this object.
    guided_walk(description const& space, parameter_group const& group,
                std::vector<domain> const& domains, build_options const& options)
        : domains_(domains)
        , maker_(space, domains, level_order(space, group, domains), budget_)
        , program_(program_of_the_rest(space, group, options))
        , state_(space, program_, first_values(space, domains))
    {
        shares_.assign(maker_.store().node_count(), 0);
        shares_[always_node] = 1;
        for (std::uint32_t node = always_node + 1; node < shares_.size(); ++node) {
            std::span<std::uint32_t const> const children = maker_.store().children(node);
            for (std::uint32_t const child : children)
                shares_[node] += shares_[child];
            shares_[node] /= static_cast<double>(children.size());
        }
        for (std::uint32_t const p : maker_.order()) {
            levels_.emplace_back();
            levels_.back().allowed.resize(domains[p].size());
            levels_.back().weight.resize(domains[p].size());
            levels_.back().nodes.resize(roots_.size());
        }
        levels_.emplace_back().nodes.resize(roots_.size());
        levels_.front().nodes = roots_;
    }
    guided_walk(guided_walk const&) = delete;
    guided_walk& operator=(guided_walk const&) = delete;

    [[nodiscard]] std::vector<std::uint32_t> const& order() const noexcept
    {
        return maker_.order();
    }
    /// Number of values that a walk visits.
    [[nodiscard]] std::uint64_t visits() const noexcept
    {
        std::uint64_t sum = 0;
        for (level const& l : levels_)
            sum += l.weight.size();
        return sum;
    }

    /// Walks once, and writes the setting into `at`, which has every parameter. Returns the
    /// logarithm of 1 / its probability; nothing if no value of a level can be continued.
    [[nodiscard]] std::optional<double> try_once(random_engine& engine, std::span<coordinate> at)
    {
        if (!may_begin()) return {};
        double log_weight = 0;
        for (std::size_t l = 0; l < order().size(); ++l) {
            double const all = weigh(l);
            if (!(all > 0)) return {};
            std::size_t const v = pick(l, all, engine);
            log_weight += std::log(all / levels_[l].weight[v]);
            take(l, v, at);
        }
        return log_weight;
    }

    /// Searches for a setting with backtracking, in random order of values.
    [[nodiscard]] search_result search(random_engine& engine, std::span<coordinate> at)
    {
        effort left{most_search_visits, effort::unlimited};
        if (!may_begin()) return search_result::none;
        if (find(0, left, engine, at)) return search_result::found;
        return left.is_spent ? search_result::spent : search_result::none;
    }

private:
    static constexpr std::uint64_t most_search_visits = 2'000'000;

    struct level {
        std::vector<std::uint32_t> allowed; // of each value; never_node: a condition refuses it
        std::vector<double> weight;         // of each value
        std::vector<std::uint32_t> nodes;   // of each diagram, for the values of the levels above
    };

    /// Makes the small diagrams. @return the program of the other conditions
    constraint_program program_of_the_rest(description const& space, parameter_group const& group,
                                           build_options const& options)
    {
        std::vector<condition const*> rest;
        std::vector<bundle> const bundles = make_bundles(maker_, group.conditions);
        std::uint64_t const share =
            options.max_visits / 16 / std::max<std::size_t>(1, bundles.size());
        std::uint64_t const room = options.max_bytes / 4 / std::max<std::size_t>(1, bundles.size());
        for (bundle const& joint : bundles) {
            bool const is_called = joint.front()->root == no_index;
            budget_ = {share, room, false};
            std::uint32_t const root = is_called ? no_index : maker_.make(joint);
            if (is_called || budget_.is_spent)
                rest.insert(rest.end(), joint.begin(), joint.end());
            else
                roots_.push_back(root);
        }
        std::sort(rest.begin(), rest.end());
        rest.erase(std::unique(rest.begin(), rest.end()), rest.end());
        return constraint_program(space, domains_, maker_.order(), first_values(space, domains_),
                                  rest);
    }

    [[nodiscard]] bool may_begin() const
    {
        return state_.constants_hold() &&
               std::find(roots_.begin(), roots_.end(), never_node) == roots_.end();
    }

    /// Sets the weights of the values of level `l`. @return their sum
    double weigh(std::size_t l)
    {
        level& here = levels_[l];
        state_.compute(l);
        state_.test(l, here.allowed);
        bool const has_more = !program_.levels()[l].later.empty();
        double sum = 0;
        for (std::size_t v = 0; v < here.weight.size(); ++v) {
            double w = here.allowed[v] == never_node ? 0.0 : 1.0;
            for (std::size_t i = 0; w > 0 && i < roots_.size(); ++i)
                w *= shares_[maker_.store().child(here.nodes[i], l, v)];
            if (w > 0 && has_more) {
                static_cast<void>(state_.take(l, v));
                if (state_.decide(l) == never_node) w = 0;
            }
            here.weight[v] = w;
            sum += w;
        }
        return sum;
    }

    [[nodiscard]] std::size_t pick(std::size_t l, double sum, random_engine& engine) const
    {
        std::vector<double> const& weight = levels_[l].weight;
        double left = uniform_unit(engine) * sum;
        std::size_t chosen = 0;
        for (std::size_t v = 0; v < weight.size(); ++v) {
            if (!(weight[v] > 0)) continue;
            chosen = v; // the last allowed value, if rounding leaves a rest
            left -= weight[v];
            if (left < 0) break;
        }
        return chosen;
    }

    void take(std::size_t l, std::size_t v, std::span<coordinate> at)
    {
        static_cast<void>(state_.take(l, v));
        for (std::size_t i = 0; i < roots_.size(); ++i)
            levels_[l + 1].nodes[i] = maker_.store().child(levels_[l].nodes[i], l, v);
        std::uint32_t const parameter = order()[l];
        at[parameter] = {domains_[parameter].value(static_cast<std::uint32_t>(v)), 0};
    }

    bool find(std::size_t l, effort& left, random_engine& engine, std::span<coordinate> at)
    {
        if (l == order().size()) return true;
        if (!left.spend_visits(levels_[l].weight.size())) return false;
        double all = weigh(l);
        while (all > 0) {
            std::size_t const v = pick(l, all, engine);
            take(l, v, at);
            if (find(l + 1, left, engine, at)) return true;
            if (left.is_spent) return false;
            levels_[l].weight[v] = 0;
            all = 0;
            for (double const w : levels_[l].weight)
                all += w;
        }
        return false;
    }

    std::vector<domain> const& domains_;
    effort budget_;
    diagram_maker maker_;
    std::vector<std::uint32_t> roots_; // of diagrams; made before program_
    constraint_program program_;
    program_state state_;
    std::vector<double> shares_; // node -> share of the settings below it that are valid
    std::vector<level> levels_;
};

/// One group of parameters whose valid settings are not enumerated. Immutable. Several threads may
/// use it; a lock admits one at a time.
class wide_tree {
public:
    /// Cost    about an eighth of options.max_visits
    /// Errors  attune::error with parameters and constraints: no valid setting was found
    wide_tree(description const& space, parameter_group const& group,
              std::vector<domain> const& domains, build_options const& options);

    /// Returns true if there is certainly no valid setting.
    [[nodiscard]] bool is_empty() const noexcept;
    /// The parameters, in the order in which draws set them.
    [[nodiscard]] std::span<std::uint32_t const> parameters() const noexcept;

    /// log2 of the estimated number of valid settings. The estimate of the number has no bias.
    [[nodiscard]] double log2_leaves() const noexcept;
    /// Standard error / estimated number of valid settings. The error ignores rare settings that
    /// no walk has reached.
    [[nodiscard]] double relative_error() const noexcept;

    /// Writes a setting into the coordinates of these parameters. The setting is always valid; the
    /// distribution is nearly uniform.
    /// Errors  attune::error: no valid setting was found
    void draw(random_engine& engine, std::span<coordinate> at) const;

private:
    struct state;
    std::shared_ptr<state> shared_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/tree/wide_tree.ipp>
#endif
