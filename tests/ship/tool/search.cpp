// tests/ship/tool/search.cpp - attune ask and attune minimize: other programs are tuned.
// SPDX-License-Identifier: MIT
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/ship/tool/tool.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <utility>

#include "../../support/set_variable.hpp"
#include "run_here.hpp"

using attune_test::has;
using nlohmann::json;
using support::ran;
using support::run_here;

namespace {

char const* const space = R"({"name": "run", "params": [
    {"name": "A", "values": [1, 2, 3, 4, 5, 6, 7, 8], "default": 1},
    {"name": "MODE", "values": ["slow", "fast"], "default": "slow"}],
  "constraints": ["A != 4"]})";
char const* const t1 = R"({"ConfigurationSpace": {
    "TuningParameters": [{"Name": "A", "Type": "int", "Values": "[1, 2]", "Default": 1}],
    "Conditions": []}, "KernelSpecification": {"KernelName": "gemm"}})";

std::vector<std::string> joined(std::vector<std::string> words,
                                std::vector<std::string> const& more,
                                std::vector<std::string> const& last = {})
{
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), last.begin(), last.end());
    return words;
}

/// Prints |A - 5|, and 10 more where MODE is slow; A = 6 fails.
std::vector<std::string> with_program(std::vector<std::string> const& words)
{
    return joined(words,
                  {"--", "sh", "-c",
                   "a={A}; [ $a != 6 ] || exit 3; [ {MODE} = fast ] && b=0 || b=10; d=$((a - 5)); "
                   "echo \"cost: $((b + (d < 0 ? -d : d)))\""});
}

std::vector<json> replies(std::string const& out)
{
    std::vector<json> all;
    std::istringstream in(out);
    for (std::string line; std::getline(in, line);)
        all.push_back(json::parse(line));
    return all;
}

bool says(json const& text, std::string const& part)
{
    return attune_test::has(text.get<std::string>(), part);
}

} // namespace

TEST_CASE("ask and tell by lines: each has one reply, and what is wrong changes nothing")
{
    auto const [folder, file] = support::scratch_file("space.json", space);
    ran const got = run_here(
        {"ask", file}, "{\"best\": true}\n"
                       "{\"ask\": 1}\n"
                       "{\"tell\": {\"A\": 1, \"MODE\": \"slow\"}, \"value\": 14}\n"
                       "\n"
                       "{\"tell\": {\"A\": 1, \"MODE\": \"slow\"}, \"value\": 14}\n"
                       "nonsense\n"
                       "{\"tell\": {\"A\": 1}, \"value\": 1}\n"
                       "{\"tell\": {\"A\": 9, \"MODE\": \"slow\"}, \"value\": 1}\n"
                       "{\"observe\": {\"A\": 4, \"MODE\": \"slow\"}, \"value\": 1}\n"
                       "{\"observe\": {\"A\": 5, \"MODE\": \"fast\"}, \"value\": 0}\n"
                       "{\"observe\": {\"A\": 6, \"MODE\": \"fast\"}, \"failed\": \"crash\"}\n"
                       "{\"observe\": {\"A\": 7, \"MODE\": \"fast\"}, \"failed\": \"lost\"}\n"
                       "{\"ask\": -1}\n"
                       "{\"hello\": 1}\n"
                       "[]\n"
                       "{\"best\": 1}\n"
                       "{\"ask\": 99}\n"
                       "{\"ask\": 1}\n"
                       "{\"observe\": {\"A\": 8, \"MODE\": \"fast\"}, \"value\": 3, \"low\": 4}\n");
    CHECK(got.code == 0);
    CHECK(got.err.empty());
    std::vector<json> all = replies(got.out);
    REQUIRE(all.size() == 19);
    CHECK(says(all[3]["error"], "no JSON object")); // each line has a reply
    all.erase(all.begin() + 3);
    CHECK(all[0] == json{{"best", nullptr}});
    CHECK(all[1]["ask"] == json::array({{{"A", 1}, {"MODE", "slow"}}})); // the default
    CHECK(all[2] == json{{"told", true}});
    for (auto const& [at, error] :
         {std::pair{3U, "told before"}, std::pair{4U, "no JSON object"},
          std::pair{5U, "no value (MODE)"}, std::pair{6U, "no such value (A = 9)"},
          std::pair{7U, "breaks A != 4"}, std::pair{10U, "no such failure (lost)"},
          std::pair{11U, "ask takes a number"}, std::pair{12U, "asks for nothing"},
          std::pair{13U, "no JSON object"}, std::pair{17U, "not in its interval"}})
        CHECK(says(all[at]["error"], error));
    CHECK(all[8].contains("told"));
    CHECK(all[9].contains("told"));
    CHECK(all[14] == json{{"best", {{"A", 5}, {"MODE", "fast"}}}, {"value", 0.0}});
    CHECK(all[15]["ask"].size() == 11); // of 14, 3 were told
    CHECK(all[16]["ask"].empty());
}

