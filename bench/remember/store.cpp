// bench.remember.store : what a store costs: an append among writers, opening a long file, a look-up.
// SPDX-License-Identifier: MIT
//
// append_us   wall time over all appends of all writers at once, each a process of its own, in a
// file
//             of --lines lines; a line for each kind of it. The last line has the slowest kind
// open_ms     a new object's first look-up in the file: reading and indexing it; the median of nine
// first_ms    what a tuned kernel asks at its start, of a file with --lines lines of its one
// problem:
//             the winner, shapes and outcomes; for lines that are shapes, and that are outcomes
// lookup_us   looking up a problem that was not asked for before; wall time over 1,000 of them
#include <attune/remember/store.hpp>

#include <attune/remember/lines/record_line.hpp>
#include <attune/remember/problem/problem.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/scratch_folder.hpp"

namespace {

using namespace attune::detail;

double seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

attune::record winner(std::size_t n)
{
    attune::record out;
    out.key = {"sgemm<TILE_M, TILE_N>",
               "16ecc804738743cf2725dfd40a262831",
               "4cf5000115215e637d800baee58f37e6",
               "clang 19.1.7 -O3 -march=native -std=c++20 cpu=znver4 features=03edc9ff50fb",
               "AMD EPYC 9654 96-Core Processor (25.17.1)",
               {{"M", std::to_string(n)}, {"N", "1024"}, {"K", "512"}}};
    out.configuration = {{"TILE_M", "256"},      {"TILE_N", "32"},
                         {"TILE_K", "256"},      {"UNROLL", "8"},
                         {"ORDER", "{2, 1, 0}"}, {"FLAGS", "-mprefer-vector-width=512"}};
    out.best_s = 0.0029228529999998365;
    out.default_s = 0.04522066905297057;
    out.best_interval = {0.00290, 0.00294, 24};
    out.default_interval = {0.0451, 0.0453, 12};
    out.code = out.default_code = "9f3c0011aabbccdd9f3c0011aabbccdd";
    out.evaluations = 60;
    out.asked = {60, 60.0};
    out.ended = "budget";
    out.when = "2026-01-01T00:00:00Z";
    out.attune = "0.5.0";
    return out;
}

tried_row row(std::size_t i)
{
    return {{std::to_string(8 + i % 100), "32", "256", "8", "{2, 1, 0}", "-O3"},
            attune::measurement{0.003 + static_cast<double>(i) * 1e-9, 0.0029, 0.0031, 14},
            "9f3c0011aabbccdd9f3c0011aabbccdd"};
}

/// A file with a winner behind every `rows` rows of its problem. @return  the number of problems
std::size_t make_file(std::string const& path, std::size_t lines, std::size_t rows)
{
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out << header_line() << '\n';
    std::size_t problems = 0;
    for (std::size_t count = 1; count + 1 < lines; ++problems) {
        attune::record const best = winner(problems + 1);
        stored_problem const problem = problem_of(best);
        std::string const id = id_of(problem);
        out << problem_line(id, problem) << '\n';
        for (std::size_t i = 0; i < rows && count + 2 < lines; ++i, ++count)
            out << tried_line(id, row(i)) << '\n';
        out << won_line(id, best) << '\n';
        count += 2;
    }
    if (!out.flush()) throw std::runtime_error(path + ": cannot be written");
    return problems;
}

/// Microseconds of wall time for each append, of so many writers at once.
template <class Append>
double append_us(std::string const& path, std::size_t writers, std::size_t each, Append append)
{
    int gate[2];
    if (::pipe(gate) != 0) throw std::runtime_error("no pipe");
    std::vector<::pid_t> children;
    for (std::size_t w = 0; w < writers; ++w) {
        ::pid_t const child = ::fork();
        if (child < 0) throw std::runtime_error("no process");
        if (child == 0) {
            ::close(gate[1]);
            attune::store subject(path);
            char nothing = 0;
            if (::read(gate[0], &nothing, 1) != 0) ::_exit(1); // until the parent closes it
            for (std::size_t i = 0; i < each; ++i)
                append(subject, w, i);
            ::_exit(subject.notices().empty() ? 0 : 1);
        }
        children.push_back(child);
    }
    ::close(gate[0]);
    double const begun = seconds();
    ::close(gate[1]);
    bool all_right = true;
    for (::pid_t const child : children) {
        int status = 1;
        all_right = ::waitpid(child, &status, 0) == child && status == 0 && all_right;
    }
    double const us = 1e6 * (seconds() - begun) / static_cast<double>(writers * each);
    if (!all_right) throw std::runtime_error("a writer failed");
    return us;
}

int run(int argc, char** argv)
{
    std::size_t lines = 100'000, writers = 8, appends = 1'000;
    std::string folder = std::filesystem::temp_directory_path().string();
    bench::read_arguments(argc, argv,
                          {{"--lines", &lines, 10},
                           {"--writers", &writers, 1},
                           {"--appends", &appends, 1},
                           {"--folder", &folder}});
    bench::scratch_folder const all{folder};
    std::string const path = all.path() + "/store";

    double worst_append = 0, worst_open = 0, worst_lookup = 0;
    // Mostly rows, as tunings leave them; and winners alone, each with a problem of its own.
    for (std::size_t const rows : {std::size_t{60}, std::size_t{0}}) {
        std::size_t const problems = make_file(path, lines, rows);
        std::vector<double> open_s;
        for (int i = 0; i < 9; ++i) {
            attune::store subject(path);
            double const begun = seconds();
            if (subject.find(winner(1 + problems / 2).key).how != attune::record_match::exact)
                throw std::runtime_error("a winner is not found");
            open_s.push_back(seconds() - begun);
        }
        std::nth_element(open_s.begin(), open_s.begin() + 4, open_s.end());
        attune::store subject(path);
        static_cast<void>(subject.find(winner(1).key));
        std::vector<attune::record_key> keys;
        for (std::size_t i = 0; i < 1'000; ++i)
            keys.push_back(winner(1 + (i * 7919 + 1) % problems).key);
        double const begun = seconds();
        for (attune::record_key const& key : keys)
            if (subject.find(key).how != attune::record_match::exact)
                throw std::runtime_error("a winner is not found");
        double const lookup = 1e6 * (seconds() - begun) / static_cast<double>(keys.size());
        double const open = 1e3 * open_s[4];
        std::printf("file rows=%zu lines=%zu problems=%zu MB=%.1f open_ms=%.1f lookup_us=%.2f\n",
                    rows, lines, problems,
                    static_cast<double>(std::filesystem::file_size(path)) * 1e-6, open, lookup);
        worst_open = std::max(worst_open, open);
        worst_lookup = std::max(worst_lookup, lookup);
    }
    stored_problem const problem = problem_of(winner(1));
    for (bool const has_shapes : {true, false}) {
        std::string const long_file = all.path() + "/long";
        std::ofstream out(long_file, std::ios::binary);
        std::string const id = id_of(problem);
        out << header_line() << '\n' << problem_line(id, problem) << '\n';
        for (std::size_t i = 0; i < lines; ++i)
            out << (has_shapes
                        ? proven_line(id,
                                      {winner(1).code,
                                       std::vector<std::int64_t>(24, static_cast<std::int64_t>(i)),
                                       true})
                        : tried_line(id, row(i)))
                << '\n';
        out << won_line(id, winner(1)) << '\n';
        out.close();
        attune::store subject(long_file);
        double const begun = seconds();
        if (subject.find(winner(1).key).how != attune::record_match::exact)
            throw std::runtime_error("a winner is not found");
        std::size_t const known =
            subject.proofs(problem, winner(1).code).size() + subject.recall(problem).rows.size();
        std::printf("one_problem %s lines=%zu read=%zu first_ms=%.1f\n",
                    has_shapes ? "shapes" : "outcomes", lines, known, 1e3 * (seconds() - begun));
    }
    auto const of_rows = [&](attune::store& s, std::size_t, std::size_t i) {
        s.note(problem, row(i));
    };
    auto const of_winners = [&](attune::store& s, std::size_t w, std::size_t i) {
        s.add(winner(1'000'000 + w * appends + i));
    };
    for (std::size_t const count : {std::size_t{1}, writers}) {
        double const rows_us = append_us(path, count, appends, of_rows);
        double const winners_us = append_us(path, count, appends, of_winners);
        std::printf("append writers=%zu rows_us=%.1f winners_us=%.1f\n", count, rows_us,
                    winners_us);
        worst_append = std::max({worst_append, rows_us, winners_us});
    }
    std::printf("total append_us=%.1f open_ms=%.1f lookup_us=%.2f\n", worst_append, worst_open,
                worst_lookup);
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] { return run(argc, argv); });
}
