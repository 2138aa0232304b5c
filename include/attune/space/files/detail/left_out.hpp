// attune/space/files/detail/left_out.hpp - sentences on what of a space a format has no form for.
// SPDX-License-Identifier: MIT
// tested by space/files/write_smtlib.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/group.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// "T1 has no priors; left out: of A, B"; nothing where no parameter has one.
/// @param format  its name
/// @param what    "priors"
/// @param has     whether a parameter has what the format has not
template <class Has>
[[nodiscard]] std::vector<std::string> left_out_of_all(description const& space,
                                                       std::string_view format,
                                                       std::string_view what, Has const& has)
{
    std::string names;
    for (named_value const& v : named_values(space))
        if (has(space.parameters[v.first]))
            names += (names.empty() ? "" : ", ") + std::string(v.name);
    if (names.empty()) return {};
    return {std::string(format) + " has no " + std::string(what) + "; left out: of " + names};
}

[[nodiscard]] inline std::vector<std::string> priors_left_out(description const& space,
                                                              std::string_view format)
{
    return left_out_of_all(space, format, "priors", [](parameter_description const& p) {
        return !p.prior.weights.empty() || p.prior.deviation > 0;
    });
}

[[nodiscard]] inline std::vector<std::string> defaults_left_out(description const& space,
                                                                std::string_view format)
{
    return left_out_of_all(space, format, "defaults", [](parameter_description const& p) {
        return p.default_text.has_value();
    });
}

} // namespace attune::inline ATTUNE_ABI::detail