TEST_CASE("ask does one thing for each line, and names what it cannot read")
{
    auto const [folder, file] = support::scratch_file("space.json", t1);
    ran const got =
        run_here({"ask", file}, "{\"ask\":1,\"tell\":{\"A\":2},\"value\":1}\n"
                                "{\"tell\":{\"A\":1},\"value\":NaN}\n"
                                "{\"observe\":{\"A\":1},\"value\":2,\"low\":null}\n"
                                "{\"observe\":{\"A\":1},\"value\":2,\"low\":}\n"
                                "{\"observe\":{\"A\":1.0},\"value\":2}\n"
                                "{\"observe\":{\"A\":2.5},\"value\":2}\n"
                                "{\"ask\":1\n"
                                "{\"observe\":{\"A\":1},\"value\":2,\"value\":1}\n"
                                "{\"observe\":{\"A\":1,\"A\":2},\"value\":2}\n"
                                "{\"observe\":{\"A\":1},\"value\":2,\"failed\":\"crash\"}\n"
                                "{\"best\":1}\n"
                                "{\"tell\":NaN,\"low\":-Infinity,\"value\":}\n" +
                                    std::string(100'000, '[') + "\n");
    std::vector<json> const all = replies(got.out);
    REQUIRE(all.size() == 13);
    CHECK(says(all[11]["error"], "line 1, column 37, at '}'"));
    CHECK(says(all[12]["error"], "line 1, column 1001, at '[', with 1000 brackets around it"));
    for (auto const& [at, error] :
         {std::pair{0U, "two things (ask and tell)"},
          std::pair{1U, "\"value\" is no number (\"NaN\")"},
          std::pair{2U, "\"low\" is no number (null)"}, std::pair{3U, "line 1, column 36, at '}'"},
          std::pair{5U, "no such value (A = 2.5)"},
          std::pair{6U, "line 1, column 9, where it ends"}, std::pair{7U, "a member twice (value)"},
          std::pair{8U, "a member twice (A)"}, std::pair{9U, "both \"value\" and \"failed\""}})
        CHECK(says(all[at]["error"], error));
    CHECK(all[10]["value"] == 2.0);
    CHECK(!says(all[3]["error"], "exception"));
    CHECK(all[4] == json{{"told", true}});
}

TEST_CASE("ask --maximize, and what is no failure")
{
    auto const [folder, file] = support::scratch_file("space.json", t1);
    ran const got = run_here({"ask", file, "--maximize"},
                             "{\"observe\":{\"A\":1},\"value\":-3,\"low\":-4,\"high\":-1}\n"
                             "{\"observe\":{\"A\":2},\"value\":0}\n"
                             "{\"best\":1}\n");
    CHECK(replies(got.out).at(2) == json{{"best", {{"A", 2}}}, {"value", 0.0}});
    CHECK(!has(got.out, "-0"));
    std::vector<json> const all =
        replies(run_here({"ask", file}, "{\"observe\":{\"A\":1},\"failed\":false}\n"
                                        "{\"observe\":{\"A\":1},\"failed\":null,\"value\":2}\n"
                                        "{\"observe\":{\"A\":1},\"failed\":5}\n"
                                        "{\"observe\":{\"A\":2},\"failed\":true}\n"
                                        "{\"best\":1}\n")
                    .out);
    CHECK(says(all.at(0)["error"], "there is no value"));
    CHECK(says(all.at(2)["error"], "no such failure (5)"));
    CHECK(all.at(3) == json{{"told", true}});
    CHECK(all.at(4)["value"] == 2.0);
}

TEST_CASE("minimize finds the words with which a program prints least, and learns from failures")
{
    support::scratch_directory const folder;
    std::string const file = folder.file("space.json"), store = folder.file("run.attune");
    support::write_file(file, space);
    ran const got = run_here(with_program({"minimize", file, "--store", store}));
    CHECK(got.code == 0);
    CHECK(got.out.starts_with("0: A=5 MODE=fast\nsh -c 'a=5; "));
    CHECK(has(got.err, "14 evaluations, 14 runs, 2 crashed"));
    ran const again = run_here(with_program({"minimize", file, "--store", store, "--json"}));
    CHECK(json::parse(again.out) == json{{"best", {{"A", 5}, {"MODE", "fast"}}},
                                         {"value", 0.0},
                                         {"evaluations", 14},
                                         {"runs", 0},
                                         {"failures", 2},
                                         {"first_failure", json::parse(again.out)["first_failure"]},
                                         {"interrupted", false}});
    CHECK(run_here({"best", store}).out == "A=5 MODE=fast\n");
    CHECK(has(run_here({"explain", store}).out, "ended with 3"));
    support::write_file(file, t1);
    ran const cut = run_here({"minimize", file, "--evaluations=1", "--", "echo", "{}", "7"});
    CHECK(cut.out == "7: A=1\necho '{\"A\":1}' 7\n");
}

TEST_CASE("arrays and long orders are lists of JSON, and one word each of a program")
{
    support::scratch_directory const folder;
    std::string const file = folder.file("space.json"), store = folder.file("run.attune");
    support::write_file(file, R"({"name": "lists", "params": [
        {"name": "O", "kind": "permutation", "parts": 13,
         "default": [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]},
        {"name": "C", "elements": 2, "range": [1, 3], "default": [1, 2]},
        {"name": "M", "elements": 2, "values": ["a b", "c"], "default": ["c", "a b"]}]})");
    json const start = {
        {"O", {12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}}, {"C", {1, 2}}, {"M", {"c", "a b"}}};
    json const other = {
        {"O", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 11}}, {"C", {3, 3}}, {"M", {"a b", "a b"}}};
    json broken = other;
    broken["O"][0] = 1;
    ran const got = run_here({"ask", file}, "{\"ask\": 1}\n"
                                            "{\"observe\": " +
                                                other.dump() +
                                                ", \"value\": 2}\n"
                                                "{\"observe\": " +
                                                broken.dump() +
                                                ", \"value\": 1}\n"
                                                "{\"best\": true}\n");
    std::vector<json> const all = replies(got.out);
    REQUIRE(all.size() == 4);
    CHECK(all[0]["ask"] == json::array({start}));
    CHECK(all[1].contains("told"));
    CHECK(says(all[2]["error"], "no such value (O = {1, 1, 2"));
    CHECK(all[3] == json{{"best", other}, {"value", 2.0}});
    std::vector<std::string> const words{
        "minimize", file, "--evaluations=1", "--store", store, "--", "echo", "{O}", "{C} {M}", "7"};
    ran const shown = run_here(words);
    CHECK(shown.out.starts_with(
        "7: O={12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0} C={1, 2} M={c, a b}\n"));
    CHECK(has(shown.err, "1 run\n"));
    CHECK(has(run_here(words).err, "0 runs")); // known to the store, by the same texts
    CHECK(run_here({"best", store}).out ==
          "'O={12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}' 'C={1, 2}' 'M={c, a b}'\n");
    CHECK(has(run_here({"minimize", file, "--", "echo", "{O} {C} 7"}).err,
              "the program is not told M; write {M}"));
}

TEST_CASE("minimize: programs that hang, die, say nothing, or do not exist")
{
    auto const [folder, file] = support::scratch_file("space.json", t1);
    auto const minimize = [&](std::vector<std::string> const& options, char const* script) {
        return run_here(joined({"minimize", file}, options, {"--", "sh", "-c", script}));
    };
    CHECK(has(minimize({"--timeout", "0.05"}, "sleep 5; echo {A}").err, "2 ran too long"));
    ran const died = minimize({}, "kill -9 $$; echo {A}");
    CHECK(died.code == 1);
    CHECK(has(died.err, "2 crashed"));
    CHECK(has(died.err, "no configuration worked"));
    ran const unread = minimize({}, "echo head; echo {A} ms");
    CHECK(has(unread.err, "2 printed no number that can be read"));
    CHECK(has(unread.err, "the first failure: A=1: no number: its last line does not end in a "
                          "number: 1 ms"));
    CHECK(has(minimize({}, "echo {A}; echo nan").err, "its number is not finite: nan"));
    CHECK(minimize({"--repeat", "3"}, "echo 1; echo {A}").out.starts_with("1: A=1\n"));
    CHECK(minimize({"--wall-time"}, ": {A}").code == 0);
    ran const unknown = run_here({"minimize", file, "--", "echo", "{B} {A}"});
    CHECK(unknown.code == 2);
    CHECK(has(unknown.err, "no parameter B; did you mean {A}?"));
    CHECK(has(run_here({"minimize", file, "--", "echo"}).err, "not told A; write {A}"));
    CHECK(has(run_here({"minimize", file}).err, "name the program behind --"));
    ran const none = run_here({"minimize", file, "--", folder.file("none"), "{A}"});
    CHECK(none.code == 3);
    CHECK(has(none.err, "no such program"));
    CHECK(run_here({"minimize", file, "--search", "luck", "--", "echo", "{A}"}).code == 2);
}

