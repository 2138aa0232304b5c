// tests/tune/together_session.cpp - tunings in steps, and a program that works between them.
// SPDX-License-Identifier: MIT
#include <attune/tune/together_session.hpp>

#include <attune/core/posix/program_end.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/remember/store.hpp>
#include <attune/search/random.hpp>
#include <attune/tune/together.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "../support/accumulate.hpp"
#include "../support/own_handler.hpp"
#include "../support/scratch_directory.hpp"
#include "../support/scripted_kernel.hpp"
#include "../support/texts.hpp"

using namespace attune_test;
using attune::decision;
using attune::share;
using attune::together_session;
using attune::tune_together;

namespace {

using strings = std::vector<std::string>;

/// Three kernels, searched at random, and all that they evaluate, in order.
struct three_kernels {
    strings evaluated{};
    std::function<void(attune::tuning_options&)> change = [this](attune::tuning_options& o) {
        o.search.strategy = attune::search_with<attune::random_searcher>();
        o.search.seed = 5;
        o.progress = [this](attune::progress const& p) {
            if (p.event == attune::progress_event::evaluated)
                evaluated.push_back(p.name + ' ' + p.text);
        };
    };
    scripted_kernel<> heavy{"heavy", falling(8e-3, 0.95, 1e-3), {}, change};
    scripted_kernel<> light{"light", falling(8e-3, 0.9, 1e-4), {}, change};
    scripted_kernel<> still{"still", flat(1e-4), {}, change};

    [[nodiscard]] std::vector<attune::tuning_share> shares()
    {
        return {heavy.share_of().calls(10), light.share_of(), still.share_of().calls(0.1)};
    }
};

std::string text_of(attune::together_report const& r)
{
    std::string out = std::to_string(r.evaluations) + ' ' + std::to_string(r.default_s) + ' ' +
                      std::to_string(r.best_s);
    for (attune::share_report const& one : r.shares)
        out += "; " + std::to_string(one.evaluations) + ' ' + one.report.configuration + ' ' +
               std::to_string(static_cast<int>(one.report.how)) + ' ' + one.report.reason;
    return out;
}

auto tuned_accumulate()
{
    return attune::tuned{accumulate_kernel(ways<usual, fast>()), accumulate_compiler(),
                         attune::memory_store{}, quick_options()};
}

/// As often as it does anything.
void go_on(together_session& all)
{
    while (all.step()) {
    }
}

} // namespace

TEST_CASE("steps evaluate what tune_together() evaluates, in its order, and find its winners")
{
    for (std::uint64_t const budget : {0U, 1U, 2U, 7U, 45U, 200U}) {
        CAPTURE(budget);
        three_kernels at_once;
        std::string const wanted =
            text_of(tune_together({.evaluations = budget}, at_once.shares()));
        three_kernels by_step;
        together_session all{{.evaluations = budget}, by_step.shares()};
        CHECK(by_step.evaluated.empty());
        std::size_t before = 0;
        while (all.step()) {
            REQUIRE(by_step.evaluated.size() <= before + 1); // one at a time
            before = by_step.evaluated.size();
        }
        CHECK(by_step.evaluated == at_once.evaluated);
        CHECK(by_step.evaluated.size() == std::min<std::size_t>(budget, 3 * ways_of_table));
        CHECK(by_step.heavy.is_tuned() == at_once.heavy.is_tuned()); // also without finish()
        CHECK(!all.step());
        CHECK(text_of(all.finish()) == wanted);
        CHECK(text_of(all.finish()) == wanted);
        CHECK(!all.step());
        CHECK(by_step.evaluated == at_once.evaluated);
    }
}

TEST_CASE("finish() ends the evaluations where they are, and makes the finals")
{
    three_kernels kernels;
    together_session all{{.evaluations = 45}, kernels.shares()};
    while (kernels.evaluated.size() < 20)
        REQUIRE(all.step());
    CHECK(!kernels.heavy.is_tuned());
    auto const r = all.finish();
    CHECK(r.evaluations == 20);
    CHECK(kernels.evaluated.size() == 20);
    CHECK(r.shares[0].report.how == decision::tuned);
    CHECK(kernels.heavy.is_tuned());
    CHECK(!all.step());
}

