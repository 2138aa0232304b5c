// tests/tune/device/cuda/cuda_kernel.cpp - where the installed variant of a device is loaded and launched.
// SPDX-License-Identifier: MIT
#include <attune/tune/device/cuda/cuda_kernel.hpp>

#include <attune/core/error.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../../../support/recorded_driver.hpp"
#include "../../../support/scripted_device.hpp"
#include "../../../support/texts.hpp"

using namespace attune_test;
using attune::detail::cuda::context;

namespace {

/// A kernel of device 1, in the primary context 0x101.
struct kernel_under_test {
    attune::cuda_target target = target_without_driver();
    std::shared_ptr<attune::device_variant> made = std::make_shared<attune::device_variant>();
    std::unique_ptr<attune::detail::cuda_kernel> kernel;

    kernel_under_test()
    {
        target.driver = recorded_driver();
        target.ordinal = 1;
        made->code = {"image", "saxpy", 90, {}};
        made->launch.block = {64, 1, 1};
        kernel = std::make_unique<attune::detail::cuda_kernel>(
            target, attune::callable{made.get(), made, "key", 0, ""}, "saxpy");
    }
    void launch()
    {
        void* none[] = {nullptr};
        kernel->launch(none, nullptr);
    }
    void launch_with(attune::staged_array const& array, void* on = nullptr)
    {
        void* arguments[1] = {};
        kernel->launch_staged(arguments, {&array, 1}, on);
    }
    /// The context that the latest launch took place in.
    context launched_in()
    {
        launch();
        return recorded().launches.back().in;
    }
};

context a_context(std::uint64_t number, int device)
{
    context const out = handle_of<context>(number);
    recorded().device_of[out] = device;
    return out;
}

std::size_t loads()
{
    std::size_t count = 0;
    for (std::string const& s : recorded().said)
        if (s.starts_with("load")) ++count;
    return count;
}

} // namespace

TEST_CASE("nothing is loaded before the first launch")
{
    kernel_under_test const k;
    CHECK(recorded().said.empty());
    CHECK(recorded().retained == 0);
}

TEST_CASE("without a current context a launch takes place in the device's primary one")
{
    kernel_under_test k;
    CHECK(k.launched_in() == handle_of<context>(0x101));
    CHECK(k.launched_in() == handle_of<context>(0x101));
    CHECK(recorded().current == nullptr);
    CHECK(loads() == 1);
    CHECK(recorded().retained == 1);
}

TEST_CASE("a current context of the device is used as it is, each with a module of its own")
{
    kernel_under_test k;
    context const mine = a_context(0x501, 1);
    context const other = a_context(0x502, 1);
    recorded().current = mine;
    CHECK(k.launched_in() == mine);
    recorded().current = other;
    CHECK(k.launched_in() == other);
    recorded().current = mine;
    CHECK(k.launched_in() == mine);
    CHECK(loads() == 2);
    CHECK(recorded().retained == 0);
    CHECK(recorded().launches[0].what == recorded().launches[2].what);
    CHECK(recorded().launches[0].what != recorded().launches[1].what);
}

TEST_CASE("a current context of another device is left aside, and current again afterwards")
{
    kernel_under_test k;
    context const wrong = a_context(0x500, 0);
    recorded().current = wrong;
    CHECK(k.launched_in() == handle_of<context>(0x101));
    CHECK(k.launched_in() == handle_of<context>(0x101));
    CHECK(recorded().current == wrong);
    CHECK(loads() == 1);
}

TEST_CASE("everything is given back at the end, in the context it belongs to")
{
    {
        kernel_under_test k;
        k.launch();
        recorded().current = a_context(0x501, 1);
        float x[2] = {};
        attune::staged_array const array{0, reinterpret_cast<std::byte*>(x), sizeof x, false};
        k.launch_with(array);
        CHECK(recorded().modules.size() == 2);
        CHECK(recorded().memory.size() == 1);
    }
    CHECK(recorded().modules.empty());
    CHECK(recorded().memory.empty());
    CHECK(recorded().retained == 0);
    CHECK(recorded().current == handle_of<context>(0x501));
}

