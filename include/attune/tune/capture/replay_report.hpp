// attune/tune/capture/replay_report.hpp - how a replay went, for the program that started this one.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/record.hpp>
#include <attune/tune/report.hpp>

#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// The file for the report: the variable ATTUNE_REPLAY_REPORT, which `attune retune` sets; empty:
/// the variable is not set, and no report is written.
[[nodiscard]] std::string replay_report_path();

/// Writes the report of a replay that took place, and ends this process with exit code 0: the
/// program's own work is not needed. Returns if the report cannot be written.
void report_replay_and_end(std::string const& path, tuning_report const& done) noexcept;
/// Writes why no replay took place; the program goes on.
void report_no_replay(std::string const& path, std::string const& why) noexcept;

/// Names and texts of a report: "kernel", "how" (tuned, kept_default, remembered, or no),
/// "summary", "configuration", "reason" ...
[[nodiscard]] std::string replay_report_text(tuning_report const& done);
[[nodiscard]] named_texts replay_report_in(std::string_view text);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/capture/replay_report.ipp>
#endif
