// attune/search/compose/simplex.ipp - moves simplices through the unit cube.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/compose/simplex.hpp>
#include <attune/search/local/moves.hpp>
#include <attune/search/local/stepwise.hpp>
#include <attune/search/local/unit_embedding.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace attune::inline ATTUNE_ABI::search {

namespace detail {

/// A corner of a simplex in the unit cube.
struct simplex_vertex {
    std::vector<double> at;
    double value = failed_value;
};

/// Operations of both searches on a space.
class simplex_room {
public:
    explicit simplex_room(trials& t)
        : trials_(&t)
        , near_(t.space())
        , cube_(near_.space().describe())
    {
    }
    [[nodiscard]] std::size_t dimensions() const noexcept { return cube_.dimensions(); }

    /// dimensions() + 1 vertices without values.
    [[nodiscard]] std::vector<simplex_vertex> begin(simplex_start how, double edge) const
    {
        std::vector<simplex_vertex> out;
        if (how == simplex_start::random)
            while (out.size() <= dimensions())
                out.push_back({cube_.embed(trials_->fresh())});
        else
            for (std::vector<double>& at : simplex_at(cube_.embed(trials_->fresh()), how, edge))
                out.push_back({std::move(at)});
        return out;
    }
    [[nodiscard]] point nearest(std::vector<double> const& at) const
    {
        return near_.repaired(cube_.decode(at), trials_->engine());
    }
    [[nodiscard]] std::vector<point> nearest(std::span<simplex_vertex const> all) const
    {
        std::vector<point> out;
        for (simplex_vertex const& v : all)
            out.push_back(nearest(v.at));
        return out;
    }

private:
    trials* trials_;
    attune::detail::moves near_;
    attune::detail::unit_embedding cube_;
};

/// from + factor (to - from). The result may be outside the unit cube, where a vertex has the value
/// of the nearest place inside. Clamped vertices would fall into one plane, which no step leaves.
[[nodiscard]] inline std::vector<double> along_line(std::vector<double> const& from,
                                                    std::vector<double> const& to, double factor)
{
    std::vector<double> out(from.size());
    for (std::size_t d = 0; d < out.size(); ++d)
        out[d] = from[d] + factor * (to[d] - from[d]);
    return out;
}

/// The best first.
inline void sort_vertices(std::vector<simplex_vertex>& all)
{
    std::sort(all.begin(), all.end(),
              [](simplex_vertex const& a, simplex_vertex const& b) { return a.value < b.value; });
}

/// The mean of all but the last. @pre two or more
[[nodiscard]] inline std::vector<double> centre_without_last(std::span<simplex_vertex const> all)
{
    std::vector<double> out(all.front().at.size(), 0);
    for (simplex_vertex const& v : all.first(all.size() - 1))
        for (std::size_t d = 0; d < out.size(); ++d)
            out[d] += v.at[d] / static_cast<double>(all.size() - 1);
    return out;
}

/// The longest side of the box around the vertices.
[[nodiscard]] inline double widest_side(std::span<simplex_vertex const> all)
{
    double out = 0;
    for (std::size_t d = 0; d < all.front().at.size(); ++d) {
        auto const [low, high] = std::minmax_element(
            all.begin(), all.end(),
            [d](simplex_vertex const& a, simplex_vertex const& b) { return a.at[d] < b.at[d]; });
        out = std::max(out, high->at[d] - low->at[d]);
    }
    return out;
}

inline void set_values(std::span<simplex_vertex> all, std::vector<double> const& values)
{
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i].value = values[i];
}

/// Moves every vertex except the first along its line from the first.
[[nodiscard]] inline std::vector<simplex_vertex>
scaled_about_first(std::span<simplex_vertex const> all, double factor)
{
    std::vector<simplex_vertex> out;
    for (simplex_vertex const& v : all.subspan(1))
        out.push_back({along_line(all.front().at, v.at, factor)});
    return out;
}

/// A simplex narrower than this has converged.
inline constexpr double least_side = 1e-7;

ATTUNE_INLINE std::vector<std::vector<double>> simplex_at(std::vector<double> const& at,
                                                          simplex_start how, double edge)
{
    std::vector<std::vector<double>> out{at};
    double const n = static_cast<double>(at.size());
    double const root = std::sqrt(n + 1);
    // Along its own axis a vertex moves by `own`, along other axes by `other`.
    bool const is_right = how == simplex_start::right;
    double const own = is_right ? edge : edge * (root + n - 1) / (n * std::numbers::sqrt2);
    double const other = is_right ? 0 : edge * (root - 1) / (n * std::numbers::sqrt2);
    for (std::size_t i = 0; i < at.size(); ++i) {
        std::vector<double> vertex = at;
        for (std::size_t d = 0; d < at.size(); ++d)
            vertex[d] += (at[d] <= 0.5 ? 1 : -1) * (d == i ? own : other);
        out.push_back(std::move(vertex));
    }
    return out;
}

} // namespace detail

