// attune/space/schedule/detail/feature_row.hpp - the columns of a program's features, and the elements and cache lines that an access touches.
// SPDX-License-Identifier: MIT
// tested by space/schedule/program_features.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/space/schedule/detail/store_site.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Writes columns with or without their names, so that one list of columns gives both.
class feature_row {
public:
    explicit feature_row(std::vector<double>* values, std::vector<std::string>* names)
        : values_(values)
        , names_(names)
    {
    }
    std::string group; ///< prefix of the names

    void number(char const* name, double v)
    {
        add(name, std::copysign(std::log2(std::fabs(v) + 1), v));
    }
    void truth(char const* name, bool v) { add(name, v ? 1 : 0); }
    /// log2 of a ratio, between 2^-40 and 2^40.
    void ratio(char const* name, double v)
    {
        add(name, v > 0 ? std::clamp(std::log2(v), -40.0, 40.0) : -40.0);
    }
    void plain(char const* name, double v) { add(name, v); }

private:
    void add(char const* name, double v)
    {
        if (values_ != nullptr) values_->push_back(v);
        if (names_ != nullptr) names_->push_back(group + name);
    }
    std::vector<double>* values_;
    std::vector<std::string>* names_;
};

/// Operations of all iterations, by kind.
inline void add_operations(feature_row& row, operation_counts const& counts, double trips)
{
    static constexpr std::array names{"multiply_add", "add",      "multiply", "divide",
                                      "compare",      "function", "other"};
    constexpr auto convert = static_cast<std::size_t>(operation_kind::convert);
    static_assert(names.size() == convert, "each kind of work before conversions has a name");
    for (bool const is_real : {true, false}) {
        auto const& by_kind = is_real ? counts.of_reals : counts.of_wholes;
        row.group = is_real ? "real_" : "whole_";
        for (std::size_t k = 0; k + 1 < names.size(); ++k)
            row.number(names[k], by_kind[k] * trips);
        row.number(names.back(), (by_kind[names.size() - 1] + by_kind[convert]) * trips);
    }
    row.group = "";
    row.number("truth", counts.of(operation_kind::truth) * trips);
    row.number("select", counts.of(operation_kind::selection) * trips);
}

inline constexpr std::int64_t line_bytes_of_cache = 64;

/// The values of a sum of terms: their number, range and distance.
struct term_values {
    std::int64_t count = 1;
    std::int64_t span = 1;
    std::int64_t gap = 1;
};

/// Exact if each term continues the values of those with smaller factors, or leaves a gap, as
/// indices of strided convolutions do; else an upper bound.
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
    std::int64_t run = 1; // values at distance `gap`
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

/// Elements and lines that one entry of the loops from a level on touches by an access.
struct touched {
    double elements = 1; ///< number of different elements
    double lines = 1;    ///< number of different cache lines, if storage begins with a line
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
    double run = 1;       // elements of one part
    double far = 1;       // elements from the first to the last element
    bool is_whole = true; // the inner dimensions are touched completely
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
            // Gaps inside lines: the lines are consecutive, and not completely used.
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

/// Distance in elements between the accesses of two iterations of a loop, by its fastest variable.
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
