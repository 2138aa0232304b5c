// tests/measure/device/device_bench.cpp : mirrors include/attune/measure/device/device_bench.hpp: the bench in this process, on a device that is this process too. worker_device.cpp has one that runs kernels.
// SPDX-License-Identifier: MIT
#include <attune/measure/device/device_bench.hpp>

#include <attune/core/error.hpp>
#include <attune/cuda/device.hpp>
#include <attune/measure/timing_turns.hpp>

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "../../support/sanitized.hpp"
#include "../../support/scratch_directory.hpp"
#include "../../support/set_variable.hpp"
#include "../../support/texts.hpp"
#include "scripted_call.hpp"

using attune::failure;
using attune::failure_stage;
using attune::measurement;
using attune::detail::device_bench;
using attune::detail::device_bench_options;
using attune::detail::place_turn;
using attune_test::give_kernels;
using attune_test::over_arrays;
using attune_test::scripted_call;
using attune_test::scripted_device;
using attune_test::scripted_launch;
using attune_test::variant_named;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// A bench on a scripted device.
struct scripted_bench {
    scripted_device device{};
    scripted_call given{100};
    std::unique_ptr<device_bench> bench;

    explicit scripted_bench(device_bench_options const& options = {})
    {
        give_kernels(device);
        bench = attune::detail::make_local_bench(device.driver(), given.call, options);
    }
    /// Why a variant fails its first run.
    failure refusal(std::string const& name, double limit_s = 10)
    {
        attune::first_run_result const end = bench->first_run(variant_named(name), limit_s);
        if (auto const* why = std::get_if<failure>(&end)) return *why;
        return {failure_stage::compile, "none"};
    }
    double establish()
    {
        return std::get<double>(bench->establish(variant_named("doubled"), {}, 10));
    }
    std::string error_of_next_call()
    {
        return attune_test::error_of(
            [&] { static_cast<void>(bench->first_run(variant_named("doubled"), 0.01)); });
    }
};

} // namespace

TEST_CASE("a bench establishes, tries, times and compares, and leaves nothing behind")
{
    scripted_device device;
    give_kernels(device);
    scripted_call const given(100);
    {
        auto const bench = attune::detail::make_local_bench(device.driver(), given.call, {});
        CHECK(bench->protection() == "in process: as asked");
        CHECK(std::get<double>(bench->establish(variant_named("doubled"), {}, 10)) ==
              doctest::Approx(2.001e-3));
        CHECK(std::get<double>(bench->first_run(variant_named("faster"), 10)) ==
              doctest::Approx(1.001e-3));
        auto const bad = bench->first_run(variant_named("idle"), 10);
        CHECK(std::get<failure>(bad).stage == failure_stage::verify);
        CHECK(bench->contents(1).size() == 400);
        CHECK(bench->contents(0).size() == 400);
        auto const timed = bench->time(variant_named("faster"), never, 10, nullptr);
        CHECK(std::get<measurement>(timed).value == doctest::Approx(1.001e-3));
        std::vector<attune::device_variant> const both{variant_named("doubled"),
                                                       variant_named("faster")};
        auto const times = bench->compare(both, 5);
        CHECK(std::get<attune::round_times>(times).fastest() == 1);
        CHECK(std::get<attune::round_times>(times).ratio(0, 1).value ==
              doctest::Approx(0.5).epsilon(0.01));
        CHECK(device.current == nullptr); // between calls, the program's own
    }
    CHECK(device.leaks().empty());
    CHECK(given.y == std::vector<float>(100, 100));
}

TEST_CASE("a device is timed on by one at a time; who waits for long says so")
{
    auto const [folder, file] = support::scratch_file("turns");
    attune_test::set_variable const named{"ATTUNE_TURNS", file};
    device_bench_options options{.timing_limit_s = 0.02};
    scripted_bench b(options);
    b.establish();
    attune::device_variant const faster = variant_named("faster");
    attune::callable code{.address = const_cast<attune::device_variant*>(&faster)};
    attune::callable const both[] = {code, code};
    attune::bench& bench = *b.bench;
    attune::timing_record record;
    std::optional<std::uint64_t> const place =
        attune::detail::place_of_device(attune::detail::bus_of_device(*b.device.driver(), 0));
    REQUIRE(place);
    std::optional<place_turn> other;
    other.emplace(std::vector{*place + 16}, 0.0, file); // on another device
    CHECK(attune::succeeded(bench.time(code, never, 10, record)));
    CHECK(bench.compare(both, 0.02).index() == 0);
    CHECK(bench.notices().empty());
    other.emplace(std::vector{*place}, 0.0, file);
    REQUIRE(other->is_alone());
    CHECK(attune::succeeded(bench.time(code, never, 10, record)));
    REQUIRE(bench.notices().size() == 1);
    CHECK(bench.notices()[0].find("on the same device and was not done after") !=
          std::string::npos);
    other.reset();
    // Its own turn: nobody else has one while the variant runs.
    std::size_t runs = 0;
    std::size_t runs_of_two = 0;
    b.device.kernels["faster"] = [&](scripted_launch const& l) {
        ++runs;
        if (place_turn({*place}, 0.0, file).is_alone()) ++runs_of_two;
        attune_test::doubled(l.array<float>(0), l.array<float>(1), l.at<int>(2));
        return 1e-3;
    };
    CHECK(attune::succeeded(bench.time(code, never, 10, record)));
    CHECK(bench.compare(both, 0.02).index() == 0);
    CHECK(runs > 0);
    CHECK(runs_of_two == 0);
    CHECK(place_turn({*place}, 0.0, file).is_alone());
}

