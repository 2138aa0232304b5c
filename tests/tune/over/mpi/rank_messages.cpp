// tests/tune/over/mpi/rank_messages.cpp - messages there and back, damaged ones, long ones.
// SPDX-License-Identifier: MIT
#include <attune/tune/over/mpi/rank_messages.hpp>

#include <attune/core/random.hpp>
#include <attune/declare/expression/operators.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/space/build_pack.hpp>

#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <limits>
#include <stdexcept>
#include <string>
#include <variant>

using attune::failure;
using attune::failure_stage;
using attune::measurement;
using namespace attune::detail;

namespace {

rank_report measured()
{
    rank_report out{.host = "node7", .wants_stop = true, .variant = "a key \xff"};
    out.seen = guarded_evaluation{
        attune::evaluation{measurement{1.5, 1.25, std::numeric_limits<double>::infinity(), 9},
                           {{"bytes", 1e300}, {"no UTF-8 \xff\x01", -0.0}}},
        false};
    return out;
}
rank_report failed(std::string reason, std::string log)
{
    rank_report out;
    out.seen =
        guarded_evaluation{failure{failure_stage::bound, std::move(reason), std::move(log)}, true};
    return out;
}
rank_order last()
{
    rank_order out{.problem = "a problem", .some_left = true, .space = "0123", .found = "STEP=3"};
    out.end.found = {.best = attune::point{{.index = 3}, {.index = 0, .real = 0.1}},
                     .value = -2.5,
                     .quantities = {{"bytes", 7}},
                     .shortfall = "nothing",
                     .evaluations = 60,
                     .failures = {1, 2, 3, 4, 5, 6, 7},
                     .interrupted = true,
                     .ended = "interrupted"};
    out.end.workers = {
        {.name = "rank 1 on a", .evaluations = 4, .failures = {0, 1}, .is_left = true},
        {.name = "rank 2", .first_fault = "rank 2: it threw"}};
    return out;
}

} // namespace

TEST_CASE("a report is read as it was written")
{
    rank_report const hello{.host = "node7", .space = "0123", .problem = "no space"};
    rank_report const read = read_report(text_of_report(hello));
    CHECK(read.host == "node7");
    CHECK(read.space == "0123");
    CHECK(read.problem == "no space");
    CHECK(!read.seen);
    CHECK(!read.wants_stop);

    rank_report const seen = read_report(text_of_report(measured()));
    REQUIRE(seen.seen);
    CHECK(seen.wants_stop);
    CHECK(seen.variant == "a key \xff");
    CHECK(!seen.seen->is_fault);
    auto const m = std::get<measurement>(seen.seen->seen.result);
    CHECK(m.value == 1.5);
    CHECK(m.low == 1.25);
    CHECK(m.high == std::numeric_limits<double>::infinity());
    CHECK(m.samples == 9);
    CHECK(seen.seen->seen.quantities == measured().seen->seen.quantities);

    rank_report const why = read_report(text_of_report(failed("a reason", "a log\n")));
    REQUIRE(why.seen);
    CHECK(why.seen->is_fault);
    auto const f = std::get<failure>(why.seen->seen.result);
    CHECK(f.stage == failure_stage::bound);
    CHECK(f.reason == "a reason");
    CHECK(f.log == "a log\n");

    rank_report nonsense;
    nonsense.seen = guarded_evaluation{measurement::exact(std::nan("")), false};
    auto const nan = read_report(text_of_report(nonsense));
    CHECK(std::isnan(std::get<measurement>(nan.seen->seen.result).value));
}

TEST_CASE("an order is read as it was written")
{
    attune::point const at{{.index = 4000000000}, {.index = 0, .real = -0.1}, {.index = 1}};
    rank_order const order = read_order(text_of_order({.at = at, .stop_above_s = 0.5}));
    REQUIRE(order.at);
    CHECK(*order.at == at);
    CHECK(order.stop_above_s == 0.5);
    CHECK(read_order(text_of_order({.at = at})).stop_above_s ==
          std::numeric_limits<double>::infinity());

    rank_order const wrote = last();
    rank_order const end = read_order(text_of_order(wrote));
    CHECK(!end.at);
    CHECK(end.problem == "a problem");
    CHECK(end.some_left);
    CHECK(end.space == "0123");
    CHECK(end.found == "STEP=3");
    found_minimum const& found = end.end.found;
    CHECK(found.best == wrote.end.found.best);
    CHECK(found.value == -2.5);
    CHECK(found.quantities == wrote.end.found.quantities);
    CHECK(found.shortfall == "nothing");
    CHECK(found.evaluations == 60);
    CHECK(found.failures == wrote.end.found.failures);
    CHECK(found.interrupted);
    CHECK(found.ended == "interrupted");
    REQUIRE(end.end.workers.size() == 2);
    CHECK(end.end.workers[0].name == "rank 1 on a");
    CHECK(end.end.workers[0].evaluations == 4);
    CHECK(end.end.workers[0].failures == attune::failure_counts{0, 1});
    CHECK(end.end.workers[0].is_left);
    CHECK(end.end.workers[1].first_fault == "rank 2: it threw");
    CHECK(!end.end.workers[1].is_left);
}

