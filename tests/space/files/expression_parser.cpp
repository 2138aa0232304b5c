// tests/space/files/expression_parser.cpp : mirrors include/attune/space/files/expression_parser.hpp, which it includes first.
// SPDX-License-Identifier: MIT
#include <attune/space/files/expression_parser.hpp>

#include <attune/core/random.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/space/files/read_json.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "published_spaces.hpp"
#include "python_reference.hpp"

using attune::description;
using attune::number;
using attune::parse_constraint;
using attune::parse_expression;

namespace {

/// a, b in -3 .. 4; odd name; mode text; flag boolean; order of 3; input N = 12.
description sample_space()
{
    return attune::read_spaces_json(R"({"name": "s", "problem": {"N": 12}, "params": [
        {"name": "a", "values": [-3, -2, -1, 0, 1, 2, 3, 4]},
        {"name": "b", "values": [-3, -2, -1, 0, 1, 2, 3, 4]},
        {"name": "r", "values": [0.5, 1.5]},
        {"name": "block size", "values": [1, 2]},
        {"name": "mode", "values": ["row", "col'umn"]},
        {"name": "flag", "values": [false, true]},
        {"name": "ORDER", "kind": "permutation", "parts": 3}]})")
        .front()
        .space;
}

/// The value where the parameters stand at `at`; missing ones stand at 0.
std::optional<number> value_of(std::string const& text, std::vector<std::uint32_t> at = {})
{
    description space = sample_space();
    std::uint32_t const root = parse_expression(space, text);
    attune::point p(space.parameters.size());
    for (std::size_t i = 0; i < at.size(); ++i)
        p[i].index = at[i];
    return attune::detail::evaluator(space).value(root, p);
}

std::optional<std::int64_t> whole(std::string const& text, std::vector<std::uint32_t> at = {})
{
    std::optional<number> const v = value_of(text, std::move(at));
    if (!v || v->is_real) return {};
    return v->integer;
}

} // namespace

TEST_CASE("whole numbers follow Python's precedence and rounding")
{
    CHECK(whole("1 + 2 * 3") == 7);
    CHECK(whole("(1 + 2) * 3") == 9);
    CHECK(whole("-7 // 2") == -4);
    CHECK(whole("-7 % 3") == 2);
    CHECK(whole("7 % -3") == -2);
    CHECK(whole("-2 ** 2") == -4);
    CHECK(whole("(-2) ** 2") == 4);
    CHECK(whole("2 ** 3 ** 0") == 2);
    CHECK(whole("(4 % 3) ** 0") == 1);
    CHECK(!whole("(4 % 0) ** 0"));
    CHECK(whole("2 * 3 % 4") == 2);
    CHECK(whole("10 - 3 - 2") == 5);
    CHECK(whole("- - 3") == 3);
    CHECK(whole("-(5)") == -5);
    CHECK(whole("0x1F") == 31);
    CHECK(whole("-9223372036854775808") == INT64_MIN);
    CHECK(whole("trunc_div(-7, 2)") == -3);
    CHECK(whole("trunc_mod(-7, 2)") == -1);
    CHECK(whole("ceil_div(7, 2)") == 4);
    CHECK(whole("min(3, 1, 2) + max(3, 1) * abs(-2)") == 7);
    CHECK(whole("1 if N == 12 else 2") == 1);
    CHECK(whole("True + True") == 2);
}

TEST_CASE("a division that always divides stays whole, another becomes real")
{
    CHECK(whole("8 / 2") == 4);
    CHECK(value_of("1 / 2")->real == 0.5);
    CHECK(value_of("-7 / 2")->real == -3.5);
    CHECK(value_of("N / 5")->real == doctest::Approx(2.4));
    CHECK(whole("a * b / b", {7, 6}) == 4);
    CHECK_FALSE(value_of("a / b", {0, 3})); // b is 0
    CHECK(value_of("a / b", {7, 6})->as_real() == doctest::Approx(4.0 / 3));
}

