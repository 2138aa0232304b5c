// tests/space/files/recorded.cpp : spaces of recordings have exactly the configurations recorded
// SPDX-License-Identifier: MIT
#include <attune/space/files/recorded.hpp>

#include <attune/core/error.hpp>
#include <attune/declare/table.hpp>
#include <attune/space/query/configurations.hpp>
#include <attune/space/query/explanation.hpp>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include "../../support/data_folder.hpp"
#include "../../support/recorded_file.hpp"
#include "../../support/scratch_directory.hpp"
#include "../../support/texts.hpp"

using attune_test::error_of;
using attune_test::has;

namespace {

constexpr char const* small_csv =
    R"(# parameters: {"TILE": [8, 16, 32], "PAD": [0, 1], "KIND": ["a", "b, c"]}
# constraints: ["TILE * (PAD + 1) <= 32"]
# device: none
TILE,PAD,KIND,time_ms,status
8,0,a,4.5,ok
8,0,"b, c",,compile
8,1,a,3.5,ok
8,1,"b, c",3,ok
16,0,a,2.5,ok
16,0,"b, c",7,ok
16,1,a,9,runtime
16,1,"b, c",8,ok
32,0,a,6,ok
32,0,"b, c",5,ok
)";

/// The times, and nothing for failures, of all configurations in order.
std::multiset<double> times_of(attune::recorded const& from)
{
    std::multiset<double> out;
    for (attune::point const& p : attune::configurations(from.space())) {
        attune::outcome const result = from(p);
        if (auto const* const m = std::get_if<attune::measurement>(&result)) out.insert(m->value);
    }
    return out;
}

struct folder {
    support::scratch_directory scratch;
    std::string with(std::string const& name, std::string const& text) const
    {
        support::write_file(scratch.file(name), text);
        return scratch.file(name);
    }
};

} // namespace

TEST_CASE("a recording is a space of its rows, each with its outcome")
{
    folder const f;
    attune::recorded const from(f.with("small.csv", small_csv));
    CHECK(from.name() == "small");
    CHECK(from.notes().empty());
    CHECK(from.space().size() == attune::leaf_count{10}); // by the file's constraint alone
    CHECK(from.space().describe().constraints.size() == 1);
    CHECK(from.outcomes().size() == 10);
    CHECK(from.failures() == 2);
    CHECK(from.best() == 2.5);
    CHECK(times_of(from) == std::multiset<double>{4.5, 3.5, 3, 2.5, 7, 8, 6, 5});
    attune::outcome const compiled = from({{0, 0}, {0, 0}, {1, 0}});
    REQUIRE(std::holds_alternative<attune::failure>(compiled));
    CHECK(std::get<attune::failure>(compiled).stage == attune::failure_stage::compile);
    attune::outcome const ran = from({{1, 0}, {1, 0}, {0, 0}});
    CHECK(std::get<attune::failure>(ran).stage == attune::failure_stage::launch);
    CHECK(std::get<attune::failure>(ran).reason == "runtime");
    CHECK_FALSE(attune::succeeded(from({{2, 0}, {1, 0}, {0, 0}}))); // TILE 32, PAD 1: no row
}

TEST_CASE("a packed recording is the same one")
{
    folder const f;
    std::string const path = f.with("it's small.csv", small_csv);
    if (std::system(("gzip -k \"" + path + "\" 2>/dev/null").c_str()) != 0) {
        MESSAGE("skipped: no gzip");
        return;
    }
    attune::recorded const packed(path + ".gz");
    attune::recorded const plain(path);
    CHECK(packed.name() == plain.name());
    CHECK(times_of(packed) == times_of(plain));
    CHECK_THROWS_AS(attune::recorded{f.with("broken.csv.gz", "no gzip")}, attune::error);
}

