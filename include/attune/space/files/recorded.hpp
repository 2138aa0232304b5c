// attune/space/files/recorded.hpp - a space with recorded outcomes: an evaluation is a look-up.
// SPDX-License-Identifier: MIT
// Source   simulation mode: Willemsen et al. 2021, Sec. I. Forms: gzip CSV of recorded kernels; T4,
//          the results of the FAIR autotuning format (Kernel Tuner, KTT)
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The outcome of every configuration of a space, from a file: an objective without a device, for
/// comparing searches in seconds.
///
/// Forms, also packed by gzip (which must be installed then):
/// - *.csv: lines "# parameters: {JSON: name -> values}" and "# constraints: [JSON: Python-like
///   expressions]", both optional; a header with the parameters, time_ms and status; a row per
///   configuration. The row of a failure has an empty time or a status other than ok ("compile" if
///   the configuration did not compile)
/// - *.json: {"results": [{"configuration": {"X": 8}, "invalidity": "correct",
///   "measurements": [{"name": "time", "value": 1.5, "unit": "ms"}]}]}, and "objectives": ["time"]
///
/// Copies share the data.
/// Example   attune::recorded const kernel{"gemm_RTX_3090.csv.gz"};
///           auto const best = attune::minimize(kernel, {.evaluations = 220});
class recorded {
public:
    using outcome_table = std::unordered_map<point, outcome, point_hash>;

    /// Errors  attune::error, with the file and the line of a wrong row: the file cannot be read or
    ///         unpacked, has another form, names a column twice, has no successful row, or its
    ///         objective is no time
    explicit recorded(std::string const& path);

    /// The file's name without folder and endings.
    [[nodiscard]] std::string const& name() const noexcept;
    /// The space of exactly the recorded configurations. Numbers are ordinal parameters, other
    /// values categorical ones. If the file's constraints admit other configurations, or cannot be
    /// read, the space has a further constraint.
    [[nodiscard]] chain_of_trees const& space() const noexcept;
    /// The outcome of a configuration, in milliseconds; a failure if it was not recorded.
    [[nodiscard]] outcome operator()(point const& p) const;
    [[nodiscard]] outcome_table const& outcomes() const noexcept;
    /// The lowest time, in milliseconds.
    [[nodiscard]] double best() const noexcept;
    [[nodiscard]] std::size_t failures() const noexcept;
    /// Sentences about flaws of the file: the number of rows that repeat a configuration, a
    /// constraint that cannot be read.
    [[nodiscard]] std::vector<std::string> const& notes() const noexcept;

private:
    struct state;
    std::shared_ptr<state const> state_;
};

/// Returns true if the name of the file is that of a recording, and a JSON file has "results".
/// Errors  attune::error: a JSON file cannot be read
[[nodiscard]] bool is_recording(std::string const& path);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/files/recorded.ipp>
#endif
