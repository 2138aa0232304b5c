// tests/space/files/write_nni.cpp : mirrors include/attune/space/files/write_nni.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/files/write_nni.hpp>

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/files/read_json.hpp>
#include <attune/space/files/read_nni.hpp>

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../space_generator.hpp"

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
            sentences += s.find("counts where a condition, which is no option") != s.npos ? 1U : 0U;
        CHECK(sentences == other_conditions);
        for (attune::constraint_description const& c : space.constraints)
            CHECK(written.left_out.at(0).find(c.text) != std::string::npos);
        // read_nni() reads the same tables: of categories in ascending order
        attune::named_space const again = attune::read_nni(written.text);
        CHECK(again.space.parameters.size() == w.out.parameters.size());
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
    CHECK(written.left_out ==
          std::vector<std::string>{
              "NNI has no constraints; left out: W < X; Z < 0.5",
              "X counts where W > 1, which is no option of a choice: NNI always draws it",
              "Y is left out: it counts where MODE == 'c', and there is no such value",
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
          std::vector<std::string>{
              "Y is left out: it counts where MODE == 'c', and there is no such value",
              "X is left out: it is inside of Y", "Z is left out: it is inside of X"});
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
