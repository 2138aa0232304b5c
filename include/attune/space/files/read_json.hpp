// attune/space/files/read_json.hpp - reads spaces from JSON files.
// SPDX-License-Identifier: MIT
//
// Published collections have the short form (name, params with values, constraints)
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/space/files/expression_parser.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI {

struct named_space {
    std::string name;
    description space;     ///< without values of inputs: call bind_inputs()
    std::string cartesian; ///< number of combinations stated in the file, as digits; or empty
    std::string valid;     ///< number of valid ones, as digits; or empty
};

/// Reads a file of spaces:
///
///     {"name": "gemm", "problem": {"M": 4096},
///      "params": [{"name": "TILE", "values": [8, 16, 32], "default": 16},
///                 {"name": "K", "range": [1, "M // 2"], "step": 2}],
///      "constraints": ["M % TILE == 0"], "cartesian": 6144, "valid": 6144}
///
/// or a list of such objects. Numbers in "problem" are inputs with a value. "inputs":
/// {"N": "integer"} declares an input without a value. "values" are numbers (an ordinal parameter:
/// sorted), texts (categorical), or false and true (boolean). The function ignores other members of
/// "problem", and members that are not listed here, unless a name is almost that of a listed one.
/// Further members of a parameter, which has "values", "range", "low" or "parts" alone:
///   "range": [first, last], "step" or "steps": "doubling" | "divisors"; `last` may be a text, an
///            expression of inputs. bind_inputs() makes the table, unless the range is long. The
///            kind is integer, unless "kind" is "ordinal"
///   "kind":  "categorical" keeps the order of numbers; "real" with "low" and "high";
///            "permutation" with "parts", 1,024 at most; "tile" with "parts" and "extent" (as
///            `last`); "integer", "ordinal" and "boolean" only state the kind
///   "scale": "linear" | "log";  "default";  "weights": one per value;  "centre" and "deviation"
///   "elements": the parameter is an array with this number of elements. The other members are
///            for one element, but "default" is a list. Expressions read elements: CUT[2] <= CUT[3]
///   "active_if": an expression as in constraints. Where it is false, the parameter has its
///            default. An array may have a list with an expression for each element
/// "selectors": [{"first": "SORT_RANGES", "parameters": 2}] makes a selector of this parameter and
/// the arrays after it; its algorithms have two parameters: see selector_description. The values of
/// "first" are 1, 2, ..., the cut-offs are ascending numbers, and the algorithms have no interval.
/// Selectors are in the order of their parameters.
/// @param source  name of the file, for errors
/// Errors  syntax_error: what was expected, line and column
[[nodiscard]] std::vector<named_space> read_spaces_json(std::string_view text,
                                                        std::string const& source = "");

/// Reads the file at `path` as read_spaces_json().
/// Errors  attune::error: the file cannot be read; syntax_error
[[nodiscard]] std::vector<named_space> read_spaces_file(std::string const& path);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/files/read_json.ipp>
#endif
