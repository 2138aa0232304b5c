// tests/ship/tool/exchange.cpp - outcomes go out and come back: T4, CSV, JSON.
// SPDX-License-Identifier: MIT
#include <attune/remember/lines/store_content.hpp>
#include <attune/remember/store.hpp>
#include <attune/ship/tool/tool.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "run_here.hpp"

using attune_test::has;
using nlohmann::json;
using support::ran;
using support::run_here;

namespace {

/// A store with names and reasons that a format could break on.
std::string hard_store()
{
    attune::memory_store out;
    attune::record one = support::sgemm_winner(512);
    one.key.kernel = "a,\"b\"\nc";
    one.key.inputs = {{"N;=\\", "1;2"}, {"", ""}};
    one.configuration = {{"seconds", "1"}, {"parameter.x", " y "}, {"EMPTY", ""}};
    auto const problem = attune::detail::problem_of(one);
    out.note(problem, {{"1", " y ", ""}, attune::measurement{0.1, 0.09, 1.0 / 3.0, 7}, ""});
    out.note(problem,
             {{"2", "", "\""}, attune::failure{attune::failure_stage::verify, "a\n\"b\","}, ""});
    return support::sgemm_store() + out.text();
}

/// A store with the rows of one problem, one parameter A.
std::string store_of(std::vector<attune::outcome> const& results,
                     std::string const& parameter = "A", attune::named_texts const& setting = {})
{
    attune::memory_store out;
    attune::detail::stored_problem problem;
    problem.key.kernel = "k";
    problem.key.source = "5f3a";
    problem.key.setting = setting;
    problem.parameters = {parameter};
    for (std::size_t i = 0; i < results.size(); ++i)
        out.note(problem, {{std::to_string(i)}, results[i], ""});
    return out.text();
}

} // namespace

TEST_CASE("what is exported as CSV or JSON comes back equal, and only once")
{
    auto const [folder, from] = support::scratch_file("from", hard_store());
    for (std::string const format : {"csv", "json"}) {
        std::string const table = folder.file("table." + format), to = folder.file("to." + format);
        ran const got = run_here({"export", from, "--format", format, "-o", table});
        CHECK(got.code == 0);
        CHECK(has(got.out, "6 outcomes of 3 problems"));
        ran const back = run_here({"import", to, table});
        INFO(back.err);
        REQUIRE(back.code == 0);
        CHECK(has(back.out, "6 of 6 outcomes are new"));
        CHECK(has(back.out, "; parameters: "));
        // The order of problems is that of a merge.
        auto const lines = [&](std::string const& store) {
            std::string text = run_here({"export", store, "--format", format}).out;
            std::sort(text.begin(), text.end());
            return text;
        };
        if (format == "csv") CHECK(lines(to) == lines(from));
        std::string const before = support::read_file(to);
        CHECK(has(run_here({"import", to, table}).out, "0 of 6 outcomes are new"));
        CHECK(support::read_file(to) == before);
    }
    auto const exported = [&](std::string const& store) {
        json all = json::parse(run_here({"export", store}).out)["problems"];
        for (json& one : all)
            one.erase("best");
        std::sort(all.begin(), all.end());
        return all;
    };
    CHECK(exported(folder.file("to.json")) == exported(from));
}

