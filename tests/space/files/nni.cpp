// tests/space/files/nni.cpp : mirrors include/attune/space/files/nni.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/files/nni.hpp>

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/files/read_json.hpp>
#include <attune/space/files/write_json.hpp>
#include <attune/space/query/configurations.hpp>
#include <attune/space/query/exact_size.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../space_generator.hpp"

namespace {

attune::chain_of_trees built(attune::named_space const& read)
{
    return attune::chain_of_trees(attune::bind_inputs(read.space));
}

std::string count_of(std::string const& text)
{
    return attune::exact_size(built(attune::read_nni(text))).str();
}

std::string refusal_of(std::string const& text)
{
    try {
        static_cast<void>(attune::read_nni(text, "search_space.json"));
    } catch (attune::syntax_error const& e) {
        return e.what();
    }
    return "was read";
}

/// A convolutional layer, one of pooling, or none, as in NNI's guide, and a size behind a size.
char const* const layers = R"({
  "layer0": {"_type": "choice", "_value": [
    {"_name": "Empty"},
    {"_name": "Conv", "kernel": {"_type": "choice", "_value": [1, 2, 3, 5]},
     "act": {"_type": "choice", "_value": [
        {"_name": "relu"},
        {"_name": "leaky", "slope": {"_type": "quniform", "_value": [0.25, 1, 0.25]}}]}},
    {"_name": "Max_pool", "kernel": {"_type": "randint", "_value": [2, 5]}}]},
  "batch": {"_type": "choice", "_value": [16, 4, 8]}})";

} // namespace

TEST_CASE("each type of NNI with bounds becomes the parameter that has its values")
{
    attune::named_space const read = attune::read_nni(R"({
        "a": {"_type": "choice", "_value": [8, 2, 4]},
        "b": {"_type": "choice", "_value": ["x", "it's"]},
        "c": {"_type": "choice", "_value": [true, false]},
        "d": {"_type": "choice", "_value": [0.5, 1]},
        "e": {"_type": "randint", "_value": [-2, 3]},
        "f": {"_type": "uniform", "_value": [0, 0.5]},
        "g": {"_type": "loguniform", "_value": [0.001, 1]},
        "h": {"_type": "quniform", "_value": [1, 10, 4]},
        "i": {"_type": "qloguniform", "_value": [16, 64, 16]},
        "j": {"_type": "quniform", "_value": [0.1, 0.3, 0.1]}})");
    attune::description const bound = attune::bind_inputs(read.space);
    auto const& p = bound.parameters;
    REQUIRE(p.size() == 10);
    CHECK(p[0].integers == std::vector<std::int64_t>{2, 4, 8});
    CHECK(p[1].labels == std::vector<std::string>{"x", "it's"});
    CHECK(p[2].kind == attune::parameter_kind::boolean);
    CHECK(p[3].reals == std::vector<double>{0.5, 1});
    CHECK(p[4].integers == std::vector<std::int64_t>{-2, -1, 0, 1, 2});
    CHECK(p[5].kind == attune::parameter_kind::real);
    CHECK((p[5].low == 0 && p[5].high == 0.5 && p[5].on == attune::scale::linear));
    CHECK((p[6].low == 0.001 && p[6].high == 1 && p[6].on == attune::scale::log));
    // 1 to 10 over 4 is 0.25 to 2.5, rounded 0, 1, 2: 0 is below the low end
    CHECK(p[7].integers == std::vector<std::int64_t>{1, 4, 8});
    CHECK(p[8].integers == std::vector<std::int64_t>{16, 32, 48, 64});
    CHECK(p[8].on == attune::scale::log);
    REQUIRE(p[9].reals.size() == 3);
    CHECK(p[9].reals[1] == doctest::Approx(0.2));
    CHECK(read.space.constraints.empty());
}

