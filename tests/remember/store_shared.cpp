// tests/remember/store_shared.cpp - one file, many threads and processes, some of them killed.
// SPDX-License-Identifier: MIT
#include <attune/remember/detail/store_file.hpp>
#include <attune/remember/store.hpp>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <variant>
#include <vector>

#include "../laws/record_store.hpp"
#include "../support/failing_flock.hpp"
#include "../support/open_files.hpp"
#include "../support/scratch_directory.hpp"
#include "store_lines.hpp"

using attune::store;
using attune_test::fork_child;
using attune_test::status_of;
using laws::example_key;
using laws::example_record;
using support::read_file;
using support::scratch_directory;
using support::write_file;

namespace {

struct census {
    std::set<std::uint64_t> seeds{};
    std::size_t records = 0, headers = 0, damaged = 0;
};

census take_census(std::string const& path)
{
    census result;
    std::string const text = read_file(path);
    std::string_view rest = text;
    while (!rest.empty()) {
        std::size_t const end = rest.find('\n');
        auto const content = attune::detail::read_line(rest.substr(0, end));
        rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
        if (auto const* won = std::get_if<attune::detail::won_entry>(&content)) {
            ++result.records;
            result.seeds.insert(won->entry.seed);
        } else if (std::holds_alternative<attune::detail::store_header>(content)) {
            ++result.headers;
        } else if (std::holds_alternative<attune::detail::damaged_line>(content)) {
            ++result.damaged;
        }
    }
    return result;
}

attune::record numbered(std::uint64_t seed)
{
    attune::record entry = example_record(example_key(), seed);
    entry.configuration.emplace_back("LONG", std::string(200 + seed % 7000, 'x'));
    return entry;
}

} // namespace

TEST_CASE("eight processes append to one new file, and every record arrives whole, a dozen times")
{
    // Many files: the moment when all find it empty is the one that matters.
    constexpr std::uint64_t each = 20;
    for (int round = 0; round < 12; ++round) {
        auto const [directory, path] = support::scratch_file("deep/er/s");
        int gate[2];
        REQUIRE(::pipe(gate) == 0);
        std::vector<::pid_t> children;
        for (std::uint64_t writer = 0; writer < 8; ++writer)
            children.push_back(fork_child([&] {
                store subject(path);
                ::close(gate[1]);
                char nothing = 0;
                if (::read(gate[0], &nothing, 1) != 0) ::_exit(5); // until the parent closes it
                for (std::uint64_t i = 0; i < each; ++i) {
                    subject.add(numbered(writer * each + i));
                    if (!subject.find(example_key()).best) ::_exit(3);
                }
                if (!subject.notices().empty()) ::_exit(4);
            }));
        ::close(gate[0]);
        ::close(gate[1]);
        for (::pid_t const child : children)
            CHECK(status_of(child) == 0);
        census const counted = take_census(path);
        CHECK(counted.headers == 1);
        CHECK(counted.records == 8 * each);
        CHECK(counted.seeds.size() == 8 * each);
        CHECK(counted.damaged == 0);
    }
}

