// tests/gpu/in_process.cpp - variants in the program's own context, on a real GPU: what it survives.
// SPDX-License-Identifier: MIT
#include <attune/measure/device/device_bench.hpp>

#include <doctest/doctest.h>
#include <variant>

#include "../support/gpu_saxpy.hpp"
#include "../support/gpu_texts.hpp"
#include "../support/texts.hpp"

using namespace attune_test;
using attune::failure;
using attune::failure_stage;

TEST_CASE("what the driver does not launch is a failed variant, and the bench goes on")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    for (bool const in_worker : {false, true}) {
        CAPTURE(in_worker);
        saxpy_bench const b{*g, in_worker};
        CHECK(std::get<double>(b.bench->establish(b.variant(plain), {}, 10)) > 0);
        attune::device_variant const good = b.variant(quick);
        // attune itself would not have let any of these through.
        auto const refused = [&](char const* what, attune::device_variant const& tried) {
            failure const why = b.refusal(tried);
            INFO(what << ": " << describe(why.stage) << ": " << why.reason << why.log);
            CHECK(why.stage == failure_stage::launch);
            CHECK(has(why.reason, "CUDA_ERROR_"));
            CHECK(b.refusal(good).reason == "none");
            CHECK(g->is_alive());
        };
        attune::device_variant tried = good;
        tried.launch.block = {2048, 1, 1};
        refused("too many threads", tried);
        tried = good;
        tried.launch.block = {1, 1, 128};
        refused("too many threads in z", tried);
        tried = good;
        tried.launch.grid = {1, 70000, 1};
        refused("too many blocks in y", tried);
        tried = good;
        tried.launch.shared_bytes = 1 << 20;
        refused("too much shared memory", tried);
        tried = heavy_variant(*g, 200, 0);
        tried.launch.block = {1024, 1, 1};
        CAPTURE(tried.code.resources.registers);
        REQUIRE(tried.code.resources.registers * 1024 > g->limits().registers_per_block);
        refused("too many registers", tried);
        tried = good;
        tried.launch.grid = {100000, 1, 1};
        tried.launch.is_cooperative = true;
        refused("too large to be resident", tried);
        tried = good;
        tried.code.entry = "no_such_kernel";
        failure const lost = b.refusal(tried);
        CHECK(lost.stage == failure_stage::load);
        CHECK(has(lost.reason, "cuModuleGetFunction of no_such_kernel: CUDA_ERROR_NOT_FOUND"));
        tried = good;
        tried.code.image.assign(4096, 'x');
        failure const broken = b.refusal(tried);
        INFO(broken.reason);
        CHECK(broken.stage == failure_stage::load);
        CHECK(b.refusal(good).reason == "none");
    }
}

TEST_CASE("code that takes more registers than a block can have is a failed configuration")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    static constexpr auto threads =
        attune::ordinal<"THREADS">(attune::values(64, 128, 512, 1024)).with_default(64);
    attune::kernel_source source = attune::source_text(heavy_text, "heavy.cu");
    source.flags = {"-DWIDTH=200"};
    attune::kernel<void(attune::device_span<float>, int)> kernel{"heavy", source,
                                                                 attune::space(threads)};
    kernel.grid(4).block(threads);
    std::vector<float> const values(4096, 1.0F);
    attune::device_array<float> y{std::span<float const>{values}, 0};
    for (attune::isolation const how : {attune::isolation::automatic, attune::isolation::none}) {
        attune::tuning_options options = gpu_options();
        options.measuring.protect = how;
        attune::tuned heavy{kernel, g->compiler, attune::memory_store{}, options};
        heavy(y.span(), 1);
        attune::tuning_report const report = heavy.report();
        INFO(all_of(report));
        CHECK(report.evaluations == 4);
        CHECK(failed(report, failure_stage::launch) == 2); // 512 and 1024 threads
        REQUIRE(!report.first_failures.empty());
        CHECK(has(report.first_failures.front().reason, "registers"));
        CHECK(g->is_alive());
    }
}