TEST_CASE("short kernels share a sample, and what is slower than a limit is timed less often")
{
    scripted_bench b;
    b.establish();
    auto const timed = b.bench->time(variant_named("short"), never, 10, nullptr);
    CHECK(std::get<measurement>(timed).value == doctest::Approx(5e-6).epsilon(0.02));
    auto const slow = b.bench->time(variant_named("doubled"), 1e-4, 10, nullptr);
    CHECK(std::get<measurement>(slow).samples < attune::detail::fewest_for_confidence);
}

TEST_CASE("a cold cache is flushed before each sample, which then is one run")
{
    device_bench_options options{.cache = attune::cache_state::cold};
    scripted_bench b(options);
    b.establish();
    CHECK(b.device.flushed_bytes == 0);
    std::size_t const before = b.device.launches;
    auto const timed = b.bench->time(variant_named("short"), never, 10, nullptr);
    REQUIRE(std::holds_alternative<measurement>(timed));
    std::size_t const runs = b.device.launches - before;
    CHECK(runs >= attune::detail::fewest_for_confidence + 1);
    CHECK(b.device.flushed_bytes == runs * (2 << 20));
}

TEST_CASE("as a graph, launches are replayed")
{
    device_bench_options options{.as_graph = true};
    scripted_bench b(options);
    b.establish();
    CHECK(b.device.replays == 0);
    auto const timed = b.bench->time(variant_named("faster"), never, 10, nullptr);
    CHECK(std::get<measurement>(timed).value == doctest::Approx(1.001e-3));
    CHECK(b.device.replays >= 2 * attune::detail::fewest_for_confidence); // the filler is one too
    CHECK(b.device.live["executable graph"] == 1);
    b.bench.reset();
    CHECK(b.device.live["executable graph"] == 0);
}

TEST_CASE("after an error that no context survives, every call says so")
{
    scripted_bench b;
    b.establish();
    failure const f = b.refusal("faults");
    CHECK(f.stage == failure_stage::crash);
    CHECK(f.reason.find("as the script says") != std::string::npos);
    CHECK(b.error_of_next_call().find("takes this process's use of the device with it") !=
          std::string::npos);
    CHECK_THROWS_AS(static_cast<void>(b.bench->contents(0)), attune::error);
    std::vector<attune::device_variant> const one{variant_named("doubled")};
    CHECK_THROWS_AS(static_cast<void>(b.bench->compare(one, 1)), attune::error);
    b.bench.reset();
    CHECK(b.device.leaks().empty());
}

TEST_CASE("after OpenCL's errors of a lost device, every call says so")
{
    for (attune::detail::cuda::result const lost : {-2, -34, -36}) {
        CAPTURE(lost);
        scripted_bench b;
        b.establish();
        b.device.fails = "module_load_data";
        b.device.fails_at = b.device.calls["module_load_data"] + 1;
        b.device.fails_with = lost;
        CHECK(b.refusal("faster").stage == failure_stage::crash);
        CHECK(b.error_of_next_call().find("takes this process's use of the device with it") !=
              std::string::npos);
    }
}

TEST_CASE("a kernel that overran its limit is a timeout; the bench waits for it, or says so")
{
    scripted_bench b;
    b.establish();
    failure const f = b.refusal("hangs", 0.01);
    CHECK(f.stage == failure_stage::timeout);
    CHECK(f.reason == "still running after 0.01 s");
    CHECK(b.error_of_next_call().find("still runs, and nothing in this process can stop it") !=
          std::string::npos);
    CHECK_THROWS_AS(static_cast<void>(b.bench->contents(0)), attune::error);
    b.device.looks_until_done = 1; // it ends after all
    CHECK(b.refusal("doubled").reason == "none");
    b.bench.reset();
    CHECK(b.device.leaks().empty());
}

