// tests/tune/dispatch/apart_tuning.cpp - proofs beside the program, and what they make room for.
// SPDX-License-Identifier: MIT
#include <attune/tune/dispatch/apart_tuning.hpp>

#include <attune/measure/timing_turns.hpp>
#include <attune/tune/dispatch/dispatch_table.hpp>
#include <attune/tune/kernel/launch_arguments.hpp>
#include <attune/tune/loop/session.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <sched.h>
#include <span>
#include <thread>
#include <tuple>
#include <unistd.h>
#include <utility>

#include "../../support/child_status.hpp"
#include "../../support/installation.hpp"

using namespace attune_test;
using attune::detail::apart_tuning;
using attune::detail::dispatch_parts;
using attune::detail::dispatch_table;
using attune::detail::session_at_work;
using attune::detail::working;

namespace {

[[nodiscard]] bool has_processors() // a proof needs a second one
{
    return attune::detail::processors_of_this_thread().size() > 1;
}

[[nodiscard]] long threads()
{
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                         std::filesystem::directory_iterator());
}

/// Waits until the condition is true, for half the time of a proof at most.
[[nodiscard]] bool becomes(std::function<bool()> const& is_so)
{
    auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    bool is_now = is_so();
    while (!is_now && std::chrono::steady_clock::now() < until) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        is_now = is_so();
    }
    return is_now;
}

/// Calls of other sizes can be made from it, as from a call of attune::tuned.
[[nodiscard]] attune::call_frame frame_of(accumulate_data& from, double by = 3.0)
{
    using arguments = std::tuple<std::span<double const>, std::span<double>, double>;
    auto const frame = [](std::span<double const> x, std::span<double> y, double factor) {
        return attune::detail::make_call_frame<std::span<double const>, std::span<double>, double>(
            {}, x, y, factor);
    };
    arguments const held{from.x, from.y, by};
    attune::call_frame out = std::apply(frame, held);
    out.resized = [=](std::span<std::int64_t const> sizes) {
        return std::apply(
            frame, attune::detail::resized_arguments(held, sizes, std::make_index_sequence<3>{}));
    };
    return out;
}

/// A kernel whose default is slow, so that a proof beside the program takes long.
struct table {
    explicit table(attune::memory_store& store, options_change const& change = {})
        : known(
              accumulate_kernel(ways<crawling, fast>(), accumulate_source("10")).describe(),
              attune::detail::make_any_compiler(compiler), attune::detail::make_any_store(store),
              [&] {
                  auto out = quick_options();
                  if (change) change(out);
                  return out;
              }(),
              accumulate_shape::layout())
    {
    }
    [[nodiscard]] std::uint64_t proofs() const { return known.report().shapes.proofs; }
    void obtain(accumulate_data& of)
    {
        static_cast<void>(known.obtain(shape(of.x, of.y, 3.0), {}, frame_of(of)));
    }

    accumulate_data data{256};
    accumulate_shape shape{attune::detail::shape_choice{}};
    scripted_compiler compiler = accumulate_compiler();
    dispatch_table known;
};

/// A winner that was tuned for a call and proven nowhere, and the jobs beside the program.
struct tuned_table : table {
    explicit tuned_table(attune::memory_store& store, options_change const& change = {})
        : table(store, change)
    {
        working const now(parts);
        static_cast<void>(
            parts.find_winner(*of, key, frame_of(data), attune::detail::when_unknown::tune));
        REQUIRE(of->winner.load() != nullptr);
        REQUIRE(!of->winner_is_default);
        of->is_settled = true;
    }
    void prove()
    {
        working const now(parts);
        apart.prove(of, key, frame_of(data));
    }
    /// Verifies the winner for other sizes, beside the program.
    void verify(accumulate_data& other)
    {
        auto const words = shape(other.x, other.y, 3.0);
        static_cast<void>(apart.verify(of, parts.shapes.meet(words).shape, words, frame_of(other)));
    }
    [[nodiscard]] std::uint64_t verified() const { return known.report().shapes.verified; }

