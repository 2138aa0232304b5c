// tests/remember/files/t4.cpp - results of other tuners are read, and written for them.
// SPDX-License-Identifier: MIT
#include <attune/remember/files/t4.hpp>

#include <attune/core/error.hpp>
#include <attune/remember/memory_store.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <string>
#include <variant>
#include <vector>

#include "../../support/texts.hpp"

using namespace attune::detail;
using attune::failure_stage;
using attune::memory_store;
using attune_test::has;

namespace {

stored_problem of_kernel(char const* name)
{
    stored_problem out;
    out.key.kernel = name;
    return out;
}

double seconds_of(tried_row const& row) { return std::get<attune::measurement>(row.result).value; }
failure_stage stage_of(tried_row const& row) { return std::get<attune::failure>(row.result).stage; }

/// In the form that Kernel Tuner 1.0 writes.
std::string const t4 = R"({"results": [
 {"timestamp": "2023-12-22", "configuration": {"block_size_x": 16, "layout": "row", "pad": true},
  "times": {"compilation": 9.0, "runtimes": [1.0, 2.0, 3.0]}, "invalidity": "correct",
  "correctness": 1, "measurements": [{"name": "GFLOP/s", "value": 7.0, "unit": ""},
  {"name": "time", "value": 2.0, "unit": "ms"}], "objectives": ["time"]},
 {"configuration": {"block_size_x": 32, "layout": "row", "pad": false}, "invalidity": "compile"},
 {"configuration": {"block_size_x": 64, "layout": "row", "pad": false}, "invalidity": "runtime"},
 {"configuration": {"block_size_x": 1, "layout": "row", "pad": false}, "invalidity": "timeout"},
 {"configuration": {"block_size_x": 2, "layout": "row", "pad": false}, "invalidity": "correctness"},
 {"configuration": {"block_size_x": 4, "layout": "row", "pad": false}, "invalidity": "constraints"},
 {"configuration": {"block_size_x": 8, "layout": "row", "pad": false}, "invalidity": "correct",
  "measurements": [{"name": "time", "value": 5.0, "unit": "us"}]}
], "schema_version": "1.0.0"})";

std::string const cache_start = R"({
"schema_version": "1.0.0",
"device_name": "NVIDIA A100",
"kernel_name": "convolution_kernel",
"problem_size": [4096, 2048],
"tune_params_keys": ["block_size_x", "block_size_y"],
"tune_params": {"block_size_x": [16, 32], "block_size_y": [1, 2]},
"objective": "time",
"cache": {
"16,1": {"block_size_x": 16, "block_size_y": 1, "time": 3.5, "times": [3.0, 4.0], "gflop/s": 1.0},
"16,2": {"block_size_x": 16, "block_size_y": 2, "time": "CompilationFailedConfig"},
"32,1": {"block_size_x": 32, "block_size_y": 1, "time": "RuntimeFailedConfig"},
"32,2": {"block_size_x": 32, "block_size_y": 2, "time": "InvalidConfig"},)";

} // namespace

TEST_CASE("T4 results are rows, in seconds, with the kind of each failure")
{
    imported_results const got =
        read_t4(t4, {.kernel = "gemm", .device = "gpu", .inputs = {{"N", "4096"}}});
    CHECK(got.problem.key.kernel == "gemm");
    CHECK(got.problem.key.device == "gpu");
    CHECK(got.problem.key.inputs == attune::named_texts{{"N", "4096"}});
    CHECK(got.problem.parameters == std::vector<std::string>{"block_size_x", "layout", "pad"});
    REQUIRE(got.rows.size() == 6); // what broke a constraint was never compiled
    CHECK(got.rows[0].values == attune::value_texts{"16", "row", "true"});
    auto const& m = std::get<attune::measurement>(got.rows[0].result);
    CHECK(m.value == doctest::Approx(0.002));
    CHECK(m.samples == 3);
    CHECK(m.high - m.value == doctest::Approx(1.96e-3 / std::sqrt(3.0)));
    CHECK(stage_of(got.rows[1]) == failure_stage::compile);
    CHECK(stage_of(got.rows[2]) == failure_stage::crash);
    CHECK(stage_of(got.rows[3]) == failure_stage::timeout);
    CHECK(stage_of(got.rows[4]) == failure_stage::verify);
    CHECK(seconds_of(got.rows[5]) == doctest::Approx(5e-6));
}

