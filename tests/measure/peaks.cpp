// tests/measure/peaks.cpp : measures the rates of include/attune/measure/roofline/detail/peaks.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/roofline/detail/peaks.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

using attune::detail::large_footprint;
using attune::detail::quickest_round_s;

namespace {

/// One lane of the twelve chains, each step rounded once or twice.
template <class T>
T twelve_chains(long rounds, bool is_fused)
{
    T const x = T(0.999), y = T(0.001);
    T sum = 0;
    T start = 0;
    for (int chain = 0; chain < 12; ++chain) {
        start += y;
        T value = start;
        for (long n = 0; n < rounds; ++n) {
            T const volatile product = value * x; // volatile: this one must not be fused
            value = is_fused ? std::fma(value, x, y) : product + y;
        }
        sum = chain == 0 ? value : sum + value;
    }
    return sum;
}

constexpr double mebibyte = 1 << 20;
constexpr double endless = std::numeric_limits<double>::infinity();

constexpr unsigned threads = 3;
constexpr int rounds = 4;

/// What happened, in order, and on which thread.
struct event {
    char what; ///< m: made, b: an act begins, e: it ends, c: the clock is read
    std::thread::id thread;
};

std::mutex lock;
std::vector<event> events;

void note(char what)
{
    std::scoped_lock const held(lock);
    events.push_back({what, std::this_thread::get_id()});
}

/// Each reading is later than the one before by 5, 4, 3, ... s.
struct scripted_clock {
    using time_point = std::chrono::time_point<std::chrono::steady_clock>;

    static inline int readings = 0;
    static inline int now_s = 0;

    static time_point now()
    {
        note('c');
        now_s += 5 - readings++;
        return time_point(std::chrono::seconds(now_s));
    }
};

/// One that does not start thread `from` and those after it.
struct refuses {
    unsigned from;

    template <class Body>
    std::jthread operator()(Body const& body, unsigned i) const
    {
        if (i >= from)
            throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again),
                                    "no thread");
        return std::jthread(body, i);
    }
};

/// Counts those that live.
struct living {
    static inline std::atomic<int> count = 0;

    living() { ++count; }
    living(living&&) noexcept { ++count; }
    ~living() { --count; }

    void operator()() const {}
};

} // namespace

TEST_CASE_TEMPLATE("the peak is that of fused multiply-adds, at any optimisation", T, float, double)
{
    constexpr long turns = 37;
    T const fused = twelve_chains<T>(turns, true);
    REQUIRE(fused != twelve_chains<T>(turns, false)); // else the next line could not tell
    if (!attune::detail::peaks_are_optimised || attune::detail::vector_bytes() == 16) {
        MESSAGE("skipped: not optimised, or no fused multiply-add for vectors");
        return;
    }
    CHECK(attune::detail::multiply_add<T>(turns) == fused);
}

TEST_CASE("arrays far beyond the caches take a quarter of what is to spare at most")
{
    double const beyond = 32 * mebibyte;
    CHECK(large_footprint(1, endless, beyond) == 192 * mebibyte);
    CHECK(large_footprint(8, endless, beyond) == 1536 * mebibyte);
    CHECK(large_footprint(16, endless, beyond) == 1536 * mebibyte);
    CHECK(large_footprint(128, endless, beyond) == 3072 * mebibyte);
    CHECK(large_footprint(128, 4096 * mebibyte, beyond) == 1024 * mebibyte);
    CHECK(large_footprint(1, 400 * mebibyte, beyond) == 100 * mebibyte);
    CHECK(large_footprint(1, 128 * mebibyte, beyond) == beyond);
    CHECK_THROWS_AS((void)large_footprint(1, 127 * mebibyte, beyond), std::bad_alloc);
}

TEST_CASE("only rounds are timed: all threads work between two readings, and nothing else happens")
{
    events.clear();
    scripted_clock::readings = scripted_clock::now_s = 0;
    double const best_s = quickest_round_s<scripted_clock>(threads, rounds, [](unsigned) {
        note('m');
        return [] { note('b'), note('e'); };
    });
    CHECK(best_s == 1); // rounds of 4, 3, 2 and 1 s
    std::string order;
    for (event const& e : events)
        order += e.what;
    std::size_t at = order.find('c');
    REQUIRE(at != std::string::npos);
    std::string const before = order.substr(0, at);
    CHECK(std::count(before.begin(), before.end(), 'm') == threads);
    CHECK(std::count(before.begin(), before.end(), 'e') == threads); // once, to warm up
    for (int round = 0; round < rounds; ++round) {
        std::size_t const end = order.find('c', at + 1);
        REQUIRE(end != std::string::npos);
        std::string const timed = order.substr(at + 1, end - at - 1);
        CHECK(timed.size() == 2 * threads);
        CHECK(std::count(timed.begin(), timed.end(), 'b') == threads);
        CHECK(std::count(timed.begin(), timed.end(), 'e') == threads);
        at = end;
    }
    CHECK(at + 1 == order.size());
}

TEST_CASE("what a thread works on is made by that thread")
{
    std::vector<std::thread::id> made(threads);
    std::vector<std::vector<std::thread::id>> ran(threads);
    (void)quickest_round_s(threads, rounds, [&](unsigned i) {
        made[i] = std::this_thread::get_id();
        return [&, i] { ran[i].push_back(std::this_thread::get_id()); };
    });
    CHECK(made[0] == std::this_thread::get_id());
    for (unsigned i = 0; i < threads; ++i) {
        CHECK(ran[i] == std::vector<std::thread::id>(1 + rounds, made[i]));
        for (unsigned k = 0; k < i; ++k)
            CHECK(made[i] != made[k]);
    }
}

TEST_CASE(
    "where the system starts no more threads, those that were started end, and it is an error")
{
    for (unsigned from = 1; from < threads; ++from) {
        std::atomic<int> acts = 0;
        auto const make = [&](unsigned) { return [&] { ++acts; }; };
        CHECK_THROWS_AS((void)quickest_round_s(threads, rounds, make, refuses{from}),
                        std::system_error);
        CHECK(acts == static_cast<int>(from) - 1); // to warm up; no round
    }
}

TEST_CASE("a thread that cannot prepare ends all, with what it threw")
{
    for (unsigned poor = 0; poor < threads; ++poor) {
        auto const make = [&](unsigned i) {
            if (i == poor) throw std::bad_alloc();
            return living{};
        };
        CHECK_THROWS_AS((void)quickest_round_s(threads, rounds, make), std::bad_alloc);
        CHECK(living::count == 0);
    }
}

TEST_CASE("one thread needs no other")
{
    int acts = 0;
    CHECK(quickest_round_s(1, rounds, [&](unsigned) { return [&] { ++acts; }; }) >= 0);
    CHECK(acts == 1 + rounds);
}
