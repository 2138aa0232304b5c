// tests/support/ranks_run.hpp - starts a program on several ranks of this machine, and reads the lines that it prints.
// SPDX-License-Identifier: MIT
//
// Needs ATTUNE_TEST_MPIRUN. Lines are "result RANK ...", "error RANK ...", "notice ...",
// "evaluated RANK WHAT" and "over ...".
#pragma once

#include <cstddef>
#include <cstdio>
#include <doctest/doctest.h>
#include <set>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <vector>

#include "texts.hpp"

namespace attune_test {

struct ranks_run {
    int code = -1;
    std::vector<std::string> results{}; ///< by order of arrival, without the rank
    std::vector<std::string> errors{};
    std::string notices{};
    std::size_t evaluated = 0;
    std::set<std::string> different{};
    std::size_t over = 0; ///< ranks that came to their end, behind MPI_Finalize
    std::string all{};
};

inline ranks_run run_on_ranks(std::string const& program, int ranks, std::string const& what)
{
    ranks_run out;
    std::string const line =
        ATTUNE_TEST_MPIRUN " -n " + std::to_string(ranks) + " " + program + " " + what + " 2>&1";
    std::FILE* const pipe = ::popen(line.c_str(), "r");
    REQUIRE(pipe != nullptr);
    char buffer[4096];
    while (std::size_t const n = std::fread(buffer, 1, sizeof buffer, pipe))
        out.all.append(buffer, n);
    int const ended = ::pclose(pipe);
    out.code = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
    std::istringstream lines(out.all);
    for (std::string text; std::getline(lines, text);) {
        std::istringstream words(text);
        std::string kind, rank, rest;
        words >> kind >> rank;
        std::getline(words, rest);
        if (kind == "result") out.results.push_back(rest);
        if (kind == "error") out.errors.push_back(rest);
        if (kind == "notice") out.notices += text + '\n';
        if (kind == "over") ++out.over;
        if (kind == "evaluated") {
            ++out.evaluated;
            out.different.insert(rest);
        }
    }
    return out;
}

/// Whether all ranks have one and the same result, which has this in it.
inline bool all_say(ranks_run const& r, std::size_t ranks, std::string const& text)
{
    bool const same = std::set<std::string>(r.results.begin(), r.results.end()).size() == 1;
    return r.results.size() == ranks && same && has(r.results.front(), text);
}

/// Nothing where mpirun starts ranks here; else its message.
/// @param program, what  start with MPI and end without an error
inline std::string problem_with_ranks(std::string const& program, std::string const& what)
{
    ranks_run const r = run_on_ranks(program, 2, what);
    return r.code == 0 ? "" : "mpirun does not start ranks here: " + r.all.substr(0, 300);
}

} // namespace attune_test