TEST_CASE("half of a packed recording is an error, also where exit statuses are lost")
{
    folder const f;
    std::string text = small_csv;
    for (int i = 0; i < 20'000; ++i) // more than gzip unpacks at once
        text += "# " + std::to_string(i * 7919) + '\n';
    std::string const path = f.with("half.csv", text);
    if (std::system(("gzip \"" + path + "\" 2>/dev/null").c_str()) != 0) {
        MESSAGE("skipped: no gzip");
        return;
    }
    std::filesystem::resize_file(path + ".gz", std::filesystem::file_size(path + ".gz") / 2);
    for (auto const handler : {SIG_DFL, SIG_IGN}) {
        std::signal(SIGCHLD, handler);
        CHECK_THROWS_AS(attune::recorded{path + ".gz"}, attune::error);
    }
    std::signal(SIGCHLD, SIG_DFL);
}

TEST_CASE("where constraints admit more than the rows, or break them, a last one says which")
{
    folder const f;
    std::string text = small_csv;
    text.erase(text.find("32,0,a"), text.find("32,0,\"") - text.find("32,0,a"));
    attune::recorded const fewer(f.with("fewer.csv", text));
    CHECK(fewer.space().size() == attune::leaf_count{9});
    CHECK(times_of(fewer).count(6) == 0);

    text = small_csv;
    text.replace(text.find("<= 32"), 5, "<= 16");
    attune::recorded const broken(f.with("broken.csv", text));
    CHECK(broken.space().size() == attune::leaf_count{10});
    CHECK(broken.notes().size() == 1);

    text.replace(text.find("<= 16"), 5, "<? 16");
    attune::recorded const unread(f.with("unread.csv", text));
    CHECK(unread.space().size() == attune::leaf_count{10});
    CHECK(unread.notes().size() == 1);

    text = std::string(small_csv) + "8,0,a,1,ok\n";
    attune::recorded const twice(f.with("twice.csv", text));
    CHECK(twice.best() == 2.5); // the first of both rows counts
    CHECK(twice.notes().size() == 1);
    attune::recorded const thrice(f.with("thrice.csv", text + "8,0,a,2,ok\n8,1,a,2,ok\n"));
    CHECK(times_of(thrice) == times_of(twice));
    REQUIRE(thrice.notes().size() == 1);
    CHECK(thrice.notes()[0].find("3 rows") == 0);
}

TEST_CASE("values that differ in any digit are apart; two spellings of a value are one")
{
    folder const f;
    attune::recorded const tiny(f.with("tiny.csv",
                                       "# parameters: {\"E\": [1e-7, 0.0000002, -0.0]}\n"
                                       "E,time_ms,status\n"
                                       "0.0000001,1,ok\n2e-7,2,ok\n0,3,ok\n2e-07,4,ok\n"));
    CHECK(tiny.space().size() == attune::leaf_count{3});
    CHECK(times_of(tiny) == std::multiset<double>{1, 2, 3});
    CHECK(tiny.notes().size() == 1);
    CHECK(attune::succeeded(tiny({{0, 0}})));
    CHECK(std::get<attune::measurement>(tiny({{0, 0}})).value == 3); // sorted: 0, 1e-7, 2e-7
    CHECK(std::get<attune::measurement>(tiny({{2, 0}})).value == 2);

    // pandas writes True for the true of JSON; "auto" makes labels of all.
    attune::recorded const labels(f.with("labels.csv",
                                         "# parameters: {\"L\": [true, false, \"auto\"]}\n"
                                         "L,time_ms,status\n"
                                         "True,1,ok\nFalse,2,ok\nauto,3,ok\n"));
    CHECK(labels.space().size() == attune::leaf_count{3});
    CHECK(times_of(labels) == std::multiset<double>{1, 2, 3});
    CHECK(std::get<attune::measurement>(labels({{1, 0}})).value == 2);
}

TEST_CASE("results of the FAIR format are read with their units")
{
    folder const f;
    std::string const path = f.with("t4.json", R"({"results": [
        {"configuration": {"X": 1, "Y": true}, "invalidity": "correct", "objectives": ["time"],
         "measurements": [{"name": "time", "value": 2, "unit": "seconds"},
                          {"name": "power", "value": 90, "unit": "W"}]},
        {"configuration": {"X": 2, "Y": true}, "invalidity": "correct",
         "measurements": [{"name": "time", "value": 1500, "unit": "us"}]},
        {"configuration": {"X": 2, "Y": false}, "invalidity": "compile",
         "measurements": []}]})");
    attune::recorded const from(path);
    CHECK(from.space().size() == attune::leaf_count{3});
    CHECK(times_of(from) == std::multiset<double>{1.5, 2000});
    CHECK(from.failures() == 1);
    CHECK(attune::is_recording(path));
    CHECK(attune::is_recording("x.csv.gz"));
    CHECK_FALSE(attune::is_recording("x.txt"));
    CHECK_FALSE(attune::is_recording(f.with("other.json", "[1, 2]")));
    CHECK_FALSE(attune::is_recording(f.with("no.json", "{")));
}