TEST_CASE("a bench whose kernel never ends is given up without waiting")
{
    if (is_skipped(address_sanitized, "what still runs is never freed")) return;
    scripted_bench b;
    b.establish();
    CHECK(b.refusal("hangs", 0.01).stage == failure_stage::timeout);
    int const frees = b.device.calls["memory_free"];
    b.bench.reset();
    CHECK(b.device.calls["memory_free"] == frees);
    CHECK(b.device.calls["stream_destroy"] == 0);
    CHECK(b.device.live["context"] == 1);
}

TEST_CASE("whichever contestant fails is named by its number")
{
    for (std::string const bad : {"faults", "missing", "hangs"}) {
        scripted_bench b;
        b.establish();
        std::vector<attune::device_variant> const field{
            variant_named("doubled"), variant_named("faster"), variant_named(bad)};
        CHECK(std::get<std::size_t>(b.bench->compare(field, 0.05)) == 2);
        b.device.looks_until_done = 0;
        if (bad == "hangs") CHECK(b.refusal("doubled").reason == "none");
    }
}

TEST_CASE("a run counts as hanging after the comparison's time, or ten times what the default took")
{
    CHECK(attune::detail::hang_limit_s(0, 0) == 0.25);
    CHECK(attune::detail::hang_limit_s(0, 0.001) == 0.25);
    CHECK(attune::detail::hang_limit_s(0.5, 3) == 30);
    CHECK(attune::detail::hang_limit_s(20, 0.5) == 20);
}

TEST_CASE("contestants that are compared with no time left run all the same")
{
    scripted_bench b;
    b.establish();
    for (std::string const name : {"one", "two"})
        b.device.kernels[name] = [&b, name](scripted_launch const& l) {
            attune_test::doubled(l.array<float>(0), l.array<float>(1), l.at<int>(2));
            b.device.looks_until_done = 3; // it runs on for a while
            return name == "one" ? 2e-3 : 1e-3;
        };
    std::vector<attune::device_variant> const field{variant_named("one"), variant_named("two")};
    auto const end = b.bench->compare(field, 0);
    CHECK(std::get<attune::round_times>(end).rounds(0) == 1);
    CHECK(std::get<attune::round_times>(end).ratio(0, 1).value ==
          doctest::Approx(0.5).epsilon(0.01));
}

TEST_CASE("contestants are loaded once each, however many they are")
{
    scripted_bench b;
    b.establish();
    std::vector<attune::device_variant> field;
    for (int i = 0; i < 10; ++i) {
        field.push_back(variant_named("variant " + std::to_string(i)));
        b.device.kernels[field.back().code.image] = over_arrays(attune_test::doubled, 5e-6);
    }
    int const loads = b.device.calls["module_load_data"];
    b.device.fails = "module_load_data";
    b.device.fails_at = loads + 11;
    CHECK(std::get<attune::round_times>(b.bench->compare(field, 0.05)).size() == 10);
    CHECK(b.device.calls["module_load_data"] == loads + 10);
    b.device.fails.clear();
    field[9] = variant_named("missing");
    CHECK(std::get<std::size_t>(b.bench->compare(field, 0.05)) == 9);
}

TEST_CASE("a variant that goes wrong while it is timed fails")
{
    scripted_bench b;
    b.establish();
    int runs = 0;
    b.device.kernels["tires"] = [&](scripted_launch const& l) {
        if (++runs < 6) attune_test::doubled(l.array<float>(0), l.array<float>(1), l.at<int>(2));
        return 1e-3;
    };
    CHECK(b.refusal("tires").reason == "none");
    auto const end = b.bench->time(variant_named("tires"), never, 10, nullptr);
    CHECK(std::get<failure>(end).stage == failure_stage::verify);
    CHECK(std::get<failure>(end).reason.starts_with("right at first, then wrong: argument 1"));
}

TEST_CASE("the latest variants stay loaded, older ones do not")
{
    scripted_bench b;
    b.establish();
    for (int i = 0; i < 20; ++i) {
        std::string const name = "variant " + std::to_string(i % 10);
        b.device.kernels[name] = over_arrays(attune_test::doubled);
        CHECK(b.refusal(name).reason == "none");
        CHECK(b.device.live["module"] <= 8);
    }
    int const loads = b.device.calls["module_load_data"];
    CHECK(b.refusal("variant 9").reason == "none");
    CHECK(b.device.calls["module_load_data"] == loads);
}
