// attune/ship/tool/detail/show.hpp - attune show: what stores hold, a line for each problem.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/files/t4.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/selection.hpp>

namespace attune::inline ATTUNE_ABI::detail::tool {

[[nodiscard]] inline std::vector<std::string> show_row(listed_problem const& one)
{
    record_key const& key = one.problem.key;
    std::vector<std::string> out{printable(key.kernel), text_of(key.inputs), printable(key.device)};
    record const* const best = latest_winner(one);
    std::string state = best == nullptr                ? "unfinished"
                        : best->interrupted            ? "interrupted"
                        : best->disturbed              ? "disturbed"
                        : key.source == foreign_source ? "imported"
                                                       : "";
    if (best == nullptr && key.source == foreign_source) state = "imported";
    out.push_back(best == nullptr ? "" : objective_of(key).text(best->best_s));
    out.push_back(best == nullptr ? "" : text_of_gain(*best));
    out.push_back(std::to_string(one.tried));
    out.push_back(best == nullptr ? "" : printable(best->when.substr(0, 10)));
    out.push_back(state);
    out.push_back(best == nullptr ? "" : text_of(best->configuration));
    return out;
}

[[nodiscard]] inline int run_show(words const& given, console& on)
{
    selection const meant = selection_of(given);
    std::uint64_t const most = given.number("--most", 1000);
    if (most == 0) throw words_error("show: --most takes a number from 1 on");
    text_table table{{"KERNEL", "INPUTS", "DEVICE", ">BEST", ">FASTER", ">OUTCOMES", "WHEN",
                      "STATE", "CONFIGURATION"}};
    std::vector<tool_json> list;
    bool is_cut = false;
    for (std::string const& path : given.plain) {
        store_content store = read_store(path, on);
        // One more than is shown, to know whether that is all.
        auto problems = meant.is_empty() && most < 1'000'000 ? store.problems(most + 1)
                                                             : selected(store, meant);
        is_cut = is_cut || problems.size() > most;
        if (problems.size() > most)
            problems.erase(problems.begin(), problems.end() - static_cast<std::ptrdiff_t>(most));
        for (listed_problem const& one : problems) {
            if (!given.has("--json")) {
                table.rows.push_back(show_row(one));
                continue;
            }
            tool_json json = json_of(one.problem);
            json["outcomes"] = one.tried;
            json["shapes"] = one.proven;
            json["best"] =
                latest_winner(one) == nullptr ? tool_json() : json_of(*latest_winner(one));
            json["store"] = path;
            list.push_back(std::move(json));
        }
    }
    if (given.has("--json"))
        write_list(on.out, list);
    else if (!table.rows.empty())
        table.write(on);
    if (is_cut)
        on.err << "attune: show: only the latest " << most << " of each store; --most shows more\n";
    if (!table.rows.empty() || !list.empty()) return done;
    on.err << "attune: show: nothing is known" << (meant.is_empty() ? "" : " of what is meant")
           << '\n';
    return answer_is_no;
}

[[nodiscard]] inline command show_command()
{
    return {
        .name = "show",
        .usage = "STORE... [options]",
        .what = "What stores hold: a line for each problem, that which was tuned last at the end.",
        .options = {kernel_option,
                    device_option,
                    input_option,
                    {"--most", "NUMBER", "so many of each store, the latest (1000)"},
                    json_option},
        .more = "  attune show sgemm.attune\n"
                "  attune show *.attune --kernel sgemm --input N=1024\n\n"
                "FASTER is how many times faster the best one is than the default. STATE says "
                "whether a\n"
                "tuning is not over, was interrupted or disturbed, or whether another tuner "
                "measured.\n",
        .least = 1,
        .most = 10000,
        .run = run_show,
    };
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
