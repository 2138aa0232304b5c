// bench.ship.report : what a page of a store costs: writing it, its size, opening it in a browser.
// SPDX-License-Identifier: MIT
//
// One problem of ten parameters with --rows outcomes, of which a ninth failed; its ties, its
// winner.
// written_ms  from the store's object to the file of the page; the median of five
// kilobytes   of the page
// opens_ms    from the beginning of its loading until a browser has laid it out and its script has
//             run; the median of three; 0 where there is no chromium in PATH
// show_ms     the program `attune show` on a store of ten times as many lines, from its start to
//             its end; the median of five; 0 where it was not built
#include <attune/remember/store.hpp>
#include <attune/ship/report/write_html.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
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

void fill(attune::store& store, std::size_t rows)
{
    std::mt19937 random(1);
    stored_problem problem;
    problem.key = {"sgemm<TILE_M, TILE_N>",
                   "16ecc804738743cf2725dfd40a262831",
                   "",
                   "clang 19.1.7 -O3 -march=native -std=c++20 cpu=znver4 features=03edc9ff50fb",
                   "AMD EPYC 9654 96-Core Processor (25.17.1)",
                   {{"M", "1024"}, {"N", "1024"}, {"K", "512"}}};
    for (char const* name :
         {"TILE_M", "TILE_N", "TILE_K", "UNROLL", "PACK_A", "PACK_B", "PREFETCH", "SCHEDULE"})
        problem.parameters.emplace_back(name);
    problem.parameters.insert(problem.parameters.end(), {"ORDER", "FLAGS"});
    std::vector<tried_row> told;
    for (std::size_t i = 0; i < rows; ++i) {
        tried_row row{.code = "9f3c0011aabbccdd9f3c0011aabbcc" + std::to_string(i)};
        double s = 2e-3;
        for (std::size_t p = 0; p < 8; ++p) {
            auto const level = static_cast<unsigned>(random() % 6);
            row.values.push_back(std::to_string(8u << level));
            s *= 1 + 0.1 * static_cast<double>(p) * std::fabs(static_cast<double>(level) - 3);
        }
        row.values.push_back(random() % 2 == 0 ? "{2, 1, 0}" : "{0, 1, 2}");
        row.values.push_back(random() % 2 == 0 ? "-O3" : "-O2 -mprefer-vector-width=512");
        s *= 1 + 1e-6 * static_cast<double>(random() % 100'000);
        if (i > 0 && random() % 9 == 0)
            row.result = attune::failure{attune::failure_stage::crash, "SIGSEGV"};
        else
            row.result = attune::measurement{s, s * 0.987, s * 1.013, 14};
        if (i > 20) row.predicted_s = s * (1 + 1e-6 * static_cast<double>(random() % 300'000));
        told.push_back(std::move(row));
        store.note(problem, told.back());
    }
    problem_report const known = report_of({.problem = problem, .rows = told});
    attune::record best;
    best.key = problem.key;
    tried_row const& fastest = told[known.ranking.front()];
    for (std::size_t p = 0; p < problem.parameters.size(); ++p)
        best.configuration.emplace_back(problem.parameters[p], fastest.values[p]);
    best.best_s = usable_value({}, fastest)->value;
    best.default_s = usable_value({}, told.front())->value;
    best.best_interval = {best.best_s * 0.99, best.best_s * 1.01, 40};
    best.default_interval = {best.default_s * 0.99, best.default_s * 1.01, 40};
    best.default_code = told.front().code;
    best.evaluations = rows;
    best.failures = known.failures();
    best.when = "2026-01-01T00:00:00Z";
    store.add(best);
}

/// Milliseconds that the page itself reads off its clock; 0: no browser.
double opens_ms(std::string const& folder, std::string const& page)
{
    if (std::system("command -v chromium >/dev/null 2>&1") != 0) return 0;
    std::ifstream in(page);
    std::string html{std::istreambuf_iterator<char>(in), {}};
    html.insert(html.rfind("</body>"),
                "<script>document.body.offsetHeight;document.body.append('opened:' + "
                "performance.now() + ';')</script>");
    std::ofstream(folder + "/timed.html") << html;
    std::vector<double> all;
    for (int i = 0; i < 3; ++i) {
        std::string const command = "chromium --headless --no-sandbox --disable-gpu "
                                    "--disable-dev-shm-usage --user-data-dir=" +
                                    folder + "/profile --dump-dom file://" + folder +
                                    "/timed.html >" + folder + "/dom 2>/dev/null";
        if (std::system(command.c_str()) != 0) throw std::runtime_error("chromium failed");
        std::ifstream dom(folder + "/dom");
        std::string const text{std::istreambuf_iterator<char>(dom), {}};
        std::size_t const at = text.rfind("opened:");
        if (at == text.npos || text.compare(at, 8, "opened:'") == 0)
            throw std::runtime_error("the page did not open");
        all.push_back(std::strtod(text.c_str() + at + 7, nullptr));
    }
    std::sort(all.begin(), all.end());
    return all[1];
}

/// Milliseconds of `attune show` on a store; 0: there is no such program.
double show_ms([[maybe_unused]] std::string const& store)
{
#ifdef ATTUNE_BENCH_PROGRAM
    std::vector<double> all;
    for (int i = 0; i < 5; ++i) {
        double const begun = seconds();
        if (std::system((ATTUNE_BENCH_PROGRAM " show " + store + " >/dev/null").c_str()) != 0)
            throw std::runtime_error("attune show failed");
        all.push_back(1e3 * (seconds() - begun));
    }
    std::sort(all.begin(), all.end());
    return all[2];
#else
    return 0;
#endif
}

int run(int argc, char** argv)
{
    std::size_t rows = 10'000;
    std::string folder = std::filesystem::temp_directory_path().string();
    bench::read_arguments(argc, argv, {{"--rows", &rows, 1}, {"--dir", &folder}});
    bench::scratch_folder const scratch(folder);
    attune::store store(scratch.path() + "/a.attune");
    fill(store, rows);
    std::string const page = scratch.path() + "/report.html";
    std::vector<double> written_s;
    for (int i = 0; i < 5; ++i) {
        double const begun = seconds();
        attune::write_html(store, page);
        written_s.push_back(seconds() - begun);
    }
    std::sort(written_s.begin(), written_s.end());
    std::string const large = scratch.path() + "/large.attune";
    {
        attune::store many(large);
        fill(many, 10 * rows);
    }
    std::printf("total written_ms=%.0f kilobytes=%.0f opens_ms=%.0f show_ms=%.0f\n",
                1e3 * written_s[2], 1e-3 * static_cast<double>(std::filesystem::file_size(page)),
                opens_ms(scratch.path(), page), show_ms(large));
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] { return run(argc, argv); });
}