TEST_CASE("T4 has one problem in a file, and a folder takes several")
{
    auto const [folder, from] = support::scratch_file("from", support::sgemm_store());
    ran const several = run_here({"export", from, "--format", "t4"});
    CHECK(several.code == 2);
    CHECK(has(several.err, "name a folder by --output FOLDER/"));
    CHECK(run_here({"export", from, "-f", "t4", "-o", folder.file("all/")}).code == 0);
    std::size_t files = 0;
    for (auto const& one : std::filesystem::directory_iterator(folder.file("all"))) {
        ++files;
        CHECK(one.path().filename().string().starts_with("sgemm-"));
        json const read = json::parse(support::read_file(one.path().string()));
        CHECK(read["results"].size() == 2);
        CHECK(read["schema_version"] == "1.0.0");
    }
    CHECK(files == 2);
    std::string const one = run_here({"export", from, "--format=t4", "--input=N=512"}).out;
    CHECK(json::parse(one)["results"][0]["measurements"][0]["value"] == 1000.0 / 512);
    std::string const file = folder.file("one.json"), to = folder.file("to");
    support::write_file(file, one);
    ran const nameless = run_here({"import", to, file});
    CHECK(nameless.code == 3);
    CHECK(has(nameless.err, "--kernel"));
    CHECK(!std::filesystem::exists(to));
    CHECK(run_here({"import", to, file, "--kernel", "sgemm", "--input", "N=512"}).code == 0);
    CHECK(has(run_here({"show", to}).out, "imported"));
    json two = json::parse(one);
    two["results"][0]["objectives"].push_back("energy");
    support::write_file(file, two.dump());
    ran const first = run_here({"import", folder.file("first"), file, "--kernel", "sgemm"});
    CHECK(first.code == 0);
    CHECK(has(first.err, "only the first objective of a result is read, without energy\n"));
    CHECK(run_here({"export", from, "--format", "xml"}).code == 2);
    CHECK(run_here({"export", from, "--kernel", "none"}).code == 1);
}

