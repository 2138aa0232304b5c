// tests/ship/tool/program.cpp - the program attune as a process: its streams, and no LLVM in it.
// SPDX-License-Identifier: MIT
#include <attune/compile/system/process.hpp>
#include <attune/ship/tool/tool.hpp>

#include <doctest/doctest.h>
#include <string>

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
    process_result const unread = run_process({"sh",
                                               "-c",
                                               "{ sleep 0.1; \"$1\" --help; echo $? >\"$2\"; } | "
                                               "true; cat \"$2\"",
                                               "sh",
                                               program,
                                               folder.file("code")},
                                              60.0);
    CHECK(unread.output == "0\n");
    process_result const full =
        run_process({"sh", "-c", "\"$1\" --help > /dev/full", "sh", program}, 60.0);
    CHECK(full.exit_status == 3);
}
