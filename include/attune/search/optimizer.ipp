// attune/search/optimizer.ipp - the default configuration, and configurations from elsewhere.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/declare/text.hpp>
#include <attune/search/bayesian.hpp>
#include <attune/search/optimizer.hpp>

namespace attune {

search_factory default_search() { return search_with<bayesian_searcher>(); }

std::optional<point> default_point(chain_of_trees const& space)
{
    point out;
    for (parameter_description const& p : space.describe().parameters) {
        if (!p.default_text) return {};
        auto const at = coordinate_of(p, *p.default_text);
        if (!at)
            throw error("the default of a parameter is not one of its values",
                        "parameter " + p.name + ", default " + *p.default_text,
                        "change the default or the values");
        out.push_back(*at);
    }
    std::string broken;
    for (std::string const& text : space.violations(out))
        broken += (broken.empty() ? "" : "; ") + text;
    if (!broken.empty())
        throw error("the default configuration breaks a constraint",
                    broken + " (at " + text_of(space.describe(), out) + ")",
                    "change the defaults or the constraint");
    return out;
}

void detail::refuse_foreign(chain_of_trees const& space, std::optional<point> const& at)
{
    throw error("tell(): the configuration is not in the space",
                at ? text_of(space.describe(), *at) : std::string{},
                "tell what ask() gave, or a configuration that keeps all constraints");
}

} // namespace attune
