// tests/cuda/occupancy.cpp - of cuda/code.hpp: resident blocks.
// SPDX-License-Identifier: MIT
#include <attune/cuda/code.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#endif

using attune::code_resources;
using attune::device_limits;
using attune::launch_geometry;
using attune::detail::launch_objection;
using attune::detail::limits_of_architecture;
using attune::detail::occupancy_of;

namespace {

[[nodiscard]] launch_geometry block_of(std::int64_t threads, std::int64_t shared_bytes = 0)
{
    launch_geometry g;
    g.block = {threads, 1, 1};
    g.shared_bytes = shared_bytes;
    return g;
}

[[nodiscard]] code_resources with_registers(std::int64_t registers, std::int64_t shared_bytes = 0)
{
    code_resources code;
    code.registers = registers;
    code.static_shared_bytes = shared_bytes;
    return code;
}

[[nodiscard]] std::int64_t blocks_of(int architecture, std::int64_t registers, std::int64_t threads,
                                     std::int64_t shared_bytes = 0)
{
    return occupancy_of(limits_of_architecture(architecture), with_registers(registers),
                        block_of(threads, shared_bytes))
        .blocks;
}

} // namespace

TEST_CASE("occupancy worked out by hand")
{
    // 37 registers: 37 * 32 = 1184, in units of 256: 1280 for each warp; each of the four register
    // files of 16384 has 12 warps of them: 48 warps, which are 12 blocks of 4.
    CHECK(blocks_of(80, 37, 128) == 12);
    CHECK(occupancy_of(limits_of_architecture(80), with_registers(37), block_of(128)).fraction ==
          doctest::Approx(48.0 / 64));
    // The same registers in blocks of 10 warps: 4 of them, 40 warps.
    CHECK(blocks_of(80, 37, 320) == 4);
    CHECK(occupancy_of(limits_of_architecture(80), with_registers(37), block_of(320)).fraction ==
          doctest::Approx(40.0 / 64));

    CHECK(blocks_of(80, 32, 1024) == 2); // 2048 threads
    CHECK(blocks_of(80, 33, 1024) == 1); // 40 registers each, with the unit
    CHECK(blocks_of(80, 65, 1024) == 0); // 72 * 1024 > 65536
    CHECK(blocks_of(75, 16, 32) == 16);  // as many blocks as there may be
    CHECK(blocks_of(86, 16, 1024) == 1); // 1536 threads have room for one
    CHECK(blocks_of(90, 255, 256) == 1); // 256 registers * 256 threads = 65536
    CHECK(blocks_of(90, 255, 288) == 0);
    CHECK(blocks_of(80, 16, 128, 163 * 1024) == 1);
    CHECK(blocks_of(80, 16, 128, 81 * 1024) == 2); // (81 + 1) * 2 = 164
    CHECK(blocks_of(80, 16, 128, 81 * 1024 + 1) == 1);
    CHECK(blocks_of(75, 16, 128, 32 * 1024) == 2); // nothing is reserved there
}

TEST_CASE("more of anything never makes more room")
{
    for (int const architecture : attune::detail::known_architectures())
        for (std::int64_t threads = 64; threads <= 1024; threads += 64)
            for (std::int64_t registers = 0; registers <= 256; registers += 11)
                for (std::int64_t shared = 0; shared <= 102400; shared += 10240) {
                    std::int64_t const blocks = blocks_of(architecture, registers, threads, shared);
                    bool const holds =
                        blocks_of(architecture, registers + 1, threads, shared) <= blocks &&
                        blocks_of(architecture, registers, threads, shared + 100) <= blocks &&
                        blocks_of(architecture, registers, threads + 1, shared) <= blocks;
                    if (holds) continue;
                    CAPTURE(architecture);
                    CAPTURE(threads);
                    CAPTURE(registers);
                    CAPTURE(shared);
                    CHECK(holds);
                }
}

TEST_CASE("a launch without objection has room, and one whose block has no room is objected to")
{
    for (int const architecture : attune::detail::known_architectures()) {
        device_limits const device = limits_of_architecture(architecture);
        for (std::int64_t threads = 0; threads <= 1200; threads += 80)
            for (std::int64_t registers = 0; registers <= 306; registers += 17)
                for (std::int64_t shared = -1024; shared <= 250000; shared += 8448)
                    for (std::int64_t const of_them_static : {0, 8192, 50000}) {
                        code_resources const code = with_registers(registers, of_them_static);
                        launch_geometry const launch = block_of(threads, shared);
                        auto const room = occupancy_of(device, code, launch);
                        bool const agrees =
                            launch_objection(device, code, launch).empty() == (room.blocks > 0);
                        bool const is_share = room.fraction >= 0 && room.fraction <= 1 &&
                                              (room.fraction > 0) == (room.blocks > 0);
                        if (!agrees || !is_share) {
                            CAPTURE(threads);
                            CAPTURE(registers);
                            CAPTURE(shared);
                            CHECK(agrees);
                            CHECK(is_share);
                        }
                    }
    }
}

