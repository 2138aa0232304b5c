// tests/tune/shape/online_slot.cpp - calls take turns between what serves and a candidate.
// SPDX-License-Identifier: MIT
#include <attune/tune/shape/online_slot.hpp>

#include <atomic>
#include <cmath>
#include <doctest/doctest.h>
#include <stdexcept>
#include <thread>
#include <vector>

using attune::detail::online_call;
using attune::detail::online_slot;

namespace {

int serving_code = 0;
int candidate_code = 0;

/// A program whose calls take what the clock is told.
struct calling {
    double now_s = 100;
    double serving_s = 1e-3;
    double candidate_s = 2e-3;
    online_slot slot{&serving_code, 0.03, [this] { return now_s; }};

    /// @return  whether it ran the candidate
    bool call()
    {
        online_call const turn(slot);
        bool const is_candidate = turn.entry() == &candidate_code;
        CHECK((is_candidate || turn.entry() == &serving_code));
        now_s += is_candidate ? candidate_s : serving_s;
        return is_candidate;
    }
    int calls_until_candidate()
    {
        int calls = 1;
        while (!call())
            REQUIRE(++calls < 10'000);
        return calls;
    }
};

} // namespace

TEST_CASE("calls run what serves, until a time is asked for")
{
    calling of;
    for (int i = 0; i < 100; ++i)
        CHECK(!of.call());
    CHECK(of.slot.has_ended());
    of.slot.serve(&candidate_code);
    CHECK(of.call());
    CHECK(of.slot.calls() == 101);
}

TEST_CASE("a pair is timed in two calls in a row; what it loses was saved before")
{
    calling of;
    of.slot.ask(&candidate_code, 2);
    // A loss of one call: 1 / (0.8 * 0.03) calls before it.
    int const first = of.calls_until_candidate();
    CHECK(first > 33);
    CHECK(first < 60);
    CHECK(of.slot.has_ended());
    CHECK(of.slot.latest().serving_s == doctest::Approx(1e-3));
    CHECK(of.slot.latest().candidate_s == doctest::Approx(2e-3));
    CHECK(of.slot.lost_s() == doctest::Approx(1e-3));
    CHECK(!of.call());
    of.slot.ask(&candidate_code, 2);
    CHECK(of.calls_until_candidate() > 33);
    // What is faster loses nothing.
    of.candidate_s = 0.5e-3;
    for (int i = 0; i < 50; ++i)
        of.call();
    of.slot.ask(&candidate_code, 0.5);
    CHECK(of.calls_until_candidate() == 2);
    CHECK(of.slot.lost_s() == doctest::Approx(2e-3));
}

TEST_CASE("a candidate that is slower than expected is paid for afterwards")
{
    calling of;
    of.candidate_s = 100e-3;
    of.slot.ask(&candidate_code, 1);
    (void)of.calls_until_candidate();
    of.slot.ask(&candidate_code, 1);
    CHECK(of.calls_until_candidate() > 3'000);
}

TEST_CASE(
    "where the serving code becomes faster, calls that were not timed count as the faster ones")
{
    calling of;
    of.slot.ask(&candidate_code, 2);
    (void)of.calls_until_candidate();
    of.serving_s = 1e-4;
    of.candidate_s = 1e-2;
    of.slot.ask(&candidate_code, 100);
    double const before_s = of.now_s;
    double const lost_before_s = of.slot.lost_s();
    (void)of.calls_until_candidate();
    CHECK(of.slot.lost_s() <= 0.03 * (of.now_s - before_s) + 0.03 * 0.2 + 1e-9);
    CHECK(of.slot.lost_s() > lost_before_s);
}

TEST_CASE("time in other calls pays for candidates, and the loss in other slots counts")
{
    auto const calls = [](double others_s, double others_lost_s) {
        calling of;
        CHECK(!of.call());
        of.slot.set_others(others_s, others_lost_s);
        of.slot.ask(&candidate_code, 2);
        return of.calls_until_candidate();
    };
    int const alone = calls(0, 0); // .03 * .8 of them pay for a candidate that loses 1 ms
    CHECK(alone > 40);
    CHECK(calls(0.02, 0) == alone - 20); // as 20 calls of 1 ms
    CHECK(calls(1, 0) < 5);
    CHECK(calls(1, 0.024) == alone); // all that these allow is lost elsewhere
}

TEST_CASE("what was asked for can be withdrawn, but not from a call")
{
    calling of;
    CHECK(of.slot.withdraw());
    of.slot.ask(&candidate_code, 1);
    CHECK(of.slot.withdraw());
    for (int i = 0; i < 100; ++i)
        CHECK(!of.call());
    of.slot.ask(&candidate_code, 0);
    while (true) {
        online_call const turn(of.slot);
        of.now_s += 1e-3;
        if (turn.entry() == &serving_code) continue;
        CHECK(!of.slot.withdraw());
        CHECK(!of.slot.has_ended());
        online_call const inner(of.slot); // a kernel may call itself
        CHECK(inner.entry() == &serving_code);
        break;
    }
    CHECK(of.slot.has_ended());
}

TEST_CASE("a candidate that throws has no time")
{
    calling of;
    of.slot.ask(&candidate_code, 0);
    bool has_thrown = false;
    while (!has_thrown) {
        try {
            online_call const turn(of.slot);
            of.now_s += 1e-3;
            if (turn.entry() == &candidate_code) throw std::runtime_error("no");
        } catch (std::runtime_error const&) {
            has_thrown = true;
        }
    }
    CHECK(of.slot.has_ended());
    CHECK(std::isinf(of.slot.latest().candidate_s));
}

TEST_CASE("several threads call, another one asks: one call at a time runs the candidate")
{
    std::atomic<long> ticks{0};
    online_slot slot{&serving_code, 0.5, [&] { return 1e-6 * static_cast<double>(++ticks); }};
    std::atomic<int> inside{0};
    std::atomic<int> most_inside{0};
    std::atomic<bool> is_over{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] {
            while (!is_over) {
                online_call const turn(slot);
                if (turn.entry() != &candidate_code) continue;
                int const now = ++inside;
                if (now > most_inside) most_inside = now;
                std::this_thread::yield();
                --inside;
            }
        });
    int pairs = 0;
    for (int i = 0; i < 200; ++i) {
        slot.ask(&candidate_code, 1);
        while (!slot.has_ended() && !(i % 5 == 4 && slot.withdraw()))
            std::this_thread::yield();
        pairs += slot.latest().candidate_s > 0 ? 1 : 0;
    }
    is_over = true;
    for (std::thread& t : threads)
        t.join();
    CHECK(pairs > 100);
    CHECK(most_inside == 1);
}