TEST_CASE("threads share one store")
{
    scratch_directory const directory;
    store subject(directory.file("s"));
    std::vector<std::thread> threads;
    for (std::uint64_t writer = 0; writer < 4; ++writer)
        threads.emplace_back([&subject, writer] {
            for (std::uint64_t i = 0; i < 25; ++i) {
                subject.add(numbered(writer * 25 + i));
                static_cast<void>(subject.find(example_key()));
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    census const counted = take_census(directory.file("s"));
    CHECK(counted.seeds.size() == 100);
    CHECK(counted.damaged == 0);
    CHECK(subject.notices().empty());
}

TEST_CASE("a process that keeps the lock delays others, and costs them no record")
{
    auto const [directory, path] = support::scratch_file("s");
    store subject(path);
    subject.add(example_record(example_key(), 1));
    int const holder = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(holder >= 0);
    REQUIRE(::flock(holder, LOCK_EX) == 0);
    subject.add(example_record(example_key(), 2)); // gives up after seconds
    CHECK(take_census(path).records == 1);
    std::vector<std::string> const said = subject.notices();
    REQUIRE(said.size() == 1);
    CHECK(said[0].find("another writer keeps it locked") != std::string::npos);
    REQUIRE(::flock(holder, LOCK_UN) == 0);
    ::close(holder);
    CHECK(subject.find(example_key()).best->seed == 2);
    subject.add(example_record(example_key(), 3));
    CHECK(take_census(path).seeds == std::set<std::uint64_t>{1, 2, 3});
}

TEST_CASE("a lock that fails is no lock: nothing is written beside others, and the reason is told")
{
    auto const [directory, path] = support::scratch_file("s");
    store{path}.add(example_record(example_key(), 1));
    auto const status_where = [&](unsigned error, auto check) {
        return status_of(fork_child([&] {
            store subject(path);
            if (!support::let_flock_fail(error)) ::_exit(77);
            subject.add(example_record(example_key(), error));
            ::_exit(check(subject.notices()) ? 0 : 1);
        }));
    };
    // as a network file system whose server has gone
    int const fails = status_where(EIO, [](std::vector<std::string> const& said) {
        return said.size() == 1 && said[0].find("nput/output error") != std::string::npos;
    });
    if (WEXITSTATUS(fails) == 77) return;
    CHECK(fails == 0);
    CHECK(take_census(path).seeds == std::set<std::uint64_t>{1});
    // as one that has no locks
    CHECK(status_where(EOPNOTSUPP,
                       [](std::vector<std::string> const& said) { return said.empty(); }) == 0);
    CHECK(take_census(path).seeds == std::set<std::uint64_t>{1, EOPNOTSUPP});
}

TEST_CASE("a file that a server forgot when another process replaced it is opened anew")
{
    auto const [directory, path] = support::scratch_file("s");
    int const status = status_of(fork_child([&] {
        int const lower = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
        int const second = ::dup(lower);
        store subject(path);
        subject.add(example_record(example_key(), 1));
        int its = -1; // what the store has
        for (int i = 0; i < 100; ++i)
            if (std::error_code none;
                std::filesystem::equivalent("/proc/self/fd/" + std::to_string(i), path, none))
                its = i;
        std::filesystem::copy_file(path, path + ".new");
        std::filesystem::rename(path + ".new", path);
        ::close(lower); // opened anew, the file has a number of these, and its folder the other
        ::close(second);
        if (!support::let_flock_fail(ESTALE, its)) ::_exit(77);
        if (::flock(its, LOCK_SH | LOCK_NB) == 0) ::_exit(78); // not the store's
        subject.add(example_record(example_key(), 2));
        ::_exit(subject.notices().empty() ? 0 : 1);
    }));
    if (WEXITSTATUS(status) == 77) return;
    CHECK(status == 0);
    CHECK(take_census(path).seeds == std::set<std::uint64_t>{1, 2});
}

TEST_CASE("exit() writes what waits, and only in the process that was asked to keep it")
{
    scratch_directory const directory;
    write_file(directory.file("place"), "");
    std::string const path = directory.file("place/s");
    ::pid_t const child = fork_child([&] {
        static store* const kept = new store(path); // not destroyed
        kept->add(example_record(example_key(), 1));
        std::filesystem::remove(directory.file("place"));
        ::pid_t const fork_of_it = ::fork();
        if (fork_of_it == 0) std::exit(0);
        int status = 1;
        if (::waitpid(fork_of_it, &status, 0) != fork_of_it || status != 0) ::_exit(2);
        if (std::filesystem::exists(path)) ::_exit(3);
        std::exit(0);
    });
    CHECK(status_of(child) == 0);
    CHECK(take_census(path).seeds == std::set<std::uint64_t>{1});
}

TEST_CASE("a disk that is full in the middle of a write leaves no trace, and a notice")
{
    auto const [directory, path] = support::scratch_file("s");
    {
        store subject(path);
        subject.add(example_record());
    }
    std::string const before = read_file(path);
    ::pid_t const child = fork_child([&] {
        // The limit on file sizes cuts a write short as a full disk does.
        std::signal(SIGXFSZ, SIG_IGN);
        ::rlimit const limit{before.size() + 50, before.size() + 50};
        if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(2);
        store subject(path);
        subject.add(numbered(2));
        attune::lookup_result const got = subject.find(example_key());
        if (!got.best || got.best->seed != 2) ::_exit(3);
        if (subject.notices().size() != 1) ::_exit(4);
    });
    CHECK(status_of(child) == 0);
    CHECK(read_file(path) == before);
}

TEST_CASE("without the lock nothing of a file is taken away: it may be another writer's")
{
    using attune::detail::store_file;
    auto const [directory, path] = support::scratch_file("s", "first\nsecond\n");
    {
        // As where the file system has no locks.
        store_file const file = store_file::open_to_append(path);
        REQUIRE(file.usable());
        CHECK_FALSE(file.cut_to(6));
    }
    CHECK(read_file(path) == "first\nsecond\n");
    ::pid_t const child = fork_child([&] {
        std::signal(SIGXFSZ, SIG_IGN);
        ::rlimit const limit{16, 16};
        if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(2);
        store_file const file = store_file::open_to_append(path);
        if (file.append("third\n")) ::_exit(3);
    });
    CHECK(status_of(child) == 0);
    CHECK(read_file(path) == "first\nsecond\nthi");
    {
        store_file file = store_file::open_to_append(path);
        CHECK(file.lock(store_file::sharing::shared));
        CHECK_FALSE(file.cut_to(6));
    }
    {
        store_file file = store_file::open_to_append(path);
        CHECK(file.lock(store_file::sharing::exclusive));
        CHECK(file.cut_to(6));
    }
    CHECK(read_file(path) == "first\n");
}

TEST_CASE("the child of a fork does not write the lines that its parent still has to write")
{
    auto const [directory, path] = support::scratch_file("s");
    store subject(path);
    subject.add(example_record(example_key(), 1));
    int const holder = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(holder >= 0);
    REQUIRE(::flock(holder, LOCK_EX) == 0);
    subject.add(numbered(2)); // waits to be written
    REQUIRE(::flock(holder, LOCK_UN) == 0);
    ::close(holder);
    CHECK(status_of(fork_child([&] { subject.add(numbered(3)); })) == 0);
    CHECK(take_census(path).seeds == std::set<std::uint64_t>{1, 3});
    subject.add(numbered(4));
    census const all = take_census(path);
    CHECK(all.records == 4);
    CHECK(all.seeds == std::set<std::uint64_t>{1, 2, 3, 4});
}
