// tests/ship/tool/space.cpp - attune space: counts, lists in parts, curves of limits, draws, reasons.
// SPDX-License-Identifier: MIT
#include <attune/ship/tool/detail/space.hpp>

#include <attune/space/files/read_json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <doctest/doctest.h>
#include <filesystem>
#include <future>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "../../support/open_files.hpp"
#include "../../support/source_folder.hpp"
#include "run_here.hpp"

using attune_test::has;
using nlohmann::json;
using support::ran;
using support::run_here;

namespace {

char const* const tiles = R"({"name": "tiles", "problem": {"L1": 64}, "params": [
    {"name": "M", "values": [2, 4, 8, 16]}, {"name": "N", "values": [2, 4, 8, 16]},
    {"name": "MODE", "values": ["a", "b, c"]},
    {"name": "W", "values": [1, 2], "default": 1, "active_if": "MODE == \"a\""}],
  "constraints": ["M * N <= L1", "M >= 4"]})";

std::vector<std::string> lines_of(std::string const& text)
{
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        out.push_back(line);
    return out;
}

struct space_folder {
    support::scratch_directory folder{};
    std::string file = folder.file("space.json");
    space_folder() { support::write_file(file, tiles); }

    [[nodiscard]] std::size_t files() const
    {
        std::filesystem::directory_iterator const all(folder.path());
        return static_cast<std::size_t>(std::distance(begin(all), end(all)));
    }
};

/// Whether `schema`, or a part of it, accepts a value: the words of JSON Schema that
/// space.schema.json uses.
bool accepts(json const& root, json const& schema, json const& value)
{
    if (schema.contains("$ref")) {
        std::string const name = schema["$ref"].get<std::string>().substr(8); // "#/$defs/"
        return accepts(root, root["$defs"].at(name), value);
    }
    auto const is = [&](json const& type) {
        if (type == "integer") return value.is_number_integer();
        if (type == "number") return value.is_number();
        return type == value.type_name();
    };
    auto const any = [](json const& list, auto const& f) {
        return std::any_of(list.begin(), list.end(), f);
    };
    if (schema.contains("anyOf"))
        return any(schema["anyOf"], [&](json const& one) { return accepts(root, one, value); });
    if (schema.contains("enum"))
        return any(schema["enum"], [&](auto& one) { return one == value; });
    if (schema.contains("type")) {
        json const& type = schema["type"];
        if (!(type.is_array() ? any(type, is) : is(type))) return false;
    }
    for (json const& name : schema.value("required", json::array()))
        if (value.is_object() && !value.contains(name.get<std::string>())) return false;
    if (value.is_number() && value < schema.value("minimum", value)) return false;
    if (value.is_number() && value > schema.value("maximum", value)) return false;
    if (value.is_number() && schema.contains("exclusiveMinimum") && !(value > 0)) return false;
    if (value == "" && schema.contains("minLength")) return false;
    if (value.is_array() && (value.size() < schema.value("minItems", std::size_t{0}) ||
                             value.size() > schema.value("maxItems", value.size())))
        return false;
    if (value.is_array() && schema.contains("items"))
        return !any(value, [&](json const& v) { return !accepts(root, schema["items"], v); });
    if (value.is_object())
        for (auto const& [name, member] : value.items()) {
            json const known = schema.value("properties", json::object());
            json const more = schema.value("additionalProperties", json::object());
            if (!accepts(root, known.contains(name) ? known[name] : more, member)) return false;
        }
    return true;
}

json schema_of_spaces()
{
    return json::parse(support::read_file(support::source_folder() +
                                          "include/attune/space/files/space.schema.json"));
}

} // namespace

