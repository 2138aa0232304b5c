// tests/ship/baked/opencl_machine.cpp - launches on an OpenCL device, with a table and images written by hand.
// SPDX-License-Identifier: MIT
#include <attune/ship/baked/opencl_machine.hpp>

#include <attune/compile/opencl.hpp>
#include <attune/opencl/device.hpp>
#include <attune/opencl/library.hpp>
#include <attune/ship/baked.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <doctest/doctest.h>
#include <span>
#include <string>
#include <vector>

#include "../../support/needs_opencl.hpp"

namespace {

using namespace attune::detail;
using signature = void(attune::device_span<float const>, attune::device_span<float>, int, float);
using shape =
    shape_of_call<attune::device_span<float const>, attune::device_span<float>, int, float>;

/// The mark tells which code ran.
constexpr char text[] = R"cl(
kernel void scale(global float const* x, global float* y, int n, float a, local float* pool)
{
    int const i = get_global_id(0);
    pool[get_local_id(0)] = i < n ? x[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n) y[i] = a * pool[get_local_id(0)] + MARK;
}
)cl";
constexpr unsigned char no_binary[] = "no binary of any device";

template <std::size_t Size>
baked_image image(char const (&from)[Size], char const* options)
{
    return {reinterpret_cast<unsigned char const*>(from),
            Size - 1,
            "scale",
            0,
            true,
            "OpenCL C",
            "",
            "",
            options};
}

void geometry(launch_number const* in, launch_number const* at, baked_geometry& out)
{
    using namespace formula;
    out.grid[0] = extent_of(ceil_divide(in[0], at[0]), 0);
    out.block[0] = extent_of(at[0], 0);
    out.shared_bytes = extent_of(multiply(at[0], integer(4)), -1);
}
constexpr launch_number default_numbers[] = {formula::integer(8)};
constexpr launch_number variant_numbers[] = {formula::integer(16)};

void* machine(baked_table const& table, instruction_level most) noexcept
{
    static constinit opencl_machines<signature> all;
    return all.of(table, most);
}

/// The names of the test's device.
struct device_names {
    attune::opencl_target on = attune_test::opencl_here().target();
    std::string name = on.name();
};
device_names& names()
{
    static device_names one;
    return one;
}

/// Verified for multiples of 64 up to 512: mark 1. The default: mark 2.
struct example {
    std::vector<std::uint64_t> properties{};
    std::array<std::int64_t, 6> largest{512, 512, 512, 0, 0, 0};
    std::vector<shape_word> layout = shape::layout();
    static constexpr std::int64_t divisors[] = {8};
    static constexpr baked_node tree[] = {{-1, 0, 0, -1}};
    static constexpr std::size_t inputs[] = {2};
    baked_image defaults[1] = {image(text, "-DMARK=2")};
    baked_image variant = image(text, "-DMARK=1");
    baked_image binary = variant;
    baked_launcher launcher{&geometry, false, defaults, 1, default_numbers};
    baked_build builds[2] = {
        {instruction_level::base, nullptr, baked_proof::record, {}, {}, &binary},
        {instruction_level::base, nullptr, baked_proof::record, {}, {}, &variant}};
    baked_variant variants[1];
    baked_device devices[1]{{names().name.c_str(), "", 0, 0, tree}};
    baked_table table;

    example()
    {
        variant.device = names().name.c_str();
        binary.device = variant.device;
        binary.bytes = no_binary;
        binary.count = sizeof no_binary;
        binary.is_text = false;
        binary.driver = "another";
        std::int64_t const real = real_class(std::bit_cast<std::int64_t>(3.0));
        for (std::int64_t n = 64; n <= 512; n += 64)
            for (std::uint64_t const one :
                 shape_properties(shape::layout(), {8})
                     .of(std::array<std::int64_t, 6>{n, n, n, real, 0, 0}))
                properties.push_back(one);
        std::sort(properties.begin(), properties.end());
        for (baked_build& build : builds) {
            build.proven.first = properties.data();
            build.proven.count = properties.size();
            build.largest.first = largest.data();
            build.largest.count = largest.size();
        }
        variants[0] = {"GROUP=16", builds, divisors, variant_numbers};
        table.kernel = "by_opencl";
        table.configuration = "GROUP=8";
        table.layout.first = layout.data();
        table.layout.count = layout.size();
        table.inputs = inputs;
        table.variants = variants;
        table.devices = devices;
        table.machine = &machine;
        table.launcher = &launcher;
    }
};

example& the_example()
{
    static example one;
    return one;
}

/// A cl_mem of the program, as a release passes it.
template <class T>
attune::device_span<T> handle_of(attune::opencl_array<float> const& of, std::size_t size)
{
    return {reinterpret_cast<T*>(of.buffer()), size};
}

} // namespace