TEST_CASE("any table with a column of times is read; a wrong one is refused and changes nothing")
{
    support::scratch_directory const folder;
    std::string const file = folder.file("t.csv"), to = folder.file("to");
    support::write_file(file, "TILE,time_ms,LAYOUT\r\n64,1.5,row\r\n\r\n128,0.5,\"a,b\"\r\n");
    CHECK(run_here({"import", to, file}).code == 3);
    CHECK(run_here({"import", to, file, "--kernel", "k"}).code == 0);
    json const read = json::parse(run_here({"export", to}).out)["problems"][0];
    CHECK(read["source"] == "T4");
    CHECK(read["outcomes"][1]["seconds"] == 0.5e-3);
    CHECK(read["outcomes"][1]["configuration"] == json{{"TILE", "128"}, {"LAYOUT", "a,b"}});
    support::write_file(file, "inputs,TILE,time_ms\nM=8;N=8;K=8,8,0.5\n"); // no decimal commas
    CHECK(run_here({"import", folder.file("pairs"), file, "--kernel", "k"}).code == 0);
    std::string const before = support::read_file(to);
    support::write_file(file, store_of({attune::measurement::exact(0.5)}));
    std::string const exported = run_here({"export", file}).out;
    auto const refused = [&](std::string const& text, std::string const& part) {
        support::write_file(file, text);
        ran const got = run_here({"import", to, file, "--kernel", "k"});
        CHECK(got.code == 3);
        INFO(got.err);
        CHECK(has(got.err, part));
        CHECK(has(got.err, file));
        CHECK(std::count(got.err.begin(), got.err.end(), '\n') == 1);
        CHECK(support::read_file(to) == before);
    };
    refused("", "it is empty");
    refused("TILE,LAYOUT\n1,2\n", "it has no column of times");
    refused("seconds,kernel\n1,k\n", "it has no column of a parameter");
    refused("TILE,seconds\n1\n", "it has 1 cells, and the first row 2");
    refused("TILE,seconds\n1,fast\n", "'fast' is no number");
    refused("TILE,seconds\n1,2\n,2\n", "it has no value of a parameter");
    refused("TILE,seconds\n1,-1\n", "a time is not positive");
    refused("TILE,seconds\n1,\"0,5\"\n", "'0,5' is no number");
    refused("TILE,seconds,low_s,high_s\n1,1,2,3\n", "a time is outside of low_s to high_s");
    refused("TILE;seconds\n1;0,5\n", "its cells are separated by semicolons");
    refused("TILE\tseconds\n1\t0.5\n", "its cells are separated by tabs");
    refused(",TILE,seconds\n0,1,0.5\n", "column 1 has no name");
    refused("TILE,seconds,inputs\n1,1,N 5\n", "'N 5' is no list of inputs");
    for (char const* const text : {"TILE,seconds\n1;0,5\n", "TILE,seconds\n1;5\n",
                                   "\"TILE\";\"seconds\"\n1;0,5\n", "sep=;\nTILE;seconds\n1;0,5\n",
                                   "sep=,\nTILE;seconds\n1;0,5\n", "TILE,seconds\n\"1\";\"0,5\"\n"})
        refused(text, "its cells are separated by semicolons");
    refused("\"TILE\"\t\"seconds\"\n1\t0.5\n", "its cells are separated by tabs");
    for (std::string const column :
         {"unit", "Units", "time_unit", "higher_is_better", "Objective", "lower is better"})
        refused("TILE,seconds," + column + "\n1,1,x\n",
                "column " + column + " is about the objective");
    refused("TILE,seconds,samples\n1,1,-1\n", "'-1' is no count of samples");
    refused("[\n{\"results\": []}]", "the file is a list of JSON");
    refused("// of a kernel\n{\"results\": []}", "the file is a text with comments");
    refused("\x1f\x8b\x08TILE", "the file is packed by gzip");
    refused("{", "the text is cut: line 1, column 2, where it ends");
    refused(exported.substr(0, exported.size() / 2), "the text is cut: line 2, column");
    refused(R"({"attune_export":1,"problems":[],"problems":[]})", "the name problems twice");
    for (auto const& [right, wrong] : {std::pair{"\"low_s\":0.5", "\"low_s\":0.75"},
                                       std::pair{"\"high_s\":0.5", "\"high_s\":0.25"},
                                       std::pair{"\"samples\":1", "\"samples\":-1"},
                                       std::pair{"\"samples\":1", "\"samples\":1.5"}}) {
        std::string text = exported;
        REQUIRE(has(text, right));
        refused(text.replace(text.find(right), std::string(right).size(), wrong),
                "not what attune export writes: expected a ");
    }
    refused("{\"results\": " + std::string(100'000, '['), "1000 brackets around it");
    refused("\xff\xfeT\0I\0", "the file is UTF-16");
    refused(R"({"attune_export":1,"problems":NaN})", "at 'NaN'");
    refused("TILE,seconds,status\n1,1,lost\n", "there is no status 'lost'");
    refused("TILE,seconds\n\"1,1\n", "a quotation mark without its twin");
    refused("TILE,seconds\n\"1\"2,1\n", "a text behind a quotation mark");
    refused("TILE,TILE,seconds\n1,1,1\n", "two columns TILE");
    refused("{\"attune_export\":2}", "a newer attune exported this");
    refused("{\"attune_export\":1,\"problems\":[5]}", "not what attune export writes");
    refused("{\"x\":1}", "neither \"results\" nor \"cache\"");
    refused(support::sgemm_store(), "use attune merge");
    support::write_file(file, "TILE,seconds\n1,1\n");
    CHECK(run_here({"import", to, file, folder.file("none"), "--kernel", "k"}).code == 3);
    CHECK(support::read_file(to) == before);
}

TEST_CASE("tables as other programs write them: heads in capitals, blanks, old lines, NaN")
{
    support::scratch_directory const folder;
    std::string const file = folder.file("t.csv");
    for (std::string const text :
         {"TILE,Seconds,P\n8,0.5,a b\n16,NaN,c\n",
          "TILE, Time (ms), P\n8, 500, \"a b\" \n16, inf, c\n",
          "TILE,TIME_US,P\r8,5e5,a b\r16,-inf,c\r", "TILE,Time [ms],P\n8,500,a b\n16,inf,c\n",
          "TILE,time (\u00b5s),P\n8,5e5,a b\n16,nan,c\n",
          "TILE ,seconds, P\n 8 , 0.5,a b \n \n16,1e20,c\n",
          "sep=,\r\nTILE,seconds,P\r\n8,0.5,a b\r\n16,nan,c\r\n"}) {
        CAPTURE(text);
        std::string const to = folder.file(std::to_string(text.size()));
        support::write_file(file, text);
        ran const got = run_here({"import", to, file, "--kernel", "k"});
        CHECK_MESSAGE(got.code == 0, got.err);
        json const rows = json::parse(run_here({"export", to}).out)["problems"][0]["outcomes"];
        REQUIRE(rows.size() == 2);
        CHECK(rows[0]["seconds"] == 0.5);
        CHECK(rows[0]["configuration"] == json{{"TILE", "8"}, {"P", "a b"}});
        CHECK(rows[1]["failed"] == "crash");
    }
}

TEST_CASE("problems that differ in their setting alone stay two in a table")
{
    support::scratch_directory const folder;
    std::string const from = folder.file("from"), table = folder.file("t.csv");
    support::write_file(from,
                        store_of({attune::measurement::exact(1.0)}, "A", {{"threads", "1"}}) +
                            store_of({attune::measurement::exact(0.5)}, "A", {{"threads", "8"}}));
    for (std::string const format : {"csv", "json"}) {
        std::string const to = folder.file("to." + format);
        CHECK(run_here({"export", from, "-f", format, "-o", table}).code == 0);
        CHECK(has(run_here({"import", to, table}).out, "2 problems"));
    }
}

TEST_CASE("what was imported is over, and what goes on stays at work")
{
    support::scratch_directory const folder;
    std::string const file = folder.file("t.csv"), to = folder.file("to");
    support::write_file(file, "TILE,time_ms\n64,1.5\n128,0.5\n");
    CHECK(run_here({"import", to, file, "--kernel", "k"}).code == 0);
    CHECK(!has(run_here({"explain", to}).out, "not over"));
    CHECK(!has(run_here({"watch", to, "--once"}).out, "best 500 us"));
    std::string const running = folder.file("running"), again = folder.file("again");
    support::write_file(running, store_of({attune::measurement::exact(1.0)}));
    CHECK(run_here({"export", running, "-o", file}).code == 0);
    CHECK(run_here({"import", again, file}).code == 0);
    CHECK(has(run_here({"explain", again}).out, "1 of a tuning that is not over"));
}

TEST_CASE("times that are no times go out as failures, and values of any sign come back")
{
    support::scratch_directory const folder;
    std::string const from = folder.file("from"), table = folder.file("t");
    support::write_file(
        from,
        store_of({attune::measurement::exact(-1.0), attune::measurement::exact(0.0),
                  attune::measurement::exact(std::nan("")), attune::measurement::exact(HUGE_VAL)}));
    for (std::string const format : {"csv", "json"}) {
        std::string const to = folder.file("to." + format);
        CHECK(run_here({"export", from, "-f", format, "-o", table}).code == 0);
        ran const back = run_here({"import", to, table});
        CHECK(back.code == 0);
        CHECK(has(back.out, "4 of 4 outcomes are new"));
        json const rows = json::parse(run_here({"export", to}).out)["problems"][0]["outcomes"];
        REQUIRE(rows.size() == 4);
        CHECK(rows[0]["seconds"] == -1.0);
        CHECK(rows[2]["failed"] == "verify");
        CHECK(rows[3]["why"] == "its time is inf");
    }
}

TEST_CASE("no samples, as old stores have them, become one")
{
    support::scratch_directory const folder;
    std::string const file = folder.file("t.json"), to = folder.file("to");
    support::write_file(folder.file("from"), store_of({attune::measurement::exact(0.5)}));
    std::string text = run_here({"export", folder.file("from")}).out;
    text.replace(text.find("\"samples\":1"), 11, "\"samples\":0");
    support::write_file(file, text);
    CHECK(run_here({"import", to, file}).code == 0);
    CHECK(json::parse(run_here({"export", to}).out)["problems"][0]["outcomes"][0]["samples"] == 1);
}

TEST_CASE("a parameter may be called as a column of times")
{
    support::scratch_directory const folder;
    std::string const from = folder.file("from"), table = folder.file("t.csv");
    support::write_file(from, store_of({attune::measurement::exact(0.25)}, "time_us"));
    CHECK(run_here({"export", from, "-f", "csv", "-o", table}).code == 0);
    CHECK(run_here({"import", folder.file("to"), table}).code == 0);
    json const row =
        json::parse(run_here({"export", folder.file("to")}).out)["problems"][0]["outcomes"][0];
    CHECK(row["seconds"] == 0.25);
    CHECK(row["configuration"] == json{{"time_us", "0"}});
    support::write_file(table, "A,seconds,time_ms\n1,1,1\n");
    CHECK(has(run_here({"import", folder.file("to"), table, "--kernel", "k"}).err,
              "two columns of times, seconds and time_ms"));
}

TEST_CASE("rates go out as values with their unit, beside times too, and come back")
{
    support::scratch_directory const folder;
    std::string const space = folder.file("s.json"), from = folder.file("from");
    support::write_file(space, R"({"params": [{"name": "value", "values": [1, 2, 4]}]})");
    REQUIRE(run_here({"minimize", space, "--maximize", "--unit", "GFLOP/s", "--store", from, "--",
                      "echo", "{value}0"})
                .code == 0);
    std::string const mixed = folder.file("mixed");
    support::write_file(mixed, support::read_file(from) +
                                   store_of({attune::measurement::exact(0.25)}, "TILE"));
    for (std::string const& store : {from, mixed})
        for (std::string const format : {"csv", "json"}) {
            CAPTURE(format);
            std::string const table = folder.file("t"), to = folder.file("to");
            std::string const text = run_here({"export", store, "-f", format}).out;
            CHECK(has(text, "GFLOP/s"));
            CHECK(has(text, "seconds") == (store == mixed && format == "json"));
            support::write_file(table, text);
            std::filesystem::remove(to);
            ran const back = run_here({"import", to, table});
            CHECK_MESSAGE(back.code == 0, back.err);
            CHECK(run_here({"export", to, "-f", format}).out.size() > 0);
            CHECK(has(run_here({"export", to, "-f", "csv"}).out, ",value,low,high,"));
            json const all = json::parse(run_here({"export", to}).out)["problems"];
            CHECK(all.size() == (store == mixed ? 2 : 1));
            for (json const& one : all) {
                bool const is_rate = one.contains("objective");
                CHECK(is_rate == (one["outcomes"].size() == 3));
                CHECK(one["outcomes"][0][is_rate ? "value" : "seconds"] == (is_rate ? 40.0 : 0.25));
            }
        }
}

TEST_CASE("a table that pandas saved is read by values: True, 1.0, 1e3, quoted numbers, no time")
{
    support::scratch_directory const folder;
    std::string const file = folder.file("t.csv"), to = folder.file("to");
    std::string const space = folder.file("space.json");
    support::write_file(space, R"({"name": "k", "params": [{"name": "VEC", "values": [true, false]},
        {"name": "TILE", "values": [1, 64, 1000]}, {"name": "MODE", "values": ["row", "a b"]},
        {"name": "F", "values": [0.5, 1.0]}, {"name": "SPLIT", "kind": "permutation", "parts": 3}]})");
    support::write_file(file, "VEC,TILE,MODE,F,SPLIT,time_ms\n"
                              "True,64.0,row,5e-1,\"(0, 1, 2)\",1.0\n"
                              "False,1e3,\"a b\",1,\"[2, 1, 0]\",0.5\n"
                              "\"FALSE\",\"1\",row,1.0,\"[2, 1, 0]\",\n");
    ran const got = run_here({"import", to, file, "--kernel", "k"});
    REQUIRE_MESSAGE(got.code == 0, got.err);
    json const rows = json::parse(run_here({"export", to}).out)["problems"][0]["outcomes"];
    CHECK(rows[0]["configuration"] == json{{"VEC", "true"},
                                           {"TILE", "64"},
                                           {"MODE", "row"},
                                           {"F", "0.5"},
                                           {"SPLIT", "{0, 1, 2}"}});
    CHECK(rows[2]["failed"] == "crash");
    CHECK(rows[2]["why"] == "its time is missing");
    // The space finds the values: they are a start, with their time.
    ran const start = run_here({"recommend", space, "--store", to});
    CHECK(has(start.out, "start with VEC=false TILE=1000 MODE=a b F=1.0 SPLIT={2, 1, 0}: 1 times"));
    // Another spelling of the same values, in a table or as T4, is no new outcome.
    support::write_file(file, "VEC,TILE,MODE,F,SPLIT,time_ms\n"
                              "1.0,64,row,0.5,\"{0,1,2}\",7\n"
                              "true,+64,row,.5,\"{0,1,2}\",1\n");
    ran const again = run_here({"import", to, file, "--kernel", "k"});
    CHECK(has(again.out, "1 of 2 outcomes are new"));
    support::write_file(file, R"({"results": [{"configuration": {"VEC": true, "TILE": 64.0,
        "MODE": "row", "F": 0.5, "SPLIT": [0, 1, 2]}, "measurements": [{"name": "time", "value": 1,
        "unit": "ms"}], "objectives": ["time"], "invalidity": "correct"}]})");
    CHECK(has(run_here({"import", to, file, "--kernel", "k"}).out, "0 of 1 outcomes are new"));
}

