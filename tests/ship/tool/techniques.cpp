// tests/ship/tool/techniques.cpp - attune techniques and attune recommend.
// SPDX-License-Identifier: MIT
#include <attune/core/random.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/event.hpp>
#include <attune/declare/group.hpp>
#include <attune/remember/files/event_log.hpp>
#include <attune/remember/files/sample_file.hpp>
#include <attune/search/compose/recommended.hpp>
#include <attune/search/compose/technique_sets.hpp>
#include <attune/search/compose/technique_text.hpp>
#include <attune/search/local/populations.hpp>
#include <attune/search/meta/auc_bandit.hpp>
#include <attune/ship/tool/detail/past_tunings.hpp>
#include <attune/ship/tool/tool.hpp>
#include <attune/space/files/read_json.hpp>
#include <attune/tune/dispatch/choice/kept_lessons.hpp>
#include <attune/tune/loop/logged_search.hpp>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <variant>
#include <vector>

#include "../../support/open_files.hpp"
#include "../../support/search_spaces.hpp"
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

void note(attune::memory_store& store, std::string const& kernel, std::string const& device,
          std::vector<std::pair<std::string, std::string>> const& configuration, double seconds)
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

/// Logged searches of a space in a file.
struct logged_tunings {
    logged_tunings()
    {
        support::write_file(file, R"({"name": "run", "params": [{"name": "A", "range": [1, 30]},)"
                                  R"({"name": "B", "range": [1, 30]}]})");
        chain.emplace(attune::bind_inputs(attune::read_spaces_file(file).front().space));
    }
    /// Logs a search of 60 outcomes beside the default's. @return what its techniques gained
    std::vector<attune::search::technique_use> logged(std::string const& log,
                                                      attune::search_factory const& by,
                                                      std::uint64_t seed,
                                                      bool has_ended = true) const
    {
        auto const time_of = [](attune::point const& p) {
            return 1.0 + std::abs(p[0].index - 12.0) + std::abs(p[1].index - 20.0);
        };
        attune::event_log kept{log, "k" + std::to_string(seed), seed};
        attune::detail::logged_search search(by, *chain, seed, kept);
        search.tell(chain->at(std::uint64_t{0}), attune::measurement::exact(33));
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
            kept.add({.kind = attune::event_kind::chosen, .points = {chain->at(std::uint64_t{0})}});
        std::vector<attune::search::technique_use> uses = search.uses();
        if (uses.empty()) uses.push_back(alone);
        return uses;
    }
    [[nodiscard]] std::vector<std::string> upload(std::string const& to,
                                                  std::vector<std::string> const& logs) const
    {
        std::vector<std::string> out{"techniques", to, "--space-file", file, "--kernel", "run"};
        for (std::string const& log : logs)
            out.insert(out.end(), {"--upload", log});
        return out;
    }

    support::scratch_directory folder{};
    std::string file = folder.file("space.json");
    std::optional<attune::chain_of_trees> chain{};
};

attune::search::technique_history history_in(std::string const& path)
{
    return attune::detail::kept_techniques(path, "", {}).all();
}
std::string text_in(std::string const& path)
{
    return attune::search::history_text(history_in(path));
}

