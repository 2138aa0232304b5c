// tests/measure/device/device_trials.cpp : mirrors include/attune/measure/device/device_trials.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/device/device_trials.hpp>

#include <attune/core/error.hpp>
#include <attune/measure/device/device_runs.hpp>

#include <algorithm>
#include <cstring>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "scripted_call.hpp"

using attune::failure_stage;
using attune::detail::device_bench_options;
using attune::detail::device_clock;
using attune::detail::device_trials;
using attune::detail::memory_place;
using attune::detail::stopped;
using attune_test::doubled;
using attune_test::scripted_call;

namespace {

/// Trials over a call on a scripted device, whose kernels are functions f(x, y, n).
struct scripted_trials {
    attune_test::scripted_session session{};
    scripted_call given;
    device_clock clock{session.where};
    device_trials trials;

    explicit scripted_trials(scripted_call what = scripted_call(10),
                             device_bench_options const& options = {})
        : given(std::move(what))
        , trials(session.where, given.call, options, clock)
    {
    }

    /// What puts a run on the stream.
    template <class Function>
    std::function<void()> of(Function const& f)
    {
        return [this, f] {
            session.device.now_s += 1e-3;
            ++session.device.launches;
            f(reinterpret_cast<float*>(trials.copies().address(0)),
              reinterpret_cast<float*>(trials.copies().address(1)),
              static_cast<int>(given.x.size()));
        };
    }
    template <class Function>
    void establish(Function const& f, std::vector<std::vector<std::byte>> const& expected = {})
    {
        CHECK(trials.establish(of(f), expected, 10) == doctest::Approx(1.001e-3));
    }
    /// Why a variant fails; empty: it does not.
    template <class Function>
    std::string refusal(Function const& f)
    {
        try {
            double const took_s = trials.first_run(of(f), 10); // not in CHECK, which catches all
            CHECK(took_s > 0);
        } catch (stopped const& s) {
            CHECK(s.why.stage == failure_stage::verify);
            return s.why.reason;
        }
        return {};
    }
    std::vector<float> contents(std::size_t i)
    {
        std::vector<std::byte> const bytes = trials.copies().contents(i);
        std::vector<float> out(bytes.size() / sizeof(float));
        std::memcpy(out.data(), bytes.data(), bytes.size());
        return out;
    }
};

void doubled_but_one(float const* x, float* y, int n)
{
    doubled(x, y, n);
    y[3] = 0;
}

std::vector<std::byte> bytes_of(std::vector<float> const& v)
{
    std::vector<std::byte> out(v.size() * sizeof(float));
    std::memcpy(out.data(), v.data(), out.size());
    return out;
}

} // namespace

TEST_CASE("without repeats a default and a variant have four runs together at most")
{
    device_bench_options options{.repeat_default = false};
    auto const set = [](float* x, float* y, int n) {
        for (int i = 0; i < n; ++i)
            y[i] = 2 * x[i];
    };
    auto const add = [](float* x, float* y, int n) {
        for (int i = 0; i < n; ++i)
            y[i] += 2 * x[i];
    };
    {
        scripted_trials s{scripted_call(10), options};
        s.establish(set);
        CHECK(s.session.device.launches == 2);
        std::vector<float> const right = s.contents(1); // from the caller's contents
        for (std::size_t i = 0; i < right.size(); ++i)
            CHECK(right[i] == 2 * s.given.x[i]);
        CHECK(s.refusal(set).empty());
        CHECK_FALSE(s.refusal([](float*, float*, int) {}).empty());
        CHECK_FALSE(s.refusal(add).empty());
    }
    scripted_trials t{scripted_call(10), options};
    t.establish(add);
    CHECK(t.session.device.launches == 2);
    CHECK(t.refusal(add).empty());
    CHECK(t.session.device.launches == 3);
    CHECK_FALSE(t.refusal(set).empty());
}

TEST_CASE("right is what the default makes of the arrays")
{
    for (memory_place const place : {memory_place::host, memory_place::device}) {
        scripted_trials t(scripted_call(10, place));
        t.establish(doubled);
        CHECK(t.contents(1)[4] == 10);
        CHECK(t.given.y[4] == 100); // the caller's is not written
        CHECK(t.refusal(doubled).empty());
        CHECK(t.refusal(doubled_but_one) == "argument 1, element 3: got 0, reference 8");
        CHECK(t.refusal(doubled).empty());
        t.trials.restore();
        t.of(doubled_but_one)();
        CHECK(t.trials.objection() == "argument 1, element 3: got 0, reference 8");
    }
}