TEST_CASE("comparisons chain, and conditions give what Python gives")
{
    CHECK(whole("1 < 2 < 3") == 1);
    CHECK(whole("1 < 3 < 2") == 0);
    CHECK(whole("3 > 2 == 2") == 1);
    CHECK(whole("not 0 == 1") == 1);
    CHECK(whole("0 and a % 0") == 0);
    CHECK(whole("1 or a % 0") == 1);
    CHECK_FALSE(value_of("0 or a % 0"));
    CHECK(whole("(0 or 5) * 2") == 10);
    CHECK(whole("(3 and 5) * 2") == 10);
    CHECK(whole("(2 == 2) * 7") == 7);
    CHECK(whole("a in (1, 2, 3)", {5}) == 1);
    CHECK(whole("a not in [1, 2, 3]", {5}) == 0);
    CHECK(whole("a in [1, 2, 3]", {0}) == 0);
    CHECK(whole("a in ()") == 0);
    CHECK(whole("a in (-3,)") == 1);
    CHECK(whole("1 < 2 && !(2 < 1) || false") == 1);
    CHECK(whole("9007199254740993 == 9007199254740992.0") == 0);
    CHECK(whole("9007199254740993 in [9007199254740992.0]") == 0);
    CHECK(whole("9223372036854775807 < 9223372036854775808.0") == 1);
}

TEST_CASE("sets, ranges, tuples, lists of min and `is` are worth what Python 3 says")
{
    // Bit i: bool(eval(text)) at setting i of itertools.product(range(-3, 5), repeat=2), in which
    // a is the first number, b the second, and flag is b > 0.
    for (auto const& [text, held] : std::vector<std::pair<char const*, std::uint64_t>>{
             {"a in {1, 3}", 0x00ff00ff00000000},
             {"a in {}", 0x0000000000000000},
             {"a not in {a, b}", 0x0000000000000000},
             {"a in range(3)", 0x0000ffffff000000},
             {"a in range(-1, 3)", 0x0000ffffffff0000},
             {"a in range(b, 4)", 0x007f3f1f0f070301},
             {"a in range(-3, 5, 2)", 0x00ff00ff00ff00ff},
             {"a in range(3, -3, -2)", 0x00ff00ff00ff0000},
             {"a in range(b, a * b, 3)", 0x8040200000040201},
             {"a not in range(0, 4)", 0xff00000000ffffff},
             {"a * 0.5 in range(-1, 2)", 0x0000ff00ff00ff00},
             {"a not in range(1, b) and b in range(0, 9, 3)", 0x4848080848484848},
             {"flag is True", 0xf0f0f0f0f0f0f0f0},
             {"flag is not True", 0x0f0f0f0f0f0f0f0f},
             {"flag is not True == (a > 1)", 0x0f0f0f0000000000},
             {"flag is False and a > 0", 0x0f0f0f0f00000000},
             {"(a > b) is True", 0x7f3f1f0f07030100},
             {"min([a, b]) == b", 0xff7f3f1f0f070301},
             {"max((a, b, 0)) < 3", 0x00003f3f3f3f3f3f},
             {"max({a, -a}) == 3", 0x00ff0000000000ff},
             {"min([a]) < 0", 0x0000000000ffffff},
             {"max([a if a > b else b, min(a, 1)]) > 1", 0xffffffe0e0e0e0e0},
             {"min((a + b) * 2, 3) > 1", 0xfffefcf8f0e0c080},
             {"(a, b) in [(1, 1), (-3, 2), (2, b)]", 0x0000ff1000000020},
             {"(a, b) not in ((0, 0), (a, a))", 0x7fbfdfeff7fbfdfe},
             {"(a, b, a + b) in [(1, 2, 3), (1, 3, 4)]", 0x0000006000000000},
             {"(a, a // 2) in {(3, 1), (-3, -2)} or (a, b) in [(4, 4)]", 0x80ff0000000000ff},
             {"(a, b) in []", 0x0000000000000000},
             {"a == 0b11", 0x00ff000000000000},
             {"a + 1_000 > 0x3_e8 + 0", 0xffffffff00000000},
             {"a == 0o2 or a == -0b10", 0x0000ff000000ff00},
             {"b % 0b1_0 == 1", 0x5555555555555555},
             {"1_0.2_5 > 10.2 and a > 0", 0xffffffff00000000},
             {"(a, b) in [(0b1, 1_0 - 8)]", 0x0000002000000000},
         }) {
        CAPTURE(std::string(text));
        description space = sample_space();
        attune::constraint_description const c = parse_constraint(space, text);
        attune::detail::evaluator const evaluate(space);
        std::uint64_t holds = 0;
        for (std::uint32_t i = 0; i < 64; ++i) {
            attune::point at(space.parameters.size());
            at[0].index = i / 8;
            at[1].index = i % 8;
            at[5].index = i % 8 > 3 ? 1 : 0;
            holds |= std::uint64_t{evaluate.holds(c, at)} << i;
        }
        CHECK(holds == held);
    }
}

