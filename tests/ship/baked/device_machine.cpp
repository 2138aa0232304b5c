// tests/ship/baked/device_machine.cpp - what the driver is asked for, with a table and images written by hand.
// SPDX-License-Identifier: MIT
#include <attune/ship/baked/device_machine.hpp>

#include <attune/ship/baked.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <string>
#include <type_traits>
#include <vector>

#include "../../support/set_variable.hpp"

namespace {

using namespace attune::detail;
using signature = void(attune::device_span<float>, int, double);
using shape = shape_of_call<attune::device_span<float>, int, double>;
using attune_test::set_variable;

/// An image of an architecture, as a driver of CUDA 13 reads it.
template <unsigned char Architecture>
struct image {
    static constexpr unsigned char bytes[64] = {
        0x7f, 'E', 'L', 'F', 2, 1, 1, 0x41, 8, 0, 0, 0, 0, 0, 0, 0,           2,
        0,    190, 0,   1,   0, 0, 0, 0,    0, 0, 0, 0, 0, 0, 0, 0,           0,
        0,    0,   0,   0,   0, 0, 0, 0,    0, 0, 0, 0, 0, 0, 2, Architecture};
    static constexpr baked_image cubin(char const* entry, char const* name)
    {
        return {bytes, sizeof bytes, entry, Architecture, false, name};
    }
};
constexpr unsigned char ptx_text[] = ".version 9.0";

constexpr baked_image small_80 = image<80>::cubin("small", "sm_80");
constexpr baked_image small_90 = image<90>::cubin("small", "sm_90");
constexpr baked_image large_90 = image<90>::cubin("large", "sm_90");
constexpr baked_image defaults[] = {image<90>::cubin("plain", "sm_90"),
                                    image<80>::cubin("plain", "sm_80"),
                                    {ptx_text, 12, "plain", 80, true, "PTX sm_80"}};

void geometry(launch_number const* in, launch_number const* at, baked_geometry& out)
{
    using namespace formula;
    out.grid[0] = extent_of(ceil_divide(in[0], at[0]), 0);
    out.block[0] = extent_of(at[0], 0);
    out.cluster[0] = extent_of(at[1], 0);
    out.shared_bytes = extent_of(multiply(at[0], integer(512)), -1);
}
constexpr launch_number default_numbers[] = {formula::integer(64), formula::integer(1)};
constexpr launch_number small_numbers[] = {formula::integer(32), formula::integer(1)};
constexpr launch_number large_numbers[] = {formula::integer(128), formula::integer(2)};
constexpr baked_launcher launcher{&geometry, false, defaults, 3, default_numbers};

void* machine(baked_table const& table, instruction_level most) noexcept
{
    static constinit device_machines<signature> all;
    return all.of(table, most);
}

/// Verified for multiples of 64 up to 512.
struct example {
    std::vector<std::uint64_t> properties{};
    std::array<std::int64_t, 4> largest{512, 512, 0, 0};
    std::vector<shape_word> layout = shape::layout();
    static constexpr std::int64_t divisors[] = {8};
    static constexpr baked_node tree[] = {{0, 100.0, 1, 2}, {-1, 0, 0, -1}, {-1, 0, 1, -1}};
    static constexpr baked_node only_large[] = {{-1, 0, 1, -1}};
    static constexpr std::size_t inputs[] = {1};
    baked_build small_builds[2] = {
        {instruction_level::base, nullptr, baked_proof::record, {}, {}, &small_90},
        {instruction_level::base, nullptr, baked_proof::record, {}, {}, &small_80}};
    baked_build large_builds[1] = {
        {instruction_level::base, nullptr, baked_proof::record, {}, {}, &large_90}};
    baked_variant variants[2];
    baked_device devices[2]{{"Scripted 0 (sm_90)", "NVIDIA", 0, 0, tree, 90, false},
                            {"sm_100", "NVIDIA", 0, 0, only_large, 100, true}};
    baked_table table;

