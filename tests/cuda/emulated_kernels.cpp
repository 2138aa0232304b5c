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

} // namespace

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

TEST_CASE("emulated: a barrier waits for those that have not left")
{
    emulated_device device(ATTUNE_EMULATED_CUDA);
    attune::callable const code =
        compiled("extern \"C\" __global__ void count(int* out)\n"
                 "{\n"
                 "    __shared__ int count;\n"
                 "    int const i = threadIdx.x + threadIdx.y * blockDim.x;\n"
                 "    if (i >= 40) return;\n"
                 "    if (i == 0) count = 0;\n"
                 "    __syncthreads();\n"
                 "    if (threadIdx.x < 3) atomicAdd(&count, 1);\n"
                 "    __syncthreads();\n"
                 "    out[i] = count;\n"
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
