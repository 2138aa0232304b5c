// attune/tune/over/process_identity.ipp - compares processes, and says who differs in what.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/message/message_values.hpp>
#include <attune/tune/over/mpi/rank_messages.hpp>
#include <attune/tune/over/process_identity.hpp>

#include <algorithm>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE process_identity identity_of(record_key const& key, description const& space,
                                           std::string name)
{
    process_identity out{.name = std::move(name), .space = space_of_rank(space)};
    out.facts = {{"kernel", key.kernel},
                 {"compiler", key.compiler},
                 {"source", key.source},
                 {"declaration", key.schema + ' ' + key.signature}};
    for (auto const& [what, value] : key.setting)
        out.facts.emplace_back(what, value);
    out.machine = key.device;
    return out;
}

ATTUNE_INLINE std::string text_of_identity(process_identity const& one)
{
    message_writer to;
    to.put_text(one.name);
    to.put_text(one.problem);
    to.put_text(one.space);
    to.put(one.facts.size());
    for (auto const& [what, value] : one.facts) {
        to.put_text(what);
        to.put_text(value);
    }
    to.put_text(one.machine);
    return to.take();
}

ATTUNE_INLINE process_identity read_identity(std::string_view text)
{
    message_reader from(text);
    process_identity out;
    out.name = from.get_text();
    out.problem = from.get_text();
    out.space = from.get_text();
    out.facts.resize(from.get_count());
    for (auto& [what, value] : out.facts) {
        what = from.get_text();
        value = from.get_text();
    }
    out.machine = from.get_text();
    if (!from.is_at_end()) throw damaged_message();
    return out;
}

/// What of the kernel is not that of the first process; empty: nothing.
[[nodiscard]] inline std::string difference_of_kernels(process_identity const& own,
                                                       process_identity const& first)
{
    for (auto const& [what, value] : first.facts) {
        auto const here = std::ranges::find(own.facts, what, &named_texts::value_type::first);
        std::string const text = here == own.facts.end() ? "nothing" : here->second;
        if (text != value)
            return "its " + what + " is not that of " + first.name + ": " + text + ", not " + value;
    }
    return own.facts.size() == first.facts.size() ? difference_of_spaces(own.space, first.space)
                                                  : "its options are not those of " + first.name;
}

/// A line for each machine, with those on it.
[[nodiscard]] inline std::string table_of_machines(std::vector<process_identity> const& all)
{
    constexpr std::size_t most_named = 8;
    std::vector<std::pair<std::string, std::vector<std::string>>> machines;
    for (process_identity const& one : all) {
        auto at = std::ranges::find(machines, one.machine,
                                    &std::pair<std::string, std::vector<std::string>>::first);
        if (at == machines.end()) at = machines.insert(at, {one.machine, {}});
        at->second.push_back(one.name);
    }
    std::string out;
    for (auto const& [machine, names] : machines) {
        out += (out.empty() ? "" : "\n         ") + machine + ": ";
        for (std::size_t i = 0; i < std::min(names.size(), most_named); ++i)
            out += (i == 0 ? "" : ", ") + names[i];
        if (names.size() > most_named)
            out += " and " + std::to_string(names.size() - most_named) + " more";
    }
    return out;
}

ATTUNE_INLINE void refuse_unlike(std::vector<process_identity> const& all)
{
    for (process_identity const& one : all)
        if (!one.problem.empty())
            throw error("a rank cannot take part in the tuning", one.name + ": " + one.problem, "");
    process_identity const& first = all.front();
    for (process_identity const& one : all)
        if (std::string const why = difference_of_kernels(one, first); !why.empty())
            throw error("a rank cannot take part in the tuning", one.name + ": " + why,
                        "declare the same kernel, with the same inputs, compiler and options, on "
                        "all ranks");
    for (process_identity const& one : all)
        if (one.machine != first.machine)
            throw error("the ranks are on unlike machines, whose times cannot be compared",
                        table_of_machines(all),
                        "tune on the ranks of each machine by themselves: split the communicator "
                        "(MPI_Comm_split)");
}

} // namespace attune::inline ATTUNE_ABI::detail