TEST_CASE("a file that is no recording is named, with the line that is wrong")
{
    folder const f;
    auto const said = [](std::string const& path) {
        return error_of([&] { attune::recorded const none(path); });
    };
    CHECK(has(said(f.scratch.file("absent.csv")), "absent.csv"));
    CHECK(has(said(f.with("x.txt", "")), "x.txt"));
    CHECK(has(said(f.with("a.csv", "X,time_ms\n1,2\n")), "a.csv:1"));
    CHECK(has(said(f.with("b.csv", "X,time_ms,status\n1,2\n")), "b.csv:2"));
    CHECK(has(said(f.with("c.csv", "X,time_ms,status\n1,,compile\n")), "worked"));
    CHECK(has(said(f.with("d.csv", "")), "worked"));
    CHECK(has(said(f.with("e.json", "{\"results\": 1}")), "e.json"));
    CHECK(has(said(f.with("f.json", "{")), "f.json, line 1, column 2"));
    CHECK(has(said(f.with("deep.json", "{\"results\": [{\"configuration\": {\"X\": " +
                                           std::string(100'000, '[') + std::string(100'000, ']') +
                                           "}}]}")),
              "at most 32 brackets inside each other"));
    CHECK(has(said(f.with("n.json", "{\"results\": [{\"configuration\": {\"X\": NaN}}]}")),
              "found `NaN`"));
    CHECK(has(said(f.with("g.csv", "# parameters: {\nX,time_ms,status\n")), "g.csv"));
    // A folder opens like a file, but cannot be read.
    std::filesystem::create_directory(f.scratch.file("h.csv"));
    CHECK(has(said(f.scratch.file("h.csv")), "cannot be read"));
    std::filesystem::create_directory(f.scratch.file("h.json"));
    CHECK_THROWS_AS((void)attune::is_recording(f.scratch.file("h.json")), attune::error);
    std::filesystem::create_directory(f.scratch.file("h.csv.gz"));
    CHECK(has(said(f.scratch.file("h.csv.gz")), "h.csv.gz"));
}

TEST_CASE("two recordings in one file, and names that stand there twice, are refused")
{
    folder const f;
    auto const said = [&](std::string const& name, std::string const& text) {
        return error_of([&] { attune::recorded const none(f.with(name, text)); });
    };
    std::string const small = small_csv;
    CHECK(has(said("a.csv", small + small), "a.csv:15"));
    std::string const rows = small.substr(small.find("TILE,PAD"));
    CHECK(has(said("b.csv", small + rows), "b.csv:15"));
    CHECK(has(said("c.csv", small + "# constraints: []\n"), "below"));
    CHECK(said("d.csv", small + "# device: none\n").empty());
    std::string const first = small.substr(0, small.find('\n') + 1);
    CHECK(has(said("e.csv", first + small), "e.csv:2"));
    CHECK(has(said("f.csv", "X,X,time_ms,status\n1,2,3,ok\n"), "two columns X"));
    CHECK(has(said("g.csv", "X,time_ms,time_ms,status\n1,2,3,ok\n"), "two columns time_ms"));
}

TEST_CASE("an objective that is no time is refused; a time without a unit is in milliseconds")
{
    folder const f;
    auto const with = [&](std::string const& objective, std::string const& unit) {
        return f.with("t4.json",
                      R"({"results": [{"configuration": {"X": 1}, "invalidity": "correct",
                          "objectives": [")" +
                          objective + R"("], "measurements": [{"name": ")" + objective +
                          R"(", "value": 2)" + unit + "}]}]}");
    };
    auto const said = [](std::string const& path) {
        return error_of([&] { attune::recorded const none(path); });
    };
    CHECK(has(said(with("GFLOP/s", "")), "GFLOP/s is no time"));
    CHECK(has(said(with("GFLOP/s", R"(, "unit": "")")), "GFLOP/s"));
    CHECK(has(said(with("speed", R"(, "unit": "GFLOP/s")")), "GFLOP/s"));
    CHECK(has(said(with("time", R"(, "unit": "J")")), "unit is J"));
    CHECK(attune::recorded(with("time", "")).best() == 2);
    CHECK(attune::recorded(with("Kernel_Time", R"(, "unit": "")")).best() == 2);
    CHECK(attune::recorded(with("runtime", R"(, "unit": "Seconds")")).best() == 2000);
}