TEST_CASE("arrays of the host are copied in, and back where the kernel writes")
{
    kernel_under_test k;
    float x[3] = {1, 2, 3};
    float y[3] = {10, 20, 30};
    recorded().argument_bytes = {8, 4, 8};
    recorded().runs = [](recorded_launch const& l) {
        auto* const in = reinterpret_cast<float*>(l.arguments[0]);
        auto* const out = reinterpret_cast<float*>(l.arguments[2]);
        for (int i = 0; i < 3; ++i) {
            out[i] += in[i];
            in[i] = -1; // the caller's array is only read
        }
    };
    auto const bytes = [](float* p) { return reinterpret_cast<std::byte*>(p); };
    std::vector<attune::staged_array> const arrays{{0, bytes(x), sizeof x, false},
                                                   {2, bytes(y), sizeof y, true}};
    int number = 7;
    void* arguments[3] = {nullptr, &number, nullptr};
    k.kernel->launch_staged(arguments, arrays, handle_of<void*>(4));
    CHECK(std::vector<float>(x, x + 3) == std::vector<float>{1, 2, 3});
    CHECK(std::vector<float>(y, y + 3) == std::vector<float>{11, 22, 33});
    CHECK(recorded().launches.back().arguments[1] == 7);
    // Before the launch for the copies, after it for the kernel.
    CHECK(recorded().said[recorded().said.size() - 2] == "wait for stream 0");
    CHECK(recorded().said.back() == "wait for stream 4");
    std::size_t const blocks = recorded().memory.size();
    k.kernel->launch_staged(arguments, arrays, nullptr);
    CHECK(std::vector<float>(y, y + 3) == std::vector<float>{12, 24, 36});
    CHECK(recorded().memory.size() == blocks); // kept from the call before
    std::vector<float> longer(100, 1.0F);
    std::vector<attune::staged_array> const more{{0, bytes(longer.data()), 400, false}, arrays[1]};
    k.kernel->launch_staged(arguments, more, nullptr);
    CHECK(recorded().memory.size() == blocks);
}

TEST_CASE("loading, copying and giving back disturb no capture of another thread")
{
    for (bool const has_context : {false, true}) {
        CAPTURE(has_context);
        {
            kernel_under_test k;
            if (has_context) recorded().current = a_context(0x501, 1);
            k.launch();
            std::vector<std::byte> x(8);
            attune::staged_array const array{0, x.data(), x.size(), true};
            k.launch_with(array, handle_of<void*>(4));
        }
        CHECK(recorded().unsafe_calls == 6); // load, allocate, copy, copy back, free, unload
        CHECK(recorded().unsafe_in_global == 0);
        CHECK(recorded().capture_mode == 0);
    }
}

TEST_CASE("arrays of the host are not copied while the stream of the copies would end a capture")
{
    kernel_under_test k;
    k.launch();
    recorded().captures_blocking = true;
    std::vector<std::byte> x(8);
    attune::staged_array const array{0, x.data(), x.size(), true};
    int const before = recorded().unsafe_calls;
    std::string const said = error_of([&] { k.launch_with(array, handle_of<void*>(4)); });
    CHECK(has(said, "before the capture"));
    CHECK(recorded().unsafe_calls == before);
    // In the caller's context, the wait for all of it would; the wait for his stream would not.
    recorded().current = a_context(0x501, 1);
    CHECK(has(error_of([&] { attune::detail::wait_for_caller(k.target, nullptr); }),
              "before the capture"));
    CHECK_NOTHROW(attune::detail::wait_for_caller(k.target, handle_of<void*>(6)));
}

TEST_CASE("too little memory is an error with what was asked and what is free, and no end")
{
    kernel_under_test k;
    recorded().memory_left = 100;
    std::vector<std::byte> x(101);
    attune::staged_array array{0, x.data(), x.size(), true};
    std::string const said = error_of([&] { k.launch_with(array); });
    CHECK(has(said, "out of memory"));
    CHECK(has(said, "argument 0: 101 bytes were asked for, 100 of 1048576 are free on device 1"));
    CHECK(recorded().launches.empty());
    array.bytes = 100;
    k.launch_with(array);
    CHECK(recorded().launches.size() == 1);
}

