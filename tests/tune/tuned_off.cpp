// tests/tune/tuned_off.cpp - the call site of tests/off with the tuner, and with ATTUNE_OFF in the same program.
// SPDX-License-Identifier: MIT
#include <attune/tune/tuned.hpp>

#include <doctest/doctest.h>
#include <string>

#include "../off/call_site.hpp"
#include "../support/call_site_off.hpp"
#include "../support/scratch_directory.hpp"

TEST_CASE("one call site tunes, and calls the default where its unit has ATTUNE_OFF")
{
    support::scratch_directory const folder;
    CHECK(run_call_site_off() == "12 20, tuned 0");
    std::string const with_tuner = call_site::run(folder.file("s.attune"));
    CHECK(with_tuner == "12 20, tuned 2");
    CHECK(run_call_site_off() == "12 20, tuned 0");
}
