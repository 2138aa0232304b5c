// attune/space/smt/smt_solver.hpp - the solver Z3 on the same constraints as the trees.
// SPDX-License-Identifier: MIT
// Source   DnnSAT (Gao et al. 2021) Sec. IV-E: solutions by negation of those found, workers with
//          contexts of their own, tiny subspaces, interval filtering
// Bench    bench.space.smt
//
// The target attune::smt, where libz3 is (Debian: libz3-dev). Nothing else includes this header; it
// includes nothing of Z3. A space with trees needs none of it: trees count at once what Z3 lists
// one by one. Where they are too wide to be exact, Z3 proves that nothing is valid, or gives what
// is.
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

/// What Z3 knows of the valid configurations.
enum class smt_verdict : std::uint8_t { exist, none, unknown };

struct smt_witness {
    smt_verdict verdict = smt_verdict::unknown;
    point at;           ///< a valid configuration, where they exist
    std::string reason; ///< why it is unknown: the time limit, or Z3's own words
};

/// How to list. Only the time depends on it, unless there is a limit.
struct smt_options {
    unsigned threads = 1; ///< workers, each with its own context of Z3; at least 1
    /// The most configurations of the Cartesian product that are asked for together. 0: parts of
    /// equal size, one per worker. Fewer need fewer negations at a time, and more starts.
    std::uint64_t subspace_size = 0;
    /// Of the parameters in which each condition only rises or only falls, the one with the most
    /// values is not listed: the valid ones among its values, where others are fixed, have no gap,
    /// so their ends are searched for. Without such a parameter it changes nothing.
    bool interval_filter = false;
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max(); ///< configurations to list
    double seconds = std::numeric_limits<double>::infinity();
};

struct smt_listing {
    std::vector<point> points; ///< ascending lexicographically by indices of values
    bool is_complete = false;  ///< these are all
    std::string reason;        ///< why not: the limits, or Z3's own words
    std::uint64_t checks = 0;  ///< questions to Z3
    std::uint64_t subspaces = 0;
};

/// Asks Z3 about the constraints as write_smtlib() states them: doubles are exact reals, so that a
/// result that attune rounds may differ. Constraints that are functions are called for each
/// configuration that fulfils the others.
class smt_solver {
public:
    /// @param bound  a description whose inputs all have values
    /// Errors  attune::error: those of write_smtlib(), except for functions; a function that reads
    ///         a real parameter, of which there is no list to call it for
    explicit smt_solver(description bound);

    /// Whether no configuration is valid; nothing when Z3 does not know within `seconds`.
    /// Errors  attune::error: Z3 failed
    [[nodiscard]] std::optional<bool>
    is_empty(double seconds = std::numeric_limits<double>::infinity()) const;

    /// A valid configuration, which Z3 chooses: not uniform.
    /// Errors  attune::error: Z3 failed
    [[nodiscard]] smt_witness
    witness(double seconds = std::numeric_limits<double>::infinity()) const;

    /// Lists the valid configurations.
    /// Cost    at least one question to Z3 per configuration, milliseconds each; with the interval
    ///         filter per run of them
    /// Errors  attune::error: a real parameter, whose values have no list; Z3 failed
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