TEST_CASE("names, texts, booleans and elements are read")
{
    CHECK(whole("`block size` + 1", {0, 0, 0, 1}) == 3);
    CHECK(whole("mode == 'row'") == 1);
    CHECK(whole("mode != \"row\"", {0, 0, 0, 0, 1}) == 1);
    CHECK(whole("mode == 'col\\'umn'", {0, 0, 0, 0, 1}) == 1);
    CHECK(whole("mode in ('a', 'row')") == 1);
    CHECK(whole("flag * 3", {0, 0, 0, 0, 0, 1}) == 3);
    CHECK(whole("ORDER[0] * 10 + ORDER[2]", {0, 0, 0, 0, 0, 0, 5}) == 20);
    CHECK(whole("position(ORDER, 0)", {0, 0, 0, 0, 0, 0, 5}) == 2);
    CHECK(value_of("r + 1", {0, 0, 1})->real == 2.5);
}

TEST_CASE("a constraint keeps its text and knows the parameters it reads")
{
    description space = sample_space();
    std::string const text = " b  *a <=N ";
    attune::constraint_description const c = parse_constraint(space, text);
    CHECK(c.text == text);
    CHECK(c.scope == std::vector<std::uint32_t>{0, 1});
    std::size_t const nodes = space.nodes.size();
    CHECK(parse_constraint(space, "b * a <= N").root == c.root);
    CHECK(space.nodes.size() == nodes);
}

TEST_CASE("what cannot be read is named, with its place")
{
    struct wrong {
        char const* text;
        std::size_t column;
        char const* problem;
    };
    for (wrong const& w : std::vector<wrong>{
             {"", 1, "expected a value, found the end"},
             {"a +", 4, "expected a value, found the end"},
             {"a b", 3, "expected an operator or the end, found `b`"},
             {"(a + b", 7, "`)` for the bracket opened in column 1"},
             {"a + b)", 6, "expected an operator or the end, found `)`"},
             {"a ? b", 3, "expected an operator or a value"},
             {"a = b", 3, "expected an operator or a value"},
             {"c + 1", 1, "the name of a parameter or input, found `c`"},
             {"a + foo(1)", 5, "expected a function, found `foo`"},
             {"min(a)", 1, "expected 2 arguments of min, found 1"},
             {"9223372036854775808", 1, "is too large"},
             {"a + 1e999", 5, "is too large"},
             {"0x", 1, "expected a number"},
             {"12ab", 1, "expected a number, found `12ab`"},
             {"0b1.1", 1, "expected a number, found `0b1.1`"},
             {"0x1.8", 1, "expected a number, found `0x1.8`"},
             {"min(a, [b, 2])", 8, "expected a value"},
             {"'row", 1, "expected a closing '"},
             {"a ** b", 6, "an exponent that is a constant from 0 to 16"},
             {"2 ** a", 6, "an exponent that is a constant from 0 to 16"},
             {"a & 1", 3, "expected no bit operator, found `&`"},
             {"a | 1", 3, "no bit operator"},
             {"a ^ b", 3, "no bit operator"},
             {"~a", 1, "no bit operator"},
             {"1 << a", 3, "no bit operator, found `<<`"},
             {"a >> 1", 3, "no bit operator"},
             {"a in range(b, 4, b)", 6, "three whole numbers of range, the step a constant"},
             {"a in range()", 6, "three whole numbers of range"},
             {"a in range(0, 4, 0)", 6, "the step a constant"},
             {"a in range(r)", 6, "whole numbers of range"},
             {"a is True", 6, "a boolean parameter before `is`, and True or False"},
             {"flag is 1", 9, "True or False behind it, found `1`"},
             {"(a, b) == (1, 2)", 8, "expected `in` behind a tuple"},
             {"(a, b) in [(1, 2, 3)]", 12, "expected a tuple of 2 values"},
             {"(a, b) in [1, 2]", 12, "expected a tuple, such as (1, 2)"},
             {"min([a, b], 2)", 11, "`)` behind the list of min"},
             {"abs([a])", 5, "expected a value, found `[`"},
             {"a in {1", 8, "`,` or `}` for the bracket opened in column 6"},
             {"1__0", 1, "expected a number"},
             {"10_", 1, "expected a number"},
             {"0b2", 1, "expected a number"},
             {"a ** -1", 6, "an exponent"},
             {"a ** 17", 6, "an exponent"},
             {"mode < 'row'", 1, "expected == or != between texts"},
             {"a == 'row'", 6, "two numbers or two texts"},
             {"mode + 1", 1, "expected a number, found a text"},
             {"mode", 1, "expected a condition, found a text"},
             {"a in b", 6, "expected a (tuple), a [list], a {set} or a range"},
             {"a in (1)", 6, "expected a tuple"},
             {"a in (1, 2", 11, "for the bracket opened in column 6"},
             {"ORDER == 1", 1, "expected one element of the list ORDER"},
             {"ORDER[3]", 7, "expected a whole number from 0 to 2"},
             {"position(a, 1)", 10, "expected the name of a permutation"},
             {"a and and b", 7, "expected a value, found `and`"},
             {"1 if a", 7, "expected `else`, found the end"},
             {"a <", 4, "expected a value"},
         }) {
        CAPTURE(w.text);
        description space = sample_space();
        try {
            static_cast<void>(parse_constraint(space, w.text));
            FAIL_CHECK("was read");
        } catch (attune::syntax_error const& e) {
            CHECK(e.column() == w.column);
            CHECK_MESSAGE(e.problem().find(w.problem) != std::string::npos, e.problem());
        }
    }
    description space = sample_space();
    try {
        static_cast<void>(parse_constraint(space, "a <\n  zz"));
        FAIL_CHECK("was read");
    } catch (attune::syntax_error const& e) {
        CHECK(e.line() == 2);
        CHECK(e.column() == 3);
    }
}