    dispatch_parts& parts = known.parts();
    accumulate_shape::key key = shape(data.x, data.y, 3.0);
    std::shared_ptr<attune::detail::served_inputs> of = parts.all_inputs.at({});
    apart_tuning apart{parts};
};

/// Returns true if calls with the factor 1 are served at some length.
[[nodiscard]] bool serves_some_length(tuned_table& here, accumulate_data& of)
{
    bool does = false;
    for (std::size_t n = 1; n < of.x.size(); ++n) {
        auto const shorter = here.shape(std::span(of.x).first(n), std::span(of.y).first(n), 1.0);
        here.parts.shapes.locked(
            [&] { does = does || here.of->verifier->covering(shorter) != nullptr; });
    }
    return does;
}

} // namespace

TEST_CASE("after the call that tuned, the winner is proven on further calls beside the program")
{
    if (!has_processors()) return;
    attune::memory_store store;
    table one{store};
    one.obtain(one.data);
    REQUIRE(one.known.report().how == attune::decision::tuned);
    std::uint64_t const in_call = one.proofs();
    CHECK(becomes([&] { return one.proofs() > in_call; }));
    one.known.wait(); // ends the proof
    std::uint64_t const before = one.proofs();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(one.proofs() == before);
}

TEST_CASE("a remembered winner starts no proof")
{
    attune::memory_store store;
    accumulate_data data(256); // the same shape, addresses included
    {
        table first{store};
        first.obtain(data);
    }
    table second{store};
    long const before = threads();
    second.obtain(data);
    CHECK(second.known.report().how == attune::decision::remembered);
    CHECK(threads() == before); // the first job starts a thread
}

TEST_CASE("the verifier of a remembered winner knows the default's time")
{
    attune::memory_store store;
    tuned_table const first{store};
    tuned_table const here{store};
    CHECK(here.of->outcome.how == attune::decision::remembered);
    CHECK(here.of->verifier->expected_s(here.key) > 0);
}

