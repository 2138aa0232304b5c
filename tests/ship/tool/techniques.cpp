// tests/ship/tool/techniques.cpp - attune techniques and attune recommend.
// SPDX-License-Identifier: MIT
#include <attune/search/compose/technique_sets.hpp>
#include <attune/ship/tool/tool.hpp>
#include <attune/tune/dispatch/choice/kept_techniques.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "run_here.hpp"

using attune_test::has;
using nlohmann::json;
using support::ran;
using support::run_here;

namespace {

/// What two kernels' searches gained: near's space is that of the file below.
std::string gains(support::scratch_directory const& folder)
{
    std::string const path = folder.file("gains");
    attune::parameter_description parameter;
    parameter.kind = attune::parameter_kind::ordinal;
    parameter.type = attune::value_kind::integer;
    parameter.integers = {1, 2, 3};
    attune::description space;
    space.parameters = {parameter, parameter};
    auto const a = attune::search::technique_set_a();
    attune::detail::kept_techniques near(path, "near", space);
    near.keep(std::vector<attune::search::technique_use>{{a[0].name, 10, 1},
                                                         {a[1].name, 10, 5},
                                                         {"of a later release", 10, 9}},
              2);
    attune::detail::kept_techniques far(path, "far", {});
    far.keep(std::vector<attune::search::technique_use>{{a[2].name, 10, 10}}, 4);
    return path;
}

char const* const space =
    R"({"name": "run", "params": [{"name": "A", "values": [1, 2, 3]}, {"name": "B", "values": [4, 5]}]})";

} // namespace

TEST_CASE("techniques are listed by kernel, the best first")
{
    support::scratch_directory const folder;
    std::string const path = gains(folder);
    ran const all = run_here({"techniques", path});
    CHECK(all.code == 0);
    CHECK(has(all.out, "KERNEL"));
    CHECK(has(all.out, "ordinal.1*2"));
    CHECK(all.out.find("of a later release") <
          all.out.find(attune::search::technique_set_a()[1].name));
    ran const one = run_here({"techniques", path, "--kernel", "far", "--json"});
    json const list = json::parse(one.out);
    REQUIRE(list.size() == 1);
    CHECK(list[0]["technique"] == attune::search::technique_set_a()[2].name);
    CHECK(list[0]["affinity"] == 1.0);
    CHECK(run_here({"techniques", path, "--kernel", "none"}).code == 1);
}

TEST_CASE("techniques are recommended for a space, with reasons")
{
    support::scratch_directory const folder;
    std::string const path = gains(folder);
    std::string const file = folder.file("space.json");
    support::write_file(file, space);
    auto const a = attune::search::technique_set_a();
    ran const advice = run_here({"recommend", path, file, "--most", "2"});
    CHECK(advice.code == 0);
    // The nearest problem's best technique that can be made; what is unknown is passed over.
    CHECK(advice.out.starts_with(a[1].name +
                                 ": 0.5 new bests per request in 'near', whose space is "
                                 "the most alike (distance 0)\n"));
    CHECK(has(advice.out, a[0].name));
    CHECK(!has(advice.out, "later release"));
    CHECK(has(advice.out, "tuning usually makes such a space 1.98 times as fast"));
    ran const beside = run_here({"recommend", path, file, "--without", "near"});
    CHECK(has(beside.out, "a space 3.92 times as fast"));
    CHECK(has(beside.out, "this one 1.98 times: less than four in five"));
    ran const without = run_here({"recommend", path, file, "--without", "near", "--json"});
    json const list = json::parse(without.out);
    REQUIRE(list.size() == 1);
    CHECK(list[0]["technique"] == a[2].name);
    CHECK(list[0]["kernel"] == "far");
}

TEST_CASE("a file that is missing or another one is said to be so")
{
    support::scratch_directory const folder;
    ran const missing = run_here({"techniques", folder.file("none")});
    CHECK(missing.code == 3);
    CHECK(has(missing.err, "there is no such file"));
    std::string const store = folder.file("store");
    support::write_file(store, "{\"attune_store\":2}\n");
    ran const other = run_here({"techniques", store});
    CHECK(other.code == 3);
    CHECK(has(other.err, "none of samples"));
    std::string const empty = folder.file("empty");
    support::write_file(empty, "");
    CHECK(run_here({"techniques", empty}).code == 1);
}