TEST_CASE("texts that are too deep or grow too large are refused")
{
    auto const repeated = [](std::string const& part, int times) {
        std::string out;
        for (int i = 0; i < times; ++i)
            out += part;
        return out;
    };
    CHECK(whole(repeated("(", 90) + "1" + repeated(")", 90)) == 1);
    for (std::string const& text :
         {repeated("(", 100000) + "1", repeated("-", 100000) + "1", repeated("not ", 100000) + "1",
          repeated("2**", 100000) + "1", "1" + repeated("+a", 100000),
          repeated("(", 8) + "a" + repeated("**16)", 8),
          repeated("1 < (", 80) + "a" + repeated(") < 2", 80)}) {
        description space = sample_space();
        CHECK_THROWS_AS(static_cast<void>(parse_expression(space, text)), attune::syntax_error);
    }
}

TEST_CASE("every constraint of the published spaces is worth what Python says")
{
    attune::random_engine engine(7);
    for (attune::named_space const& read : attune_tests::published_spaces()) {
        description const& space = read.space;
        attune::detail::evaluator const evaluate(space);
        attune::point at(space.parameters.size());
        std::uint64_t agreed = 0;
        for (int draw = 0; draw < 1500; ++draw) {
            std::map<std::string, double> names;
            for (std::size_t i = 0; i < at.size(); ++i) {
                attune::parameter_description const& p = space.parameters[i];
                at[i].index =
                    static_cast<std::uint32_t>(attune::uniform_below(engine, p.value_count()));
                if (draw % 2 == 0) at[i].index %= 4; // small values: more of them valid
                at[i].index %= p.value_count();
                names[p.name] = attune::number_at(p, at[i]).as_real();
            }
            for (attune::constraint_description const& c : space.constraints) {
                std::optional<double> const want =
                    attune_tests::python_reference(c.text, names).run();
                bool const same = evaluate.holds(c, at) == (want && *want != 0);
                agreed += same ? 1 : 0;
                if (!same) FAIL_CHECK(read.name << ": " << c.text);
            }
        }
        CHECK(agreed == 1500 * space.constraints.size());
    }
}
