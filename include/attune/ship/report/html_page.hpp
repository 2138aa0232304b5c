// attune/ship/report/html_page.hpp - what a report says, as one page without a network.
// SPDX-License-Identifier: MIT
// tested by ship/report/write_html.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/ship/report/problem_report.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Problems that get charts, those with most outcomes; of the others a page has a line each.
inline constexpr std::size_t most_charted_problems = 24;
/// Their outcomes, together; the largest problem has charts in any case.
inline constexpr std::size_t most_charted_outcomes = 50'000;

/// A page of HTML in UTF-8: static drawings, both colour schemes, and a script that sorts, filters
/// and chooses. Any text of a problem is shown as text.
/// @param problems  the latest last
/// @param notices   sentences on what could not be read
/// Cost  100 ms and 2 MB for 10,000 outcomes
[[nodiscard]] std::string html_page(std::vector<problem_report> const& problems,
                                    std::vector<std::string> const& notices);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/report/html_page.ipp>
#endif