TEST_CASE("an empty array is passed as a null pointer")
{
    kernel_under_test k;
    recorded().argument_bytes = {8};
    attune::staged_array const array{0, nullptr, 0, true};
    k.launch_with(array);
    CHECK(recorded().launches.back().arguments == std::vector<std::uint64_t>{0});
}

TEST_CASE("a launch that the driver refuses is an error with kernel, geometry and its words")
{
    kernel_under_test k;
    recorded().launch_answer = 701;
    std::string const said = error_of([&] { k.launch(); });
    CHECK(has(said, "kernel 'saxpy' could not be run"));
    CHECK(has(said, "CUDA_ERROR_SCRIPTED"));
    CHECK(has(said, "block 64x1x1"));
    CHECK(has(said, "device 1"));
    CHECK(recorded().current == nullptr);
    recorded().launch_answer = attune::detail::cuda::illegal_address;
    CHECK(has(error_of([&] { k.launch(); }), "this context is unusable"));
}

TEST_CASE("code that does not load is an error, and is tried again")
{
    kernel_under_test k;
    recorded().load_answer = attune::detail::cuda::no_binary_for_device;
    CHECK(has(error_of([&] { k.launch(); }), "kernel 'saxpy' did not load"));
    CHECK(recorded().current == nullptr);
    recorded().load_answer = attune::detail::cuda::success;
    k.launch();
    CHECK(recorded().launches.size() == 1);
}

TEST_CASE("the caller's own launches are waited for: his stream, or his context")
{
    kernel_under_test const k;
    attune::detail::wait_for_caller(k.target, nullptr);
    CHECK(recorded().said.empty());
    recorded().current = a_context(0x501, 1);
    attune::detail::wait_for_caller(k.target, nullptr);
    CHECK(recorded().said.back() == "wait for context");
    attune::detail::wait_for_caller(k.target, handle_of<void*>(6));
    CHECK(recorded().said.back() == "wait for stream 6");
}

TEST_CASE("arrays of the host that overlap lie in one buffer, and only what is written comes back")
{
    kernel_under_test k;
    std::vector<float> x{1, 2, 3, 4, 5, 6};
    recorded().argument_bytes = {8, 8, 8};
    recorded().runs = [](recorded_launch const& l) {
        auto* const read = reinterpret_cast<float*>(l.arguments[0]); // x[0..3]
        auto* const low = reinterpret_cast<float*>(l.arguments[1]);  // x[1..2]
        auto* const high = reinterpret_cast<float*>(l.arguments[2]); // x[2..4]
        low[1] = 30;
        high[0] += read[2]; // 30 + 30
        high[2] = 50;
        read[0] = -1; // the kernel must not, and the caller does not see it
    };
    auto const part = [&](std::size_t argument, std::size_t from, std::size_t count,
                          bool writable) {
        return attune::staged_array{argument, reinterpret_cast<std::byte*>(x.data() + from),
                                    count * sizeof(float), writable};
    };
    std::vector<attune::staged_array> const arrays{part(0, 0, 4, false), part(1, 1, 2, true),
                                                   part(2, 2, 3, true)};
    void* arguments[3] = {};
    k.kernel->launch_staged(arguments, arrays, nullptr);
    CHECK(x == std::vector<float>{1, 2, 60, 4, 50, 6});
    CHECK(recorded().memory.size() == 1);
    std::vector<std::uint64_t> const& at = recorded().launches.back().arguments;
    CHECK(at[1] == at[0] + 4);
    CHECK(at[2] == at[0] + 8);
    // Apart again, in the same call of the same kernel; an empty one is null wherever it points.
    std::vector<attune::staged_array> const apart{part(0, 0, 2, false), part(1, 1, 0, true),
                                                  part(2, 3, 3, true)};
    recorded().runs = [](recorded_launch const& l) {
        reinterpret_cast<float*>(l.arguments[2])[0] = reinterpret_cast<float*>(l.arguments[0])[1];
    };
    k.kernel->launch_staged(arguments, apart, nullptr);
    CHECK(x == std::vector<float>{1, 2, 60, 2, 50, 6});
    CHECK(recorded().launches.back().arguments[1] == 0);
}
