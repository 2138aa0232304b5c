// attune/search/optimizer.hpp - ask and tell with typed configurations, over any objective.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> [search] -> compile -> measure -> remember
// In       a pack, the values of its inputs, a searcher; later what each configuration cost
// Out      typed configurations to try next, and the best one so far
// Source   own; the interface is the ask/tell of scikit-optimize and Optuna
// Depends  Boost.Hana through pack.hpp
// Tests    tests/search/optimizer.cpp
#pragma once

#include <attune/search/searcher.hpp>
#include <attune/space/build_pack.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace attune {

/// The searcher used unless another is asked for: Bayesian optimisation with its default options.
[[nodiscard]] search_factory default_search();

struct optimizer_options {
    std::uint64_t seed = 0; ///< the same seed and the same outcomes give the same run
    search_factory search = default_search();
    std::vector<input_value> inputs{}; ///< one per input of the space: {n(4096)}
};

/// The point at which every parameter stands at its default; nothing unless all have one.
/// Errors: attune::error when the defaults together break a constraint
[[nodiscard]] std::optional<point> default_point(chain_of_trees const& space);

namespace detail {

/// Throws what optimizer::tell() says of a configuration that is not in the space.
[[noreturn]] void refuse_foreign(chain_of_trees const& space, std::optional<point> const& at);

} // namespace detail

/// Minimises what it is told. The default configuration, if every parameter has a default, is asked
/// first.
///
/// Example   attune::optimizer opt{space};
///           while (auto c = opt.ask()) opt.tell(*c, cost((*c)[tile]));
/// Errors    attune::error from the constructor: an empty space, a missing input, defaults that
///           break a constraint
template <class Pack>
class optimizer {
public:
    using config_type = typename Pack::config_type;

    explicit optimizer(Pack const& typed, optimizer_options options = {})
        : typed_(typed)
        , space_(build(typed, options.inputs))
        , searcher_(options.search(space_, options.seed))
        , default_(attune::default_point(space_))
    {
    }

    /// The next configuration to try; nothing when the space is exhausted.
    [[nodiscard]] std::optional<config_type> ask()
    {
        std::vector<config_type> const batch = ask(1);
        if (batch.empty()) return {};
        return batch.front();
    }

    /// Up to `count` different configurations to try, perhaps at once.
    [[nodiscard]] std::vector<config_type> ask(std::size_t count)
    {
        std::vector<config_type> out;
        if (default_ && !default_asked_ && count > 0) {
            default_asked_ = true;
            out.push_back(decode(typed_, space_.describe(), *default_));
        }
        while (out.size() < count) {
            std::vector<point> const asked = searcher_.ask(count - out.size());
            if (asked.empty()) break;
            for (point const& p : asked)
                if (p != default_) out.push_back(decode(typed_, space_.describe(), p));
        }
        return out;
    }

    /// What a configuration cost; lower is better. A value that is not finite is a failure.
    void tell(config_type const& tried, double value) { tell(tried, outcome_of(value)); }

    /// What became of a configuration: a measurement with its interval, or a failure. A measurement
    /// that is not finite is a failure.
    /// Errors: attune::error when the configuration is not of this space
    void tell(config_type const& tried, outcome const& result)
    {
        std::optional<point> const at = encode(typed_, space_.describe(), tried);
        if (!at || !space_.contains(*at)) detail::refuse_foreign(space_, at);
        if (auto const* m = std::get_if<measurement>(&result)) {
            if (outcome const checked = outcome_of(m->value); !succeeded(checked)) {
                searcher_.tell(*at, checked);
                return;
            }
            if (!best_value_ || m->value < *best_value_) {
                best_value_ = m->value;
                best_ = *at;
            }
        }
        searcher_.tell(*at, result);
    }

    /// The best configuration told so far; nothing before the first success.
    [[nodiscard]] std::optional<config_type> best() const
    {
        if (!best_value_) return {};
        return decode(typed_, space_.describe(), best_);
    }
    /// What it cost; nothing before the first success.
    [[nodiscard]] std::optional<double> best_value() const { return best_value_; }
    [[nodiscard]] chain_of_trees const& space() const noexcept { return space_; }

private:
    Pack typed_;
    chain_of_trees space_;
    any_searcher searcher_;
    std::optional<point> default_;
    bool default_asked_ = false;
    std::optional<double> best_value_;
    point best_;
};

} // namespace attune
