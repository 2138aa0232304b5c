// tests/tune/device/cuda/predicted_bench.cpp - a kernel for a device that is not there.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>
#include <attune/remember/files/event_log.hpp>
#include <attune/tune/device/cuda/cuda_bench.hpp>
#include <attune/tune/device/cuda/cuda_device.hpp>
#include <attune/tune/replay.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "../../../support/accumulate.hpp"
#include "../../../support/scratch_directory.hpp"
#include "../../../support/scripted_device.hpp"
#include "../../../support/shared_store.hpp"
#include "../../../support/texts.hpp"

using namespace attune_test;
using attune::decision;
using attune::detail::predicted_objective;

namespace {

inline constexpr auto n = attune::input<"n", int>();
inline constexpr auto block = attune::ordinal<"BLOCK">(attune::values(64, 128, 256, 1024));

using signature = void(attune::device_span<float const>, std::span<float>, int);

attune::kernel<signature> scale_kernel()
{
    attune::kernel<signature> out{
        "scale", attune::source_text("constexpr int b = ATTUNE_TUNABLE(BLOCK, 64);\n", "scale.cu"),
        attune::space(block)};
    out.bind<2>(n).grid(attune::ceil_div(n, block)).block(block);
    return out;
}

/// On the scripted device a multiprocessor holds 8 blocks of 64, 128 and 256 threads, which are a
/// quarter, a half and all of its 2048 threads; and 2 blocks of 1024, whose threads spill half as
/// many bytes as they have in registers.
scripted_device_compiler::answer resources_of(attune::compile_request const& v)
{
    int const threads = value_of(v, "BLOCK");
    attune::code_resources out;
    out.registers = threads == 64 ? 128 : threads == 128 ? 64 : 32;
    if (threads == 1024) out.spill_bytes = 64;
    return out;
}

/// Whole waves for every block size: 132 * 2048 threads make one of the largest occupancy.
constexpr int one_wave = 132 * 2048;

double objective(std::int64_t threads, std::int64_t registers, std::int64_t spill,
                 std::int64_t blocks)
{
    attune::device_variant v;
    v.code.resources.registers = registers;
    v.code.resources.spill_bytes = spill;
    v.launch.block = {threads, 1, 1};
    v.launch.grid = {blocks, 1, 1};
    return predicted_objective(target_without_driver().limits, v);
}

inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::range(1, 24));
inline constexpr auto vec = attune::ordinal<"VEC">(attune::values(1, 2, 4));

/// 288 configurations whose registers, spills and occupancy follow from all three parameters.
attune::kernel<signature> unrolled_kernel(bool has_other_features = false)
{
    attune::kernel<signature> out{
        "scale",
        attune::source_text("constexpr int b = ATTUNE_TUNABLE(BLOCK, 64) + "
                            "ATTUNE_TUNABLE(UNROLL, 1) * ATTUNE_TUNABLE(VEC, 1);\n",
                            "scale.cu"),
        attune::space(block, unroll, vec)};
    out.bind<2>(n).grid(attune::ceil_div(n, block * unroll)).block(block);
    out.require(attune::spill_bytes <= 64);
    if (has_other_features)
        out.features(attune::stack_bytes, attune::spill_bytes > 0, attune::occupancy);
    else
        out.features(attune::registers, attune::spill_bytes > 0, attune::occupancy);
    return out;
}

scripted_device_compiler::answer unrolled_resources(attune::compile_request const& v)
{
    int const wanted = 16 + value_of(v, "UNROLL") * value_of(v, "VEC") * 3 / 2;
    attune::code_resources out;
    out.registers = std::min(wanted, 64);
    out.spill_bytes = 4 * std::max(0, wanted - 64);
    return out;
}

attune::tuning_report tune_unrolled(std::string const& log,
                                    attune::kernel<signature> const& kernel = unrolled_kernel())
{
    attune::tuning_options options = quick_options();
    options.limits.evaluations = 30;
    options.event_log = log;
    options.search.strategy = attune::default_search();
    attune::tuned scale{kernel, scripted_device_compiler{unrolled_resources},
                        attune::memory_store{}, options};
    return scale.predict({}, {}, one_wave);
}

std::vector<attune::point> told_in(std::string const& log)
{
    std::vector<attune::point> out;
    std::vector<attune::logged_session> const sessions = attune::read_event_log(log);
    for (attune::event const& e : sessions.back().events)
        if (e.kind == attune::event_kind::told) out.push_back(e.points.front());
    return out;
}

} // namespace

TEST_CASE("the objective is 1 of a full device, and grows with what is idle and what is spilled")
{
    CHECK(objective(256, 32, 0, 132 * 8) == 1.0);
    CHECK(objective(256, 32, 0, 132 * 8 * 7) == 1.0);
    CHECK(objective(128, 64, 0, 132 * 8) == 2.0);  // half of the threads that there is room for
    CHECK(objective(64, 128, 0, 132 * 8) == 4.0);  // a quarter
    CHECK(objective(256, 32, 64, 132 * 8) == 1.5); // 64 bytes beside 128 in registers
    CHECK(objective(256, 32, 0, 132 * 4) == 2.0);  // half of the device
    CHECK(objective(256, 32, 0, 132 * 8 + 132 * 4) == doctest::Approx(4.0 / 3)); // 1.5 waves take 2
    // What cannot be launched: too many threads, and 261120 registers of 65536.
    CHECK(std::isinf(objective(2048, 32, 0, 1)));
    CHECK(std::isinf(objective(1024, 255, 0, 1)));
}