TEST_CASE("every run of what updates an array begins with the caller's contents")
{
    scripted_trials t;
    t.establish(attune_test::added);
    CHECK(t.contents(1)[4] == 105);
    for (int i = 0; i < 3; ++i)
        CHECK(t.refusal(attune_test::added).empty());
    CHECK(!t.refusal(doubled).empty());
    CHECK(t.contents(0) == t.given.x);
}

TEST_CASE("what updates an array is not taken for what overwrites it, however little was there")
{
    scripted_call large(10);
    for (float& x : large.x)
        x *= 1e6F; // beside this, 100 more or less is within the tolerance
    SUBCASE("one that adds")
    {
        scripted_trials t(large);
        t.establish(attune_test::added);
        CHECK_FALSE(t.trials.overwrites());
    }
    SUBCASE("one that adds, and whose sums round away what was there")
    {
        for (float& x : large.x)
            x *= 1e6F;
        std::fill(large.y.begin(), large.y.end(), 0.0F);
        scripted_trials t(large);
        t.establish(attune_test::added);
        CHECK_FALSE(t.trials.overwrites());
    }
    SUBCASE("one that assigns")
    {
        scripted_trials t(large);
        t.establish(doubled);
        CHECK(t.trials.overwrites());
    }
}

TEST_CASE("a scratch array may hold anything, NaN too")
{
    scripted_call what(10);
    what.call.buffers[1].where.within = attune::any_value;
    scripted_trials t(what);
    t.given.call.buffers = what.call.buffers;
    t.establish(doubled);
    CHECK(t.refusal(attune_test::unchanged).empty());
    CHECK(t.refusal([](float const*, float* y, int n) {
               for (int i = 0; i < n; ++i)
                   y[i] = std::numeric_limits<float>::quiet_NaN();
           }).empty());
    CHECK(!t.refusal([](float const* x, float* y, int n) { doubled(x, y, n + 1); }).empty());
}

TEST_CASE("a variant that writes nothing fails, also where the result stands already")
{
    scripted_call done(10);
    doubled(done.x.data(), done.y.data(), 10);
    device_bench_options options;
    SUBCASE("because runs begin with perturbed contents")
    {
        scripted_trials t(done, options);
        t.establish(doubled);
        CHECK(t.refusal(doubled).empty());
        CHECK(t.refusal(attune_test::unchanged).starts_with("argument 1, element 0: got "));
    }
    SUBCASE("but not where perturbing is not allowed")
    {
        options.perturb = false;
        scripted_trials t(done, options);
        t.establish(doubled);
        CHECK(t.session.device.launches == 1);
        CHECK(t.refusal(attune_test::unchanged).empty());
    }
    SUBCASE("and where it reads what it writes over, in a second run")
    {
        // A step towards a fixed point where the caller's contents are already.
        auto const step = [](float const* x, float* y, int n) {
            for (int i = 0; i < n; ++i)
                y[i] = x[i] + 0.5f * y[i];
        };
        scripted_trials t(done, options); // y = 2 x is the fixed point
        t.establish(step);
        CHECK(t.refusal(step).empty());
        CHECK(t.contents(1)[1] == 4); // of the run from the caller's contents, which is the last
        CHECK(!t.refusal(attune_test::unchanged).empty());
    }
}

TEST_CASE("a default that comes to different ends from perturbed contents is no measure of others")
{
    for (bool const wavers : {false, true}) {
        scripted_trials t;
        int others = 0;
        t.establish([&](float const* x, float* y, int n) {
            bool const is_perturbed = y[3] != 100;
            doubled(x, y, n);
            // As a race would: right once, then wrong.
            if (wavers && is_perturbed && ++others == 2) y[3] = 0;
        });
        float began_with = 0;
        CHECK(t.refusal([&](float const* x, float* y, int n) {
                   began_with = y[3];
                   doubled(x, y, n);
               }).empty());
        CHECK((began_with == 100) == wavers);
    }
}

TEST_CASE("what the caller expects goes before what the default makes")
{
    scripted_call const given(10);
    std::vector<float> right = given.y;
    doubled(given.x.data(), right.data(), 10);
    std::vector<std::vector<std::byte>> const expected{{}, bytes_of(right)};
    {
        scripted_trials t(given);
        t.establish(doubled, expected);
        CHECK(t.refusal(doubled).empty());
        CHECK(!t.refusal(doubled_but_one).empty());
    }
    {
        scripted_trials t(given);
        try {
            t.trials.establish(t.of(doubled_but_one), expected, 10);
            FAIL("it did not throw");
        } catch (stopped const& s) {
            CHECK(s.why.stage == failure_stage::verify);
            CHECK(s.why.reason == "argument 1, element 3: got 0, reference 8");
        }
    }
    {
        scripted_trials t(given);
        CHECK_THROWS_AS(t.trials.establish(t.of(doubled), {{{}, bytes_of({1})}}, 10),
                        attune::error);
    }
}

