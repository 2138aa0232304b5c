// tests/remember/store_killed.cpp - writers are killed at any moment, and the disk is full meanwhile.
// SPDX-License-Identifier: MIT
//
// Environment of the long form: ATTUNE_TEST_KILL_S seconds, ATTUNE_TEST_KILL_WRITERS at a time,
// ATTUNE_TEST_KILL_FOLDER for the file (a folder of another file system, say). Each writer appends
// 1,000 lines unless it is killed.
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/random.hpp>
#include <attune/remember/lines/record_line.hpp>
#include <attune/remember/store.hpp>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <doctest/doctest.h>
#include <map>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <variant>
#include <vector>

#include "../laws/record_store.hpp"
#include "../support/scratch_directory.hpp"

using namespace attune::detail;

namespace {

constexpr std::size_t most_writers = 1u << 20;
constexpr std::uint64_t appends_each = 1'000;

double number_in(char const* name, double otherwise)
{
    char const* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtod(text, nullptr);
}

/// How many lines each writer was told to be written; seen by all processes.
struct shared_counts {
    shared_counts()
        : at(static_cast<std::atomic<std::uint32_t>*>(
              ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)))
    {
        REQUIRE(at != MAP_FAILED);
    }
    ~shared_counts() { ::munmap(at, bytes); }
    static constexpr std::size_t bytes = most_writers * sizeof(std::atomic<std::uint32_t>);
    std::atomic<std::uint32_t>* at;
};

/// Appends lines of its own number; every tenth writer has a full disk for a while.
[[noreturn]] void write_lines(std::string const& path, std::uint64_t writer,
                              std::atomic<std::uint32_t>& told)
{
    for (int const signal : {SIGABRT, SIGSEGV, SIGTERM, SIGINT})
        std::signal(signal, SIG_DFL);
    attune::store subject(path);
    stored_problem const problem = problem_of(laws::example_record());
    for (std::uint64_t i = 0; i < appends_each; ++i) {
        bool const has_full_disk = writer % 10 == 3 && i % 100 == 50;
        if (has_full_disk) {
            struct ::stat status{};
            ::rlim_t const now =
                ::stat(path.c_str(), &status) == 0 ? static_cast<::rlim_t>(status.st_size) : 0;
            ::rlimit const limit{now + 40, RLIM_INFINITY};
            if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(3);
        }
        // As long as rows are, sometimes longer than a page.
        std::string const filling((i * 37 + writer * 101) % 300 + (i % 50 == 7 ? 5'000 : 0), 'x');
        subject.note(problem, {{std::to_string(writer) + ":" + std::to_string(i), filling},
                               attune::measurement::exact(static_cast<double>(i)),
                               "c0"});
        if (has_full_disk) { // it is kept in memory, and written with the next one
            ::rlimit const limit{RLIM_INFINITY, RLIM_INFINITY};
            if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(3);
            continue;
        }
        told.store(static_cast<std::uint32_t>(i + 1), std::memory_order_release);
    }
    ::_exit(0);
}

} // namespace

TEST_CASE("killed writers lose the lines they were writing, and nothing else")
{
    double const limit_s = number_in("ATTUNE_TEST_KILL_S", 2.0);
    auto const at_once = static_cast<std::size_t>(number_in("ATTUNE_TEST_KILL_WRITERS", 12.0));
    char const* const folder = std::getenv("ATTUNE_TEST_KILL_FOLDER");
    support::scratch_directory const directory;
    std::string const path =
        folder == nullptr ? directory.file("s") : std::string(folder) + "/attune_killed_store";
    std::remove(path.c_str());
    shared_counts const told;

    attune::random_engine engine(17);
    std::map<::pid_t, std::uint64_t> alive;
    std::uint64_t begun = 0, killed = 0, ended = 0, failed = 0;
    double const until = steady_seconds() + limit_s;
    auto const reap = [&](int flags) {
        int status = 0;
        ::pid_t const child = ::waitpid(-1, &status, flags);
        if (child <= 0) return false;
        alive.erase(child);
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
            ++killed;
        else if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
            ++ended;
        else
            ++failed;
        return true;
    };
    while (steady_seconds() < until && begun < most_writers) {
        while (reap(WNOHANG)) {
        }
        while (alive.size() < at_once && begun < most_writers) {
            ::pid_t const child = ::fork();
            REQUIRE(child >= 0);
            if (child == 0) write_lines(path, begun, told.at[begun]);
            alive[child] = begun++;
        }
        std::timespec const pause{
            0, static_cast<long>(attune::uniform_below(engine, 20'000'000) + 100'000)};
        ::nanosleep(&pause, nullptr);
        auto victim = alive.begin();
        std::advance(victim, static_cast<long>(attune::uniform_below(engine, alive.size())));
        ::kill(victim->first, SIGKILL);
    }
    while (!alive.empty() && reap(0)) {
    }

    // What was told to be written is there, each line once; what is damaged is what was in flight.
    std::string const text = support::read_file(path);
    std::map<std::uint64_t, std::vector<bool>> seen;
    std::uint64_t damaged = 0, twice = 0, headers = 0;
    std::string_view rest = text;
    while (!rest.empty()) {
        std::size_t const end = std::min(rest.find('\n'), rest.size());
        std::string_view const line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (line.empty()) continue;
        line_content const content = read_line(line);
        if (auto const* row = std::get_if<tried_entry>(&content)) {
            std::string const& name = row->row.values.at(0);
            std::uint64_t const writer = std::stoull(name);
            std::uint64_t const i = std::stoull(name.substr(name.find(':') + 1));
            auto& lines = seen[writer];
            lines.resize(appends_each);
            if (lines.at(i)) ++twice;
            lines[i] = true;
        } else if (std::holds_alternative<store_header>(content)) {
            ++headers;
        } else if (std::holds_alternative<damaged_line>(content)) {
            ++damaged;
        }
    }
    std::uint64_t lost = 0, kept = 0;
    for (std::uint64_t writer = 0; writer < begun; ++writer) {
        auto& lines = seen[writer];
        lines.resize(appends_each);
        std::uint32_t const count = told.at[writer].load(std::memory_order_acquire);
        for (std::uint32_t i = 0; i < count; ++i)
            lines[i] ? ++kept : ++lost;
    }
    std::printf("killed writers=%llu killed=%llu ended=%llu lines=%llu lost=%llu damaged=%llu "
                "twice=%llu\n",
                static_cast<unsigned long long>(begun), static_cast<unsigned long long>(killed),
                static_cast<unsigned long long>(ended), static_cast<unsigned long long>(kept),
                static_cast<unsigned long long>(lost), static_cast<unsigned long long>(damaged),
                static_cast<unsigned long long>(twice));
    std::fflush(stdout); // a forked child would write it again
    CHECK(failed == 0);
    CHECK(lost == 0);
    CHECK(twice == 0);
    CHECK(headers == 1);
    CHECK(damaged <= killed);
    CHECK(kept > 0);

    // A reader agrees.
    attune::store reader(path);
    problem_history const known = reader.recall(problem_of(laws::example_record()));
    std::uint64_t total = 0;
    for (auto const& [writer, lines] : seen)
        total += static_cast<std::uint64_t>(std::count(lines.begin(), lines.end(), true));
    CHECK(known.rows.size() == total);
    CHECK(reader.notices().size() == (damaged > 0 ? 1 : 0));
    if (folder != nullptr) std::remove(path.c_str());
}
