// tests/tune/device_refusals.cpp - what a device refuses, and variants that do not survive it.
// SPDX-License-Identifier: MIT
#include <attune/core/shape/call_shape.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/tune/dispatch/dispatch_table.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/tuned.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <future>
#include <string>
#include <thread>

#include "../support/device_saxpy.hpp"
#include "../support/notices.hpp"

using namespace attune_test;

TEST_CASE("variants that fault and that never end cost a failure each, and no other result")
{
    environment_value const soon{"ATTUNE_EMULATED_HANG_S", "0.3"};
    emulated_device device{ATTUNE_EMULATED_CUDA};
    saxpy_data data;
    device_data const there{device, data};
    auto saxpy = tuned_saxpy<on_device, plain, faulting, hanging, doubled, quick>();
    saxpy(there.x, there.y, 2.0F, data.n());
    CHECK(there.fetch().called_times(1, 2.0F));
    attune::tuning_report const report = saxpy.report();
    INFO(report.summary());
    CHECK(report.isolation.starts_with("worker"));
    CHECK(report.configuration == "KIND=1 BLOCK=32");
    CHECK(report.evaluations == 10);
    for (auto const stage : {attune::failure_stage::crash, attune::failure_stage::timeout,
                             attune::failure_stage::verify})
        CHECK(failures_at(report, stage) == 2);
}

TEST_CASE("arrays in the wrong memory are errors that name the argument")
{
    environment_value const two{"ATTUNE_EMULATED_DEVICES", "2"};
    emulated_device device{ATTUNE_EMULATED_CUDA, 1};
    saxpy_data data;
    attune::device_span<float> const elsewhere = device_data{device, data}.y; // on device 1
    attune::tuned saxpy{saxpy_kernel<on_device, plain>(), saxpy_compiler(0), attune::memory_store{},
                        quick_options()};
    std::string said = error_of([&] { saxpy(elsewhere, elsewhere, 2.0F, data.n()); });
    CHECK(has(said, "in the memory of another device"));
    CHECK(has(said, "argument 0 is on device 1, the kernel is compiled for device 0"));
    said = error_of([&] { saxpy({data.x.data(), 100}, {data.y.data(), 100}, 2.0F, 100); });
    CHECK(has(said, "is not in the memory of the device"));
    attune::tuned there{saxpy_kernel<on_device, plain>(), saxpy_compiler(1), attune::memory_store{},
                        quick_options()};
    said = error_of([&] { there({elsewhere.data(), 101}, elsewhere, 2.0F, data.n()); });
    CHECK(has(said, "argument 0 has 404 bytes, the allocation ends after 400"));
    there(elsewhere, elsewhere, 2.0F, data.n()); // device 1 is tuned for like device 0
    CHECK(there.report().evaluations == 2);
}

TEST_CASE("configurations that the device cannot launch are none of the space")
{
    attune::kernel<on_host> kernel{
        "saxpy", saxpy_source(),
        attune::space(attune::categorical<"KIND">(0),
                      attune::ordinal<"BLOCK">(attune::values(32, 1024, 2048)))};
    kernel.bind<3>(saxpy_n).grid(1).block(attune::ordinal<"BLOCK">(attune::values(32, 1024, 2048)));
    attune::tuned saxpy{kernel, saxpy_compiler(), attune::memory_store{}, quick_options()};
    saxpy_data data(32);
    saxpy(data.x, data.y, 2.0F, data.n());
    CHECK(saxpy.report().evaluations == 2);
    CHECK(attune::total(saxpy.report().failures) == 0);
}

TEST_CASE("rules about the code keep variants from being launched")
{
    auto kernel = saxpy_kernel<on_host, plain, quick>();
    kernel.require(attune::occupancy > 10);
    attune::tuned saxpy{kernel, saxpy_compiler(), attune::memory_store{}, quick_options()};
    saxpy_data data;
    std::string const said = error_of([&] { saxpy(data.x, data.y, 2.0F, data.n()); });
    CHECK(has(said, "the default configuration of kernel 'saxpy' did not launch"));
    CHECK(has(said, "occupancy"));
    CHECK(data.called_times(0, 2.0F));
}

TEST_CASE("a device is looked for at the first call, not when a program starts")
{
    saxpy_data data;
    attune::tuned saxpy{saxpy_kernel<on_host, plain, quick>(),
                        emulated_compiler{{.driver = "/nowhere/libcuda.so.1"}},
                        attune::memory_store{}, quick_options()};
    std::string const said = error_of([&] { saxpy(data.x, data.y, 2.0F, data.n()); });
    CHECK(has(said, "no CUDA driver"));
    CHECK(has(said, "/nowhere/libcuda.so.1"));
    CHECK(data.called_times(0, 2.0F));
}