TEST_CASE("a cache file is read closed, open, and cut anywhere behind its first result")
{
    std::string const last = R"(
"64,1": {"block_size_x": 64, "block_size_y": 1, "time": 1.5},)";
    for (std::string const& end : {std::string("\n}}"), std::string(), std::string("\n")}) {
        std::string text = cache_start + last + end;
        if (!end.empty() && end != "\n") text.erase(text.size() - end.size() - 1, 1); // the comma
        imported_results const got = read_t4(text, {});
        CHECK(got.problem.key.kernel == "convolution_kernel");
        CHECK(got.problem.key.device == "NVIDIA A100");
        CHECK(got.problem.key.inputs ==
              attune::named_texts{{"problem_size.0", "4096"}, {"problem_size.1", "2048"}});
        REQUIRE(got.rows.size() == 4);
        CHECK(seconds_of(got.rows[0]) == doctest::Approx(3.5e-3));
        CHECK(stage_of(got.rows[1]) == failure_stage::compile);
        CHECK(stage_of(got.rows[2]) == failure_stage::crash);
        CHECK(got.rows[3].values == attune::value_texts{"64", "1"});
    }
    for (std::size_t length = 1; length < last.size(); ++length)
        CHECK(read_t4(cache_start + last.substr(0, length), {}).rows.size() >= 3);
    // The cut name is no second "time".
    std::string const in_name = last.substr(0, last.rfind('}')) + ", \"times";
    CHECK(read_t4(cache_start + in_name, {}).rows.size() == 3);
}

TEST_CASE("imported results are sources and never answers")
{
    memory_store store;
    CHECK(attune::import_t4(store, t4, {.kernel = "gemm", .device = "gpu"}) == 6);
    attune::record_key key{.kernel = "gemm", .device = "gpu"};
    CHECK(store.find(key).how == attune::record_match::none);
    auto const near = store.related(of_kernel("gemm"), 9);
    REQUIRE(near.size() == 1);
    CHECK(near[0].how.how != problem_difference::none);
    CHECK(near[0].past.rows.size() == 6);
}

TEST_CASE("what is written as T4 reads back")
{
    memory_store store;
    attune::import_t4(store, t4, {.kernel = "gemm", .device = "gpu"});
    attune::import_t4(store, cache_start, {});
    auto const written = attune::export_t4(store, "gemm");
    REQUIRE(written.size() == 1);
    CHECK(written[0].of.device == "gpu");
    CHECK(written[0].text.find("\"block_size_x\": 16") != std::string::npos);
    CHECK(written[0].text.find("\"layout\": \"row\"") != std::string::npos);
    CHECK(written[0].text.find("\"pad\": true") != std::string::npos);
    imported_results const before = read_t4(t4, {.kernel = "gemm"});
    imported_results const after = read_t4(written[0].text, {.kernel = "gemm"});
    CHECK(after.problem.parameters == before.problem.parameters);
    REQUIRE(after.rows.size() == before.rows.size());
    for (std::size_t i = 0; i < after.rows.size(); ++i) {
        CHECK(after.rows[i].values == before.rows[i].values);
        REQUIRE(after.rows[i].result.index() == before.rows[i].result.index());
        if (after.rows[i].result.index() == 0)
            CHECK(seconds_of(after.rows[i]) == doctest::Approx(seconds_of(before.rows[i])));
        else
            CHECK(stage_of(after.rows[i]) == stage_of(before.rows[i]));
    }
    CHECK(attune::export_t4(store, "none").empty());
}