TEST_CASE("list has each valid configuration once, and its parts are the whole, byte for byte")
{
    space_folder const at;
    std::set<std::string> expected;
    for (int m = 4; m <= 16; m *= 2)
        for (int n = 2; n <= 16; n *= 2)
            for (char const* rest : {"a,1", "a,2", "\"b, c\",1"})
                if (m * n <= 64)
                    expected.insert(std::to_string(m) + ',' + std::to_string(n) + ',' + rest);
    ran const whole = run_here({"space", "list", at.file});
    CHECK(whole.code == 0);
    CHECK(whole.err.empty());
    std::vector<std::string> const lines = lines_of(whole.out);
    REQUIRE(lines.size() == expected.size() + 1);
    CHECK(lines[0] == "M,N,MODE,W");
    CHECK(std::set<std::string>(lines.begin() + 1, lines.end()) == expected);
    for (std::string const format : {"csv", "jsonl"}) {
        std::string const one = run_here({"space", "list", at.file, "--format", format}).out;
        for (int const parts : {1, 3, 40}) {
            std::string joined, of_files;
            for (int part = 1; part <= parts; ++part) {
                std::string const which = std::to_string(part) + '/' + std::to_string(parts);
                std::string const to = at.folder.file("part");
                joined +=
                    run_here({"space", "list", at.file, "--part", which, "--format", format}).out;
                ran const got = run_here({"space", "list", at.file, "--part=" + which, "--format",
                                          format, "-o", to, "--threads", "3"});
                CHECK(got.code == 0);
                CHECK(got.out.empty());
                of_files += support::read_file(to);
            }
            CHECK(joined == one);
            CHECK(of_files == one);
        }
    }
    json const first =
        json::parse(lines_of(run_here({"space", "list", at.file, "--format", "jsonl"}).out)[0]);
    CHECK(first == json{{"M", 4}, {"N", 2}, {"MODE", "a"}, {"W", 1}});
    CHECK(at.files() == 2);
}

TEST_CASE("a list that cannot be written, or that Ctrl-C ends, leaves no half file")
{
    space_folder const at;
    ran const nowhere = run_here({"space", "list", at.file, "-o", at.folder.file("no/part")});
    CHECK(nowhere.code == 3);
    CHECK(has(nowhere.err, "cannot be written: No such file"));
    std::string const store = at.folder.file("a.attune");
    support::write_file(store, support::sgemm_store());
    CHECK(has(run_here({"space", "list", at.file, "-o", store}).err, "is a store"));
    CHECK(support::read_file(store) == support::sgemm_store());
    std::string const kept = at.folder.file("kept");
    support::write_file(kept, "old");
    ran ended;
    {
        // It waits until it is looked for, as what comes while rows are written.
        attune::detail::tool::held_signals const outer;
        CHECK_FALSE(outer.have_come());
        ::raise(SIGINT);
        CHECK(outer.have_come());
        ended = run_here({"space", "list", at.file, "-o", kept});
        CHECK_FALSE(outer.have_come());
    }
    CHECK(ended.code == 130);
    CHECK(has(ended.err, "interrupted; " + kept + " is as it was before"));
    CHECK(support::read_file(kept) == "old");
    CHECK(at.files() == 3);
    ::raise(SIGCONT); // no signal of others is held
    CHECK(run_here({"space", "list", at.file, "-o", kept}).code == 0);
    CHECK(support::read_file(kept) == run_here({"space", "list", at.file}).out);
}

TEST_CASE("progress is told from the third second on, each second on a terminal, else every ten")
{
    std::istringstream in;
    for (bool const is_live : {true, false}) {
        std::ostringstream out, err;
        attune::detail::tool::console on{in, out, err};
        on.is_live = is_live;
        double now = 100;
        std::vector<double> told;
        {
            attune::detail::tool::work_progress progress(on, [&] { return now; });
            for (; now < 125; now += 0.25)
                progress.note([&] {
                    told.push_back(now - 100);
                    return std::string("half");
                });
        }
        REQUIRE(told.size() == (is_live ? 23U : 3U));
        CHECK(told[0] == 2);
        CHECK(told[1] == (is_live ? 3 : 12));
        CHECK(out.str().empty());
        CHECK(has(err.str(), is_live ? "\rhalf\x1b[K" : "half\nhalf\nhalf\n"));
        CHECK(err.str().ends_with(is_live ? "\r\x1b[K" : "half\n"));
    }
}

TEST_CASE("a slow work is told once, a quick one is not")
{
    std::promise<void> told;
    {
        attune::detail::tool::slow_notice const slow([&] { told.set_value(); },
                                                     std::chrono::milliseconds(0));
        told.get_future().wait();
    }
    attune::detail::tool::slow_notice const quick([] { FAIL_CHECK("it is told"); },
                                                  std::chrono::hours(1));
}