TEST_CASE("a few rows of a huge product are a space")
{
    folder const scratch;
    std::mt19937 engine(5);
    std::set<std::vector<int>> rows;
    while (rows.size() < 1000) {
        std::vector<int> row(12);
        for (int& v : row)
            v = static_cast<int>(engine() % 8);
        rows.insert(row);
    }
    std::string csv = "A,B,C,D,E,F,G,H,I,J,K,L,time_ms,status\n";
    for (std::vector<int> const& row : rows) {
        for (int const v : row)
            csv += std::to_string(v) + ',';
        csv += "1,ok\n";
    }
    attune::recorded const read(scratch.with("product.csv", csv));
    CHECK(read.notes().empty());
    REQUIRE(read.space().size() == attune::leaf_count{1000});
    std::set<std::vector<int>> found;
    for (attune::point const& p : attune::configurations(read.space())) {
        std::vector<int> row;
        for (attune::coordinate const& c : p)
            row.push_back(static_cast<int>(c.index));
        found.insert(row);
    }
    CHECK(found == rows);
    for (int i = 0; i < 200; ++i) { // one of them with another value: a sentence says why not
        std::vector<int> wrong = *std::next(rows.begin(), i);
        wrong[engine() % 12] = static_cast<int>(engine() % 8);
        if (rows.contains(wrong)) continue;
        attune::point at;
        for (int const v : wrong)
            at.push_back({static_cast<std::uint32_t>(v), 0});
        CHECK(!read.space().contains(at));
        CHECK(attune::explain(read.space().describe(), at).size() == 1);
    }
}

TEST_CASE("every complete recording has a row for each valid configuration and for no other")
{
    namespace fs = std::filesystem;
    fs::path const folder = fs::path(attune_tests::data_folder()) / "recorded";
    std::error_code problem;
    std::vector<std::string> files;
    for (fs::directory_entry const& entry : fs::directory_iterator(folder, problem))
        if (entry.path().string().ends_with(".csv.gz")) files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    if (files.empty())
        MESSAGE("skipped: no recording in " << folder.string()
                                            << "; set ATTUNE_DATA to its parent");
    for (std::string const& file : files) {
        CAPTURE(file);
        attune_tests::recorded_file const recorded = attune_tests::read_recorded(file);
        if (recorded.rows.empty()) {
            MESSAGE("skipped: gzip cannot unpack " << file);
            continue;
        }
        if (!recorded.is_complete()) {
            MESSAGE("skipped: " << file << " does not say that it is complete");
            continue;
        }
        attune::chain_of_trees const chain(recorded.space);
        std::unordered_set<attune::point, attune::point_hash> const rows(recorded.rows.begin(),
                                                                         recorded.rows.end());
        CHECK(rows.size() == recorded.rows.size()); // none twice
        CHECK(chain.size() == attune::leaf_count{rows.size()});
        std::size_t missing = 0;
        for (attune::point const& row : rows)
            missing += chain.contains(row) ? 0U : 1U;
        CHECK(missing == 0);
        // The library's reader agrees with this one, which was written apart.
        attune::recorded const read(file);
        CHECK(read.space().size() == attune::leaf_count{rows.size()});
        CHECK(read.outcomes().size() == rows.size());
        CHECK(read.notes().empty());
    }
}
