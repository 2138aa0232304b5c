// tests/measure/cpu/cpu_bench.cpp - runs, times and turns of variants in this process.
// SPDX-License-Identifier: MIT
#include <attune/measure/cpu/cpu_bench.hpp>

#include <attune/core/error.hpp>
#include <attune/measure/clock/sampler.hpp>
#include <attune/measure/energy.hpp>
#include <attune/measure/timing_turns.hpp>
#include <attune/tune/loop/make_bench.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "../../support/accumulate.hpp"
#include "../../support/one_processor.hpp"
#include "../../support/powercap.hpp"
#include "../../support/scratch_directory.hpp"
#include "../../support/set_variable.hpp"
#include "../../support/texts.hpp"

using namespace attune_test;
using attune::failure_stage;
using attune::detail::bench_options_of;
using attune::detail::trial_call_of;
using support::write_file;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

std::shared_ptr<attune::detail::energy_source const> counted_in(std::string const& folder)
{
    return std::make_shared<attune::detail::counted_energy>(attune::energy_counters::in(folder));
}

auto all_ways() { return ways<usual, fast, wrong, crashing, throwing>(); }

struct bench {
    accumulate_data data{};
    scripted_compiler compiler = accumulate_compiler();
    attune::detail::any_compiler any = attune::detail::make_any_compiler(compiler);
    attune::kernel<accumulate_signature> kernel{accumulate_kernel(all_ways())};
    attune::call_frame frame =
        attune::detail::make_call_frame<std::span<double const>, std::span<double>, double>(
            {}, data.x, data.y, 3.0);
    attune::chain_of_trees space = attune::build(all_ways());
    attune::tuning_options options = quick_options();
    attune::tuning_problem problem{kernel.describe(), space, space.at(0), any, frame};

    attune::callable code(way w)
    {
        attune::point const at{*attune::coordinate_of(space.describe().parameters[0],
                                                      std::to_string(static_cast<int>(w)))};
        return std::get<attune::callable>(
            any.compile(problem.kernel.source,
                        attune::detail::make_variant(problem.kernel, space.describe(), at)));
    }
};

} // namespace

TEST_CASE("times are those of the variants, also in turns, and the data is put back")
{
    bench b;
    attune::detail::cpu_bench runs{trial_call_of(b.problem), bench_options_of(b.options)};
    (void)runs.establish(b.code(usual), 10);
    bool asked = false;
    runs.set_background([&] {
        asked = true;
        return 0.0;
    });
    attune::timing_record taken;
    auto const counted = [&] { return static_cast<long>(taken.times.size() * taken.runs); };
    calls_to<usual> = 0;
    calls_to<fast> = 0;
    auto const slow = std::get<attune::measurement>(runs.time(b.code(usual), never, 10, taken));
    CHECK(attune::detail::estimate_of(taken).value == slow.value);
    CHECK(attune::detail::estimate_of(taken).samples == slow.samples);
    CHECK(slow.value > 1e-4);                   // no processor takes two million steps in that time
    CHECK(calls_to<usual>.load() >= counted()); // the warm-up run may be one of them
    CHECK(calls_to<fast>.load() == 0);
    calls_to<usual> = 0;
    auto const quick = std::get<attune::measurement>(runs.time(b.code(fast), never, 10, taken));
    CHECK(attune::detail::estimate_of(taken).value == quick.value);
    CHECK(calls_to<fast>.load() > counted());
    CHECK(calls_to<usual>.load() == 0);
    CHECK(asked);
    std::vector const both{b.code(usual), b.code(fast)};
    CHECK(std::get<attune::round_times>(runs.compare(both, 1)).ratio(0, 1).value < 0.5);
    std::vector const one_dies{b.code(usual), b.code(throwing)};
    CHECK(std::get<std::size_t>(runs.compare(one_dies, 1)) == 1);
    CHECK(b.data.called_times(0, 3.0));
}

TEST_CASE("a comparison keeps a slower variant to the end where another value than time decides")
{
    bench b;
    attune::bench_options how = bench_options_of(b.options);
    for (bool const drops : {true, false}) {
        how.drops_slower = drops;
        attune::detail::cpu_bench runs{trial_call_of(b.problem), how};
        (void)runs.establish(b.code(usual), 10);
        std::vector const both{b.code(usual), b.code(fast)};
        auto const times = std::get<attune::round_times>(runs.compare(both, 5));
        CHECK(times.rounds(0) == times.rounds(1));
        CHECK((times.rounds(0) > 10) == !drops); // ten rounds show that it is slower
    }
}

TEST_CASE("code of known time is sampled as it was timed, and the data is put back")
{
    bench b;
    attune::detail::cpu_bench runs{trial_call_of(b.problem), bench_options_of(b.options)};
    (void)runs.establish(b.code(usual), 10);
    attune::timing_record how{.runs = 3, .clock = "thread_cpu"};
    calls_to<usual> = 0;
    auto const seen = runs.sample(b.code(usual), how, 2, 10);
    REQUIRE(seen.size() == 2);
    CHECK(calls_to<usual>.load() == 6);
    for (attune::time_sample const& s : seen)
        CHECK(s.seconds > 1e-4); // of one run: two million steps
    CHECK(runs.sample(b.code(throwing), how, 2, 10).empty());
    CHECK(runs.sample(b.code(crashing), how, 1, 10).empty());
    CHECK(b.data.called_times(0, 3.0));
}

