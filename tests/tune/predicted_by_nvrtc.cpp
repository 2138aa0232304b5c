// tests/tune/predicted_by_nvrtc.cpp - NVRTC's own code, judged without a device, end to end.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>
#include <attune/compile/nvrtc.hpp>
#include <attune/tune/tuned.hpp>

#include <doctest/doctest.h>
#include <span>

#include "../support/accumulate.hpp"
#include "../support/needs_nvrtc.hpp"
#include "../support/shared_store.hpp"

using namespace attune_test;
using attune::decision;

namespace {

inline constexpr auto n = attune::input<"n", int>();
inline constexpr auto block = attune::ordinal<"BLOCK">(attune::values(32, 256, 1024));
inline constexpr auto size = attune::ordinal<"SIZE">(attune::values(256, 12000));

/// On a multiprocessor of sm_90 there is room for 2048 threads, 32 blocks and 228 KB: 32 blocks of
/// 32 threads are half of the threads; of blocks with 48 KB of shared memory there are four.
attune::kernel<void(std::span<float const>, std::span<float>, int)> reverse_kernel()
{
    attune::kernel<void(std::span<float const>, std::span<float>, int)> out{
        "reverse",
        attune::source_text(R"(#include <attune/tunable.hpp>
extern "C" __global__ void reverse(float const* x, float* y, int n)
{
    __shared__ float tile[ATTUNE_TUNABLE(SIZE, 256)];
    int const i = blockIdx.x * ATTUNE_TUNABLE(BLOCK, 32) + threadIdx.x;
    tile[threadIdx.x % SIZE] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (i < n) y[i] = tile[(BLOCK - 1 - threadIdx.x) % SIZE];
}
)",
                            "reverse.kernel.cu"),
        attune::space(block, size)};
    out.bind<2>(n).grid(attune::ceil_div(n, block)).block(block);
    out.require(attune::spill_bytes == 0, attune::occupancy >= 0.1);
    return out;
}

} // namespace

TEST_CASE("a kernel is compiled by NVRTC, judged and remembered where there is no device")
{
    if (!has_nvrtc()) return;
    attune::tuned reverse{reverse_kernel(), nvrtc_for(90), attune::memory_store{}, quick_options()};
    attune::tuning_report const report = reverse.predict({}, {}, 1 << 30);
    INFO(report.summary());
    CHECK(report.how == decision::tuned);
    CHECK(report.evaluations == 6);
    CHECK((report.configuration == "BLOCK=256 SIZE=256" ||
           report.configuration == "BLOCK=1024 SIZE=256"));
    CHECK(report.best.value == doctest::Approx(1).epsilon(0.01));
    CHECK(report.default_time.value == doctest::Approx(2).epsilon(0.01));
    // 4 blocks of one warp are a sixteenth of what there is room for.
    CHECK(report.failures[static_cast<std::size_t>(attune::failure_stage::launch)] == 1);
    CHECK(reverse.predict({}, {}, 1 << 30).how == decision::remembered);
}

TEST_CASE("each architecture has its own records")
{
    if (!has_nvrtc(80)) return;
    shared_store store;
    for (int const architecture : {80, 90}) {
        attune::tuned reverse{reverse_kernel(), nvrtc_for(architecture), store, quick_options()};
        CHECK(reverse.predict({}, {}, 1 << 30).how == decision::tuned);
    }
    CHECK(store.records->records().size() == 2);
}
