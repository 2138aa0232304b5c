// tests/laws/cost_model.hpp : what every model of `cost_model` must obey
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/search/cost/cost_samples.hpp>

#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <utility>
#include <vector>

namespace cost_model_law {

struct known_programs {
    std::vector<attune::program_rows> programs;
    std::vector<double> scores;
};

/// Programs of one to four rows; columns 0 and 1 of the rows decide the score, column 2 is noise,
/// column 3 has one value.
inline known_programs example(std::size_t count, std::uint64_t seed)
{
    known_programs out;
    attune::random_engine draw(seed);
    for (std::size_t i = 0; i < count; ++i) {
        attune::program_rows rows;
        rows.width = 4;
        double sum = 0;
        std::size_t const n = 1 + attune::uniform_below(draw, 4);
        for (std::size_t r = 0; r < n; ++r) {
            double const a = static_cast<double>(attune::uniform_below(draw, 8));
            double const b = static_cast<double>(attune::uniform_below(draw, 8));
            rows.values.insert(rows.values.end(),
                               {a, b, static_cast<double>(attune::uniform_below(draw, 1000)), 2});
            sum += (a > 3 ? 0.15 : 0.02) + (b == 2 ? 0.1 : 0.0);
        }
        out.programs.push_back(std::move(rows));
        out.scores.push_back(i % 17 == 16 ? 0 : sum);
    }
    return out;
}

} // namespace cost_model_law

TEST_CASE_TEMPLATE_DEFINE("a cost model obeys the laws", M, cost_model_laws)
{
    using namespace cost_model_law;
    static_assert(attune::cost_model<M>);
    known_programs const known = example(200, 1);
    known_programs const fresh = example(100, 2);

    SUBCASE("before it learns, all programs are equal")
    {
        std::vector<double> const said = M().predict(fresh.programs);
        REQUIRE(said.size() == fresh.programs.size());
        for (double const s : said)
            CHECK(s == said.front());
    }
    SUBCASE("it says a finite number of each program, and none of none")
    {
        M model;
        model.learn(known.programs, known.scores);
        CHECK(model.predict({}).empty());
        std::vector<double> const said = model.predict(fresh.programs);
        REQUIRE(said.size() == fresh.programs.size());
        for (double const s : said)
            CHECK(std::isfinite(s));
    }
    SUBCASE("equal calls give equal numbers")
    {
        M a;
        M b;
        a.learn(known.programs, known.scores);
        b.learn(known.programs, known.scores);
        CHECK(a.predict(fresh.programs) == b.predict(fresh.programs));
    }
    SUBCASE("it forgets what it is no longer told")
    {
        M a;
        M b;
        a.learn(fresh.programs, fresh.scores);
        a.learn(known.programs, known.scores);
        b.learn(known.programs, known.scores);
        CHECK(a.predict(fresh.programs) == b.predict(fresh.programs));
    }
    SUBCASE("it learns from nothing, from one program and from failures alone")
    {
        M model;
        model.learn({}, {});
        CHECK(model.predict(fresh.programs).size() == fresh.programs.size());
        model.learn(std::span(known.programs).first(1), std::span(known.scores).first(1));
        CHECK(std::isfinite(model.predict(fresh.programs).front()));
        std::vector<double> const none(known.programs.size(), 0.0);
        model.learn(known.programs, none);
        CHECK(std::isfinite(model.predict(fresh.programs).front()));
    }
    SUBCASE("of programs that it has not seen it tells the fast ones from the slow ones")
    {
        M model;
        model.learn(known.programs, known.scores);
        std::vector<double> const said = model.predict(fresh.programs);
        double right = 0;
        double pairs = 0;
        for (std::size_t i = 0; i < said.size(); ++i)
            for (std::size_t j = 0; j < said.size(); ++j)
                if (fresh.scores[j] > 0 && fresh.scores[i] > fresh.scores[j] + 0.1) {
                    ++pairs;
                    right += said[i] > said[j] ? 1 : 0;
                }
        CHECK(right > 0.8 * pairs);
    }
    SUBCASE("it serves as any_cost_model")
    {
        M plain;
        plain.learn(known.programs, known.scores);
        attune::any_cost_model model = M();
        model.learn(known.programs, known.scores);
        CHECK(model.predict(fresh.programs) == plain.predict(fresh.programs));
    }
}