TEST_CASE("a kernel is tuned by its code where there is no device, and remembered")
{
    shared_store store;
    scripted_device_compiler compiler{resources_of};
    attune::tuned scale{scale_kernel(), compiler, store, quick_options()};
    attune::tuning_report const report = scale.predict({}, {}, one_wave);
    CHECK(report.how == decision::tuned);
    CHECK(report.configuration == "BLOCK=256");
    CHECK(report.default_configuration == "BLOCK=64");
    CHECK(report.best.value == 1.0);
    CHECK(report.default_time.value == 4.0);
    CHECK(report.speedup == doctest::Approx(4));
    CHECK(report.evaluations == 4);
    CHECK(report.predicted);
    CHECK(report.isolation == "nothing runs: predicted for sm_90");
    CHECK(has(report.summary(), "predicted, not measured"));
    CHECK_FALSE(has(report.summary(), "1 s,"));

    scripted_device_compiler again{resources_of};
    attune::tuned second{scale_kernel(), again, store, quick_options()};
    attune::tuning_report const known = second.predict({}, {}, one_wave);
    CHECK(known.how == decision::remembered);
    CHECK(known.configuration == "BLOCK=256");
    CHECK(known.predicted);
    CHECK(again.compiled().size() == 1);
    // Another number of elements is another question.
    CHECK(second.predict({}, {}, 1000).how != decision::remembered);
}

TEST_CASE("what was predicted is not installed, and a call without a device says what to do")
{
    attune::tuned scale{scale_kernel(), scripted_device_compiler{resources_of},
                        attune::memory_store{}, quick_options()};
    (void)scale.predict({}, {}, one_wave);
    std::vector<float> y(10, 1.0F);
    std::string const said = error_of([&] { scale({}, y, one_wave); });
    CHECK(has(said, "there is no device to run kernel 'scale' on"));
    CHECK(has(said, "libcuda.so.1 cannot be opened"));
    CHECK(has(said, "predict"));
    CHECK(y == std::vector<float>(10, 1.0F));
}

TEST_CASE("variants that break a rule about their code fail at launch, before anything runs")
{
    auto kernel = scale_kernel();
    kernel.require(attune::spill_bytes == 0, attune::registers > 32);
    attune::tuned scale{kernel, scripted_device_compiler{resources_of}, attune::memory_store{},
                        quick_options()};
    attune::tuning_report const report = scale.predict({}, {}, one_wave);
    CHECK(report.configuration == "BLOCK=128");
    CHECK(attune::total(report.failures) == 2);
    REQUIRE(report.first_failures.size() == 1);
    CHECK(report.first_failures.front().stage == attune::failure_stage::launch);
    CHECK(has(report.first_failures.front().reason, "registers"));
}

TEST_CASE("the search is shown the features of all code, once, and its log repeats exactly")
{
    support::scratch_directory const directory;
    std::string const log = directory.file("log");
    attune::tuning_report const report = tune_unrolled(log);
    CHECK(report.evaluations == 30);
    attune::kernel_description const k = unrolled_kernel().describe();
    attune::cuda_target const target = target_without_driver();
    attune::detail::cuda_device const device{target};
    attune::chain_of_trees const space = attune::detail::space_of_call(
        k, attune::detail::with_annotated_defaults(k), {n(one_wave)}, &device);
    CHECK(attune::replay(log, space).evaluations.size() == 30);

    std::set<std::vector<std::uint32_t>> shown;
    std::size_t refused = 0;
    std::vector<attune::logged_session> const sessions = attune::read_event_log(log);
    for (attune::event const& e : sessions.back().events) {
        if (e.kind != attune::event_kind::code_metrics) continue;
        std::vector<std::uint32_t> at;
        for (attune::coordinate const& c : e.points.front())
            at.push_back(c.index);
        CHECK(shown.insert(at).second);
        double const wanted = 16 + std::floor((at[1] + 1) * (1 << at[2]) * 3 / 2.0);
        REQUIRE(e.numbers.size() == 3);
        CHECK(e.numbers[0] == std::min(wanted, 64.0));
        CHECK(e.numbers[1] == (wanted > 64 ? 1 : 0));
        CHECK((e.numbers[2] > 0 && e.numbers[2] <= 1));
        refused += wanted > 64 + 16 ? 1U : 0U;
    }
    CHECK(shown.size() >= 30);
    CHECK(refused > 0); // the rule was broken, and the numbers were shown all the same
}

TEST_CASE("interrupted at any event, a tuning with features goes on as if it had not been")
{
    support::scratch_directory const directory;
    std::string const path = directory.file("log");
    (void)tune_unrolled(path);
    std::string const whole = support::read_file(path);
    std::vector<attune::point> const expected = told_in(path);
    std::size_t line = 0;
    for (std::size_t end = whole.find('\n'); end != std::string::npos;
         end = whole.find('\n', end + 1)) {
        if (end + 1 == whole.size()) break; // it has ended
        if (++line % 13 != 1) continue;
        support::write_file(path, whole.substr(0, end + 1));
        (void)tune_unrolled(path);
        REQUIRE(attune::read_event_log(path).size() == 1);
        CHECK(told_in(path) == expected);
    }
}

TEST_CASE("a tuning is not continued with the numbers of other features")
{
    support::scratch_directory const directory;
    std::string const path = directory.file("log");
    (void)tune_unrolled(path);
    std::string const whole = support::read_file(path);
    std::string const half = whole.substr(0, whole.find('\n', whole.size() / 2) + 1);
    support::write_file(path, half);
    (void)tune_unrolled(path);
    CHECK(attune::read_event_log(path).size() == 1);
    support::write_file(path, half);
    (void)tune_unrolled(path, unrolled_kernel(true));
    CHECK(attune::read_event_log(path).size() == 2);
}
