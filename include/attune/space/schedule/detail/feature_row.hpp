// attune/space/schedule/detail/feature_row.hpp - the columns of a program's features.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/nest_operation.hpp>
#include <attune/declare/nest/operation_counts.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Writes columns with or without their names: one list of what there is serves both.
class feature_row {
public:
    explicit feature_row(std::vector<double>* values, std::vector<std::string>* names)
        : values_(values)
        , names_(names)
    {
    }
    std::string group; ///< before the names

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

} // namespace attune::inline ATTUNE_ABI::detail