TEST_CASE("a curve has the valid share for each limit, and what of the invalid would pass")
{
    space_folder const at;
    ran const got = run_here({"space", "count", at.file, "--curve", "--json"});
    CHECK(got.code == 0);
    json const all = json::parse(got.out);
    REQUIRE(all.size() == 2);
    // 16 pairs of tiles, of each 3 are counted: MODE a with two W, b with one
    auto const count = [](int most, int least) {
        int out = 0;
        for (int m = 2; m <= 16; m *= 2)
            for (int n = 2; n <= 16; n *= 2)
                out += m >= least && m * n <= most ? 3 : 0;
        return out;
    };
    int const valid = count(64, 4);
    CHECK(all[0]["constraint"] == "M * N <= L1");
    CHECK(all[0]["all"] == "48");
    CHECK(all[0]["valid"] == std::to_string(valid));
    REQUIRE(all[0]["steps"].size() == 8);
    int limit = 8;
    for (std::size_t i = 0; i < 7; ++i, limit *= 2) {
        json const& step = all[0]["steps"][i];
        int const now = count(limit, 4);
        CHECK(step["limit"] == limit);
        CHECK(step["valid"] == std::to_string(now));
        CHECK(step["valid_share"].get<double>() == doctest::Approx(now / 48.0));
        CHECK(step["regained_share"].get<double>() ==
              doctest::Approx(now > valid ? (now - valid) / (48.0 - valid) : 0.0));
    }
    CHECK(all[0]["steps"][7]["limit"].is_null());
    CHECK(all[0]["steps"][7]["valid"] == std::to_string(count(256, 4)));
    CHECK(all[1]["constraint"] == "M >= 4");
    CHECK(all[1]["steps"][2]["limit"] == 2);
    CHECK(all[1]["steps"][2]["valid"] == std::to_string(count(64, 2)));
    std::string const text = run_here({"space", "count", at.file, "--curve"}).out;
    CHECK(has(text, "M * N <= L1: " + std::to_string(valid) + " of 48 are valid"));
    CHECK(has(text, "most is gained by "));
    ran const some =
        run_here({"space", "count", at.file, "--curve", "--limits", "32,0.5", "--json"});
    json const one = json::parse(some.out);
    REQUIRE(one.size() == 1);
    REQUIRE(one[0]["steps"].size() == 3);
    CHECK(one[0]["steps"][0]["valid"] == std::to_string(count(32, 4)));
    CHECK(one[0]["steps"][1]["valid"] == "0");
    CHECK(run_here({"space", "count", at.file, "--curve", "--limits", "x"}).code == 2);
    support::write_file(at.folder.file("free"), R"({"params": [{"name": "A", "values": [1, 2]}]})");
    CHECK(run_here({"space", "count", at.folder.file("free"), "--curve"}).code == 1);
}

TEST_CASE("count, sample, explain and export say what the library says")
{
    space_folder const at;
    CHECK(has(run_here({"space", "count", at.file}).out, "valid configurations: 27 of 2^6"));
    CHECK(json::parse(run_here({"space", "count", at.file, "--json"}).out)["valid"] == "27");
    CHECK(json::parse(
              run_here({"space", "count", at.file, "--input", "L1=8", "--json"}).out)["valid"] ==
          "3");
    std::vector<std::string> const drawn =
        lines_of(run_here({"space", "sample", at.file, "--most", "40", "--seed", "3"}).out);
    CHECK(drawn.size() == 40);
    std::set<std::string> listed;
    for (std::string const& line :
         lines_of(run_here({"space", "list", at.file, "--format", "jsonl"}).out))
        listed.insert(line);
    for (std::string const& line : drawn)
        CHECK(listed.contains(line));
    CHECK(drawn == lines_of(run_here({"space", "sample", at.file, "--most=40", "--seed=3"}).out));
    ran const broken =
        run_here({"space", "explain", at.file, R"({"M": 16, "N": 8, "MODE": "a", "W": 2})"});
    CHECK(broken.code == 1);
    CHECK(has(broken.out, "M * N <= L1"));
    CHECK(has(broken.out, "16 * 8 = 128"));
    ran const fine =
        run_here({"space", "explain", at.file, R"({"M": 8, "N": 8, "MODE": "a", "W": 2})"});
    CHECK(fine.code == 0);
    CHECK(fine.out == "valid\n");
    std::string const copy = at.folder.file("copy.json");
    for (std::string const format : {"json", "t1"}) {
        CHECK(run_here({"space", "export", at.file, "--format", format, "-o", copy}).code == 0);
        CHECK(run_here({"space", "list", copy}).out == run_here({"space", "list", at.file}).out);
    }
    ran const nni = run_here({"space", "export", at.file, "--format", "nni"});
    CHECK(json::parse(nni.out)["MODE"]["_value"][0]["W"]["_value"] == json{1, 2});
    CHECK(has(nni.err, "NNI has no constraints; left out: M * N <= L1; M >= 4\n"));
    CHECK(has(nni.err, "NNI has no defaults; left out: of W\n"));
    ran const smtlib = run_here({"space", "export", at.file, "--format", "smtlib"});
    CHECK(has(smtlib.out, "(assert"));
    CHECK(smtlib.err == "SMT-LIB has no defaults; left out: of W\n");
    CHECK(run_here({"space", "export", at.file, "--format", "t1"}).err.empty());
}

