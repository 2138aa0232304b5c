// Threads of the emulated device meet in warps, blocks, clusters and grids.
#include <attune/core/launch.hpp>
#include <attune/cuda/code.hpp>

#include <doctest/doctest.h>
#include <numeric>
#include <string>
#include <variant>
#include <vector>

#include "../support/emulated_acts.hpp"

namespace {

using attune_test::compiled;
using attune_test::emulated_device;

} // namespace

TEST_CASE("emulated: a cooperative grid synchronises, each block with its own shared memory")
{
    emulated_device device(ATTUNE_EMULATED_CUDA);
    attune::callable const code = compiled(
        "#include <cooperative_groups.h>\n"
        "extern \"C\" __global__ void ring(int* from, int* to)\n"
        "{\n"
        "    __shared__ int own;\n"
        "    if (threadIdx.x == 0) { own = 100 + blockIdx.x; from[blockIdx.x] = own; }\n"
        "    cooperative_groups::this_grid().sync();\n"
        "    if (threadIdx.x == 0) to[blockIdx.x] = \n"
        "        1000 * own + from[(blockIdx.x + 1) % gridDim.x];\n"
        "}\n",
        "ring", {"int*", "int*"}, {.grid = {6, 1, 1}, .block = {64, 1, 1}, .is_cooperative = true});
    auto const from = device.upload(std::vector<int>(6));
    auto const to = device.upload(std::vector<int>(6));
    attune::detail::cuda::launch_attribute cooperative{};
    cooperative.id = 2;
    cooperative.value.cooperative = 1;
    attune::detail::cuda::launch_config how{{6, 1, 1}, {64, 1, 1}, 0, nullptr, &cooperative, 1};
    auto a = from;
    auto b = to;
    void* values[] = {&a, &b};
    attune::detail::cuda::function const kernel = device.load(attune::device_variant_of(code).code);
    REQUIRE(device.driver->launch_kernel_ex(&how, kernel, values, nullptr) == 0);
    auto const got = device.download<int>(to, 6);
    for (int i = 0; i < 6; ++i)
        CHECK(got[static_cast<std::size_t>(i)] == 1000 * (100 + i) + 100 + (i + 1) % 6);
    how.grid[0] = 100000;
    CHECK(device.driver->launch_kernel_ex(&how, kernel, values, nullptr) == 720);
    attune::detail::cuda::launch_attribute cluster{};
    cluster.id = 4;
    cluster.value.cluster[0] = 4;
    cluster.value.cluster[1] = cluster.value.cluster[2] = 1;
    how = {{6, 1, 1}, {64, 1, 1}, 0, nullptr, &cluster, 1};
    CHECK(device.driver->launch_kernel_ex(&how, kernel, values, nullptr) == 1); // 6 is no multiple
}

TEST_CASE("emulated: the blocks of a cluster meet, others do not wait for them")
{
    emulated_device device(ATTUNE_EMULATED_CUDA);
    attune::launch_geometry const launch{
        .grid = {4, 2, 1}, .block = {32, 1, 1}, .cluster = {2, 1, 1}};
    attune::callable const code =
        compiled("#include <cooperative_groups.h>\n"
                 "extern \"C\" __global__ void pair(int* x, int* y)\n"
                 "{\n"
                 "    int const i = blockIdx.x + gridDim.x * blockIdx.y;\n"
                 "    if (threadIdx.x == 7) x[i] = 10 + i;\n"
                 "    cooperative_groups::this_cluster().sync();\n"
                 "    if (threadIdx.x == 9) y[i] = x[i ^ 1];\n"
                 "}\n",
                 "pair", {"int*", "int*"}, launch);
    auto const x = device.upload(std::vector<int>(8));
    auto const y = device.upload(std::vector<int>(8));
    auto loaded =
        attune::detail::cuda::loaded_code::load(device.driver, attune::device_variant_of(code));
    REQUIRE(loaded.index() == 0);
    auto a = x;
    auto b = y;
    void* values[] = {&a, &b};
    REQUIRE(std::get<0>(loaded).launch(values, nullptr) == 0);
    CHECK(device.download<int>(y, 8) == std::vector<int>{11, 10, 13, 12, 15, 14, 17, 16});
}

TEST_CASE("emulated: a missing barrier shows when threads run in the other order")
{
    auto const shifted = [](char const* barrier, char const* order) {
        attune_test::environment_value const set("ATTUNE_EMULATED_ORDER", order);
        emulated_device device(ATTUNE_EMULATED_CUDA);
        attune::callable const code = compiled("extern \"C\" __global__ void shift(int* x)\n"
                                               "{\n"
                                               "    __shared__ int tile[64];\n"
                                               "    int const i = threadIdx.x;\n"
                                               "    tile[i] = x[i];\n" +
                                                   std::string(barrier) +
                                                   "    x[i] = i == 0 ? 0 : tile[i - 1];\n"
                                                   "}\n",
                                               "shift", {"int*"}, {.block = {64, 1, 1}});
        std::vector<int> values(64);
        std::iota(values.begin(), values.end(), 1);
        auto const x = device.upload(values);
        REQUIRE(device.launch(attune::device_variant_of(code), x) == 0);
        return device.download<int>(x, 64);
    };
    std::vector<int> expected(64);
    std::iota(expected.begin(), expected.end(), 0);
    CHECK(shifted("    __syncthreads();\n", "oldest") == expected);
    CHECK(shifted("    __syncthreads();\n", "newest") == expected);
    CHECK(shifted("", "newest") != expected);
}
