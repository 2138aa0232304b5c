// tests/measure/timing_turns.cpp - processors are timed on by one at a time.
// SPDX-License-Identifier: MIT
#include <attune/measure/timing_turns.hpp>

#include <attune/core/posix/steady_seconds.hpp>
#include <attune/measure/cpu/cpu_bench.hpp>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <doctest/doctest.h>
#include <limits>
#include <new>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "../support/open_files.hpp"
#include "../support/scratch_directory.hpp"
#include "../support/set_variable.hpp"

using attune::detail::place_turn;
using attune::detail::steady_seconds;
using attune::detail::timing_turns;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

struct turns_file {
    support::scratch_directory folder{};
    std::string path = folder.file("cores");
};

/// When the timings of two processes were, in memory that they share.
struct interval {
    double first_s = 0, last_s = 0;
};
struct shared_times {
    static constexpr std::size_t most = 64;
    std::atomic<int> ready{0};
    interval of[2][most]{};
};

/// A bench for a call of 0.2 ms that notes when it runs in a timing.
struct noting_bench {
    std::vector<double> data = std::vector<double>(16);
    interval* now = nullptr; ///< null: not in a timing
    std::vector<attune::buffer> buffers{attune::detail::as_buffer(std::span<double>(data), 0)};
    attune::trial_call call{};
    attune::callable code{};

    noting_bench()
    {
        call.buffers = buffers;
        call.call = [this](void*, attune::trial_call::addresses) {
            double const begun_s = steady_seconds();
            if (now != nullptr && now->first_s <= 0) now->first_s = begun_s;
            while (steady_seconds() < begun_s + 2e-4) {
            }
            if (now != nullptr) now->last_s = steady_seconds();
        };
        code.address = this;
    }
};

attune::bench_options quick(double wait_s)
{
    attune::bench_options out{.precision = 0.5, .timing_limit_s = wait_s};
    return out;
}

} // namespace

TEST_CASE("who has a processor in common waits for a bounded time, then measures and says so")
{
    turns_file const file;
    {
        place_turn mine({0, 1}, 0.0, file.path);
        CHECK(mine.is_alone());
        CHECK(mine.notice().empty());
        place_turn const apart({2, 3}, 0.0, file.path);
        CHECK(apart.is_alone());
        place_turn const late({1, 4}, 0.02, file.path);
        CHECK_FALSE(late.is_alone());
        CHECK(late.is_late());
        CHECK(late.waited_s() >= 0.02);
        CHECK(late.notice().find("another tuning timed on the same processors") == 0);
        mine.release();
        CHECK(place_turn({1, 4}, 0.0, file.path).is_alone());
    }
    place_turn const nobody_knows({0}, 0.0, file.folder.file("none/cores"));
    CHECK_FALSE(nobody_knows.is_alone());
    CHECK_FALSE(nobody_knows.is_late());
    CHECK(nobody_knows.notice().empty()); // nothing says that anybody disturbed
}

TEST_CASE("a device is a place of its own")
{
    using attune::detail::place_of_device;
    CHECK(place_of_device("0000:3b:00.0") == place_of_device("0000:3B:00.0"));
    std::vector<std::uint64_t> all;
    for (char const* bus : {"0000:3b:00.0", "0000:3c:00.0", "0000:3b:01.0", "0000:3b:00.1",
                            "0001:3b:00.0", "ffffffff:ff:1f.7"}) {
        REQUIRE(place_of_device(bus));
        CHECK(*place_of_device(bus) >= CPU_SETSIZE);
        all.push_back(*place_of_device(bus));
    }
    std::ranges::sort(all);
    CHECK(std::ranges::adjacent_find(all) == all.end());
    for (char const* none : {"", "0", "3b:00.0", "0000:3b:00", "0000:3b:00.0 ", "0000:xb:00.0"})
        CHECK_FALSE(place_of_device(none));
    turns_file const file;
    place_turn const mine({all[0]}, 0.0, file.path);
    CHECK(mine.is_alone());
    CHECK(place_turn({all[1]}, 0.0, file.path).is_alone());
    CHECK(place_turn({0, 1, 2}, 0.0, file.path).is_alone());
    place_turn const late({all[0]}, 0.0, file.path);
    CHECK(late.is_late());
    CHECK(late.notice().find("another tuning timed on the same device") == 0);
}

TEST_CASE("a variable names the file, or turns the turns off")
{
    turns_file const file;
    {
        attune_test::set_variable const named{"ATTUNE_TURNS", file.path};
        place_turn const mine({0}, 0.0);
        CHECK(mine.is_alone());
        CHECK(std::filesystem::exists(file.path));
        CHECK(place_turn({0}, 0.0).is_late());
    }
    attune_test::set_variable const off{"ATTUNE_TURNS", "off"};
    CHECK(attune::detail::file_of_turns().empty());
    place_turn const mine({0}, 0.0);
    CHECK_FALSE(place_turn({0}, 0.0).is_late());
}

TEST_CASE("a thread knows its processors")
{
    CHECK_FALSE(attune::detail::processors_of_this_thread().empty());
}

TEST_CASE("who has had a turn lets the one come next who waits")
{
    turns_file const file;
    std::atomic<int> turns_of_other{0};
    std::atomic<bool> is_over{false};
    place_turn mine({0}, 0.0, file.path);
    std::thread other([&] {
        while (!is_over) {
            place_turn const its({0}, 30.0, file.path);
            ++turns_of_other;
        }
    });
    int turns = 0;
    while (turns_of_other < 3 && turns < 100'000) { // it sleeps for milliseconds between attempts
        mine.release();
        mine = place_turn({0}, 30.0, file.path);
        ++turns;
    }
    CHECK(turns_of_other >= 3);
    is_over = true;
    mine.release();
    other.join();
}