/// Requests and new bests of all techniques that were asked, by name.
using summed_uses = std::map<std::string, std::pair<std::size_t, std::size_t>>;
summed_uses sum_of(std::vector<std::vector<attune::search::technique_use>> const& searches)
{
    summed_uses out;
    for (auto const& uses : searches)
        for (attune::search::technique_use const& one : uses) {
            if (one.requests == 0) continue;
            out[one.name].first += one.requests;
            out[one.name].second += one.new_bests;
        }
    return out;
}

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
                note(kept, is_model ? "model" : "near",
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
            note(kept, "near", "cpu", {{"A", std::to_string(a)}, {"B", std::to_string(b)}},
                 1.0 + (a == 2 ? 0 : 1) + (b == 5 ? 0 : 0.5));
    std::string const store = folder.file("store");
    support::write_file(store, kept.text());
    std::string const file = folder.file("space.json");
    support::write_file(file, R"({"name": "run", "params": [{"name": "A", "values": [1, 2, 3]},)"
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
        note(few, "near", "cpu",
             {{"A", std::to_string(at.first)}, {"B", std::to_string(at.second)}}, seconds);
    }
    support::write_file(store, few.text());
    support::write_file(file, R"({"name": "run", "params": [{"name": "A", "range": [1, 30]},)"
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
    logged_tunings const t;
    support::scratch_directory const& folder = t.folder;
    std::string const& file = t.file;
    std::string const log = folder.file("log");
    std::string const gained = folder.file("gained");
    auto const first = t.logged(log, attune::search::recommended(), 1);
    auto const second = t.logged(log, attune::search::recommended(), 2);
    std::vector<std::string> const upload = t.upload(gained, {log});
    ran const added = run_here(upload);
    CHECK(added.code == 0);
    CHECK(added.out == "added 2 tunings\n");
    CHECK(has(added.err, "has tunings of 2 problems; all are added as run\n"));
    attune::search::technique_history const past = history_in(gained);
    REQUIRE(past.representations().size() == 1);
    attune::search::representation const& row = past.representations().front();
    CHECK(row.label == "run");
    CHECK(row.runs == 2);
    CHECK(row.gains.count() == 2);
    CHECK(row.structure == attune::search::structure_of(t.chain->describe()));
    CHECK(sum_of({row.uses}) == sum_of({first, second}));
    std::size_t requests = 0;
    for (attune::search::technique_use const& use : row.uses)
        requests += use.requests;
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
    auto const alone = t.logged(plain, attune::search_with<attune::genetic>(), 3);
    std::string const other = folder.file("other");
    std::vector<std::string> by_name = t.upload(other, {plain});
    ran const wrong = run_here(by_name); // it was another search
    CHECK(wrong.code == 1);
    CHECK(has(wrong.err, "tuning 1 of"));
    CHECK(has(wrong.err, "is left out"));
    CHECK(has(wrong.err, "; give its space, and its search by --strategy\n"));
    by_name.insert(by_name.end(), {"--strategy", "genetic"});
    ran const one = run_here(by_name);
    CHECK(one.out == "added 1 tuning\n");
    CHECK(!has(one.err, "problems"));
    json const list = json::parse(run_here({"techniques", other, "--json"}).out);
    REQUIRE(list.size() == 1);
    CHECK(list[0]["technique"] == "genetic;population,20;children,10;mutation,0.1;selection,2.5");
    CHECK(list[0]["requests"] == alone[0].requests);
    CHECK(list[0]["new_bests"] == alone[0].new_bests);
    std::string const open = folder.file("open.log");
    t.logged(open, attune::search::recommended(), 4, false);
    ran const unfinished = run_here(t.upload(folder.file("nothing"), {open}));
    CHECK(unfinished.code == 1);
    CHECK(unfinished.out == "added 0 tunings, left out 1\n");
    CHECK(has(unfinished.err, "it has not ended\n"));
    CHECK(!has(unfinished.err, "--strategy"));
    CHECK(run_here({"techniques", other, "--upload", plain}).code == 2);
    CHECK(run_here({"techniques", other, "--upload", plain, "--space-file", file}).code == 2);
}

TEST_CASE("a tuning counts once, however often and wherever its log is uploaded")
{
    logged_tunings const t;
    std::string const log = t.folder.file("log");
    std::string const gained = t.folder.file("gained");
    auto const first = t.logged(log, attune::search::recommended(), 1);
    CHECK(run_here(t.upload(gained, {log})).out == "added 1 tuning\n");
    std::string const once = support::read_file(gained);
    ran const again = run_here(t.upload(gained, {log, log}));
    CHECK(again.code == 0);
    CHECK(again.out == "added 0 tunings, had 2\n");
    CHECK(support::read_file(gained) == once);
    // A copy, a log that has grown by another tuning, and the same log twice at once.
    auto const second = t.logged(log, attune::search::recommended(), 2);
    std::string const copy = t.folder.file("copy");
    std::filesystem::copy_file(log, copy);
    CHECK(run_here(t.upload(gained, {copy, log})).out == "added 1 tuning, had 3\n");
    auto const past = history_in(gained);
    REQUIRE(past.representations().size() == 1);
    CHECK(past.representations()[0].runs == 2);
    CHECK(sum_of({past.representations()[0].uses}) == sum_of({first, second}));
    // What a tuning kept by itself is known by its log, too.
    std::string const kept = t.folder.file("kept");
    std::string id;
    {
        attune::event_log opened{t.folder.file("own"), "k", 5};
        attune::detail::logged_search search(attune::search::recommended(), *t.chain, 5, opened);
        search.tell(t.chain->at(std::uint64_t{0}), attune::measurement::exact(2));
        for (double value : {1.5, 1.75, 1.25})
            search.tell(search.ask(1).front(), attune::measurement::exact(value));
        opened.add({.kind = attune::event_kind::chosen, .points = {t.chain->at(std::uint64_t{0})}});
        attune::detail::kept_techniques own(kept, "run", t.chain->describe());
        own.keep(search.uses(), 1.6, opened.id());
    }
    ran const known = run_here(t.upload(kept, {t.folder.file("own")}));
    CHECK(known.code == 0);
    CHECK(known.out == "added 0 tunings, had 1\n");
    CHECK(history_in(kept).representations()[0].runs == 1);
    // A slice of a tuning is no tuning: the session after it has all of it.
    std::string text = support::read_file(t.folder.file("own"));
    std::size_t const end = text.find("{\"told\"", text.find("{\"told\"") + 1);
    std::string const chosen = text.substr(text.find("{\"chosen\""));
    support::write_file(copy, text.substr(0, text.find('\n', end) + 1) + chosen + text);
    CHECK(run_here(t.upload(kept, {copy})).out == "added 0 tunings, had 1\n");
}

TEST_CASE("a line that cannot be read is reported by its number, and costs no other tuning")
{
    logged_tunings const t;
    std::string const log = t.folder.file("log");
    std::vector<std::vector<attune::search::technique_use>> gained;
    for (std::uint64_t seed = 1; seed <= 3; ++seed)
        gained.push_back(t.logged(log, attune::search::recommended(), seed));
    std::vector<std::string> lines;
    std::string const whole = support::read_file(log);
    for (std::size_t at = 0; at < whole.size(); at += lines.back().size())
        lines.push_back(whole.substr(at, whole.find('\n', at) + 1 - at));
    std::vector<std::size_t> starts;
    std::vector<std::size_t> tolds;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].starts_with("{\"attune_events\"")) starts.push_back(i);
        if (lines[i].find("\"told\"") != std::string::npos) tolds.push_back(i);
    }
    REQUIRE(starts.size() == 3);
    std::string const damaged = t.folder.file("damaged");
    int number = 0;
    auto const uploaded = [&](std::size_t line, std::string const& with) {
        std::string text;
        for (std::size_t i = 0; i < lines.size(); ++i)
            text += i == line ? with : lines[i];
        support::write_file(damaged, text);
        std::string const to = t.folder.file("to" + std::to_string(++number));
        ran const one = run_here(t.upload(to, {damaged}));
        CHECK(
            has(one.err, "line " + std::to_string(line + 1) + " of " + damaged + " is left out: "));
        CHECK(run_here(t.upload(to, {damaged})).out.starts_with("added 0 tunings, had "));
        return std::pair(one, history_in(to).representations().at(0));
    };
    // The first line of a tuning: that one is unknown, the one before it had ended.
    for (std::string const with :
         {"{\"attune_events\":9,\"key\":\"k2\",\"seed\":2}\n", "{\"attune_ev\n"}) {
        auto const [one, row] = uploaded(starts[1], with);
        CHECK(one.out == "added 2 tunings\n");
        CHECK(sum_of({row.uses}) == sum_of({gained[0], gained[2]}));
    }
    // A line of an outcome: that request is lost, the others are by the names in the log.
    std::size_t const of_second = *std::find_if(tolds.begin(), tolds.end(),
                                                [&](std::size_t i) { return i > starts[1] + 30; });
    auto const [one, row] = uploaded(of_second, "{\"told\":[[3,\n");
    CHECK(one.out == "added 3 tunings\n");
    CHECK(row.gains.count() == 2); // the best may be what is lost
    std::size_t requests = 0;
    for (auto const& use : row.uses)
        requests += use.requests;
    CHECK(requests == 3 * 60 - 1);
    // The last line of a tuning: whether it ended is unknown.
    CHECK(uploaded(starts[1] - 1, "{\"chosen\":0}\n").first.out == "added 2 tunings, left out 1\n");
    // A log without names, as an older attune wrote, cannot be mended.
    for (std::string& line : lines)
        for (std::size_t at = line.find(",\"by\":"); at != line.npos; at = line.find(",\"by\":"))
            line.erase(at, line.find('"', at + 7) + 1 - at);
    for (std::string& line : lines)
        if (line.starts_with("{\"by\":")) line = '{' + line.substr(line.find("\",") + 2);
    ran const nameless = uploaded(of_second, "x\n").first;
    CHECK(nameless.out == "added 2 tunings, left out 1\n");
    CHECK(
        has(nameless.err, "a line cannot be read, and the others do not say who proposed what\n"));
    // A line that is cut off by the end of the file is being written: no problem.
    std::string text;
    for (std::string const& line : lines)
        text += line;
    support::write_file(damaged, text + "{\"attune_ev");
    ran const growing = run_here(t.upload(t.folder.file("grown"), {damaged}));
    CHECK(growing.out == "added 3 tunings\n");
    CHECK(!has(growing.err, "line"));
    // An empty log has no tunings; one without any line that is known is no log.
    support::write_file(damaged, "");
    CHECK(run_here(t.upload(t.folder.file("none"), {damaged})).out == "added 0 tunings\n");
    support::write_file(damaged, "{\"attune_store\":2}\n");
    CHECK(run_here(t.upload(t.folder.file("none"), {damaged})).code == 3);
    CHECK(!std::filesystem::exists(t.folder.file("none")));
}

