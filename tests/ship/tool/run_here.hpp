// tests/ship/tool/run_here.hpp - the program attune in this process, and stores for it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/remember/memory_store.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/remember/record.hpp>
#include <attune/ship/tool/tool.hpp>

#include <sstream>
#include <string>
#include <vector>

#include "../../support/scratch_directory.hpp"
#include "../../support/texts.hpp"

namespace support {

struct ran {
    int code = -1;
    std::string out{};
    std::string err{};
};

inline ran run_here(std::vector<std::string> const& given, std::string const& in = "")
{
    std::istringstream input(in);
    std::ostringstream out, err;
    attune::detail::tool::console on{input, out, err};
    int const code = attune::detail::tool::run_tool(given, on);
    return {code, out.str(), err.str()};
}

/// The winner of a tuning of sgemm for one size: 1000 / n ms, the default takes twice as long.
inline attune::record sgemm_winner(int n, std::string const& tile = "64")
{
    attune::record out;
    out.key = {"sgemm", "5f3a", "77c1", "clang 19 -O3", "cpu zen4", {{"N", std::to_string(n)}}};
    out.configuration = {{"TILE", tile}, {"ORDER", "{0, 1}"}};
    out.best_s = 1.0 / n;
    out.best_interval = {0.9 / n, 1.1 / n, 14};
    out.default_s = 2.0 / n;
    out.evaluations = 60;
    out.failures = 1;
    out.when = "2026-01-31T12:00:00Z";
    out.attune = "0.4.0";
    out.code = "c0de";
    out.ended = "budget";
    out.asked = {60, 60.0};
    return out;
}

/// Two tunings with two outcomes each, one of which failed.
inline std::string sgemm_store(std::string const& tile = "64")
{
    attune::memory_store out;
    for (int const n : {512, 1024}) {
        attune::record const winner = sgemm_winner(n, tile);
        auto const problem = attune::detail::problem_of(winner);
        out.note(problem,
                 {{tile, "{0, 1}"}, attune::measurement{1.0 / n, 0.9 / n, 1.1 / n, 14}, "c0de"});
        out.note(problem, {{"8", "{1, 0}"},
                           attune::failure{attune::failure_stage::crash, "SIGSEGV, \"at\" 0"},
                           ""});
        out.add(winner);
        out.prove(problem, {"c0de", {n}, true});
    }
    return out.text();
}

} // namespace support
