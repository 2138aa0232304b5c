// tests/tune/study/study_search.cpp - processes that search together through one file, and what befalls them.
// SPDX-License-Identifier: MIT
#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/remember/study.hpp>
#include <attune/search/random.hpp>
#include <attune/tune/minimize.hpp>
#include <attune/tune/study.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <filesystem>
#include <limits>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <variant>
#include <vector>

#include "../../support/bowl.hpp"
#include "../../support/rounds.hpp"
#include "../../support/scratch_directory.hpp"
#include "../../support/texts.hpp"

using attune::point;
using attune::study_options;
using attune::detail::minimize_in_study;
using attune::detail::minimum_in_study;
using attune_test::has;
using attune_test::rounds;
using attune_test::plane_with_bowl::all_points;
using attune_test::plane_with_bowl::bowl;
using attune_test::plane_with_bowl::plane;
using attune_test::plane_with_bowl::space;
using attune_test::plane_with_bowl::x;
using attune_test::plane_with_bowl::y;
using support::scratch_directory;

namespace {

bool is_lowest(point const& at) { return at[0].index == 7 && at[1].index == 3; }

/// How often each point was evaluated, in all processes.
struct shared_counts {
    shared_counts()
        : at(static_cast<std::atomic<std::uint32_t>*>(
              ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)))
    {
        REQUIRE(at != MAP_FAILED);
    }
    ~shared_counts() { ::munmap(at, bytes); }
    shared_counts(shared_counts const&) = delete;
    shared_counts& operator=(shared_counts const&) = delete;
    void add(point const& p) const { ++at[p[0].index * 11 + p[1].index]; }
    [[nodiscard]] std::uint32_t of(std::uint32_t px, std::uint32_t py) const
    {
        return at[px * 11 + py];
    }
    [[nodiscard]] std::uint32_t sum() const
    {
        std::uint32_t out = 0;
        for (std::size_t i = 0; i < 121; ++i)
            out += at[i];
        return out;
    }
    /// Points with a count from `least` to `most`, those outside the space too.
    [[nodiscard]] std::uint32_t counted(std::uint32_t least, std::uint32_t most) const
    {
        std::uint32_t out = 0;
        for (std::size_t i = 0; i < 121; ++i)
            out += at[i] >= least && at[i] <= most ? 1U : 0U;
        return out;
    }
    static constexpr std::size_t bytes = 121 * sizeof(std::atomic<std::uint32_t>);
    std::atomic<std::uint32_t>* at;
};

study_options quiet(attune::search_limits limits = {})
{
    study_options out;
    out.limits = limits;
    out.minimize.seed = 7;
    out.minimize.search = attune::search_with<attune::random_searcher>();
    out.minimize.progress = attune::silent_progress();
    return out;
}
attune::progress_sink into(std::string& notices)
{
    return [&notices](attune::progress const& p) {
        if (p.event == attune::progress_event::notice) notices += p.text + '\n';
    };
}
study_options told_in(std::string& notices, attune::search_limits limits = {})
{
    study_options out = quiet(limits);
    out.minimize.progress = into(notices);
    return out;
}
void rest_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