TEST_CASE("where a search proposes something else by now, the names in its log count")
{
    logged_tunings const t;
    std::string const log = t.folder.file("log");
    // A set of techniques that no name of a strategy stands for.
    auto const set = attune::search::technique_set_d();
    auto const gained = t.logged(log, attune::search::auc_bandit_of(set).make, 1);
    std::string const to = t.folder.file("to");
    CHECK(run_here(t.upload(to, {log})).out == "added 1 tuning\n");
    auto const past = history_in(to);
    REQUIRE(past.representations().size() == 1);
    CHECK(sum_of({past.representations()[0].uses}) == sum_of({gained}));
    CHECK(past.representations()[0].gains.count() == 1);
    // Of another space its configurations are none.
    support::write_file(t.file, R"({"name": "run", "params": [{"name": "A", "values": [1, 2, 3]},)"
                                R"({"name": "B", "values": [4, 5]}]})");
    ran const other = run_here(t.upload(t.folder.file("other"), {log}));
    CHECK(other.code == 1);
    CHECK(other.out == "added 0 tunings, left out 1\n");
    CHECK(has(other.err, "is not one of the space"));
    CHECK(!std::filesystem::exists(t.folder.file("other")));
}

TEST_CASE("wherever an upload was killed, the next one completes it, and counts nothing twice")
{
    logged_tunings const t;
    std::string const log = t.folder.file("log");
    t.logged(log, attune::search::recommended(), 1);
    t.logged(log, attune::search::recommended(), 2);
    std::string const gained = t.folder.file("gained");
    CHECK(run_here(t.upload(gained, {log})).out == "added 2 tunings\n");
    std::string const whole = support::read_file(gained);
    std::string const wanted = text_in(gained);
    // Lines of the file as they are added anew: uploading itself takes seconds for each byte.
    std::vector<attune::detail::kept_techniques::logged_line> lines;
    {
        std::string all =
            attune::detail::sample_file(gained, attune::detail::techniques_meaning).last(9);
        for (std::size_t at = 0; at < all.size();) {
            std::size_t const end = all.find('\n', at);
            std::string const line = all.substr(at, end - at);
            std::size_t const mark = line.rfind("\tlogged as ");
            REQUIRE(mark != line.npos);
            std::string const id = line.substr(mark + 11, 16);
            lines.push_back({{id}, line.substr(0, mark) + '\n'});
            at = end + 1;
        }
    }
    REQUIRE(lines.size() == 2);
    for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
        support::write_file(gained, whole.substr(0, cut));
        attune::detail::kept_techniques kept(gained, "run", t.chain->describe());
        std::size_t const added = kept.add_new(lines);
        CHECK(kept.problem().empty());
        if (cut == whole.size()) CHECK(added == 0);
        REQUIRE(text_in(gained) == wanted);
    }
    // Killed at any moment.
    std::filesystem::remove(gained);
    for (int i = 0; i < 12; ++i) {
        ::pid_t const child = attune_test::fork_child([&] {
            for (;;)
                static_cast<void>(run_here(t.upload(gained, {log})));
        });
        ::usleep(static_cast<::useconds_t>(10'000 + 30'000 * i));
        ::kill(child, SIGKILL);
        static_cast<void>(attune_test::status_of(child));
    }
    CHECK(run_here(t.upload(gained, {log})).code == 0);
    CHECK(text_in(gained) == wanted);
}

