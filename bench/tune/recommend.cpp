// bench/tune/recommend.cpp - advice from a long file of what techniques gained, and killed writers of one.
// SPDX-License-Identifier: MIT
//
// Run      bench.tune.recommend [--runs 100000] [--writers 60] [--lines 2000] [--folder DIR]
// Prints   file: searches by random bandits of five techniques in 33 spaces, as many as the seed's
//          database has, of orders and of settings; first_ms: reading the file and summing it up;
//          open_ms: the same with the sums beside it, the median of five; advice_ms: what a new
//          search begins with, the longest of those 33 spaces; next_ms: what replaces a technique
//          after some outcomes, the longest; all: CPU time; writers: processes that append to one
//          file, of which half are killed (-9) at random moments; lost: lines that were said to be
//          written and are not there
// Exit     1: a line was lost
#include <attune/core/random.hpp>
#include <attune/search/compose/recommended.hpp>
#include <attune/search/compose/technique_sets.hpp>
#include <attune/search/meta/recommendation.hpp>
#include <attune/tune/dispatch/choice/kept_lessons.hpp>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/interleaved.hpp"
#include "../support/median.hpp"
#include "../support/scratch_folder.hpp"

namespace {

namespace search = attune::search;
using attune::detail::kept_techniques;

/// Space number `i`: an order of 13 to 40 items in a third of them; numbers, flags and choices.
attune::description space_number(std::size_t i)
{
    attune::description out;
    auto const add = [&](std::string name, attune::parameter_kind kind,
                         attune::value_kind type) -> attune::parameter_description& {
        attune::parameter_description one;
        one.name = std::move(name);
        one.kind = kind;
        one.type = type;
        return out.parameters.emplace_back(std::move(one));
    };
    if (i % 3 == 0) {
        auto const items = static_cast<std::uint32_t>(13 + i % 28);
        for (std::uint32_t k = 0; k + 1 < items; ++k)
            add("ORDER[" + std::to_string(k) + "]", attune::parameter_kind::integer,
                attune::value_kind::integer)
                .range_count = items - k;
        out.groups.push_back({"ORDER", attune::group_kind::permutation, 0, items - 1});
    }
    for (std::size_t k = 0; i % 3 != 0 && k < 1 + i; ++k)
        add("N" + std::to_string(k), attune::parameter_kind::ordinal, attune::value_kind::integer)
            .integers = {1, 2, 4, 8, 16};
    for (std::size_t k = 0; i % 3 == 2 && k < 3; ++k)
        add("F" + std::to_string(k), attune::parameter_kind::boolean, attune::value_kind::boolean);
    return out;
}

/// The techniques of a random bandit, by chance successful.
std::vector<search::technique_use> random_uses(attune::random_engine& engine,
                                               attune::description const& space,
                                               std::vector<search::technique> const& library,
                                               search::vocabulary const& words)
{
    std::vector<search::technique_use> out;
    while (out.size() < 5) {
        search::technique_use one;
        one.name = attune::uniform_below(engine, 2) == 0
                       ? library[attune::uniform_below(engine, library.size())].name
                       : search::random_technique(engine, space, words).name;
        one.requests = 1 + attune::uniform_below(engine, 500);
        one.new_bests = attune::uniform_below(engine, one.requests / 4 + 1);
        out.push_back(std::move(one));
    }
    return out;
}

struct problem {
    std::string label;
    attune::description space;
};

std::vector<problem> make_file(std::string const& path, std::size_t runs)
{
    constexpr std::size_t most_different = 3'000; // searches that are drawn; then they repeat
    std::vector<problem> problems;
    for (std::size_t i = 0; i < 33; ++i)
        problems.push_back({"kernel" + std::to_string(i), space_number(i)});
    std::vector<search::technique> const library = search::technique_library();
    search::vocabulary const words;
    attune::random_engine engine(1);
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < std::min(runs, most_different); ++i) {
        problem const& of = problems[i % problems.size()];
        search::representation one{.label = of.label,
                                   .structure = search::structure_of(of.space),
                                   .uses = random_uses(engine, of.space, library, words)};
        one.gains.add(1 + 9 * attune::uniform_unit(engine));
        lines.push_back(search::history_line(one) + '\n');
    }
    std::vector<kept_techniques::logged_line> all;
    for (std::size_t i = 0; i < runs; ++i)
        all.push_back({{std::to_string(i)}, lines[i % lines.size()]});
    kept_techniques file(path, "none", {});
    if (file.add_new(all) != runs && file.problem().empty())
        throw std::runtime_error(path + ": not all lines were added");
    if (!file.problem().empty()) throw std::runtime_error(file.problem());
    return problems;
}

/// What each writer was told to be written; seen by all processes.
struct told_lines {
    explicit told_lines(std::size_t writers)
        : bytes(writers * sizeof(std::atomic<std::uint32_t>))
    {
        void* const got =
            ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (got == MAP_FAILED) throw std::runtime_error("no shared memory");
        at = static_cast<std::atomic<std::uint32_t>*>(got);
    }
    told_lines(told_lines const&) = delete;
    told_lines& operator=(told_lines const&) = delete;
    ~told_lines() { ::munmap(at, bytes); }
    std::size_t bytes;
    std::atomic<std::uint32_t>* at = nullptr;
};

