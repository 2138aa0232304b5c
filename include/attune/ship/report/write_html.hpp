// attune/ship/report/write_html.hpp - the contents of a store, as a page for readers.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/lines/store_content.hpp>
#include <attune/ship/report/problem_report.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Number of problems with charts, those with most outcomes. Other problems have a line each.
inline constexpr std::size_t most_charted_problems = 24;
/// Largest total of their outcomes; the largest problem always has charts.
inline constexpr std::size_t most_charted_outcomes = 50'000;

/// A page of HTML in UTF-8: static drawings, both colour schemes, and a script that sorts, filters
/// and chooses. Any text of a problem is shown as text.
/// @param problems  the latest last
/// @param notices   sentences on unreadable parts
/// Cost  100 ms and 2 MB for 10,000 outcomes
[[nodiscard]] std::string html_page(std::vector<problem_report> const& problems,
                                    std::vector<std::string> const& notices);

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI {

/// The contents of a store on its kernels: winners beside defaults, every outcome, the effect of
/// each parameter.
struct store_report {
    std::vector<detail::problem_report> problems{}; ///< the latest last
    std::vector<std::string> notices{};             ///< sentences on unreadable parts

    /// A single page that needs no network, for light and dark screens, phones and print.
    [[nodiscard]] std::string html() const;

    /// Writes html() as a file, whole or not at all.
    /// Errors  attune::error: the file cannot be written
    /// Cost    0.2 s and 2 MB for 10,000 outcomes
    void write_html(std::string const& path) const;
};

namespace detail {

/// The report of a listed problem.
[[nodiscard]] problem_report report_of(store_content& from, listed_problem const& one);

/// @param name    name of the store, for errors
/// @param kernel  filter by kernel; empty: all
/// Errors  attune::error: there is no outcome and no winner of it
[[nodiscard]] store_report report_of(store_content& from, std::string const& name,
                                     std::string const& kernel);

} // namespace detail

/// Reads the whole store.
/// @param from    `store` or `memory_store`
/// @param kernel  filter by kernel; empty: all
/// Errors  attune::error: the store's file is no store or of a newer release, or it is empty
template <class Store>
[[nodiscard]] store_report read_report(Store& from, std::string const& kernel = "")
{
    static_assert(
        requires { from.text().size(); },
        "attune::read_report(store): this store has no text(); use attune::store or "
        "memory_store");
    std::string name = "the store";
    if constexpr (requires { from.path(); }) name = from.path();
    detail::store_content content = detail::store_content::of_text(from.text(), name);
    return detail::report_of(content, name, kernel);
}

/// Writes a store as a page: see store_report.
/// Example attune::write_html(store, "report.html");
template <class Store>
void write_html(Store& from, std::string const& path, std::string const& kernel = "")
{
    read_report(from, kernel).write_html(path);
}

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/report/write_html.ipp>
#endif
