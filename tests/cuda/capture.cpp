// tests/cuda/capture.cpp : captures beside work, of include/attune/cuda/primary_context.hpp
// SPDX-License-Identifier: MIT
#include <attune/cuda/primary_context.hpp>
// and what the test needs besides
#include <attune/core/error.hpp>
#include <attune/cuda/device_array.hpp>

#include <doctest/doctest.h>
#include <future>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "../support/emulated_device.hpp"
#include "../support/recorded_driver.hpp"

namespace cuda = attune::detail::cuda;
using attune_test::contains;
using attune_test::emulated_device;
using attune_test::set_variable;
using attune_test::text_thrown_by;

namespace {

constexpr int global = 0; // the mode of CUDA's graph examples, and of every thread's beginning
constexpr int lost = 901;

/// A stream that another thread captures, which launches nothing.
class captured_elsewhere {
public:
    captured_elsewhere(emulated_device const& device, unsigned flags)
        : thread_([this, &device, flags] {
            cuda::driver const& d = *device.driver;
            cuda::stream on{};
            cuda::graph made{};
            int const began = d.context_set_current(device.context) + d.stream_create(&on, flags) +
                              d.stream_begin_capture(on, global);
            begun_.set_value(began);
            end_.get_future().wait();
            ended_ = d.stream_end_capture(on, &made);
            if (made != nullptr) d.graph_destroy(made);
            d.stream_destroy(on);
        })
    {
        REQUIRE(begun_.get_future().get() == 0);
    }
    ~captured_elsewhere() { static_cast<void>(end()); }
    captured_elsewhere(captured_elsewhere const&) = delete;
    captured_elsewhere& operator=(captured_elsewhere const&) = delete;

    /// Ends the capture. @return  what the driver says of it
    [[nodiscard]] int end()
    {
        if (thread_.joinable()) {
            end_.set_value();
            thread_.join();
        }
        return ended_;
    }

private:
    std::promise<int> begun_{};
    std::promise<void> end_{};
    int ended_ = -1;
    std::thread thread_;
};

} // namespace

TEST_CASE(
    "emulated: a thread in the default mode takes another's capture with it, a relaxed one not")
{
    emulated_device const device(ATTUNE_EMULATED_CUDA);
    cuda::driver const& d = *device.driver;
    cuda::device_pointer some = 0;
    {
        captured_elsewhere capture(device, cuda::flag::stream_non_blocking);
        CHECK(d.memory_allocate(&some, 4) == cuda::capture_unsupported);
        CHECK(capture.end() == lost);
    }
    captured_elsewhere capture(device, cuda::flag::stream_non_blocking);
    {
        cuda::relaxed_thread const outer{d};
        cuda::relaxed_thread const inner{d};
        REQUIRE(d.memory_allocate(&some, 4) == 0);
        int value = 17;
        CHECK(d.copy_to_device(some, &value, sizeof value) == 0);
        CHECK(d.memory_free(some) == 0);
    }
    CHECK(capture.end() == 0);
}

TEST_CASE("afterwards a thread is in the mode that it was in before")
{
    emulated_device const device(ATTUNE_EMULATED_CUDA);
    cuda::driver const& d = *device.driver;
    for (int const before : {0, 1, 2}) {
        int mode = before;
        REQUIRE(d.exchange_capture_mode(&mode) == 0);
        {
            cuda::relaxed_thread const one{d};
            cuda::relaxed_thread const two{d};
        }
        CHECK(d.exchange_capture_mode(&mode) == 0);
        CHECK(mode == before);
    }
}

TEST_CASE("an array is made, filled, read and freed while another thread captures a stream")
{
    set_variable const driver{"ATTUNE_CUDA_DRIVER", ATTUNE_EMULATED_CUDA};
    emulated_device const device(ATTUNE_EMULATED_CUDA);
    std::vector<float> const host{1.5F, -2.0F};
    captured_elsewhere capture(device, cuda::flag::stream_non_blocking);
    {
        attune::device_array<float> const x{std::span<float const>{host}};
        CHECK(x.span().size() == 2);
    }
    CHECK(capture.end() == 0);
}

TEST_CASE(
    "what would wait for a captured stream is an error with what to do, and the capture goes on")
{
    set_variable const driver{"ATTUNE_CUDA_DRIVER", ATTUNE_EMULATED_CUDA};
    emulated_device const device(ATTUNE_EMULATED_CUDA);
    cuda::driver const& d = *device.driver;
    std::vector<float> const host{1.5F, -2.0F};
    attune::device_array<float> const before{std::span<float const>{host}};
    captured_elsewhere capture(device, 0);
    CHECK(cuda::is_captured(d, nullptr));
    std::string said =
        text_thrown_by<attune::error>([&] { cuda::synchronize_context(d, "waiting for it all"); });
    CHECK(contains(said, "waiting for it all would end a capture"));
    CHECK(contains(said, "before the capture begins"));
    said = text_thrown_by<attune::error>([&] { static_cast<void>(before.to_host()); });
    CHECK(contains(said, "copying an array from the device would end a capture"));
    said = text_thrown_by<attune::error>(
        [&] { attune::device_array<float> const x{std::span<float const>{host}}; });
    CHECK(contains(said, "copying an array to the device would end a capture"));
    CHECK(capture.end() == 0);
    CHECK_FALSE(cuda::is_captured(d, nullptr));
    CHECK_NOTHROW(cuda::synchronize_context(d, "waiting for it all"));
    CHECK(before.to_host() == host);
}

TEST_CASE("a driver that cannot be asked is used as it is")
{
    auto const driver = attune_test::recorded_driver();
    driver->exchange_capture_mode = nullptr;
    driver->stream_is_capturing = nullptr;
    {
        cuda::relaxed_thread const nothing{*driver};
    }
    CHECK_FALSE(cuda::is_captured(*driver, nullptr));
    cuda::synchronize_context(*driver, "waiting");
    CHECK(attune_test::recorded().said == std::vector<std::string>{"wait for context"});
}

TEST_CASE("a mode that the driver does not change is not changed back")
{
    auto const driver = attune_test::recorded_driver();
    static int calls = 0;
    calls = 0;
    driver->exchange_capture_mode = [](int*) {
        ++calls;
        return cuda::result{cuda::invalid_value};
    };
    {
        cuda::relaxed_thread const nothing{*driver};
    }
    CHECK(calls == 1);
}
