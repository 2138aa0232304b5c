// tests/compile/system_cache.cpp - system_compiler over the object cache.
// SPDX-License-Identifier: MIT
#include <attune/compile/system.hpp>
#include <attune/compile/system/process.hpp>

#include <filesystem>

#include "../laws/compiler.hpp"
#include "../support/cache_folder.hpp"
#include "../support/second_time.hpp"
#include "../support/set_variable.hpp"

using attune_laws::callable_of;
using attune_laws::scaled_sum_source;
using attune_laws::scaled_sum_variant;
using attune_test::cache_folder;
using attune_test::second_time;

namespace {

bool usable()
{
    std::string const lacking = attune::system_compiler().missing();
    if (!lacking.empty()) MESSAGE("skipped: " << lacking);
    return lacking.empty();
}

attune::system_compiler over(cache_folder const& folder)
{
    return attune::system_compiler({.flags = {"-O1", "-std=c++20"}, .cache = folder.options()});
}

} // namespace

TEST_CASE("shared objects from the cache keep the laws of a compiler")
{
    cache_folder const folder;
    if (usable())
        attune_laws::compiler_laws([&] { return second_time{over(folder), over(folder)}; });
}

TEST_CASE("shared objects from the cache keep the laws of a C++ compiler")
{
    cache_folder const folder;
    if (usable())
        attune_laws::cpp_compiler_laws([&] { return second_time{over(folder), over(folder)}; });
}

TEST_CASE("what system_compiler compiled is there in the next run, without running it")
{
    if (!usable()) return;
    cache_folder const folder;
    attune::system_compiler const first = over(folder);
    auto const v = scaled_sum_variant("2");
    CHECK_FALSE(first.find_winner(scaled_sum_source(), v).has_value());
    attune::callable const made = callable_of(first.compile(scaled_sum_source(), v));
    CHECK_FALSE(made.from_cache);
    CHECK(first.keep_winner(scaled_sum_source(), v));
    attune::system_compiler const second = over(folder);
    CHECK(second.identity() == first.identity());
    auto const found = second.find_winner(scaled_sum_source(), v);
    REQUIRE(found.has_value());
    CHECK(attune_laws::scaled_sum_of_1_2_3(*found) == 12.0);
    CHECK(found->object_key == made.object_key);
    CHECK(second.compile(scaled_sum_source(), v).index() == 0);
    CHECK(second.statistics().hits == 1);
    CHECK(second.statistics().misses == 0);
}

TEST_CASE("a temporary folder may have any name")
{
    if (!usable()) return;
    for (char const* const name : {"a,b", "a b", "a=b", "a'\"$b", "@a"}) {
        cache_folder const folder;
        attune::detail::temporary_folder const around;
        std::string const place = around.path() + '/' + name;
        std::filesystem::create_directory(place);
        attune_test::set_variable const there("TMPDIR", place.c_str());
        CAPTURE(place);
        attune::callable const made =
            callable_of(over(folder).compile(scaled_sum_source(), scaled_sum_variant("2")));
        CHECK(attune_laws::scaled_sum_of_1_2_3(made) == 12.0);
        attune::system_compiler const again = over(folder);
        (void)callable_of(again.compile(scaled_sum_source(), scaled_sum_variant("2")));
        CHECK(again.statistics().hits == 1);
    }
}
