// tests/ship/tool/wrong_files.cpp - what is wrong in any file that the tool reads is said in attune's words.
// SPDX-License-Identifier: MIT
#include <attune/core/random.hpp>
#include <attune/ship/tool/tool.hpp>

#include <algorithm>
#include <cstddef>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "run_here.hpp"

using attune_test::has;
using nlohmann::json;
using support::ran;
using support::run_here;

namespace {

/// The places of all values, those of lists and objects as well.
void add_places(json const& value, json::json_pointer const& at,
                std::vector<json::json_pointer>& to)
{
    to.push_back(at);
    if (value.is_object())
        for (auto const& [name, member] : value.items())
            add_places(member, at / name, to);
    if (value.is_array())
        for (std::size_t i = 0; i < value.size(); ++i)
            add_places(value[i], at / i, to);
}

/// `right` cut off, with a value replaced by one of each kind, and without a member.
std::vector<std::string> spoilt(std::string const& right)
{
    std::vector<std::string> out;
    for (std::size_t end = 0; end < right.size(); end += 1 + right.size() / 40)
        out.push_back(right.substr(0, end));
    json const root = json::parse(right);
    std::vector<json::json_pointer> places;
    add_places(root, json::json_pointer{}, places);
    for (json::json_pointer const& place : places) {
        for (json const& other : {json(nullptr), json(true), json(-3), json(1.5), json(1e300),
                                  json("x"), json::array(), json::object(), json::array({"x"})}) {
            json changed = root;
            changed[place] = other;
            out.push_back(changed.dump());
        }
        for (std::string_view const word : {"NaN", "-Infinity", "\"a\\q\"", "\"\xff\"", "1e999"}) {
            json changed = root;
            changed[place] = "PLACE";
            std::string text = changed.dump();
            out.push_back(text.replace(text.find("\"PLACE\""), 7, word));
        }
        if (place.empty() || !root[place.parent_pointer()].is_object()) continue;
        json changed = root;
        changed[place.parent_pointer()].erase(place.back());
        out.push_back(changed.dump());
    }
    return out;
}

void check_words(std::string const& text)
{
    for (char const* const other :
         {"json.exception", "nlohmann", "parse error", "while parsing", "std::", "stoul", "stod",
          "basic_string", "vector::", "type must be", "what():"})
        CHECK_MESSAGE(!has(text, other), text);
}

struct reader {
    std::string right{};              ///< a file that is read
    std::vector<std::string> words{}; ///< of a command that reads it
};

/// Every form of a file that a command reads, but stores.
/// @param folder  has the store that is exported and the one that takes results
std::vector<reader> readers(support::scratch_directory const& folder, std::string const& file)
{
    std::string const store = folder.file("a.attune");
    support::write_file(folder.file("known.attune"), support::sgemm_store());
    std::vector<reader> all{
        {R"({"name": "g", "inputs": {"N": "integer"}, "problem": {"M": 4}, "params": [
             {"name": "A", "values": [1, 2], "default": 1, "weights": [1, 2], "scale": "log"},
             {"name": "B", "range": [1, "N"], "step": 2, "active_if": "A == 2"},
             {"name": "C", "elements": 2, "values": [true]},
             {"name": "T", "kind": "tile", "parts": 2, "extent": 8}],
           "constraints": ["A <= M"], "valid": 7})",
         {"space", "sample", file, "--input", "N=8"}},
        {R"({"ConfigurationSpace": {"TuningParameters": [
             {"Name": "A", "Type": "int", "Values": "[1, 2]", "Default": 1},
             {"Name": "B", "Type": "bool", "Values": [true], "ActiveIf": "A == 1"}],
             "Conditions": [{"Parameters": ["A"], "Expression": "A < 4"}]},
           "KernelSpecification": {"KernelName": "k"}})",
         {"space", "sample", file}},
        {R"({"A": {"_type": "choice", "_value": [1, 2]}, "B": {"_type": "choice", "_value": [
             {"_name": "x", "C": {"_type": "randint", "_value": [1, 4]}}, {"_name": "y"}]},
             "D": {"_type": "quniform", "_value": [1, 4, 1]}})",
         {"space", "sample", file}},
        {R"({"schema_version": "1.0.0", "metadata": {"timeunit": "ms"}, "results": [
             {"timestamp": "", "configuration": {"A": 1}, "times": {"runtimes": [1.0, 2.0]},
              "invalidity": "correct", "correctness": 1, "objectives": ["time"],
              "measurements": [{"name": "time", "value": 1.5, "unit": "ms"}]}]})",
         {"import", store, file, "--kernel", "k"}},
        {R"({"device_name": "GPU", "kernel_name": "v", "problem_size": [4, 4], "objective": "time",
             "tune_params_keys": ["A"], "tune_params": {"A": [1, 2]},
             "cache": {"1": {"A": 1, "time": 0.5, "times": [0.5, 0.6]},
                       "2": {"A": 2, "time": "InvalidConfig"}}})",
         {"import", store, file}},
        {run_here({"export", folder.file("known.attune"), "--format", "json"}).out,
         {"import", store, file}}};
    return all;
}

} // namespace

