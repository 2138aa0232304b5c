// tests/opencl/array.cpp - of opencl/device.hpp: arrays.
// SPDX-License-Identifier: MIT
#include <attune/core/device_span.hpp>
#include <attune/cuda/primary_context.hpp>
#include <attune/opencl/device.hpp>
#include <attune/opencl/driver.hpp>
#include <attune/opencl/library.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <span>
#include <string>
#include <vector>

#include "../support/needs_opencl.hpp"
#include "../support/opencl_picture.hpp"
#include "../support/texts.hpp"

TEST_CASE("an array takes values and gives them back; copies share them")
{
    if (!attune_test::has_opencl()) return;
    attune::opencl_target const on = attune::find_opencl_target();
    std::vector<float> const values{1, 2, 3};
    attune::opencl_array<float> x{on, std::span<float const>{values}};
    attune::opencl_array<float> const same = x;
    CHECK(x.to_host() == values);
    CHECK(x.span().size() == 3);
    CHECK(x.span().data() == same.span().data());
    CHECK(x.buffer() != nullptr);
    attune::opencl_array<double> const none{on, std::size_t{0}};
    CHECK(none.to_host().empty());
}

TEST_CASE("an array may be a buffer of the program, if it holds whole elements")
{
    if (!attune_test::has_opencl()) return;
    attune::opencl_target const on = attune::find_opencl_target();
    std::vector<int> const values{1, 2, 3, 4, 5};
    attune::opencl_array<int> const made{on, std::span<int const>{values}};
    attune::opencl_array<int> const taken{on, made.buffer()};
    CHECK(taken.to_host() == values);
    CHECK(taken.span().data() == made.span().data());
    std::string const said =
        attune_test::error_of([&] { attune::opencl_array<double> const wrong{on, made.buffer()}; });
    CHECK(said.find("does not hold whole elements") != said.npos);
    CHECK(said.find("20 bytes, 8 each") != said.npos);
}

TEST_CASE("a buffer of another context is refused with the option that names one")
{
    if (!attune_test::has_opencl()) return;
    namespace cl = attune::detail::opencl;
    attune::opencl_target const on = attune::find_opencl_target();
    cl::library const& of = *cl::library_in_use();
    auto const device = cl::devices_of(of).front();
    cl::result said = 0;
    cl::context const other = of.create_context(nullptr, 1, &device.at, nullptr, nullptr, &said);
    REQUIRE(said == cl::success);
    cl::memory const buffer = of.create_buffer(other, cl::flag::read_write, 64, nullptr, &said);
    REQUIRE(said == cl::success);
    std::string const text = attune_test::error_of(
        [&] { attune::opencl_array<int> const wrong{on, static_cast<void*>(buffer)}; });
    CHECK(text.find("another OpenCL context") != text.npos);
    CHECK(text.find("opencl_options::context") != text.npos);
    CHECK(attune_test::error_of([&] {
              cl::adopt_context(0, other);
          }).find("another OpenCL context already") != std::string::npos);
    of.release_memory(buffer);
    of.release_context(other);
}