TEST_CASE("a session that is destroyed early keeps what it measured, and the next one goes on")
{
    for (std::uint64_t const made : {1U, 2U, 9U, 20U}) {
        support::scratch_directory const folder;
        table const seconds = falling(8e-3, 0.95, 1e-3);
        auto const kernel_of = [&] {
            return scripted_kernel<attune::store>{"one", seconds,
                                                  attune::store{folder.file("s.attune")}};
        };
        {
            auto kernel = kernel_of();
            std::optional<together_session> all{
                std::in_place, attune::search_limits{.evaluations = 30}, kernel.share_of()};
            for (std::uint64_t i = 0; i < made; ++i)
                REQUIRE(all->step());
            all.reset();
            CHECK(!kernel.is_tuned());
            CHECK(kernel.compiler.compiled().size() == made);
        }
        auto kernel = kernel_of();
        together_session all{{.evaluations = 10}, kernel.share_of()};
        go_on(all);
        auto const r = all.finish();
        CHECK(r.evaluations == 10);
        // Configurations are tried in order, and each is faster than the one before.
        CHECK(r.shares[0].report.evaluations == made + 10);
        CHECK(r.best_s == doctest::Approx(seconds[made + 10 - 1]));
    }
}

TEST_CASE("the arrays are copied: what becomes of the caller's is no part of the tuning")
{
    attune::tuned one{accumulate_kernel(ways<usual, same_as_usual, fast>()), accumulate_compiler(),
                      attune::memory_store{}, quick_options()};
    auto data = std::make_unique<accumulate_data>();
    together_session all{{.evaluations = 9}, share(one, data->x, data->y, 3.0)};
    double now = 0;
    while (all.step()) {
        if (data == nullptr) continue;
        for (double const was : data->y)
            REQUIRE(was == (now == 0 ? 100.0 : now));
        now += 1;
        data->x.assign(data->x.size(), -now);
        data->y.assign(data->y.size(), now);
        if (now > 2) data.reset(); // freed
    }
    auto const r = all.finish();
    CHECK(r.evaluations == 3);
    CHECK(r.shares[0].report.configuration == "WAY=1");
    CHECK(attune::total(r.shares[0].report.failures) == 0);
    accumulate_data other;
    one(other.x, other.y, 3.0);
    CHECK(other.called_times(1, 3.0));
}

TEST_CASE("calls between two steps run the default, on any thread, and nothing else tunes")
{
    auto one = tuned_accumulate();
    accumulate_data data;
    accumulate_data own;
    together_session all{{.evaluations = 9}, share(one, data.x, data.y, 3.0)};
    int calls = 0;
    do {
        one(own.x, own.y, 3.0);
        std::thread([&] { one(own.x, own.y, 3.0); }).join();
        CHECK(own.called_times(calls += 2, 3.0));
        if (calls > 2) continue;
        for (std::string const& said :
             {error_of([&] { one.tune(data.x, data.y, 3.0); }),
              error_of([&] { static_cast<void>(one.explain(data.x, data.y, 3.0)); }),
              error_of([&] { one.wait(); }), error_of([&] {
                  together_session{{.evaluations = 9}, share(one, data.x, data.y, 3.0)};
              })})
            CHECK(has(said, "is being tuned"));
        CHECK(!one.is_tuned(data.x, data.y, 3.0));
    } while (all.step());
    CHECK(all.finish().shares[0].report.configuration == "WAY=1");
    one(own.x, own.y, 3.0);
    CHECK(own.called_times(calls + 1, 3.0));
    CHECK(one.report().how == decision::tuned);
    CHECK(data.called_times(0, 3.0));
}

TEST_CASE("tune() of another thread waits for the session, and finds its winner")
{
    three_kernels kernels;
    together_session all{{.evaluations = 45}, kernels.shares()};
    REQUIRE(all.step());
    attune::together_report said;
    std::thread other([&] { said = tune_together({.evaluations = 5}, kernels.heavy.share_of()); });
    go_on(all);
    other.join();
    CHECK(kernels.evaluated.size() == 45);
    CHECK(said.evaluations == 0);
    CHECK(said.shares.at(0).report.configuration == all.finish().shares[0].report.configuration);
}

TEST_CASE("a problem with a winner is not tuned again, as by tune_together()")
{
    auto const with_winner = [](three_kernels& kernels) {
        static_cast<void>(tune_together({.evaluations = 30}, kernels.heavy.share_of()));
        kernels.evaluated.clear();
        return kernels.shares();
    };
    three_kernels at_once;
    auto const wanted = tune_together({.evaluations = 20}, with_winner(at_once));
    three_kernels by_step;
    together_session all{{.evaluations = 20}, with_winner(by_step)};
    go_on(all);
    CHECK(text_of(all.finish()) == text_of(wanted));
    CHECK(wanted.shares[0].evaluations == 0);
    CHECK(wanted.shares[0].report.how == decision::tuned);
    CHECK(by_step.evaluated == at_once.evaluated);
}

