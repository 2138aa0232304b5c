// tests/tune/shapes.cpp - variants that are right where they were tuned, and wrong elsewhere.
// SPDX-License-Identifier: MIT
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/lower.hpp>
#include <attune/declare/text.hpp>
#include <attune/tune/dispatch/served/shape_verifier.hpp>
#include <attune/tune/tuned.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "../../bench/support/wrong_products.hpp"
#include "../support/accumulate.hpp"
#include "../support/faulty_calls.hpp"
#include "../support/notices.hpp"
#include "../support/recorded_progress.hpp"
#include "../support/rounds.hpp"
#include "../support/sanitized.hpp"
#include "../support/shared_store.hpp"
#include "../support/texts.hpp"

using namespace attune_test;
using bench::fault;
using bench::faults;
using bench::shape_arrays;
using shape = bench::shape_choice;

namespace {

constexpr std::size_t most_elements = 4'096;

/// Sizes of one sequence come from few kinds: many near tiles, some tiny, some large.
shape random_shape(std::mt19937& random, fault const& of)
{
    auto const below = [&](unsigned n) { return random() % n; };
    auto const size = [&](int most) -> int {
        auto const kind = below(6);
        if (kind == 0) return static_cast<int>(below(4));
        if (kind == 1) return of.tile * static_cast<int>(1 + below(3));
        if (kind == 2) return of.tile + static_cast<int>(below(3)) - 1;
        if (kind == 3) return 1 << below(7);
        return static_cast<int>(below(static_cast<unsigned>(most)));
    };
    shape out;
    out.m = of.has_rows ? std::min(size(60), 63) : 1;
    out.n = of.has_rows ? std::min(size(60), 63) : size(3'000);
    out.more = below(3) == 0 ? 5 : 0;
    if (below(2) == 0) {
        out.x_from = 4 * below(4);
        out.y_from = 4 * below(4);
    }
    if (below(5) == 0) {
        out.is_shared = true;
        if (below(2) == 0) out.x_from = out.y_from;
    }
    return out;
}

/// Where the variant is right, so that it can win.
shape tuning_shape(shape_arrays& arrays, fault const& of)
{
    for (int n : {1'024, 1'025, 3'000, 64, 960, 1'037, 1'047}) {
        for (int m : {1, 2, 3, 48, 49}) {
            shape s;
            s.m = of.has_rows ? m : 1;
            s.n = of.has_rows ? n % 50 + 1 : n; // 25 to 48
            for (std::size_t const from : {0u, 4u}) {
                s.y_from = from;
                if (!of.is_wrong(arrays.seen(s))) return s;
            }
        }
    }
    FAIL("no shape is right for " << of.name);
    return {};
}

} // namespace

TEST_CASE("a wrong result is never returned for a shape whose class has not proven itself")
{
    shape_arrays arrays(most_elements);
    unsigned const of_each = rounds(5u, 23u);
    std::size_t sequences = 0;
    std::uint64_t escapes = 0;
    attune::served_shapes sum;
    for (std::size_t which = 0; which < faults.size(); ++which) {
        fault const& of = faults[which];
        CAPTURE(std::string(of.name));
        shared_store store;
        shape const first = tuning_shape(arrays, of);
        {
            auto call = tuned_with_fault(which, store);
            CHECK(arrays.is_right(first, call));
            INFO(call.report().summary());
            REQUIRE(call.report().how == attune::decision::tuned);
        }
        for (unsigned sequence = 0; sequence < of_each; ++sequence) {
            ++sequences;
            std::mt19937 random(1'000 * static_cast<unsigned>(which) + sequence);
            auto call = tuned_with_fault(which, store);
            std::vector<shape> pool;
            for (int i = 0; i < 8; ++i)
                pool.push_back(random_shape(random, of));
            std::map<std::tuple<int, int, std::size_t, std::size_t, std::size_t, bool>, bool>
                by_class;
            for (int i = 0; i < 24; ++i) {
                shape const& s = pool[random() % pool.size()];
                std::uint64_t const before = call.report().shapes.by_class;
                bool const is_right = arrays.is_right(s, call);
                bool& was = by_class[{s.m, s.n, s.x_from, s.y_from, s.more, s.is_shared}];
                was = was || call.report().shapes.by_class > before;
                escapes += !is_right;
                CAPTURE(s.n);
                CAPTURE(s.more);
                CAPTURE(s.is_shared);
                CAPTURE(s.x_from);
                CAPTURE(s.y_from);
                CAPTURE(call.report().serving);
                CHECK((is_right || was));
            }
            attune::served_shapes const now = call.report().shapes;
            sum.verified += now.verified;
            sum.wrong += now.wrong;
            sum.by_class += now.by_class;
        }
    }
    CHECK(faults.size() >= 44);
    CHECK(sequences == faults.size() * of_each);
    CHECK(escapes == 0); // each of them is wrong by one property alone
    CHECK(sum.verified > sequences);
    CHECK(sum.wrong > sequences / 2);
    MESSAGE(sequences << " sequences: verified " << sum.verified << ", wrong " << sum.wrong
                      << ", by class " << sum.by_class);
}

TEST_CASE("a product that is wrong where two properties meet, or after some calls, escapes nowhere")
{
    unsigned const calls = rounds(300u, 2'000u);
    for (std::string const name :
         {"one row, n % 8 == 7", "alpha > 10", "alpha = 2, n odd", "a is b", "b not of 32, n % 8",
          "packed b, known by k, b[0]", "a table of the largest k"}) {
        std::size_t which = 0;
        while (bench::wrong_products.at(which).name != name)
            ++which;
        CAPTURE(name);
        auto const is_tried_as_winner = [&] {
            bench::product_calls arrays;
            attune::tuned call{bench::product_kernel(which), bench::product_compiler{which},
                               quick_options()};
            std::mt19937_64 random(46 + which);
            bool const keeps = bench::wrong_products.at(which).along == bench::wrong_along::state;
            bench::product_call first = arrays.first(random);
            while (!keeps && bench::wrong_products.at(which).is_wrong(first))
                first = arrays.first(random);
            std::uint64_t escapes = arrays.is_right(first, call) ? 0 : 1;
            for (unsigned i = 0; i < calls; ++i)
                escapes += arrays.is_right(arrays.draw(random), call) ? 0u : 1u;
            CHECK(escapes == 0);
            if (keeps) CHECK(call.report().how != attune::decision::tuned);
            return keeps || call.report().how == attune::decision::tuned;
        };
        // A loaded machine may keep the default, which then shows nothing: the case is made again.
        CHECK((is_tried_as_winner() || is_tried_as_winner() || is_tried_as_winner()));
    }
}

TEST_CASE("a shape that was verified is served by the variant, one that is wrong by the default")
{
    std::size_t const which = fault_named("remainder of 16");
    shape_arrays arrays(most_elements);
    recorded_progress heard;
    auto call = tuned_with_fault(which, shared_store{}, quick_options(heard.sink()));
    CHECK(arrays.is_right(of_length(1'024), call));
    call.wait(); // no proof runs beside the program
    CHECK(arrays.is_right(of_length(512), call));
    CHECK(call.report().shapes.verified == 1);
    CHECK(has(call.report().serving, "verified for this shape"));
    CHECK(arrays.is_right(of_length(515), call));
    CHECK(call.report().shapes.wrong == 1);
    CHECK(has(call.report().serving, "wrong where argument 0 has 515 elements"));
    REQUIRE(call.report().shape_failures.size() == 1);
    CHECK(call.report().shape_failures[0].why.stage == attune::failure_stage::verify);
    CHECK(arrays.is_right(of_length(517), call)); // classes prove nothing any more: the default
    CHECK(arrays.is_right(of_length(517), call)); // met again: verified, and wrong
    CHECK(call.report().shapes.wrong == 2);
    CHECK(has(heard.texts(attune::progress_event::notice), "515 elements"));
    CHECK_FALSE(has(heard.texts(attune::progress_event::notice), "517 elements")); // one notice
}

TEST_CASE("where all shapes differ, few calls are verified after a proof")
{
    std::size_t which = 0; // right for even n
    shape_arrays arrays(most_elements);
    auto call = tuned_with_fault(which, shared_store{});
    CHECK(arrays.is_right(of_length(4'000), call));
    call.wait(); // no proof runs beside the program
    constexpr int calls = 400;
    for (int i = 0; i < calls; ++i) {
        CHECK(arrays.is_right(of_length(2 * i + 10), call));
    }
    INFO(call.report().summary());
    attune::served_shapes const shapes = call.report().shapes;
    REQUIRE(shapes.proofs > 0);
    // Where its class serves, the 1st, 2nd, 4th, 8th ... call is verified all the same.
    auto const of_class = static_cast<std::uint64_t>(std::bit_width(shapes.by_class));
    CHECK(shapes.verified >= of_class);
    CHECK(shapes.verified <= calls / 100 + of_class); // the first two, then one in 160
    CHECK(shapes.verified + shapes.by_class + shapes.by_default == std::uint64_t{calls});
    CHECK(shapes.executions <= 10 * shapes.verified);
}

TEST_CASE("a check that takes long is made beside the program, and the default serves until then")
{
    attune::tuned call{accumulate_kernel(ways<crawling, fast>(), accumulate_source("10")),
                       accumulate_compiler(), shared_store{}, quick_options()};
    accumulate_data tuned_on;
    call(tuned_on.x, tuned_on.y, 2.0);
    CHECK(tuned_on.called_times(1, 2.0));
    REQUIRE(call.report().how == attune::decision::tuned);
    call.wait();             // for the proof
    accumulate_data other{}; // no drawn call has two lengths
    std::vector<double> y(900, 0.0);
    long const before = calls_to<crawling>;
    call(other.x, y, 1.0);
    CHECK(calls_to<crawling>.load() == before + 1);
    CHECK(y[899] == 900);
    call.wait();
    CHECK(call.report().shapes.verified == 1);
    call(other.x, y, 1.0);
    CHECK(calls_to<crawling>.load() == before + 1);
    CHECK(y[899] == 1800);
    // tune() waits for what it asks for.
    CHECK(call.tune(other.x, other.y, 1.0).how == attune::decision::tuned);
    CHECK(call.report().shapes.verified >= 1);
}

TEST_CASE("where a fork takes long, a check is made beside the program")
{
    std::vector<std::vector<char>> heap; // blocks that malloc() takes from the heap: 400 MB
    for (int i = 0; i < 8'000; ++i)
        heap.emplace_back(50'000, 'x');
    attune::tuned call{accumulate_kernel(ways<usual, fast>()), accumulate_compiler(),
                       shared_store{}, quick_options()};
    accumulate_data tuned_on;
    call(tuned_on.x, tuned_on.y, 2.0);
    REQUIRE(call.report().how == attune::decision::tuned);
    call.wait(); // for the proof
    accumulate_data other{};
    std::vector<double> y(900, 0.0); // no drawn call has two lengths
    long const before = calls_to<usual>;
    call(other.x, y, 1.0);
    CHECK(calls_to<usual>.load() == before + 1);
    call.wait();
    CHECK(call.report().shapes.verified == 1);
    call(other.x, y, 1.0);
    CHECK(calls_to<usual>.load() == before + 1);
    CHECK(y[899] == 1800);
}

namespace {

/// Right, but for one length, for which it never ends.
void endless_at_300(std::span<double const> x, std::span<double> y, double factor)
{
    while (y.size() == 300)
        asm volatile("");
    accumulate<fast>(x, y, factor);
}

} // namespace

TEST_CASE("a variant that does not end for one shape serves no class of shapes any more")
{
    attune::tuned call{
        accumulate_kernel(ways<usual, fast>()),
        scripted_compiler{[](attune::compile_request const& v) {
            auto const made = accumulate_script(v);
            auto const* const code = std::get_if<void*>(&made);
            bool const is_fast = code != nullptr && *code == std::get<void*>(code_of<fast>());
            return is_fast ? scripted_compiler::answer{reinterpret_cast<void*>(&endless_at_300)}
                           : made;
        }},
        shared_store{}, quick_options()};
    accumulate_data tuned_on;
    call(tuned_on.x, tuned_on.y, 2.0);
    REQUIRE(call.report().how == attune::decision::tuned);
    call.wait(); // calls beside a proof are not counted
    // Far from the slow sizes.
    auto const is_served_by_class = [&](std::size_t n) {
        std::uint64_t const before = call.report().shapes.by_class;
        accumulate_data next(n);
        call(next.x, next.y, 3.0);
        CHECK(next.called_times(1, 3.0));
        return call.report().shapes.by_class > before;
    };
    // How many calls attune makes by itself depends on the load of the machine: until the class
    // has proven itself, the second call of each size is verified. No size is larger than the
    // first.
    bool was_served = false;
    for (std::size_t i = 0; i < 4'000 && !was_served; ++i)
        was_served = is_served_by_class(10'000 - i / 2);
    CHECK(was_served);
    accumulate_data other(700);
    std::vector<double> y(300, 0.0);
    for (int i = 1; i <= 2; ++i) {
        call(other.x, y, 1.0);
        CHECK(y[299] == 300 * i);
    }
    call.wait();
    CHECK(call.report().shapes.slower == 1);
    for (std::size_t n = 11'000; n < 11'020; ++n)
        CHECK_FALSE(is_served_by_class(n));
}

namespace {

/// Of all processes: the next call for 300 numbers takes as long as if the machine had paused.
attune::detail::shared_with_child<std::atomic<bool>>& pauses()
{
    static attune::detail::shared_with_child<std::atomic<bool>> one;
    return one;
}
void paused_at_300(std::span<double const> x, std::span<double> y, double factor)
{
    if (y.size() == 300 && pauses().get().exchange(false))
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    accumulate<fast>(x, y, factor);
}

} // namespace

TEST_CASE("a variant that takes long in one run alone keeps its classes")
{
    attune::tuned call{
        accumulate_kernel(ways<usual, fast>()),
        scripted_compiler{[](attune::compile_request const& v) {
            auto const made = accumulate_script(v);
            auto const* const code = std::get_if<void*>(&made);
            bool const is_fast = code != nullptr && *code == std::get<void*>(code_of<fast>());
            return is_fast ? scripted_compiler::answer{reinterpret_cast<void*>(&paused_at_300)}
                           : made;
        }},
        shared_store{}, quick_options()};
    pauses().get() = false;
    accumulate_data tuned_on;
    call(tuned_on.x, tuned_on.y, 2.0);
    REQUIRE(call.report().how == attune::decision::tuned);
    call.wait(); // for the proof
    accumulate_data other(700);
    std::vector<double> y(300, 0.0); // no drawn call has two lengths
    for (int i = 1; i <= 2; ++i) {
        pauses().get() = i == 2; // a shape is verified at its second call
        call(other.x, y, 1.0);
        CHECK(y[299] == 300 * i);
    }
    call.wait();
    CHECK_FALSE(pauses().get().load());
    CHECK(call.report().shapes.slower == 0);
    CHECK(call.report().shapes.verified == 1);
}

TEST_CASE("a number with a class of its own is proven when a call first has it")
{
    attune::tuned call{accumulate_kernel(ways<usual, fast>()), accumulate_compiler(),
                       shared_store{}, quick_options()};
    accumulate_data tuned_on;
    call(tuned_on.x, tuned_on.y, 2.0);
    REQUIRE(call.report().how == attune::decision::tuned);
    std::uint64_t const of_other_numbers = call.report().shapes.proofs;
    std::uint64_t before = 0;
    for (std::size_t n = 300; n < 340; ++n) {
        accumulate_data next(n);
        call(next.x, next.y, 1.0);
        CHECK(next.called_times(1, 1.0));
        // On a busy machine the default takes so long that the proof is made beside the program,
        // and wait() ends before the proof does if another process measures.
        call.wait();
        if (n == 300) before = call.report().shapes.by_class;
    }
    CHECK(call.report().shapes.proofs > of_other_numbers);
    CHECK(call.report().shapes.by_class > before);
}

namespace {

/// Adds x to y, or x reversed; the usual way takes a while.
template <bool IsUsual>
void add_in_order(std::span<double const> x, std::span<double> y, int backwards)
{
    if (IsUsual) idle(2'000'000);
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] += x[backwards != 0 ? y.size() - 1 - i : i];
}

} // namespace

TEST_CASE("a flag that is an integer is proven for each of its values")
{
    attune::tuned call{
        attune::kernel<void(std::span<double const>, std::span<double>, int)>{
            "add_in_order", accumulate_source(), ways<usual, fast>()},
        scripted_compiler{[](attune::compile_request const& v) -> scripted_compiler::answer {
            bool const is_fast = std::any_of(v.macros.begin(), v.macros.end(), [](auto const& m) {
                return m.name == "WAY" && m.value == "1";
            });
            return reinterpret_cast<void*>(is_fast ? &add_in_order<false> : &add_in_order<true>);
        }},
        shared_store{}, quick_options()};
    accumulate_data tuned_on;
    call(tuned_on.x, tuned_on.y, 0);
    REQUIRE(call.report().how == attune::decision::tuned);
    call.wait();
    std::uint64_t before = 0;
    for (std::size_t n = 300; n < 340; ++n) {
        accumulate_data next(n);
        call(next.x, next.y, 1);
        CHECK(next.y[0] == 100 + static_cast<double>(n));
        call.wait();
        if (n == 302) before = call.report().shapes.by_class; // the first are verified
    }
    CHECK(call.report().shapes.by_class > before + 20);
}

TEST_CASE("any_shape() opts out, and ignore<i>() takes one argument out of the shape")
{
    std::size_t const which = 0;
    shape_arrays arrays(most_elements);
    auto trusting = bench::faulty_kernel(which);
    trusting.any_shape();
    attune::tuned call{trusting, bench::faulty_compiler{which}, shared_store{}, quick_options()};
    CHECK(arrays.is_right(of_length(1'000), call));
    CHECK_FALSE(arrays.is_right(of_length(1'001), call)); // that is what it says
    CHECK(call.report().shapes.verified == 0);
    auto ignoring = bench::faulty_kernel(which);
    ignoring.ignore<0>().ignore<1>().ignore<3>();
    attune::tuned other{ignoring, bench::faulty_compiler{which}, shared_store{}, quick_options()};
    CHECK(arrays.is_right(of_length(1'000), other));
    CHECK(arrays.is_right(of_length(998), other));
    CHECK(other.report().shapes.verified + other.report().shapes.by_class == 0);
}

TEST_CASE(
    "what was tuned in an earlier process serves the same shape at once, others when verified")
{
    shape_arrays arrays(most_elements);
    shared_store store;
    for (int process = 0; process < 2; ++process) {
        auto call = tuned_with_fault(0, store);
        CHECK(arrays.is_right(of_length(1'000), call));
        CHECK(call.report().shapes.verified == 0);
    }
    auto call = tuned_with_fault(0, store);
    CHECK(arrays.is_right(of_length(1'001), call));
    CHECK(call.report().how == attune::decision::remembered);
    CHECK(call.report().shapes.wrong == 1);
}

namespace {

/// Adds, and is wrong for long x of one remainder by 64 if it `IsFaulty`.
template <bool IsFaulty>
void added(std::span<double const> x, std::span<double> y, double factor)
{
    if (!IsFaulty) idle(20'000);
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] += factor * x[i];
    if (IsFaulty && x.size() >= 100 && x.size() % 64 == 35) y[0] += 1;
}

} // namespace

TEST_CASE("a shape that is verified by itself proves no call that a drawn one showed to be wrong")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    shared_store store;
    scripted_compiler const compiler{[](attune::compile_request const& v) {
                                         bool const is_default = v.macros.front().value == "0";
                                         return scripted_compiler::answer{reinterpret_cast<void*>(
                                             is_default ? &added<false> : &added<true>)};
                                     },
                                     "scripted 1"};
    auto kernel = accumulate_kernel(ways<usual, fast>());
    kernel.calls([](attune::call_draw& draw) {
        auto const of_x = 101 + draw.index(100); // 163 is wrong: its remainder stays unproven
        return std::tuple{std::vector<double>(static_cast<std::size_t>(of_x), 0.5),
                          std::vector<double>(100, 1.0), 3.0};
    });
    attune::tuned call{kernel, compiler, store, quick_options()};
    std::vector<double> const x(400, 0.5);
    std::vector<double> y(400, 1.0);
    call(std::span(x), std::span(y), 3.0);
    call.wait();
    CHECK(call.report().shapes.proofs > 20);
    CHECK(call.report().shapes.wrong == 0);
    for (int i = 0; i < 2; ++i)
        call(std::span(x).first(99), std::span(y).first(50), 3.0);
    CHECK(call.report().shapes.verified == 1);
    CHECK(call.report().shapes.wrong == 1);
    CHECK(noticed(call.report(), "where argument 0 has 163 elements, argument 1 has 100") == 2);
    CHECK(noticed(call.report(), "every new shape is verified by itself") == 1);
}

TEST_CASE("empty arrays and calls below a microsecond are not tuned on, and nothing is remembered")
{
    shared_store store;
    auto compiler = accumulate_compiler();
    attune::tuned call{accumulate_kernel(ways<usual, fast>()), compiler, store, quick_options()};
    std::vector<double> none;
    call(none, none, 3.0);
    CHECK(compiler.compiled() == std::vector<std::string>{"WAY=0"});
    CHECK(store.records->records().empty());
    CHECK(has(call.report().serving, "empty"));
    accumulate_data data; // later there is something to tune on
    call(data.x, data.y, 3.0);
    CHECK(call.report().how == attune::decision::tuned);
    CHECK(store.records->records().size() == 1);
    accumulate_data tiny(1);
    attune::tuned quick{accumulate_kernel(ways<fast, usual>(), accumulate_source("1")),
                        accumulate_compiler(), store, quick_options()};
    quick(tiny.x, tiny.y, 3.0);
    CHECK(tiny.called_times(1, 3.0));
    CHECK(store.records->records().size() == 1);
    CHECK(quick.report().how == attune::decision::kept_default);
}

TEST_CASE("calls of other threads run the default while one thread tunes")
{
    shared_store store;
    std::atomic<bool> is_tuning{false};
    std::atomic<bool> is_over{false};
    auto options = quick_options([&](attune::progress const& p) {
        if (p.event == attune::progress_event::started) is_tuning = true;
        while (is_tuning && !is_over && p.event == attune::progress_event::evaluated)
            std::this_thread::yield();
    });
    attune::tuned call{accumulate_kernel(ways<usual, fast>()), accumulate_compiler(), store,
                       options};
    accumulate_data mine;
    accumulate_data others(1'003);
    std::thread other([&] {
        while (!is_tuning)
            std::this_thread::yield();
        call(others.x, others.y, 2.0);
        call(others.x, others.y, 2.0);
        is_over = true; // the tuning thread waits for this
    });
    call(mine.x, mine.y, 3.0);
    other.join();
    CHECK(mine.called_times(1, 3.0));
    CHECK(others.called_times(2, 2.0));
    CHECK(call.report().how == attune::decision::tuned);
}

TEST_CASE("sizes are compared with multiples of tiles, and of no item of an order")
{
    constexpr auto tile = attune::ordinal<"TILE">(attune::values(8, 16));
    constexpr auto cut = attune::array_of<3>(attune::integer<"CUT">(0, 2));
    constexpr auto few = attune::permutation<"FEW", 5>();
    constexpr auto order = attune::permutation<"ORDER", 15>();
    attune::description const d =
        attune::bind_inputs(attune::lower(attune::space(few, tile, cut, order)), {});
    attune::point at(d.parameters.size());
    at[1].index = 1;
    at[3].index = 1;
    at[4].index = 2;
    CHECK(attune::text_of(d, at).find("FEW={0, 1, 2, 3, 4} TILE=16 CUT={0, 1, 2}") == 0);
    CHECK(attune::detail::divisors_of(d, at) == std::vector<std::int64_t>{16, 2});
}

namespace {

/// Wrong for equal elements in the rest of the loop alone.
void forgets_equal(std::span<double const> x, std::span<double> y, double factor)
{
    accumulate<fast>(x, y, factor);
    if (x.size() > 1 && x.size() % 8 != 0 && x[0] == x[1]) y[0] += 1;
}

} // namespace

TEST_CASE("a variant that is wrong for declared contents at some sizes never serves these sizes")
{
    scripted_compiler const compiler{[](attune::compile_request const& v) {
        return v.macros.front().value == "1"
                   ? scripted_compiler::answer(reinterpret_cast<void*>(&forgets_equal))
                   : code_of<usual>();
    }};
    shared_store store;
    int tunings = 0;
    for (bool const is_declared : {false, true, true}) {
        auto kernel = accumulate_kernel(ways<usual, fast>());
        if (is_declared) kernel.contents(attune::array_contents::equal);
        attune::tuned call{kernel, compiler, store, quick_options()};
        accumulate_data tuned_on(1'024);
        call(tuned_on.x, tuned_on.y, 3.0);
        // What was tuned without the declaration is another problem.
        tunings += call.report().how == attune::decision::tuned ? 1 : 0;
        CHECK(tunings == (is_declared ? 2 : 1));
        call.wait();
        if (!is_declared) continue;
        accumulate_data other(63);
        for (int times = 1; times <= 4; ++times) {
            static_cast<void>(call.tune(other.x, other.y, 3.0));
            call(other.x, other.y, 3.0);
            CHECK(other.called_times(times, 3.0));
        }
        std::vector<double> const x(63, 2.0);
        std::vector<double> y(63, 2.0);
        call(x, y, 3.0);
        CHECK(y == std::vector<double>(63, 8.0));
    }
}
