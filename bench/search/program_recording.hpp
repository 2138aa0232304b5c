// bench/search/program_recording.hpp - measures random configurations of a program.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/attune.hpp>
#include <attune/remember/files/event_log.hpp>
#include <attune/search/random.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "../support/scratch_folder.hpp"
#include "../tune/program_arguments.hpp"
#include "../tune/program_tuning.hpp"
#include "program_table.hpp"

namespace bench {

/// The default configuration first, then `count` - 1 random ones, by the loop that tunes: each is
/// verified, and cut off where its first run takes `cut_off` times as long as the quickest so far.
/// Seconds are the least of the repeats: other programs only add to a time.
template <class Layer>
[[nodiscard]] std::vector<program_row> record_program(std::size_t count, std::size_t seconds,
                                                      double cut_off, std::uint64_t seed)
{
    using signature = typename decltype(Layer::program)::signature;
    auto const kernel = Layer::program.kernel();
    program_arguments<signature> data(Layer::program.describe(), Layer::inputs);
    scratch_folder const folder("/tmp");
    attune::tuning_options options;
    options.limits.evaluations = count;
    options.limits.seconds = static_cast<double>(seconds);
    options.limits.first_run_ratio = cut_off;
    options.measuring.precision = .03;
    options.search.seed = seed;
    options.search.strategy = attune::search_with<attune::random_searcher>();
    options.event_log = folder.path() + "/events";
    options.progress = attune::silent_progress();
    attune::tuned<signature, attune::clang_compiler> code(kernel, fresh_compiler(), options);
    data.call(code);

    std::vector<program_row> out;
    std::unordered_map<attune::point, std::size_t, attune::point_hash> place;
    auto const row_of = [&](attune::point const& at) -> program_row& {
        auto const [where, is_new] = place.try_emplace(at, out.size());
        if (is_new) out.push_back({at});
        return out[where->second];
    };
    std::unordered_map<attune::point, double, attune::point_hash> least;
    attune::logged_session const session = attune::read_event_log(options.event_log).back();
    for (attune::event const& e : session.events) {
        if (e.kind == attune::event_kind::sampled)
            for (double const s : e.timing->times) {
                auto const known = least.try_emplace(e.points.front(), s).first;
                known->second = std::min(known->second, s);
            }
        if (e.kind != attune::event_kind::told) continue;
        program_row& row = row_of(e.points.front());
        if (!attune::succeeded(*e.result)) continue;
        // Code that equals another one's is not run again: its time is that one's.
        auto const sampled = least.find(e.points.front());
        row.seconds = sampled != least.end() ? sampled->second
                                             : std::get<attune::measurement>(*e.result).value;
    }
    return out;
}

} // namespace bench
