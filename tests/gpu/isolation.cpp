// tests/gpu/isolation.cpp - bad variants on a real GPU: a worker takes them, the program goes on.
// SPDX-License-Identifier: MIT
#include <attune/measure/device/worker/worker_bench.hpp>

#include <doctest/doctest.h>
#include <variant>

#include "../support/gpu_saxpy.hpp"
#include "../support/texts.hpp"

using namespace attune_test;
using attune::failure;
using attune::failure_stage;

namespace {

struct expected_failure {
    gpu_kind kind;
    failure_stage stage;
    char const* said; ///< a part of the reason
};

/// After each the plain variant's twin works, in whatever worker there is then.
void check_refused(saxpy_bench const& b, expected_failure const& expected, double limit_s)
{
    failure const why = b.refusal(expected.kind, limit_s);
    INFO("kind " << static_cast<int>(expected.kind) << ", " << describe(why.stage) << ": "
                 << why.reason << "; log: " << why.log);
    CHECK(why.stage == expected.stage);
    CHECK(has(why.reason, expected.said));
    CHECK(b.refusal(quick).reason == "none");
    CHECK(b.g.is_alive());
}

} // namespace

TEST_CASE("what a kernel must not write is found, and said where")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    for (bool const in_worker : {true, false}) {
        CAPTURE(in_worker);
        saxpy_bench const b{*g, in_worker};
        CAPTURE(b.bench->protection());
        CHECK(std::get<double>(b.bench->establish(b.variant(plain), {}, 10)) > 0);
        for (expected_failure const& expected : {
                 expected_failure{doubled, failure_stage::verify, "argument 1, element 0: got"},
                 {one_wrong, failure_stage::verify, "argument 1, element 500: got"},
                 {not_a_number, failure_stage::verify, "argument 1, element 500: got nan"},
                 {untouched, failure_stage::verify, "argument 1, element"},
                 {one_past, failure_stage::verify,
                  "written up to 4 bytes past the end of argument 1 (it has 4000 bytes)"},
                 {one_before, failure_stage::verify,
                  "written up to 4 bytes before the start of argument 1"},
                 {writes_input, failure_stage::verify,
                  "argument 0 is only to be read, but its element 5 was written"},
             })
            check_refused(b, expected, 10);
        CHECK(b.data.called_times(0, 2.0F)); // nobody's own arrays were touched
    }
}

TEST_CASE("a fault costs a worker: each has CUDA's own words, the next variant works")
{
    gpu const* const g = gpu_here(240);
    if (g == nullptr) return;
    saxpy_bench const b{*g, true};
    CHECK(std::get<double>(b.bench->establish(b.variant(plain), {}, 10)) > 0);
    for (expected_failure const& expected : {
             expected_failure{far_write, failure_stage::crash, "CUDA_ERROR_ILLEGAL_ADDRESS"},
             {far_read, failure_stage::crash, "CUDA_ERROR_ILLEGAL_ADDRESS"},
             {null_write, failure_stage::crash, "CUDA_ERROR_ILLEGAL_ADDRESS"},
             {misaligned, failure_stage::crash, "CUDA_ERROR_MISALIGNED_ADDRESS"},
             {trapping, failure_stage::crash, "CUDA_ERROR_"}, // which one is the driver's business
             {asserting, failure_stage::crash, "CUDA_ERROR_ASSERT"},
             {bad_jump, failure_stage::crash, "CUDA_ERROR_"},
             {shared_far, failure_stage::crash, "CUDA_ERROR_"},
         })
        check_refused(b, expected, 10);
    check_refused(b, {hanging, failure_stage::timeout, "still running after 0.5 s"}, 0.5);
    INFO(b.bench->protection());
    CHECK(has(b.bench->protection(), "worker"));
    CHECK(has(b.bench->protection(), "replaced 9 times"));
    CHECK(b.data.called_times(0, 2.0F));
}

TEST_CASE("a variant that is wrong only after some runs is found when it is timed")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    saxpy_bench const b{*g, true};
    CHECK(std::get<double>(b.bench->establish(b.variant(plain), {}, 10)) > 0);
    CHECK(b.refusal(slow_to_fail).reason == "none");
    attune::timing_record taken;
    attune::outcome const timed =
        b.bench->time(b.variant(slow_to_fail), std::numeric_limits<double>::infinity(), 10, &taken);
    REQUIRE(std::holds_alternative<failure>(timed));
    INFO(std::get<failure>(timed).reason);
    CHECK(std::get<failure>(timed).stage == failure_stage::verify);
    CHECK(has(std::get<failure>(timed).reason, "right at first, then wrong"));
}

TEST_CASE("a tuning among variants that fault, hang and lie finds the good one")
{
    gpu const* const g = gpu_here(240);
    if (g == nullptr) return;
    saxpy_data const data(gpu_elements);
    saxpy_arrays there{data};
    attune::device_array<float> beside{std::span<float const>{data.x}, 0};
    auto saxpy = tuned_here<on_device, plain, far_write, trapping, one_wrong, asserting,
                            not_a_number, hanging, untouched, one_past, quick, far_read>(*g);
    saxpy(there.x.span(), there.y.span(), 2.0F, data.n());
    attune::tuning_report const report = saxpy.report();
    INFO(all_of(report));
    CHECK(there.called_times(1, 2.0F));
    CHECK(report.isolation.starts_with("worker"));
    CHECK(has(report.configuration, "KIND=1 "));
    CHECK(report.how == attune::decision::tuned);
    CHECK(report.evaluations == 22); // each with two sizes of a block
    CHECK(failed(report, failure_stage::crash) == 8);
    CHECK(failed(report, failure_stage::timeout) == 2);
    CHECK(failed(report, failure_stage::verify) == 8);
    CHECK(attune::total(report.failures) == 18);
    // The program's own context never saw any of it.
    CHECK(g->is_alive());
    CHECK(beside.to_host() == data.x);
    saxpy(there.x.span(), there.y.span(), 2.0F, data.n());
    CHECK(there.called_times(2, 2.0F));
}