TEST_CASE("a truth value that programs write as a word and as a number is one value")
{
    support::scratch_directory const folder;
    std::string const file = folder.file("t.csv"), to = folder.file("to");
    support::write_file(file, "VEC,N,seconds\nTrue,0,1\nFALSE,1,2\n1,2,3\n0.0,true,4\n");
    REQUIRE(run_here({"import", to, file, "--kernel", "k"}).code == 0);
    support::write_file(file, "VEC,N,seconds\n0,1.0,2\n");
    CHECK(has(run_here({"import", to, file, "--kernel", "k"}).out, "0 of 1 outcomes are new"));
    json const rows = json::parse(run_here({"export", to}).out)["problems"][0]["outcomes"];
    REQUIRE(rows.size() == 4);
    CHECK(rows[2]["configuration"] == json{{"VEC", "true"}, {"N", "2"}});
    CHECK(rows[3]["configuration"] == json{{"VEC", "false"}, {"N", "1"}});
}

TEST_CASE("an exported table that pandas saved again adds no second text of a value")
{
    support::scratch_directory const folder;
    std::string const from = folder.file("from"), file = folder.file("t.csv");
    std::string const space = folder.file("space.json");
    support::write_file(space, R"({"params": [{"name": "VEC", "values": [true, false]},
        {"name": "TILE", "values": [1, 64]}, {"name": "F", "values": [1.0, 2.5]}]})");
    REQUIRE(run_here({"minimize", space, "--store", from, "--", "echo", "{VEC}", "{TILE}", "{F}"})
                .code == 0);
    std::string text = run_here({"export", from, "-f", "csv"}).out;
    std::string const before = text;
    CHECK(has(text, ",true,64,1.0\n"));
    for (auto const& [own, other] : {std::pair{",true,", ",True,"}, std::pair{",false,", ",False,"},
                                     std::pair{",64,", ",64.0,"}, std::pair{",1.0\n", ",1\n"}})
        for (std::size_t at = 0; (at = text.find(own, at)) != text.npos; ++at)
            text.replace(at, std::string(own).size(), other);
    support::write_file(file, text);
    ran const got = run_here({"import", from, file});
    INFO(got.out, got.err);
    CHECK(has(got.out, "0 of 8 outcomes are new"));
    CHECK(run_here({"export", from, "-f", "csv"}).out == before);
    // Without the space's own texts, the values are still those of the space.
    std::string const alone = folder.file("alone");
    CHECK(run_here({"import", alone, file}).code == 0);
    ran const goes_on =
        run_here({"minimize", space, "--store", alone, "--", "echo", "{VEC}", "{TILE}", "{F}"});
    CHECK(has(goes_on.err, "has 8 outcomes of this program"));
    CHECK(has(goes_on.err, "8 evaluations, 0 runs"));
}

