// tests/gpu/resources.cpp - what attune works out of code and device is what the driver says.
// SPDX-License-Identifier: MIT
#include <attune/cuda/code.hpp>
// and what the test needs besides

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../support/gpu.hpp"
#include "../support/gpu_texts.hpp"

using namespace attune_test;

namespace {

/// CUfunction_attribute, from cuda.h.
enum : int {
    most_threads_of_block = 0,
    static_shared_bytes = 1,
    local_bytes = 3,
    registers_of_thread = 4,
    binary_version = 6,
    most_dynamic_shared_bytes = 8,
};

/// Kernels that take few and many registers, spill, have a stack, and shared memory.
std::vector<std::pair<std::string, attune::device_variant>> codes_of(gpu const& g)
{
    std::vector<std::pair<std::string, attune::device_variant>> out;
    out.emplace_back("small", heavy_variant(g, 8, 0));
    out.emplace_back("small, 3 bytes shared", heavy_variant(g, 8, 3));
    out.emplace_back("40 wide, 1000 bytes shared", heavy_variant(g, 40, 1000));
    out.emplace_back("72 wide, 16 KiB shared", heavy_variant(g, 72, 16384));
    out.emplace_back("200 wide", heavy_variant(g, 200, 0));
    out.emplace_back("200 wide, 48 KiB shared", heavy_variant(g, 200, 49152));
    for (int const most : {24, 32, 40, 64, 96, 128, 168})
        out.emplace_back("200 wide, of at most " + std::to_string(most) + " registers",
                         heavy_variant(g, 200, 512, most));
    attune::compile_request bounded =
        gpu_variant("bounded", {"float*", "int"}, 4, 64); // and an array that is indexed
    out.emplace_back(
        "a stack, and bounds",
        g.compile("extern \"C\" __global__ void __launch_bounds__(192) bounded(float* y, int n)\n"
                  "{\n    float v[50];\n    for (int k = 0; k < 50; ++k) v[k] = y[k] * n;\n"
                  "    for (int k = 0; k < n; ++k) v[(k * n) % 50] += v[(k + n) % 50];\n"
                  "    y[0] = v[n % 50];\n}\n",
                  bounded));
    return out;
}

/// One kernel in the test's context.
struct loaded {
    gpu const& g;
    attune::detail::cuda::context_scope here;
    attune::detail::cuda::loaded_code code;

    loaded(gpu const& on, attune::device_variant const& what)
        : g(on)
        , here(*on.context)
        , code(load(on, what))
    {
    }
    static attune::detail::cuda::loaded_code load(gpu const& g, attune::device_variant const& what)
    {
        auto made = attune::detail::cuda::loaded_code::load(g.driver, what);
        if (auto const* const why = std::get_if<attune::failure>(&made)) FAIL(why->reason);
        return std::get<attune::detail::cuda::loaded_code>(std::move(made));
    }
    [[nodiscard]] int attribute(int which) const
    {
        int value = -1;
        REQUIRE(g.opinion.function_attribute(&value, which, code.handle()) == 0);
        return value;
    }
};

} // namespace

TEST_CASE("registers, stack and shared memory read from the code are those the driver finds")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    int spilling = 0;
    for (auto const& [name, what] : codes_of(*g)) {
        CAPTURE(name);
        attune::code_resources const& takes = what.code.resources;
        loaded const there{*g, what};
        CHECK(takes.registers == there.attribute(registers_of_thread));
        CHECK(takes.static_shared_bytes == there.attribute(static_shared_bytes));
        CHECK(takes.stack_bytes == there.attribute(local_bytes));
        CHECK(what.code.architecture == there.attribute(binary_version));
        if (takes.most_threads > 0)
            CHECK(takes.most_threads == there.attribute(most_threads_of_block));
        spilling += takes.spill_bytes > 0 ? 1 : 0;
        if (takes.spill_bytes > 0) CHECK(there.attribute(local_bytes) > 0);
        MESSAGE(name << ": " << takes.registers << " registers, " << takes.stack_bytes
                     << " bytes of stack, " << takes.spill_bytes << " spilled, "
                     << takes.static_shared_bytes << " shared, most threads " << takes.most_threads
                     << " (driver: " << there.attribute(most_threads_of_block) << ")");
    }
    CHECK(spilling >= 3);
}

