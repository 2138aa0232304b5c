// attune/search/local/unit_embedding.hpp - configurations as vectors of numbers, and back.
// SPDX-License-Identifier: MIT
// Source   numbers by their place in the table, categories one-hot, permutations by random keys
//          (Bean 1994), tiles by the logarithms of their factors (own)
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/kind_rules.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/query/distance.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// For algorithms that add and subtract configurations. Ignores constraints.
class unit_embedding {
public:
    /// @param space  bound; must outlive this
    explicit unit_embedding(description const& space)
        : space_(&space)
    {
        for (parameter_description const& p : space.parameters) {
            first_.push_back(dimensions_);
            dimensions_ += width(p);
            tables_.push_back(rules_of(p.kind).unit_table(p));
        }
    }

    [[nodiscard]] std::size_t dimensions() const noexcept { return dimensions_; }

    /// @return  `dimensions()` numbers in [0, 1]
    [[nodiscard]] std::vector<double> embed(point const& p) const
    {
        std::vector<double> out(dimensions_, 0);
        for (std::size_t i = 0; i < p.size(); ++i) {
            parameter_description const& of = space_->parameters[i];
            rules_of(of.kind).to_unit(of, tables_[i], p[i],
                                      std::span(out).subspan(first_[i], width(of)));
        }
        return out;
    }

    /// The configuration closest to `at`, parameter by parameter, inside tables and intervals. It
    /// may break constraints. decode(embed(p)) is p, up to rounding of real parameters.
    /// @param at  `dimensions()` numbers; numbers outside [0, 1] are clamped
    [[nodiscard]] point decode(std::span<double const> at) const
    {
        point out(space_->parameters.size());
        for (std::size_t i = 0; i < out.size(); ++i) {
            parameter_description const& of = space_->parameters[i];
            out[i] = rules_of(of.kind).from_unit(of, tables_[i], at.subspan(first_[i], width(of)));
        }
        return out;
    }

private:
    [[nodiscard]] static std::size_t width(parameter_description const& p)
    {
        return rules_of(p.kind).unit_width(p);
    }

    description const* space_;
    std::size_t dimensions_ = 0;
    std::vector<std::size_t> first_;          // parameter -> its first dimension
    std::vector<std::vector<double>> tables_; // parameter -> kind_rules::unit_table
};

} // namespace attune::inline ATTUNE_ABI::detail