#if __has_include(<cuda_occupancy.h>)

TEST_CASE("the toolkit's own calculator finds the same")
{
    std::size_t compared = 0;
    for (int const architecture : attune::detail::known_architectures()) {
        device_limits const device = limits_of_architecture(architecture);
        cudaOccDeviceProp theirs;
        theirs.computeMajor = architecture / 10;
        theirs.computeMinor = architecture % 10;
        theirs.maxThreadsPerBlock = static_cast<int>(device.threads_per_block);
        theirs.maxThreadsPerMultiprocessor = static_cast<int>(device.threads_per_multiprocessor);
        theirs.regsPerBlock = static_cast<int>(device.registers_per_block);
        theirs.regsPerMultiprocessor = static_cast<int>(device.registers_per_multiprocessor);
        theirs.warpSize = static_cast<int>(device.warp_threads);
        theirs.sharedMemPerBlock = static_cast<std::size_t>(device.shared_bytes_per_block);
        theirs.sharedMemPerMultiprocessor =
            static_cast<std::size_t>(device.shared_bytes_per_multiprocessor);
        theirs.numSms = static_cast<int>(device.multiprocessors);
        theirs.sharedMemPerBlockOptin = static_cast<std::size_t>(device.shared_bytes_opt_in);
        theirs.reservedSharedMemPerBlock = static_cast<std::size_t>(device.shared_bytes_reserved);

        for (std::int64_t threads = 1; threads <= 1025; threads += 31)
            for (std::int64_t registers = 0; registers <= 255; registers += 15)
                for (std::int64_t shared = 0; shared <= 240 * 1024; shared += 8642)
                    for (std::int64_t const of_them_static : {0, 4000}) {
                        cudaOccFuncAttributes function;
                        function.maxThreadsPerBlock = 1024;
                        function.numRegs = static_cast<int>(registers);
                        function.sharedSizeBytes = static_cast<std::size_t>(of_them_static);
                        function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
                        // As a launch sets it: cuFuncSetAttribute with what it is about to ask for.
                        function.maxDynamicSharedSizeBytes = static_cast<std::size_t>(shared);
                        function.numBlockBarriers = 1;
                        cudaOccDeviceState const state;
                        cudaOccResult result;
                        cudaOccError const got = cudaOccMaxActiveBlocksPerMultiprocessor(
                            &result, &theirs, &function, &state, static_cast<int>(threads),
                            static_cast<std::size_t>(shared));
                        std::int64_t const ours =
                            occupancy_of(device, with_registers(registers, of_them_static),
                                         block_of(threads, shared))
                                .blocks;
                        ++compared;
                        if (got == CUDA_OCC_SUCCESS && ours == result.activeBlocksPerMultiprocessor)
                            continue;
                        CHECK(got == CUDA_OCC_SUCCESS);
                        CAPTURE(architecture);
                        CAPTURE(threads);
                        CAPTURE(registers);
                        CAPTURE(shared);
                        CHECK(ours == result.activeBlocksPerMultiprocessor);
                    }
    }
    CHECK(compared > 250000);
}

#endif

