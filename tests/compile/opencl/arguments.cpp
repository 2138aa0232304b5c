// tests/compile/opencl/arguments.cpp - of compile/opencl/builder.hpp: arguments.
// SPDX-License-Identifier: MIT
#include <attune/compile/opencl/builder.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <vector>

#include "../../support/texts.hpp"

using namespace attune::detail;
using attune::detail::opencl::argument_kind;
using attune_test::has;

TEST_CASE("types of the program have names in OpenCL C")
{
    CHECK(opencl_type("std::span<float const>") == "float*");
    CHECK(opencl_type("attune::device_span<double>") == "double*");
    CHECK(opencl_type("unsigned char const*") == "uchar*");
    CHECK(opencl_type("std::span<std::byte>") == "uchar*");
    CHECK(opencl_type("const int") == "int");
    CHECK(opencl_type("unsigned long") == "ulong");
    CHECK(opencl_type("unsigned long long*") == "ulong*");
    CHECK(opencl_type("long") == "long");
    CHECK(opencl_type("std::complex<float>") == "float2");
    CHECK(opencl_type("real") == "real");
}

TEST_CASE("sizes are those of the specification, and unknown types have none")
{
    CHECK(bytes_of_opencl_type("uchar") == 1U);
    CHECK(bytes_of_opencl_type("half") == 2U);
    CHECK(bytes_of_opencl_type("int") == 4U);
    CHECK(bytes_of_opencl_type("ulong") == 8U);
    CHECK(bytes_of_opencl_type("float3") == 16U);
    CHECK(bytes_of_opencl_type("double16") == 128U);
    CHECK(!bytes_of_opencl_type("float5"));
    CHECK(!bytes_of_opencl_type("real"));
    CHECK(!bytes_of_opencl_type("float*"));
}

TEST_CASE("a file's typedef is accepted, another kind of argument is not")
{
    attune::compile_request v;
    v.function = "f";
    v.arguments = {"std::span<float>", "int"};
    auto const objection = [&](std::vector<defined_argument> const& defined) {
        std::string out;
        static_cast<void>(forms_of(v, defined, out));
        return out;
    };
    defined_argument const array{argument_kind::array, "float*"};
    defined_argument const alias{argument_kind::array, "real*"};
    defined_argument const number{argument_kind::value, "int"};
    defined_argument const local{argument_kind::local, "float*"};
    CHECK(objection({array, number}).empty());
    CHECK(objection({alias, number}).empty());
    CHECK(objection({array, number, local}).empty());
    CHECK(objection({{argument_kind::array, "float4*"}, number}).empty());
    CHECK(objection({{argument_kind::array, "float16*"}, number}).empty());
    CHECK(has(objection({{argument_kind::array, "double2*"}, number}), "global double2*"));
    CHECK(has(objection({{argument_kind::array, "int4*"}, number}), "global int4*"));
    CHECK(has(objection({array, {argument_kind::value, "int2"}}), "int2"));
    CHECK(has(objection({number, array}), "void(int, global float*)"));
    CHECK(has(objection({array}), "void(global float*)"));
    CHECK(has(objection({array, number, number}), "but the kernel file defines it"));
    CHECK(has(objection({local, number}), "local float*"));
    CHECK(has(objection({{argument_kind::picture, "image2d_t"}, number}),
              "defines argument 0 as a read-only image; declare it in the program with "
              "attune::device_span<std::byte const>, not as std::span<float>"));
    CHECK(has(objection({{argument_kind::array, "image2d_t"}, number}),
              "defines argument 0 as a image2d_t, which attune does not pass"));
    std::string none;
    CHECK(has(attune::detail::local_memory_objection(forms_of(v, {array, number, local}, none), v),
              "launched without local memory: declare kernel.shared_bytes(bytes)"));
    v.launch.shared_bytes = 8;
    CHECK(has(attune::detail::local_memory_objection(forms_of(v, {array, number}, none), v),
              "8 bytes of local memory"));
    CHECK(attune::detail::local_memory_objection(forms_of(v, {array, number, local}, none), v)
              .empty());
    v.arguments = {"attune::device_span<std::byte const>", "int"};
    CHECK(has(objection({{argument_kind::picture, "image2d_t"}, number}),
              "takes an image and less than two integers"));
    v.arguments.push_back("unsigned");
    CHECK(objection({{argument_kind::picture, "image2d_t"}, number, {argument_kind::value, "uint"}})
              .empty());
    v.arguments.resize(2);
    for (auto const& [program, file] : {std::pair{"std::span<std::byte>", "uchar16*"},
                                        {"std::span<signed char>", "char8*"},
                                        {"std::span<unsigned>", "uint2*"},
                                        {"std::span<unsigned long>", "ulong4*"},
                                        {"std::span<std::complex<float> const>", "float*"},
                                        {"std::span<std::complex<double>>", "double4*"}}) {
        v.arguments[0] = program;
        CHECK(objection({{argument_kind::array, file}, number}).empty());
    }
    v.arguments[0] = "std::span<unsigned>";
    CHECK(has(objection({{argument_kind::array, "int2*"}, number}), "global int2*"));
    v.arguments = {"std::span<float>", "int"};
    v.arguments[1] = "my_struct";
    CHECK(has(objection({array, {argument_kind::value, "my_struct"}}), "size on the device"));
}

TEST_CASE("each limit of a launch has a sentence")
{
    attune::device_limits device;
    device.threads_per_block = 64;
    device.block = {64, 32, 4};
    device.shared_bytes_opt_in = 1000;
    attune::code_resources code;
    attune::launch_geometry launch;
    auto const said = [&] { return opencl_launch_objection(device, code, launch); };
    CHECK(said().empty());
    launch.block = {64, 2, 1};
    CHECK(has(said(), "64x2x1, the device allows 64 work-items"));
    launch.block = {1, 33, 1};
    CHECK(has(said(), "the device allows 64x32x4"));
    launch.block = {0, 1, 1};
    CHECK(has(said(), "no launch has this geometry"));
    launch.block = {32, 1, 1};
    code.most_threads = 16;
    CHECK(has(said(), "this kernel allows 16 work-items"));
    code.most_threads = 0;
    code.static_shared_bytes = 600;
    launch.shared_bytes = 400;
    CHECK(said().empty());
    launch.shared_bytes = 401;
    CHECK(has(said(), "600 + 401 bytes of local memory"));
    launch.shared_bytes = INT64_MAX;
    CHECK(!said().empty());
}

TEST_CASE("the text has the values first, and the kernel's own line numbers")
{
    attune::compile_request v;
    v.macros = {{"TILE", "4"}};
    attune::kernel_source const kernel{"#include <attune/tunable.hpp>\nkernel void f() {}\n",
                                       "a \"b\".cl"};
    std::string const text = opencl_text(kernel, v);
    CHECK(has(text, "#define TILE 4\n"));
    CHECK(has(text, "#define ATTUNE_VALUE_TILE 4\n"));
    CHECK(has(text, "#line 1 \"a \\\"b\\\".cl\"\n\nkernel void f() {}\n"));
    CHECK(!has(text, "tunable.hpp"));
}