TEST_CASE("where a `tuned` is destroyed first its part ends, and the others go on")
{
    auto first = std::make_unique<scripted_kernel<>>("first", falling(8e-3, 0.95, 1e-3));
    auto second = std::make_unique<scripted_kernel<>>("second", falling(8e-3, 0.95, 1e-3));
    together_session all{
        {.evaluations = 30}, first->share_of().calls(5), second->share_of(), first->share_of(7)};
    for (int i = 0; i < 11; ++i)
        REQUIRE(all.step());
    first.reset();
    go_on(all);
    CHECK(second->is_tuned());
    auto const r = all.finish();
    CHECK(r.evaluations == 30);
    REQUIRE(r.shares.size() == 3);
    for (std::size_t const gone : {0U, 2U}) {
        CHECK(r.shares[gone].report.how == decision::served_default);
        CHECK(has(r.shares[gone].report.reason, "destroyed"));
    }
    CHECK(r.shares[0].evaluations + r.shares[2].evaluations <= 11);
    CHECK(r.shares[1].report.how == decision::tuned);
    together_session last{{.evaluations = 30}, second->share_of(9)};
    REQUIRE(last.step());
    second.reset();
    CHECK(!last.step());
    CHECK(has(last.finish().shares[0].report.reason, "destroyed"));
}

TEST_CASE("Ctrl-C within a step ends all tunings, and then reaches the program")
{
    with_own_handler const program;
    scripted_kernel first{"first", falling(8e-3, 0.5, 1e-3), {}, [](attune::tuning_options& o) {
                              o.progress = [](attune::progress const& p) {
                                  if (p.event != attune::progress_event::evaluated) return;
                                  if (p.evaluation == 3) ::raise(SIGINT);
                                  CHECK(own_handler_ran == 0);
                              };
                          }};
    scripted_kernel second{"second", falling(8e-3, 0.5, 1e-3)};
    together_session all{{.evaluations = 60}, first.share_of(), second.share_of()};
    while (all.step())
        CHECK(own_handler_ran == 0);
    CHECK(own_handler_ran == 1);
    CHECK(first.is_tuned());
    auto const r = all.finish();
    CHECK(r.interrupted);
    CHECK(r.evaluations < 60);
    for (attune::share_report const& one : r.shares)
        CHECK(one.report.interrupted);
    CHECK(r.shares[0].report.how == decision::tuned);
    CHECK(own_handler_ran == 1);
}

TEST_CASE("between two steps the process is the program's")
{
    with_own_handler const program;
    three_kernels at_once;
    std::string const wanted = text_of(tune_together({.evaluations = 30}, at_once.shares()));
    three_kernels kernels;
    together_session all{{.evaluations = 30}, kernels.shares()};
    int pressed = 0;
    do {
        ::raise(SIGINT);
        CHECK(own_handler_ran == ++pressed);
        int at_work = -1;
        std::thread([&] { at_work = attune::detail::others_at_work(); }).join();
        CHECK(at_work == 0); // exit() would wait for them
    } while (all.step());
    CHECK(text_of(all.finish()) == wanted);
    CHECK(!all.finish().interrupted);
}

TEST_CASE("what passes between two steps is no part of the budget")
{
    three_kernels kernels;
    double const begun_s = attune::detail::steady_seconds();
    together_session all{{.evaluations = 10, .seconds = 100}, kernels.shares()};
    double own_s = 0;
    while (all.step()) {
        double const from_s = attune::detail::steady_seconds();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        own_s += attune::detail::steady_seconds() - from_s;
    }
    auto const r = all.finish();
    double const all_s = attune::detail::steady_seconds() - begun_s;
    CHECK(r.evaluations == 10);
    CHECK(r.elapsed_s + own_s <= all_s);
    double parts_s = 0;
    for (attune::share_report const& one : r.shares)
        parts_s += one.spent_s;
    CHECK(parts_s + own_s <= all_s);
}