ATTUNE_INLINE search_process nelder_mead::run(trials& t, nelder_mead with)
{
    detail::simplex_room const room(t);
    std::vector<point> round;
    std::vector<double> values;
    for (;;) {
        std::vector<detail::simplex_vertex> all = room.begin(with.start, with.edge);
        round = room.nearest(all);
        values = co_await t.evaluate(round);
        detail::set_values(all, values);
        std::size_t const patience = 2 * all.size() + 10; // rounds without a new configuration
        for (std::size_t vain = 0; vain < patience && all.size() > 1;) {
            std::size_t const before = t.seen_count();
            detail::sort_vertices(all);
            if (detail::widest_side(all) < detail::least_side) break;
            detail::simplex_vertex& worst = all.back();
            std::vector<double> const centre = detail::centre_without_last(all);
            detail::simplex_vertex tried{detail::along_line(centre, worst.at, -with.reflection)};
            point const tried_point = room.nearest(tried.at);
            tried.value = co_await t.evaluate(tried_point);
            if (tried.value < all.front().value) {
                detail::simplex_vertex far{detail::along_line(centre, tried.at, with.expansion)};
                point const far_point = room.nearest(far.at);
                far.value = co_await t.evaluate(far_point);
                worst = far.value < tried.value ? far : tried;
            } else if (tried.value < all[all.size() - 2].value) {
                worst = tried;
            } else {
                bool const is_outside = tried.value < worst.value;
                detail::simplex_vertex near{
                    detail::along_line(centre, is_outside ? tried.at : worst.at, with.contraction)};
                point const near_point = room.nearest(near.at);
                near.value = co_await t.evaluate(near_point);
                if (near.value < std::min(tried.value, worst.value)) {
                    worst = near;
                } else {
                    std::vector<detail::simplex_vertex> shrunk =
                        detail::scaled_about_first(all, with.shrink);
                    round = room.nearest(shrunk);
                    values = co_await t.evaluate(round);
                    detail::set_values(shrunk, values);
                    std::move(shrunk.begin(), shrunk.end(), all.begin() + 1);
                }
            }
            vain = t.seen_count() > before ? 0 : vain + 1;
        }
        if (all.size() > 1) continue;
        point const only = t.fresh(); // nothing varies
        static_cast<void>(co_await t.evaluate(only));
    }
}

ATTUNE_INLINE search_process torczon::run(trials& t, torczon with)
{
    constexpr std::size_t patience = 10; // rounds without a new configuration
    detail::simplex_room const room(t);
    std::vector<point> round;
    std::vector<double> values;
    for (;;) {
        std::vector<detail::simplex_vertex> all = room.begin(with.start, with.edge);
        round = room.nearest(all);
        values = co_await t.evaluate(round);
        detail::set_values(all, values);
        for (std::size_t vain = 0; vain < patience && all.size() > 1;) {
            std::size_t const before = t.seen_count();
            detail::sort_vertices(all);
            if (detail::widest_side(all) < detail::least_side) break;
            std::vector<detail::simplex_vertex> next = detail::scaled_about_first(all, -1);
            round = room.nearest(next);
            values = co_await t.evaluate(round);
            detail::set_values(next, values);
            detail::sort_vertices(next);
            if (next.front().value < all.front().value) {
                std::vector<detail::simplex_vertex> far =
                    detail::scaled_about_first(all, -with.expansion);
                round = room.nearest(far);
                values = co_await t.evaluate(round);
                detail::set_values(far, values);
                detail::sort_vertices(far);
                if (far.front().value < next.front().value) next = std::move(far);
            } else {
                next = detail::scaled_about_first(all, with.contraction);
                round = room.nearest(next);
                values = co_await t.evaluate(round);
                detail::set_values(next, values);
            }
            std::move(next.begin(), next.end(), all.begin() + 1);
            vain = t.seen_count() > before ? 0 : vain + 1;
        }
        if (all.size() > 1) continue;
        point const only = t.fresh(); // nothing varies
        static_cast<void>(co_await t.evaluate(only));
    }
}

} // namespace attune::inline ATTUNE_ABI::search