TEST_CASE("minimize: a comma or a colon inside of digits is no number's begin")
{
    auto const [folder, file] = support::scratch_file("space.json", t1);
    support::write_file(folder.file("p.sh"), "echo \"$2\"\n");
    auto const minimize = [&](std::vector<std::string> const& options, std::string const& printed) {
        std::string const doubled = std::regex_replace(printed, std::regex("[{]"), "{{");
        return run_here(joined({"minimize", file}, options,
                               {"--", "sh", folder.file("p.sh"), "{A}",
                                std::regex_replace(doubled, std::regex("[}]"), "}}")}));
    };
    for (char const* const refused :
         {"0,98", "1,234", "0:59.10", "1:00.50", "12,999.5", "t1:2", "1 234", "ms: 12 999.5",
          "1.5 +/- 0.2", "1.5 \u00b1 0.2", "1.5 \u00b10.2", "t: 1.5+-0.2"}) {
        CAPTURE(refused);
        CHECK(has(minimize({}, refused).err, "2 printed no number"));
    }
    for (char const* const read :
         {"5", "t=5", "time:5", "a, 5", "3 5", "x,5", "2024 5", "+5", "=+5."}) {
        CAPTURE(read);
        CHECK(minimize({}, read).out.starts_with("5: A="));
    }
    CHECK(has(minimize({}, "1 234").err, "one number or in two, and --pattern says which: 1 234"));
    for (char const* const error : {"1.5 +/- 0.2", "1.5 \u00b10.2", "t: 1.5+-0.2"}) {
        CAPTURE(error);
        ran const none = minimize({}, error);
        CHECK(has(none.err, "ends in a number and its error, and --pattern says which: "));
        CHECK(has(none.err, error));
    }
    CHECK(
        minimize({"--pattern", "([0-9.]+) *\u00b1"}, "1.5 \u00b1 0.2").out.starts_with("1.5: A="));
    CHECK(minimize({"--pattern", "=(.*)"}, "t=1 234,5").out.starts_with("1234.5: A="));
    CHECK(minimize({}, "3.5 500").out.starts_with("500: A="));
    CHECK(minimize({"--pattern", "took (.*) s"}, "took 0,98 s").out.starts_with("0.98: A="));
    CHECK(minimize({"--pattern", "^([0-9:.]+) real"}, "1:30.5 real").out.starts_with("90.5: A="));
    for (auto const& [number, value] : {std::pair{"0,980", "0.98"},
                                        {"12,345.6", "12345.6"},
                                        {"1.234,5", "1234.5"},
                                        {"+5", "5"},
                                        {"1,234,567", "1234567"},
                                        {"1.234.567", "1234567"},
                                        {"12345,678", "12345.678"},
                                        {"-1,5", "-1.5"},
                                        {"-1 234", "-1234"},
                                        {"+1,234.", "1234"},
                                        {"1.234", "1.234"},
                                        {"0:01,500", "1.5"},
                                        {"1,5e3", "1500"}}) {
        CAPTURE(number);
        CHECK(minimize({"--pattern", "(.*)"}, number).out.starts_with(value + std::string(": A=")));
    }
    for (auto const& [number, reason] :
         {std::pair{"1,234", "1,234 may be 1.234 or 1234: print it without a comma"},
          {"1e400", "1e400 is too large"},
          {"1,23,456", "1,23,456 is no number"},
          {"1.2.3", "1.2.3 is no number"},
          {"x", "x is no number"}}) {
        CAPTURE(number);
        CHECK(has(minimize({"--pattern", "(.*)"}, number).err, std::string("number: ") + reason));
    }
    CHECK(has(minimize({}, "1e400").err, "its number is too large"));
    std::string many = "100";
    while (many.size() < 60'000)
        many += " 100";
    CHECK(has(minimize({"--pattern", "(.*)"}, many).err, "... is no number"));
    CHECK(minimize({"--pattern", "("}, "1").code == 2);
    CHECK(minimize({"--pattern", "1"}, "1").code == 2);
    CHECK(minimize({"--json", "ms"}, R"({"ms": 2.5})").out.starts_with("2.5: A="));
    CHECK(has(minimize({"--json", "us"}, R"({"ms": 2.5})").err, "no line has member us"));
    std::string const deep = R"({"us": )" + std::string(60'000, '[') + std::string(60'000, ']');
    ran const nested = minimize({"--json", "us"}, deep + "}");
    CHECK(has(nested.err, "its last JSON cannot be read: {\"us\": [[["));
    CHECK(has(nested.err, ", with 1000 brackets around it"));
}

TEST_CASE("minimize reads whole lines, and of several numbers the last; or it says why not")
{
    auto const [folder, file] = support::scratch_file("space.json", t1);
    std::string const x(4093, 'x'), longer(5000, 'x');
    // What is printed, the options, and the number or a part of the reason.
    for (auto const& [text, options, reads] :
         std::vector<std::tuple<std::string, std::vector<std::string>, std::string>>{
             {x + "t=12345", {"--pattern", "t=([0-9]+)"}, "12345"},
             {"x" + x + x, {"--pattern", "t=([0-9]+)"}, "no line has pattern t=([0-9]+)"},
             {"t=100\rt=50\rt=5\r\n", {"--pattern", "t=([0-9]+)"}, "5"},
             {"t=100 t=50 t=5", {"--pattern", "t=([0-9]+)"}, "5"},
             {"x\rt=5", {"--pattern", "^t=([0-9]+)"}, "5"},
             {"t=5\r\n\r\n", {"--pattern", "t=([0-9]+)$"}, "5"},
             {"t=5\r\nx\r\n", {"--pattern", "([0-9]*)"}, "5"},
             {std::string(1'000'000, 'x'), {"--pattern", "(x*)y"}, "a line is too long"},
             {"{\"t\":1}\n{\"pad\":\"" + longer + "\",\"t\":5}", {"--json", "t"}, "5"},
             {"{\"t\":1}\n{\"t\":2,}", {"--json", "t"}, "its last JSON cannot be read: {\"t\":2,}"},
             {"{\"t\":2,}\n{\"t\":1}\n", {"--json", "t"}, "1"},
             {"{\"t\":1}\n{\"t\":", {"--json", "t"}, "its last JSON cannot be read"},
             {"it's {on}\n{\n \"runs\": [\n  {\"t\": 7}\n ],\n \"t\": 3\n}\ndone",
              {"--json", "t"},
              "3"},
             {"{info} a\n{\"t\":1}{\"t\":2} {\"u\":3}\n{info} b", {"--json", "t"}, "2"},
             {"{\"t\": \"}\", \"u\": NaN}", {"--json", "t"}, "\"}\" is no number"},
         }) {
        CAPTURE(text.substr(0, 80));
        support::write_file(folder.file("text"), text);
        ran const got =
            run_here(joined({"minimize", file, "--evaluations", "1"}, options,
                            {"--", "sh", "-c", "cat \"$1\" # {A}", "x", folder.file("text")}));
        CAPTURE(got.err);
        CHECK((got.code == 0 ? got.out.starts_with(reads + ": A=") : has(got.err, reads)));
    }
}

TEST_CASE("minimize: braces can be written, and inputs reach the program")
{
    auto const [folder, file] =
        support::scratch_file("space.json", R"({"name": "s", "inputs": {"N": "integer"},
        "problem": {"R": 0.1, "W": 4.0, "H": 1e23},
        "params": [{"name": "A", "values": [1, 2, 3], "default": 1}]})");
    auto const line_of = [&](std::string const& word) {
        ran const got = run_here(
            {"minimize", file, "--input", "N=7", "--evaluations=1", "--", "sh", "-c", word});
        CAPTURE(got.err);
        return got.out;
    };
    CHECK(has(line_of("for i in {A}; do echo ${i}; done"), "1: A=1"));
    CHECK(has(line_of("echo '{{}} {{A}}' >&2; echo {A}"), "echo '\\''{} {A}'\\'' >&2; echo 1"));
    CHECK(has(line_of("echo {A}{N}"), "17: A=1"));
    CHECK(has(line_of("echo {A} {R}x {W}x {H}x >&2; echo {A}"), "1 0.1x 4x 1e+23x >&2"));
    CHECK(has(line_of("awk 'BEGIN {print {A}}'"), "1: A=1"));
}

TEST_CASE("minimize --maximize finds the highest number")
{
    support::scratch_directory const folder;
    std::string const file = folder.file("space.json"), store = folder.file("s");
    support::write_file(file, t1);
    std::vector<std::string> const words{"minimize", file, "--maximize", "--store",
                                         store,      "--", "echo",       "{A}"};
    CHECK(run_here(words).out.starts_with("2: A=2\n"));
    ran const again = run_here(words);
    CHECK(again.out.starts_with("2: A=2\n"));
    CHECK(has(again.err, "0 runs"));
    CHECK(
        run_here({"minimize", file, "--store", store, "--", "echo", "{A}"}).out.starts_with("1: "));
}

TEST_CASE("a store keeps the unit and the direction of what a program prints, and views show them")
{
    auto const [folder, file] = support::scratch_file("space.json");
    std::string const store = folder.file("rates.attune");
    support::write_file(file, R"({"name": "rate", "params": [
        {"name": "A", "values": [1, 2, 3], "default": 1}]})");
    std::vector<std::string> const program{"--", "sh", "-c", "echo $(({A} * 10))"};
    auto const minimize = [&](std::vector<std::string> const& with) {
        return run_here(joined({"minimize", file, "--store", store}, with, program));
    };
    CHECK(minimize({"--maximize", "--unit", "GFLOP/s"}).out.starts_with("30 GFLOP/s: A=3\n"));
    CHECK(json::parse(minimize({"--maximize", "--unit", "GFLOP/s", "--json"}).out)["unit"] ==
          "GFLOP/s");
    CHECK(has(minimize({"--maximize", "--unit", "GFLOP/s"}).err, " 0 runs"));
    CHECK(has(minimize({"--unit", "J"}).err, " 3 runs")); // another problem
    CHECK(minimize({"--unit", "J", "--wall-time"}).code == 2);
    std::string const shown = run_here({"show", store}).out;
    CHECK(has(shown, "30 GFLOP/s"));
    CHECK(has(shown, "3.00x"));
    CHECK(has(shown, "10 J"));
    CHECK_FALSE(has(shown, " s "));
    auto const all = json::parse(run_here({"show", store, "--json"}).out);
    CHECK(all[0]["objective"] == json{{"unit", "GFLOP/s"}, {"better", "higher"}});
    CHECK(all[1]["objective"] == json{{"unit", "J"}, {"better", "lower"}});
    CHECK(has(run_here({"watch", store, "--once"}).out, "10 J"));
    std::string const rates = folder.file("alone.attune");
    CHECK(run_here({"merge", store, "-o", rates}).code == 0);
    std::string const page = folder.file("page.html");
    CHECK(run_here({"report", store, "-o", page}).code == 0);
    CHECK(has(support::read_file(page), "30 GFLOP/s"));
    CHECK(has(support::read_file(page), "</b> better than the default: "));
    CHECK_FALSE(has(support::read_file(page), ">30 s<"));
    std::string const results = folder.file("results");
    CHECK(run_here({"export", store, "--format", "t4", "-o", results + "/"}).code == 0);
    bool has_rate = false;
    for (auto const& entry : std::filesystem::directory_iterator(results)) {
        json const t4 = json::parse(support::read_file(entry.path().string()));
        has_rate = has_rate || t4.contains("higher_is_better");
        for (json const& one : t4["results"]) {
            CHECK(one["objectives"] == json::array({"value"}));
            CHECK(one["measurements"][0]["name"] == "value");
            CHECK(one["measurements"][0]["value"] == 10 * one["configuration"]["A"].get<int>());
            CHECK(one["measurements"][0]["unit"] ==
                  (t4.contains("higher_is_better") ? "GFLOP/s" : "J"));
        }
    }
    CHECK(has_rate);
    std::string const alone = folder.file("one.attune");
    CHECK(run_here(
              joined({"minimize", file, "--store", alone, "--maximize", "--unit", "x/s"}, program))
              .code == 0);
    std::string const why = run_here({"explain", alone}).out;
    CHECK(has(why, "value     30 x/s; the highest is best"));
    CHECK(has(why, "10 x/s: the best is 3.00x better than the default"));
}