TEST_CASE("what a format has no form for is told, and JSON has a form for all")
{
    space_folder const at;
    std::string const file = at.folder.file("prior.json");
    support::write_file(file,
                        R"({"params": [{"name": "A", "values": [1, 2], "weights": [3, 1]},
                                       {"name": "B", "values": [1, 2]}]})");
    for (std::string const action : {"export", "reduce"})
        for (auto const& [format, said] :
             {std::pair{"json", ""}, std::pair{"t1", "T1 has no priors; left out: of A\n"},
              std::pair{"smtlib", "SMT-LIB has no priors; left out: of A\n"},
              std::pair{"nni", "NNI has no priors; left out: of A\n"}}) {
            CAPTURE(format);
            ran const got = run_here({"space", action, file, "--format", format});
            CHECK(got.code == 0);
            CHECK(has(got.err, said));
            CHECK(has(got.err, "left out") == (*said != '\0'));
        }
}

TEST_CASE("the schema of space.json has the members that the reader reads, and no other")
{
    json const schema = schema_of_spaces();
    std::set<std::string> stated;
    for (json const& part : schema["$defs"])
        for (auto const& [name, about] : part["properties"].items())
            stated.insert(name);
    std::string const reader =
        support::read_file(support::source_folder() + "include/attune/space/files/read_json.ipp");
    std::set<std::string> read;
    // find("name"), member(p, "name", ...), {"active_if", "weights"} and pair{"cartesian", ...}
    for (std::regex const& form :
         {std::regex(R"re(find\("(\w+)"\))re"), std::regex(R"re(member\(\w+, "(\w+)")re"),
          std::regex(R"re(std::pair\{"(\w+)")re")})
        for (std::sregex_iterator at(reader.begin(), reader.end(), form), end; at != end; ++at)
            read.insert((*at)[1]);
    CHECK(read == stated);
}

TEST_CASE("the schema of space.json accepts what the reader reads, and says what is wrong")
{
    json const schema = schema_of_spaces();
    auto const both = [&](std::string const& text, bool is_right) {
        CAPTURE(text);
        CHECK(accepts(schema, schema, json::parse(text)) == is_right);
        if (is_right)
            CHECK_NOTHROW(static_cast<void>(attune::read_spaces_json(text)));
        else
            CHECK_THROWS_AS(static_cast<void>(attune::read_spaces_json(text)), attune::error);
    };
    both(tiles, true);
    both(std::string("[") + tiles + "," + tiles + "]", true);
    both(R"({"inputs": {"N": "integer"}, "more": [1], "cartesian": 6, "valid": null, "params": [
        {"name": "A", "elements": 3, "values": [1.5, 2], "default": [1.5, 2, 2],
         "active_if": ["X", "X", "N > 2"]},
        {"name": "X", "kind": "boolean", "values": [true]},
        {"name": "R", "kind": "real", "low": 0.5, "high": 8, "scale": "log", "centre": 2,
         "deviation": 1},
        {"name": "O", "kind": "permutation", "parts": 3, "default": [2, 0, 1]},
        {"name": "T", "kind": "tile", "parts": 2, "extent": "N"},
        {"name": "K", "range": [1, "N // 2"], "step": 2},
        {"name": "W", "values": ["a", "b"], "weights": [1, 2]}]})",
         true);
    for (char const* const parameter :
         {R"({"values": [1]})", R"({"name": "", "values": [1]})", R"({"name": "A", "values": []})",
          R"({"name": "A", "values": [null]})", R"({"name": "A", "values": [1], "weights": [0]})",
          R"({"name": "A", "range": [1]})", R"({"name": "A", "range": [1, 4], "step": 0})",
          R"({"name": "A", "range": [1, 4], "steps": "odd"})",
          R"({"name": "A", "kind": "set", "values": [1]})",
          R"({"name": "A", "values": [1, 2], "active_if": 3})",
          R"({"name": "A", "values": [1, 2], "elements": 0})",
          R"({"name": "A", "kind": "real", "low": "0", "high": 1})", "7"})
        both(R"({"params": [)" + std::string(parameter) + "]}", false);
    both(R"({"params": []})", false);
    both(R"({"name": "no parameters"})", false);
    both(R"({"inputs": {"N": "text"}, "params": [{"name": "A", "values": [1]}]})", false);
    both(R"({"constraints": [3], "params": [{"name": "A", "values": [1]}]})", false);
    both(R"({"valid": -1, "params": [{"name": "A", "values": [1]}]})", false);
}