TEST_CASE("what is no result of a tuner is refused with a sentence")
{
    for (char const* text :
         {"", "[]", "5", "{}", "{\"results\":5}", "{\"results\":[5]}", "{\"x\":", "{\"cache\":{}}",
          "{\"results\":[{\"configuration\":{}}]}x",
          "{\"results\":[{\"configuration\":{\"a\":1},\"invalidity\":\"compile\"},"
          "{\"configuration\":{\"b\":1},\"invalidity\":\"compile\"}]}"})
        CHECK_THROWS_AS(static_cast<void>(read_t4(text, {.kernel = "k"})), attune::error);
    CHECK_THROWS_AS(static_cast<void>(read_t4(t4, {})), attune::error); // of which kernel?
    std::string energy = cache_start;
    energy.replace(energy.find("\"time\""), 6, "\"energy\"");
    CHECK_THROWS_AS(static_cast<void>(read_t4(energy, {})), attune::error);
}

TEST_CASE("the objective and its unit are read, or the results are refused with their name")
{
    auto const of = [](std::string const& objective, std::string const& unit,
                       std::string const& value = "2", std::string const& more = "") {
        std::string const text =
            R"({"results": [{"configuration": {"A": 1}, "invalidity": "correct", "measurements": [
            {"name": "time", "value": 1, "unit": "ms"}, {"name": ")" +
            objective + R"(", "value": )" + value + R"(, "unit": ")" + unit +
            R"("}], "objectives": [")" + objective + "\"]}]" + more + "}";
        return read_t4(text, {.kernel = "k"});
    };
    for (auto const& [seconds, words] : std::vector<std::pair<double, std::vector<std::string>>>{
             {2e-6, {"Microseconds", "us", "USEC", "\u00b5s", "\u03bcs"}},
             {2e-9, {"Nanoseconds", "nsec"}},
             {2, {"Seconds", "sec", "second"}},
             {2e-3, {"Milliseconds", "MS", "[ms]"}}})
        for (std::string const& word : words) {
            CAPTURE(word);
            auto const got = of("Duration", word);
            REQUIRE(got.rows.size() == 1);
            CHECK(seconds_of(got.rows[0]) == doctest::Approx(seconds));
        }
    auto const refused = [&](std::string const& objective, std::string const& unit) {
        try {
            static_cast<void>(of(objective, unit));
        } catch (attune::error const& e) {
            return std::string(e.where());
        }
        return std::string("read");
    };
    CHECK(refused("GFLOP/s", "") ==
          "its objective is GFLOP/s, without a unit, and a time is needed");
    for (char const* const unit : {"J", "cycles", "%", "GFLOP/s", "m"})
        CHECK(refused("energy", unit) ==
              "its objective is energy in " + std::string(unit) + ", and a time is needed");
    std::string const said = R"(, "metadata": {"timeunit": "microseconds"})";
    CHECK(seconds_of(of("time_of_kernel", "", "2", said).rows[0]) == doctest::Approx(2e-6));
    CHECK(stage_of(of("Duration", "ms", "1e20").rows.at(0)) == failure_stage::crash);
    CHECK(of("Duration", "us").unread_objectives.empty());
    auto const several = read_t4(
        R"({"results": [{"configuration": {"A": 1}, "measurements": [{"name": "time", "value": 1,
        "unit": "ms"}], "objectives": ["time", "energy", "W"]}]})",
        {.kernel = "k"});
    CHECK(several.rows.size() == 1);
    CHECK(several.unread_objectives == "energy, W");
    auto const dropped = of("Duration", "us", "-1");
    CHECK(dropped.rows.empty());
    CHECK(dropped.left_out == 1);
    CHECK(dropped.why_left_out == "its Duration is not above 0");
    auto const reason = [&](std::string const& value) {
        return std::get<attune::failure>(of("Duration", "us", value).rows.at(0).result).reason;
    };
    CHECK(reason("NaN") == "its Duration is NaN");
    CHECK(reason("-Infinity") == "its Duration is -Infinity");
    CHECK(reason("null") == "its Duration is null");
    CHECK(reason("\"RuntimeFailedConfig\"") == "RuntimeFailedConfig");
    CHECK(of("Duration", "us", "\"InvalidConfig\"").rows.empty());
    CHECK(of("Duration", "us", "\"1.5\"").why_left_out == "it has no number as Duration");
}