/// Appends searches of one technique, whose name has the writer and the number of the line.
[[noreturn]] void write_searches(std::string const& path, std::size_t writer, std::size_t lines,
                                 std::atomic<std::uint32_t>& told, int const (&gate)[2])
{
    ::close(gate[1]);
    char nothing = 0;
    if (::read(gate[0], &nothing, 1) != 0) ::_exit(4); // until the parent closes it
    kept_techniques file(path, "kernel", space_number(0));
    for (std::size_t i = 0; i < lines; ++i) {
        file.keep(std::vector<search::technique_use>{
            {std::to_string(writer) + ':' + std::to_string(i), 1, 0}});
        if (!file.problem().empty()) ::_exit(3); // the lock was kept too long, and it is said so
        told.store(static_cast<std::uint32_t>(i + 1), std::memory_order_release);
    }
    ::_exit(0);
}

struct killed_writers {
    std::size_t killed = 0, refused = 0, kept = 0, lost = 0;
};
killed_writers kill_writers(std::string const& path, std::size_t writers, std::size_t lines)
{
    told_lines const told(writers);
    int gate[2];
    if (::pipe(gate) != 0) throw std::runtime_error("no pipe");
    std::vector<::pid_t> children;
    for (std::size_t w = 0; w < writers; ++w) {
        ::pid_t const child = ::fork();
        if (child < 0) throw std::runtime_error("no process");
        if (child == 0) write_searches(path, w, lines, told.at[w], gate);
        children.push_back(child);
    }
    ::close(gate[0]);
    ::close(gate[1]);
    attune::random_engine engine(7);
    for (std::size_t w = 0; w < writers; w += 2) {
        std::timespec const pause{0, static_cast<long>(attune::uniform_below(engine, 10'000'000))};
        ::nanosleep(&pause, nullptr);
        ::kill(children[w], SIGKILL);
    }
    killed_writers out;
    for (::pid_t const child : children) {
        int status = 0;
        if (::waitpid(child, &status, 0) != child) throw std::runtime_error("a writer is gone");
        if (WIFSIGNALED(status))
            ++out.killed;
        else if (WEXITSTATUS(status) == 3)
            ++out.refused;
        else if (WEXITSTATUS(status) != 0)
            throw std::runtime_error("a writer failed");
    }
    search::technique_history const all = kept_techniques(path, "kernel", {}).all();
    std::vector<search::technique_use> uses;
    for (search::representation const& r : all.representations())
        uses.insert(uses.end(), r.uses.begin(), r.uses.end());
    auto const has = [&](std::string const& name) {
        return std::ranges::binary_search(uses, name, {}, &search::technique_use::name);
    };
    for (std::size_t w = 0; w < writers; ++w)
        for (std::uint32_t i = 0; i < told.at[w].load(std::memory_order_acquire); ++i)
            has(std::to_string(w) + ':' + std::to_string(i)) ? ++out.kept : ++out.lost;
    return out;
}

int run(int argc, char** argv)
{
    std::size_t runs = 100'000;
    std::size_t writers = 60;
    std::size_t lines = 2'000;
    std::string folder = std::filesystem::temp_directory_path().string();
    bench::read_arguments(argc, argv,
                          {{"--runs", &runs, 1},
                           {"--writers", &writers, 1},
                           {"--lines", &lines, 1},
                           {"--folder", &folder}});
    bench::scratch_folder const all{folder};
    std::string const path = all.path() + "/techniques";
    std::vector<problem> const problems = make_file(path, runs);
    search::technique_history past;
    auto const open = [&] {
        double const begun = bench::thread_seconds();
        past = kept_techniques(path, "none", {}).all();
        return 1e3 * (bench::thread_seconds() - begun);
    };
    double const first_ms = open();
    std::vector<double> open_ms;
    for (int i = 0; i < 5; ++i)
        open_ms.push_back(open());
    std::size_t searches = 0;
    std::size_t techniques = 0;
    for (search::representation const& r : past.representations()) {
        searches += r.runs;
        techniques += r.uses.size();
    }
    auto const make = search::techniques_by_name();
    auto const usable = [&](std::string_view name) { return make(name).has_value(); };
    double advice_ms = 0;
    double next_ms = 0;
    for (problem const& p : problems) {
        double const begun = bench::thread_seconds();
        auto const advice = search::recommend_start(past, search::structure_of(p.space), 5, usable);
        advice_ms = std::max(advice_ms, 1e3 * (bench::thread_seconds() - begun));
        std::vector<search::technique_use> uses;
        std::vector<std::string> names;
        for (search::technique_advice const& a : advice) {
            names.push_back(a.technique);
            uses.push_back({a.technique, 25, names.size()});
        }
        double const next_begun = bench::thread_seconds();
        (void)search::recommend_next(past, uses, names, usable);
        next_ms = std::max(next_ms, 1e3 * (bench::thread_seconds() - next_begun));
    }
    std::printf("file runs=%zu MB=%.1f spaces=%zu techniques=%zu first_ms=%.0f open_ms=%.1f\n",
                searches, static_cast<double>(std::filesystem::file_size(path)) * 1e-6,
                past.representations().size(), techniques, first_ms, bench::median(open_ms));
    std::fflush(stdout); // a forked child would write it again
    killed_writers const written = kill_writers(all.path() + "/shared", writers, lines);
    std::printf("writers writers=%zu killed=%zu refused=%zu kept=%zu lost=%zu\n", writers,
                written.killed, written.refused, written.kept, written.lost);
    std::printf("total open_ms=%.1f advice_ms=%.2f next_ms=%.2f lost=%zu\n", bench::median(open_ms),
                advice_ms, next_ms, written.lost);
    return written.lost == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] { return run(argc, argv); });
}
