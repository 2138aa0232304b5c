// tests/remember/study/study_file.cpp - one file, many processes, some killed; a disk that is full or away.
// SPDX-License-Identifier: MIT
#include <attune/remember/study/study_file.hpp>

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <doctest/doctest.h>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "../../support/scratch_directory.hpp"
#include "../../support/texts.hpp"

using attune::detail::study_file;
using attune_test::has;
using support::scratch_directory;

namespace {

struct lines {
    std::vector<std::string> all{};
    study_file::taken take = [this](std::string_view one) { all.emplace_back(one); };
};
bool append(study_file& file, lines& seen, std::string const& text)
{
    return file.exchange(seen.take, [&] { return text + '\n'; });
}

template <class Body>
::pid_t fork_child(Body body)
{
    ::pid_t const child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        std::signal(SIGABRT, SIG_DFL);
        std::signal(SIGTERM, SIG_DFL);
        body();
        ::_exit(0);
    }
    return child;
}
int status_of(::pid_t child)
{
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return status;
}

} // namespace

TEST_CASE("each reader takes each line once, in the order of the file")
{
    scratch_directory const directory;
    std::string const path = directory.file("deep/er/a.study");
    study_file one(path), other(path);
    lines of_one, of_other;
    CHECK(!one.look(of_one.take));
    CHECK(!append(one, of_one, "no")); // nobody may make the file but who joins
    CHECK(one.exchange(of_one.take, [] { return std::string("first\nsecond\n"); }, true));
    CHECK(append(other, of_other, "third"));
    CHECK(of_other.all == std::vector<std::string>{"first", "second", "third"});
    CHECK(one.look(of_one.take));
    CHECK(one.look(of_one.take));
    CHECK(of_one.all == of_other.all);
    CHECK(one.exchange(of_one.take, [] { return std::string(); }));
    CHECK(support::read_file(path) == "first\nsecond\nthird\n");
}

TEST_CASE("a line that is being written is not taken; that of a killed writer ends at the next one")
{
    scratch_directory const directory;
    std::string const path = directory.file("a.study");
    support::write_file(path, "whole\nto");
    study_file file(path);
    lines seen;
    CHECK(file.look(seen.take));
    CHECK(seen.all == std::vector<std::string>{"whole"});
    CHECK(append(file, seen, "next"));
    CHECK(seen.all == std::vector<std::string>{"whole", "to", "next"});
    CHECK(support::read_file(path) == "whole\nto\nnext\n");
}

TEST_CASE("a line longer than a block is taken whole")
{
    scratch_directory const directory;
    std::string const path = directory.file("a.study");
    std::string const is_long(3'000'000, 'x');
    support::write_file(path, "a\n" + is_long + "\nb\n");
    study_file file(path);
    lines seen;
    CHECK(file.look(seen.take));
    CHECK(seen.all == std::vector<std::string>{"a", is_long, "b"});
}

TEST_CASE("nobody writes between what a process read and what it then writes")
{
    scratch_directory const directory;
    std::string const path = directory.file("a.study");
    support::write_file(path, "0\n");
    std::vector<::pid_t> children;
    for (int writer = 0; writer < 6; ++writer)
        children.push_back(fork_child([&] {
            study_file file(path);
            lines seen;
            for (int i = 0; i < 50; ++i)
                if (!file.exchange(seen.take,
                                   [&] { return std::to_string(seen.all.size()) + '\n'; }))
                    ::_exit(3);
        }));
    for (::pid_t const child : children)
        CHECK(status_of(child) == 0);
    std::string expected;
    for (int i = 0; i <= 6 * 50; ++i)
        expected += std::to_string(i) + '\n';
    CHECK(support::read_file(path) == expected);
}

TEST_CASE("a child that was forked while this process wrote does not keep the lock")
{
    scratch_directory const at;
    study_file file(at.file("a.study"));
    lines seen;
    ::pid_t child = 0;
    REQUIRE(file.exchange(
        seen.take,
        [&] {
            child = fork_child([] { ::pause(); });
            return std::string("first\n");
        },
        true));
    bool const is_written = append(file, seen, "second");
    ::kill(child, SIGKILL);
    CHECK(WIFSIGNALED(status_of(child)));
    CHECK(is_written);
    CHECK(seen.all == std::vector<std::string>{"first", "second"});
}

