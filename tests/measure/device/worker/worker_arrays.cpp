// tests/measure/device/worker/worker_arrays.cpp : mirrors include/attune/measure/device/worker/worker_arrays.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/measure/device/worker/worker_arrays.hpp>

#include <attune/core/error.hpp>
#include <attune/measure/device/device_call.hpp>

#include <cstddef>
#include <cstring>
#include <doctest/doctest.h>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "../../../support/emulated_device.hpp"
#include "../../../support/set_variable.hpp"

namespace worker = attune::detail::worker;
namespace cuda = attune::detail::cuda;
using attune::detail::device_buffer;
using attune::detail::memory_place;

namespace {

std::shared_ptr<cuda::driver const> scripted() { return cuda::open_driver(ATTUNE_SCRIPTED_DRIVER); }

device_buffer on_host(std::span<float> values, std::size_t argument)
{
    return {attune::detail::as_buffer(values, argument), memory_place::host};
}

/// What arrives on the other side, which is this process.
struct arrived {
    worker::beginning how{};
    worker::message sent{};
    std::unique_ptr<worker::received_arrays> arrays{};

    arrived(std::shared_ptr<cuda::driver const> const& driver,
            attune::detail::device_call const& call, worker::route by = worker::route::handle)
    {
        how.call = call;
        worker::pack_arrays(driver, call, by, how, sent);
        arrays = std::make_unique<worker::received_arrays>(driver, how, sent);
    }
    [[nodiscard]] std::byte* data(std::size_t i) const { return how.call.buffers[i].where.data; }
};

} // namespace

TEST_CASE("host arrays arrive as host arrays, elsewhere and read only")
{
    std::vector<float> x(1000);
    std::iota(x.begin(), x.end(), 1.0F);
    std::vector<float> y{7, 8};
    attune::detail::device_call call;
    call.buffers = {on_host(x, 0), on_host(y, 1)};
    arrived const a(scripted(), call);
    CHECK(a.arrays->why_unreachable().empty());
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(a.how.call.buffers[i].place == memory_place::host);
        CHECK(a.data(i) != call.buffers[i].where.data);
        CHECK(std::memcmp(a.data(i), call.buffers[i].where.data, call.buffers[i].where.bytes) == 0);
        CHECK(a.how.call.buffers[i].where.argument == i);
    }
}

TEST_CASE("arrays that overlap do so on the other side")
{
    std::vector<float> x(1000);
    std::iota(x.begin(), x.end(), 1.0F);
    std::span<float> const all(x);
    attune::detail::device_call call;
    call.buffers = {on_host(all.subspan(100, 500), 0), on_host(all.subspan(0, 300), 1),
                    on_host(all.subspan(800, 10), 2)};
    arrived const a(scripted(), call);
    CHECK(a.how.regions.size() == 2);
    CHECK(a.data(0) - a.data(1) == 400);
    for (std::size_t i = 0; i < 3; ++i)
        CHECK(std::memcmp(a.data(i), call.buffers[i].where.data, call.buffers[i].where.bytes) == 0);
}

TEST_CASE("an array of nothing arrives as such")
{
    attune::detail::device_call call;
    call.buffers = {on_host({}, 0)};
    arrived const a(scripted(), call);
    CHECK(a.how.call.buffers[0].where.bytes == 0);
    CHECK_FALSE(a.sent.bulk.is_open());
}

TEST_CASE("a device's arrays go through the host where there is no CUDA IPC, as far past alignment")
{
    auto const driver = scripted(); // whose device is the host, and which has no IPC
    alignas(256) static float memory[256];
    std::iota(std::begin(memory), std::end(memory), 0.5F);
    std::span<float> const there(memory);
    attune::detail::device_call call;
    call.buffers = {on_host(there.subspan(3, 100), 0)};
    call.buffers[0].place = memory_place::device;
    arrived const a(driver, call);
    CHECK(a.how.call.buffers[0].place == memory_place::device);
    CHECK_FALSE(a.how.regions[0].by_handle);
    CHECK(a.how.regions[0].skew == 12);
    CHECK(a.data(0) != call.buffers[0].where.data);
    CHECK(std::memcmp(a.data(0), &memory[3], 400) == 0);
}

TEST_CASE("where the device has no room for a copy, what came through the host stays there")
{
    attune_test::set_variable const little{"ATTUNE_TEST_CU_MEMORY", "100"};
    std::vector<float> x(100, 2.5F);
    attune::detail::device_call call;
    call.buffers = {on_host(x, 0)};
    call.buffers[0].place = memory_place::device;
    arrived const a(scripted(), call);
    CHECK(a.how.call.buffers[0].place == memory_place::host);
    CHECK(std::memcmp(a.data(0), x.data(), 400) == 0);
}

TEST_CASE("a device's array goes as the handle of its allocation, and where it lies in that")
{
    attune_test::emulated_device device(ATTUNE_EMULATED_CUDA);
    attune::detail::cuda::device_pointer const there = device.upload(std::vector<float>(1000));
    attune::detail::device_call call;
    call.buffers = {{{}, memory_place::device}, {{}, memory_place::device}};
    call.buffers[0].where.data = reinterpret_cast<std::byte*>(there + 40);
    call.buffers[0].where.bytes = 400;
    call.buffers[1].where.data = reinterpret_cast<std::byte*>(there + 3990);
    call.buffers[1].where.bytes = 11; // longer than what is allocated: an error of others to find
    worker::beginning how;
    how.call = call;
    worker::message sent;
    attune_test::set_variable const strict{"ATTUNE_EMULATED_FAIL", "cuMemcpyDtoH_v2=1"};
    CHECK_THROWS_AS(worker::pack_arrays(device.driver, call, worker::route::handle, how, sent),
                    attune::error);
    call.buffers.pop_back();
    how = {};
    how.call = call;
    worker::pack_arrays(device.driver, call, worker::route::handle, how, sent);
    REQUIRE(how.regions.size() == 1);
    CHECK(how.regions[0].by_handle);
    CHECK(how.regions[0].offset == 40);
    CHECK(how.regions[0].skew == 40);
    CHECK_FALSE(sent.bulk.is_open());
    // A handle cannot be opened in the process that it is from.
    worker::received_arrays const here(device.driver, how, sent);
    CHECK(attune_test::contains(here.why_unreachable(), "cuIpcOpenMemHandle: "));
}

TEST_CASE("regions that do not fit their message are damaged")
{
    std::vector<float> x(100, 2.5F);
    attune::detail::device_call call;
    call.buffers = {on_host(x, 0)};
    for (int what = 0; what < 3; ++what) {
        worker::beginning how;
        how.call = call;
        worker::message sent;
        worker::pack_arrays(scripted(), call, worker::route::host, how, sent);
        if (what == 0) how.regions[0].offset = 1 << 20;
        if (what == 1) how.regions[0].bytes = 1 << 20;
        if (what == 2) how.call.buffers[0].where.bytes = 401;
        CHECK_THROWS_AS(worker::received_arrays(scripted(), how, sent),
                        attune::detail::damaged_message);
    }
}