TEST_CASE("a name may have the unit of a time, and any name the direction")
{
    auto const of = [](std::string const& objective, std::string const& more = "",
                       std::string const& invalidity = "\"correct\"") {
        return read_t4(R"t({"results": [{"configuration": {"A": 1}, "invalidity": )t" + invalidity +
                           R"t(, "objectives": )t" + objective + R"t(, "measurements": [
            {"name": "time", "value": 2}, {"name": "time_us", "value": 2},
            {"name": "Time (ns)", "value": 2}, {"name": "time_min", "value": 2},
            {"name": "time_per_flop", "value": 2}]}])t" +
                           more + "}",
                       {.kernel = "k"});
    };
    CHECK(seconds_of(of("[\"time_us\"]").rows.at(0)) == doctest::Approx(2e-6));
    CHECK(seconds_of(of("[\"Time (ns)\"]").rows.at(0)) == doctest::Approx(2e-9));
    CHECK(seconds_of(of("\"time_us\"").rows.at(0)) == doctest::Approx(2e-6));
    CHECK(seconds_of(of("\"time_min\"").rows.at(0)) == doctest::Approx(2e-3)); // the lowest time
    CHECK(seconds_of(of("[\"time\"]", R"(, "timeunit": "s")").rows.at(0)) == doctest::Approx(2));
    CHECK(seconds_of(of("[\"time_us\"]", R"(, "timeunit": "s")").rows.at(0)) ==
          doctest::Approx(2e-6));
    CHECK_THROWS_AS(static_cast<void>(of("[\"time_per_flop\"]")), attune::error);
    for (char const* const higher :
         {R"(, "objective_higher_is_better": 1)", R"(, "higher_is_better": "True")",
          R"(, "direction": "Maximize")", R"(, "metadata": {"objective_direction": "higher"})"})
        CHECK_THROWS_AS(static_cast<void>(of("[\"time\"]", higher)), attune::error);
    CHECK(of("[\"time\"]", R"(, "direction": "minimize", "higher_is_better": 0)").rows.size() == 1);
    for (char const* const right : {"\"Correct\"", "\"\"", "null"})
        CHECK(seconds_of(of("[\"time\"]", "", right).rows.at(0)) == doctest::Approx(2e-3));
    CHECK(stage_of(of("[\"time\"]", "", "\"Compile\"").rows.at(0)) == failure_stage::compile);
}

TEST_CASE("a cache says an error beside the objective, and its unit")
{
    auto const of = [](std::string const& row, std::string const& more = "") {
        return read_t4(
            R"({"kernel_name": "k", "tune_params_keys": ["A"], "cache": {"1": {"A": 1, )" + row +
                "}}" + more + "}",
            {});
    };
    CHECK(stage_of(of(R"("__error__": "CompilationFailedConfig")").rows.at(0)) ==
          failure_stage::compile);
    CHECK(of(R"("__error__": "InvalidConfig")").rows.empty());
    CHECK(of(R"("time": "1.5")").rows.empty());
    CHECK(seconds_of(of(R"("time": 2)", R"(, "timeunit": "us")").rows.at(0)) ==
          doctest::Approx(2e-6));
    CHECK_THROWS_AS(
        static_cast<void>(of(R"("GFLOP/s": 2)", R"(, "timeunit": "ms", "objective": "GFLOP/s")")),
        attune::error);
}

namespace {

/// The reason why this text is refused; "read" if it is not.
std::string refusal(std::string const& text)
{
    try {
        static_cast<void>(read_t4(text, {.kernel = "k"}));
    } catch (attune::error const& e) {
        return std::string(e.where());
    }
    return "read";
}

/// Results with one time, and a member in each place where one may say the direction.
/// @param inside  of the result, of its measurement, of the metadata, or of the document
std::string with_member(int inside, std::string const& member)
{
    auto const at = [&](int place) { return place == inside ? ", " + member : std::string(); };
    return R"({"results": [{"configuration": {"A": 1}, "objectives": ["time"], "measurements": [
        {"name": "time", "value": 1)" +
           at(1) + "}]" + at(0) + R"(}], "metadata": {"x": 1)" + at(2) + "}" + at(3) + "}";
}

/// Results of one configuration each, which may have more members than it.
std::string of_rows(std::vector<std::string> const& rows)
{
    std::string out = R"({"results": [)";
    for (std::string const& row : rows)
        out += (out.back() == '[' ? "{" : ", {") + row + "}";
    return out + "]}";
}

std::string const timed = R"("measurements": [{"name": "time", "value": 2}])";

} // namespace

