// The emulated device computes what CUDA C++ says: blocks, barriers, lanes, shared memory.
#include <attune/core/launch.hpp>

#include <doctest/doctest.h>
#include <numeric>
#include <string>
#include <variant>
#include <vector>

#include "../support/emulated_acts.hpp"

namespace {

using attune_test::compiled;
using attune_test::compiler;
using attune_test::emulated_device;

std::vector<float> counted(std::size_t n)
{
    std::vector<float> out(n);
    std::iota(out.begin(), out.end(), 1.0f);
    return out;
}

} // namespace

TEST_CASE("emulated: a grid that is larger than the array adds two vectors")
{
    emulated_device device(ATTUNE_EMULATED_CUDA);
    attune::callable const code = compiled(
        "#include <attune/tunable.hpp>\n"
        "extern \"C\" __global__ void add(float const* __restrict__ x, float* y, float a, int n)\n"
        "{\n"
        "    constexpr int vec = ATTUNE_TUNABLE(VEC, 1);\n"
        "    int const first = (blockIdx.x * blockDim.x + threadIdx.x) * vec;\n"
        "    for (int i = first; i < first + vec; ++i)\n"
        "        if (i < n) y[i] = __fmaf_rn(a, x[i], y[i]);\n"
        "}\n",
        "add", {"attune::device_span<float const>", "attune::device_span<float>", "float", "int"},
        {.grid = {4, 1, 1}, .block = {64, 1, 1}}, {{"VEC", "4"}});
    auto const x = device.upload(counted(1000));
    auto const y = device.upload(std::vector<float>(1000, 1.0f));
    REQUIRE(device.launch(attune::device_variant_of(code), x, y, 2.0f, 1000) == 0);
    auto const got = device.download<float>(y, 1000);
    for (std::size_t i = 0; i < got.size(); ++i)
        CHECK(got[i] == 2.0f * static_cast<float>(i + 1) + 1.0f);
    CHECK(device.launches() == 1);
}

TEST_CASE("emulated: a block reduces through static shared memory, barriers and shuffles")
{
    emulated_device device(ATTUNE_EMULATED_CUDA);
    attune::callable const code =
        compiled("template <int Threads>\n"
                 "__global__ void __launch_bounds__(Threads) sum(float const* x, float* out)\n"
                 "{\n"
                 "    __shared__ float warps[Threads / 32];\n"
                 "    float v = x[blockIdx.x * Threads + threadIdx.x];\n"
                 "    for (int step = 16; step > 0; step /= 2)\n"
                 "        v += __shfl_down_sync(0xffffffffu, v, step);\n"
                 "    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = v;\n"
                 "    __syncthreads();\n"
                 "    if (threadIdx.x == 0) {\n"
                 "        for (int w = 1; w < Threads / 32; ++w) v += warps[w];\n"
                 "        atomicAdd(out, v);\n"
                 "    }\n"
                 "}\n",
                 "sum<128>", {"float const*", "float*"}, {.grid = {8, 1, 1}, .block = {128, 1, 1}});
    CHECK(attune::device_variant_of(code).code.resources.static_shared_bytes == 16);
    auto const x = device.upload(counted(1024));
    auto const out = device.upload(std::vector<float>{0.0f});
    REQUIRE(device.launch(attune::device_variant_of(code), x, out) == 0);
    CHECK(device.download<float>(out, 1)[0] == 1024.0f * 1025.0f / 2);
}

TEST_CASE("emulated: dynamic shared memory is the block's own, and its end is watched")
{
    emulated_device device(ATTUNE_EMULATED_CUDA);
    std::string const text = "extern \"C\" __global__ void reverse(int* x)\n"
                             "{\n"
                             "    extern __shared__ int tile[];\n"
                             "    tile[threadIdx.x] = x[threadIdx.x];\n"
                             "    __syncthreads();\n"
                             "    x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];\n"
                             "}\n";
    std::vector<int> values(256);
    std::iota(values.begin(), values.end(), 0);
    auto const x = device.upload(values);
    attune::launch_geometry launch{.block = {256, 1, 1}, .shared_bytes = 1024};
    attune::callable const code = compiled(text, "reverse", {"int*"}, launch);
    REQUIRE(device.launch(attune::device_variant_of(code), x) == 0);
    std::vector<int> const expected(values.rbegin(), values.rend());
    CHECK(device.download<int>(x, 256) == expected);

    launch.shared_bytes = 1008;
    attune::callable const too_little = compiled(text, "reverse", {"int*"}, launch);
    CHECK(device.launch(attune::device_variant_of(too_little), x) == 0);
    CHECK(device.driver->context_synchronize() == attune::detail::cuda::illegal_address);
}

TEST_CASE("emulated: shared memory holds no numbers before the block writes some")
{
    emulated_device device(ATTUNE_EMULATED_CUDA);
    attune::callable const code = compiled("extern \"C\" __global__ void peek(float* out)\n"
                                           "{\n"
                                           "    __shared__ float tile[4];\n"
                                           "    out[blockIdx.x] = tile[1];\n"
                                           "    tile[1] = 5.0f;\n"
                                           "}\n",
                                           "peek", {"float*"}, {.grid = {2, 1, 1}});
    auto const out = device.upload(std::vector<float>(2));
    REQUIRE(device.launch(attune::device_variant_of(code), out) == 0);
    for (float const v : device.download<float>(out, 2))
        CHECK(v != v);
}

TEST_CASE("emulated: a barrier waits for those that have not left, and counts")
{
    emulated_device device(ATTUNE_EMULATED_CUDA);
    attune::callable const code =
        compiled("extern \"C\" __global__ void count(int* out)\n"
                 "{\n"
                 "    if (threadIdx.x + threadIdx.y * blockDim.x >= 40) return;\n"
                 "    out[threadIdx.x + 8 * threadIdx.y] = __syncthreads_count(threadIdx.x < 3);\n"
                 "}\n",
                 "count", {"int*"}, {.block = {8, 8, 1}});
    auto const out = device.upload(std::vector<int>(64, -1));
    REQUIRE(device.launch(attune::device_variant_of(code), out) == 0);
    auto const got = device.download<int>(out, 64);
    for (std::size_t i = 0; i < 64; ++i)
        CHECK(got[i] == (i < 40 ? 15 : -1));
}

TEST_CASE("emulated: compile errors name the kernel's line, wrong signatures both types")
{
    attune::compile_request const v{"f", "void", {"float*"}, {}};
    auto const said = [&](std::string const& text) {
        auto const result = compiler().compile(attune::source_text(text, "bad.kernel.cu"), v);
        auto const* const f = std::get_if<attune::failure>(&result);
        return f == nullptr ? std::string("compiled") : f->reason;
    };
    CHECK(said("extern \"C\" __global__ void f(float* x)\n{ x[0] = y; }\n")
              .starts_with("bad.kernel.cu:2:"));
    CHECK(said("extern \"C\" __global__ void f(int* x) {}\n").find("void(float*)") !=
          std::string::npos);
    CHECK(said("extern \"C\" __global__ void g(float* x) {}\n").find("not defined") !=
          std::string::npos);
    CHECK(said("extern \"C\" __global__ void f(float* x)\n"
               "{ __shared__ float big[20000]; big[0] = 1; __syncthreads(); x[0] = big[0]; }\n")
              .find("too much shared data") != std::string::npos);
    CHECK(said("extern \"C\" __global__ void f(float* x) {}\n") == "compiled");
}