TEST_CASE("minimize --store keeps apart what is measured, the limit, and the program's file")
{
    support::scratch_directory const folder;
    std::string const file = folder.file("space.json"), program = folder.file("p.sh");
    support::write_file(file, t1);
    support::write_file(program, "sleep 0.$((3 - $1)); echo $1\n");
    auto const minimize = [&](std::vector<std::string> const& options, char const* store) {
        return run_here(joined({"minimize", file, "--store", folder.file(store)}, options,
                               {"--", "sh", program, "{A}"}));
    };
    CHECK(minimize({}, "1").out.starts_with("1: A=1"));
    CHECK(has(minimize({"--wall-time"}, "1").out, ": A=2"));
    ran const known = minimize({}, "1");
    CHECK(has(known.err, "has 2 outcomes of this program; files that the program itself reads are "
                         "not compared; --anew measures anew"));
    CHECK(has(known.err, "0 runs"));
    CHECK(has(minimize({"--anew"}, "1").err, "2 runs"));
    CHECK(has(minimize({"--timeout", "0.15"}, "2").err, "1 ran too long"));
    CHECK(minimize({"--timeout", "50"}, "2").out.starts_with("1: A=1"));
    support::write_file(program, "exit 1\n");
    CHECK(minimize({}, "3").code == 1);
    support::write_file(program, "echo $1\n");
    ran const repaired = minimize({}, "3");
    CHECK(repaired.out.starts_with("1: A=1"));
    CHECK(has(repaired.err,
              "has 2 outcomes of a program whose files, arguments or environment were others"));
    CHECK_FALSE(
        has(minimize({"--timeout", "50"}, "3").err, "not taken")); // more than one thing differs
    std::ofstream(folder.file("3"), std::ios::app) << "{\"at\":\"torn"; // power was lost
    ran const torn = minimize({}, "3");
    CHECK(torn.code == 0);
    CHECK(has(torn.err, "damaged record skipped"));
    CHECK(has(torn.err, "attune prune removes it"));
    CHECK(has(torn.err, "0 runs"));
    // The same on another processor: nothing is taken, and that is said.
    std::string elsewhere =
        std::regex_replace(support::read_file(folder.file("1")),
                           std::regex("\"device\":\"[^\"]*\""), "\"device\":\"a 6502\"");
    elsewhere = std::regex_replace(elsewhere, std::regex(",\"sum\":\"[0-9a-f]*\""), "");
    support::write_file(folder.file("4"), elsewhere);
    support::write_file(program, "sleep 0.$((3 - $1)); echo $1\n");
    ran const there = minimize({}, "4");
    CHECK(has(there.err, " outcomes of another processor (a 6502); not taken"));
    CHECK(has(there.err, "2 runs"));
}

