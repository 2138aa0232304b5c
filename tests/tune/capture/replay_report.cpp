// tests/tune/capture/replay_report.cpp - how a replay went, in a file.
// SPDX-License-Identifier: MIT
#include <attune/tune/capture/replay_report.hpp>

#include <doctest/doctest.h>
#include <map>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "../../support/scratch_directory.hpp"
#include "../../support/texts.hpp"

namespace {

std::map<std::string, std::string> read(std::string const& text)
{
    std::map<std::string, std::string> out;
    for (auto const& [name, value] : attune::detail::replay_report_in(text))
        out[name] = value;
    return out;
}

attune::tuning_report some_report()
{
    attune::tuning_report out;
    out.kernel = "linear::sgemm";
    out.how = attune::decision::tuned;
    out.configuration = "TILE=64 ORDER={1, 0}";
    out.best.value = 0.25;
    out.reason = "two\nlines";
    return out;
}

} // namespace

TEST_CASE("a report is one line for each name, and is read as it was")
{
    auto const all = read(attune::detail::replay_report_text(some_report()));
    CHECK(all.at("kernel") == "linear::sgemm");
    CHECK(all.at("how") == "tuned");
    CHECK(all.at("configuration") == "TILE=64 ORDER={1, 0}");
    CHECK(all.at("best_s") == "0.25");
    CHECK(!attune_test::has(all.at("reason"), "\n"));
    CHECK(all.at("summary") != "");
    CHECK(read("").empty());
    CHECK(read("\n\nno\n x\nlast line").size() == 2);
    attune::tuning_report none = some_report();
    none.how = attune::decision::served_default;
    CHECK(read(attune::detail::replay_report_text(none)).at("how") == "no");
}

TEST_CASE("the process ends when the report is written, and goes on if it cannot be")
{
    support::scratch_directory const folder;
    auto const status_of = [&](std::string const& path) {
        ::pid_t const child = ::fork();
        if (child == 0) {
            attune::detail::report_replay_and_end(path, some_report());
            ::_exit(7);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        return WEXITSTATUS(status);
    };
    CHECK(status_of(folder.file("report")) == 0);
    CHECK(read(support::read_file(folder.file("report"))).at("how") == "tuned");
    CHECK(status_of(folder.file("none/report")) == 7);
    CHECK(status_of("") == 7);
    attune::detail::report_no_replay(folder.file("report"), "it is\nanother one");
    CHECK(read(support::read_file(folder.file("report"))).at("how") == "no");
    attune::detail::report_no_replay(folder.file("none/report"), "");
}