TEST_CASE("occupancy worked out from the code is the driver's, over blocks, registers, shared")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    attune::device_limits const& device = g->limits();
    int compared = 0;
    int differing = 0;
    int refused = 0;
    for (auto& [name, what] : codes_of(*g)) {
        loaded const there{*g, what};
        for (std::int64_t const shared : {0, 1, 1024, 5000, 12345, 16384, 32768, 49152, 65536,
                                          100000, 116000, 150000, 200000, 231424, 232448, 232449}) {
            // The driver has to be asked for more than 48 KiB, and refuses what no block can have.
            bool const is_granted =
                g->driver->function_set_attribute(there.code.handle(), most_dynamic_shared_bytes,
                                                  static_cast<int>(shared)) == 0;
            int const most_threads = there.attribute(most_threads_of_block);
            for (int const threads :
                 {1,   31,  32,  33,  63,  64,  95,  96,  97,  127,  128,  129, 160, 192,
                  193, 224, 255, 256, 257, 288, 320, 384, 448, 480,  512,  513, 544, 576,
                  640, 672, 704, 768, 800, 832, 896, 960, 992, 1000, 1023, 1024}) {
                attune::launch_geometry launch;
                launch.block = {threads, 1, 1};
                launch.shared_bytes = shared;
                std::int64_t const ours =
                    attune::detail::occupancy_of(device, what.code.resources, launch).blocks;
                int theirs = -1;
                attune::detail::cuda::result const said = g->opinion.occupancy(
                    &theirs, there.code.handle(), threads, static_cast<std::size_t>(shared));
                // It does not look at __launch_bounds__, beyond which it refuses to launch.
                if (said != 0 || !is_granted || threads > most_threads) theirs = 0;
                refused += theirs == 0 ? 1 : 0;
                ++compared;
                if (ours == theirs) continue;
                if (++differing <= 20)
                    MESSAGE("differs: " << name << ", " << what.code.resources.registers
                                        << " registers, " << threads << " threads, " << shared
                                        << " bytes (granted: " << is_granted << "): " << ours
                                        << ", driver " << theirs << " (result " << said << ")");
            }
        }
    }
    MESSAGE(compared << " compared, " << refused << " of them cannot be launched");
    CHECK(differing == 0);
}

TEST_CASE("a device's limits are those of its architecture, and the driver's by CUDA's numbers")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    attune::device_limits const& is = g->limits();
    auto const said = [&](int attribute) {
        int value = -1;
        REQUIRE(g->driver->device_get_attribute(&value, attribute, 0) == 0);
        return value;
    };
    // CUdevice_attribute, as cuda.h numbers them.
    struct {
        char const* name;
        int attribute;
        std::int64_t ours;
    } const known[] = {
        {"MAX_THREADS_PER_BLOCK", 1, is.threads_per_block},
        {"MAX_BLOCK_DIM_X", 2, is.block[0]},
        {"MAX_BLOCK_DIM_Y", 3, is.block[1]},
        {"MAX_BLOCK_DIM_Z", 4, is.block[2]},
        {"MAX_GRID_DIM_X", 5, is.grid[0]},
        {"MAX_GRID_DIM_Y", 6, is.grid[1]},
        {"MAX_GRID_DIM_Z", 7, is.grid[2]},
        {"MAX_SHARED_MEMORY_PER_BLOCK", 8, is.shared_bytes_per_block},
        {"WARP_SIZE", 10, is.warp_threads},
        {"MAX_REGISTERS_PER_BLOCK", 12, is.registers_per_block},
        {"MULTIPROCESSOR_COUNT", 16, is.multiprocessors},
        {"L2_CACHE_SIZE", 38, is.l2_bytes},
        {"MAX_THREADS_PER_MULTIPROCESSOR", 39, is.threads_per_multiprocessor},
        {"MAX_SHARED_MEMORY_PER_MULTIPROCESSOR", 81, is.shared_bytes_per_multiprocessor},
        {"MAX_REGISTERS_PER_MULTIPROCESSOR", 82, is.registers_per_multiprocessor},
        {"COOPERATIVE_LAUNCH", 95, is.can_cooperate ? 1 : 0},
        {"MAX_SHARED_MEMORY_PER_BLOCK_OPTIN", 97, is.shared_bytes_opt_in},
        {"MAX_BLOCKS_PER_MULTIPROCESSOR", 106, is.blocks_per_multiprocessor},
        {"RESERVED_SHARED_MEMORY_PER_BLOCK", 111, is.shared_bytes_reserved},
        {"CLUSTER_LAUNCH", 120, is.blocks_per_cluster > 1 ? 1 : 0},
        {"COMPUTE_CAPABILITY", 75, is.architecture / 10},
        {"COMPUTE_CAPABILITY", 76, is.architecture % 10},
    };
    for (auto const& one : known) {
        CAPTURE(one.name);
        CHECK(said(one.attribute) == one.ours);
    }
    attune::device_limits const table = attune::detail::limits_of_architecture(is.architecture);
    CHECK(table.threads_per_block == is.threads_per_block);
    CHECK(table.block == is.block);
    CHECK(table.grid == is.grid);
    CHECK(table.shared_bytes_per_block == is.shared_bytes_per_block);
    CHECK(table.shared_bytes_opt_in == is.shared_bytes_opt_in);
    CHECK(table.shared_bytes_per_multiprocessor == is.shared_bytes_per_multiprocessor);
    CHECK(table.shared_bytes_reserved == is.shared_bytes_reserved);
    CHECK(table.registers_per_block == is.registers_per_block);
    CHECK(table.registers_per_multiprocessor == is.registers_per_multiprocessor);
    CHECK(table.threads_per_multiprocessor == is.threads_per_multiprocessor);
    CHECK(table.blocks_per_multiprocessor == is.blocks_per_multiprocessor);
    CHECK(table.blocks_per_cluster == is.blocks_per_cluster);
    CHECK(table.multiprocessors >= is.multiprocessors); // of its largest device
    MESSAGE(is.name << ", sm_" << is.architecture << ", " << is.multiprocessors
                    << " multiprocessors, " << is.global_bytes << " bytes");
}
