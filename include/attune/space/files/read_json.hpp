// attune/space/files/read_json.hpp - spaces that are declared in a file.
// SPDX-License-Identifier: MIT
//
// The short form (name, params with values, constraints) as in published collections
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/space/files/expression_parser.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// One space of a file.
struct named_space {
    std::string name;
    description space;     ///< not bound yet: call bind_inputs()
    std::string cartesian; ///< digits of the number of combinations that the file records; or empty
    std::string valid;     ///< digits of the number of valid ones; or empty
};

/// Reads a file of spaces:
///
///     {"name": "gemm", "problem": {"M": 4096},
///      "params": [{"name": "TILE", "values": [8, 16, 32], "default": 16},
///                 {"name": "K", "range": [1, "M // 2"], "step": 2}],
///      "constraints": ["M % TILE == 0"], "cartesian": 6144, "valid": 6144}
///
/// or a list of such objects. Numbers of "problem" are inputs with a value (its other members are
/// notes, and so are members that are not named here); "inputs": {"N": "integer"} has none yet.
/// "values" are numbers (an ordinal parameter: they are sorted), texts (categorical), or false and
/// true (boolean). Further members of a parameter:
///   "range": [first, last], "step" or "steps": "doubling" | "divisors"; `last` may be a text, an
///            expression of inputs. A range stays a range until bind_inputs(), and beyond where it
///            is long; its parameter is an integer one unless "kind" is "ordinal"
///   "kind":  "categorical" keeps the order of numbers; "real" with "low" and "high";
///            "permutation" with "parts"; "tile" with "parts" and "extent" (as `last`); "integer",
///            "ordinal" and "boolean" only say so
///   "scale": "linear" | "log";  "default";  "weights": one per value;  "centre" and "deviation"
/// @param source  name of the file, for errors
/// Errors  syntax_error: what was expected, line and column
[[nodiscard]] std::vector<named_space> read_spaces_json(std::string_view text,
                                                        std::string const& source = "");

/// Reads the file at `path`, as above.
/// Errors  attune::error when it cannot be read; syntax_error
[[nodiscard]] std::vector<named_space> read_spaces_file(std::string const& path);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/files/read_json.ipp>
#endif
