// tests/remember/lines/record_line.cpp - what a store keeps survives being lines of text.
// SPDX-License-Identifier: MIT
#include <attune/remember/lines/record_line.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "../../laws/record_store.hpp"

namespace {

using namespace attune::detail;
using attune::call_coverage;

template <class Entry>
Entry entry_in(std::string const& line)
{
    CHECK(line.find('\n') == std::string::npos);
    line_content const content = read_line(line);
    REQUIRE(std::holds_alternative<Entry>(content));
    return std::get<Entry>(content);
}

attune::record read_back(attune::record const& entry)
{
    stored_problem const problem = problem_of(entry);
    auto const of = entry_in<problem_entry>(problem_line("id", problem));
    CHECK(of.id == "id");
    CHECK(of.problem == problem);
    auto const won = entry_in<won_entry>(won_line("id", entry));
    CHECK(won.at == "id");
    return record_of(won, of.problem);
}

std::string why_damaged(std::string const& line)
{
    line_content const content = read_line(line);
    REQUIRE(std::holds_alternative<damaged_line>(content));
    return std::get<damaged_line>(content).why;
}

std::string replaced(std::string text, std::string const& from, std::string const& to)
{
    auto const at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

/// As a person who edits a line has to leave it.
std::string without_sum(std::string line)
{
    auto const at = line.rfind(",\"sum\":");
    REQUIRE(at != std::string::npos);
    return line.replace(at, std::string::npos, "}");
}

attune::record full_record()
{
    attune::record entry = laws::example_record();
    entry.key.signature = "9a";
    entry.key.setting = {{"cache", "cold"}, {"threads", "4"}};
    entry.best_interval = {0.09, 0.12, 14};
    entry.default_interval = {0.3, 0.4, 5};
    entry.baseline_s = 0.5;
    entry.baseline_interval = {0.45, 0.55, 7};
    entry.code = "c0de";
    entry.default_code = "c0df";
    entry.ties = {{"128", "(0, 1, 2)"}, {"64", "(0, 1, 2)"}};
    entry.ended = "budget";
    entry.asked = {60, 60.0};
    entry.threads = 4;
    entry.replaces = {{"32", "(0, 2, 1)"}};
    entry.interrupted = entry.disturbed = entry.memory_bound = true;
    entry.least_s = 1.0 / 3;
    entry.shape = "513 64 0";
    entry.strategy = "climb;change_rate,1 number;set_linear;[[[a,1]]]";
    entry.spent = {12.5, 3.25, 1.0 / 3};
    entry.roof = {2e9, 3e6, 1e11, 2.5e10};
    entry.generated = {.shared = "#include <span>\n",
                       .text = "// \"C\" \\n\n",
                       .fallback = "int x;\n",
                       .is_plain = true,
                       .print = "0a",
                       .loops = {{"i_0", 0, 8, "parallel", {{"A", 1 << 20}, {"a", 0}}},
                                 {"k_0", 1, 0, "unrolled by 4", {}}},
                       .levels = {{"registers", 512}, {"L1", 32768}}};
    return entry;
}

/// A line of format 1, as attune 0.4 wrote it.
char const* const old_line =
    R"x({"kernel":"sgemm","source":"5f3a","schema":"77c1","compiler":"clang 19 -O3",)x"
    R"x("device":"cpu zen4","inputs":{"N":"1024","M":"512"},)x"
    R"x("configuration":{"TILE_M":"64","ORDER":"(0, 2, 1)"},"best_s":0.1,)x"
    R"x("default_s":0.3333333333333333,"evaluations":60,"failures":7,"seed":1,)x"
    R"x("when":"2025-01-31T12:00:00Z","attune":"0.1.0","interrupted":false})x";

} // namespace

TEST_CASE("a problem and its winner are written as these lines, which other programs may read")
{
    attune::record const entry = laws::example_record();
    stored_problem const problem = problem_of(entry);
    CHECK(header_line() == R"({"attune_store":2})");
    CHECK(id_of(problem).size() == 25);
    CHECK(problem_line("9f-1f", problem) ==
          R"x({"problem":"9f-1f","kernel":"sgemm","source":"5f3a","compiler":"clang 19 -O3",)x"
          R"x("device":"cpu zen4","inputs":{"N":"1024","M":"512"},)x"
          R"x("parameters":["TILE_M","ORDER"],"sum":"9d279485"})x");
    CHECK(won_line("9f-1f", entry) ==
          R"x({"at":"9f-1f","won":["64","(0, 2, 1)"],"s":[0.1,0.0,0.0,0],)x"
          R"x("default_s":[0.3333333333333333,0.0,0.0,0],"space":"77c1","evaluations":60,)x"
          R"x("failures":7,"seed":1,"when":"2025-01-31T12:00:00Z","attune":"0.1.0",)x"
          R"x("sum":"c8a13acf"})x");
    CHECK(tried_line("9f-1f", {{"64", "(0, 2, 1)"}, attune::measurement{2, 1.5, 3, 9}, "c0"}) ==
          R"x({"at":"9f-1f","try":["64","(0, 2, 1)"],"s":[2.0,1.5,3.0,9],"code":"c0",)x"
          R"x("sum":"53b99157"})x");
    CHECK(tried_line("9f-1f",
                     {{"64"}, attune::failure{attune::failure_stage::crash, "SIGSEGV"}, ""}) ==
          R"x({"at":"9f-1f","try":["64"],"failed":"crash","why":"SIGSEGV","sum":"ed1848a8"})x");
    CHECK(proven_line("9f-1f", {"c0", {513, -1}, true}) ==
          R"x({"at":"9f-1f","shape":[513,-1],"code":"c0","right":true,"sum":"ba0ca1e5"})x");
}

TEST_CASE("a record reads back equal, also when every text is awkward")
{
    CHECK(read_back(laws::example_record()) == laws::example_record());
    CHECK(read_back(attune::record{}) == attune::record{});
    CHECK(read_back(full_record()) == full_record());

    attune::record entry = full_record();
    entry.key.kernel = "quote \" backslash \\ newline \n return \r tab \t";
    entry.key.source = std::string("zero \0 inside", 13);
    entry.key.schema = "\xe2\x80\xa8 \xf0\x9f\x98\x80 \x7f";
    entry.key.compiler = "not UTF-8: \xff\xfe\x80 \n";
    entry.key.device = "\xc3";
    entry.key.inputs = {{"\xc3\xa4", "\xff"}, {"", ""}, {"bytes", "{}"}};
    entry.configuration = {{"\"},\"sum\":\"", "\"},\"sum\":\"00000000\"}"}};
    CHECK(read_back(entry) == entry);
    entry.configuration = {};
    CHECK(read_back(entry) == entry);
}

TEST_CASE("rows read back equal, with every stage of a failure")
{
    tried_row const fast{{"8", "\xff"}, attune::measurement{0.1, 0.0, 1e300, 4'000'000'000u}, ""};
    auto const back = entry_in<tried_entry>(tried_line("id", fast));
    CHECK(back.at == "id");
    CHECK(back.row.values == fast.values);
    auto const& m = std::get<attune::measurement>(back.row.result);
    CHECK(m.value == 0.1);
    CHECK(m.low == 0.0);
    CHECK(m.high == 1e300);
    CHECK(m.samples == 4'000'000'000u);
    for (std::size_t i = 0; i < attune::detail::failure_stage_count; ++i) {
        attune::failure const f{static_cast<attune::failure_stage>(i), "why \n \xfe", "a log"};
        auto const failed = entry_in<tried_entry>(tried_line("id", {{"8"}, f, "c0de"}));
        CHECK(std::get<attune::failure>(failed.row.result).stage == f.stage);
        CHECK(std::get<attune::failure>(failed.row.result).reason == f.reason);
        CHECK(failed.row.code == "c0de");
    }
    tried_row more = fast;
    more.predicted_s = 1.0 / 3;
    more.proposer = "greedy \"permutation\";random_shift\n\xff";
    more.inactive = {0, 1};
    auto const whole = entry_in<tried_entry>(tried_line("id", more));
    CHECK(whole.row.predicted_s == 1.0 / 3);
    CHECK(whole.row.inactive == std::vector<std::uint32_t>{0, 1});
    CHECK(whole.row.proposer == more.proposer);
    CHECK(back.row.predicted_s == 0); // as in lines that 0.4 wrote
    CHECK(back.row.proposer.empty());
    CHECK(back.row.inactive.empty());
    proven_shape const proof{
        "c0de", {0, std::numeric_limits<std::int64_t>::min(), std::int64_t{1} << 62}, false};
    CHECK(entry_in<proven_entry>(proven_line("id", proof)).proof == proof);
}

TEST_CASE("any change of one byte is seen by the checksum")
{
    std::string const line = won_line("id", full_record());
    CHECK(check_of(line) == line_check::right);
    for (std::size_t i = 0; i < line.size(); ++i) {
        std::string other = line;
        other[i] = static_cast<char>(other[i] ^ 1);
        line_content const content = read_line(other);
        if (auto const* w = std::get_if<won_entry>(&content)) { // the name of the field was hit
            CHECK(i > line.size() - 18);
            CHECK(record_of(*w, problem_of(full_record())) == full_record());
        } else {
            CHECK(std::holds_alternative<damaged_line>(content));
        }
    }
    CHECK(why_damaged(replaced(line, "0.1,", "0.2,")) == "its checksum is wrong");
    CHECK(check_of(without_sum(line)) == line_check::missing);
    CHECK(check_of("") == line_check::missing);
    CHECK(check_of("\"}") == line_check::missing);
}

TEST_CASE("a person who edits a line leaves its checksum out")
{
    std::string const line = without_sum(won_line("id", laws::example_record()));
    attune::record const edited = entry_in<won_entry>(replaced(line, "[0.1,", " [ 0.25 , ")).entry;
    CHECK(edited.best_s == 0.25);
}

TEST_CASE("calls are written as this line, and read back equal")
{
    past_calls const calls{{.calls = 1'000,
                            .by_winner = 970,
                            .seconds = 2,
                            .winner_s = 1.5,
                            .rest = {{.shape = "argument 0 has 999 elements",
                                      .why = "no memory",
                                      .calls = 30,
                                      .seconds = 0.5}},
                            .more_shapes = 2},
                           100,
                           200.25};
    std::string const line = calls_line("9f-1f", calls);
    CHECK(without_sum(line) ==
          R"x({"at":"9f-1f","calls":[1000,970],"s":[2.0,1.5],"ran":[100.0,200.25],)x"
          R"x("rest":[["argument 0 has 999 elements","no memory",30,0.5]],"more":2})x");
    CHECK(calls_line("9f-1f", entry_in<calls_entry>(line).calls) == line);
    CHECK(calls_line("9f-1f", entry_in<calls_entry>(without_sum(line)).calls) == line);
    std::string const least = R"x({"at":"9f-1f","calls":[1,1],"s":[0,0],"ran":[0,1]})x";
    CHECK(entry_in<calls_entry>(least).calls.coverage.calls == 1);
}

TEST_CASE("awkward texts of calls are kept, and long ones are cut between characters")
{
    std::string const awkward = "a\n\x1b[31m\"\\\xff\xe2\x80\xae";
    std::string long_text;
    for (int i = 0; i < 1'000; ++i)
        long_text += "\xc3\xa4";
    past_calls calls{{.calls = 5, .rest = {{awkward, awkward, 1, 0}, {long_text, "", 1, 0}}}, 0, 1};
    call_coverage const read = entry_in<calls_entry>(calls_line("id", calls)).calls.coverage;
    REQUIRE(read.rest.size() == 2);
    CHECK(read.rest[0].shape == awkward);
    CHECK(read.rest[0].why == awkward);
    CHECK(read.rest[1].shape.starts_with("\xc3\xa4\xc3\xa4"));
    CHECK(read.rest[1].shape.size() < 700);
}

TEST_CASE("calls that cannot be are damage: negative, infinite, too large, more than all")
{
    std::string const line = R"x({"at":"id","calls":[9,7],"s":[2.0,1.5],"ran":[1.0,2.0],)x"
                             R"x("rest":[["a","b",2,0.5]],"more":1})x";
    CHECK(entry_in<calls_entry>(line).calls.coverage.rest.size() == 1);
    auto const is_damage = [&](std::string const& from, std::string const& to) {
        CAPTURE(to);
        CHECK(std::holds_alternative<damaged_line>(read_line(replaced(line, from, to))));
    };
    for (std::string const counts : {"[7,9]", "[-1,-2]", "[9]", "[9,7,1]", "9", "[9.5,7]",
                                     "[18446744073709551616,7]", "[\"9\",7]", "null", "{}"})
        is_damage("[9,7]", counts);
    for (std::string const seconds : {"[1.5,2.0]", "[\"inf\",1]", "[\"nan\",1]", "[-1,-2]", "[2.0]",
                                      "[1e999,1]", "2.0", "[null,null]"}) {
        is_damage("[2.0,1.5]", seconds);
        if (seconds != "[1.5,2.0]") is_damage("[1.0,2.0]", seconds);
    }
    is_damage("[1.0,2.0]", "[2.0,1.0]");
    for (std::string const rest :
         {"[[\"a\",\"b\",2]]", "[[1,\"b\",2,0.5]]", "[[\"a\",\"b\",-2,0.5]]", "[2]", "2", "{}",
          "[[\"a\",\"b\",2,-0.5]]", "[[\"a\",\"b\",2,\"nan\"]]"})
        is_damage("[[\"a\",\"b\",2,0.5]]", rest);
    std::string many = "[[\"a\",\"b\",2,0.5]";
    for (int i = 0; i < 16; ++i)
        many += ",[\"a\",\"b\",2,0.5]";
    is_damage("[[\"a\",\"b\",2,0.5]]", many + ']');
}

TEST_CASE("a kind of line that a later release writes is no damage")
{
    std::string line = replaced(proven_line("id", {"c0", {1}, true}), "\"shape\"", "\"later\"");
    CHECK(why_damaged(without_sum(line)) == "kernel is missing");
    std::string text = line.substr(0, line.size() - 18);
    std::uint32_t sum = ~0u; // CRC-32, bit by bit
    for (char const c : text) {
        sum ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit)
            sum = (sum >> 1) ^ ((sum & 1) != 0 ? 0xedb88320u : 0u);
    }
    char digits[9] = {};
    std::snprintf(digits, sizeof digits, "%08x", static_cast<unsigned>(~sum));
    line = text + ",\"sum\":\"" + digits + "\"}";
    CHECK(std::holds_alternative<other_entry>(read_line(line)));
}

TEST_CASE("a line of format 1 is read, with all that it says")
{
    CHECK(std::get<attune::record>(read_line(old_line)) == laws::example_record());
    attune::record entry = std::get<attune::record>(
        read_line(replaced(old_line, "\"interrupted\":false",
                           R"("interrupted":true,"disturbed":true,"least_s":0.5,)"
                           R"("memory_bound":true,"shape":"3 4")")));
    CHECK(entry.interrupted);
    CHECK(entry.disturbed);
    CHECK(entry.least_s == 0.5);
    CHECK(entry.memory_bound);
    CHECK(entry.shape == "3 4");
    CHECK(why_damaged(replaced(old_line, "}", "},\"least_s\":0.5")).starts_with("memory_bound is"));
}

TEST_CASE("facts for a report are lists of numbers, and are left out where they are unknown")
{
    attune::record entry = laws::example_record();
    CHECK(won_line("id", entry).find("spent") == std::string::npos);
    CHECK(won_line("id", entry).find("roof") == std::string::npos);
    entry.spent = {12.5, 3.0, 0.25};
    entry.roof = {2e9, 3e6, 1e11, 2.5e10};
    std::string const line = without_sum(won_line("id", entry));
    CHECK(line.find(R"("roof":[2000000000.0,3000000.0,100000000000.0,25000000000.0],)"
                    R"("spent":[12.5,3.0,0.25])") != line.npos);
    CHECK(why_damaged(replaced(line, "[12.5,3.0,0.25]", "[12.5]")) ==
          "spent is not a list of 3 numbers");
    CHECK(why_damaged(replaced(line, "3000000.0", "\"x\"")) == "roof is not a number");
}

TEST_CASE("what a compiler proved of addresses is kept, and what is no power of two says nothing")
{
    attune::record entry = laws::example_record();
    CHECK(won_line("id", entry).find("address_modulus") == std::string::npos);
    entry.address_modulus = 4;
    CHECK(read_back(entry) == entry);
    std::string const line = without_sum(won_line("id", entry));
    for (std::string const& other : {"3", "0", "64", "128"})
        CHECK(entry_in<won_entry>(
                  replaced(line, "\"address_modulus\":4", "\"address_modulus\":" + other))
                  .entry.address_modulus == 64);
    CHECK(why_damaged(replaced(line, "\"address_modulus\":4", "\"address_modulus\":\"4\""))
              .find("address_modulus") != std::string::npos);
}

TEST_CASE("the order of parameters is kept")
{
    attune::record entry = laws::example_record();
    entry.configuration = {{"z", "1"}, {"a", "2"}, {"m", "3"}};
    CHECK(read_back(entry).configuration == entry.configuration);
}

TEST_CASE("numbers read back to the last bit, infinities and NaN too")
{
    auto const check = [](double value) {
        attune::record entry = laws::example_record();
        entry.best_s = value;
        entry.default_s = -value;
        attune::record const back = read_back(entry);
        if (std::isnan(value)) {
            CHECK(std::isnan(back.best_s));
            return;
        }
        CHECK(std::bit_cast<std::uint64_t>(back.best_s) == std::bit_cast<std::uint64_t>(value));
        CHECK(std::bit_cast<std::uint64_t>(back.default_s) == std::bit_cast<std::uint64_t>(-value));
    };
    using limits = std::numeric_limits<double>;
    for (double const value : {0.0, 1.0, 0.1, 1.0 / 3.0, 1e-9, 5e-324, limits::min(), limits::max(),
                               limits::epsilon(), limits::infinity(), limits::quiet_NaN()})
        check(value);
    attune::random_engine engine(31);
    for (int i = 0; i < 3000; ++i)
        check(std::bit_cast<double>(engine()));
    attune::record entry = laws::example_record();
    entry.seed = std::numeric_limits<std::uint64_t>::max();
    entry.evaluations = (std::uint64_t{1} << 53) + 1;
    CHECK(read_back(entry) == entry);
}

TEST_CASE("a line cut anywhere is damaged, and never read as a record")
{
    for (std::string const& line :
         {won_line("id", full_record()), problem_line("id", problem_of(full_record())),
          std::string(old_line)})
        for (std::size_t length = 0; length < line.size(); ++length)
            CHECK(std::holds_alternative<damaged_line>(read_line(line.substr(0, length))));
    std::string const line = old_line;
    CHECK(why_damaged(line.substr(0, 20)).starts_with("not JSON (byte "));
    CHECK(why_damaged(line + line).starts_with("not JSON (byte "));
}

TEST_CASE("every field is needed, with its own type")
{
    std::string const line = old_line;
    CHECK(why_damaged(replaced(line, "\"best_s\"", "\"other\"")) == "best_s is missing");
    CHECK(why_damaged(replaced(line, "\"schema\"", "\"other\"")) == "schema is missing");
    CHECK(why_damaged(replaced(line, "0.1,", "\"fast\",")) == "best_s is not a number");
    CHECK(why_damaged(replaced(line, ":60,", ":-60,")) == "evaluations is not a count");
    CHECK(why_damaged(replaced(line, ":60,", ":6.5,")) == "evaluations is not a count");
    CHECK(why_damaged(replaced(line, ":false", ":0")) == "interrupted is not true or false");
    CHECK(why_damaged(replaced(line, "\"sgemm\"", "5")) == "kernel is not a text");
    CHECK(why_damaged(replaced(line, "\"64\"", "64")) == "configuration is not a text");
    CHECK(why_damaged(replaced(line, "\"512\"}", "\"512\"")).starts_with("not JSON"));
    CHECK(why_damaged(replaced(line, "0.1,", "1e999,")) == "a number is out of range");
    CHECK(why_damaged(replaced(line, "\"5f3a\"", R"({"bytes":"0g"})")) ==
          "source has a wrong hexadecimal digit");
    CHECK(why_damaged(replaced(line, "\"5f3a\"", R"({"bytes":"0"})")) == "source has half a byte");
    CHECK(why_damaged("[]") == "not a JSON object");
    CHECK(why_damaged("null") == "not a JSON object");
    CHECK(why_damaged("{}") == "kernel is missing");
    CHECK(why_damaged(std::string(200000, '[')).starts_with("not JSON"));
    CHECK(why_damaged(std::string(100, '\0')).starts_with("not JSON"));
    std::string const won = without_sum(won_line("id", full_record()));
    CHECK(why_damaged(replaced(won, "\"s\":[0.1,", "\"s\":[")) ==
          "s is not [value, low, high, samples]");
    CHECK(why_damaged(replaced(won, ",14]", ",1.5]")) == "s is not a small count");
    CHECK(why_damaged(replaced(won, "\"space\"", "\"other\"")) == "space is missing");
    CHECK(why_damaged(replaced(won, "\"asked\":[60,", "\"asked\":[")) ==
          "asked is not [evaluations, seconds]");
    CHECK(why_damaged(replaced(won, "\"ties\":[[", "\"ties\":[5,[")) == "ties is not a list");
    CHECK(why_damaged(replaced(won, "\"strategy\":\"climb", "\"strategy\":7,\"x\":\"climb")) ==
          "strategy is not a text");
    CHECK(why_damaged(replaced(won, "\"fallback\"", "\"other\"")) == "fallback is missing");
    CHECK(why_damaged(replaced(won, "\"32768\"", "\"-1\"")) ==
          "levels has a text that is no count");
    CHECK(why_damaged(replaced(won, "\"a\",\"0\"", "\"a\"")) ==
          "a loop is not [name, depth, times, how, array, bytes ...]");
    std::string const row = without_sum(
        tried_line("id", {{"8"}, attune::failure{attune::failure_stage::load, "x"}, ""}));
    CHECK(why_damaged(replaced(row, "\"load\"", "\"boat\"")) == "failed is no stage");
    std::string const more =
        without_sum(tried_line("id", {{"8", "9"}, attune::measurement::exact(1), "", 0.5, {0, 1}}));
    CHECK(why_damaged(replaced(more, "0.5", "\"fast\"")) == "expected is not a number");
    CHECK(why_damaged(replaced(more, "[0,1]", "[0,2]")) == "inactive names no value");
    CHECK(why_damaged(replaced(more, "[0,1]", "[1,1]")) == "inactive names no value");
    CHECK(why_damaged(replaced(more, "[0,1]", "1")) == "inactive is not a list");
    std::string const proof = without_sum(proven_line("id", {"c0", {1, 2}, true}));
    CHECK(why_damaged(replaced(proof, "[1,", "[1.5,")) == "a word of shape is no integer");
}

TEST_CASE("fields that a later writer added are ignored")
{
    for (std::string const& line :
         {std::string(old_line), without_sum(problem_line("id", problem_of(full_record())))}) {
        auto const content = read_line(
            replaced(line, "\"kernel\"", R"("host":{"name":[1,2,null]},"kernel")") + " \r");
        if (auto const* r = std::get_if<attune::record>(&content))
            CHECK(*r == laws::example_record());
        else
            CHECK(std::get<problem_entry>(content).problem == problem_of(full_record()));
    }
}

TEST_CASE("a header tells whether its format is known")
{
    auto const header = [](std::string const& line) { return entry_in<store_header>(line); };
    CHECK(header(header_line()).known);
    CHECK(header(R"({"made_by":"x","attune_store":1})").known);
    CHECK_FALSE(header(R"({"attune_store":3})").known);
    CHECK(header(R"({"attune_store":3})").format == "3");
    CHECK_FALSE(header(R"({"attune_store":"1"})").known);
    CHECK_FALSE(header(R"({"attune_store":null})").known);
    CHECK_FALSE(header(R"({"attune_store":0})").known);
}

TEST_CASE("what is nested a million deep is damage, or a format that is unknown")
{
    std::string const deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
    auto const header = entry_in<store_header>("{\"attune_store\":" + deep + "}");
    CHECK_FALSE(header.known);
    CHECK(header.format == "unknown");
    CHECK(std::holds_alternative<damaged_line>(read_line("{\"kernel\":" + deep + "}")));
}
