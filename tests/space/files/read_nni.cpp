// tests/space/files/read_nni.cpp : mirrors include/attune/space/files/read_nni.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/files/read_nni.hpp>

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/files/write_json.hpp>
#include <attune/space/query/configurations.hpp>
#include <attune/space/query/exact_size.hpp>

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <set>
#include <string>
#include <vector>

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
