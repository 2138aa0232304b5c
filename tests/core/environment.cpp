// tests/core/environment.cpp : mirrors include/attune/core/environment.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/core/environment.hpp>

#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../support/privileged_start.hpp"
#include "../support/set_variable.hpp"

using attune::detail::environment_of_children;
using attune::detail::environment_snapshot;
using attune::detail::environment_variable;
using attune_test::set_variable;

namespace {

bool children_have(std::string const& entry)
{
    std::vector<std::string> const all = environment_of_children();
    return std::find(all.begin(), all.end(), entry) != all.end();
}

} // namespace

TEST_CASE("a variable is what it is set to")
{
    CHECK_FALSE(attune::detail::is_privileged_start());
    CHECK(environment_variable("ATTUNE_TEST_NEVER_SET").empty());
    set_variable const one("ATTUNE_TEST_ONE", "a=b c");
    CHECK(environment_variable("ATTUNE_TEST_ONE") == "a=b c");
    CHECK(environment_variable("ATTUNE_TEST_ON").empty());
    CHECK(children_have("ATTUNE_TEST_ONE=a=b c"));
}

TEST_CASE("a snapshot stays as it was, until the last of them ends")
{
    set_variable const one("ATTUNE_TEST_ONE", "before");
    {
        environment_snapshot const first;
        set_variable const two("ATTUNE_TEST_ONE", "after");
        set_variable const more("ATTUNE_TEST_MORE", "new");
        {
            environment_snapshot const second;
            CHECK(environment_variable("ATTUNE_TEST_ONE") == "before");
        }
        CHECK(environment_variable("ATTUNE_TEST_ONE") == "before");
        CHECK(environment_variable("ATTUNE_TEST_MORE").empty());
        CHECK(environment_variable("ATTUNE_TEST_ON").empty());
        CHECK(children_have("ATTUNE_TEST_ONE=before"));
        CHECK_FALSE(children_have("ATTUNE_TEST_MORE=new"));
    }
    set_variable const two("ATTUNE_TEST_ONE", "now");
    CHECK(environment_variable("ATTUNE_TEST_ONE") == "now");
    CHECK(children_have("ATTUNE_TEST_ONE=now"));
}

// Run by the next one, in a process of its own.
TEST_CASE("as a privileged start" * doctest::skip())
{
    CHECK(attune::detail::is_privileged_start());
    CHECK(std::getenv("ATTUNE_CACHE") == std::string("/tmp/of-the-caller")); // it is there
    CHECK(environment_variable("ATTUNE_CACHE").empty());
    CHECK(environment_variable("PATH").empty());
    environment_snapshot const held;
    CHECK(environment_variable("PATH").empty());
    CHECK(environment_of_children() ==
          std::vector<std::string>{std::string("PATH=") + attune::detail::system_folders});
    MESSAGE("a privileged start was seen");
}

TEST_CASE("in a privileged start the caller's variables decide nothing")
{
    attune_test::setuid_copy const program;
    if (!program.lacking().empty()) {
        MESSAGE("skipped: " << program.lacking());
        return;
    }
    attune_test::ended_program const run = attune_test::run_with_environment(
        program.path(), {"--no-skip", "--test-case=as a privileged start"},
        {"ATTUNE_CACHE=/tmp/of-the-caller", "PATH=/tmp/bad"}, [] {});
    CAPTURE(run.output);
    CHECK(run.exit_status == 0);
    CHECK(attune_test::contains(run.output, "a privileged start was seen"));
}