TEST_CASE("minimize --store: files of options, the environment, more runs, files inside a text")
{
    support::scratch_directory const folder;
    std::string const file = folder.file("space.json"), data = folder.file("data");
    support::write_file(file, t1);
    std::string store;
    auto const runs = [&](std::vector<std::string> const& program,
                          std::vector<std::string> const& options = {}) {
        ran const got = run_here(
            joined({"minimize", file, "--store", store}, options, joined({"--"}, program)));
        CAPTURE(got.err);
        CHECK(got.code == 0);
        return got.err.substr(got.err.find(", ", got.err.find(" evaluation")) + 2, 6);
    };
    store = folder.file("1");
    std::vector<std::string> const by_option{"sh", "-c", "echo {A}", "x", "--in=" + data};
    support::write_file(data, "5");
    CHECK(runs(by_option) == "2 runs");
    CHECK(runs(by_option) == "0 runs");
    support::write_file(data, "7");
    CHECK(runs(by_option) == "2 runs");
    store = folder.file("2");
    for (auto const& [variable, text] : {std::pair{"OMP_NUM_THREADS", ""},
                                         {"GOMAXPROCS", ""},
                                         {"ATTUNE_TEST_NAMED", "$ATTUNE_TEST_NAMED"},
                                         {"ATTUNE_TEST_NAMED", "$(ATTUNE_TEST_NAMED)"},
                                         {"ATTUNE_TEST_NAMED", "$ENV{{ATTUNE_TEST_NAMED}}"},
                                         {"ATTUNE_TEST_NAMED", "ENVIRON[\"ATTUNE_TEST_NAMED\"]"},
                                         {"ATTUNE_TEST_NAMED", "os.Getenv(\"ATTUNE_TEST_NAMED\")"},
                                         {"ATTUNE_TEST_NAMED", "printenv ATTUNE_TEST_NAMED"}}) {
        CAPTURE(text);
        std::vector<std::string> const named{"sh", "-c", "echo {A} # " + std::string(text)};
        attune_test::set_variable const one(variable, "1");
        CHECK(runs(named) == "2 runs");
        CHECK(runs(named) == "0 runs");
        attune_test::set_variable const two(variable, "2");
        CHECK(runs(named) == "2 runs");
        attune_test::set_variable const other("ATTUNE_TEST_NAMED_OTHER", "2");
        CHECK(runs(named) == "0 runs");
    }
    store = folder.file("3");
    CHECK(runs({"echo", "{A}"}) == "2 runs");
    CHECK(runs({"echo", "{A}"}, {"--repeat", "3"}) == "2 runs"); // one sample each is too few
    CHECK(runs({"echo", "{A}"}) == "0 runs");
    // A run may write a file inside a text, as make does: only what is newer counts.
    store = folder.file("4");
    std::vector<std::string> const text{"sh", "-c", "echo {A} | tee " + data};
    CHECK(runs(text) == "2 runs");
    CHECK(runs(text) == "0 runs");
    std::filesystem::last_write_time(data, std::filesystem::last_write_time(store) +
                                               std::chrono::seconds(2));
    CHECK(runs(text, {"--evaluations=1"}).starts_with("1 run"));
    CHECK(runs(text).starts_with("1 run")); // A = 2 has no outcome since the change
    CHECK(runs(text) == "0 runs");
    CHECK(run_here({"best", store}).code == 0); // of the latest problem alone
    // Some runs write a file, others do not.
    store = folder.file("writer");
    std::string const source = folder.file("source");
    support::write_file(source, "echo $1\n");
    std::vector<std::string> const some{
        "sh", "-c", "[ {A} = 1 ] && date +%N >" + data + "; sh " + source + " {A}"};
    CHECK(runs(some) == "2 runs");
    CHECK(runs(some) == "0 runs");
    std::this_thread::sleep_for(
        std::chrono::milliseconds(20)); // clocks of files have steps of 4 ms
    support::write_file(source, "echo $((10 - $1))\n");
    CHECK(runs(some, {"--evaluations=1"}).starts_with("1 run"));
    CHECK(runs(some).starts_with("1 run"));
    CHECK(
        run_here(joined({"minimize", file, "--store", store, "--"}, some)).out.starts_with("8: "));
    // A file with another content, although its time is older, and one whose name has a value.
    auto const file_is = [&](std::string const& path, char const* content) {
        std::string const other = folder.file("other");
        support::write_file(other, content);
        std::filesystem::permissions(other, std::filesystem::perms::owner_all);
        std::filesystem::last_write_time(other, std::filesystem::file_time_type{});
        std::filesystem::rename(other, path);
    };
    attune_test::set_variable const path("PATH", folder.file(".") + ':' + ::getenv("PATH"));
    std::filesystem::create_directory(folder.file("mod"));
    int number = 5;
    for (auto const& [changed, words] :
         std::vector<std::pair<std::string, std::vector<std::string>>>{
             {"cur", {"sh", "-c", folder.file("cur") + " {A}"}},
             {"cur", {"sh", "-c", "cur {A}"}},
             {"cur2", {folder.file("cur{A}")}},
             {"cur2", {"sh", folder.file("cur{A}")}},
             {"cur2", {"sh", "-c", "sh " + folder.file("cur{A}")}},
             {"list", {"sh", "-c", "echo {A}", "x", "-f" + folder.file("list")}},
             {"mod/part.py", {"sh", "-c", "echo {A}", "-m", folder.file("mod") + ".part"}},
         }) {
        CAPTURE(words.back());
        for (char const* const name : {"cur1", "cur2"})
            file_is(folder.file(name), "#!/bin/sh\necho 1\n");
        file_is(folder.file(changed), "#!/bin/sh\necho 1\n");
        store = folder.file(std::to_string(number++));
        CHECK(runs(words) == "2 runs");
        CHECK(runs(words) == "0 runs");
        file_is(folder.file(changed), "#!/bin/sh\necho 2\n");
        CHECK(runs(words) == "2 runs");
        CHECK(runs(words) == "0 runs");
    }
}

