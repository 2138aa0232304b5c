// tests/gpu/geometry.cpp - launches on a real GPU have the geometry that was declared.
// SPDX-License-Identifier: MIT
//
// Each kernel looks at where it runs by itself, and writes what only the right launch gives.
#include <attune/tune/tuned.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

#include "../support/gpu_saxpy.hpp"
#include "../support/texts.hpp"

using namespace attune_test;

namespace {

inline constexpr auto rows = attune::input<"rows", int>();
inline constexpr auto columns = attune::input<"columns", int>();
inline constexpr auto block_x = attune::ordinal<"BLOCK_X">(attune::values(8, 32, 128));
inline constexpr auto block_y = attune::ordinal<"BLOCK_Y">(attune::values(1, 2, 4, 16));

constexpr char const* numbered_text = R"(#include <attune/tunable.hpp>
extern "C" __global__ void numbered(int* out, int rows, int columns)
{
    int const bx = ATTUNE_TUNABLE(BLOCK_X, 32);
    int const by = ATTUNE_TUNABLE(BLOCK_Y, 1);
    bool const fits = blockDim.x == bx && blockDim.y == by && blockDim.z == 1 &&
                      gridDim.x == (columns + bx - 1) / bx &&
                      gridDim.y == (rows + by - 1) / by && gridDim.z == 3;
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    int const j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < columns && j < rows)
        out[(blockIdx.z * rows + j) * columns + i] =
            fits ? static_cast<int>(1000000 * blockIdx.z + 1000 * j + i) : -1;
}
)";

constexpr char const* pool_text = R"(#include <attune/tunable.hpp>
extern "C" __global__ void pooled(int* out)
{
    extern __shared__ int pool[];
    constexpr int floats = ATTUNE_TUNABLE(FLOATS, 1024);
    unsigned bytes;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    for (int i = threadIdx.x; i < floats; i += blockDim.x)
        pool[i] = i;
    __syncthreads();
    // Every place holds what was written there: it is all there.
    int wrong = bytes == 4 * floats ? 0 : 1;
    for (int i = threadIdx.x; i < floats; i += blockDim.x)
        wrong += pool[floats - 1 - i] != floats - 1 - i;
    out[blockIdx.x * blockDim.x + threadIdx.x] = wrong;
}
)";

/// A barrier of the whole grid: it ends only if all blocks are resident at once. Each launch adds
/// as many arrivals as it has blocks.
constexpr char const* cooperating_text = R"(#include <attune/tunable.hpp>
__device__ unsigned arrivals = 0;
extern "C" __global__ void cooperating(int* sums, int* out, int blocks)
{
    constexpr int threads = ATTUNE_TUNABLE(THREADS, 128);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = blockIdx.x + 1;
        __threadfence();
        unsigned const ticket = atomicAdd(&arrivals, 1);
        unsigned const all = (ticket / gridDim.x + 1) * gridDim.x;
        while (*const_cast<unsigned volatile*>(&arrivals) < all) {}
        __threadfence();
    }
    __syncthreads();
    int sum = 0;
    for (int b = threadIdx.x; b < gridDim.x; b += threads)
        sum += *const_cast<int volatile*>(sums + b);
    atomicAdd(out + blockIdx.x, blockDim.x == threads && gridDim.x == blocks ? sum : 1 << 30);
}
)";

/// Every block writes its number into the shared memory of the next one of its cluster.
constexpr char const* clustered_text = R"(#include <attune/tunable.hpp>
extern "C" __global__ void clustered(int* out)
{
    constexpr unsigned size = ATTUNE_TUNABLE(CLUSTER, 1);
    __shared__ int box;
    unsigned rank, ranks;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(ranks));
    if (threadIdx.x == 0) box = -1;
    asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
    if (threadIdx.x == 0) {
        unsigned const here = static_cast<unsigned>(__cvta_generic_to_shared(&box));
        unsigned there;
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                     : "=r"(there) : "r"(here), "r"((rank + 1) % ranks));
        asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(there), "r"(blockIdx.x) : "memory");
    }
    asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
    int const first = blockIdx.x / size * size;
    int const from = first + (blockIdx.x - first + size - 1) % size;
    if (threadIdx.x == 0)
        out[blockIdx.x] = ranks == size && box == from ? static_cast<int>(blockIdx.x + 1) : -1;
}
)";

} // namespace

TEST_CASE("grid and block are what the expressions give, in three directions")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    attune::kernel<void(attune::device_span<int>, int, int)> kernel{
        "numbered", attune::source_text(numbered_text, "numbered.cu"),
        attune::space(block_x, block_y)};
    kernel.bind<1>(rows).bind<2>(columns);
    kernel.grid(attune::ceil_div(columns, block_x), attune::ceil_div(rows, block_y), 3);
    kernel.block(block_x, block_y);
    int const h = 37;
    int const w = 301;
    attune::device_array<int> out{static_cast<std::size_t>(3 * h * w), 0};
    attune::tuned numbered{kernel, g->compiler, attune::memory_store{}, gpu_options()};
    numbered(out.span(), h, w);
    attune::tuning_report const report = numbered.report();
    INFO(all_of(report));
    CHECK(report.evaluations == 11); // 128 x 16 threads are no block
    CHECK(attune::total(report.failures) == 0);
    std::vector<int> const got = out.to_host();
    int wrong = 0;
    for (int z = 0; z < 3; ++z)
        for (int j = 0; j < h; ++j)
            for (int i = 0; i < w; ++i)
                wrong += got[static_cast<std::size_t>((z * h + j) * w + i)] !=
                         1000000 * z + 1000 * j + i;
    CHECK(wrong == 0);
}

