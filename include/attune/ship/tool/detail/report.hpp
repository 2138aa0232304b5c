// attune/ship/tool/detail/report.hpp - attune report: a store as a page for people.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/ship/report/write_html.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/output_file.hpp>
#include <attune/ship/tool/detail/selection.hpp>

#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

[[nodiscard]] inline int run_report(words const& given, console& on)
{
    store_content store = read_store(given.plain[0], on);
    store_report page;
    std::size_t rows = 0;
    for (listed_problem const& one : selected(store, selection_of(given))) {
        page.problems.push_back(report_of(store.history(one)));
        rows += page.problems.back().past.rows.size();
    }
    if (page.problems.empty()) {
        on.err << "attune: report: nothing is known of what is meant; attune show lists what is\n";
        return answer_is_no;
    }
    if (!store.damage().empty()) page.notices.push_back(store.damage());
    auto const to = given.value("--output");
    if (!to) {
        on.out << page.html();
        return done;
    }
    write_output(*to, page.html());
    on.out << printable(*to) << ": " << rows << " outcomes of " << page.problems.size()
           << (page.problems.size() == 1 ? " problem\n" : " problems\n");
    return done;
}

[[nodiscard]] inline command report_command()
{
    return {
        .name = "report",
        .usage = "STORE [options]",
        .what = "A page for a browser: winners, every outcome, what each parameter does.",
        .options = {output_option, kernel_option, device_option, input_option},
        .more = "  attune report sgemm.attune -o report.html\n"
                "  attune report sgemm.attune --input N=1024 -o report.html\n\n"
                "The page is one file and needs no network; it can be printed, and read on a "
                "phone.\n",
        .least = 1,
        .most = 1,
        .run = run_report,
    };
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