TEST_CASE("a quantised type has the values that its formula draws")
{
    attune::random_engine engine(7);
    for (int round = 0; round < 60; ++round) {
        double const q = static_cast<double>(1 + attune::uniform_below(engine, 12)) / 4;
        double const low = static_cast<double>(1 + attune::uniform_below(engine, 40)) / 8;
        double const high = low + static_cast<double>(attune::uniform_below(engine, 60)) / 8;
        std::string const range = "[" + std::to_string(low) + ", " + std::to_string(high) + ", " +
                                  std::to_string(q) + "]";
        CAPTURE(range);
        std::set<double> drawn;
        for (int i = 0; i < 4000; ++i) {
            double const x = low + (high - low) * (i + 0.37) / 4000;
            drawn.insert(std::min(std::max(std::nearbyint(x / q) * q, low), high));
        }
        attune::named_space const read =
            attune::read_nni(R"({"x": {"_type": "quniform", "_value": )" + range + "}}");
        attune::parameter_description const& p = read.space.parameters.front();
        std::set<double> listed(p.reals.begin(), p.reals.end());
        listed.insert(p.integers.begin(), p.integers.end());
        CHECK(listed == drawn);
    }
}

TEST_CASE("what is inside of an option counts where that option is chosen")
{
    // Empty 1, Conv 4 kernels times (relu 1 + leaky 4 slopes), Max_pool 3 kernels; 3 batches
    CHECK(count_of(layers) == std::to_string((1 + 4 * (1 + 4) + 3) * 3));
    attune::named_space const read = attune::read_nni(layers);
    std::vector<std::string> names;
    for (attune::parameter_description const& p : read.space.parameters)
        names.push_back(p.name);
    CHECK(names == std::vector<std::string>{"layer0", "layer0/Conv/kernel", "layer0/Conv/act",
                                            "layer0/Conv/act/leaky/slope", "layer0/Max_pool/kernel",
                                            "batch"});
    CHECK(read.space.parameters[3].active.text == "`layer0/Conv/act` == 'leaky'");
    attune::chain_of_trees const space = built(read);
    for (attune::point const& p : attune::configurations(space)) {
        bool const is_conv = p[0].index == 1;
        CHECK(space.is_active(1, p) == is_conv);
        CHECK(space.is_active(2, p) == is_conv);
        CHECK(space.is_active(3, p) == (is_conv && p[2].index == 1));
        CHECK(space.is_active(4, p) == (p[0].index == 2));
        CHECK(space.is_active(5, p));
    }
    // attune's own form keeps them
    auto const again = attune::read_spaces_json(attune::write_space_json(read));
    CHECK(attune::exact_size(built(again.front())) == attune::exact_size(space));
}

TEST_CASE("a long range stays a range")
{
    CHECK(count_of(R"({"seed": {"_type": "randint", "_value": [0, 2000000000]}})") == "2000000000");
}