TEST_CASE("spaces of ranks are alike where the values of their inputs are")
{
    constexpr auto n = attune::input<"N", int>();
    constexpr auto r = attune::input<"R", double>();
    constexpr auto x = attune::ordinal<"X">(attune::range(0, 10));
    constexpr auto y = attune::ordinal<"Y">(attune::range(0, 10));
    constexpr auto typed = attune::space(x).where(x >= n, x >= r);
    auto const of = [&](int n_value, double r_value) {
        return space_of_rank(attune::build(typed, {n(n_value), r(r_value)}).describe());
    };
    CHECK(difference_of_spaces(of(5, 0.1), of(5, 0.1)).empty());
    CHECK(difference_of_spaces(of(5, 0.1), of(6, 0.1)) ==
          "its space is not that of rank 0: it has N=5, rank 0 has N=6");
    // The next double above 0.1.
    CHECK(difference_of_spaces(of(5, std::nextafter(0.1, 1)), of(5, 0.1))
              .starts_with("its space is not that of rank 0: it has R=0.1"));
    std::string const other = space_of_rank(attune::build(attune::space(y), {}).describe());
    CHECK(difference_of_spaces(other, of(5, 0.1)) == "its space is not that of rank 0");
    // A cut text is compared by its hash.
    CHECK(difference_of_spaces(of(5, 0.1).substr(0, of(5, 0.1).find('\n')), of(5, 0.1)).empty());
}

TEST_CASE("no report is too long for its place, and the beginning of a reason stays")
{
    std::string const text = text_of_report(
        failed("first" + std::string(100000, 'r'), "log" + std::string(1000000, 'l')));
    CHECK(text.size() <= longest_report);
    rank_report const read = read_report(text);
    REQUIRE(read.seen);
    auto const& why = std::get<failure>(read.seen->seen.result);
    CHECK(why.stage == failure_stage::bound);
    CHECK(why.reason.starts_with("firstrrr"));
    CHECK(why.log.starts_with("loglll"));

    rank_report variant = failed(std::string(30000, 'r'), std::string(30000, 'l'));
    variant.variant = std::string(30000, 'v');
    CHECK(text_of_report(variant).size() <= longest_report);
    CHECK(read_report(text_of_report(variant)).variant.empty());

    rank_report many = measured();
    for (int i = 0; i < 20000; ++i)
        many.seen->seen.quantities.push_back({"quantity " + std::to_string(i), 1});
    std::string const cut = text_of_report(many);
    CHECK(cut.size() <= longest_report);
    CHECK(std::get<failure>(read_report(cut).seen->seen.result).reason ==
          "its quantities are longer than a message");

    std::string const hello =
        text_of_report({.host = "node7", .problem = std::string(1000000, 'p')});
    CHECK(hello.size() <= longest_report);
    CHECK(read_report(hello).problem.starts_with("ppp"));
    CHECK(text_of_report({.host = "node7", .space = std::string(1000000, 's')}).size() <=
          longest_report);
}

TEST_CASE("a message that is cut, longer, or has one byte changed is read or refused, no more")
{
    std::string const report = text_of_report(measured());
    std::string const order = text_of_order(last());
    for (std::size_t n = 0; n < report.size(); ++n)
        CHECK_THROWS_AS((void)read_report(report.substr(0, n)), std::runtime_error);
    for (std::size_t n = 0; n < order.size(); ++n)
        CHECK_THROWS_AS((void)read_order(order.substr(0, n)), std::runtime_error);
    CHECK_THROWS_AS((void)read_report(report + '\0'), std::runtime_error);
    CHECK_THROWS_AS((void)read_report(order), std::runtime_error);
    attune::random_engine engine(1);
    for (int i = 0; i < 2000; ++i) {
        std::string changed = i % 2 == 0 ? report : order;
        changed[attune::uniform_below(engine, changed.size())] =
            static_cast<char>(attune::uniform_below(engine, 256));
        try {
            if (i % 2 == 0)
                (void)read_report(changed);
            else
                (void)read_order(changed);
        } catch (std::runtime_error const&) { // refused
        }
    }
}