TEST_CASE("dynamic shared memory up to all there is of a block, beyond the 48 KiB of old")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    static constexpr auto floats = attune::ordinal<"FLOATS">(
        attune::values(1024, 12288, 12289, 16384, 25344, 41216, 58112, 1 << 18));
    attune::kernel<void(attune::device_span<int>)> kernel{
        "pooled", attune::source_text(pool_text, "pooled.cu"), attune::space(floats)};
    kernel.grid(8).block(128).shared_bytes(4 * floats);
    attune::device_array<int> out{8 * 128, 0};
    std::uint32_t allowed = 0;
    for (std::int64_t const n : {1024, 12288, 12289, 16384, 25344, 41216, 58112, 1 << 18})
        allowed += 4 * n <= g->limits().shared_bytes_opt_in ? 1U : 0U;
    for (attune::isolation const how : {attune::isolation::automatic, attune::isolation::none}) {
        attune::tuning_options options = gpu_options();
        options.measuring.protect = how;
        attune::tuned pooled{kernel, g->compiler, attune::memory_store{}, options};
        pooled(out.span());
        attune::tuning_report const report = pooled.report();
        INFO(all_of(report));
        CHECK(report.evaluations == allowed);
        CHECK(attune::total(report.failures) == 0);
        CHECK(out.to_host() == std::vector<int>(8 * 128, 0));
    }
    MESSAGE(allowed << " sizes up to " << g->limits().shared_bytes_opt_in << " bytes");
}

TEST_CASE("a cooperative grid is resident as a whole, at its largest, and refused beyond")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    if (!g->limits().can_cooperate) {
        MESSAGE("not looked at: the device has no cooperative launches");
        return;
    }
    // Full with blocks of 1024 threads; those of 128 leave room.
    int const blocks = static_cast<int>(g->limits().multiprocessors *
                                        (g->limits().threads_per_multiprocessor / 1024));
    static constexpr auto threads = attune::ordinal<"THREADS">(attune::values(128, 512, 1024));
    static constexpr auto grid = attune::input<"blocks", int>();
    auto const total_of = [](int n) { return n * (n + 1) / 2; };
    attune::kernel<void(attune::device_span<int>, attune::device_span<int>, int)> kernel{
        "cooperating", attune::source_text(cooperating_text, "cooperating.cu"),
        attune::space(threads)};
    kernel.bind<2>(grid).grid(grid).block(threads).cooperative();
    for (int const asked : {blocks, blocks + 1}) {
        CAPTURE(asked);
        std::vector<int> const none(static_cast<std::size_t>(asked), 0);
        attune::device_array<int> sums{std::span<int const>{none}, 0};
        attune::device_array<int> out{std::span<int const>{none}, 0};
        attune::tuned cooperating{kernel, g->compiler, attune::memory_store{}, gpu_options()};
        cooperating(sums.span(), out.span(), asked);
        attune::tuning_report const report = cooperating.report();
        INFO(all_of(report));
        // One more than there is room for is seen before anything is compiled, let alone run.
        CHECK(report.evaluations == (asked == blocks ? 3 : 2));
        CHECK(attune::total(report.failures) == 0);
        CHECK(out.to_host() == std::vector<int>(static_cast<std::size_t>(asked), total_of(asked)));
    }
}

TEST_CASE("clusters of blocks share their memory and wait for each other")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    if (g->limits().blocks_per_cluster < 2) {
        MESSAGE("not looked at: the device has no clusters");
        return;
    }
    static constexpr auto cluster = attune::ordinal<"CLUSTER">(attune::values(1, 2, 4, 8, 16));
    attune::kernel<void(attune::device_span<int>)> kernel{
        "clustered", attune::source_text(clustered_text, "clustered.cu"), attune::space(cluster)};
    kernel.grid(64).block(64).cluster(cluster);
    attune::device_array<int> out{64, 0};
    for (bool const as_graph : {false, true}) {
        attune::tuning_options options = gpu_options();
        options.device.as_graph = as_graph;
        attune::tuned clustered{kernel, g->compiler, attune::memory_store{}, options};
        clustered(out.span());
        attune::tuning_report const report = clustered.report();
        INFO(all_of(report));
        CHECK(report.evaluations == 4); // 16 blocks are more than every device with clusters has
        CHECK(attune::total(report.failures) == 0);
        std::vector<int> expected(64);
        for (int b = 0; b < 64; ++b)
            expected[static_cast<std::size_t>(b)] = b + 1;
        CHECK(out.to_host() == expected);
    }
}