TEST_CASE("a pattern that takes a part of a number means the whole number")
{
    auto const [folder, file] = support::scratch_file("space.json", t1);
    auto const best = [&](std::string const& pattern, std::string const& one,
                          std::string const& two) {
        return run_here({"minimize", file, "--pattern", pattern, "--", "sh", "-c",
                         "[ {A} = 1 ] && echo '" + one + "' || echo '" + two + "'"})
            .out;
    };
    std::string const usual = "time: ([0-9.]+)";
    CHECK(best(usual, "time: 9.5e-05 s", "time: 0.0002 s").starts_with("9.5e-05: A=1"));
    CHECK(best(usual, "time: 3E+2", "time: 20").starts_with("20: A=2"));
    CHECK(best(usual, "time: 1,234.5 ms", "time: 12.7 ms").starts_with("12.7: A=2"));
    CHECK(best(usual, "time: 1:02.5", "time: 12.7").starts_with("12.7: A=2"));
    CHECK(best("([0-9.]+)", "score: -8.5", "score: 2").starts_with("-8.5: A=1"));
    CHECK(best("([0-9.]+)", "run 2-8", "run 2-9").starts_with("8: A=1"));
    CHECK(best("([0-9]+)e", "7e5", "8e1").starts_with("7: A=1")); // the pattern has the rest
    CHECK(best("time: ([0-9.]+)s", "time: 9s", "time: 8.s").starts_with("8: A=2"));
    CHECK(best(usual, "time: 9e", "time: 8.").starts_with("8: A=2"));
    // The end of a longer number is none, unless the pattern has what stands before it.
    for (char const* const longer :
         {"1 234 ms", "run 2: 12 999 ms", "1,234 ms", "1_234 ms", "1\u00a0234 ms", "12,999.5 ms",
          "0,98 ms", "1:00.50 ms", "1m0.50 ms"}) {
        CAPTURE(longer);
        CHECK(best("([0-9.]+) ms", "987 ms", longer).starts_with("987: A=1"));
        CHECK(best("([0-9]+) ms", "987 ms", longer).starts_with("987: A=1"));
    }
    CHECK(best("([0-9]+) ms", "987 ms", "1.234 ms").starts_with("987: A=1"));
    CHECK(best(" ([0-9]+) ms", "987 ms", "size 512 345 ms").starts_with("345: A=2"));
    CHECK(best(",([0-9]+)$", "64,9", "64,5").starts_with("5: A=2"));
    CHECK(best("([0-9.]+)$", "64,0.9", "64,0.5").starts_with("0.5: A=2"));
    CHECK(best("([0-9.]+) ms", "gpu1:19.5 ms", "gpu1:15.5 ms").starts_with("15.5: A=2"));
    CHECK(best("([0-9.]+)s", "real 0m9.25s", "real 0m8.50s").starts_with("8.5: A=2"));
    CHECK(best("([0-9.]+)$", "0:09.25", "00:08.50").starts_with("8.5: A=2"));
    CHECK(best("([0-9]+) ms", "step 7 99 ms", "step 7 45 ms").starts_with("45: A=2"));
    CHECK(has(
        run_here({"minimize", file, "--pattern", "([0-9]+) ms", "--", "echo", "{A} 234 ms"}).err,
        "its number may be 234 or 1 234: let the pattern match what stands before it"));
}

TEST_CASE("minimize --store gives the best outcome that it has, whatever this search meets")
{
    support::scratch_directory const folder;
    std::string const file = folder.file("space.json");
    support::write_file(file, R"({"params": [{"name": "A", "range": [1, 64]}]})");
    std::vector<std::string> const all{
        "minimize", file, "--store", folder.file("s"),
        "--",       "sh", "-c",      "echo $(( ({A} - 40) * ({A} - 40) ))"};
    ran const first = run_here(joined(
        {"minimize", file, "--store", folder.file("s"), "--evaluations=64", "--", "sh", "-c"},
        {all.back()}));
    CHECK(first.out.starts_with("0: A=40"));
    for (std::string const seed : {"1", "2"}) {
        ran const again = run_here(joined({"minimize", file, "--store", folder.file("s"),
                                           "--evaluations=1", "--seed", seed, "--", "sh", "-c"},
                                          {all.back()}));
        CHECK(again.out.starts_with("0: A=40"));
        CHECK(has(again.err, "0 runs"));
    }
}

TEST_CASE("a short search that finds a better configuration is the best of its store")
{
    support::scratch_directory const folder;
    std::string const file = folder.file("space.json"), store = folder.file("s");
    support::write_file(file, R"({"params": [{"name": "A", "range": [1, 100000]}]})");
    double best = HUGE_VAL;
    std::size_t better = 0;
    for (auto const& [evaluations, seed] : {std::pair{"30", "0"}, {"12", "1"}, {"12", "2"}}) {
        REQUIRE(run_here({"minimize", file, "--store", store, "--evaluations", evaluations,
                          "--seed", seed, "--", "sh", "-c", "echo $(( ({A} * 7919) % 100003 ))"})
                    .code == 0);
        double const now = json::parse(run_here({"best", store, "--json"}).out)["best"]["value"];
        json const rows = json::parse(run_here({"export", store}).out)["problems"][0]["outcomes"];
        double lowest = HUGE_VAL;
        for (json const& row : rows)
            lowest = std::min(lowest, row["value"].get<double>());
        CHECK(now == lowest);
        better += now < best ? 1 : 0;
        best = now;
    }
    CHECK(better > 1);
}

TEST_CASE("minimize refuses no evaluations and no repetitions, and says how often each ran")
{
    auto const [folder, file] = support::scratch_file("space.json", t1);
    for (char const* const option : {"--repeat", "--evaluations"}) {
        ran const got = run_here({"minimize", file, option, "0", "--", "echo", "{A}"});
        CHECK(got.code == 2);
        CHECK(has(got.err, std::string(option) + " takes a number from 1 on"));
    }
    CHECK(has(run_here({"minimize", file, "--repeat", "3", "--", "echo", "{A}"}).err,
              "2 runs, each 3 times\n"));
}

TEST_CASE(
    "minimize --store keeps apart variables that only a script reads, and those that are named")
{
    support::scratch_directory const folder;
    std::string const file = folder.file("space.json");
    support::write_file(file, t1);
    std::string store;
    auto const runs = [&](std::string const& script, std::vector<std::string> const& options = {}) {
        ran const got = run_here(
            joined({"minimize", file, "--store", store}, options, {"--", "sh", script, "{A}"}));
        CAPTURE(got.err);
        CHECK(got.code == 0);
        return got.err.substr(got.err.find("evaluations, ") + 13, 6);
    };
    int number = 0;
    for (char const* const body :
         {"#!/bin/sh\necho $1 # ${ATTUNE_TEST_READ:-3}\n", "echo $1 # $ATTUNE_TEST_READ\n",
          "echo $1 # os.environ.get(\"ATTUNE_TEST_READ\")\n",
          "#!/bin/sh\necho $1 # os.environ['ATTUNE_TEST_READ']\n"}) {
        store = folder.file("s" + std::to_string(number));
        std::string const script = folder.file("p" + std::to_string(number++));
        support::write_file(script, body);
        CHECK(runs(script) == "2 runs");
        attune_test::set_variable const one("ATTUNE_TEST_READ", "1");
        CHECK(runs(script) == "2 runs");
        CHECK(runs(script) == "0 runs");
        attune_test::set_variable const two("ATTUNE_TEST_READ", "2");
        CHECK(runs(script) == "2 runs");
        attune_test::set_variable const moved("PWD", "/elsewhere");
        attune_test::set_variable const other("ATTUNE_TEST_REA", "2");
        CHECK(runs(script) == "0 runs");
    }
    store = folder.file("named");
    std::string const silent = folder.file("silent");
    support::write_file(silent, "echo $1\n");
    attune_test::set_variable const one("ATTUNE_TEST_READ", "1");
    CHECK(runs(silent, {"--environment", "ATTUNE_TEST_READ"}) == "2 runs");
    attune_test::set_variable const two("ATTUNE_TEST_READ", "2");
    CHECK(runs(silent, {"--environment", "ATTUNE_TEST_READ"}) == "2 runs");
    CHECK(runs(silent, {"--environment", "ATTUNE_TEST_READ"}) == "0 runs");
}

