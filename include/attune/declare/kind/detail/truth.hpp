// attune/declare/kind/detail/truth.hpp - the functions of a parameter that is false or true.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/kind/kind_rules.hpp>
#include <attune/declare/table.hpp>
#include <attune/declare/text.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

namespace truth_kind {

inline std::string text(parameter_description const& p, coordinate at)
{
    return number_at(p, at).integer != 0 ? "true" : "false";
}
inline std::optional<coordinate> parse(parameter_description const& p, std::string_view text)
{
    std::string const wanted = without_spaces(text);
    bool const is_true = wanted == "true" || wanted == "1";
    if (!is_true && wanted != "false" && wanted != "0") return {};
    if (p.integers.empty()) return coordinate{is_true ? 1U : 0U, 0};
    return is_true == (p.integers.front() != 0) ? std::optional(coordinate{}) : std::nullopt;
}

} // namespace truth_kind

} // namespace attune::inline ATTUNE_ABI::detail