TEST_CASE("killed writers leave whole lines and at most one damaged line each")
{
    scratch_directory const directory;
    std::string const path = directory.file("a.study");
    support::write_file(path, "");
    std::string const filling(3000, 'y');
    attune::random_engine engine(5);
    int damaged_at_most = 0;
    for (int round = 0; round < 25; ++round) {
        ::pid_t const child = fork_child([&] {
            study_file file(path);
            lines seen;
            for (;;)
                if (!append(file, seen, filling)) ::_exit(3);
        });
        std::timespec const pause{
            0, static_cast<long>(attune::uniform_below(engine, 8'000'000) + 200'000)};
        ::nanosleep(&pause, nullptr);
        ::kill(child, SIGKILL);
        CHECK(WIFSIGNALED(status_of(child)));
        ++damaged_at_most;
    }
    study_file file(path);
    lines seen;
    CHECK(append(file, seen, "end")); // the lock of a dead process is free
    int damaged = 0;
    for (std::string const& line : seen.all)
        damaged += line != filling && line != "end";
    CHECK(damaged <= damaged_at_most);
    CHECK(seen.all.back() == "end");
}

TEST_CASE("a full disk leaves no trace, and is said; a file that is away is found again")
{
    scratch_directory const directory;
    std::filesystem::create_directory(directory.file("place"));
    std::string const path = directory.file("place/a.study");
    support::write_file(path, "first\n");
    ::pid_t const child = fork_child([&] {
        std::signal(SIGXFSZ, SIG_IGN);
        study_file file(path);
        lines seen;
        ::rlimit const limit{8, RLIM_INFINITY};
        if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(2);
        if (append(file, seen, "second")) ::_exit(3);
        if (file.why().empty()) ::_exit(4);
        ::rlimit const none{RLIM_INFINITY, RLIM_INFINITY};
        if (::setrlimit(RLIMIT_FSIZE, &none) != 0) ::_exit(2);
        if (support::read_file(path) != "first\n") ::_exit(5);
        if (!append(file, seen, "second")) ::_exit(6);
    });
    CHECK(status_of(child) == 0);
    study_file file(path);
    lines seen;
    CHECK(file.look(seen.take));
    std::filesystem::rename(directory.file("place"), directory.file("away"));
    CHECK(!file.look(seen.take));
    CHECK(!append(file, seen, "third"));
    CHECK(!std::filesystem::exists(directory.file("place"))); // or the two would be two studies
    std::filesystem::rename(directory.file("away"), directory.file("place"));
    CHECK(append(file, seen, "third"));
    CHECK(seen.all == std::vector<std::string>{"first", "second", "third"});
}

TEST_CASE("another file in its place is an error, and so is one that was cut")
{
    scratch_directory const directory;
    std::string const path = directory.file("a.study");
    support::write_file(path, "first\nsecond\n");
    study_file file(path);
    lines seen;
    CHECK(file.look(seen.take));
    std::string other;
    SUBCASE("another") { std::filesystem::rename(path, path + ".old"); }
    SUBCASE("cut") {}
    support::write_file(path, "first\n");
    CHECK_THROWS_AS(static_cast<void>(file.look(seen.take)), attune::error);
    CHECK_THROWS_AS(append(file, seen, "third"), attune::error);
    CHECK(support::read_file(path) == "first\n");
}

TEST_CASE("who else may write into a study is known")
{
    scratch_directory const directory;
    namespace fs = std::filesystem;
    using attune::detail::who_may_tell;
    std::string const path = directory.file("s");
    CHECK(who_may_tell(path).empty());
    support::write_file(path, "text");
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
    CHECK(who_may_tell(path).empty());
    fs::permissions(directory.path(), fs::perms::all);
    CHECK(who_may_tell(path).starts_with("the folder " + directory.path() + " has mode 0777"));
    fs::permissions(directory.path(), fs::perms::all | fs::perms::sticky_bit); // as /tmp
    CHECK(who_may_tell(path).empty());
    fs::permissions(path, fs::perms::all);
    CHECK(who_may_tell(path).starts_with(path + " has mode 0777"));
}
