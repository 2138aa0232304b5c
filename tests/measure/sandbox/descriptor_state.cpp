// tests/measure/sandbox/descriptor_state.cpp : descriptors in include/attune/measure/sandbox/process_state.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/sandbox/process_state.hpp>

#include <cstdio>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

using attune::detail::descriptor_state;

namespace {

/// Closes inherited files: ctest leaves its log open, and writes to it during the tests.
void close_inherited() { REQUIRE(::close_range(3, ~0U, 0) == 0); }

} // namespace

TEST_CASE("what another process does to an open file of both is seen and restored")
{
    close_inherited();
    std::FILE* const file = std::tmpfile();
    REQUIRE(file != nullptr);
    int const number = fileno(file);
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    REQUIRE(write(number, "twelve bytes", 12) == 12);
    descriptor_state const before;
    pid_t const child = fork();
    if (child == 0) {
        lseek(number, 3, SEEK_SET);
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
        _exit(0);
    }
    waitpid(child, nullptr, 0);
    std::string const what = "changed the flags or the position of file descriptor ";
    CHECK(before.changes(true).size() == 2);
    CHECK(before.changes(true).front() == what + std::to_string(number));
    CHECK(before.changes(false).empty());
    before.restore();
    CHECK(before.changes(true).empty());
    CHECK(lseek(number, 0, SEEK_CUR) == 12);
    CHECK((fcntl(ends[0], F_GETFL) & O_NONBLOCK) == 0);
    descriptor_state const both;
    int const more = dup(number);
    CHECK(descriptor_state{}.count() == both.count() + 1);
    CHECK(both.changes(true).empty()); // an opened one is no change
    close(ends[1]);
    CHECK(both.changes(false).size() == 1);
    dup2(number, ends[1]);
    CHECK(both.changes(false).front() ==
          "closed or exchanged file descriptor " + std::to_string(ends[1]));
    for (int const one : {ends[0], ends[1], more})
        close(one);
    std::fclose(file);
}

TEST_CASE("a log that another process goes on writing is no change, a position without a write is")
{
    close_inherited();
    std::FILE* const file = std::tmpfile();
    REQUIRE(file != nullptr);
    int const number = fileno(file);
    REQUIRE(write(number, "a line\n", 7) == 7);
    descriptor_state const before;
    pid_t const child = fork();
    if (child == 0) _exit(write(number, "a line\n", 7) == 7 ? 0 : 1);
    waitpid(child, nullptr, 0);
    CHECK(lseek(number, 0, SEEK_CUR) == 14);
    CHECK(before.changes(true).empty());
    CHECK(before.changes(true, true).size() == 1); // it may have been this process
    before.restore();
    CHECK(lseek(number, 0, SEEK_CUR) == 14); // to go back would overwrite the line
    descriptor_state const later;
    CHECK(lseek(number, 1'000, SEEK_SET) == 1'000);
    CHECK(later.changes(true).size() == 1);
    later.restore();
    CHECK(later.changes(true).empty());
    CHECK(lseek(number, 0, SEEK_CUR) == 14);
    std::fclose(file);
}
