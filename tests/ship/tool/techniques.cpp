// tests/ship/tool/techniques.cpp - attune techniques and attune recommend.
// SPDX-License-Identifier: MIT
#include <attune/declare/bind_inputs.hpp>
#include <attune/remember/files/event_log.hpp>
#include <attune/search/compose/recommended.hpp>
#include <attune/search/compose/technique_sets.hpp>
#include <attune/search/local/genetic.hpp>
#include <attune/ship/tool/tool.hpp>
#include <attune/space/files/read_json.hpp>
#include <attune/tune/dispatch/choice/kept_techniques.hpp>
#include <attune/tune/loop/logged_search.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

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

void note(attune::memory_store& store,
          std::string const& kernel,
          std::string const& device,
          std::vector<std::pair<std::string, std::string>> const& configuration,
          double seconds)
{
    attune::record one;
    one.key = {kernel, "5f3a", "77c1", "clang", device, {}};
    one.configuration = configuration;
    std::vector<std::string> values;
    for (auto const& [name, value] : configuration)
        values.push_back(value);
    store.note(attune::detail::problem_of(one), {values, attune::measurement::exact(seconds), ""});
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

TEST_CASE("what was good for similar problems of a store is recommended as a start, with reasons")
{
    support::scratch_directory const folder;
    std::string const path = gains(folder);
    std::string const file = folder.file("space.json");
    support::write_file(file, space);
    attune::memory_store kept;
    for (int a = 1; a <= 3; ++a)
        for (int b = 4; b <= 5; ++b)
            for (bool const is_model : {false, true}) // which says the opposite
                note(kept,
                     is_model ? "model" : "near",
                     is_model ? std::string("cpu") + attune::detail::predicted_device : "cpu",
                     {{"A", std::to_string(a)}, {"B", std::to_string(b)}},
                     1.0 + ((a == 2) != is_model ? 0 : 1) + ((b == 5) != is_model ? 0 : 0.5));
    note(kept, "stranger", "cpu", {{"C", "1"}}, 1);
    std::string const store = folder.file("store");
    support::write_file(store, kept.text());

    ran const advice = run_here({"recommend", path, file, "--store", store});
    CHECK(advice.code == 0);
    CHECK(
        has(advice.out, "start with A=2 B=5: 1 times the best time of near on cpu (distance 0)\n"));
    CHECK(!has(advice.out, "stranger"));
    CHECK(!has(advice.out, "model"));
    json const list =
        json::parse(run_here({"recommend", path, file, "--store", store, "--json"}).out);
    std::vector<json> starts;
    for (json const& one : list)
        if (one.contains("start")) starts.push_back(one);
    REQUIRE(!starts.empty());
    CHECK(starts.size() <= 3);
    CHECK(starts[0]["start"] == json({{"A", 2}, {"B", 5}}));
    CHECK(starts[0]["of_best"] == 1.0);
    CHECK(starts[0]["problem"] == "near on cpu");
    ran const without = run_here({"recommend", path, file, "--store", store, "--without", "near"});
    CHECK(!has(without.out, "start with"));
    CHECK(run_here({"recommend", path, file, "--store", folder.file("none")}).code == 3);

    // A store says it without techniques.
    ran const alone = run_here({"recommend", file, "--store", store});
    CHECK(alone.code == 0);
    CHECK(alone.out.starts_with("start with A=2 B=5: 1 times"));
    CHECK(run_here({"recommend", file}).code == 2);
    CHECK(run_here({"recommend", file, "--store", store, "--without", "near"}).code == 1);
}

TEST_CASE("a time is stated only of values that were tried")
{
    support::scratch_directory const folder;
    std::string const path = gains(folder);
    attune::memory_store kept;
    for (int a = 1; a <= 3; ++a)
        for (int b = 4; b <= 5; ++b)
            note(kept,
                 "near",
                 "cpu",
                 {{"A", std::to_string(a)}, {"B", std::to_string(b)}},
                 1.0 + (a == 2 ? 0 : 1) + (b == 5 ? 0 : 0.5));
    std::string const store = folder.file("store");
    support::write_file(store, kept.text());
    std::string const file = folder.file("space.json");
    support::write_file(file,
                        R"({"name": "run", "params": [{"name": "A", "values": [1, 2, 3]},)"
                        R"({"name": "B", "values": [8, 16, 32]}]})");
    ran const advice = run_here({"recommend", path, file, "--store", store});
    CHECK(advice.code == 0);
    CHECK(has(advice.out, "start with A=2 B=8: nearest to what was tried there, in near on cpu"));
    CHECK(!has(advice.out, "times the best"));
    json const list =
        json::parse(run_here({"recommend", path, file, "--store", store, "--json"}).out);
    std::size_t starts = 0;
    for (json const& one : list) {
        starts += one.count("start");
        CHECK(!one.contains("of_best"));
    }
    CHECK(starts > 0);

    // Where few of many values were tried: those of models alone have neither problem nor time.
    attune::memory_store few;
    std::map<std::pair<int, int>, double> tried;
    for (int a = 1; a <= 30; a += 7)
        for (int b = 1; b <= 30; b += 7)
            tried[{a, b}] = 1 + std::abs(a - 11) + std::abs(b - 19);
    double best = 100;
    for (auto const& [at, seconds] : tried) {
        best = std::min(best, seconds);
        note(few,
             "near",
             "cpu",
             {{"A", std::to_string(at.first)}, {"B", std::to_string(at.second)}},
             seconds);
    }
    support::write_file(store, few.text());
    support::write_file(file,
                        R"({"name": "run", "params": [{"name": "A", "range": [1, 30]},)"
                        R"({"name": "B", "range": [1, 30]}]})");
    std::size_t modelled = 0;
    for (json const& one :
         json::parse(run_here({"recommend", path, file, "--store", store, "--json"}).out)) {
        if (!one.contains("start")) continue;
        auto const at = tried.find({one["start"]["A"], one["start"]["B"]});
        CHECK((one["problem"] == "") == (at == tried.end()));
        CHECK(one.contains("distance") == (at != tried.end()));
        REQUIRE(one.contains("of_best") == (at != tried.end()));
        if (at == tried.end())
            ++modelled;
        else
            CHECK(one["of_best"] == at->second / best);
    }
    CHECK(modelled > 0);
}

TEST_CASE("logs of earlier tunings are rows of the techniques: who proposed what, and its worth")
{
    support::scratch_directory const folder;
    std::string const file = folder.file("space.json");
    support::write_file(file,
                        R"({"name": "run", "params": [{"name": "A", "range": [1, 30]},)"
                        R"({"name": "B", "range": [1, 30]}]})");
    attune::chain_of_trees const chain{
        attune::bind_inputs(attune::read_spaces_file(file).front().space)};
    auto const time_of = [](attune::point const& p) {
        return 1.0 + std::abs(p[0].index - 12.0) + std::abs(p[1].index - 20.0);
    };
    /// Logs a search of 60 outcomes beside the default's. @return what its techniques gained
    auto const logged = [&](std::string const& log,
                            attune::search_factory const& by,
                            std::uint64_t seed,
                            bool has_ended = true) {
        attune::event_log kept{log, "k" + std::to_string(seed), seed};
        attune::detail::logged_search search(by, chain, seed, kept);
        search.tell(chain.at(std::uint64_t{0}), attune::measurement::exact(33));
        double best = 33;
        attune::search::technique_use alone;
        for (int i = 0; i < 60; ++i) {
            attune::point const p = search.ask(1).front();
            double const time = time_of(p);
            if (i % 20 == 10) { // a request all the same
                search.tell_bound(p, 60);
                ++alone.requests;
                continue;
            }
            search.tell(p, attune::measurement::exact(time));
            ++alone.requests;
            alone.new_bests += time < best ? 1 : 0;
            best = std::min(best, time);
        }
        if (has_ended)
            kept.add({.kind = attune::event_kind::chosen, .points = {chain.at(std::uint64_t{0})}});
        std::vector<attune::search::technique_use> uses = search.uses();
        if (uses.empty()) uses.push_back(alone);
        return uses;
    };
    std::string const log = folder.file("log");
    std::string const gained = folder.file("gained");
    auto const first = logged(log, attune::search::recommended(), 1);
    auto const second = logged(log, attune::search::recommended(), 2);
    std::vector<std::string> const upload{
        "techniques", gained, "--upload", log, "--space-file", file, "--kernel", "run"};
    ran const added = run_here(upload);
    CHECK(added.code == 0);
    CHECK(added.out == "added 2 tunings\n");
    CHECK(has(added.err, "has tunings of 2 problems; all are added as run\n"));

    attune::search::technique_history const past = attune::search::read_history([&] {
        attune::detail::kept_techniques kept(gained, "", {});
        return attune::search::history_text(kept.all());
    }());
    REQUIRE(past.representations().size() == 1);
    attune::search::representation const& row = past.representations().front();
    CHECK(row.label == "run");
    CHECK(row.runs == 2);
    CHECK(row.gains.count() == 2);
    CHECK(row.structure == attune::search::structure_of(chain.describe()));
    std::size_t requests = 0;
    for (attune::search::technique_use const& use : row.uses) {
        std::size_t its = 0;
        std::size_t bests = 0;
        for (auto const* const uses : {&first, &second})
            for (attune::search::technique_use const& one : *uses)
                if (one.name == use.name) {
                    its += one.requests;
                    bests += one.new_bests;
                }
        CHECK(use.requests == its);
        CHECK(use.new_bests == bests);
        requests += its;
    }
    CHECK(requests == 120);

    // The default has a name, too.
    std::vector<std::string> named = upload;
    named[1] = folder.file("named");
    named.insert(named.end(), {"--strategy", "recommended"});
    CHECK(run_here(named).out == added.out);
    CHECK(support::read_file(named[1]) == support::read_file(gained));

    // One log that is none, and nothing of any is added.
    std::vector<std::string> half = upload;
    half[1] = folder.file("half");
    half.insert(half.end(), {"--upload", folder.file("no log")});
    CHECK(run_here(half).code == 3);
    CHECK(!std::filesystem::exists(half[1]));

    // A search that is one technique is credited with all.
    std::string const plain = folder.file("plain.log");
    auto const alone = logged(plain, attune::search_with<attune::genetic>(), 3);
    std::string const other = folder.file("other");
    std::vector<std::string> by_name{
        "techniques", other, "--upload", plain, "--space-file", file, "--kernel", "run"};
    ran const wrong = run_here(by_name); // it was another search
    CHECK(wrong.code == 1);
    CHECK(has(wrong.err, "tuning 1 of"));
    CHECK(has(wrong.err, "is left out"));
    by_name.insert(by_name.end(), {"--strategy", "genetic"});
    ran const one = run_here(by_name);
    CHECK(one.out == "added 1 tuning\n");
    CHECK(!has(one.err, "problems"));
    json const list = json::parse(run_here({"techniques", other, "--json"}).out);
    REQUIRE(list.size() == 1);
    CHECK(list[0]["technique"] == "genetic");
    CHECK(list[0]["requests"] == alone[0].requests);
    CHECK(list[0]["new_bests"] == alone[0].new_bests);

    std::string const open = folder.file("open.log");
    logged(open, attune::search::recommended(), 4, false);
    ran const unfinished = run_here({"techniques",
                                     folder.file("nothing"),
                                     "--upload",
                                     open,
                                     "--space-file",
                                     file,
                                     "--kernel",
                                     "run"});
    CHECK(unfinished.code == 1);
    CHECK(unfinished.out == "added 0 tunings, left out 1\n");
    CHECK(has(unfinished.err, "it has not ended"));

    CHECK(run_here({"techniques", other, "--upload", plain}).code == 2);
    CHECK(run_here({"techniques", other, "--upload", plain, "--space-file", file}).code == 2);
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
