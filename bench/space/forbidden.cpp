// bench/space/forbidden.cpp - how long spaces with many conditions over the same parameters take.
// SPDX-License-Identifier: MIT
//
// Run      bench.space.forbidden [--terms N] [--repeat K] [--benchmark_...]
//          N: terms, default 1000; K: default 5
// Prints   the times to build each space from the description in memory (reading is not in it) and
//          to count it; then the largest of both.
//          `apart`: N forbidden configurations of 10^6 as N constraints; `and`, `not_or`: as one;
//          `or`: N allowed ones as one constraint; `unequal`: x != i, N constraints on 1000 N
//          values; `in`: x in a list of 5 N of as many; `in_reals`, `in_texts`: the same of a
//          table of 10 N values; `between`: N forbidden ranges; `at_least`: x > i, N constraints;
//          `sixteen`: N / 10 forbidden configurations of 16^4; `nested`: these with an `or` in
//          each; `key`: N keys of the configurations, `A * 10^5 + B * 10^4 + ... != key`;
//          `tuples`, `boxes`: N forbidden pairs of values, or of ranges, of two parameters with N
//          values each; `scopes`: N forbidden combinations of values of 2 to 8 of 8 parameters with
//          6 values each; `remainders`: x % k != 1, N constraints on 1000 N values.
// Note     processor time of one thread
// Exit     1 when a count is wrong; 2 when an argument is
#include <attune/core/error.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/files/read_json.hpp>

#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstdint>
#include <cstdio>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../support/key_value_reporter.hpp"