TEST_CASE("a line that names who proposed no point costs nothing")
{
    logged_tunings const t;
    std::string const log = t.folder.file("log");
    // A set of techniques that no name of a strategy stands for: the names in the log count.
    auto const gained =
        t.logged(log, attune::search::auc_bandit_of(attune::search::technique_set_d()).make, 1);
    std::string const text = support::read_file(log);
    std::size_t const second = text.find('\n') + 1;
    for (std::string const line : {R"({"asked":[],"by":"x","wanted":0})",
                                   R"({"by":"x","informed":[],"text":"techniques\n"})"}) {
        CAPTURE(line);
        std::string const damaged = t.folder.file("damaged");
        support::write_file(damaged, text.substr(0, second) + line + '\n' + text.substr(second));
        std::string const to = t.folder.file("to");
        std::filesystem::remove(to);
        CHECK(run_here(t.upload(to, {damaged})).out == "added 1 tuning\n");
        CHECK(sum_of({history_in(to).representations().at(0).uses}) == sum_of({gained}));
    }
}

TEST_CASE("what another search found is no gain of the strategy that goes on with it")
{
    logged_tunings const t;
    // The default took 33, the other search found 1.5, this one asks three times for worse.
    auto const log_with = [&](std::string const& path, bool is_other_known) {
        attune::event_log log{path, "k", 9};
        attune::detail::logged_search search(attune::search_with<attune::genetic>(), *t.chain, 9,
                                             log);
        search.tell(t.chain->at(std::uint64_t{0}), attune::measurement::exact(33));
        if (is_other_known)
            search.tell(t.chain->at(std::uint64_t{777}), attune::measurement::exact(1.5));
        for (double const value : {20.0, 22.0, 30.0})
            search.tell(search.ask(1).front(), attune::measurement::exact(value));
        log.add({.kind = attune::event_kind::chosen, .points = {t.chain->at(std::uint64_t{777})}});
    };
    for (bool const is_other_known : {false, true}) {
        CAPTURE(is_other_known);
        std::string const log = t.folder.file(is_other_known ? "other" : "own");
        log_with(log, is_other_known);
        std::string const to = log + ".to";
        std::vector<std::string> upload = t.upload(to, {log});
        upload.insert(upload.end(), {"--strategy", "genetic"});
        CHECK(run_here(upload).out == "added 1 tuning\n");
        auto const past = history_in(to);
        REQUIRE(past.representations().size() == 1);
        CHECK(past.representations()[0].gains.count() == 1);
        CHECK(past.representations()[0].strategies.size() == (is_other_known ? 0 : 1));
    }
}