TEST_CASE("runs can be watched outside, and are undone")
{
    bench b;
    attune::detail::cpu_bench runs{trial_call_of(b.problem), bench_options_of(b.options)};
    (void)runs.establish(b.code(fast), 10);
    {
        attune::detail::guarded_timed_runs watched = runs.watch(10);
        watched.prepare();
        watched.run(b.code(fast));
        CHECK(b.data.called_times(1, 3.0));
        watched.finish();
    }
    CHECK(b.data.called_times(0, 3.0));
}

TEST_CASE(
    "the energy of a call is what the counters rose in it, however its arguments are restored")
{
    support::scratch_directory const folder;
    attune_test::add_zone(folder, "intel-rapl:0", "package-0", 0, 1'000'000'000);
    for (attune::cache_state const cache : {attune::cache_state::warm, attune::cache_state::cold})
        for (bool const is_repeatable : {false, true}) {
            bench b;
            attune::trial_call call = trial_call_of(b.problem);
            std::uint64_t calls = 0;
            call.call = [&, inner = call.call](void* entry, attune::trial_call::addresses data) {
                if (!is_repeatable || calls == 0) inner(entry, data);
                ++calls; // 2 mJ
                write_file(folder.file("intel-rapl:0/energy_uj"),
                           std::to_string(2000 * calls) + "\n");
            };
            b.options.measuring.cache = cache;
            attune::bench_options how = bench_options_of(b.options);
            how.energy = counted_in(folder.path());
            attune::detail::cpu_bench runs{std::move(call), how};
            REQUIRE(runs.why_no_energy().empty());
            auto const e = std::get<attune::call_energy>(runs.energy(b.code(fast), 10));
            CHECK(e.joules == doctest::Approx(2e-3));
            CHECK(e.calls <= calls);
            CHECK(e.calls > 3);
            CHECK(b.data.called_times(0, 3.0)); // the caller's data is as before
        }
}

TEST_CASE("a variant that crashes while its energy is measured fails")
{
    support::scratch_directory const folder;
    attune_test::add_zone(folder, "intel-rapl:0", "package-0", 0, 1'000'000'000);
    bench b;
    attune::bench_options how = bench_options_of(b.options);
    how.energy = counted_in(folder.path());
    attune::detail::cpu_bench runs{trial_call_of(b.problem), how};
    auto const dead = runs.energy(b.code(crashing), 10);
    CHECK(std::get<attune::failure>(dead).stage == failure_stage::crash);
    CHECK(b.data.called_times(0, 3.0));
    attune::detail::cpu_bench const blind{trial_call_of(b.problem), bench_options_of(b.options)};
    CHECK(has(blind.why_no_energy(), "no energy"));
}

TEST_CASE("counters that cannot be read are read once more; then it is an error, of no variant")
{
    support::scratch_directory const folder;
    attune_test::add_zone(folder, "intel-rapl:0", "package-0", 0, 1'000'000'000);
    bench b;
    attune::trial_call call = trial_call_of(b.problem);
    std::uint64_t calls = 0;
    std::uint64_t unreadable_until = 20;
    call.call = [&](void*, attune::trial_call::addresses) {
        ++calls; // 2 mJ
        write_file(folder.file("intel-rapl:0/energy_uj"),
                   calls <= unreadable_until ? "no number\n" : std::to_string(2000 * calls) + "\n");
    };
    attune::bench_options how = bench_options_of(b.options);
    how.energy = counted_in(folder.path());
    attune::detail::cpu_bench runs{std::move(call), how};
    auto const e = std::get<attune::call_energy>(runs.energy(b.code(fast), 10));
    CHECK(e.joules == doctest::Approx(2e-3));
    unreadable_until = std::numeric_limits<std::uint64_t>::max();
    std::string const said = attune_test::error_of([&] { (void)runs.energy(b.code(fast), 10); });
    CHECK(has(said, "cannot be read any more"));
    CHECK(has(said, "package-0"));
}

TEST_CASE("energy has its turn at all processors: the counters are those of whole packages")
{
    if (std::thread::hardware_concurrency() < 2) return;
    support::scratch_directory const folder;
    set_variable const named{"ATTUNE_TURNS", folder.file("turns")};
    attune_test::add_zone(folder, "intel-rapl:0", "package-0", 0, 1'000'000'000);
    one_processor const here;
    bench b;
    attune::trial_call call = trial_call_of(b.problem);
    std::uint64_t calls = 0;
    unsigned held = 0;
    call.call = [&](void*, attune::trial_call::addresses) {
        if (++calls == 5)
            for (std::uint64_t place : {0U, std::thread::hardware_concurrency() - 1})
                held += attune::detail::place_turn({place}, 0.0).is_late() ? 1U : 0U;
        write_file(folder.file("intel-rapl:0/energy_uj"), std::to_string(2000 * calls) + "\n");
    };
    attune::bench_options how = bench_options_of(b.options);
    how.energy = counted_in(folder.path());
    attune::detail::cpu_bench runs{std::move(call), how};
    (void)runs.energy(b.code(fast), 10);
    CHECK(held == 2);
    CHECK(attune::detail::place_turn({0}, 0.0).is_alone());
}