TEST_CASE("a higher time that is better is refused, wherever and however a file says it")
{
    std::string cache = cache_start;
    cache.erase(cache.rfind(','));
    for (char const* const higher :
         {R"("higher_is_better": [true])", R"("direction": ["maximize", "minimize"])",
          R"("maximise": {"time": true})", R"("maximize": "time")", R"("minimize": false)",
          R"("lower_is_better": 0)", R"("HigherIsBetter": true)", R"("Mode": "max")",
          R"("objectiveDirection": "Maximize")", R"("optimization_direction": "higher")",
          R"("sense": "MAX")", R"("goal": "maximise")", R"("optimize": {"time": "max"})"}) {
        CAPTURE(higher);
        for (int inside = 0; inside < 4; ++inside)
            CHECK(has(refusal(with_member(inside, higher)), "a higher time is better, as \""));
        CHECK(has(refusal(cache + "}, " + higher + "}"), "a higher time is better, as \""));
    }
    for (char const* const lower :
         {R"("higher_is_better": [false, true])", R"("direction": ["minimize", "maximize"])",
          R"("maximize": {"time": false, "GFLOP/s": true})", R"("minimise": "time")",
          R"("minimize": true)", R"("higher_is_better": {"GFLOP/s": true})", R"("mode": "fast")",
          R"("mode": "max-autotune")", R"("direction": null)", R"("optimize": "time")",
          R"("goal": "lower")"}) {
        CAPTURE(lower);
        for (int inside = 0; inside < 4; ++inside)
            CHECK(refusal(with_member(inside, lower)) == "read");
    }
    CHECK(has(refusal(with_member(0, R"("direction": "sideways")")),
              "its \"direction\" is \"sideways\", which is no direction of time"));
}

