// attune/ship/report/write_html.ipp - from the text of a store to the file of a page.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/posix/replace_file.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/report/html_page.hpp>
#include <attune/ship/report/write_html.hpp>

#include <algorithm>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE std::string store_report::html() const
{
    return detail::html_page(problems, notices);
}

ATTUNE_INLINE void store_report::write_html(std::string const& path) const
{
    detail::replace_file(path, html());
}

namespace detail {

ATTUNE_INLINE store_report report_of(store_content& from, std::string const& name,
                                     std::string const& kernel)
{
    store_report out;
    std::vector<std::string> others;
    for (listed_problem const& one : from.problems()) {
        std::string const& its = one.problem.key.kernel;
        if (kernel.empty() || its == kernel)
            out.problems.push_back(report_of(from.history(one)));
        else if (std::find(others.begin(), others.end(), its) == others.end())
            others.push_back(its);
    }
    if (out.problems.empty() && others.empty())
        throw error("the store is empty", name, "tune a kernel with it first");
    if (out.problems.empty()) {
        std::string names;
        for (std::string const& other : others)
            names += (names.empty() ? "" : ", ") + other;
        throw error("the store knows nothing of the kernel " + kernel, name, "it knows: " + names);
    }
    if (!from.damage().empty()) out.notices.push_back(from.damage());
    return out;
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
