// tests/tune/device/cuda/device_call.cpp - a call's arrays and numbers as a device takes them.
// SPDX-License-Identifier: MIT
#include <attune/cuda/driver.hpp>
#include <attune/measure/device/device_bench.hpp>
#include <attune/tune/device/cuda/cuda_bench.hpp>

#include <cstddef>
#include <cstring>
#include <doctest/doctest.h>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "../../../support/device_saxpy.hpp"
#include "../../../support/scripted_device.hpp"

using namespace attune_test;
using attune::detail::memory_place;
using attune::detail::require_on_device;
using attune::detail::cuda::device_pointer;

namespace {

std::vector<std::byte> bytes_of(auto value)
{
    std::vector<std::byte> out(sizeof value);
    std::memcpy(out.data(), &value, sizeof value);
    return out;
}

attune::call_frame frame_of(attune::device_span<float const> x, std::span<float> y, float* z,
                            double a, short n)
{
    return attune::detail::make_call_frame<attune::device_span<float const>, std::span<float>,
                                           float*, double, short>({}, x, y, z, a, n);
}

attune::cuda_target target_with(std::shared_ptr<attune::detail::cuda::driver const> driver)
{
    attune::cuda_target out = target_without_driver();
    out.driver = std::move(driver);
    return out;
}

} // namespace

TEST_CASE("arrays have their place, numbers their bytes, pointers the extent they are given")
{
    std::vector<float> host(7);
    float* const device = host.data(); // never read here
    attune::call_frame frame = frame_of({device, 3}, host, device, 2.5, -4);
    CHECK(frame.arguments[2].is_pointer);
    frame.set_extent(2, 5);
    attune::cuda_target target = target_without_driver();
    target.ordinal = 2;
    attune::detail::device_call const call = attune::detail::make_device_call(target, frame);
    CHECK(call.ordinal == 2);
    REQUIRE(call.buffers.size() == 3);
    CHECK(call.buffers[0].place == memory_place::device);
    CHECK(call.buffers[0].where.bytes == 12);
    CHECK(!call.buffers[0].where.writable);
    CHECK(call.buffers[1].place == memory_place::host);
    CHECK(call.buffers[1].where.bytes == 28);
    CHECK(call.buffers[2].place == memory_place::device);
    CHECK(call.buffers[2].where.bytes == 20);
    CHECK(call.buffers[2].where.argument == 2);
    REQUIRE(call.arguments.size() == 5);
    for (std::size_t i = 0; i < 3; ++i)
        CHECK(call.arguments[i].buffer == i);
    CHECK(call.arguments[3].buffer == attune::detail::device_argument::by_value);
    CHECK(call.arguments[3].value == bytes_of(2.5));
    CHECK(call.arguments[4].value == bytes_of(static_cast<short>(-4)));
}

TEST_CASE("what the user's functions see of arrays on a device are spans over the copies given")
{
    std::vector<float> host(7);
    attune::call_frame frame = frame_of({host.data(), 3}, host, host.data(), 2.5, -4);
    frame.set_extent(2, 5);
    std::vector<float> x(3), y(7), z(5);
    auto const at = [](std::vector<float>& v) { return reinterpret_cast<std::byte*>(v.data()); };
    std::vector<std::byte*> const copies{at(x), at(y), at(z)};
    bool seen = false;
    frame.with_arguments(copies, [&](void const* arguments) {
        using all =
            std::tuple<std::span<float const>, std::span<float>, std::span<float>, double, short>;
        auto const& [a, b, c, number, count] = *static_cast<all const*>(arguments);
        seen = a.data() == x.data() && a.size() == 3 && b.data() == y.data() && b.size() == 7 &&
               c.data() == z.data() && c.size() == 5 && number == 2.5 && count == -4;
    });
    CHECK(seen);
}

TEST_CASE("arrays are fetched from wherever they are")
{
    emulated_device device{ATTUNE_EMULATED_CUDA};
    saxpy_data data(5);
    device_data const there{device, data};
    data.y[3] = 7; // the host's differs from the device's now
    attune::cuda_target const target = target_with(device.driver);
    attune::call_frame const frame = frame_of(there.x, data.y, nullptr, 1.0, 1);
    require_on_device(target, frame); // an empty array may be anywhere
    auto const copies =
        attune::detail::host_copies(device.driver, attune::detail::make_device_call(target, frame));
    REQUIRE(copies.size() == 3);
    CHECK(std::memcmp(copies[0].data(), data.x.data(), 20) == 0);
    CHECK(std::memcmp(copies[1].data(), data.y.data(), 20) == 0);
    CHECK(copies[2].empty());
}