TEST_CASE("a stream that is being captured takes launches, but no tuning and no arrays of the host")
{
    emulated_device device{ATTUNE_EMULATED_CUDA};
    attune::detail::cuda::driver const& driver = *device.driver;
    saxpy_data data;
    device_data const there{device, data};
    attune::detail::cuda::stream stream{};
    REQUIRE(driver.stream_create(&stream, 0) == 0);
    attune::detail::cuda::graph graph{};
    auto saxpy = tuned_saxpy<on_device, plain, quick>();
    auto from_host = tuned_saxpy<on_host, plain, quick>();
    from_host(data.x, data.y, 2.0F, data.n());
    REQUIRE(driver.stream_begin_capture(stream, attune::detail::cuda::flag::capture_relaxed) == 0);
    std::string said = error_of([&] { saxpy.on(stream)(there.x, there.y, 2.0F, data.n()); });
    CHECK(has(said, "is being captured"));
    CHECK(has(said, "before the capture"));
    // The default stream would wait for the one that is being captured.
    said = error_of([&] { saxpy(there.x, there.y, 2.0F, data.n()); });
    CHECK(has(said, "is being captured"));
    said = error_of([&] { from_host.on(stream)(data.x, data.y, 2.0F, data.n()); });
    CHECK(has(said, "kernel 'saxpy'"));
    CHECK(has(said, "is being captured"));
    CHECK(has(said, "device_span"));
    REQUIRE(driver.stream_end_capture(stream, &graph) == 0); // none of them ended it
    CHECK(driver.graph_destroy(graph) == 0);
    CHECK(data.called_times(1, 2.0F));
    saxpy.on(stream)(there.x, there.y, 2.0F, data.n());
    REQUIRE(driver.stream_begin_capture(stream, attune::detail::cuda::flag::capture_relaxed) == 0);
    saxpy.on(stream)(there.x, there.y, 2.0F, data.n());
    REQUIRE(driver.stream_end_capture(stream, &graph) == 0);
    CHECK(there.fetch().called_times(1, 2.0F));
    attune::detail::cuda::executable_graph twice{};
    REQUIRE(driver.graph_instantiate(&twice, graph, 0) == 0);
    REQUIRE(driver.graph_launch(twice, stream) == 0);
    CHECK(there.fetch().called_times(2, 2.0F));
    CHECK(driver.executable_graph_destroy(twice) == 0);
    CHECK(driver.graph_destroy(graph) == 0);
    CHECK(driver.stream_destroy(stream) == 0);
}

TEST_CASE("a captured call takes the code that served its shape, while other code is to be checked")
{
    using floats = attune::device_span<float>;
    using constants = attune::device_span<float const>;
    using shape = attune::detail::shape_of_call<constants, floats, float, int>;
    emulated_device device{ATTUNE_EMULATED_CUDA};
    attune::detail::cuda::driver const& driver = *device.driver;
    saxpy_data const data;
    device_data const there{device, data};
    constants const x = there.x;
    auto compiler = saxpy_compiler();
    attune::memory_store store;
    attune::detail::dispatch_table known{saxpy_kernel<on_device, plain, quick>().describe(),
                                         attune::detail::make_any_compiler(compiler),
                                         attune::detail::make_any_store(store),
                                         quick_options(),
                                         shape::layout(),
                                         attune::detail::make_device_finder(compiler)};
    auto const obtain = [&](attune::detail::cuda::stream on) {
        auto const key = shape({})(x, there.y, 2.0F, data.n());
        return &known.obtain(key, {attune::number::of(std::int64_t{data.n()})},
                             attune::detail::make_frame_of<void, constants, floats, float, int>(
                                 {}, x, there.y, 2.0F, data.n()),
                             on);
    };
    auto const* const winner = obtain(nullptr);
    CHECK(known.report().configuration == "KIND=1 BLOCK=32");
    known.parts().shapes.look_again(*winner); // as a better winner does
    attune::detail::cuda::stream stream{};
    attune::detail::cuda::graph graph{};
    REQUIRE(driver.stream_create(&stream, 0) == 0);
    REQUIRE(driver.stream_begin_capture(stream, attune::detail::cuda::flag::capture_relaxed) == 0);
    CHECK(obtain(stream) == winner);
    REQUIRE(driver.stream_end_capture(stream, &graph) == 0);
    CHECK(driver.graph_destroy(graph) == 0);
    CHECK(driver.stream_destroy(stream) == 0);
}

TEST_CASE("a first call with arrays of the host leaves alone what another thread captures")
{
    emulated_device device{ATTUNE_EMULATED_CUDA};
    attune::detail::cuda::driver const& driver = *device.driver;
    saxpy_data data;
    auto from_host = tuned_saxpy<on_host, plain, quick>();
    std::promise<int> begun;
    std::promise<void> done;
    int ended = -1;
    std::thread other([&] {
        attune::detail::cuda::stream stream{};
        attune::detail::cuda::graph graph{};
        begun.set_value(
            driver.context_set_current(device.context) +
            driver.stream_create(&stream, attune::detail::cuda::flag::stream_non_blocking) +
            driver.stream_begin_capture(stream, 0)); // global, as by default
        done.get_future().wait();
        ended = driver.stream_end_capture(stream, &graph);
        if (graph != nullptr) driver.graph_destroy(graph);
        driver.stream_destroy(stream);
    });
    CHECK(begun.get_future().get() == 0);
    attune::detail::cuda::stream mine{};
    CHECK(driver.stream_create(&mine, attune::detail::cuda::flag::stream_non_blocking) == 0);
    CHECK(error_of([&] { from_host.on(mine)(data.x, data.y, 2.0F, data.n()); }).empty());
    done.set_value();
    other.join();
    CHECK(ended == 0);
    CHECK(data.called_times(1, 2.0F));
    CHECK(driver.stream_destroy(mine) == 0);
}