namespace {

struct forbidden_space {
    char const* name = nullptr;
    std::string text;
    std::uint64_t count = 0;
};

std::string joined(std::vector<std::string> const& parts, std::string const& by)
{
    std::string out;
    for (std::string const& p : parts)
        out += (out.empty() ? "" : by) + p;
    return out;
}

/// @param constraints  each as a JSON text
std::string space_text(std::string const& params, std::vector<std::string> const& constraints)
{
    return "{\"params\":[" + params + "],\"constraints\":[\"" + joined(constraints, "\",\"") +
           "\"]}";
}

std::vector<forbidden_space> spaces_of(std::size_t terms)
{
    std::vector<std::string> params, equal, unequal, listed;
    for (char const* const name : {"A", "B", "C", "D", "E", "F"})
        params.push_back(std::string("{\"name\":\"") + name +
                         "\",\"values\":[0,1,2,3,4,5,6,7,8,9]}");
    std::set<std::uint64_t> seen;
    for (std::uint64_t state = 1; equal.size() < terms;) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        std::uint64_t rest = (state >> 33U) % 1000000;
        if (!seen.insert(rest).second) continue;
        std::vector<std::string> one;
        for (char const* const name : {"A", "B", "C", "D", "E", "F"}) {
            one.push_back(std::string(name) + " == " + std::to_string(rest % 10));
            rest /= 10;
        }
        equal.push_back('(' + joined(one, " and ") + ')');
        unequal.push_back("x != " + std::to_string(7 * equal.size()));
    }
    for (std::uint64_t i = 0; i < 5 * terms; ++i)
        listed.push_back(std::to_string(2 * i));
    std::vector<std::string> apart;
    for (std::string const& one : equal)
        apart.push_back("not " + one);
    std::string const all = joined(params, ",");
    auto const range = [](std::uint64_t last) {
        return "{\"name\":\"x\",\"range\":[1," + std::to_string(last) + "]}";
    };
    std::vector<std::string> reals, texts, table_of_reals, table_of_texts, above, between;
    for (std::size_t i = 0; i < 10 * terms; ++i) {
        table_of_reals.push_back(std::to_string(i) + ".5");
        table_of_texts.push_back("\"t" + std::to_string(i) + '"');
        if (i % 2 == 0) reals.push_back(table_of_reals.back());
        if (i % 2 == 0) texts.push_back("'t" + std::to_string(i) + '\'');
    }
    std::vector<std::string> key, sixteen, nested, four;
    std::set<std::uint64_t> kept; // numbers of configurations of 16^4 that are forbidden
    std::set<std::uint64_t> kept_nested;
    for (std::size_t i = 0; i < terms; ++i) {
        std::string const number = std::to_string(70 * i);
        above.push_back("x > " + std::to_string(i));
        between.push_back("not (x >= " + number + " and x <= " + std::to_string(70 * i + 9) + ")");
    }
    for (std::uint64_t const k : seen)
        key.push_back("A * 100000 + B * 10000 + C * 1000 + D * 100 + E * 10 + F != " +
                      std::to_string(k));
    std::string sixteen_values = "0";
    for (int i = 1; i < 16; ++i)
        sixteen_values += ", " + std::to_string(i);
    for (char const* const name : {"A", "B", "C", "D"})
        four.push_back(std::string("{\"name\":\"") + name + "\",\"values\":[" + sixteen_values +
                       "]}");
    for (std::size_t i = 0; i < terms / 10; ++i) {
        std::uint64_t const k = i * 7919 % 65536;
        auto const digit = [&](int place) { return std::to_string(k >> (4 * place) & 15U); };
        kept.insert(k);
        sixteen.push_back("not (A == " + digit(3) + " and B == " + digit(2) +
                          " and C == " + digit(1) + " and D == " + digit(0) + ")");
        nested.push_back("not (A == " + digit(3) + " and (B == " + digit(2) +
                         " or C == " + digit(1) + ") and D == " + digit(0) + ")");
        for (std::uint64_t other = 0; other < 16; ++other) {
            kept_nested.insert((k & ~std::uint64_t{0xf0}) | other << 4U);
            kept_nested.insert((k & ~std::uint64_t{0xf00}) | other << 8U);
        }
    }
    std::vector<std::string> tuples, boxes, scopes, remainders, square, eight;
    std::vector<bool> is_tuple(terms * terms, false), is_box(terms * terms, false);
    std::vector<bool> is_scope(1679616, false), is_remainder(1000 * terms + 1, false);
    std::uint64_t state = 7;
    auto const below = [&](std::uint64_t end) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        return (state >> 33U) % end;
    };
    for (char const* const name : {"A", "B"})
        square.push_back(std::string("{\"name\":\"") + name + "\",\"range\":[0," +
                         std::to_string(terms - 1) + "]}");
    for (int i = 0; i < 8; ++i)
        eight.push_back("{\"name\":\"P" + std::to_string(i) + "\",\"values\":[0,1,2,3,4,5]}");
    for (std::size_t i = 0; i < terms; ++i) {
        std::uint64_t const a = below(terms), b = below(terms), w = below(10), h = below(10);
        tuples.push_back("not (A == " + std::to_string(a) + " and B == " + std::to_string(b) + ")");
        is_tuple[a * terms + b] = true;
        boxes.push_back("not (A >= " + std::to_string(a) + " and A <= " + std::to_string(a + w) +
                        " and B >= " + std::to_string(b) + " and B <= " + std::to_string(b + h) +
                        ")");
        for (std::uint64_t x = a; x <= a + w && x < terms; ++x)
            for (std::uint64_t y = b; y <= b + h && y < terms; ++y)
                is_box[x * terms + y] = true;
        std::vector<std::string> one;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> wanted; // place, value
        std::uint64_t left = 2 + below(7);
        for (std::uint64_t p = 0, place = 1; p < 8; ++p, place *= 6) {
            if (below(8 - p) >= left) continue;
            --left;
            wanted.emplace_back(place, below(6));
            one.push_back("P" + std::to_string(p) + " == " + std::to_string(wanted.back().second));
        }
        scopes.push_back("not (" + joined(one, " and ") + ")");
        for (std::uint64_t k = 0; k < is_scope.size(); ++k)
            if (std::all_of(wanted.begin(), wanted.end(),
                            [&](auto const& w) { return k / w.first % 6 == w.second; }))
                is_scope[k] = true;
        remainders.push_back("x % " + std::to_string(i + 2) + " != 1");
        for (std::size_t x = 1; x < is_remainder.size(); x += i + 2)
            is_remainder[x] = true;
    }
    auto const others = [](std::vector<bool> const& forbidden) {
        return static_cast<std::uint64_t>(std::count(forbidden.begin(), forbidden.end(), false));
    };
    auto const table = [](std::vector<std::string> const& values) {
        return "{\"name\":\"x\",\"values\":[" + joined(values, ",") + "]}";
    };
    return {{"in_reals", space_text(table(table_of_reals), {"x in [" + joined(reals, ", ") + "]"}),
             5 * terms},
            {"in_texts", space_text(table(table_of_texts), {"x in [" + joined(texts, ", ") + "]"}),
             5 * terms},
            {"between", space_text(range(1000 * terms), between), 990 * terms + 1},
            {"at_least", space_text(range(1000 * terms), above), 999 * terms + 1},
            {"sixteen", space_text(joined(four, ","), sixteen), 65536 - kept.size()},
            {"nested", space_text(joined(four, ","), nested), 65536 - kept_nested.size()},
            {"key", space_text(all, key), 1000000 - terms},
            {"apart", space_text(all, apart), 1000000 - terms},
            {"and", space_text(all, {joined(apart, " and ")}), 1000000 - terms},
            {"not_or", space_text(all, {"not (" + joined(equal, " or ") + ")"}), 1000000 - terms},
            {"or", space_text(all, {joined(equal, " or ")}), terms},
            {"tuples", space_text(joined(square, ","), tuples), others(is_tuple)},
            {"boxes", space_text(joined(square, ","), boxes), others(is_box)},
            {"scopes", space_text(joined(eight, ","), scopes), others(is_scope)},
            {"remainders", space_text(range(1000 * terms), remainders), others(is_remainder) - 1},
            {"unequal", space_text(range(1000 * terms), unequal), 999 * terms},
            {"in", space_text(range(1000 * terms), {"x in [" + joined(listed, ", ") + "]"}),
             5 * terms - 1}};
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        std::size_t terms = 1000;
        bench::read_flags(argc, argv, {{"--terms", &terms, 1}}, 5, "--repeat");
        std::vector<forbidden_space> const spaces = spaces_of(terms);
        bool right = true;
        for (forbidden_space const& space : spaces) {
            attune::description const bound =
                attune::bind_inputs(attune::read_spaces_json(space.text).front().space);
            attune::chain_of_trees const chain(bound);
            if (chain.size() != space.count) {
                std::printf("%s WRONG valid=%llu\n", space.name,
                            static_cast<unsigned long long>(chain.size().value_or(0)));
                right = false;
            }
            bench::add(std::string("build/") + space.name,
                       [bound](auto&) { attune::chain_of_trees const built(bound); });
            bench::add(std::string("count/") + space.name,
                       [chain](auto&) { benchmark::DoNotOptimize(chain.size()); });
        }
        double build_ms = 0, count_ms = 0;
        auto const seconds = bench::run();
        for (auto const& [name, s] : seconds) {
            double& largest = name.starts_with("build/") ? build_ms : count_ms;
            largest = std::max(largest, 1e3 * s);
        }
        if (!seconds.empty())
            std::printf("total n=%zu build_ms=%.3f count_ms=%.3f\n", terms, build_ms, count_ms);
        return right ? 0 : 1;
    });
}