template <class Body>
::pid_t fork_child(Body body)
{
    ::pid_t const child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        for (int const signal : {SIGABRT, SIGSEGV, SIGTERM, SIGINT})
            std::signal(signal, SIG_DFL);
        int code = 77; // it threw
        try {
            code = body();
        } catch (...) {
        }
        ::_exit(code);
    }
    return child;
}
int code_of(::pid_t child)
{
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

template <class Body>
std::vector<::pid_t> fork_children(int count, Body const& body)
{
    std::vector<::pid_t> out;
    for (int i = 0; i < count; ++i)
        out.push_back(fork_child(body));
    return out;
}
void check_all_ended_well(std::vector<::pid_t> const& children)
{
    for (::pid_t const child : children)
        CHECK(code_of(child) == 0);
}
/// bowl() that is counted, and takes some time.
auto counted(shared_counts const& counts, int ms)
{
    return [&counts, ms](point const& at) {
        counts.add(at);
        rest_ms(ms);
        return bowl(at);
    };
}
/// A process whose only evaluation does not end; it is at it when this returns.
::pid_t fork_busy(attune::study const& of, study_options const& options)
{
    ::pid_t const child = fork_child([&] {
        static_cast<void>(minimize_in_study(
            space(),
            [](point const& p) {
                ::sleep(60);
                return bowl(p);
            },
            of, options));
        return 0;
    });
    std::string const file = attune::detail::path_of_study(of);
    while (!std::filesystem::exists(file) || !has(support::read_file(file), "\"claim\""))
        ::usleep(10'000);
    return child;
}
void kill_busy(::pid_t child)
{
    ::kill(child, SIGKILL);
    CHECK(code_of(child) == -SIGKILL);
}

/// Whether a study over the whole space has its result.
bool is_whole(minimum_in_study const& r)
{
    return r.end.found.evaluations == all_points && r.end.found.ended == "space" &&
           r.end.found.best && is_lowest(*r.end.found.best) && r.end.found.value == 2;
}
std::uint32_t sum_of(minimum_in_study const& r)
{
    std::uint32_t out = 0;
    for (attune::worker_use const& one : r.end.workers)
        out += one.evaluations;
    return out;
}

/// Claims X=7 Y=3 in the name of the last worker of the file.
/// @param number  of its evaluation
void claim_for_last(std::string const& path, std::uint64_t number)
{
    std::string worker;
    attune::detail::study_file file(path);
    auto const note_worker = [&](std::string_view text) {
        auto const content = attune::detail::read_study_line(text);
        if (auto const* const one = std::get_if<attune::detail::study_line>(&content))
            worker = one->worker;
    };
    CHECK(file.exchange(note_worker, [&] {
        attune::value_texts const lowest{"7", "3"};
        return attune::detail::text_of_line(attune::detail::study_line{
                   .worker = worker, .says = attune::detail::study_claim{number, lowest}}) +
               '\n';
    }));
}

} // namespace

TEST_CASE("alone, a process evaluates what minimize() would, in that order")
{
    for (auto const& search :
         {attune::default_search(), attune::search_with<attune::random_searcher>(),
          attune::search_with<attune::exhaustive_searcher>()}) {
        scratch_directory const directory;
        study_options options = quiet({.evaluations = 30});
        options.minimize.search = search;
        std::vector<point> expected, seen;
        auto const plain = attune::detail::minimize_points(
            space(),
            [&](point const& at) {
                expected.push_back(at);
                return bowl(at);
            },
            options.limits, options.minimize);
        minimum_in_study const r = minimize_in_study(
            space(),
            [&](point const& at) {
                seen.push_back(at);
                return bowl(at);
            },
            {directory.path(), "alone"}, options);
        CHECK(seen == expected);
        CHECK(r.end.found.best == plain.best);
        CHECK(r.end.found.value == plain.value);
        CHECK(r.end.found.ended == "budget");
        CHECK(r.end.found.evaluations == 30);
    }
}

TEST_CASE("six processes evaluate each configuration once, and all have the result of one")
{
    for (auto const& search : {attune::search_with<attune::random_searcher>(),
                               attune::search_with<attune::exhaustive_searcher>()})
        for (bool const same_seed : {true, false}) {
            scratch_directory const directory;
            shared_counts const counts;
            std::vector<::pid_t> children;
            for (unsigned i = 0; i < 6; ++i)
                children.push_back(fork_child([&] {
                    study_options options = quiet();
                    options.minimize.search = search;
                    options.minimize.seed = same_seed ? 7 : i;
                    minimum_in_study const r = minimize_in_study(
                        space(),
                        [&](point const& at) {
                            counts.add(at);
                            rest_ms(static_cast<int>((at[0].index * 7 + at[1].index + i) % 4));
                            return bowl(at);
                        },
                        {directory.path(), "six"}, options);
                    return is_whole(r) && sum_of(r) == all_points ? 0 : 3;
                }));
            check_all_ended_well(children);
            CHECK(counts.counted(1, 1) == all_points);
            CHECK(counts.sum() == all_points);
        }
}

TEST_CASE("evaluations are those of the study: who joins later adds what is missing")
{
    scratch_directory const directory;
    shared_counts const counts;
    auto const take_part = [&](std::uint64_t evaluations) {
        check_all_ended_well(fork_children(4, [&] {
            minimum_in_study const r =
                minimize_in_study(space(), counted(counts, 2), {directory.path(), "budget"},
                                  quiet({.evaluations = evaluations}));
            return r.end.found.evaluations == evaluations && r.end.found.ended == "budget" ? 0 : 3;
        }));
    };
    take_part(30);
    CHECK(counts.sum() == 30);
    take_part(50);
    CHECK(counts.sum() == 50);
    CHECK(counts.counted(1, 1) == 50);
    take_part(50); // nothing is left to do
    CHECK(counts.sum() == 50);
}

TEST_CASE(
    "processes are killed at any moment: nothing is lost, and what they were at is done again")
{
    scratch_directory const directory;
    shared_counts const counts;
    attune::study const here{directory.path(), "killed"};
    auto const start = [&] {
        return fork_child([&] {
            study_options options = quiet();
            options.lease_s = 0.5;
            options.most_losses = 1000; // none is to be a failure
            minimum_in_study const r = minimize_in_study(
                space(),
                [&](point const& at) {
                    rest_ms(rounds(8, 1500));
                    counts.add(at);
                    return bowl(at);
                },
                here, options);
            return is_whole(r) ? 0 : 3;
        });
    };
    constexpr int kills = rounds(16, 60);
    attune::random_engine engine(11);
    std::vector<::pid_t> alive;
    for (int i = 0; i < 4; ++i)
        alive.push_back(start());
    for (int round = 0; round < kills; ++round) {
        rest_ms(rounds(static_cast<int>(15 + attune::uniform_below(engine, 25)), 1000));
        ::pid_t& victim = alive[attune::uniform_below(engine, alive.size())];
        ::kill(victim, SIGKILL);
        int const code = code_of(victim);
        CHECK((code == -SIGKILL || code == 0)); // 0: it was over
        victim = start();
    }
    check_all_ended_well(alive);
    CHECK(counts.counted(1, std::numeric_limits<std::uint32_t>::max()) == all_points);

    std::string notices;
    study_options options = told_in(notices);
    minimum_in_study const r = minimize_in_study(
        space(), [](point const&) -> attune::evaluation { throw std::runtime_error("no"); }, here,
        options);
    CHECK(is_whole(r));
    CHECK(attune::total(r.end.found.failures) == 0);
    CHECK(sum_of(r) == all_points);
    // One may have been killed before it joined.
    std::size_t const joined = r.end.workers.size() - 1;
    CHECK(joined >= 4);
    CHECK(joined <= 4 + kills);
    CHECK(has(notices, "106 outcomes of " + std::to_string(joined) + " workers are known"));
}

TEST_CASE("a configuration that kills its processes becomes a failure that names them")
{
    scratch_directory const directory;
    shared_counts const counts;
    std::vector<::pid_t> const children = fork_children(4, [&] {
        std::string notices;
        study_options options = told_in(notices);
        options.lease_s = 0.6;
        minimum_in_study const r = minimize_in_study(
            space(),
            [&](point const& at) {
                counts.add(at);
                if (at[0].index == 9 && at[1].index == 9) ::_exit(42);
                rest_ms(3);
                return bowl(at);
            },
            {directory.path(), "crash"}, options);
        auto const crashed =
            r.end.found.failures[static_cast<std::size_t>(attune::failure_stage::crash)];
        return is_whole(r) && crashed == 1 && has(notices, "was lost") && has(notices, "X=9 Y=9")
                   ? 0
                   : 3;
    });
    int crashed = 0, whole = 0;
    for (::pid_t const child : children) {
        int const code = code_of(child);
        crashed += code == 42 ? 1 : 0;
        whole += code == 0 ? 1 : 0;
    }
    CHECK(crashed == 2);
    CHECK(whole == 2);
    CHECK(counts.of(9, 9) == 2);
    CHECK(counts.counted(1, 1) == all_points - 1);
    std::string const file = support::read_file(directory.file("crash.study"));
    CHECK(has(file, "2 workers were lost at this configuration: "));
}

TEST_CASE("an evaluation longer than a lease is not taken over from a process that lives")
{
    scratch_directory const directory;
    shared_counts const counts;
    std::vector<::pid_t> const children = fork_children(3, [&] {
        study_options options = quiet();
        options.lease_s = 1.5;
        minimum_in_study const r = minimize_in_study(
            space(),
            [&](point const& at) {
                counts.add(at);
                if (is_lowest(at)) rest_ms(4000);
                return bowl(at);
            },
            {directory.path(), "long"}, options);
        return is_whole(r) ? 0 : 3;
    });
    check_all_ended_well(children);
    CHECK(counts.sum() == all_points);
}

TEST_CASE("what an objective throws, and NaN, costs its evaluation, and its worker is named")
{
    scratch_directory const directory;
    std::string notices;
    study_options options = told_in(notices);
    minimum_in_study const r = minimize_in_study(
        space(),
        [](point const& at) -> attune::evaluation {
            if (at[0].index == 5 && at[1].index == 5) throw std::runtime_error("no licence");
            if (at[0].index == 6) return std::numeric_limits<double>::quiet_NaN();
            if (at[0].index == 8)
                return attune::failure{attune::failure_stage::verify, "as it is meant"};
            return bowl(at);
        },
        {directory.path(), "faults"}, options);
    CHECK(is_whole(r));
    CHECK(attune::total(r.end.found.failures) == 1 + 11 + 11);
    REQUIRE(r.end.workers.size() == 1);
    CHECK(has(r.end.workers[0].first_fault, r.worker + ": "));
    CHECK(has(notices, r.worker + ": "));
    CHECK(std::ranges::count(notices, '\n') == 1); // the first one is told
    CHECK(!has(notices, "as it is meant"));
}

TEST_CASE("lines of others that make no sense are refused, named, and cost nothing")
{
    using namespace attune::detail;
    scratch_directory const directory;
    attune::study const here{directory.path(), "bogus"};
    study_options options = quiet({.evaluations = 5});
    static_cast<void>(minimize_in_study(space(), bowl, here, options));
    auto const add = [&](std::string const& text) {
        study_file file(path_of_study(here));
        CHECK(file.exchange([](std::string_view) {}, [&] { return text + '\n'; }));
    };
    auto const said = [](char const* by, decltype(study_line::says) says) {
        return text_of_line(study_line{.worker = by, .when_s = 1, .says = std::move(says)});
    };
    std::string notices;
    std::atomic<int> calls = 0;
    options.limits = {};
    options.minimize.progress = into(notices);
    minimum_in_study const r = minimize_in_study(
        space(),
        [&](point const& at) {
            if (++calls == 3) { // while the search goes on
                add(said("bad", study_join{"evil", 13, 0.4}));
                add(said("bad", study_claim{1, {"0", "0"}, {}})); // X + Y < 5
                add(said("bad", study_claim{2, {"7", "3", "9"}, {}}));
                add(said("bad", study_told{9, {"7", "3"}, attune::evaluation(-1.0), false}));
                add(said("stranger", study_told{1, {"7", "3"}, attune::evaluation(-1.0), false}));
                add("{\"by\":\"bad\",\"beat\":true}");
                add("no JSON at all");
            }
            return bowl(at);
        },
        here, options);
    CHECK(is_whole(r));
    CHECK(attune::total(r.end.found.failures) == 0);
    CHECK(has(notices, "a line of evil:13 is refused: its configuration is not in the space"));
    CHECK(has(notices, "has not joined the study is refused: 'stranger'"));
    CHECK(has(notices, "damaged"));
}

TEST_CASE("while the folder is away outcomes are kept and nothing new begins; then it goes on")
{
    scratch_directory const directory;
    std::filesystem::create_directory(directory.file("place"));
    shared_counts const counts;
    std::string notices;
    study_options options = told_in(notices);
    std::atomic<int> calls = 0;
    std::atomic<int> calls_while_away = 0;
    std::thread away;
    minimum_in_study const r = minimize_in_study(
        space(),
        [&](point const& at) {
            counts.add(at);
            if (++calls == 20) {
                std::filesystem::rename(directory.file("place"), directory.file("away"));
                away = std::thread([&] {
                    rest_ms(600);
                    calls_while_away = calls.load();
                    std::filesystem::rename(directory.file("away"), directory.file("place"));
                });
            }
            return bowl(at);
        },
        {directory.file("place"), "away"}, options);
    away.join();
    CHECK(is_whole(r));
    CHECK(counts.counted(1, 1) == all_points);
    CHECK(counts.sum() == all_points);
    CHECK(calls_while_away == 20);
    CHECK(has(notices, "the study cannot be written"));
    CHECK(has(notices, "the study can be written again"));
}

TEST_CASE("a file system is read-only for three leases: nothing is lost and nothing is done twice")
{
    scratch_directory const directory;
    std::string const place = directory.path();
    shared_counts const counts;
    constexpr int cannot_mount = 70, began_more = 71;
    // Its mounts are its own, and end with it.
    ::pid_t const mounter = fork_child([&] {
        if (::unshare(CLONE_NEWNS) != 0 ||
            ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
            ::mount("attune", place.c_str(), "tmpfs", 0, nullptr) != 0)
            return cannot_mount;
        std::vector<::pid_t> const children = fork_children(4, [&] {
            std::string notices;
            study_options options = told_in(notices);
            options.lease_s = 1.2;
            minimum_in_study const r =
                minimize_in_study(space(), counted(counts, 5), {place, "read_only"}, options);
            bool const is_told = has(notices, "the study cannot be written") &&
                                 has(notices, "the study can be written again");
            return is_whole(r) && is_told && !has(notices, "was lost") ? 0 : 3;
        });
        while (counts.sum() < 20)
            rest_ms(1);
        // It is busy while a file is open to be written.
        bool is_read_only = false;
        for (int attempt = 0; attempt < 1000 && !is_read_only; ++attempt) {
            is_read_only =
                ::mount(nullptr, place.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) == 0;
            if (!is_read_only) rest_ms(1);
        }
        rest_ms(300); // what was begun has ended
        std::uint32_t const begun = counts.sum();
        rest_ms(3300);
        int code = !is_read_only ? cannot_mount : counts.sum() != begun ? began_more : 0;
        if (::mount(nullptr, place.c_str(), nullptr, MS_REMOUNT, nullptr) != 0) code = cannot_mount;
        for (::pid_t const child : children) {
            if (code == cannot_mount) ::kill(child, SIGKILL);
            int const ended = code_of(child);
            if (code == 0) code = ended;
        }
        return code;
    });
    int const code = code_of(mounter);
    if (code == cannot_mount) {
        MESSAGE("skipped: this process cannot mount a file system and make it read-only");
        return;
    }
    CHECK(code == 0);
    CHECK(counts.counted(1, 1) == all_points);
    CHECK(counts.sum() == all_points);
}

TEST_CASE("a process that waits for another says so, and notices that nobody can write")
{
    scratch_directory const directory;
    std::filesystem::create_directory(directory.file("place"));
    attune::study const of{directory.file("place"), "waits"};
    std::string notices;
    study_options options = told_in(notices, {.evaluations = 1});
    options.lease_s = 4;
    ::pid_t const other = fork_busy(of, options);
    std::thread away([&] {
        rest_ms(200);
        std::filesystem::rename(directory.file("place"), directory.file("away"));
        rest_ms(2200); // half a lease, and some
        std::filesystem::rename(directory.file("away"), directory.file("place"));
    });
    options.limits.seconds = 4;
    minimum_in_study const own = minimize_in_study(space(), bowl, of, options);
    away.join();
    kill_busy(other);
    CHECK(own.end.found.ended == "budget");
    CHECK(own.end.found.evaluations == 0);
    CHECK(has(notices, "the study cannot be written"));
    CHECK(has(notices, "the study can be written again"));
    CHECK(!has(notices, "was lost"));
}

TEST_CASE("a study opens no socket")
{
    auto const sockets = [] {
        int out = 0;
        for (auto const& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
            std::error_code gone;
            auto const target = std::filesystem::read_symlink(entry.path(), gone);
            out += has(target.string(), "socket:") ? 1 : 0;
        }
        return out;
    };
    int const before = sockets();
    std::atomic<int> most = 0;
    scratch_directory const directory;
    minimum_in_study const r = minimize_in_study(
        space(),
        [&](point const& at) {
            most = std::max(most.load(), sockets());
            return bowl(at);
        },
        {directory.path(), "sockets"}, quiet({.evaluations = 30}));
    CHECK(r.end.found.evaluations == 30);
    CHECK(most == before);
}

TEST_CASE("what takes longer than it may is a failure, and its process goes on or leaves")
{
    scratch_directory const directory;
    std::string notices;
    study_options options = quiet();
    options.minimize.search = attune::search_with<attune::exhaustive_searcher>();
    options.minimize.progress = into(notices);
    SUBCASE("it comes back")
    {
        options.most_seconds = 1;
        minimum_in_study const r = minimize_in_study(
            space(),
            [](point const& at) {
                if (at[0].index == 10 && at[1].index == 10) rest_ms(1300);
                return bowl(at);
            },
            {directory.path(), "late"}, options);
        CHECK(is_whole(r));
        CHECK(r.end.found.failures[static_cast<std::size_t>(attune::failure_stage::timeout)] == 1);
        CHECK(has(notices, r.worker + ": no outcome within 1 s, at X=10 Y=10"));
    }
    SUBCASE("it does not")
    {
        options.most_seconds = 0.2;
        minimum_in_study const r = minimize_in_study(
            space(),
            [](point const& at) {
                rest_ms(1500);
                return bowl(at);
            },
            {directory.path(), "stuck"}, options);
        CHECK(r.end.found.ended == "no worker");
        CHECK(r.end.found.evaluations == 1);
        CHECK(has(notices, "leaves the study"));
    }
}

TEST_CASE("an own claim that is not known is evaluated, not awaited; one that is over expires")
{
    // Number 1000: its claim reached the file, and the word of that got lost. Number 0 is that of
    // no evaluation, and counts as evaluated.
    for (std::uint64_t const number : {1000U, 0U}) {
        CAPTURE(number);
        scratch_directory const at;
        bool is_claimed = false;
        study_options options = quiet({.seconds = 20});
        if (number == 0) options.lease_s = 0.4;
        minimum_in_study const own = minimize_in_study(
            space(),
            [&](point const& p) {
                if (!std::exchange(is_claimed, true))
                    claim_for_last(at.file("claimed.study"), number);
                return bowl(p);
            },
            {at.path(), "claimed"}, options);
        CHECK(is_whole(own));
    }
}

TEST_CASE("Ctrl-C ends this process's part when its evaluation has ended, and others go on")
{
    scratch_directory const directory;
    attune::study const here{directory.path(), "interrupted"};
    std::atomic<int> calls = 0;
    minimum_in_study const r = minimize_in_study(
        space(),
        [&](point const& at) {
            if (++calls == 4) std::raise(SIGINT);
            return bowl(at);
        },
        here, quiet());
    CHECK(r.end.found.interrupted);
    CHECK(r.end.found.ended == "interrupted");
    CHECK(r.end.found.evaluations >= 4);
    CHECK(r.end.found.evaluations < all_points);
    CHECK(is_whole(minimize_in_study(space(), bowl, here, quiet())));
}

TEST_CASE("a study of something else is refused, with both in the sentence, and is left as it was")
{
    scratch_directory const directory;
    attune::study const here{directory.path(), "halo"};
    static_cast<void>(minimize_in_study(space(), bowl, here, quiet({.evaluations = 3})));
    std::string const before = support::read_file(directory.file("halo.study"));
    auto const refusal = [&](auto const& pack, auto const& change) {
        study_options options = quiet({.evaluations = 9});
        change(options);
        return attune_test::error_of(
            [&] { (void)minimize_in_study(attune::build(pack, {}), bowl, here, options); });
    };
    auto const same = [](study_options&) {};
    constexpr auto other_y = attune::ordinal<"Y">(attune::range(0, 12));
    std::string text = refusal(attune::space(x, other_y).where(x + other_y >= 5), same);
    CHECK(has(text, "X (11), Y (11)"));
    CHECK(has(text, "X (11), Y (13)"));
    CHECK(has(refusal(attune::space(x, y).where(x + y >= 6), same), "constraints"));
    text = refusal(plane, [](study_options& o) { o.minimize.name = "fft"; });
    CHECK(has(text, "'minimize'"));
    CHECK(has(text, "'fft'"));
    text = refusal(plane, [](study_options& o) { o.minimize.bounds = {attune::at_most("e", 1)}; });
    CHECK(has(text, "of bounds none"));
    CHECK(support::read_file(directory.file("halo.study")) == before);

    support::write_file(directory.file("halo.study"), "no study\n");
    CHECK(has(refusal(plane, same), "the file is no study"));
    attune::detail::study_header newer;
    newer.format = 99;
    support::write_file(directory.file("halo.study"), text_of_line(newer) + '\n');
    CHECK(has(refusal(plane, same), "newer attune"));
}

TEST_CASE("names, folders and options that cannot be are refused")
{
    scratch_directory const directory;
    auto const refused = [&](attune::study const& of, auto const& change) {
        study_options options = quiet({.evaluations = 1});
        change(options);
        CHECK_THROWS_AS(static_cast<void>(minimize_in_study(space(), bowl, of, options)),
                        attune::error);
    };
    auto const same = [](study_options&) {};
    for (char const* const name : {"", "a/b", "../a", ".a", "a b", "a\n"})
        refused({directory.path(), name}, same);
    support::write_file(directory.file("file"), "");
    refused({directory.file("file"), "a"}, same);
    attune::study const here{directory.path(), "a"};
    refused(here, [](study_options& o) { o.lease_s = 0; });
    refused(here, [](study_options& o) { o.lease_s = std::numeric_limits<double>::infinity(); });
    refused(here, [](study_options& o) { o.lease_s = std::numeric_limits<double>::quiet_NaN(); });
    refused(here, [](study_options& o) { o.most_seconds = 0; });
    refused(here, [](study_options& o) { o.most_losses = 0; });
    CHECK(!std::filesystem::exists(directory.file("a.study")));
}

TEST_CASE("where another user may write, that is said")
{
    scratch_directory const directory;
    std::filesystem::permissions(directory.path(), std::filesystem::perms::all);
    std::string notices;
    study_options options = told_in(notices, {.evaluations = 2});
    static_cast<void>(minimize_in_study(space(), bowl, {directory.path(), "open"}, options));
    CHECK(has(notices, "another user may write outcomes into the study"));
}