TEST_CASE("a tuning that ended has ended after export and import, without its winner")
{
    support::scratch_directory const folder;
    std::string const from = folder.file("from"), space = folder.file("s.json");
    support::write_file(space, R"({"params": [{"name": "A", "values": [1, 2]}]})");
    REQUIRE(run_here({"minimize", space, "--store", from, "--", "echo", "{A}"}).code == 0);
    for (std::string const format : {"csv", "json"}) {
        std::string const file = folder.file("t"), to = folder.file("to." + format);
        CHECK(run_here({"export", from, "-f", format, "-o", file}).code == 0);
        CHECK(run_here({"import", to, file}).code == 0);
        ran const shown = run_here({"show", to});
        CHECK(has(shown.out, "no winner"));
        CHECK(!has(shown.out, "unfinished"));
        CHECK(json::parse(run_here({"show", to, "--json"}).out)[0]["unfinished"] == false);
        CHECK(!has(run_here({"report", to}).out, "no tuning has ended"));
    }
    support::write_file(from, store_of({attune::measurement::exact(1.0)}));
    CHECK(has(run_here({"show", from}).out, "unfinished"));
    CHECK(json::parse(run_here({"show", from, "--json"}).out)[0]["unfinished"] == true);
    CHECK(has(run_here({"report", from}).out, "no tuning has ended"));
}
