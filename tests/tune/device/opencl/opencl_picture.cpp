// tests/tune/device/opencl/opencl_picture.cpp - of tune/device/opencl/opencl_device.hpp: 2-D images as arguments.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>
#include <attune/compile/opencl.hpp>
#include <attune/opencl/device.hpp>
#include <attune/opencl/driver.hpp>
#include <attune/tune/capture.hpp>
#include <attune/tune/device/opencl/opencl_device.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <doctest/doctest.h>
#include <span>
#include <string>
#include <vector>

#include "../../../support/needs_opencl.hpp"
#include "../../../support/opencl_picture.hpp"
#include "../../../support/scratch_directory.hpp"
#include "../../../support/set_variable.hpp"
#include "../../../support/texts.hpp"

namespace {

constexpr auto w = attune::input<"W", int>();
constexpr auto h = attune::input<"H", int>();
constexpr auto group = attune::ordinal<"GROUP">(attune::powers_of_two(1, 16));

constexpr int wide = 256;
constexpr int high = 128;

/// out = the image's pixel to the right, of one float; the last column repeats.
char const* const shift_text = R"cl(
#include <attune/tunable.hpp>
constant sampler_t here = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel void shift(read_only image2d_t from, global float* out, int w, int h)
{
    int const x = get_group_id(0) * ATTUNE_TUNABLE(GROUP, 1) + get_local_id(0);
    int const y = get_global_id(1);
    if (x < w && y < h) out[y * w + x] = read_imagef(from, here, (int2)(x + 1, y)).x;
}
)cl";

using shift_on_device = void(attune::device_span<std::byte const>, attune::device_span<float>, int,
                             int);
using shift_on_host = void(std::span<std::byte const>, std::span<float>, int, int);

template <class Signature>
attune::kernel<Signature> shift()
{
    attune::kernel<Signature> k{"shift", attune::source_text(shift_text, "shift.cl"),
                                attune::space(group)};
    k.template bind<2>(w).template bind<3>(h);
    k.grid(attune::ceil_div(w, group), h).block(group, 1);
    return k;
}

attune::tuning_options quick(std::uint64_t evaluations)
{
    attune::tuning_options out;
    out.limits = {.evaluations = evaluations, .seconds = 60};
    out.limits.default_run_s = 20;
    out.measuring.precision = 0.2;
    out.progress = attune::silent_progress();
    return out;
}

/// @param pixels  in rows of `wide`
std::vector<float> shifted(std::vector<float> const& pixels)
{
    std::vector<float> out(pixels);
    for (std::size_t i = 0; i < out.size(); ++i)
        if (i % wide != wide - 1) out[i] = pixels[i + 1];
    return out;
}
std::vector<float> counted()
{
    std::vector<float> out;
    for (int i = 0; i < wide * high; ++i)
        out.push_back(static_cast<float>(i));
    return out;
}

} // namespace

TEST_CASE("an image of the program is an argument: tuned in a worker, served in place")
{
    if (!attune_test::has_opencl()) return;
    attune::opencl_compiler const compiler = attune_test::opencl_here();
    namespace cl = attune::detail::opencl;
    attune_test::opencl_picture const picture(cl::context_of(compiler.target().device.ordinal),
                                              wide, high);
    attune::opencl_array<std::byte> const from{compiler.target(), picture.handle()};
    attune::opencl_array<float> out{compiler.target(), std::size_t{wide * high}};
    attune::tuned f{shift<shift_on_device>(), compiler, attune::memory_store{}, quick(5)};
    f(from.span(), out.span(), wide, high);
    CHECK(out.to_host() == shifted(counted()));
    attune::tuning_report const report = f.report();
    CHECK(report.isolation.find("worker: ") != std::string::npos);
    CHECK(report.evaluations == 5);
    for (attune::failure const& one : report.first_failures)
        FAIL(one.reason);
    f.on(compiler.queue())(from.span(), out.span(), wide, high);
    CHECK(out.to_host() == shifted(counted()));
}

TEST_CASE("tuned in the background, captured and replayed, an image keeps its size and format")
{
    if (!attune_test::has_opencl()) return;
    attune::opencl_compiler const compiler = attune_test::opencl_here();
    namespace cl = attune::detail::opencl;
    attune_test::opencl_picture const picture(cl::context_of(compiler.target().device.ordinal),
                                              wide, high);
    attune::opencl_array<std::byte> const from{compiler.target(), picture.handle()};
    attune::opencl_array<float> out{compiler.target(), std::size_t{wide * high}};
    support::scratch_directory const folder;
    std::string const path = folder.file("shift.capture");
    attune::tuning_options options = quick(3);
    options.on_miss = attune::miss_policy::tune_in_background;
    {
        attune_test::set_variable const wish("ATTUNE_CAPTURE", "shift=" + path);
        attune::tuned f{shift<shift_on_device>(), compiler, attune::memory_store{}, options};
        f(from.span(), out.span(), wide, high);
        f.wait();
        CHECK(f.report().evaluations == 3);
        CHECK(out.to_host() == shifted(counted()));
    }
    attune_test::set_variable const replay("ATTUNE_REPLAY", path);
    attune::tuned const again{shift<shift_on_device>(), compiler, attune::memory_store{}, quick(3)};
    CHECK(again.report().evaluations == 3);
}

TEST_CASE("an image in host memory is copied in each call, and read as it is then")
{
    if (!attune_test::has_opencl()) return;
    attune::opencl_compiler const compiler = attune_test::opencl_here();
    namespace cl = attune::detail::opencl;
    attune_test::opencl_picture const picture(cl::context_of(compiler.target().device.ordinal),
                                              wide, high);
    std::vector<std::byte> form =
        attune::opencl_array<std::byte>{compiler.target(), picture.handle()}.to_host();
    std::vector<float> out(wide * high);
    attune::tuned f{shift<shift_on_host>(), compiler, attune::memory_store{}, quick(3)};
    f(form, out, wide, high);
    CHECK(out == shifted(counted()));
    std::vector<float> const sevens(out.size(), 7.0F);
    std::memcpy(form.data() + sizeof(cl::picture_head), sevens.data(), 4 * sevens.size());
    f(form, out, wide, high);
    CHECK(out == sevens);
    form[0] = std::byte{0}; // no image any more
    CHECK(attune_test::error_of([&] { f(form, out, wide, high); }).find("CL_INVALID_MEM_OBJECT") !=
          std::string::npos);
}