TEST_CASE("of a log's sessions the latest that goes on with each: brute force")
{
    attune::random_engine engine(3);
    attune::point const points[] = {{{0, 0}}, {{1, 0}}, {{0, .5}}};
    std::size_t continued = 0;
    for (int round = 0; round < 300; ++round) {
        std::vector<attune::detail::salvaged_log::entry> sessions;
        for (std::size_t n = attune::uniform_below(engine, 7); n > 0; --n) {
            attune::logged_session one{.key = attune::uniform_below(engine, 5) == 0 ? "other" : "k",
                                       .seed = attune::uniform_below(engine, 5) == 0 ? 2U : 1U};
            for (std::size_t i = attune::uniform_below(engine, 5); i > 0; --i) {
                attune::event e{.kind = attune::event_kind::asked};
                if (attune::uniform_below(engine, 4) > 0) {
                    e.kind = attune::event_kind::told;
                    e.points = {points[attune::uniform_below(engine, 6) / 2 % 3]};
                    if (attune::uniform_below(engine, 3) > 0) e.points = {points[0]};
                    e.result = attune::outcome(attune::failure{});
                    if (attune::uniform_below(engine, 4) > 0)
                        e.result = attune::measurement::exact(
                            1.0 + static_cast<double>(attune::uniform_below(engine, 2)));
                }
                one.events.push_back(e);
            }
            sessions.push_back({one, std::to_string(n)});
        }
        auto const told_in = [&](std::size_t i) {
            std::vector<std::pair<attune::point, double>> out;
            for (attune::event const& e : sessions[i].session.events)
                if (e.kind == attune::event_kind::told) {
                    auto const* const m = std::get_if<attune::measurement>(&*e.result);
                    out.emplace_back(e.points.front(), m != nullptr ? m->value : -1);
                }
            return out;
        };
        auto const latest = attune::detail::tool::latest_of_each(sessions);
        REQUIRE(latest.size() == sessions.size());
        for (std::size_t i = 0; i < sessions.size(); ++i) {
            std::optional<std::size_t> wanted;
            for (std::size_t j = i + 1; j < sessions.size(); ++j) {
                auto const a = told_in(i);
                auto const b = told_in(j);
                if (sessions[i].session.key == sessions[j].session.key &&
                    sessions[i].session.seed == sessions[j].session.seed && a.size() < b.size() &&
                    std::equal(a.begin(), a.end(), b.begin()))
                    wanted = j;
            }
            CHECK(latest[i] == wanted);
            continued += wanted ? 1 : 0;
        }
    }
    CHECK(continued > 100);
}

TEST_CASE("a tuning that was uploaded after a slice counts once, whichever slice came first")
{
    logged_tunings const t;
    std::string const log = t.folder.file("log");
    t.logged(log, attune::search::recommended(), 1);
    std::string const whole = support::read_file(log);
    std::size_t end = 0;
    for (int i = 0; i < 30; ++i)
        end = whole.find("\n{\"asked\"", end + 1);
    REQUIRE(end != whole.npos);
    std::string const slice = whole.substr(0, end + 1) + whole.substr(whole.rfind("{\"chosen\""));
    std::string const early = t.folder.file("early");
    support::write_file(early, slice);
    support::write_file(log, slice + whole);
    for (bool const is_early_first : {true, false}) {
        CAPTURE(is_early_first);
        std::string const to = t.folder.file(is_early_first ? "to" : "to other");
        CHECK(run_here(t.upload(to, {is_early_first ? early : log})).out == "added 1 tuning\n");
        CHECK(run_here(t.upload(to, {is_early_first ? log : early})).out ==
              "added 0 tunings, had 1\n");
        CHECK(history_in(to).representations().at(0).runs == 1);
    }
}

