// tests/measure/cpu/core_turn.cpp - processors are timed on by one at a time.
// SPDX-License-Identifier: MIT
#include <attune/measure/cpu/core_turn.hpp>

#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>

using attune::detail::core_turn;

TEST_CASE("who has a processor in common waits for a bounded time, then measures and says so")
{
    std::string folder = (std::filesystem::temp_directory_path() / "attune_turn_XXXXXX").string();
    REQUIRE(::mkdtemp(folder.data()) != nullptr);
    std::string const file = folder + "/cores";
    {
        core_turn mine({0, 1}, 0.0, file);
        CHECK(mine.is_alone());
        CHECK(mine.notice().empty());
        core_turn const apart({2, 3}, 0.0, file);
        CHECK(apart.is_alone());
        core_turn const late({1, 4}, 0.02, file);
        CHECK_FALSE(late.is_alone());
        CHECK(late.waited_s() >= 0.02);
        CHECK(late.notice().find("another tuning timed on the same processors") == 0);
        mine.release();
        CHECK(core_turn({1, 4}, 0.0, file).is_alone());
    }
    core_turn const nobody_knows({0}, 0.0, folder + "/none/cores");
    CHECK_FALSE(nobody_knows.is_alone());
    CHECK(nobody_knows.notice().empty()); // nothing says that anybody disturbed
    std::filesystem::remove_all(folder);
}

TEST_CASE("a thread knows its processors")
{
    CHECK_FALSE(attune::detail::processors_of_this_thread().empty());
}
