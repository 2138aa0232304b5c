// bench.remember.store : what a store costs: an append among writers, opening a long file, a look-up.
// SPDX-License-Identifier: MIT
//
// Wall time, medians of nine. `rows`: --lines lines of outcomes, with a winner behind every 60th;
// `winners`: of winners alone, each with a problem of its own.
// open        a new object's first look-up in the file: reading and indexing it
// lookup      looking up a problem that was not asked for before
// first       what a tuned kernel asks at its start, of a file with --lines lines of its one
//             problem: the winner, shapes and outcomes; for lines that are shapes, and outcomes
// append      over all appends of all writers at once, each a process of its own; by writers
// hash        the identifier of a problem
// The last line has the slowest kind of each of append, open and lookup.
#include <attune/remember/store.hpp>

#include <attune/core/posix/steady_seconds.hpp>
#include <attune/remember/lines/record_line.hpp>
#include <attune/remember/problem/problem.hpp>

#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "../support/key_value_reporter.hpp"
#include "../support/scratch_folder.hpp"

namespace {

using namespace attune::detail;

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

/// Seconds of wall time for each append, of so many writers at once.
template <class Append>
double append_s(std::string const& path, std::size_t writers, std::size_t each, Append append)
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
    double const begun = steady_seconds();
    ::close(gate[1]);
    bool all_right = true;
    for (::pid_t const child : children) {
        int status = 1;
        all_right = ::waitpid(child, &status, 0) == child && status == 0 && all_right;
    }
    double const taken = steady_seconds() - begun;
    if (!all_right) throw std::runtime_error("a writer failed");
    return taken / static_cast<double>(writers * each);
}

void must_find(attune::store& in, attune::record_key const& key)
{
    if (in.find(key).how != attune::record_match::exact)
        throw std::runtime_error("a winner is not found");
}

void time_lookup(benchmark::State& state, std::string const& path, std::size_t problems)
{
    attune::store subject(path);
    must_find(subject, winner(1).key);
    std::vector<attune::record_key> keys;
    for (std::size_t i = 0; i < static_cast<std::size_t>(state.max_iterations); ++i)
        keys.push_back(winner(1 + (i * 7919 + 1) % problems).key);
    auto key = keys.begin();
    for (auto _ : state)
        must_find(subject, *key++);
}

/// Times what a new object over the file does first.
void add_first(std::string const& name, std::string const& path, auto first)
{
    auto const time = [=](benchmark::State& state) {
        state.PauseTiming();
        auto subject = std::make_unique<attune::store>(path);
        state.ResumeTiming();
        first(*subject);
        state.PauseTiming();
        subject.reset();
        state.ResumeTiming();
    };
    bench::add(name, time)->UseRealTime();
}

int run(int argc, char** argv)
{
    std::size_t lines = 100'000, writers = 8, appends = 1'000;
    std::string folder = std::filesystem::temp_directory_path().string();
    bench::read_flags(argc, argv,
                      {{"--lines", &lines, 10},
                       {"--writers", &writers, 1},
                       {"--appends", &appends, 1},
                       {"--folder", &folder}},
                      9);
    bench::scratch_folder const all{folder};
    for (bool const has_rows : {true, false}) {
        std::string const kind = has_rows ? "rows" : "winners";
        std::string const path = all.path() + '/' + kind;
        std::size_t const problems = make_file(path, lines, has_rows ? 60 : 0);
        std::printf("file %s lines=%zu problems=%zu MB=%.1f\n", kind.c_str(), lines, problems,
                    static_cast<double>(std::filesystem::file_size(path)) * 1e-6);
        attune::record_key const key = winner(1 + problems / 2).key;
        add_first("open/" + kind, path, [=](attune::store& subject) { must_find(subject, key); });
        benchmark::RegisterBenchmark(("lookup/" + kind).c_str(), time_lookup, path, problems)
            ->Iterations(1'000)
            ->UseRealTime();
    }
    stored_problem const problem = problem_of(winner(1));
    std::string const id = id_of(problem);
    bench::add("hash", [=](auto&) { benchmark::DoNotOptimize(id_of(problem)); });
    for (bool const has_shapes : {true, false}) {
        std::string const kind = has_shapes ? "shapes" : "outcomes";
        std::string const path = all.path() + '/' + kind;
        std::ofstream out(path, std::ios::binary);
        out << header_line() << '\n' << problem_line(id, problem) << '\n';
        for (std::size_t i = 0; i < lines; ++i) {
            proven_shape const shape{
                winner(1).code, std::vector<std::int64_t>(24, static_cast<std::int64_t>(i)), true};
            out << (has_shapes ? proven_line(id, shape) : tried_line(id, row(i))) << '\n';
        }
        out << won_line(id, winner(1)) << '\n';
        add_first("first/" + kind, path, [=](attune::store& subject) {
            must_find(subject, winner(1).key);
            benchmark::DoNotOptimize(subject.proofs(problem, winner(1).code));
            benchmark::DoNotOptimize(subject.recall(problem));
        });
    }
    std::string const appended = all.path() + "/appended";
    make_file(appended, lines, 0);
    auto const add_append = [&](std::string const& name, std::size_t count, auto append) {
        auto const time = [=](benchmark::State& state) {
            state.SetIterationTime(append_s(appended, count, appends, append));
        };
        bench::add(name + std::to_string(count), time)->Iterations(1)->UseManualTime();
    };
    auto const of_rows = [=](attune::store& s, std::size_t, std::size_t i) {
        s.note(problem, row(i));
    };
    auto const of_winners = [=](attune::store& s, std::size_t w, std::size_t i) {
        s.add(winner(1'000'000 + w * appends + i));
    };
    for (std::size_t const count : {std::size_t{1}, writers}) {
        add_append("append_rows/", count, of_rows);
        add_append("append_winners/", count, of_winners);
    }
    auto const seconds = bench::run();
    if (seconds.empty()) return 0;
    auto const worst = [&](char const* what) {
        double out = 0;
        for (auto const& [name, s] : seconds)
            if (name.starts_with(what)) out = std::max(out, s);
        return out;
    };
    std::printf("total append_us=%.1f open_ms=%.1f lookup_us=%.2f\n", 1e6 * worst("append_"),
                1e3 * worst("open/"), 1e6 * worst("lookup/"));
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] { return run(argc, argv); });
}