namespace attune::inline ATTUNE_ABI::detail {

template <>
ATTUNE_BAKED_LOCAL baked_table const& baked_table_of<"by_opencl", signature>() noexcept
{
    return the_example().table;
}

} // namespace attune::inline ATTUNE_ABI::detail

namespace {

/// Two buffers, and the mark that the code leaves.
struct buffers {
    attune::opencl_compiler compiler = attune_test::opencl_here();
    std::vector<float> const tens = std::vector<float>(512, 10.0F);
    attune::opencl_array<float> x{compiler.target(), std::span<float const>{tens}};
    attune::opencl_array<float> y{compiler.target(), std::span<float const>{tens}};
    attune::baked<signature> const kernel{attune::baked_kernel<"by_opencl">};

    attune::launch_status launch(void* queue, std::size_t n)
    {
        return kernel.try_launch(queue, handle_of<float const>(x, n), handle_of<float>(y, n),
                                 static_cast<int>(n), 3.0F);
    }
    int mark_of(void* queue, std::size_t n)
    {
        attune::launch_status const said = launch(queue, n);
        REQUIRE_MESSAGE(said, said.why);
        return static_cast<int>(y.to_host()[n - 1]) - 30;
    }
};

} // namespace

TEST_CASE("a call on buffers is a launch of the proven variant, with its group and local memory")
{
    if (!attune_test::has_opencl()) return;
    buffers b;
    void* const queue = b.compiler.queue();
    CHECK(b.mark_of(queue, 128) == 1);
    CHECK(b.mark_of(queue, 128) == 1); // known by now
    CHECK(b.mark_of(queue, 100) == 2); // not verified
    CHECK(b.mark_of(nullptr, 256) == 1);
    auto const known =
        b.kernel.explain(handle_of<float const>(b.x, 128), handle_of<float>(b.y, 128), 128, 3.0F);
    CHECK(known.configuration == "GROUP=16");
    CHECK(known.instructions == "OpenCL C"); // the binary is for another driver
    CHECK(known.proof == "record");
    auto const other =
        b.kernel.explain(handle_of<float const>(b.x, 100), handle_of<float>(b.y, 100), 100, 3.0F);
    CHECK(other.is_default);
    CHECK(other.why == "no shape like this one was verified");
}

TEST_CASE("one buffer for two arrays is another shape than two buffers")
{
    if (!attune_test::has_opencl()) return;
    buffers b;
    auto const same =
        b.kernel.explain(handle_of<float const>(b.y, 128), handle_of<float>(b.y, 128), 128, 3.0F);
    CHECK(same.is_default);
    attune::launch_status const said =
        b.kernel.try_launch(b.compiler.queue(), handle_of<float const>(b.y, 128),
                            handle_of<float>(b.y, 128), 128, 3.0F);
    REQUIRE_MESSAGE(said, said.why);
    CHECK(b.y.to_host()[0] == 32.0F);
}

TEST_CASE("a binary that the driver does not take gives way to the default's text")
{
    if (!attune_test::has_opencl()) return;
    buffers b;
    std::string const driver = names().on.driver_version;
    the_example().binary.driver = driver.c_str();
    CHECK(b.mark_of(b.compiler.queue(), 320) == 2);
    the_example().binary.driver = "another";
}

TEST_CASE("a variant serves on devices alone that it was verified on")
{
    if (!attune_test::has_opencl()) return;
    buffers b;
    the_example().variant.device = "OpenCL another (vendor)";
    CHECK(b.mark_of(b.compiler.queue(), 192) == 2);
    auto const said =
        b.kernel.explain(handle_of<float const>(b.x, 192), handle_of<float>(b.y, 192), 192, 3.0F);
    CHECK(said.why == "the variant was not verified on this device");
    the_example().variant.device = names().name.c_str();
}

TEST_CASE("an OpenCL launch that cannot be is one sentence")
{
    if (!attune_test::has_opencl()) return;
    buffers b;
    attune::launch_status const empty = b.launch(b.compiler.queue(), 0);
    CHECK(empty.why.starts_with("no device launches this: grid 0x1x1, block 8x1x1"));
    attune::launch_status const none = b.kernel.try_launch(nullptr, {}, {}, 64, 3.0F);
    CHECK(none.why == "the call names no queue, and has no array whose context it could use");
    static baked_image const broken = image(text, "-DMARK=missing");
    the_example().launcher.defaults = &broken;
    attune::launch_status const said = b.launch(b.compiler.queue(), 90);
    CHECK(said.error == -11);
    CHECK(said.why.starts_with("clBuildProgram: OpenCL error -11: "));
    the_example().launcher.defaults = the_example().defaults;
}
