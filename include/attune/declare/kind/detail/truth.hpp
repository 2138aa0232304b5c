// attune/declare/kind/detail/truth.hpp - the functions of a parameter that is false or true.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/kind/kind_rules.hpp>
#include <attune/declare/text.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

namespace truth_kind {

inline std::string text(parameter_description const&, coordinate at)
{
    return at.index != 0 ? "true" : "false";
}
inline std::optional<coordinate> parse(parameter_description const&, std::string_view text)
{
    std::string const wanted = without_spaces(text);
    if (wanted == "true" || wanted == "1") return coordinate{1, 0};
    if (wanted == "false" || wanted == "0") return coordinate{0, 0};
    return {};
}

} // namespace truth_kind

} // namespace attune::inline ATTUNE_ABI::detail
