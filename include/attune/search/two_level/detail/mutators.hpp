// attune/search/two_level/detail/mutators.hpp - changes one random decision of a schedule.
// SPDX-License-Identifier: MIT
// tested by search/two_level/evolutionary_search.cpp
// Source   apache/tvm 0.27, src/s_tir/meta_schedule/mutator/mutate_tile_size.cc
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/local/moves.hpp>
#include <attune/search/two_level/evolutionary_search.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Another tile of the same extent, with a factor moved from one level to another. Nothing if the
/// chosen level has no factor to move, or the table lacks the result.
/// @pre  `of` is a tile of at least two levels
[[nodiscard]] inline std::optional<coordinate>
with_moved_factor(parameter_description const& of, coordinate at, random_engine& engine)
{
    std::size_t const parts = of.parts;
    auto const first = of.integers.begin() + static_cast<std::ptrdiff_t>(at.index * parts);
    std::vector<std::int64_t> levels(first, first + static_cast<std::ptrdiff_t>(parts));
    std::size_t const from = uniform_below(engine, parts);
    std::size_t to = uniform_below(engine, parts - 1);
    if (to >= from) ++to;
    std::vector<std::int64_t> factors;
    for (std::int64_t f = 2; f <= levels[from]; ++f)
        if (levels[from] % f == 0) factors.push_back(f);
    if (factors.empty()) return {};
    std::int64_t const moved = factors[uniform_below(engine, factors.size())];
    levels[from] /= moved;
    levels[to] *= moved;
    for (std::uint32_t v = 0; v < of.value_count(); ++v)
        if (std::equal(levels.begin(), levels.end(),
                       of.integers.begin() + static_cast<std::ptrdiff_t>(v * parts)))
            return coordinate{v, 0};
    return {};
}

/// Chooses a mutator by its weight and changes one parameter of its kind.
class mutators {
public:
    mutators(moves const& near, evolutionary_options const& options)
        : space_(near.space())
        , weights_{options.tile, options.compute_location, options.unroll, options.parallel}
    {
        for (std::uint32_t const p : near.varying())
            if (mutation_kind const kind = options.kind(space_.describe(), p);
                kind != mutation_kind::none)
                of_[static_cast<std::size_t>(kind)].push_back(p);
    }

    /// A valid configuration other than `from`; nothing if the change does not give one.
    [[nodiscard]] std::optional<point> change(point const& from, random_engine& engine) const
    {
        std::vector<std::uint32_t> const* of = choose(engine);
        if (of == nullptr) return {};
        std::uint32_t const at = (*of)[uniform_below(engine, of->size())];
        if (!space_.is_active(at, from)) return {};
        parameter_description const& parameter = space_.describe().parameters[at];
        point out = from;
        if (parameter.traits().is_factors && parameter.parts > 1) {
            std::optional<coordinate> const moved = with_moved_factor(parameter, from[at], engine);
            if (!moved) return {};
            out[at] = *moved;
        } else {
            out[at] = moves::random_coordinate(parameter, engine);
        }
        out = space_.settled(std::move(out));
        if (out == from || !space_.contains(out)) return {};
        return out;
    }

private:
    [[nodiscard]] std::vector<std::uint32_t> const* choose(random_engine& engine) const
    {
        double sum = 0;
        for (std::size_t k = 0; k < of_.size(); ++k)
            if (!of_[k].empty()) sum += weights_[k];
        double left = uniform_unit(engine) * sum;
        std::vector<std::uint32_t> const* out = nullptr;
        for (std::size_t k = 0; k < of_.size(); ++k) {
            if (of_[k].empty() || !(weights_[k] > 0)) continue;
            out = &of_[k];
            left -= weights_[k];
            if (left < 0) break;
        }
        return out;
    }

    chain_of_trees space_;
    std::array<double, 4> weights_;
    std::array<std::vector<std::uint32_t>, 4> of_; ///< parameters of each kind
};

} // namespace attune::inline ATTUNE_ABI::detail