TEST_CASE("space --example prints a space.json that minimize, ask and space take")
{
    ran const printed = run_here({"space", "--example"});
    CHECK(printed.code == 0);
    json const schema = schema_of_spaces();
    CHECK(accepts(schema, schema, json::parse(printed.out)));
    auto const [folder, file] = support::scratch_file("space.json", printed.out);
    CHECK(has(run_here({"space", "count", file}).out, "valid configurations: "));
    ran const found =
        run_here({"minimize", file, "--evaluations", "12", "--", "sh", "-c", "echo $(($1 + $2))",
                  "x", "{TILE}", "{UNROLL}", "{LAYOUT}{PACK}{PANEL}"});
    CHECK(found.code == 0);
    CHECK(has(found.err, "12 evaluations, 12 runs"));
    CHECK(has(run_here({"ask", file}, "{\"ask\": 1}\n").out, "\"PANEL\":"));
    // The guide shows the same file.
    CHECK(has(support::read_file(support::source_folder() + "examples/guide/39-space-file.md"),
              printed.out));
    CHECK(has(run_here({"space"}).err, "attune space --example"));
}

TEST_CASE("a boolean with one value is one to count, list, ask, minimize and every format")
{
    auto const [folder, file] = support::scratch_file("space.json");
    for (std::string const value : {"true", "false"}) {
        support::write_file(file, R"({"params": [{"name": "X", "kind": "boolean", "values": [)" +
                                      value + R"(]}, {"name": "Y", "values": [1, 2]}]})");
        CHECK(run_here({"space", "list", file}).out == "X,Y\n" + value + ",1\n" + value + ",2\n");
        std::vector<std::string> const replies =
            lines_of(run_here({"ask", file},
                              "{\"observe\": {\"X\": " + value +
                                  ", \"Y\": 1}, \"value\": 1}\n{\"best\": true}\n{\"ask\": 9}\n")
                         .out);
        REQUIRE(replies.size() == 3);
        CHECK(replies[0] == "{\"told\":true}");
        CHECK(has(replies[1], "{\"X\":" + value + ",\"Y\":1}"));
        CHECK(json::parse(replies[2])["ask"] ==
              json::array({{{"X", json::parse(value)}, {"Y", 2}}}));
        CHECK(has(run_here({"minimize", file, "--", "sh", "-c", "echo {Y} # {X}"}).out,
                  "X=" + value + " Y=1"));
        for (std::string const format : {"json", "t1", "nni"}) {
            CAPTURE(format);
            std::string const other = folder.file("other." + format);
            CHECK(run_here({"space", "export", file, "--format", format, "-o", other}).code == 0);
            CHECK(run_here({"space", "list", other}).out ==
                  "X,Y\n" + value + ",1\n" + value + ",2\n");
            if (format == "t1") CHECK(has(support::read_file(other), "\"Type\": \"bool\""));
        }
    }
}