TEST_CASE("a program that was changed has one best, that of the last tuning")
{
    support::scratch_directory const folder;
    std::string const file = folder.file("space.json"), store = folder.file("s");
    support::write_file(file, t1);
    for (char const* const sign : {"", "-"})
        CHECK(
            run_here({"minimize", file, "--store", store, "--", "echo", sign + std::string("{A}")})
                .code == 0);
    CHECK(run_here({"best", store}).out == "A=2\n");
    CHECK(run_here({"minimize", file, "--store", store, "--maximize", "--", "echo", "{A}"}).code ==
          0);
    CHECK(has(run_here({"best", store}).err, "2 problems are meant"));
}

TEST_CASE("minimize --seconds ends the run that is at work, which is no failure")
{
    auto const [folder, file] = support::scratch_file("space.json", t1);
    double const begun_s = attune::detail::steady_seconds();
    ran const got = run_here({"minimize", file, "--seconds", "0.3", "--", "sh", "-c",
                              "[ {A} = 1 ] || sleep 50; echo {A}"});
    CHECK(attune::detail::steady_seconds() - begun_s < 40);
    CHECK(got.out.starts_with("1: A=1\n"));
    CHECK(has(got.err, "1 evaluation, "));
    CHECK(!has(got.err, "failure"));
    ran const none =
        run_here({"minimize", file, "--seconds", "0.3", "--", "sh", "-c", "sleep 50; echo {A}"});
    CHECK(none.code == 1);
    CHECK(has(none.err, "0 evaluations, 1 run\n"));
    CHECK(has(none.err, "no run has ended"));
    ran const never = run_here({"minimize", file, "--seconds", "0", "--", "echo", "{A}"});
    CHECK(has(never.err, "0 evaluations, 0 runs\n"));
}

TEST_CASE("minimize ends what a run has left, also in a group of its own")
{
    auto const [folder, file] = support::scratch_file("space.json", t1);
    std::string const pids = folder.file("pids");
    auto const left = [&](std::vector<std::string> const& options, std::string const& script) {
        support::write_file(pids, "");
        static_cast<void>(run_here(joined({"minimize", file, "--evaluations", "1"}, options,
                                          {"--", "sh", "-c", script + "; echo {A}"})));
        std::istringstream all(support::read_file(pids));
        int count = 0;
        for (std::string pid; all >> pid;) { // the command line is empty for a moment in exec()
            std::string const state = support::read_file("/proc/" + pid + "/stat");
            std::size_t const at = state.rfind(") ");
            count += at != state.npos && state[at + 2] != 'Z' ? 1 : 0;
        }
        return count;
    };
    std::string const sleeps = "sh -c 'echo $$ >>" + pids + "; exec sleep 300'";
    std::string const wait = "; while [ ! -s " + pids + " ]; do :; done";
    for (std::vector<std::string> const& options :
         {std::vector<std::string>{"--timeout", "0.5"}, {"--seconds", "0.5"}})
        for (std::string const before : {"timeout 300 ", "setsid "}) {
            CAPTURE(before);
            CHECK(left(options, before + sleeps) == 0);
        }
    CHECK(left({}, sleeps + " >/dev/null 2>&1 &" + wait.substr(1)) == 0);
    // A session of its own is a server, which the next run may use.
    CHECK(left({}, "setsid " + sleeps + " >/dev/null 2>&1 &" + wait.substr(1)) == 1);
    ::kill(std::stoi(support::read_file(pids)), SIGKILL);
}

TEST_CASE("minimize says what is wrong with a program, its braces and its time")
{
    auto const [folder, file] = support::scratch_file("space.json", t1);
    CHECK(has(run_here({"minimize", file, "--", "sh", "-c", ": {A}"}).err,
              "no number: it wrote nothing to standard output\n"));
    CHECK(has(run_here({"minimize", file, "--", "sh", "-c", "exit {A}"}).err, "ended with 1\n"));
    ran const none = run_here({"minimize", file, "--timeout", "0", "--", "echo", "{A}"});
    CHECK(none.code == 2);
    CHECK(has(none.err, "--timeout takes seconds above 0"));
    support::write_file(folder.file("p.sh"), "echo 1\n");
    CHECK(has(run_here({"minimize", file, "--", folder.file("p.sh"), "{A}"}).err,
              "this file may not be executed"));
    double const begun_s = attune::detail::steady_seconds();
    ran const slow = run_here({"minimize", file, "--timeout", "0.3", "--pattern", "(a+)+b", "--",
                               "echo", std::string(99, 'a'), "{A}"});
    CHECK(attune::detail::steady_seconds() - begun_s < 40);
    CHECK(has(slow.err, "the search for pattern (a+)+b takes longer than 0.3 s"));
    std::string const said = "{} becomes all parameters as JSON in d={}";
    CHECK(has(run_here({"minimize", file, "--", "echo", "d={}", "{A}"}).err, said));
    CHECK(!has(run_here({"minimize", file, "--", "echo", "d={}", "1"}).err, said));
    CHECK(!has(run_here({"minimize", file, "--", "echo", "{}", "{A}"}).err, said));
    CHECK(run_here({"minimize", file, "--json", "t", "--", "echo", R"({{"u": NaN, "t": {A}}})"})
              .out.starts_with("1: A=1"));
}

TEST_CASE("minimize keeps what it measured: the default's value, a median, no interval of two")
{
    auto const [folder, file] = support::scratch_file("space.json", t1);
    auto const best_of = [&](std::vector<std::string> const& options, char const* script) {
        std::string const store = folder.file(std::to_string(std::hash<std::string>{}(script)));
        CHECK(run_here(
                  joined({"minimize", file, "--store", store}, options, {"--", "sh", "-c", script}))
                  .code == 0);
        return json::parse(run_here({"best", store, "--json"}).out)["best"];
    };
    // The default, A = 1, fails.
    json const failed = best_of({}, "[ {A} = 2 ] && echo 3");
    CHECK(failed["default"].is_null());
    for (auto const& at : std::filesystem::directory_iterator(folder.path()))
        if (at.path().filename() != "space.json")
            CHECK(!has(run_here({"explain", at.path()}).out, "default "));
    CHECK(failed["ended"] == "space");
    CHECK(best_of({}, "echo 1{A}")["default"] == 11.0);
    CHECK(best_of({"--evaluations=1"}, "echo 0 {A}")["ended"] == "budget");
    // One value, then another: "n" counts the runs.
    std::string const counts = "n=$(cat " + folder.file("n") + " || echo 0); echo $((n + 1)) > " +
                               folder.file("n") + "; echo {A}$n";
    json const two = best_of({"--repeat=2", "--evaluations=1"}, counts.c_str());
    CHECK(two["value"] == 10.5);
    CHECK(!two.contains("low"));
    support::write_file(folder.file("n"), "0");
    json const nine = best_of({"--repeat=9", "--evaluations=1"}, (counts + " ").c_str());
    CHECK(nine["value"] == 14.0);
    CHECK(nine["low"] == 11.0); // of 9 samples, the second and the eighth
    CHECK(nine["high"] == 17.0);
}

