// tests/ship/bake/opencl_images.cpp - a kernel is tuned on an OpenCL device, baked, and served by a release without attune.
// SPDX-License-Identifier: MIT
#include <attune/ship/bake/opencl_images.hpp>

#include <attune/attune.hpp>
#include <attune/compile/opencl.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/core/error.hpp>
#include <attune/opencl/device.hpp>
#include <attune/ship/bake.hpp>
#include <attune/ship/bake/bake_plan.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "../../support/needs_opencl.hpp"
#include "../../support/program_data.hpp"
#include "../../support/scratch_directory.hpp"
#include "../../support/source_folder.hpp"
#include "../../support/spirv_fill.hpp"
#include "../../support/texts.hpp"

using attune::detail::baked_kind;
using attune::detail::find_program;
using attune::detail::run_process;
using attune_test::has;

namespace {

constexpr int many = 32'768;
constexpr auto n = attune::input<"N", int>();
constexpr auto group = attune::ordinal<"GROUP">(attune::values(1, 64));

/// The header is in the release's text.
constexpr char const* header_text = "#pragma once\n#define STEP(a, x, y) ((a) * (x) + (y))\n";
constexpr char const* kernel_text = R"cl(
#include <attune/tunable.hpp>
#include "step.h"
#include "step.h"
kernel void saxpy(global float const* x, global float* y, float a, int n)
{
    int const i = get_group_id(0) * ATTUNE_TUNABLE(GROUP, 1) + get_local_id(0);
    if (i < n) y[i] = STEP(a, x[i], y[i]);
}
)cl";

using signature = void(attune::device_span<float const>, attune::device_span<float>, float, int);

/// A release: prints what serves a call, and y[0] afterwards.
constexpr char const* release = R"(#include <attune/ship/baked.hpp>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <vector>
static void* library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
template <class F>
static F* get(char const* name) { return reinterpret_cast<F*>(dlsym(library, name)); }
static attune::baked<void(attune::device_span<float const>, attune::device_span<float>, float, int)>
    saxpy{attune::baked_kernel<"saxpy">};
int main(int, char** arguments)
{
    int const n = std::atoi(arguments[1]);
    void* platforms[8] = {};
    void* device = nullptr;
    unsigned count = 0;
    get<int(unsigned, void**, unsigned*)>("clGetPlatformIDs")(8, platforms, &count);
    get<int(void*, unsigned long, unsigned, void**, unsigned*)>("clGetDeviceIDs")(
        platforms[0], 0xFFFFFFFF, 1, &device, nullptr);
    int error = 0;
    void* const context = get<void*(void*, unsigned, void**, void*, void*, int*)>(
        "clCreateContext")(nullptr, 1, &device, nullptr, nullptr, &error);
    void* const queue = get<void*(void*, void*, unsigned long, int*)>("clCreateCommandQueue")(
        context, device, 0, &error);
    std::vector<float> values(static_cast<std::size_t>(n), 2.0F);
    auto* const make =
        get<void*(void*, unsigned long, std::size_t, void*, int*)>("clCreateBuffer");
    std::size_t const bytes = 4 * values.size();
    auto* const x = static_cast<float*>(make(context, 1 | 32, bytes, values.data(), &error));
    auto* const y = static_cast<float*>(make(context, 1 | 32, bytes, values.data(), &error));
    auto const by = saxpy.explain({x, values.size()}, {y, values.size()}, 2.0F, n);
    std::printf("%s by %s%s\n", std::string(by.configuration).c_str(),
                std::string(by.instructions).c_str(), by.is_default ? ", the default" : "");
    saxpy.on(queue)({x, values.size()}, {y, values.size()}, 2.0F, n);
    get<int(void*, void*, unsigned, std::size_t, std::size_t, void*, unsigned, void*, void*)>(
        "clEnqueueReadBuffer")(queue, y, 1, 0, bytes, values.data(), 0, nullptr, nullptr);
    std::printf("%g %g\n", static_cast<double>(values.front()),
                static_cast<double>(values.back()));
}
)";