TEST_CASE("a tuning that is known without its strategy gets it by a later upload")
{
    logged_tunings const t;
    std::string const log = t.folder.file("log");
    auto const gained = t.logged(log, attune::search::recommended(), 1);
    std::string const to = t.folder.file("to");
    attune::detail::kept_techniques own(to, "run", t.chain->describe());
    own.keep(gained, 2, attune::detail::salvage_event_log(log).sessions.at(0).id);
    REQUIRE(history_in(to).representations().at(0).strategies.empty());
    ran const named = run_here(t.upload(to, {log}));
    CHECK(named.code == 0);
    CHECK(named.out == "added 0 tunings, had 1\n");
    auto const past = history_in(to);
    REQUIRE(past.representations().size() == 1);
    attune::search::representation const& row = past.representations()[0];
    CHECK(row.runs == 1);
    CHECK(row.gains.count() == 1);
    CHECK(sum_of({row.uses}) == sum_of({gained}));
    REQUIRE(row.strategies.size() == 1);
    CHECK(row.strategies[0].name == "recommended");
    CHECK(row.strategies[0].gains.count() == 1);
    // Once, however often it is uploaded.
    std::string const once = support::read_file(to);
    CHECK(run_here(t.upload(to, {log, log})).out == "added 0 tunings, had 2\n");
    CHECK(support::read_file(to) == once);
}

TEST_CASE("a start of a wide space has its problem, as no model says it")
{
    constexpr std::size_t count = 300;
    attune::chain_of_trees const wide = search_spaces::vector_of(count);
    attune::description const& d = wide.describe();
    auto const ends_with = [&](std::string const& last) {
        std::string out = attune::detail::text_at(d, attune::detail::named_values(d).front(),
                                                  attune::point(count));
        return out.replace(out.rfind('0'), 1, last);
    };
    attune::detail::tool::similar_problem near{.name = "near", .distance = .5};
    near.session = {.name = "near", .parameters = {"xs"}};
    near.session.outcomes = {
        {{ends_with("3")}, 1.0}, {{ends_with("2")}, std::nullopt}, {{ends_with("1")}, 2.0}};
    for (bool const is_tried : {true, false}) {
        if (!is_tried) near.session.outcomes.pop_back();
        if (!is_tried) near.session.outcomes.pop_back(); // the nearest of what is not here
        auto const starts = attune::detail::tool::recommended_starts(wide, {near}, 3);
        REQUIRE(starts.size() == 1);
        std::string const said = attune::detail::tool::start_text(d, starts[0]);
        CHECK(!has(said, "model"));
        CHECK(has(said, is_tried ? ": 2 times the best time of near (distance 0.5)"
                                 : ": nearest to what was tried there, in near (distance 0.5)"));
    }
}

TEST_CASE("uploads at once of the same logs add each tuning once")
{
    logged_tunings const t;
    std::vector<std::string> logs;
    std::vector<std::vector<attune::search::technique_use>> gained;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        logs.push_back(t.folder.file("log" + std::to_string(seed)));
        gained.push_back(t.logged(logs.back(), attune::search::recommended(), seed));
    }
    std::string const to = t.folder.file("to");
    std::vector<::pid_t> children;
    for (int i = 0; i < 4; ++i)
        children.push_back(attune_test::fork_child([&] {
            std::rotate(logs.begin(), logs.begin() + i % 3, logs.end());
            ::_exit(run_here(t.upload(to, logs)).code);
        }));
    for (::pid_t const child : children)
        CHECK(attune_test::status_of(child) == 0);
    auto const past = history_in(to);
    REQUIRE(past.representations().size() == 1);
    CHECK(past.representations()[0].runs == 3);
    CHECK(sum_of({past.representations()[0].uses}) == sum_of(gained));
}

