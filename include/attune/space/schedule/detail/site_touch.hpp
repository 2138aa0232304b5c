// attune/space/schedule/detail/site_touch.hpp - elements and cache lines that loops touch by one access.
// SPDX-License-Identifier: MIT
// tested by space/schedule/program_features.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/schedule/detail/store_site.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr std::int64_t line_bytes_of_cache = 64;

/// Values of a sum of terms: how many, between the least and the greatest one, and how far apart.
struct term_values {
    std::int64_t count = 1;
    std::int64_t span = 1;
    std::int64_t gap = 1;
};

/// Exact where each term continues the values of those with smaller factors, or leaves a gap to
/// them, as the indices of convolutions with strides do; else an upper bound.
[[nodiscard]] inline term_values values_of_terms(std::span<site_term const> terms,
                                                 std::span<std::int64_t const> counts)
{
    struct part {
        std::int64_t factor;
        std::int64_t count;
    };
    std::vector<part> parts;
    for (site_term const& term : terms)
        if (counts[term.variable] > 1)
            parts.push_back({std::abs(term.factor), counts[term.variable]});
    std::sort(parts.begin(), parts.end(),
              [](part const& a, part const& b) { return a.factor < b.factor; });
    term_values out;
    if (parts.empty()) return out;
    out.gap = parts.front().factor;
    std::int64_t run = 1; // values that are `gap` apart
    for (part const& r : parts) {
        out.span += r.factor * (r.count - 1);
        if (r.factor % out.gap == 0 && r.factor / out.gap <= run && out.count == run) {
            run += r.factor / out.gap * (r.count - 1);
            out.count = run;
        } else {
            out.count *= r.count;
        }
    }
    out.count = std::min(out.count, out.span);
    return out;
}

/// What one entry of the loops from some level on touches by an access.
struct touched {
    double elements = 1; ///< different ones
    double lines = 1;    ///< different cache lines, of storage that begins with one
};

/// @param level  of store_site::counts
[[nodiscard]] inline touched touched_by(store_site const& site, site_access const& access,
                                        std::size_t level)
{
    std::vector<std::int64_t> const& counts = site.counts[level];
    double iterations = 1; // of the loops that the access depends on
    std::vector<std::uint32_t> met;
    touched out;
    double runs = 1;      // parts without gaps
    double run = 1;       // elements of one
    double far = 1;       // elements from the first to the last one
    bool is_whole = true; // the dimensions further in are touched completely
    double line_elements =
        static_cast<double>(line_bytes_of_cache) / static_cast<double>(access.element_bytes);
    for (std::size_t d = access.dimensions.size(); d-- > 0;) {
        site_dimension const& dimension = access.dimensions[d];
        for (site_term const& term : dimension.terms)
            if (std::find(met.begin(), met.end(), term.variable) == met.end()) {
                met.push_back(term.variable);
                iterations *= static_cast<double>(counts[term.variable]);
            }
        term_values const values = values_of_terms(dimension.terms, counts);
        std::int64_t count = values.count;
        std::int64_t span = values.span;
        std::int64_t gap = values.gap;
        if (dimension.step > 1) {
            span = ceil_quotient(span, dimension.step);
            gap = std::max<std::int64_t>(gap / dimension.step, 1);
            count = ceil_quotient(span, gap);
        }
        count = std::min(count, ceil_quotient(dimension.size, gap));
        span = std::min(span, dimension.size);
        auto const stride = static_cast<double>(dimension.stride);
        out.elements *= static_cast<double>(count);
        far += static_cast<double>(span - 1) * stride;
        if (is_whole && gap == 1 && count == span) {
            run *= static_cast<double>(count);
        } else if (is_whole && runs == 1 && stride * static_cast<double>(gap) < line_elements) {
            // Gaps within lines: a run of lines that are not used completely.
            run = static_cast<double>(span - 1) * stride + run;
        } else {
            runs *= static_cast<double>(count);
        }
        is_whole = is_whole && count == dimension.size && gap == 1;
    }
    out.elements = std::min(out.elements, iterations);
    auto const lines_in = [&](double elements) {
        double const whole =
            static_cast<double>(static_cast<std::int64_t>(elements / line_elements));
        return whole * line_elements < elements ? whole + 1 : whole;
    };
    out.lines = std::min({runs * lines_in(run), lines_in(far), std::max(out.elements, 1.0)});
    return out;
}

/// Elements between the accesses of two iterations of a loop, by its fastest variable.
[[nodiscard]] inline std::int64_t stride_of_loop(store_site const& site, site_access const& access,
                                                 std::size_t loop)
{
    std::uint32_t const variable = site.loops[loop].variables.back();
    std::int64_t const inner = site.counts[loop + 1][variable]; // values per iteration
    std::int64_t out = 0;
    for (site_dimension const& dimension : access.dimensions)
        for (site_term const& term : dimension.terms)
            if (term.variable == variable) {
                std::int64_t const moved = term.factor * inner;
                if (moved >= dimension.step || -moved >= dimension.step)
                    out += moved / dimension.step % std::max<std::int64_t>(dimension.size, 2) *
                           dimension.stride;
            }
    return std::abs(out);
}

[[nodiscard]] inline bool moves_with(site_access const& access, site_loop const& loop)
{
    for (site_dimension const& dimension : access.dimensions)
        for (site_term const& term : dimension.terms)
            if (std::find(loop.variables.begin(), loop.variables.end(), term.variable) !=
                loop.variables.end())
                return true;
    return false;
}

} // namespace attune::inline ATTUNE_ABI::detail
