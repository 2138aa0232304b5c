// attune/ship/tool/detail/diff.hpp - attune diff: which problems of two stores have other winners.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/selection.hpp>

#include <map>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// Problems with a winner, by their names in a store.
[[nodiscard]] inline std::map<std::string, listed_problem> winners_of(store_content& store,
                                                                      selection const& meant)
{
    std::map<std::string, listed_problem> out;
    for (listed_problem& one : selected(store, meant))
        if (!one.best.empty()) out.emplace(id_of(one.problem), std::move(one));
    return out;
}

[[nodiscard]] inline int run_diff(words const& given, console& on)
{
    selection const meant = selection_of(given);
    store_content first = read_store(given.plain[0], on), second = read_store(given.plain[1], on);
    auto const before = winners_of(first, meant), after = winners_of(second, meant);
    std::vector<tool_json> list;
    std::size_t equal = 0;
    auto const add = [&](char const* how, listed_problem const* a, listed_problem const* b) {
        stored_problem const& problem = (a != nullptr ? a : b)->problem;
        record const* const was = a == nullptr ? nullptr : latest_winner(*a);
        record const* const is = b == nullptr ? nullptr : latest_winner(*b);
        if (given.has("--json")) {
            tool_json json;
            json["difference"] = how;
            json.update(json_of(problem));
            json["first"] = was == nullptr ? tool_json() : json_of(*was);
            json["second"] = is == nullptr ? tool_json() : json_of(*is);
            list.push_back(std::move(json));
            return;
        }
        on.out << painted(on, colour::bold, name_of(problem)) << ": " << how << '\n';
        auto const line = [&](char const* sign, colour as, record const* r) {
            if (r == nullptr) return;
            on.out << painted(on, as,
                              sign + text_of(r->configuration) + ": " +
                                  objective_of(r->key).text(r->best_s))
                   << '\n';
        };
        line("  - ", colour::red, was);
        line("  + ", colour::green, is);
    };
    for (auto const& [id, a] : before) {
        auto const b = after.find(id);
        if (b == after.end()) {
            add("in the first store alone", &a, nullptr);
            continue;
        }
        record const& was = *latest_winner(a);
        record const& is = *latest_winner(b->second);
        if (was.configuration != is.configuration)
            add("another configuration", &a, &b->second);
        else if (was.best_s != is.best_s || was.key.schema != is.key.schema)
            add(was.best_s != is.best_s ? "another time" : "another space", &a, &b->second);
        else
            ++equal;
    }
    for (auto const& [id, b] : after)
        if (!before.contains(id)) add("in the second store alone", nullptr, &b);
    if (given.has("--json")) write_list(on.out, list);
    return equal == before.size() && equal == after.size() ? done : answer_is_no;
}

[[nodiscard]] inline command diff_command()
{
    return {
        .name = "diff",
        .usage = "FIRST SECOND [options]",
        .what = "Which problems have another winner in a second store.",
        .options = {kernel_option, device_option, input_option, json_option},
        .more = "It ends with 0 where all winners are equal and with 1 where one is not. Two "
                "problems are the\n"
                "same when kernel, source, compiler, device, inputs, setting and parameters are.\n",
        .least = 2,
        .most = 2,
        .run = run_diff,
    };
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