TEST_CASE("a name that begins as a time, or an energy in seconds, is no time")
{
    auto const named = [](std::string const& name, std::string const& unit) {
        return refusal(R"({"metadata": {"timeunit": "ns"}, "results": [{"configuration": {"A": 1},
            "objectives": [")" +
                       name + R"("], "measurements": [{"name": ")" + name + R"(", "value": 2)" +
                       (unit.empty() ? "" : R"(, "unit": ")" + unit + '"') + "}]}]}");
    };
    for (char const* const time : {"time", "Times", "time_ms", "runtime", "execution time",
                                   "Kernel_Time", "kernel time (us)"})
        CHECK(named(time, "") == "read");
    for (char const* const other : {"timesteps_per_second", "time_per_flop", "timeouts", "energy"})
        CHECK(has(named(other, ""), "its objective is " + std::string(other) + ", without a unit"));
    for (char const* const other : {"energy", "GFLOPs", "steps per second", "it/s"})
        CHECK(has(named(other, "s"), "its objective is " + std::string(other) + " in s"));
    CHECK(named("energy time", "s") == "read");
    CHECK(named("time/s", "s") == "read");
    CHECK(named("us/step", "us") == "read");
    CHECK(has(named("steps/sec", "s"), "its objective is steps/sec in s"));
    std::string flops = cache_start + "}, \"timeunit\": \"ns\"}";
    flops.erase(flops.rfind(",}"), 1).replace(flops.find("\"time\""), 6, "\"time_per_flop\"");
    CHECK(has(refusal(flops), "its objective is time_per_flop"));
}

TEST_CASE("what a result says of its failure is read in any usual form, and else counted")
{
    auto const row = [](std::string const& more) {
        return read_t4(of_rows({R"("configuration": {"A": 1}, )" + more + ", " + timed}),
                       {.kernel = "k"});
    };
    for (char const* const right : {R"("ok")", R"("valid")", R"("none")", R"("Success")",
                                    R"(" correct")", "false", "0", "[]", "null"})
        CHECK(seconds_of(row(R"("invalidity": )" + std::string(right)).rows.at(0)) > 0);
    for (char const* const wrong : {"0", "false"}) {
        auto const got = row(R"("invalidity": "correct", "correctness": )" + std::string(wrong));
        CHECK(stage_of(got.rows.at(0)) == failure_stage::verify);
    }
    CHECK(stage_of(row(R"("invalidity": "compile", "correctness": 0)").rows.at(0)) ==
          failure_stage::compile);
    auto const unknown = row(R"("invalidity": "eaten")");
    CHECK(unknown.rows.empty());
    CHECK(unknown.left_out == 1);
    CHECK(unknown.why_left_out == "its invalidity is eaten, which is no word of T4");
}

TEST_CASE("rows agree in their parameters and their objective, and no name is there twice")
{
    std::string const a = R"("configuration": {"A": 1}, )" + timed;
    CHECK(has(refusal(of_rows({a, R"("configuration": {"A": 1, "B": 2}, )" + timed})),
              "the first configuration has no B, and this one has, line 1, column"));
    auto const mixed = read_t4(
        of_rows({a, R"("configuration": {"A": 2}, "objectives": ["energy"], "measurements": [
                    {"name": "energy", "value": 3, "unit": "J"}])"}),
        {.kernel = "k"});
    CHECK(mixed.rows.size() == 1);
    CHECK(mixed.why_left_out == "its objective is energy, and that of others is time");
    CHECK(refusal(of_rows({"\n" + a + R"(, "configuration": {"A": 2})"})) ==
          "an object has the name configuration twice, line 2, column 76, at '\"configuration\"'");
    CHECK(has(refusal(cache_start + R"("16,1": {"block_size_x": 16, "block_size_y": 1}}})"),
              "the name 16,1 twice"));
}

TEST_CASE("a text whose brackets lie too deep is refused with the place, before it is read")
{
    auto const deep = [](std::size_t depth) {
        return "{\"x\":\n" + std::string(depth, '[') + std::string(depth, ']') +
               ", \"results\": []}";
    };
    CHECK(refusal(deep(999)) == "read");
    CHECK(refusal(deep(1000)) == "the text is no JSON object: line 2, column 1000, at '[', with "
                                 "1000 brackets around it");
    CHECK(has(refusal(deep(100'000)), "line 2, column 1000"));
    CHECK(refusal("{\"x\": \"" + std::string(2000, '[') + "\\\"[\", \"results\": []}") == "read");
}

TEST_CASE("Python's NaN and Infinity are read, and what is no JSON is refused with its place")
{
    imported_results const got = read_t4(
        cache_start + R"("1,1": {"block_size_x": 1, "block_size_y": 1, "time": 1e20, "w": NaN},
"2,1": {"block_size_x": 2, "block_size_y": 1, "time": Infinity, "NaN": -Infinity},
"3,1": {"block_size_x": 3, "block_size_y": 1, "time": 2.5, "why": "NaN \"Infinity"}}})",
        {});
    REQUIRE(got.rows.size() == 6);
    CHECK(stage_of(got.rows[3]) == failure_stage::crash);
    CHECK(std::get<attune::failure>(got.rows[4].result).reason == "its time is Infinity");
    CHECK(seconds_of(got.rows[5]) == doctest::Approx(2.5e-3));
    CHECK(got.left_out == 1); // InvalidConfig
    try {
        static_cast<void>(read_t4("{\"results\": [\n {\"a\": nan}]}", {}));
        FAIL("it was read");
    } catch (attune::error const& e) {
        CHECK(std::string(e.where()) == "the text is no JSON object: line 2, column 8, at 'nan'");
    }
    CHECK(refusal("{\"a\": NaN, \"b\": [+Infinity, -Infinity], \"c\": NaNs}") ==
          "the text is no JSON object: line 1, column 46, at 'NaNs'");
    for (char const* const cut : {"{", "{\"results\": [\n{\"a\": 1", "{\"attune_export\": 1,\n\"p"})
        CHECK(has(refusal(cut), "the text is cut: line "));
}