/// A tuned kernel, and a folder with its store.
struct tuned_kernel {
    support::scratch_directory folder{};
    std::string winner{};
    std::string device = attune_test::opencl_here().target().name();

    tuned_kernel()
    {
        support::write_file(folder.file("step.h"), header_text);
        support::write_file(folder.file("saxpy.cl"), kernel_text);
        attune::kernel<signature> kernel{"saxpy", attune::source_file(folder.file("saxpy.cl")),
                                         attune::space(group)};
        kernel.bind<3>(n).grid(attune::ceil_div(n, group)).block(group);
        attune::opencl_options options;
        options.flags = {"-cl-mad-enable"};
        attune::opencl_compiler const compiler = attune_test::opencl_here(options);
        std::vector<float> const ones(many, 1.0F);
        attune::opencl_array<float> const x{compiler.target(), std::span<float const>{ones}};
        attune::opencl_array<float> y{compiler.target(), std::span<float const>{ones}};
        attune::tuned f{kernel, compiler, attune::store{folder.file("s.attune")}, support::few(2)};
        f(x.span(), y.span(), 2.0F, many);
        CHECK(y.to_host() == std::vector<float>(many, 3.0F));
        winner = f.report().configuration;
    }

    std::vector<std::string> bake_it() const
    {
        return attune::detail::bake({.store = folder.file("s.attune"),
                                     .kernel_file = folder.file("saxpy.cl"),
                                     .is_opencl = true,
                                     .folder = folder.file("out"),
                                     .stem = "saxpy",
                                     .writes_script = true});
    }
    [[nodiscard]] std::string images() const
    {
        return support::read_file(folder.file("out/saxpy_images.cpp"));
    }
    void build() const
    {
        std::string const include = "-I" + support::source_folder() + "include";
        support::write_file(folder.file("main.cpp"), release);
        auto const made =
            run_process({"env", "CXX=g++",
                         "CXXFLAGS=" + include + " -Wall -Wextra -Werror -fno-exceptions -fno-rtti",
                         "sh", folder.file("out/saxpy.sh")},
                        300);
        REQUIRE_MESSAGE(made.succeeded(), made.output);
        auto const linked =
            run_process({"g++", "-std=c++20", "-fno-exceptions", include, folder.file("main.cpp"),
                         folder.file("out/libsaxpy.a"), "-ldl", "-o", folder.file("main")},
                        300);
        REQUIRE_MESSAGE(linked.succeeded(), linked.output);
    }
    [[nodiscard]] std::string run(int size) const
    {
        return run_process({folder.file("main"), std::to_string(size)}, 120).output;
    }
    /// Replaces a text in the written images, as if they were made elsewhere.
    void replace_in_images(std::string const& what, std::string const& by) const
    {
        std::string text = images();
        REQUIRE(has(text, what));
        for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size())
            text.replace(at, what.size(), by);
        support::write_file(folder.file("out/saxpy_images.cpp"), text);
    }
};

} // namespace

TEST_CASE("a kernel tuned by OpenCL is baked: its binary here, its text for another driver")
{
    if (!attune_test::has_opencl()) return;
    if (find_program("g++").empty() || find_program("sh").empty()) return;
    tuned_kernel const subject;
    REQUIRE(subject.winner == "GROUP=64");
    CHECK(subject.bake_it().empty());
    std::string const driver = attune_test::opencl_here().target().driver_version;
    CHECK(has(subject.images(), "\"binary for driver " + driver + "\", \"" + subject.device +
                                    "\", \"" + driver + "\", \"-cl-mad-enable\"}"));
    CHECK(has(subject.images(), "\"OpenCL C\", \"\", \"\", \"-cl-mad-enable\"}"));
    subject.build();
    CHECK(subject.run(many) == "GROUP=64 by binary for driver " + driver + "\n6 6\n");
    CHECK(subject.run(1000) == "GROUP=1 by binary for driver " + driver + ", the default\n6 6\n");
    subject.replace_in_images(", \"" + driver + "\", ", ", \"another\", ");
    subject.build();
    CHECK(subject.run(many) == "GROUP=64 by OpenCL C\n6 6\n");
    subject.replace_in_images("\"" + subject.device + "\"", "\"OpenCL another (vendor)\"");
    subject.build();
    CHECK(subject.run(many) == "GROUP=1 by OpenCL C, the default\n6 6\n");
}