TEST_CASE("a 2-D image of the program is an array of bytes: its size and format, then its rows")
{
    if (!attune_test::has_opencl()) return;
    namespace cl = attune::detail::opencl;
    attune::opencl_target const on = attune::find_opencl_target();
    attune_test::opencl_picture const picture(cl::context_of(on.device.ordinal), 5, 3);
    attune::opencl_array<std::byte> const taken{on, picture.handle()};
    CHECK(taken.span().size() == 64 + 15 * 4);
    std::vector<std::byte> const form = taken.to_host();
    cl::picture_head head;
    std::memcpy(&head, form.data(), sizeof head);
    CHECK(head.mark == cl::picture_head::own_mark);
    CHECK(head.width == 5);
    CHECK(head.height == 3);
    CHECK(head.pixel_bytes == 4);
    float last = 0;
    std::memcpy(&last, &form[form.size() - 4], sizeof last);
    CHECK(last == 14.0F);
    attune::opencl_array<std::byte> const copy{on, std::vector<std::byte>(form.size())};
    auto const address = [](attune::device_span<std::byte const> of) {
        return reinterpret_cast<attune::detail::cuda::device_pointer>(of.data());
    };
    attune::detail::cuda::driver const& driver = *on.device.driver;
    attune::detail::cuda::primary_context const context{on.device.driver, on.device.ordinal};
    attune::detail::cuda::context_scope const here{context};
    CHECK(driver.copy_on_device(address(copy.span()), address(taken.span()), form.size()) == 0);
    CHECK(copy.to_host() == form);
    CHECK(driver.copy_on_device(address(copy.span()), address(taken.span()), 70) != 0);
    CHECK(driver.copy_to_device(address(taken.span()), form.data(), form.size()) != 0);
    CHECK(attune_test::error_of([&] {
              attune::opencl_array<float> const wrong{on, picture.handle()};
          }).find("an image of the program is no array of numbers") != std::string::npos);
}

TEST_CASE("an array that no memory can hold is an error with its bytes")
{
    if (!attune_test::has_opencl()) return;
    attune::opencl_target const on = attune::find_opencl_target();
    std::string const said = attune_test::error_of(
        [&] { attune::opencl_array<float> const huge{on, std::size_t{1} << 48}; });
    CHECK(said.find(std::to_string(std::size_t{1} << 50) + " bytes") != said.npos);
}

TEST_CASE("a size whose bytes no number states is an error, and a size of zero is a size")
{
    if (!attune_test::has_opencl()) return;
    attune::opencl_target const on = attune::find_opencl_target();
    std::string const said = attune_test::error_of(
        [&] { attune::opencl_array<double> const wraps{on, (std::size_t{1} << 61) + 1}; });
    CHECK(said.find("larger than any memory") != said.npos);
    CHECK(said.find("2305843009213693953 elements of 8 bytes each") != said.npos);
    attune::opencl_array<double> const none{on, 0};
    CHECK(none.to_host().empty());
}

TEST_CASE("elements in shared virtual memory are used in place")
{
    if (!attune_test::has_opencl()) return;
    namespace cl = attune::detail::opencl;
    attune::opencl_target const on = attune_test::opencl_here().target();
    void* const from = ::dlopen(cl::library_in_use()->path.c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE(from != nullptr);
    auto* const allocate =
        reinterpret_cast<void* (*)(cl::context, cl::bits, std::size_t, unsigned)>(
            ::dlsym(from, "clSVMAlloc"));
    auto* const release =
        reinterpret_cast<void (*)(cl::context, void*)>(::dlsym(from, "clSVMFree"));
    if (allocate == nullptr) return; // a library of OpenCL 1.x
    cl::context const in = cl::context_of(on.device.ordinal);
    auto* const at = static_cast<float*>(allocate(in, 1, 1000 * sizeof(float), 0));
    if (at == nullptr) return; // the device has no shared memory
    std::fill_n(at, 1000, 3.0F);
    {
        auto const x = attune::opencl_array<float>::in_shared_memory(on, {at, 1000});
        CHECK(x.to_host() == std::vector<float>(1000, 3.0F));
        attune::opencl_array<float> const other{on, std::vector<float>(1000, 5.0F)};
        auto const address = [](attune::device_span<float const> of) {
            return reinterpret_cast<attune::detail::cuda::device_pointer>(of.data());
        };
        attune::detail::cuda::primary_context const context{on.device.driver, on.device.ordinal};
        attune::detail::cuda::context_scope const here{context};
        REQUIRE(on.device.driver->copy_on_device(address(x.span()), address(other.span()),
                                                 1000 * sizeof(float)) == 0);
        CHECK(x.to_host() == std::vector<float>(1000, 5.0F));
        CHECK(std::count(at, at + 1000, 5.0F) == 1000); // PoCL's memory is the host's
    }
    release(in, at);
}