TEST_CASE("timings of two processes on the same processors never overlap")
{
    turns_file const file;
    attune_test::set_variable const named{"ATTUNE_TURNS", file.path};
    void* const memory = ::mmap(nullptr, sizeof(shared_times), PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    auto* const times = new (memory) shared_times;
    constexpr std::size_t timings = 24;
    std::vector<::pid_t> children;
    for (std::size_t process = 0; process < 2; ++process) {
        ::pid_t const child = attune_test::fork_child([&] {
            ::alarm(60);
            noting_bench one;
            attune::detail::cpu_bench bench{one.call, quick(30)};
            if (!std::holds_alternative<double>(bench.establish(one.code, 5))) ::_exit(2);
            ++times->ready;
            while (times->ready < 2)
                ::usleep(100);
            for (std::size_t i = 0; i < timings; ++i) {
                attune::timing_record record;
                if (!std::holds_alternative<double>(bench.first_run(one.code, 5))) ::_exit(3);
                one.now = &times->of[process][i];
                if (i % 8 == 7) {
                    attune::callable const both[] = {one.code, one.code};
                    if (bench.compare(both, 0.02).index() != 0) ::_exit(4);
                } else if (!attune::succeeded(bench.time(one.code, never, 5, record))) {
                    ::_exit(5);
                }
                one.now = nullptr;
            }
            ::_exit(bench.notices().empty() ? 0 : 6);
        });
        children.push_back(child);
    }
    for (::pid_t const child : children) {
        CHECK(attune_test::status_of(child) == 0);
    }
    std::vector<interval> all;
    for (auto const& of : times->of)
        all.insert(all.end(), of, of + timings);
    std::sort(all.begin(), all.end(),
              [](interval const& a, interval const& b) { return a.first_s < b.first_s; });
    std::size_t overlaps = 0;
    for (std::size_t i = 1; i < all.size(); ++i)
        if (all[i].first_s < all[i - 1].last_s) ++overlaps;
    CHECK(all.front().first_s > 0);
    CHECK(overlaps == 0);
    ::munmap(memory, sizeof(shared_times));
}

TEST_CASE("a stopped process that has its turn keeps nobody from measuring")
{
    turns_file const file;
    attune_test::set_variable const named{"ATTUNE_TURNS", file.path};
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    ::pid_t const child = attune_test::fork_child([&] {
        ::alarm(60);
        timing_turns turns;
        timing_turns::turn const mine{turns};
        if (::write(ready[1], "", 1) != 1) ::_exit(2);
        ::raise(SIGSTOP);
    });
    char word = 0;
    REQUIRE(::read(ready[0], &word, 1) == 1);
    noting_bench one;
    attune::detail::cpu_bench bench{one.call, quick(0.1)};
    REQUIRE(std::holds_alternative<double>(bench.establish(one.code, 5)));
    CHECK(bench.notices().empty());
    attune::timing_record record;
    CHECK(attune::succeeded(bench.time(one.code, never, 5, record)));
    REQUIRE(bench.notices().size() == 1);
    CHECK(bench.notices()[0].find("was not done after") != std::string::npos);
    // It is not waited for again, until it is gone.
    double const begun_s = steady_seconds();
    for (int i = 0; i < 20; ++i)
        CHECK(attune::succeeded(bench.time(one.code, never, 5, record)));
    CHECK(steady_seconds() - begun_s < 20 * 0.1);
    CHECK(bench.notices().size() == 1);
    ::kill(child, SIGKILL);
    int status = 0;
    CHECK(::waitpid(child, &status, 0) == child);
    CHECK(place_turn({0}, 5.0).is_alone());
    ::close(ready[0]);
    ::close(ready[1]);
}

TEST_CASE("a turn at the machine keeps others from each of its processors")
{
    turns_file const file;
    timing_turns turns{0.01, file.path};
    turns.use_machine();
    {
        timing_turns::turn const mine{turns};
        for (std::uint64_t place = 0; place < std::thread::hardware_concurrency(); ++place)
            CHECK(place_turn({place}, 0.0, file.path).is_late());
    }
    CHECK(place_turn({0}, 0.0, file.path).is_alone());
}

TEST_CASE("a user's function is called outside of the turn, and a turn within one is the same")
{
    turns_file const file;
    std::vector<std::uint64_t> const here = attune::detail::processors_of_this_thread();
    timing_turns turns{0.01, file.path};
    {
        timing_turns::turn mine{turns};
        CHECK(place_turn(here, 0.0, file.path).is_late());
        bool is_free = false;
        mine.apart([&] { is_free = place_turn(here, 0.0, file.path).is_alone(); });
        CHECK(is_free);
        CHECK(place_turn(here, 0.0, file.path).is_late());
        timing_turns inner{30, file.path};
        timing_turns::turn const within{inner}; // would wait for itself
        CHECK(inner.notices().empty());
        CHECK_THROWS_AS(mine.apart([] { throw 1; }), int);
        CHECK(place_turn(here, 0.0, file.path).is_alone()); // what throws ends the timing
    }
    CHECK(turns.notices().empty());
    CHECK(place_turn(here, 0.0, file.path).is_alone());
    timing_turns::turn const again{turns};
    CHECK(place_turn(here, 0.0, file.path).is_late());
}