TEST_CASE("a strategy is recommended with its options, and is the better one on a space like it")
{
    using attune::search::parse_technique;
    support::scratch_directory const folder;
    // "pair": only both numbers together can change. "bits": each is for itself, and half of them
    // are wrong whether none or all change.
    struct problem {
        std::string file{};
        std::optional<attune::chain_of_trees> chain{};
        std::vector<double> best{}; ///< one for each parameter
        bool is_pair = false;
        [[nodiscard]] double time_at(attune::point const& p) const
        {
            double away = 0;
            for (std::size_t i = 0; i < best.size(); ++i)
                away += std::abs(p[i].index - best[i]);
            return is_pair && p[0].index != p[1].index ? 200 : 1 + away;
        }
    };
    auto const problem_of = [&](std::string const& name, std::string const& parameters,
                                std::vector<double> best, bool is_pair) {
        problem out{.file = folder.file(name), .best = std::move(best), .is_pair = is_pair};
        json params = json::array();
        for (char const one : parameters) {
            params.push_back({{"name", std::string(1, one)}});
            if (is_pair)
                params.back()["range"] = {1, int(2 * out.best[0])};
            else
                params.back()["values"] = {false, true};
        }
        support::write_file(out.file, json{{"name", name}, {"params", params}}.dump());
        out.chain.emplace(attune::bind_inputs(attune::read_spaces_file(out.file).front().space));
        return out;
    };
    // 60 evaluations beside the default's. @return  the least time
    auto const tune = [](problem const& of, auto& search) {
        attune::point const first = of.chain->at(std::uint64_t{0});
        double best = of.time_at(first);
        search.tell(first, attune::measurement::exact(best));
        for (int i = 0; i < 60; ++i) {
            attune::point const p = search.ask(1).front();
            best = std::min(best, of.time_at(p));
            search.tell(p, attune::measurement::exact(of.time_at(p)));
        }
        return best;
    };
    std::string const strategies[] = {"climb;change_rate,0", "climb;change_rate,1"};
    std::string const gained = folder.file("gained");
    std::map<std::string, std::vector<double>> gains; // by kernel and strategy
    for (problem const& of :
         {problem_of("pair", "AB", {15, 15}, true),
          problem_of("bits", "ABCDEFGHIJKL", {1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0}, false)})
        for (std::string const& by : strategies) {
            std::string const kernel = std::filesystem::path(of.file).filename().string();
            std::string const log = folder.file(kernel + by);
            for (std::uint64_t seed = 1; seed <= 9; ++seed) {
                attune::event_log kept{log, "k", seed};
                attune::detail::logged_search search(parse_technique(by).make, *of.chain, seed,
                                                     kept);
                double const best = tune(of, search);
                attune::point const first = of.chain->at(std::uint64_t{0});
                kept.add({.kind = attune::event_kind::chosen, .points = {first}});
                gains[kernel + ' ' + parse_technique(by).name].push_back(of.time_at(first) / best);
            }
            ran const added = run_here({"techniques", gained, "--upload", log, "--space-file",
                                        of.file, "--kernel", kernel, "--strategy", by});
            CHECK(added.out == "added 9 tunings\n");
            // Under another name the same log says nothing.
            ran const wrong =
                run_here({"techniques", folder.file("wrong"), "--upload", log, "--space-file",
                          of.file, "--kernel", kernel, "--strategy", "pure_random"});
            CHECK(wrong.code == 1);
        }
    // New kernels of the same structures, with other names, more values and another best.
    std::vector<std::pair<std::string, problem>> const new_ones = {
        {"pair", problem_of("new pair", "XY", {25, 25}, true)},
        {"bits",
         problem_of("new bits", "abcdefghijkl", {0, 1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 0}, false)}};
    for (auto const& [like, held_out] : new_ones) {
        CAPTURE(like);
        std::string best;
        std::string other;
        auto const median_of = [&](std::string const& by) {
            std::vector<double> all = gains.at(like + ' ' + by);
            std::sort(all.begin(), all.end());
            return all[4];
        };
        for (std::string const& by : strategies) {
            std::string const name = parse_technique(by).name;
            if (best.empty() || median_of(name) > median_of(best)) {
                other = best.empty() ? name : best;
                best = name;
            } else
                other = name;
        }
        CHECK(best == parse_technique(strategies[held_out.is_pair ? 1 : 0]).name);
        json const list = json::parse(run_here({"recommend", gained, held_out.file, "--json"}).out);
        REQUIRE(list.at(0).contains("strategy"));
        CHECK(list[0]["strategy"] == best);
        CHECK(list[0]["rival"] == other);
        CHECK(list[0]["kernel"] == like);
        CHECK(list[0]["distance"] == 0);
        CHECK(list[0]["tunings"] == 9);
        CHECK(list[0]["gain"].get<double>() == doctest::Approx(median_of(best)).epsilon(.026));
        ran const said = run_here({"recommend", gained, held_out.file});
        CHECK(said.out.starts_with("search by " + best + ": tunings made '" + like +
                                   "' (all its inputs and devices), "));
        // What is recommended is the better of the two there, too.
        auto const mean_of = [&](std::string const& by) {
            double sum = 0;
            for (std::uint64_t seed = 101; seed <= 120; ++seed) {
                attune::any_searcher search = parse_technique(by).make(*held_out.chain, seed);
                sum += tune(held_out, search) / 20;
            }
            return sum;
        };
        CHECK(mean_of(best) < 0.9 * mean_of(other));
    }
    // Without the only problem of its structure, nothing of it is said.
    std::string const file = folder.file("new pair");
    json const without =
        json::parse(run_here({"recommend", gained, file, "--without", "pair", "--json"}).out);
    CHECK(without.at(0)["kernel"] == "bits");
}