TEST_CASE("no reader of a file says what a library says")
{
    auto const [folder, file] = support::scratch_file("file.json");
    std::vector<reader> const all = readers(folder, file);
    for (reader const& one : all) {
        REQUIRE_NOTHROW(static_cast<void>(json::parse(one.right)));
        support::write_file(file, one.right);
        ran const right = run_here(one.words);
        CHECK_MESSAGE(right.code == 0, right.err);
        for (std::string const& text : spoilt(one.right)) {
            CAPTURE(text);
            support::write_file(file, text);
            ran const got = run_here(one.words);
            CHECK(got.code >= 0);
            check_words(got.err);
            check_words(got.out);
        }
    }
    // The lines of attune ask, and the configuration of space explain.
    support::write_file(file, R"({"params": [{"name": "A", "values": [1, 2]}]})");
    for (char const* const line :
         {R"({"ask": 1})", R"({"tell": {"A": 1}, "value": 1.5, "low": 1, "high": 2})",
          R"({"observe": {"A": 2}, "failed": "crash", "why": "x"})", R"({"best": true})"})
        for (std::string const& text : spoilt(line)) {
            CAPTURE(text);
            ran const got = run_here({"ask", file}, text + "\n");
            CHECK(got.code == 0);
            check_words(got.out + got.err);
            ran const told = run_here({"space", "explain", file, text});
            check_words(told.out + told.err);
        }
}

TEST_CASE("what is wrong in a file of results has its line and column")
{
    support::scratch_directory const folder;
    std::string const file = folder.file("f.json"), store = folder.file("s");
    struct wrong {
        char const* text;
        char const* said;
    };
    for (wrong const& one : {
             wrong{"{\"attune_export\": 1, \"problems\": [\n {\"kernel\": \"k\", \"inputs\": 5}]}",
                   "expected an object, line 2, column 28, at '5'"},
             wrong{"{\"attune_export\": 1,\n\"problems\": {}}",
                   "expected a list, line 2, column 13, at '{'"},
             wrong{"{\"attune_export\": 1, \"problems\": [{\"kernel\": \"k\", \"inputs\": {}, "
                   "\"setting\": {}, \"facts\": {}, \"parameters\": [\"A\"],\n \"outcomes\": "
                   "[{\"configuration\": {\"A\": 1}}]}]}",
                   "expected a text, line 2, column 39, at '1'"},
             wrong{"{\"attune_export\": 1, \"problems\": [{\"kernel\": \"k\", \"inputs\": {}, "
                   "\"setting\": {}, \"facts\": {}, \"parameters\": [\"A\"],\n \"outcomes\": "
                   "[{\"configuration\": {\"A\": \"1\"},\n  \"seconds\": \"x\"}]}]}",
                   "expected a number, line 3, column 14, at '\"x\"'"},
             wrong{"{\"results\": [{\"configuration\": {\"A\": 1}, \"times\": NaN, "
                   "\"measurements\": [{\"name\": \"time\", \"value\": 1}]},\n"
                   " {\"configuration\": {\"B\": 1}, \"measurements\": [{\"name\": \"time\", "
                   "\"value\": 1}]}]}",
                   "a configuration has no A, line 2, column 20, at '{'"},
             wrong{"{\"results\":\n 7}", "\"results\" is no list, line 2, column 2, at '7'"},
             wrong{"{\"results\": [\n {\"configuration\": []}]}",
                   "a result has no configuration, line 2, column 20, at '['"},
             wrong{"{\"cache\": {},\n\"tune_params_keys\": \"A\"}",
                   "the cache has no list \"tune_params_keys\", line 2, column 21, at '\"A\"'"},
             wrong{"{\"tune_params_keys\": [\"A\"], \"cache\": {\n\"1\": {\"time\": 1}}}",
                   "a configuration has no A, line 2, column 6, at '{'"},
         }) {
        support::write_file(file, one.text);
        ran const got = run_here({"import", store, file, "--kernel", "k"});
        CHECK(got.code == 3);
        CHECK_MESSAGE(has(got.err, one.said), got.err);
    }
}