TEST_CASE("views of what minimize kept: a default that is known, values of any sign, no final")
{
    auto const [folder, file] = support::scratch_file("space.json", R"({"name": "x", "params": [
        {"name": "A", "values": [1, 2, 3, 4, 5]}, {"name": "B", "values": ["u", "v"]}]})");
    int number = 0;
    std::string page;
    auto const views = [&](std::vector<std::string> const& options, char const* script) {
        std::string const store = folder.file("s" + std::to_string(number++));
        std::vector<std::string> const program{"--", "sh", "-c", script, "x", "{A}", "{B}"};
        CHECK(run_here(joined({"minimize", file, "--store", store}, options, program)).code == 0);
        CHECK(run_here({"report", store, "-o", store + ".html"}).code == 0);
        page = support::read_file(store + ".html");
        return json::parse(run_here({"best", store, "--json"}).out)["best"];
    };
    // The first value of each parameter is the default.
    CHECK(views({"--maximize", "--unit", "GFLOP/s"}, "echo $1")["default"] == 1.0);
    CHECK(has(page, ">1 GFLOP/s</data>"));
    CHECK(has(page, "better than the default"));
    // Both values of B print 1: the default's values are unknown.
    CHECK(has(page, "<td class=\"soft\">unknown</td>"));
    CHECK_FALSE(has(page, ">?</td>"));
    // One configuration alone has the default's number.
    views({"--maximize"}, "echo $1.$([ $2 = u ] && echo 5)");
    CHECK_FALSE(has(page, "unknown</td>"));
    CHECK(has(page, "Underlined: not the default's value."));
    // The default prints 0, which is a number.
    CHECK(views({"--maximize"}, "echo $(($1 - 1))")["default"] == 0.0);
    CHECK(
        has(page, "The winner has <data value=\"4\">4</data>; the default: <data value=\"0\">0<"));
    CHECK(has(page, "10 outcomes, of which 10 have a value"));
    // It fails: there is none.
    CHECK(views({"--maximize"}, "[ $1$2 != 1u ] && echo $1")["default"].is_null());
    CHECK(has(page, "<h3>Winner and ties</h3>"));
    CHECK_FALSE(has(page, ">default</th>"));
    // Values below 0 are values.
    json const best = views({"--maximize"}, "echo -$1");
    CHECK(best["value"] == -1.0);
    CHECK(best["default"] == -1.0);
    CHECK(has(page, "10 outcomes, of which 10 have a value"));
    CHECK(has(page, "explains <data value=\"1\">"));
    CHECK(has(page, ">-5</text>"));
    CHECK_FALSE(has(page, "nan"));
    views({}, "echo $((($1 - 3) * 5))");
    CHECK(has(page, "10 outcomes, of which 10 have a value"));
    CHECK_FALSE(has(page, "nan"));
    // The program changed its mind.
    std::string const count = folder.file("count"), store = folder.file("again");
    for (char const* const sign : {"", "1"}) {
        support::write_file(count, sign + std::string(1, '\n'));
        CHECK(run_here({"minimize", file, "--anew", "--store", store, "--", "sh", "-c",
                        "read -r sign <\"$3t\"; echo $sign$1", "x", "{A}", "{B}",
                        count.substr(0, count.size() - 1)})
                  .code == 0);
    }
    CHECK(run_here({"report", store, "-o", store + ".html"}).code == 0);
    page = support::read_file(store + ".html");
    CHECK(has(page, "--anew measured again"));
    CHECK_FALSE(has(page, "final"));
}

TEST_CASE("what a program says on standard error is no value")
{
    auto const [folder, file] = support::scratch_file("space.json", t1);
    ran const got = run_here({"minimize", file, "--", "sh", "-c", "echo {A}.25; echo freed 0 >&2"});
    CHECK(got.out.starts_with("1.25: A=1\n"));
    ran const died = run_here({"minimize", file, "--store", folder.file("s"), "--", "sh", "-c",
                               "echo {A}; echo no memory >&2; exit 3"});
    CHECK(died.code == 1);
    CHECK(has(run_here({"explain", folder.file("s")}).out, "ended with 3: no memory"));
}

TEST_CASE("a space's file that is wrong is told with its place")
{
    auto const [folder, file] = support::scratch_file("space.json");
    auto const refused = [&](std::string const& text, std::string const& part, int code = 3) {
        support::write_file(file, text);
        ran const got = run_here({"ask", file});
        CHECK(got.code == code);
        INFO(got.err);
        CHECK(has(got.err, part));
        CHECK(std::count(got.err.begin(), got.err.end(), '\n') == 1);
    };
    refused("{\"params\": [", "space.json");
    std::string const parameters = "\"params\":[{\"name\":\"A\",\"values\":[1,2]}]}";
    refused("[{\"name\":\"a\"," + parameters + ",{\"name\":\"b\"," + parameters + "]",
            "choose one by --space: a, b", 2);
    CHECK(has(run_here({"ask", file, "--space", "c"}).err, "choose one of: a, b"));
    refused("[]", "the file has no space");
    refused("[{\"name\":\"a\"," + parameters + ",{\"name\":\"a\"," + parameters + "]",
            "the file has two spaces of the name 'a'");
    support::write_file(file, "[{" + parameters + ",{" + parameters + ",{\"name\":\"x\"," +
                                  parameters + "]");
    CHECK(run_here({"ask", file, "--space", "x"}).code == 0);
    refused("[{\"name\":\"a\"," + parameters + ",{\"name\":\"a\"," + parameters + "]",
            "the file has two spaces of the name 'a'");
    CHECK(run_here({"ask", file, "--space", "a"}).code == 3);
    CHECK(run_here({"ask", folder.file("none")}).code == 3);
    CHECK(has(run_here({"ask", folder.path()}).err, "Is a directory"));
    support::write_file(
        file, R"({"inputs": {"N": "integer"}, "params": [{"name": "A", "range": [1, "N"]}]})");
    CHECK(has(run_here({"ask", file}).err, "N"));
    CHECK(has(run_here({"ask", file, "--input", "M=1"}).err, "has no input M"));
    CHECK(has(run_here({"ask", file, "--input", "N=x"}).err, "takes a whole number, not 'x'"));
    CHECK(
        replies(run_here({"ask", file, "--input", "N=3"}, "{\"ask\": 9}\n").out)[0]["ask"].size() ==
        3);
}

TEST_CASE("a line may leave out inactive parameters, and have any value for them")
{
    auto const [folder, file] = support::scratch_file("space.json");
    support::write_file(file,
                        R"({"name": "x", "params": [
        {"name": "WIDTH", "values": [1, 2, 4], "default": 2, "active_if": "MODE == 'fast'"},
        {"name": "MODE", "values": ["slow", "fast"]}]})");
    ran const got =
        run_here({"ask", file}, "{\"observe\": {\"MODE\": \"slow\"}, \"value\": 3}\n"
                                "{\"observe\": {\"MODE\": \"slow\", \"WIDTH\": 4}, \"value\": 2}\n"
                                "{\"observe\": {\"MODE\": \"fast\"}, \"value\": 3}\n"
                                "{\"best\": true}\n"
                                "{\"ask\": 99}\n");
    std::vector<json> const all = replies(got.out);
    REQUIRE(all.size() == 5);
    CHECK(all[0].contains("told"));
    CHECK(all[1].contains("told"));
    CHECK(says(all[2]["error"], "no value (WIDTH)"));
    CHECK(all[3]["best"] == json{{"MODE", "slow"}, {"WIDTH", 2}});
    CHECK(all[4]["ask"].size() == 3);
}
