// tests/compile/nvrtc_environment.cpp - nvrtc_compiler with and without library, driver and device.
// SPDX-License-Identifier: MIT
#include <attune/compile/nvrtc.hpp>
#include <attune/compile/source/signature.hpp>
#include <attune/core/error.hpp>

#include <string>

#include "../support/emulated_device.hpp"
#include "../support/needs_nvrtc.hpp"

using attune_test::contains;
using attune_test::environment_value;
using attune_test::has_nvrtc;
using attune_test::without_device;

namespace {

std::string thrown_by(attune::nvrtc_options const& options)
{
    try {
        (void)attune::nvrtc_compiler(options).identity();
    } catch (attune::error const& thrown) {
        return thrown.what();
    }
    return "nothing";
}

} // namespace

TEST_CASE("a construction asks for nothing; the first use says what is missing")
{
    attune::nvrtc_options options = without_device();
    options.library = "/nowhere/libnvrtc.so";
    attune::nvrtc_compiler const compiler(options);
    CHECK(contains(thrown_by(options), "NVIDIA's runtime compiler '/nowhere/libnvrtc.so'"));
    // The same sentence every time, from every member.
    for (int i = 0; i < 2; ++i) {
        CHECK_THROWS_AS((void)compiler.identity(), attune::error);
        CHECK_FALSE(compiler.target().can_run()); // needs no NVRTC
        CHECK_THROWS_AS((void)compiler.notice(), attune::error);
        CHECK_THROWS_AS((void)compiler.compile({}, {}), attune::error);
    }
    options.library.clear();
    options.architecture = 0;
    CHECK(contains(thrown_by(options), "no driver in this test"));
}

TEST_CASE("what is missing is one line, before anything is compiled, and throws nothing")
{
    auto const missing = [](attune::nvrtc_options const& options) {
        std::string const said = attune::nvrtc_compiler(options).missing();
        CHECK_FALSE(contains(said, "\n"));
        CHECK_FALSE(contains(said, "attune: "));
        return said;
    };
    attune::nvrtc_options options = without_device();
    options.library = "/nowhere/libnvrtc.so";
    CHECK(contains(missing(options), "'/nowhere/libnvrtc.so' cannot be used; give the path"));
    options.library.clear();
    options.architecture = 0;
    CHECK(contains(missing(options), "driver"));
    if (!has_nvrtc()) return;
    attune::nvrtc_compiler const compiles_only(without_device());
    CHECK(missing(without_device()) == compiles_only.target().why_no_device);
    CHECK_FALSE(missing(without_device()).empty());
}

TEST_CASE("with a device and NVRTC nothing is missing, and the code is for the device")
{
    for (int const architecture : {75, 80, 90}) {
        if (!has_nvrtc(architecture)) continue;
        environment_value const capability("ATTUNE_EMULATED_CAPABILITY",
                                           std::to_string(architecture));
        attune_test::emulated_device const machine(ATTUNE_EMULATED_CUDA);
        attune::nvrtc_options options = without_device(0);
        options.driver = ATTUNE_EMULATED_CUDA;
        attune::nvrtc_compiler const compiler(options);
        CHECK(compiler.missing() == "");
        bool const parses_once = attune_test::nvrtc_here().first->has_precompiled_headers();
        CHECK(compiler.notice().empty() == parses_once);
        CHECK(compiler.target().can_run());
        attune::callable const code = attune_test::device_callable(compiler.compile(
            attune::source_text("extern \"C\" __global__ void k(float* x) {}\n", "k.cu"),
            attune::variant_of<void(float*)>("k")));
        CHECK(attune::device_variant_of(code).code.architecture == architecture);
        options.architecture = architecture == 90 ? 80 : 90;
        if (!has_nvrtc(options.architecture)) continue;
        attune::nvrtc_compiler const other(options);
        CHECK(contains(other.missing(), "is sm_" + std::to_string(architecture)));
        CHECK(contains(other.identity(), "sm_" + std::to_string(options.architecture)));
    }
}

TEST_CASE("a driver that is older than the toolkit is an error that names both")
{
    if (!has_nvrtc()) return;
    int const major = attune_test::nvrtc_here().first->major;
    auto const use_with = [&](int version) {
        environment_value const served("ATTUNE_EMULATED_VERSION", std::to_string(version));
        attune_test::emulated_device const machine(ATTUNE_EMULATED_CUDA);
        attune::nvrtc_options options = without_device(0);
        options.driver = ATTUNE_EMULATED_CUDA;
        options.library = attune_test::nvrtc_here().first->path;
        return thrown_by(options);
    };
    std::string const said = use_with((major - 1) * 1000 + 80);
    CHECK(contains(said, "the driver is older than the CUDA toolkit"));
    CHECK(contains(said, "it serves CUDA " + std::to_string(major - 1)));
    CHECK(use_with(major * 1000) == "nothing"); // any driver of the same major version will do
    CHECK(use_with((major + 1) * 1000) == "nothing");
}

TEST_CASE("an architecture that NVRTC does not know is an error that lists those it knows")
{
    if (!has_nvrtc(90)) return;
    auto const& library = *attune_test::nvrtc_here().first;
    for (int const architecture : {50, 70, 75, 103, 121}) {
        if (library.makes_code_for(architecture)) continue;
        std::string const said = thrown_by(without_device(architecture));
        if (contains(said, "architecture " + std::to_string(architecture)))
            continue; // unknown here
        CHECK(contains(said, "NVRTC " + library.version() + " makes no code for sm_" +
                                 std::to_string(architecture)));
        CHECK(contains(said, "sm_90"));
        CHECK(contains(said, library.path));
    }
}