TEST_CASE("what a sink throws that is no std::exception ends the session, and is the caller's")
{
    bool is_to_throw = true;
    scripted_kernel bad{"bad", falling(8e-3, 0.95, 1e-3), {}, [&](attune::tuning_options& o) {
                            o.progress = [&](attune::progress const& p) {
                                if (p.evaluation == 3 && is_to_throw) throw 7;
                            };
                        }};
    scripted_kernel good{"good", falling(8e-3, 0.95, 1e-3)};
    together_session all{{.evaluations = 20}, bad.share_of(), good.share_of()};
    CHECK_THROWS_AS(go_on(all), int);
    CHECK(!all.step());
    auto const r = all.finish();
    REQUIRE(r.shares.size() == 2);
    for (attune::share_report const& one : r.shares)
        CHECK(has(one.report.reason, "exception"));
    is_to_throw = false; // the kernels are free
    CHECK(tune_together({.evaluations = 5}, bad.share_of(), good.share_of()).evaluations == 5);
}

TEST_CASE("one thread steps, and not from within a step")
{
    std::optional<together_session> all;
    std::string within;
    scripted_kernel one{"one", flat(1e-3), {}, [&](attune::tuning_options& o) {
                            o.progress = [&](attune::progress const& p) {
                                if (p.event == attune::progress_event::evaluated)
                                    within = error_of([&] { all->step(); });
                            };
                        }};
    all.emplace(attune::search_limits{.evaluations = 3}, one.share_of());
    CHECK(all->step());
    CHECK(has(within, "within one of its steps"));
    std::string other;
    std::thread([&] { other = error_of([&] { all->step(); }); }).join();
    CHECK(has(other, "two threads"));
    go_on(*all);
    CHECK(all->finish().evaluations == 3);
}

TEST_CASE("wrong weights are errors, and a session that was not made holds no kernel")
{
    scripted_kernel a{"a", flat(1e-3)};
    CHECK_THROWS_AS((together_session{{.evaluations = 9}, a.share_of().calls(-1)}), attune::error);
    CHECK_THROWS_AS((together_session{{.evaluations = 9}, std::vector<attune::tuning_share>{}}),
                    attune::error);
    CHECK(tune_together({.evaluations = 5}, a.share_of()).evaluations == 5);
}

TEST_CASE("a session can be moved")
{
    three_kernels kernels;
    together_session one{{.evaluations = 20}, kernels.shares()};
    REQUIRE(one.step());
    together_session two{std::move(one)};
    go_on(two);
    CHECK(two.finish().evaluations == 20);
    scripted_kernel a{"a", flat(1e-3)};
    together_session three{{.evaluations = 9}, a.share_of()};
    REQUIRE(three.step());
    three = std::move(two);
    CHECK(!three.step());
    CHECK(three.finish().evaluations == 20);
}

TEST_CASE("in the child of a fork there is no other step, and the kernel can be called")
{
    auto one = tuned_accumulate();
    accumulate_data data;
    std::optional<together_session> all{std::in_place, attune::search_limits{.evaluations = 9},
                                        share(one, data.x, data.y, 3.0)};
    REQUIRE(all->step());
    pid_t const child = ::fork();
    if (child == 0) {
        ::alarm(60); // where it hangs, it is ended
        bool is_right = !all->step();
        is_right = is_right && !error_of([&] { all->finish(); }).empty();
        all.reset();
        accumulate_data own;
        one(own.x, own.y, 3.0); // tunes
        ::_exit(is_right && own.called_times(1, 3.0) ? 0 : 1);
    }
    int status = -1;
    CHECK(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    go_on(*all);
    CHECK(all->finish().shares[0].report.configuration == "WAY=1");
}

TEST_CASE("in the child of a fork, on any thread, kernels and session end in either order")
{
    for (bool const on_another : {false, true})
        for (bool const session_first : {false, true}) {
            CAPTURE(on_another);
            CAPTURE(session_first);
            auto one = std::make_unique<decltype(tuned_accumulate())>(tuned_accumulate());
            accumulate_data data;
            std::optional<together_session> all{std::in_place,
                                                attune::search_limits{.evaluations = 9},
                                                share(*one, data.x, data.y, 3.0)};
            REQUIRE(all->step());
            int status = -1;
            auto const in_child = [&] {
                pid_t const child = ::fork();
                if (child == 0) {
                    ::alarm(60); // where it hangs, it is ended
                    if (session_first) all.reset();
                    one.reset();
                    all.reset();
                    ::_exit(0);
                }
                CHECK(::waitpid(child, &status, 0) == child);
            };
            if (on_another)
                std::thread(in_child).join();
            else
                in_child();
            CHECK(status == 0);
            go_on(*all);
            CHECK(all->finish().shares[0].report.configuration == "WAY=1");
        }
}