TEST_CASE("the recommended search as a strategy is named by what makes it")
{
    auto const [folder, file] = support::scratch_file("space.json", space);
    attune::detail::kept_techniques kept(
        folder.file("gains"), "near",
        attune::bind_inputs(attune::read_spaces_file(file).front().space));
    std::vector<attune::detail::kept_techniques::logged_line> lines;
    for (std::string const by : {"recommended", "genetic"})
        for (int i = 0; i < 2; ++i)
            lines.push_back({{by + std::to_string(i)},
                             kept.line_of(std::vector<attune::search::technique_use>{{"a", 9, 1}},
                                          by == "genetic" ? 2 : 4, by)});
    REQUIRE(kept.add_new(lines) == 4);
    ran const said = run_here({"recommend", folder.file("gains"), file});
    CHECK(said.out.starts_with("search by attune::search::recommended(): tunings made 'near' "));
    CHECK(has(said.out, "times as fast by genetic (median of 2)"));
    json const list =
        json::parse(run_here({"recommend", folder.file("gains"), file, "--json"}).out);
    CHECK(list.at(0)["strategy"] == "recommended"); // as --strategy takes it
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

TEST_CASE("damaged lines of a file are skipped, counted and told")
{
    support::scratch_directory const folder;
    std::string const path = gains(folder);
    std::string const file = folder.file("space.json");
    support::write_file(file, space);
    std::string const whole = support::read_file(path);
    std::size_t const second = whole.find('\n') + 1;
    std::size_t const third = whole.find('\n', second) + 1;
    REQUIRE(whole.find('\n', third) != whole.npos);
    for (bool const both : {false, true}) {
        std::string text = whole;
        text[third - 3] = '?';
        if (both) text = text.substr(0, third) + "cut\n" + text.substr(third);
        support::write_file(path, text);
        std::string const want = "attune: " + path + ":2: this " +
                                 (both ? "and 1 more damaged lines are" : "damaged line is") +
                                 " skipped (its checksum is wrong)\n";
        ran const listed = run_here({"techniques", path});
        CHECK(listed.err == want);
        CHECK(listed.code == 0);
        CHECK(run_here({"recommend", path, file}).err == want);
    }
    support::write_file(path, whole);
    CHECK(run_here({"techniques", path}).err.empty());
}

TEST_CASE("the winners of a store say by which strategy to search, where no file does")
{
    auto const [folder, file] = support::scratch_file("space.json", space);
    std::string const climb = attune::search::parse_technique("climb;change_rate,1").name;
    attune::memory_store kept;
    auto const add = [&](std::string const& kernel, std::string const& parameter,
                         std::string const& device, int size, std::string const& strategy,
                         double gain) {
        attune::record one;
        one.key = {kernel, "5f3a", "77c1", "clang", device, {{"N", std::to_string(size)}}};
        one.configuration = {{"A", "1"}, {parameter, "5"}};
        one.best_s = 1;
        one.default_s = gain;
        one.strategy = strategy;
        kept.add(one);
    };
    for (int size = 1; size <= 3; ++size) {
        add("near", "B", "cpu", size, climb, 1.5);
        add("near", "B", "gpu", size, "automatic", 2);
        add("near", "B", "old cpu", size, "", 9); // of an older release
        add("near", "B", std::string("x") + attune::detail::predicted_device, size, climb, 90);
        add("stranger", "C", "cpu", size, climb, 90); // with another parameter
        add("stranger", "C", "gpu", size, "automatic", 1);
    }
    std::string const store = folder.file("store");
    support::write_file(store, kept.text());
    ran const said = run_here({"recommend", file, "--store", store});
    CHECK(said.code == 0);
    CHECK(said.out.starts_with("search by attune::default_search(): tunings made 'near' "));
    CHECK(has(said.out, " times as fast by it (median of 3), "));
    CHECK(has(said.out, "times as fast by " + climb + " (median of 3)"));
    json const list = json::parse(run_here({"recommend", file, "--store", store, "--json"}).out);
    CHECK(list.at(0)["strategy"] == "automatic");
    CHECK(list[0]["gain"].get<double>() == doctest::Approx(2).epsilon(.026));
    CHECK(list[0]["tunings"] == 3);
    CHECK(list[0]["rival"] == climb);
    CHECK(list[0]["rival_gain"].get<double>() == doctest::Approx(1.5).epsilon(.026));
    CHECK(!has(run_here({"recommend", file, "--store", store, "--without", "near"}).out,
               "search by"));
    // Damaged lines are skipped, with their count, and the others count.
    std::string text = kept.text();
    std::string const strategy = "\"strategy\":\"automatic\"";
    std::size_t damaged = 0;
    for (std::size_t at; (at = text.find(strategy)) != text.npos; ++damaged)
        text.replace(at, strategy.size(), "\"strategy\":12345678901");
    CHECK(damaged == 6);
    support::write_file(store, text);
    ran const fewer = run_here({"recommend", file, "--store", store});
    CHECK(has(fewer.err, "this and 5 more damaged lines are skipped"));
    CHECK(!has(fewer.out, "search by")); // no tuning by another strategy is left
}