TEST_CASE("wrong words are told, and options that say nothing to an action are refused")
{
    space_folder const at;
    for (std::string const part : {"0/3", "4/3", "1", "1/", "/2", "1/2x", "-1/2"})
        CHECK(run_here({"space", "list", at.file, "--part=" + part}).code == 2);
    CHECK(run_here({"space", "tally", at.file}).code == 2);
    CHECK(run_here({"space", "count", at.file, "--part", "1/2"}).code == 2);
    CHECK(run_here({"space", "sample", at.file, "--curve"}).code == 2);
    CHECK(run_here({"space", "count", at.file, "--limits", "1"}).code == 2);
    CHECK(run_here({"space", "list", at.file, "--format", "json"}).code == 2);
    CHECK(run_here({"space", "list", at.file, "--threads", "0"}).code == 2);
    CHECK(run_here({"space", "explain", at.file}).code == 2);
    CHECK(run_here({"space", "explain", at.file, R"({"M": 8, "M": 8})"}).code == 2);
    CHECK(has(run_here({"space", "explain", at.file, "{\"M\":" + std::string(100'000, '[')}).err,
              "line 1, column 1005, at '[', with 1000 brackets around it"));
    ran const none = run_here({"space", "explain", at.file, R"({"M": 9, "N": 8, "MODE": "a"})"});
    CHECK(none.code == 1);
    CHECK(has(none.out, "no such value (M = 9)"));
    CHECK(run_here({"space", "reduce", at.file, "--format", "csv"}).code == 2);
    CHECK(run_here({"space", "count", at.file, "--where", "M > 2"}).code == 2);
    CHECK(run_here({"space", "count", at.folder.file("none")}).code == 3);
    std::string const real = at.folder.file("real.json");
    support::write_file(real,
                        R"({"params": [{"name": "X", "kind": "real", "low": 0, "high": 1}]})");
    CHECK(has(run_here({"space", "list", real}).err, "real parameters has no list"));
    CHECK(run_here({"space", "sample", real}).code == 0);
}

TEST_CASE("a search space of NNI is read as any other")
{
    space_folder const at;
    std::string const file = at.folder.file("search_space.json");
    support::write_file(file, R"({"layer": {"_type": "choice", "_value": [{"_name": "none"},
        {"_name": "conv", "kernel": {"_type": "randint", "_value": [1, 4]}}]},
        "batch": {"_type": "choice", "_value": [16, 32]}})");
    // none, or one of three kernels; two batches
    json const counted = json::parse(run_here({"space", "count", file, "--json"}).out);
    CHECK(counted["valid"] == "8");
    CHECK(lines_of(run_here({"space", "list", file}).out).size() == 9);
    support::write_file(file, R"({"x": {"_type": "normal", "_value": [0, 1]}})");
    ran const refused = run_here({"space", "count", file});
    CHECK(refused.code == 3);
    CHECK(has(refused.err, "parameter x of the type normal"));
}

TEST_CASE("reduce leaves out the values that no valid configuration has, in each format")
{
    space_folder const at;
    std::string const copy = at.folder.file("copy");
    std::set<std::string> expected;
    for (int m = 4; m <= 8; m *= 2) // M * N <= 64, and what is added
        for (int n = 8; n <= 16; n *= 2)
            for (char const* rest : {"a,1", "a,2", "\"b, c\",1"})
                if (m * n <= 64)
                    expected.insert(std::to_string(m) + ',' + std::to_string(n) + ',' + rest);
    REQUIRE(expected.size() == 9);
    for (std::string const format : {"json", "t1"}) {
        ran const got = run_here({"space", "reduce", at.file, "--where", "N >= 8",
                                  "--where=M * 2 <= N or M == N", "--format", format, "-o", copy});
        CHECK(got.code == 0);
        CHECK(got.out.empty());
        CHECK(got.err == "M 4 -> 2 values\n"
                         "N 4 -> 2 values\n"
                         "fulfilled by all values left, and dropped: M >= 4\n"
                         "fulfilled by all values left, and dropped: N >= 8\n"
                         "fulfilled by all values left, and dropped: M * 2 <= N or M == N\n"
                         "valid configurations 27 -> 9, combinations 64 -> 16\n");
        std::vector<std::string> const lines = lines_of(run_here({"space", "list", copy}).out);
        REQUIRE(lines.size() == expected.size() + 1);
        CHECK(std::set<std::string>(lines.begin() + 1, lines.end()) == expected);
    }
    // NNI has M and N, 2 x 2, and W inside of its option; the constraint that is left is told
    ran const nni =
        run_here({"space", "reduce", at.file, "--where", "N >= 8", "--format", "nni", "-o", copy});
    CHECK(has(nni.err, "NNI has no constraints; left out: M * N <= L1\n"));
    CHECK(json::parse(run_here({"space", "count", copy, "--json"}).out)["valid"] == "12");
    CHECK(lines_of(run_here({"space", "list", copy}).out)[0] == "M,N,MODE,MODE/a/W");
    // one that NNI wrote is reduced by the names of read_nni()
    ran const again = run_here({"space", "reduce", copy, "--where", "`MODE/a/W` * M == 4"});
    CHECK(has(again.err, "M 2 -> 1 values\nMODE/a/W 2 -> 1 values\n"));
    CHECK(has(again.err, "valid configurations 12 -> 4, combinations 16 -> 4\n"));
    CHECK(json::parse(again.out)["params"].size() == 4);
    CHECK(has(run_here({"space", "reduce", at.file, "--format", "smtlib"}).out, "(assert"));
}

TEST_CASE("reduce keeps no count of the file, and tells of defaults that are gone")
{
    space_folder const at;
    support::write_file(at.file, R"({"name": "tiles", "cartesian": 16, "valid": 3,
        "params": [{"name": "M", "values": [2, 4, 8, 16], "default": 16},
                   {"name": "B", "values": [false, true]}],
        "constraints": ["B"]})");
    ran const got = run_here({"space", "reduce", at.file, "--where", "M < 9"});
    CHECK(got.code == 0);
    json const made = json::parse(got.out);
    CHECK_FALSE((made.contains("valid") || made.contains("cartesian")));
    CHECK(made["name"] == "tiles");
    CHECK(made["params"][0] == json{{"name", "M"}, {"values", {2, 4, 8}}, {"default", 8}});
    CHECK(made["params"][1]["values"] == json::array({true}));
    CHECK(made["constraints"].empty());
    CHECK(has(got.err, "the default of M was 16, now it is 8\n"));
    CHECK(has(got.err, "valid configurations 4 -> 3, combinations 8 -> 3\n"));
}