TEST_CASE("each reason why a launch is refused is one sentence with both numbers")
{
    device_limits const device = limits_of_architecture(90);
    code_resources const code = with_registers(32);
    auto const objection = [&](auto const& change) {
        launch_geometry launch = block_of(256);
        code_resources changed = code;
        change(launch, changed);
        return launch_objection(device, changed, launch);
    };
    using geometry = launch_geometry;
    using resources = code_resources;
    CHECK(objection([](geometry&, resources&) {}).empty());
    CHECK(objection([](geometry& g, resources&) { g.block = {2048, 1, 1}; }) ==
          "the block has 2048 threads, the device allows 1024");
    CHECK(objection([](geometry& g, resources&) { g.block = {32, 64, 1}; }) ==
          "the block has 2048 threads, the device allows 1024");
    CHECK(objection([](geometry& g, resources&) { g.block = {1, 1, 65}; }) ==
          "the block has 65 threads in z, the device allows 64 there");
    CHECK(objection([](geometry& g, resources&) { g.block = {32, 0, 1}; }) ==
          "the block has 0 threads in y");
    CHECK(objection([](geometry& g, resources&) {
              g.block = {INT64_MAX, INT64_MAX, 1};
          }).starts_with("the block has 9223372036854775807 threads in x"));
    CHECK(objection([](geometry& g, resources&) { g.grid = {1, 70000, 1}; }) ==
          "the grid has 70000 blocks in y, the device allows 65535 there");
    CHECK(objection([](geometry& g, resources&) { g.grid = {-4, 1, 1}; }) ==
          "the grid has -4 blocks in x");
    CHECK(objection([](geometry&, resources& r) { r.most_threads = 128; }) ==
          "the block has 256 threads, the kernel allows 128 by __launch_bounds__");
    CHECK(objection([](geometry& g, resources& r) {
              g.block = {1024, 1, 1};
              r.registers = 100;
          }) == "the block takes 106496 registers (1024 threads with 100 each), the device allows "
                "65536");
    CHECK(objection([](geometry&, resources& r) { r.registers = 256; }) ==
          "a thread has 256 registers, the device allows 255");
    CHECK(objection([](geometry& g, resources& r) {
              g.shared_bytes = 232448;
              r.static_shared_bytes = 16;
          }) == "the block takes 16 + 232448 bytes of shared memory (static + dynamic), the device "
                "allows 232448");
    CHECK(objection([](geometry&, resources& r) { r.static_shared_bytes = 49153; }) ==
          "the kernel declares 49153 bytes of shared memory, the device allows 49152 (more only at "
          "the launch)");
    CHECK(objection([](geometry& g, resources&) { g.shared_bytes = -8; }) ==
          "-8 bytes of shared memory are asked for");
    CHECK(objection([](geometry& g, resources&) {
              g.shared_bytes = INT64_MAX;
          }).starts_with("the block takes 0 + 9223372036854775807 bytes"));
}

TEST_CASE("clusters divide the grid, and are there since 9.0")
{
    auto const objection = [](int architecture, std::array<std::int64_t, 3> grid,
                              std::array<std::int64_t, 3> cluster) {
        launch_geometry launch = block_of(128);
        launch.grid = grid;
        launch.cluster = cluster;
        return launch_objection(limits_of_architecture(architecture), with_registers(32), launch);
    };
    CHECK(objection(90, {16, 4, 1}, {4, 2, 1}).empty());
    CHECK(objection(90, {16, 4, 1}, {1, 1, 1}).empty());
    CHECK(objection(80, {16, 4, 1}, {1, 1, 1}).empty());
    CHECK(objection(80, {16, 4, 1}, {4, 2, 1}) == "the device has no clusters of blocks");
    CHECK(objection(90, {16, 4, 1}, {4, 4, 1}) ==
          "the cluster has more than the 8 blocks that the device allows");
    CHECK(objection(90, {16, 4, 1}, {INT64_MAX, INT64_MAX, 1}) ==
          "the cluster has more than the 8 blocks that the device allows");
    CHECK(objection(90, {16, 4, 1}, {3, 1, 1}) ==
          "the grid has 16 blocks in x, which is no multiple of the cluster's 3");
    CHECK(objection(90, {16, 4, 1}, {1, 0, 1}) == "the cluster has 0 blocks in y");
}

TEST_CASE("a cooperative grid is resident as a whole")
{
    device_limits device = limits_of_architecture(90);
    device.multiprocessors = 10;
    launch_geometry launch = block_of(1024);
    launch.is_cooperative = true;
    for (std::int64_t x = 1; x <= 30; ++x)
        for (std::int64_t y = 1; y <= 30; ++y)
            for (std::int64_t z = 1; z <= 30; ++z) {
                launch.grid = {x, y, z};
                // Two blocks of 1024 threads on each of ten multiprocessors.
                bool const fits = x * y * z <= 20;
                if (launch_objection(device, with_registers(32), launch).empty() != fits)
                    CHECK(text_of(launch) == "objected to correctly");
            }
    launch.grid = {2147483647, 65535, 65535};
    CHECK(launch_objection(device, with_registers(32), launch) ==
          "all blocks of a cooperative grid must be resident at once; the device holds 20 such "
          "blocks");
    launch.grid = {1, 1, 1};
    device.can_cooperate = false;
    CHECK(launch_objection(device, with_registers(32), launch) ==
          "the device has no cooperative launches");
}