    example()
    {
        std::int64_t const other = attune::detail::real_class(std::bit_cast<std::int64_t>(2.5));
        for (std::int64_t n = 64; n <= 512; n += 64)
            for (std::uint64_t const one : shape_properties(shape::layout(), {8})
                                               .of(std::array<std::int64_t, 4>{n, n, other, 0}))
                properties.push_back(one);
        std::sort(properties.begin(), properties.end());
        for (baked_build* const build : {&small_builds[0], &small_builds[1], &large_builds[0]}) {
            build->proven.first = properties.data();
            build->proven.count = properties.size();
            build->largest.first = largest.data();
            build->largest.count = largest.size();
        }
        variants[0] = {"BLOCK=32", small_builds, divisors, small_numbers};
        variants[1] = {"BLOCK=128", large_builds, divisors, large_numbers};
        table.kernel = "on_device";
        table.configuration = "BLOCK=64";
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

/// The scripted libcuda, which is opened before the library does so.
struct scripted {
    void* library = ::dlopen(ATTUNE_SCRIPTED_DRIVER, RTLD_NOW | RTLD_LOCAL);
    set_variable arguments{"ATTUNE_TEST_CU_ARGUMENTS", "848"};

    scripted() { REQUIRE(library != nullptr); }

    template <class Function>
    Function* find(char const* name) const
    {
        return reinterpret_cast<Function*>(::dlsym(library, name));
    }
    std::string said() const { return find<char const*()>("attune_test_cu_said")(); }
    void use(int device) const
    {
        void* context = nullptr;
        if (device >= 0) find<int(void**, int)>("cuDevicePrimaryCtxRetain")(&context, device);
        find<int(void*)>("cuCtxSetCurrent")(context);
    }
};

attune::device_span<float> array(int n)
{
    return {reinterpret_cast<float*>(std::uintptr_t{0x10000}), static_cast<std::size_t>(n)};
}

/// All lines but the last.
std::string without_launch(std::string const& said) { return said.substr(0, said.find("launch")); }

} // namespace

namespace attune::inline ATTUNE_ABI::detail {

template <>
ATTUNE_BAKED_LOCAL baked_table const& baked_table_of<"on_device", signature>() noexcept
{
    return the_example().table;
}

} // namespace attune::inline ATTUNE_ABI::detail

TEST_CASE("a call is a launch of the variant that its inputs choose, with its geometry")
{
    scripted const driver;
    driver.use(0);
    attune::baked<signature> const subject{attune::baked_kernel<"on_device">};
    static_cast<void>(driver.said());
    subject(array(64), 64, 2.5);
    CHECK(driver.said() == "load sm_90\nlaunch small grid 2x1x1 block 32x1x1 shared 16384 stream 0 "
                           "context 0 arguments 0000000000010000,00000040,4004000000000000\n");
    int stream = 0;
    subject.on (&stream)(array(64), 64, 2.5); // known by now
    std::string const again = driver.said();
    CHECK(again.starts_with("launch small "));
    CHECK(again.find("stream " + std::to_string(reinterpret_cast<std::size_t>(&stream))) !=
          std::string::npos);
    subject(array(256), 256, 2.5);
    CHECK(driver.said().starts_with("load sm_90\nattribute 8 = 231424\nlaunch large grid 2x1x1 "
                                    "block 128x1x1 cluster 2x1x1 shared 65536 "));
    subject(array(512), 512, 2.5);
    CHECK(driver.said().starts_with("launch large grid 4x1x1 ")); // the attribute stays
    subject(array(100), 100, 2.5);                                // not verified: the default
    CHECK(driver.said().starts_with("load sm_90\nlaunch plain grid 2x1x1 block 64x1x1 "));
    auto const known = subject.explain(array(256), 256, 2.5);
    CHECK(known.configuration == "BLOCK=128");
    CHECK(known.instructions == "sm_90");
    CHECK(known.proof == "record");
    CHECK_FALSE(known.is_default);
    CHECK_FALSE(known.is_predicted);
    auto const unknown = subject.explain(array(100), 100, 2.5);
    CHECK(unknown.is_default);
    CHECK(unknown.configuration == "BLOCK=64");
    CHECK(unknown.why == "no shape like this one was verified");
}

TEST_CASE(
    "the code is that of the device's architecture, or the next one below of its major version")
{
    scripted const driver;
    attune::baked<signature> const subject{attune::baked_kernel<"on_device">};
    auto const served = [&](char const* sm, int n) {
        set_variable const capability("ATTUNE_TEST_CU_SM", sm);
        // A context of its own for each, as the driver's are.
        static std::array<char, 64> contexts;
        static std::size_t next = 0;
        driver.find<int(void*)>("cuCtxSetCurrent")(&contexts[next++]);
        static_cast<void>(driver.said());
        attune::launch_status const status = subject.try_launch(nullptr, array(n), n, 2.5);
        std::string const said = driver.said();
        if (!status) return "not launched: " + status.why;
        std::size_t const launch = said.find("launch ");
        return said.substr(0, said.find(" grid", launch)) + "; " +
               std::string(subject.explain(array(n), n, 2.5).instructions);
    };
    CHECK(served("90", 64) == "load sm_90\nlaunch small; sm_90");
    CHECK(served("86", 64) == "load sm_80\nlaunch small; sm_80");
    CHECK(served("86", 256) == "load sm_80\nlaunch plain; sm_80"); // the variant is for sm_90 alone
    CHECK(served("100", 64) == "load .version 9.0\nlaunch plain; PTX sm_80");
    CHECK(served("75", 64) == "not launched: the program has no code for this device, Scripted 0 "
                              "(sm_75); it was built for sm_90, sm_80, PTX sm_80");
    driver.use(-1);
}

TEST_CASE("a context of the caller is used, each has its code; without one the primary of device 0")
{
    scripted const driver;
    attune::baked<signature> const subject{attune::baked_kernel<"on_device">};
    driver.use(1);
    static_cast<void>(driver.said());
    subject(array(64), 64, 2.5);
    std::string const other = driver.said();
    CHECK(without_launch(other) == "load sm_90\n");
    CHECK(other.find(" context 1 ") != std::string::npos);
    driver.use(-1);
    subject(array(64), 64, 2.5);
    CHECK(driver.said().find(" context 0 ") != std::string::npos);
    void* current = nullptr;
    driver.find<int(void**)>("cuCtxGetCurrent")(&current);
    CHECK(current == nullptr);
    subject(array(64), 64, 2.5);
    CHECK(without_launch(driver.said()).empty());
}

TEST_CASE("what cannot be launched is one sentence")
{
    scripted const driver;
    driver.use(0);
    attune::baked<signature> const subject{attune::baked_kernel<"on_device">};
    attune::launch_status const empty = subject.try_launch(nullptr, array(0), 0, 2.5);
    CHECK_FALSE(static_cast<bool>(empty));
    CHECK(empty.why.starts_with("no device launches this: grid 0x1x1, block 64x1x1"));
    set_variable const failing("ATTUNE_TEST_CU_LAUNCH", "700");
    attune::launch_status const lost = subject.try_launch(nullptr, array(64), 64, 2.5);
    CHECK(lost.error == 700);
    CHECK(lost.why == "cuLaunchKernel, grid 2x1x1, block 32x1x1, 16384 bytes shared: "
                      "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered");
    driver.use(-1);
}

TEST_CASE("a prediction says so, and serves where it is proven")
{
    scripted const driver;
    set_variable const capability("ATTUNE_TEST_CU_SM", "100");
    driver.use(0);
    attune::baked<signature> const subject{attune::baked_kernel<"on_device">};
    auto const without_code = subject.explain(array(256), 256, 2.5);
    CHECK(without_code.is_default);
    CHECK(without_code.why == "the variant needs instructions that this processor does not have");
    static constexpr baked_image large_100 = image<100>::cubin("large", "sm_100");
    baked_image const* const before = the_example().large_builds[0].image;
    the_example().large_builds[0].image = &large_100;
    auto const proven = subject.explain(array(256), 256, 2.5);
    CHECK(proven.is_predicted);
    CHECK(proven.configuration == "BLOCK=128");
    CHECK(proven.proof == "record");
    CHECK(subject.explain(array(100), 100, 2.5).is_default);
    the_example().large_builds[0].proof = baked_proof::prediction;
    auto const unverified = subject.explain(array(100), 100, 2.5);
    CHECK(unverified.is_predicted);
    CHECK(unverified.proof == "prediction");
    the_example().large_builds[0].proof = baked_proof::record;
    the_example().large_builds[0].image = before;
    driver.use(-1);
}