TEST_CASE("writing past an array fails, and so does writing into one that is only to be read")
{
    scripted_trials t;
    t.establish(doubled);
    CHECK(t.refusal([](float const* x, float* y, int n) { doubled(x, y, n + 2); }) ==
          "written up to 8 bytes past the end of argument 1 (it has 40 bytes)");
    CHECK(t.refusal(doubled).empty());
    CHECK(t.refusal([](float* x, float* y, int n) {
        doubled(x, y, n);
        x[7] = 0;
    }) == "argument 0 is only to be read, but its element 7 was written");
    CHECK(t.refusal(doubled).empty()); // the array is itself again
}

TEST_CASE("where there is no room for copies of what is only read, the host's are still looked at")
{
    for (memory_place const place : {memory_place::host, memory_place::device}) {
        scripted_call given(1000, place);
        given.call.buffers[1].where.bytes = 40;
        given.call.buffers[1].where.data += 3960;
        attune_test::scripted_session s;
        device_clock clock(s.where);
        s.device.memory_bytes = 4000 + 40 + 2 * 1024 + 1000;
        device_trials trials(s.where, given.call, {}, clock);
        auto const run = [&](bool trespasses) {
            return [&, trespasses] {
                auto* const x = reinterpret_cast<float*>(trials.copies().address(0));
                auto* const y = reinterpret_cast<float*>(trials.copies().address(1));
                doubled(x, y, 10);
                if (trespasses) x[900] = 0;
            };
        };
        trials.establish(run(false), {}, 10);
        if (place == memory_place::host)
            CHECK_THROWS_AS(trials.first_run(run(true), 10), stopped);
        else
            trials.first_run(run(true), 10); // nobody knows any more what it held
    }
}

TEST_CASE("arrays that overlap stay one, and are not perturbed")
{
    scripted_call in_place(10);
    in_place.call.buffers[0].where.data = in_place.call.buffers[1].where.data;
    scripted_trials t(in_place);
    t.given.call.buffers = in_place.call.buffers;
    t.establish(doubled);
    CHECK(t.session.device.launches == 1);
    CHECK(t.contents(0) == std::vector<float>(10, 200));
}

TEST_CASE("without comparing, any result will do, but not outside the arrays")
{
    device_bench_options options{.compare_results = false};
    scripted_trials t(scripted_call(10), options);
    t.establish(doubled);
    CHECK(t.refusal(doubled_but_one).empty());
    CHECK(t.contents(1)[3] == 0);
    CHECK(!t.refusal([](float const* x, float* y, int n) { doubled(x, y, n + 1); }).empty());
}

TEST_CASE("a kernel is repeatable that writes the same on its own output")
{
    scripted_trials t;
    CHECK(t.trials.is_repeatable(t.of(doubled), 10));
    CHECK(!t.trials.is_repeatable(t.of(attune_test::added), 10));
}

TEST_CASE(
    "what a run damaged far from its array is made anew when the default is established again")
{
    scripted_trials t;
    t.establish(doubled);
    CHECK(!t.refusal(attune_test::unchanged).empty());
    CHECK(!t.trials.is_spoilt());
    CHECK(t.refusal([&](float const* x, float* y, int n) {
               doubled(x, y, n);
               t.session.device.overwrite_all();
           }).find("written up to") != std::string::npos);
    CHECK(t.trials.is_spoilt());
    t.establish(doubled);
    CHECK(!t.trials.is_spoilt());
    CHECK(t.refusal(doubled).empty());
    CHECK(t.refusal(doubled_but_one) == "argument 1, element 3: got 0, reference 8");
    CHECK(t.contents(0) == t.given.x);
}

TEST_CASE("a default that contents nobody asked for lead astray is established without them")
{
    scripted_trials t;
    auto const astray = [&](float const* x, float* y, int n) {
        if (y[3] != 100) t.session.device.overwrite_all();
        doubled(x, y, n);
    };
    t.establish(astray);
    CHECK(t.trials.is_spoilt());
    std::size_t const before = t.session.device.launches;
    t.establish(astray);
    CHECK(t.session.device.launches == before + 1);
    CHECK(!t.trials.is_spoilt());
    CHECK(t.refusal(doubled).empty());
    CHECK(!t.refusal(attune_test::unchanged).empty());
}