TEST_CASE("what attune has no parameter for is refused by name and type")
{
    struct wrong {
        char const* value;
        char const* sentence;
    };
    for (wrong const& w : std::vector<wrong>{
             {R"({"_type": "normal", "_value": [0, 1]})",
              "parameter x of the type normal: attune has no parameters without bounds"},
             {R"({"_type": "qlognormal", "_value": [0, 1, 1]})", "x of the type qlognormal: "},
             {R"({"_type": "mutable_layer", "_value": []})",
              "x of the type mutable_layer: expected choice, randint"},
             {R"({"_value": [1]})", "expected a member \"_type\""},
             {R"({"_type": "choice"})", "expected a member \"_value\""},
             {R"({"_type": "choice", "_value": []})",
              "x of the type choice: expected at least one"},
             {R"({"_type": "choice", "_value": [[1, 2]]})", "found a list"},
             {R"({"_type": "choice", "_value": [1, {"_name": "b"}]})", "all objects, or none"},
             {R"({"_type": "choice", "_value": [{"y": 1}]})", "expected a text \"_name\""},
             {R"({"_type": "choice", "_value": [1, 1]})", "each value once"},
             {R"({"_type": "choice", "_value": [1, "a"]})", "as the values before it"},
             {R"({"_type": "randint", "_value": [3]})", "x of the type randint: expected [first,"},
             {R"({"_type": "randint", "_value": [3, 3]})", "expected a last number above"},
             {R"({"_type": "randint", "_value": [0.5, 3]})", "expected whole numbers"},
             {R"({"_type": "uniform", "_value": [1, 1]})",
              "x of the type uniform: expected a high"},
             {R"({"_type": "loguniform", "_value": [0, 1]})", "expected a low end above 0"},
             {R"({"_type": "quniform", "_value": [0, 1]})", "expected [low, high, q]"},
             {R"({"_type": "quniform", "_value": [0, 1, 0]})", "expected q above 0"},
             {R"({"_type": "quniform", "_value": [0, 1e9, 1]})", "expected at most 2^20 values"}}) {
        CAPTURE(w.value);
        std::string const told = refusal_of(R"({"x": )" + std::string(w.value) + '}');
        CHECK(told.find(w.sentence) != std::string::npos);
        CHECK(told.find("line 1, column ") != std::string::npos);
    }
    CHECK(refusal_of("[]").find("a search space of NNI") != std::string::npos);
    CHECK(refusal_of("{}").find("at least one parameter") != std::string::npos);
    CHECK(refusal_of(R"({"a": {"_type": "choice", "_value": [{"_name": "p",
        "b": {"_type": "normal", "_value": [0, 1]}}]}})")
              .find("parameter a/p/b of the type normal") != std::string::npos);
}

using attune_tests::op;
using nlohmann::json;

namespace {

attune::description read_json(std::string const& params)
{
    return attune::bind_inputs(attune::read_spaces_json("{\"params\": " + params + "}")[0].space);
}

/// Parameter name -> JSON text of its value; the members of an option beside its choice.
using assignment = std::map<std::string, std::string>;

/// Every configuration of a search space of NNI with choices and randints alone, as NNI draws them.
std::set<assignment> drawn_by(json const& members)
{
    std::set<assignment> out{assignment{}};
    for (auto const& [name, p] : members.items()) {
        if (name == "_name") continue;
        std::set<assignment> here;
        if (p.at("_type") == "randint")
            for (auto v = p.at("_value")[0].get<std::int64_t>(); v < p.at("_value")[1]; ++v)
                here.insert(assignment{{name, json(v).dump()}});
        else
            for (json const& v : p.at("_value")) {
                if (!v.is_object()) {
                    here.insert(assignment{{name, v.dump()}});
                    continue;
                }
                for (assignment inside : drawn_by(v)) {
                    inside[name] = v.at("_name").dump();
                    here.insert(std::move(inside));
                }
            }
        std::set<assignment> joined;
        for (assignment const& a : out)
            for (assignment const& b : here) {
                assignment both = a;
                both.insert(b.begin(), b.end());
                joined.insert(std::move(both));
            }
        out = std::move(joined);
    }
    return out;
}

/// The active values of every configuration that holds, by brute force.
/// @param space  settled
std::set<assignment> drawn_from(attune::description const& space)
{
    std::set<assignment> out;
    attune_tests::for_each_setting(space, [&](attune::point const& at) {
        if (!attune_tests::all_hold(space, at)) return;
        assignment one;
        for (std::uint32_t i = 0; i < at.size(); ++i) {
            attune::parameter_description const& p = space.parameters[i];
            std::uint32_t const v = at[i].index;
            if (!attune::detail::is_active(space, i, at)) continue;
            one[p.name] = p.type == attune::value_kind::text      ? json(p.labels[v]).dump()
                          : p.type == attune::value_kind::boolean ? json(v != 0).dump()
                          : p.type == attune::value_kind::real    ? json(p.reals[v]).dump()
                                                                  : json(p.integers[v]).dump();
        }
        out.insert(std::move(one));
    });
    return out;
}

} // namespace