TEST_CASE("a store with winners of OpenCL devices is baked for them alone")
{
    if (!attune_test::has_opencl()) return;
    tuned_kernel const subject;
    auto const refused = [&](attune::detail::bake_request request) {
        request.store = subject.folder.file("s.attune");
        request.kernel_file = subject.folder.file("saxpy.cl");
        request.folder = subject.folder.file("no");
        request.stem = "saxpy";
        std::string const said =
            attune_test::error_of([&] { static_cast<void>(attune::detail::bake(request)); });
        CHECK_FALSE(std::filesystem::exists(request.folder));
        return said;
    };
    CHECK(has(refused({}), "bake them for OpenCL: attune_bake(... OPENCL)"));
    CHECK(has(refused({.architectures = {90}}), "the store has no winner on a device"));
    CHECK(has(refused({.architectures = {90}, .is_opencl = true}), "leave out SM and UNVERIFIED"));
}

TEST_CASE("where there is no such device, the release has the text alone, with what it includes")
{
    support::scratch_directory const folder;
    support::write_file(folder.file("step.h"), header_text);
    attune::detail::bake_plan plan;
    plan.kernel = "saxpy";
    plan.source = attune::source_text(kernel_text, folder.file("saxpy.cl"));
    plan.kind = baked_kind::opencl;
    plan.compilers = {"opencl OpenCL 2.0, gfx906, driver 3581.0 (HSA1.1,LC) -cl-std=CL2.0"};
    plan.devices.push_back({.name = "OpenCL gfx906 (AMD)"});
    plan.default_code.macros = {{"GROUP", "1"}};
    plan.variants.push_back({.configuration = {{"GROUP", "64"}}});
    plan.variants[0].code.macros = {{"GROUP", "64"}};
    plan.variants[0].code.flags = {"-cl-opt-disable"};
    plan.variants[0].builds.push_back({.level = "OpenCL gfx906 (AMD)"});
    attune::detail::add_opencl_images(plan);
    REQUIRE(plan.default_images.size() == 1);
    CHECK(plan.default_images[0].options == "-cl-std=CL2.0");
    CHECK(plan.default_images[0].device.empty());
    REQUIRE(plan.variants[0].builds.size() == 1);
    attune::detail::planned_image const& made = plan.variants[0].builds[0].image;
    CHECK(made.options == "-cl-std=CL2.0 -cl-opt-disable");
    CHECK(made.device == "OpenCL gfx906 (AMD)");
    CHECK(has(made.bytes, "#define ATTUNE_VALUE_GROUP 64\n"));
    std::size_t const step = made.bytes.find("#define STEP");
    REQUIRE(step != made.bytes.npos);
    CHECK(made.bytes.find("#define STEP", step + 1) == made.bytes.npos); // once
    CHECK(has(made.bytes, "#line 1 \"step.h\"\n\n#define STEP"));
    CHECK(has(made.bytes, "#line 4 \"saxpy.cl\"\n"));
    CHECK_FALSE(has(made.bytes, folder.path()));
    REQUIRE(plan.notices.size() == 1);
    CHECK(has(plan.notices[0], "this machine has none of the tuned devices"));
    CHECK(attune::detail::opencl_flags_of_identity("opencl OpenCL 3.0, a, driver 1").empty());
    plan.source.text = attune_test::spirv_fill();
    CHECK(has(attune_test::error_of([&] { attune::detail::add_opencl_images(plan); }),
              "a kernel in SPIR-V is not baked"));
}