TEST_CASE("results of Windows are read, and a result that is torn is counted")
{
    support::scratch_directory const folder;
    std::string const file = folder.file("f.json"), store = folder.file("s");
    support::write_file(file, "\xef\xbb\xbf{\"results\": [{\"configuration\": {\"A\": 1}, "
                              "\"measurements\": [{\"name\": \"time\", \"value\": 2, \"unit\": "
                              "\" NanoSeconds \"}]}]}");
    ran const got = run_here({"import", store, file, "--kernel", "k"});
    CHECK_MESSAGE(has(got.out, "1 of 1 outcomes are new"), got.err);
    CHECK(has(run_here({"export", store, "--format", "csv"}).out, ",ok,2e-09,"));
    support::write_file(file,
                        "{\"kernel_name\": \"v\", \"tune_params_keys\": [\"A\"], \"cache\": {\n"
                        "\"1\": {\"A\": 1, \"time\": 1},\n\"2\": {\"A\": 2, \"ti");
    ran const torn = run_here({"import", store, file});
    CHECK(torn.code == 0);
    CHECK(has(torn.err, "1 result is left out; of the first: the file ends inside of it"));
}

TEST_CASE("a file or line with bytes that are changed, doubled or gone ends with a sentence")
{
    auto const [folder, file] = support::scratch_file("file.json");
    std::vector<reader> all = readers(folder, file);
    all.push_back({run_here({"export", folder.file("known.attune"), "--format", "csv"}).out,
                   {"import", folder.file("a.attune"), file}});
    std::string const lines =
        "{\"ask\": 1}\n{\"observe\": {\"A\": 1}, \"value\": 1.5, \"low\": 1}\n"
        "{\"observe\": {\"A\": 2}, \"failed\": \"crash\"}\n{\"best\": true}\n";
    std::string const space = folder.file("space.json");
    support::write_file(space, R"({"params": [{"name": "A", "values": [1, 2]}]})");
    all.push_back({lines, {"ask", space}});
    attune::random_engine engine(5);
    auto const below = [&](std::size_t n) { return static_cast<std::size_t>(engine() % n); };
    std::string const odd = "{}[]\",:\\0 1e9-.\n\r\t\xff\x80'=;nN";
    for (reader const& one : all)
        for (int i = 0; i < 150; ++i) {
            std::string text = one.right;
            for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
                if (text.empty()) text = "{";
                std::size_t const at = below(text.size());
                std::size_t const count = std::min(1 + below(12), text.size() - at);
                switch (below(4)) {
                case 0:
                    text[at] = odd[below(odd.size())];
                    break;
                case 1:
                    text.insert(at, 1, odd[below(odd.size())]);
                    break;
                case 2:
                    text.insert(at, text.substr(at, count));
                    break;
                default:
                    text.erase(at, count);
                }
            }
            CAPTURE(text);
            support::write_file(file, text);
            ran const got = run_here(one.words, one.words[0] == "ask" ? text : "");
            CHECK((got.code == 0 || got.code == 1 || got.code == 2 || got.code == 3));
            CHECK((got.code < 2 || std::ranges::count(got.err, '\n') == 1));
            check_words(got.out + got.err);
        }
}