TEST_CASE("what read_nni reads is written so that it reads the same")
{
    char const* const text = R"({
      "layer0": {"_type": "choice", "_value": [
        {"_name": "Empty"},
        {"_name": "Conv", "kernel": {"_type": "choice", "_value": [1, 2, 3, 5]},
         "act": {"_type": "choice", "_value": [
            {"_name": "relu"},
            {"_name": "leaky", "slope": {"_type": "choice", "_value": [0.25, 0.5, 1.0]}}]}},
        {"_name": "Max_pool", "kernel": {"_type": "randint", "_value": [2, 5]}}]},
      "batch": {"_type": "choice", "_value": [4, 8, 16]},
      "mode": {"_type": "choice", "_value": ["x", "it's"]},
      "fast": {"_type": "choice", "_value": [false, true]},
      "seed": {"_type": "randint", "_value": [-2, 2000000000]},
      "rate": {"_type": "loguniform", "_value": [0.001, 1.0]},
      "drop": {"_type": "uniform", "_value": [0.0, 0.5]}})";
    attune::named_space read = attune::read_nni(text);
    read.space = attune::bind_inputs(read.space);
    attune::nni_file const written = attune::write_nni(read);
    CHECK(json::parse(written.text) == json::parse(text));
    CHECK(written.left_out.empty());
    CHECK(written.text.ends_with("}\n"));
    attune::named_space again = attune::read_nni(written.text);
    again.space = attune::bind_inputs(again.space);
    REQUIRE(again.space.parameters.size() == read.space.parameters.size());
    for (std::size_t i = 0; i < read.space.parameters.size(); ++i) {
        CHECK(again.space.parameters[i].name == read.space.parameters[i].name);
        CHECK(again.space.parameters[i].kind == read.space.parameters[i].kind);
        CHECK(again.space.parameters[i].type == read.space.parameters[i].type);
        CHECK(again.space.parameters[i].active.text == read.space.parameters[i].active.text);
    }
}

TEST_CASE("quantised types become the values that they draw, whole ones as whole numbers")
{
    attune::named_space read = attune::read_nni(R"({
        "h": {"_type": "quniform", "_value": [1, 10, 4]},
        "i": {"_type": "qloguniform", "_value": [16, 64, 16]},
        "j": {"_type": "quniform", "_value": [0.25, 1, 0.25]}})");
    json const written = json::parse(attune::write_nni(read).text);
    CHECK(written["h"].dump() == R"({"_type":"choice","_value":[1,4,8]})");
    CHECK(written["i"].dump() == R"({"_type":"choice","_value":[16,32,48,64]})");
    CHECK(written["j"].dump() == R"({"_type":"choice","_value":[0.25,0.5,0.75,1.0]})");
}