TEST_CASE("on a single processor no proof begins")
{
    attune::memory_store store;
    cpu_set_t all;
    cpu_set_t one;
    REQUIRE(::sched_getaffinity(0, sizeof all, &all) == 0);
    CPU_ZERO(&one);
    for (std::size_t cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
        if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
    REQUIRE(::sched_setaffinity(0, sizeof one, &one) == 0);
    {
        tuned_table here{store};
        long const before = threads();
        here.prove();
        CHECK(threads() == before);
    }
    CHECK(::sched_setaffinity(0, sizeof all, &all) == 0);
}

TEST_CASE("calls of a new kind are proven beside the program, before the rest of other proofs")
{
    if (!has_processors()) return;
    attune::memory_store store;
    tuned_table here{store};
    here.prove();
    REQUIRE(becomes([&] { return here.parts.is_lent.load(); }));
    accumulate_data other(256);
    auto const words = here.shape(other.x, other.y, 1.0); // 1 has a class of its own
    {
        working const now(here.parts, true);
        here.apart.prove_kind(here.of, words, frame_of(other, 1.0));
        CHECK_FALSE(here.of->verifier->is_new_kind(words, frame_of(other, 1.0))); // it has begun
    }
    CHECK(becomes([&] { return serves_some_length(here, other); }));
    here.apart.wait();
}

TEST_CASE("a new kind that finds no room is proven when there is room, also after a check took it")
{
    if (!has_processors()) return;
    attune::memory_store store;
    accumulate_data other(255);
    accumulate_data more(256);
    tuned_table here{store, [&](attune::tuning_options& o) {
                         o.limits.copied_bytes =
                             std::max(attune::detail::bytes_to_own(frame_of(other)),
                                      attune::detail::bytes_to_own(frame_of(more))) +
                             attune::detail::kept_alignment;
                     }};
    auto const words = here.shape(more.x, more.y, 1.0);
    auto const call = [&](bool waits) {
        working const now(here.parts, waits);
        if (now.is_on()) here.apart.prove_kind(here.of, words, frame_of(more, 1.0));
    };
    here.prove();
    REQUIRE(becomes([&] { return here.parts.is_lent.load(); }));
    call(true); // there is no room
    CHECK(becomes([&] {
        here.verify(other); // ends the proof
        return here.verified() > 0;
    }));
    CHECK(becomes([&] {
        call(false);
        return serves_some_length(here, more);
    }));
    here.apart.wait();
}

TEST_CASE("wait() leaves a new kind of calls while another object tunes")
{
    if (!has_processors()) return;
    attune::memory_store store;
    tuned_table here{store};
    std::optional<session_at_work> other{std::in_place};
    accumulate_data data(256);
    auto const words = here.shape(data.x, data.y, 1.0);
    {
        working const now(here.parts, true);
        here.apart.prove_kind(here.of, words, frame_of(data, 1.0));
    }
    std::atomic<bool> is_over{false};
    std::thread waits([&] {
        here.apart.wait();
        is_over = true;
    });
    CHECK(becomes([&] { return is_over.load(); }));
    other.reset();
    waits.join();
}

TEST_CASE("a check beside the program does not wait for the end of a proof")
{
    if (!has_processors()) return;
    attune::memory_store store;
    tuned_table here{store};
    accumulate_data other(255);
    here.prove();
    REQUIRE(becomes([&] { return here.parts.is_lent.load(); }));
    here.verify(other);
    CHECK(becomes([&] { return here.verified() > 0; }));
    std::uint64_t const before = here.proofs();
    CHECK(becomes([&] { return here.proofs() > before; })); // the proof goes on
    here.apart.wait();
}

TEST_CASE("a proof leaves its room to a check, and is over then")
{
    if (!has_processors()) return;
    attune::memory_store store;
    accumulate_data other(255);
    tuned_table here{store, [&](attune::tuning_options& o) {
                         accumulate_data same(256);
                         o.limits.copied_bytes =
                             std::max(attune::detail::bytes_to_own(frame_of(other)),
                                      attune::detail::bytes_to_own(frame_of(same))) +
                             attune::detail::kept_alignment;
                     }};
    here.prove();
    REQUIRE(becomes([&] { return here.parts.is_lent.load(); }));
    CHECK(becomes([&] {
        here.verify(other); // there is no room at first
        return here.verified() > 0;
    }));
    here.apart.wait();
}

TEST_CASE("a session counts while it tunes, and no proof runs beside one")
{
    attune::memory_store store;
    std::uint32_t most = 0;
    tuned_table here{store, [&](attune::tuning_options& o) {
                         o.progress = [&](attune::progress const&) {
                             most = std::max(most, session_at_work::count());
                         };
                     }};
    CHECK(most == 1);
    CHECK(session_at_work::count() == 0);
    if (!has_processors()) return;
    std::optional<session_at_work> other{std::in_place};
    CHECK(child_status([&] {
              if (session_at_work::count() != 0) return 1;
              other.reset(); // of the parent process
              session_at_work const own;
              return session_at_work::count() == 1 ? 0 : 2;
          }) == 0);
    here.prove();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(!here.parts.is_lent);
    CHECK(here.proofs() == 0);
    other.reset();
    CHECK(becomes([&] { return here.parts.is_lent.load(); }));
    CHECK(becomes([&] { return here.proofs() > 0; }));
    other.emplace();
    CHECK(becomes([&] { return !here.parts.is_lent; }));
    here.apart.wait();
}

TEST_CASE("in the child of a fork no thread of the parent process is waited for")
{
    if (!has_processors()) return;
    attune::memory_store store;
    tuned_table here{store};
    here.parts.waiting = 1; // a thread of the parent process waits for a lent turn
    here.parts.is_lent = true;
    CHECK(child_status([&] {
              ::alarm(60); // where it hangs, it is ended
              {
                  working const now(here.parts);
                  if (!now.is_on() || here.parts.is_lent) return 1;
              }
              here.prove();
              if (!becomes([&] { return here.proofs() > 0; })) return 2;
              here.apart.wait();
              return here.parts.waiting == 0 ? 0 : 3;
          }) == 0);
    here.parts.waiting = 0;
    here.parts.is_lent = false;
}
