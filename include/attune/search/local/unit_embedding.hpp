// attune/search/local/unit_embedding.hpp - configurations as vectors of numbers, and back.
// SPDX-License-Identifier: MIT
// Source   numbers by their place in the table, categories one-hot, permutations by random keys
//          (Bean 1994), tiles by the logarithms of their factors (own)
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/declare/table.hpp>
#include <attune/space/query/steps.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// For algorithms that add and subtract configurations. Knows nothing of constraints.
class unit_embedding {
public:
    /// @param space  bound; must outlive this
    explicit unit_embedding(description const& space)
        : space_(&space)
    {
        for (parameter_description const& p : space.parameters) {
            first_.push_back(dimensions_);
            dimensions_ += width(p);
            log_factors_.emplace_back();
            if (p.kind != parameter_kind::tile) continue;
            for (std::int64_t const factor : p.integers)
                log_factors_.back().push_back(std::log(static_cast<double>(factor)));
        }
    }

    [[nodiscard]] std::size_t dimensions() const noexcept { return dimensions_; }

    /// @return  `dimensions()` numbers in [0, 1]
    [[nodiscard]] std::vector<double> embed(point const& p) const
    {
        std::vector<double> out(dimensions_, 0);
        for (std::size_t i = 0; i < p.size(); ++i)
            write(i, p[i], std::span(out).subspan(first_[i], width(space_->parameters[i])));
        return out;
    }

    /// The configuration closest to `at`, parameter by parameter: inside every table and interval,
    /// perhaps against constraints. decode(embed(p)) is p, but for rounding of real parameters.
    /// @param at  `dimensions()` numbers; those outside [0, 1] are moved inside
    [[nodiscard]] point decode(std::span<double const> at) const
    {
        point out(space_->parameters.size());
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = read(i, at.subspan(first_[i], width(space_->parameters[i])));
        return out;
    }

private:
    [[nodiscard]] static std::size_t width(parameter_description const& p)
    {
        switch (p.kind) {
        case parameter_kind::categorical:
            return p.value_count();
        case parameter_kind::permutation:
        case parameter_kind::tile:
            return p.parts;
        default:
            return 1;
        }
    }

    void write(std::size_t i, coordinate c, std::span<double> out) const
    {
        parameter_description const& p = space_->parameters[i];
        switch (p.kind) {
        case parameter_kind::real:
            out[0] = scale_position(p, c.real);
            return;
        case parameter_kind::categorical:
            out[c.index] = 1;
            return;
        case parameter_kind::permutation: {
            std::vector<std::int64_t> const items = elements_at(p, c.index);
            double const last = std::max(1.0, static_cast<double>(items.size()) - 1);
            for (std::size_t place = 0; place < items.size(); ++place)
                out[static_cast<std::size_t>(items[place])] = static_cast<double>(place) / last;
            return;
        }
        case parameter_kind::tile:
            for (std::size_t part = 0; part < out.size(); ++part)
                out[part] = log_factors_[i][c.index * out.size() + part] / log_extent(i);
            return;
        default:
            out[0] = p.value_count() > 1 ? c.index / (p.value_count() - 1.0) : 0;
        }
    }

    [[nodiscard]] coordinate read(std::size_t i, std::span<double const> at) const
    {
        parameter_description const& p = space_->parameters[i];
        switch (p.kind) {
        case parameter_kind::real:
            return {0, scale_value(p, std::clamp(at[0], 0.0, 1.0))};
        case parameter_kind::categorical:
            return {static_cast<std::uint32_t>(std::max_element(at.begin(), at.end()) - at.begin()),
                    0};
        case parameter_kind::permutation: {
            std::vector<std::int64_t> items(at.size());
            for (std::size_t item = 0; item < items.size(); ++item)
                items[item] = static_cast<std::int64_t>(item);
            auto const key = [&](std::int64_t item) { return at[static_cast<std::size_t>(item)]; };
            std::sort(items.begin(), items.end(), [&](std::int64_t a, std::int64_t b) {
                return key(a) != key(b) ? key(a) < key(b) : a < b;
            });
            return {permutation_rank(items), 0};
        }
        case parameter_kind::tile:
            return {nearest_row(i, at), 0};
        default:
            double const last = p.value_count() - 1.0;
            return {static_cast<std::uint32_t>(std::lround(std::clamp(at[0], 0.0, 1.0) * last)), 0};
        }
    }

    /// The logarithm of the product that all rows of a tile have; 1 for the extent 1.
    [[nodiscard]] double log_extent(std::size_t i) const
    {
        double sum = 0;
        for (std::size_t part = 0; part < space_->parameters[i].parts; ++part)
            sum += log_factors_[i][part];
        return sum > 0 ? sum : 1;
    }

    [[nodiscard]] std::uint32_t nearest_row(std::size_t i, std::span<double const> at) const
    {
        double const extent = log_extent(i);
        std::uint32_t best = 0;
        double least = std::numeric_limits<double>::infinity();
        for (std::uint32_t row = 0; row < space_->parameters[i].value_count(); ++row) {
            double sum = 0;
            for (std::size_t part = 0; part < at.size(); ++part) {
                double const gap = log_factors_[i][row * at.size() + part] / extent - at[part];
                sum += gap * gap;
            }
            if (sum >= least) continue;
            least = sum;
            best = row;
        }
        return best;
    }

    description const* space_;
    std::size_t dimensions_ = 0;
    std::vector<std::size_t> first_;               // parameter -> its first dimension
    std::vector<std::vector<double>> log_factors_; // parameter -> rows x parts; tiles only
};

} // namespace attune::inline ATTUNE_ABI::detail