TEST_CASE("random spaces are drawn by NNI as they are without what is left out")
{
    attune_tests::space_generator generator(31);
    attune::random_engine engine(32);
    int tried = 0, nested = 0, flat = 0;
    while (tried < 300) {
        attune::description space = generator.draw(400);
        bool is_plain = true;
        for (attune::parameter_description const& p : space.parameters)
            is_plain = is_plain && p.type != attune::value_kind::list;
        if (!is_plain) continue;
        ++tried;
        CAPTURE(tried);
        // Some parameters count where an earlier or later text has a value, some by another rule.
        attune_tests::space_writer w{space};
        attune::description expected = space; // without what NNI cannot say
        expected.constraints.clear();
        for (std::uint32_t i = 0; i < space.parameters.size(); ++i)
            for (std::uint32_t q = 0; q < space.parameters.size(); ++q) {
                bool const is_text = space.parameters[q].type == attune::value_kind::text;
                if (q == i || w.out.parameters[i].is_conditional() ||
                    attune::uniform_below(engine, 2) == 0)
                    continue;
                std::uint32_t const read = w.read(q);
                bool const is_first = attune::uniform_below(engine, 2) == 0;
                std::uint32_t root = attune::no_index;
                if (is_text) {
                    std::uint32_t const label = w.text("soa");
                    root = w.join(op::equal, is_first ? read : label, is_first ? label : read);
                } else {
                    root = w.join(op::less, read, w.literal(std::int64_t{2}));
                }
                w.out.parameters[i].active = {.root = root, .text = "a condition"};
                if (attune::detail::undecided_parameter(w.out) != attune::no_index) {
                    w.out.parameters[i].active = {};
                    continue;
                }
                (is_text ? nested : flat) += 1;
                if (is_text) expected.parameters[i].active = w.out.parameters[i].active;
            }
        expected.nodes = w.out.nodes;
        expected.texts = w.out.texts;
        attune::detail::settle_conditions(expected);
        attune::nni_file const written = attune::write_nni({"", w.out, "", ""});
        CAPTURE(written.text);
        CHECK(drawn_by(json::parse(written.text)) == drawn_from(expected));
        std::size_t other_conditions = 0, sentences = 0;
        for (std::size_t i = 0; i < w.out.parameters.size(); ++i)
            other_conditions +=
                w.out.parameters[i].is_conditional() && !expected.parameters[i].is_conditional()
                    ? 1U
                    : 0U;
        for (std::string const& s : written.left_out)
            sentences += s.find("its condition a condition is no option") != s.npos ? 1U : 0U;
        CHECK(sentences == other_conditions);
        for (attune::constraint_description const& c : space.constraints)
            CHECK(written.left_out.at(0).find(c.text) != std::string::npos);
        // read_nni() reads the same tables: of categories in ascending order
        CHECK(attune::read_nni(written.text).space.parameters.size() == w.out.parameters.size());
    }
    CHECK(nested > 50);
    CHECK(flat > 50);
}

TEST_CASE("what NNI has no form for is told, one sentence of a kind")
{
    attune::named_space space;
    space.space = read_json(R"([
        {"name": "MODE", "values": ["a", "b"], "default": "b", "weights": [1, 2]},
        {"name": "W", "values": [1, 2], "default": 2, "active_if": "MODE == 'a'"},
        {"name": "MODE/a/V", "values": [3, 4], "active_if": "'a' == MODE"},
        {"name": "X", "values": [5], "active_if": "W > 1"},
        {"name": "Y", "values": [6], "active_if": "MODE == 'c'"},
        {"name": "Z", "kind": "real", "low": 0, "high": 1, "centre": 0.5, "deviation": 1}],
        "constraints": ["W < X", "Z < 0.5"])");
    attune::nni_file const written = attune::write_nni(space);
    CHECK(json::parse(written.text) == json::parse(R"({
        "MODE": {"_type": "choice", "_value": [
            {"_name": "a", "W": {"_type": "choice", "_value": [1, 2]},
                           "V": {"_type": "choice", "_value": [3, 4]}},
            {"_name": "b"}]},
        "X": {"_type": "choice", "_value": [5]},
        "Z": {"_type": "uniform", "_value": [0.0, 1.0]}})"));
    CHECK(
        written.left_out ==
        std::vector<std::string>{"NNI has no constraints; left out: W < X; Z < 0.5",
                                 "NNI always draws X: its condition W > 1 is no option of a choice",
                                 "Y is left out: its condition MODE == 'c' never holds",
                                 "NNI has no defaults; left out: of MODE, W",
                                 "NNI has no priors; left out: of MODE, Z"});
    auto const names = attune::read_nni(written.text).space.parameters;
    REQUIRE(names.size() == 5);
    CHECK(names[1].name == "MODE/a/W");
    CHECK(names[2].name == "MODE/a/V");
}

TEST_CASE("what is inside of a parameter that is left out is left out with a sentence")
{
    attune::named_space space;
    space.space = read_json(R"([
        {"name": "Z", "values": [1], "active_if": "X == 'p'"},
        {"name": "X", "values": ["p", "q"], "active_if": "Y == 'u'"},
        {"name": "Y", "values": ["u", "v"], "active_if": "MODE == 'c'"},
        {"name": "MODE", "values": ["a", "b"]}])");
    attune::nni_file const written = attune::write_nni(space);
    CHECK(json::parse(written.text) ==
          json::parse(R"({"MODE": {"_type": "choice", "_value": ["a", "b"]}})"));
    CHECK(written.left_out ==
          std::vector<std::string>{"Y is left out: its condition MODE == 'c' never holds",
                                   "X is left out: it is inside Y",
                                   "Z is left out: it is inside X"});
}