TEST_CASE("arrays of a device are not copied where that would end a capture, which goes on")
{
    emulated_device device{ATTUNE_EMULATED_CUDA};
    attune::detail::cuda::driver const& driver = *device.driver;
    attune::cuda_target const target = target_with(device.driver);
    saxpy_data data(5);
    device_data const there{device, data};
    attune::call_frame const frame = frame_of(there.x, data.y, nullptr, 1.0, 1);
    attune::detail::cuda::stream stream{};
    REQUIRE(driver.stream_create(&stream, 0) == 0);
    REQUIRE(driver.stream_begin_capture(stream, attune::detail::cuda::flag::capture_relaxed) == 0);
    std::string const said = error_of([&] {
        static_cast<void>(attune::detail::host_copies(
            device.driver, attune::detail::make_device_call(target, frame)));
    });
    CHECK(has(said, "copying argument 0 from the device would end a capture"));
    CHECK(has(said, "before the capture begins"));
    attune::detail::cuda::graph graph{};
    REQUIRE(driver.stream_end_capture(stream, &graph) == 0);
    CHECK(driver.graph_destroy(graph) == 0);
    CHECK(driver.stream_destroy(stream) == 0);
}

TEST_CASE("an array over several pieces of memory without a gap is as long as all of them")
{
    emulated_device device{ATTUNE_EMULATED_CUDA};
    saxpy_data data(5);
    device_data const there{device, data};
    std::vector<float> none;
    static device_pointer first = 0; // two pieces of 8 bytes from there
    static bool is_in_pieces = true;
    first = reinterpret_cast<std::uintptr_t>(there.x.data());
    auto pieces = std::make_shared<attune::detail::cuda::driver>(*device.driver);
    pieces->memory_get_address_range = [](device_pointer* base, std::size_t* bytes,
                                          device_pointer of) {
        if (of - first >= 16)
            return attune::detail::cuda::result{attune::detail::cuda::invalid_value};
        *base = of - (of - first) % 8;
        *bytes = 8;
        return attune::detail::cuda::result{attune::detail::cuda::success};
    };
    pieces->pointer_get_attribute = [](void* value, int attribute, device_pointer) {
        using namespace attune::detail::cuda::of_pointer;
        int const out = attribute == is_legacy_ipc_capable && !is_in_pieces ? 1 : 0;
        std::memcpy(value, &out, sizeof out);
        return attune::detail::cuda::result{attune::detail::cuda::success};
    };
    attune::cuda_target const target = target_with(pieces);
    auto const said = [&](std::size_t elements) {
        return error_of([&] {
            require_on_device(target, frame_of({there.x.data(), elements}, none, nullptr, 1.0, 1));
        });
    };
    CHECK(said(4).empty());
    CHECK(has(said(5), "after 16"));
    is_in_pieces = false;
    CHECK(has(said(4), "after 8"));
}

TEST_CASE("managed and pinned memory serve every device, memory of another device does not")
{
    emulated_device device{ATTUNE_EMULATED_CUDA};
    saxpy_data data(5);
    device_data const there{device, data};
    std::vector<float> none;
    static int kind = 0;
    static bool managed = false;
    auto elsewhere = std::make_shared<attune::detail::cuda::driver>(*device.driver);
    elsewhere->pointer_get_attribute = [](void* value, int attribute, device_pointer) {
        int out = 7; // the ordinal
        if (attribute == attune::detail::cuda::of_pointer::memory_type) out = kind;
        if (attribute == attune::detail::cuda::of_pointer::is_managed) out = managed ? 1 : 0;
        std::memcpy(value, &out, sizeof out);
        return attune::detail::cuda::result{attune::detail::cuda::success};
    };
    attune::cuda_target const target = target_with(elsewhere);
    auto const said = [&](int of_kind, bool is_managed) {
        kind = of_kind;
        managed = is_managed;
        return error_of(
            [&] { require_on_device(target, frame_of(there.x, none, nullptr, 1.0, 1)); });
    };
    using namespace attune::detail::cuda::of_pointer;
    CHECK(said(device_memory, true).empty());
    CHECK(said(host_memory, false).empty());
    CHECK(has(said(device_memory, false), "argument 0 is on device 7"));
}
