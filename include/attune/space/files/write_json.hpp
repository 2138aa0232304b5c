// attune/space/files/write_json.hpp - writes spaces for read_spaces_json(), expressions for parse_expression(), and what formats leave out.
// SPDX-License-Identifier: MIT
//
// read_json.hpp documents the format
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/group.hpp>
#include <attune/space/files/read_json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The text of `node` in the language of parse_expression(), with the fewest brackets.
/// Errors  attune::error: it exceeds the limits of that language
[[nodiscard]] std::string write_expression(description const& space, std::uint32_t node);

/// The text of a constraint: the user's own if parse_constraint() reads it as the same nodes, else
/// write_expression() of its root.
/// Errors  attune::error: an opaque predicate, which has no text
[[nodiscard]] std::string constraint_source(description const& space,
                                            constraint_description const& constraint);

/// A space as a JSON object. read_spaces_json() reads the same parameters, priors, conditions,
/// inputs and constraints from it; ranges stay ranges. The texts of constraints are those of
/// constraint_source().
/// Errors   attune::error: a constraint that is a function, or text that is not UTF-8
[[nodiscard]] std::string write_space_json(named_space const& space);

namespace detail {

/// Throws attune::error unless bind_inputs() has made the table of a discrete parameter.
inline void require_table(parameter_description const& p)
{
    if (p.value_count() == 0)
        throw error("the values of a parameter are not known", p.name, "call bind_inputs()");
}

/// "T1 has no priors; left out: of A, B"; empty if no parameter has a prior.
/// @param format  name of the format
/// @param what    "priors"
/// @param has     returns true if a parameter has such a property
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

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/files/write_json.ipp>
#endif