TEST_CASE("what read_nni() would not read back is refused")
{
    attune::named_space same;
    same.space = read_json(R"([
        {"name": "MODE", "values": ["a", "b"]},
        {"name": "W", "values": [1, 2], "active_if": "MODE == 'a'"},
        {"name": "MODE/a/W", "values": [3, 4]}])");
    CHECK_THROWS_WITH_AS(static_cast<void>(attune::write_nni(same)),
                         doctest::Contains("another member of this name"), attune::error);
    std::string params = R"([{"name": "P0", "values": ["a", "b"]})";
    for (int level = 1; level <= 10; ++level) {
        if (level == 10) {
            attune::named_space ten;
            ten.space = read_json(params + "]");
            CHECK(attune::read_nni(attune::write_nni(ten).text).space.parameters.size() == 10);
        }
        params += R"(, {"name": "P)" + std::to_string(level) +
                  R"(", "values": ["a", "b"], "active_if": "P)" + std::to_string(level - 1) +
                  R"( == 'a'"})";
    }
    attune::named_space eleven;
    eleven.space = read_json(params + "]");
    CHECK_THROWS_WITH_AS(static_cast<void>(attune::write_nni(eleven)),
                         doctest::Contains("10 levels"), attune::error);
}

TEST_CASE("kinds that NNI does not have are refused by the parameter's name")
{
    std::vector<std::pair<char const*, char const*>> const all{
        {R"({"name": "P", "kind": "permutation", "parts": 3})", "parameter P"},
        {R"({"name": "P", "kind": "permutation", "parts": 20})", "parameter P"},
        {R"({"name": "T", "kind": "tile", "parts": 2, "extent": 8})", "parameter T"},
        {R"({"name": "A", "elements": 2, "values": [1, 2]})", "parameter A"},
        {R"({"name": "_name", "values": [1, 2]})", "another member of this name"},
        {R"({"name": "_type", "values": [1, 2]})", "another member of this name"},
        {R"({"name": "_value", "values": [1, 2]})", "another member of this name"},
        {R"({"name": "L", "range": [0, 100000000], "step": 5})", "long range with a step"},
        {R"({"name": "L", "range": [9223372036844775807, 9223372036854775807]})",
         "end the range one below"},
    };
    for (auto const& [p, sentence] : all) {
        CAPTURE(p);
        attune::named_space space;
        space.space = read_json("[" + std::string(p) + "]");
        CHECK_THROWS_WITH_AS(static_cast<void>(attune::write_nni(space)),
                             doctest::Contains(sentence), attune::error);
    }
    attune::named_space unknown = attune::read_spaces_json(
        R"({"inputs": {"N": "integer"}, "params": [{"name": "R", "range": [1, "N"]}]})")[0];
    CHECK_THROWS_WITH_AS(static_cast<void>(attune::write_nni(unknown)),
                         doctest::Contains("call bind_inputs()"), attune::error);
}

TEST_CASE(
    "the last number of 64 bits has none behind it, and an interval of one number is a choice")
{
    attune::named_space space;
    space.space = read_json(R"([{"name": "R", "range": [9223372036854775806, 9223372036854775807]},
                                {"name": "S", "range": [3, 3]}])");
    attune_tests::space_writer w{space.space};
    w.real("X", 2.5, 2.5);
    space.space = w.out;
    json const written = json::parse(attune::write_nni(space).text);
    CHECK(written["R"].dump() ==
          R"({"_type":"choice","_value":[9223372036854775806,9223372036854775807]})");
    CHECK(written["S"].dump() == R"({"_type":"randint","_value":[3,4]})");
    CHECK(written["X"].dump() == R"({"_type":"choice","_value":[2.5]})");
}