TEST_CASE("Ctrl-C ends reduce at once until constraints are counted")
{
    space_folder const at;
    support::write_file(at.file, R"({"params": [{"name": "X", "range": [1, 3000]},
                                                {"name": "Y", "range": [1, 3000]}]})");
    ::pid_t const child = attune_test::fork_child([&] {
        ::signal(SIGINT, SIG_DFL); // a shell may have it ignored
        // looks into the building of 9e6 combinations, after 50 ms of processor time
        ::signal(SIGPROF, [](int) {
            sigset_t held;
            pthread_sigmask(SIG_BLOCK, nullptr, &held);
            ::_exit(sigismember(&held, SIGINT) == 1 ? 1 : 0);
        });
        itimerval const soon{{0, 0}, {0, 50'000}};
        ::setitimer(ITIMER_PROF, &soon, nullptr);
        static_cast<void>(run_here({"space", "reduce", at.file, "--where", "X % Y == 1"}));
        ::_exit(2);
    });
    CHECK(attune_test::status_of(child) == 0);
}

TEST_CASE("reduce says why nothing is left, and what it cannot read")
{
    space_folder const at;
    std::string const kept = at.folder.file("kept");
    support::write_file(kept, "old");
    ran const empty = run_here({"space", "reduce", at.file, "--where", "M * N > 100", "-o", kept});
    CHECK(empty.code == 3);
    CHECK(has(empty.err, "2 constraints contradict each other (M * N <= L1, L1=64; M * N > 100)"));
    ran const wrong = run_here({"space", "reduce", at.file, "--where", "M <", "-o", kept});
    CHECK(wrong.code == 2);
    CHECK(has(wrong.err, "--where 'M <', column 4: expected "));
    CHECK(run_here({"space", "reduce", at.file, "--where", "Q < 3"}).code == 2);
    ran ended;
    {
        attune::detail::tool::held_signals const outer;
        ::raise(SIGINT);
        ended = run_here({"space", "reduce", at.file, "-o", kept});
        CHECK_FALSE(outer.have_come());
    }
    CHECK(ended.code == 130);
    CHECK(has(ended.err, "attune: space: interrupted; " + kept + " is as it was before"));
    CHECK(support::read_file(kept) == "old");
    std::string const store = at.folder.file("a.attune");
    support::write_file(store, support::sgemm_store());
    CHECK(has(run_here({"space", "reduce", at.file, "-o", store}).err, "is a store"));
}
