// attune/ship/report/detail/usable_time.hpp - the time of an outcome, where it is one.
// SPDX-License-Identifier: MIT
// tested by ship/report/problem_report.cpp
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/problem/problem.hpp>

#include <cmath>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

/// The row's time; nothing where it failed, or where its time is no positive finite number.
[[nodiscard]] inline measurement const* usable_time(tried_row const& row) noexcept
{
    auto const* const time = std::get_if<measurement>(&row.result);
    return time != nullptr && std::isfinite(time->value) && time->value > 0 ? time : nullptr;
}

} // namespace attune::inline ATTUNE_ABI::detail
