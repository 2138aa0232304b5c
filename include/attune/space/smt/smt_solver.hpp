// attune/space/smt/smt_solver.hpp - the solver Z3 on the same constraints as the trees.
// SPDX-License-Identifier: MIT
// Source   DnnSAT (Gao et al. 2021) Sec. IV-E: solutions by negation of those found, workers with
//          separate contexts, tiny subspaces, interval filtering
// Bench    bench.space.smt
//
// The target attune::smt needs libz3 (Debian: libz3-dev). No other header includes this header, and
// it includes nothing of Z3. A space with trees does not need Z3: trees count configurations at
// once, and Z3 lists them one by one. If a tree is too wide to build, Z3 finds a valid
// configuration or proves that there is none.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Z3's result: if valid configurations exist.
enum class smt_verdict : std::uint8_t { exist, none, unknown };

struct smt_witness {
    smt_verdict verdict = smt_verdict::unknown;
    point at;           ///< a valid configuration, if they exist
    std::string reason; ///< reason for `unknown`: the time limit, or the text of Z3
};

/// Options of the listing. Apart from limits, they change only the time.
struct smt_options {
    unsigned threads = 1; ///< workers, each with its own context of Z3; at least 1
    /// The most configurations of the Cartesian product in one subspace. 0: parts of equal size,
    /// one per worker. Smaller subspaces need fewer negations at a time, and more starts.
    std::uint64_t subspace_size = 0;
    /// Searches for the ends of the valid values of one parameter, instead of listing its values.
    /// The parameter is that with the most values among those in which each condition only rises or
    /// only falls, so its valid values have no gap. No effect without such a parameter.
    bool interval_filter = false;
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max(); ///< configurations to list
    double seconds = std::numeric_limits<double>::infinity();
};

struct smt_listing {
    std::vector<point> points; ///< ascending lexicographically by indices of values
    bool is_complete = false;  ///< the list has all valid configurations
    std::string reason;        ///< reason if not complete: the limits, or the text of Z3
    std::uint64_t checks = 0;  ///< number of calls of Z3
    std::uint64_t subspaces = 0;
};

/// Passes the constraints to Z3 as write_smtlib() writes them. Doubles are exact reals, so a result
/// that attune rounds may differ. Calls constraints that are functions for each configuration that
/// fulfils the others.
class smt_solver {
public:
    /// @param bound  a description whose inputs all have values
    /// Errors  attune::error: those of write_smtlib(), except for functions; a function that reads
    ///         a real parameter, whose values cannot be listed
    explicit smt_solver(description bound);

    /// True if no configuration is valid; nothing if Z3 cannot decide within `seconds`.
    /// Errors  attune::error: Z3 failed
    [[nodiscard]] std::optional<bool>
    is_empty(double seconds = std::numeric_limits<double>::infinity()) const;

    /// A valid configuration, chosen by Z3: not uniform.
    /// Errors  attune::error: Z3 failed
    [[nodiscard]] smt_witness
    witness(double seconds = std::numeric_limits<double>::infinity()) const;

    /// Lists the valid configurations.
    /// Cost    at least one call of Z3 per configuration, milliseconds each; with the interval
    ///         filter, per run of configurations
    /// Errors  attune::error: a real parameter, whose values cannot be listed; Z3 failed
    [[nodiscard]] smt_listing enumerate(smt_options const& options = {}) const;

    /// The space with the constraints of its conditional parameters.
    [[nodiscard]] description const& describe() const noexcept { return space_; }

private:
    description space_;
    std::string script_;              // without constraints that are functions
    std::uint32_t filter_ = no_index; // the parameter of the interval filter
};

} // namespace attune::inline ATTUNE_ABI

#if defined(ATTUNE_HEADER_ONLY) && __has_include(<z3++.h>)
#include <attune/space/smt/smt_solver.ipp>
#endif
