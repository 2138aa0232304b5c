// tests/ship/tool/program.cpp - the program attune as a process: its streams, and no LLVM in it.
// SPDX-License-Identifier: MIT
#include <attune/compile/system/process.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/ship/tool/tool.hpp>

#include <csignal>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <filesystem>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "../../support/sanitized.hpp"
#include "run_here.hpp"

using attune::detail::process_result;
using attune::detail::run_process;
using attune_test::has;

TEST_CASE("the program reads a store, says nothing in colours to a file, and links no LLVM")
{
    support::scratch_directory const folder;
    std::string const path = folder.file("a.attune"), program = ATTUNE_PROGRAM;
    support::write_file(path, support::sgemm_store());
    process_result const shown = run_process({program, "show", path}, 60.0);
    CHECK(shown.exit_status == 0);
    CHECK(shown.output == support::run_here({"show", path}).out);
    process_result const refused = run_process({program, "show", folder.file("none")}, 60.0);
    CHECK(refused.exit_status == 3);
    CHECK(refused.output == "attune: show: there is no such store (" + folder.file("none") +
                                "); name a file that attune::store wrote\n");
    process_result const linked = run_process({"ldd", program}, 60.0);
    REQUIRE(linked.succeeded());
    CHECK(has(linked.output, "libc.so"));
    CHECK(!has(linked.output, "LLVM"));
    CHECK(!has(linked.output, "clang"));
    process_result const asked = run_process(
        {"sh", "-c", "echo '{\"best\":1}' | \"$1\" ask \"$2\"", "sh", program, folder.file("s")},
        60.0);
    CHECK(asked.exit_status == 3);
    // A reader that has gone is no error, and no signal.
    process_result const unread = run_process({"sh", "-c",
                                               "{ sleep 0.1; \"$1\" --help; echo $? >\"$2\"; } | "
                                               "true; cat \"$2\"",
                                               "sh", program, folder.file("code")},
                                              60.0);
    CHECK(unread.output == "0\n");
    process_result const full =
        run_process({"sh", "-c", "\"$1\" --help > /dev/full", "sh", program}, 60.0);
    CHECK(full.exit_status == 3);
}

namespace {

/// Runs the commands that write into the folder "out", and checks that each says why not and leaves
/// nothing. @param shell  words that start a shell  @param prepare  its first line; 77: it cannot
/// @return  whether there was such a place
bool refuses_to_write(std::vector<std::string> shell, std::string const& prepare, char const* why)
{
    support::scratch_directory const folder;
    support::write_file(folder.file("s.attune"), support::sgemm_store());
    support::write_file(folder.file("s.csv"), "kernel,TILE,seconds\nf,8,0.5\n");
    std::filesystem::create_directories(folder.file("out"));
    std::string const script = "cd \"$2\" || exit 77\n" + prepare + R"sh(
for words in 'report s.attune -o out/a.html' 'export s.attune --format json -o out/a.json' \
    'export s.attune --format csv -o out/a.csv' 'merge s.attune s.attune -o out/m.attune' \
    'prune s.attune --outcomes -o out/p.attune' 'import out/i.attune s.csv'; do
    said=$("$1" $words 2>&1)
    echo "$? $said"
done
find out -mindepth 1 ! -name taken)sh";
    shell.insert(shell.end(), {"sh", "-c", script, "sh", ATTUNE_PROGRAM, folder.path()});
    process_result const told = run_process(shell, 60.0);
    if (told.exit_status == 77 || !told.succeeded()) return false;
    CAPTURE(told.output);
    std::istringstream in(told.output);
    int lines = 0;
    for (std::string line; std::getline(in, line); ++lines) {
        CHECK(line.starts_with("3 attune: "));
        CHECK(has(line, why));
        CHECK(has(line, "(out/"));
    }
    CHECK(lines == 6);
    return true;
}

/// Waits until `holds`, for a time that a busy machine may need.
template <class Holds>
bool comes_true(Holds const& holds)
{
    double const begun_s = attune::detail::steady_seconds();
    while (!holds()) {
        if (attune::detail::steady_seconds() - begun_s > 30) return false;
        ::usleep(5'000);
    }
    return true;
}

} // namespace

TEST_CASE("where nothing can be written, each command says so in a sentence and leaves nothing")
{
    if (!is_skipped(thread_sanitized, "its runtime writes files of its own before main()"))
        CHECK(refuses_to_write({}, "ulimit -f 0", "File too large"));
    // A file system in a name space of the process's own.
    std::string const full = "mount -t tmpfs -o size=4k tmpfs out 2>/dev/null || exit 77; "
                             "head -c 4096 /dev/zero >out/taken";
    std::string const fixed = "mount -t tmpfs -o ro tmpfs out 2>/dev/null || exit 77";
    if (!refuses_to_write({"unshare", "-m"}, full, "No space left on device") ||
        !refuses_to_write({"unshare", "-m"}, fixed, "Read-only file system"))
        MESSAGE("skipped: a full and a read-only disk; this user cannot mount any");
}

TEST_CASE("minimize ends at Ctrl-C, SIGTERM and SIGHUP, and so does all that it has started")
{
    support::scratch_directory const folder;
    std::string const space = folder.file("s.json"), pid = folder.file("pid");
    support::write_file(space, R"({"params": [{"name": "A", "values": [1, 2, 3]}]})");
    // A program with a child beside it, one that obeys no signal, and groups of their own.
    std::string const scripts[] = {
        "sleep 300 & echo $! >" + pid + "; sleep 300; echo {A}",
        "trap '' INT TERM HUP; echo $$ >" + pid + "; sleep 300; sleep 300; echo {A}",
        "timeout 300 sh -c 'echo $$ >" + pid + "; exec sleep 300'; echo {A}",
        "setsid sh -c 'echo $$ >" + pid + "; exec sleep 300' & sleep 300; echo {A}"};
    for (std::string const& script : scripts)
        for (int const signal : {SIGINT, SIGTERM, SIGHUP}) {
            std::filesystem::remove(pid);
            ::pid_t const started = ::fork();
            if (started == 0) {
                int const none = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
                ::dup2(none, STDOUT_FILENO);
                ::dup2(none, STDERR_FILENO);
                ::execl(ATTUNE_PROGRAM, "attune", "minimize", space.c_str(), "--", "sh", "-c",
                        script.c_str(), nullptr);
                ::_exit(99);
            }
            REQUIRE(started > 0);
            std::string shown;
            CHECK(comes_true([&] {
                if (std::filesystem::exists(pid)) shown = support::read_file(pid);
                return shown.ends_with('\n');
            }));
            ::kill(started, signal);
            int status = 0;
            CHECK(comes_true([&] { return ::waitpid(started, &status, WNOHANG) == started; }));
            CHECK(WIFEXITED(status));
            CHECK(WEXITSTATUS(status) == 128 + signal);
            // What has ended has no command line, or no entry.
            std::string const words = "/proc/" + shown.substr(0, shown.find('\n')) + "/cmdline";
            CHECK(comes_true([&] {
                return !std::filesystem::exists(words) || support::read_file(words).empty();
            }));
        }
}
