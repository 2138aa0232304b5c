// tests/opencl/driver.cpp : mirrors include/attune/opencl/driver.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/opencl/driver.hpp>

#include <attune/cuda/code.hpp>
#include <attune/cuda/primary_context.hpp>
#include <attune/measure/device/device_call.hpp>
#include <attune/measure/device/worker/driver_opener.hpp>
#include <attune/opencl/detail/commands.hpp>
#include <attune/opencl/detail/machine.hpp>
#include <attune/opencl/device.hpp>
#include <attune/opencl/library.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <doctest/doctest.h>
#include <future>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "../support/needs_opencl.hpp"
#include "../support/opencl_gate.hpp"
#include "../support/texts.hpp"

namespace cl = attune::detail::opencl;
namespace cuda = attune::detail::cuda;
namespace worker = attune::detail::worker;
using cuda::device_pointer;

namespace {

/// A table with the path of OpenCL's, to ask for what its kind has.
std::unique_ptr<cuda::driver> driver_of_opencl()
{
    auto out = std::make_unique<cuda::driver>();
    out->path = std::string(cl::driver_prefix);
    return out;
}

/// The driver, with its first device's context current.
struct in_context {
    std::shared_ptr<cuda::driver const> driver = cl::open_driver();
    cuda::primary_context context{driver, 0};
    cuda::context_scope here{context};

    [[nodiscard]] device_pointer allocate(std::size_t bytes) const
    {
        device_pointer at = 0;
        REQUIRE(driver->memory_allocate(&at, bytes) == cuda::success);
        return at;
    }
    [[nodiscard]] std::vector<int> ints_at(device_pointer at, std::size_t count) const
    {
        std::vector<int> out(count);
        CHECK(driver->copy_to_host(out.data(), at, count * sizeof(int)) == cuda::success);
        return out;
    }
};

cuda::loaded_code loaded(in_context const& in, char const* text, std::string const& name,
                         std::vector<std::string> arguments, attune::launch_geometry launch)
{
    attune::compile_request v = attune_test::opencl_request(name, std::move(arguments));
    v.launch = launch;
    attune::callable const code = attune_test::opencl_callable(
        attune_test::opencl_here().compile(attune_test::opencl_source(text), v));
    auto made = cuda::loaded_code::load(in.driver, attune::device_variant_of(code));
    if (auto const* const why = std::get_if<attune::failure>(&made)) FAIL(why->reason);
    return std::move(std::get<cuda::loaded_code>(made));
}

} // namespace

TEST_CASE("bytes go to a buffer and back, from any place in it")
{
    if (!attune_test::has_opencl()) return;
    in_context const in;
    std::vector<int> values(1000);
    std::iota(values.begin(), values.end(), 1);
    device_pointer const a = in.allocate(4000);
    device_pointer const b = in.allocate(4000);
    CHECK(in.driver->copy_to_device(a, values.data(), 4000) == cuda::success);
    CHECK(in.ints_at(a, 1000) == values);
    CHECK(in.ints_at(a + 40, 2) == std::vector{11, 12});
    CHECK(in.driver->copy_on_device(b + 4, a + 8, 12) == cuda::success);
    CHECK(in.ints_at(b + 4, 3) == std::vector{3, 4, 5});
    CHECK(in.driver->copy_to_device(a + 3996, values.data(), 8) != cuda::success);
    CHECK(in.driver->copy_to_host(values.data(), b + 4000 + 4096, 4) != cuda::success);
    CHECK(in.driver->memory_free(a + 4) != cuda::success);
    CHECK(in.driver->memory_free(a) == cuda::success);
    CHECK(in.driver->copy_to_host(values.data(), a, 4) != cuda::success);
    CHECK(in.driver->memory_free(b) == cuda::success);
}

TEST_CASE("an address belongs to its own buffer alone")
{
    if (!attune_test::has_opencl()) return;
    in_context const in;
    device_pointer const a = in.allocate(100);
    device_pointer base = 0;
    std::size_t bytes = 0;
    CHECK(in.driver->memory_get_address_range(&base, &bytes, a + 50) == cuda::success);
    CHECK(base == a);
    CHECK(bytes == 100);
    CHECK(cuda::bytes_from(*in.driver, a + 60, 40) == 40);
    CHECK(in.driver->memory_get_address_range(&base, &bytes, a + 101) != cuda::success);
    int on_host = 0;
    CHECK(in.driver->memory_get_address_range(
              &base, &bytes, reinterpret_cast<device_pointer>(&on_host)) != cuda::success);
    CHECK(in.driver->memory_free(a) == cuda::success);
}

TEST_CASE("more bytes than the device has are out of memory, with the number")
{
    if (!attune_test::has_opencl()) return;
    in_context const in;
    device_pointer at = 0;
    CHECK(in.driver->memory_allocate(&at, std::size_t{1} << 50) == cuda::out_of_memory);
    std::string const said = attune_test::error_of([&] {
        cuda::throw_out_of_memory(*in.driver, 77, "argument 2", "this device", "use less");
    });
    CHECK(said.find("argument 2: 77 bytes were asked for on this device") != said.npos);
}

TEST_CASE("buffers that together need more bytes than the device has are out of memory")
{
    if (!attune_test::has_opencl()) return;
    in_context const in;
    constexpr std::size_t mebibyte = std::size_t{1} << 20;
    cl::machine& m = cl::this_machine();
    auto const real = m.functions;
    static auto const get = real->get_device_info;
    auto const small = std::make_shared<cl::library>(*real);
    small->get_device_info = [](cl::device of, unsigned what, std::size_t room, void* out,
                                std::size_t* bytes) {
        cl::result const said = get(of, what, room, out, bytes);
        constexpr std::uint64_t all = 64 * mebibyte;
        if (what == cl::of_device::global_bytes) std::memcpy(out, &all, sizeof all);
        return said;
    };
    m.functions = small;
    device_pointer const first = in.allocate(40 * mebibyte);
    device_pointer second = 0;
    CHECK(in.driver->memory_allocate(&second, 40 * mebibyte) == cuda::out_of_memory);
    CHECK(in.driver->memory_free(first) == cuda::success);
    CHECK(in.driver->memory_allocate(&second, 40 * mebibyte) == cuda::success);
    CHECK(in.driver->memory_free(second) == cuda::success);
    m.functions = real;
}

TEST_CASE("a kernel gets arrays, numbers and local memory; a changed argument is set anew")
{
    if (!attune_test::has_opencl()) return;
    in_context const in;
    char const* const text = R"cl(
kernel void reverse(global int const* x, long shift, global int* y, local int* tile)
{
    int const i = get_local_id(0);
    tile[i] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    y[get_global_id(0)] = tile[get_local_size(0) - 1 - i] + (int)shift;
}
)cl";
    attune::launch_geometry launch;
    launch.grid = {2, 1, 1};
    launch.block = {8, 1, 1};
    launch.shared_bytes = 32;
    cuda::loaded_code const code =
        loaded(in, text, "reverse", {"int const*", "long", "int*"}, launch);
    std::vector<int> values(16);
    std::iota(values.begin(), values.end(), 0);
    device_pointer x = in.allocate(64);
    device_pointer y = in.allocate(64);
    device_pointer z = in.allocate(64);
    CHECK(in.driver->copy_to_device(x, values.data(), 64) == cuda::success);
    std::int64_t shift = 100;
    void* arguments[] = {&x, &shift, &y};
    auto const run = [&] {
        REQUIRE(code.launch(arguments, nullptr) == cuda::success);
        REQUIRE(in.driver->stream_synchronize(nullptr) == cuda::success);
    };
    run();
    CHECK(in.ints_at(y, 3) == std::vector{107, 106, 105});
    CHECK(in.ints_at(y + 32, 1) == std::vector{115});
    shift = 1;
    run();
    CHECK(in.ints_at(y, 1) == std::vector{8});
    std::swap(y, z);
    run();
    CHECK(in.ints_at(y, 1) == std::vector{8});
    // A freed address may come back for another buffer, and the kernel must not keep the old one.
    device_pointer const before = x;
    CHECK(in.driver->memory_free(x) == cuda::success);
    cl::result said = cl::success;
    cl::memory const other = cl::library_in_use()->create_buffer( // may get the old one's handle
        cl::context_of(0), cl::flag::read_write, 64, nullptr, &said);
    REQUIRE(said == cl::success);
    x = in.allocate(64);
    WARN(x == before);
    std::vector<int> const fifties(16, 50);
    CHECK(in.driver->copy_to_device(x, fifties.data(), 64) == cuda::success);
    run();
    CHECK(in.ints_at(y, 1) == std::vector{51});
    cl::library_in_use()->release_memory(other);
    for (device_pointer const one : {x, y, z})
        CHECK(in.driver->memory_free(one) == cuda::success);
}

TEST_CASE("an address inside of a buffer is a sub-buffer where the device's alignment allows it")
{
    if (!attune_test::has_opencl()) return;
    in_context const in;
    char const* const text = "kernel void mark(global int* x) { x[get_global_id(0)] = 5; }";
    attune::launch_geometry launch;
    launch.block = {4, 1, 1};
    cuda::loaded_code const code = loaded(in, text, "mark", {"int*"}, launch);
    device_pointer const x = in.allocate(4096);
    std::vector<int> const zeros(1024);
    CHECK(in.driver->copy_to_device(x, zeros.data(), 4096) == cuda::success);
    device_pointer part = x + 1024;
    void* arguments[] = {&part};
    for (int time = 0; time < 2; ++time) { // the second launch uses the same sub-buffer
        REQUIRE(code.launch(arguments, nullptr) == cuda::success);
        REQUIRE(in.driver->stream_synchronize(nullptr) == cuda::success);
    }
    CHECK(in.ints_at(x + 1020, 6) == std::vector{0, 5, 5, 5, 5, 0});
    part = x + 4;
    CHECK(code.launch(arguments, nullptr) == cl::misaligned_sub_buffer);
    part = 12345; // no buffer
    CHECK(code.launch(arguments, nullptr) != cuda::success);
    CHECK(in.driver->memory_free(x) == cuda::success);
}

TEST_CASE("events time the kernels between them, and a graph runs its commands again")
{
    if (!attune_test::has_opencl()) return;
    in_context const in;
    char const* const text = R"cl(
kernel void work(global int* x, int rounds)
{
    int sum = x[get_global_id(0)];
    for (int i = 0; i < rounds; ++i) sum = sum * 1664525 + 1013904223;
    x[get_global_id(0)] = sum;
}
)cl";
    attune::launch_geometry launch;
    launch.block = {4, 1, 1};
    cuda::loaded_code const code = loaded(in, text, "work", {"int*", "int"}, launch);
    device_pointer x = in.allocate(64);
    cuda::driver const& d = *in.driver;
    cuda::stream on = nullptr;
    cuda::event begin = nullptr;
    cuda::event end = nullptr;
    REQUIRE(d.stream_create(&on, 0) == cuda::success);
    REQUIRE(d.event_create(&begin, 0) == cuda::success);
    REQUIRE(d.event_create(&end, 0) == cuda::success);
    int rounds = 1;
    void* arguments[] = {&x, &rounds};
    auto const milliseconds = [&](int of) {
        rounds = of;
        CHECK(d.event_record(begin, on) == cuda::success);
        CHECK(code.launch(arguments, on) == cuda::success);
        CHECK(d.event_record(end, on) == cuda::success);
        CHECK(d.stream_synchronize(on) == cuda::success);
        CHECK(d.event_query(end) == cuda::success);
        float out = -1;
        CHECK(d.event_elapsed_ms(&out, begin, end) == cuda::success);
        return out;
    };
    static_cast<void>(milliseconds(1)); // the platform compiles at the first launch
    CHECK(milliseconds(50'000'000) >
          1.0F); // 5e7 dependent products take more than 10 ms on any processor

    std::vector<int> const zeros(16);
    cuda::graph captured = nullptr;
    cuda::executable_graph ready = nullptr;
    rounds = 1;
    CHECK(d.stream_begin_capture(on, cuda::flag::capture_this_thread) == cuda::success);
    CHECK(d.set_bytes_async(x, 0, 64, on) == cuda::success);
    CHECK(code.launch(arguments, on) == cuda::success);
    CHECK(code.launch(arguments, on) == cuda::success);
    CHECK(d.stream_end_capture(on, &captured) == cuda::success);
    REQUIRE(d.graph_instantiate(&ready, captured, 0) == cuda::success);
    CHECK(d.graph_destroy(captured) == cuda::success);
    rounds = 99; // the graph has its own arguments
    std::vector<int> const ones(16, 1);
    for (int time = 0; time < 2; ++time) {
        CHECK(d.copy_to_device(x, ones.data(), 64) == cuda::success);
        CHECK(d.graph_launch(ready, on) == cuda::success);
        CHECK(d.stream_synchronize(on) == cuda::success);
        int const twice = static_cast<int>(1013904223U * 1664525U + 1013904223U);
        CHECK(in.ints_at(x, 1) == std::vector{twice});
    }
    CHECK(d.executable_graph_destroy(ready) == cuda::success);
    CHECK(d.event_destroy(begin) == cuda::success);
    CHECK(d.event_destroy(end) == cuda::success);
    CHECK(d.stream_destroy(on) == cuda::success);
    CHECK(d.memory_free(x) == cuda::success);
}

TEST_CASE(
    "a damaged image is no binary for the device, and the driver has OpenCL's names of errors")
{
    if (!attune_test::has_opencl()) return;
    in_context const in;
    cuda::module loaded_module = nullptr;
    CHECK(in.driver->module_load_data(&loaded_module, "a CUBIN, perhaps") ==
          cuda::no_binary_for_device);
    cl::code_image image;
    image.binary = "no binary";
    CHECK(in.driver->module_load_data(&loaded_module, cl::text_of_image(image).c_str()) !=
          cuda::success);
    CHECK(cuda::text_of(*in.driver, -54) == "CL_INVALID_WORK_GROUP_SIZE");
    CHECK(cuda::text_of(*in.driver, cuda::out_of_memory) ==
          "CL_MEM_OBJECT_ALLOCATION_FAILURE: out of memory");
}

TEST_CASE("a device has the same bus id in every process, in the form of one")
{
    if (!attune_test::has_opencl()) return;
    auto const driver = cl::open_driver();
    char text[64] = "";
    CHECK(driver->device_get_pci_bus_id(text, sizeof text, 0) == cuda::success);
    CHECK(std::strlen(text) == std::string("0000:3b:00.0").size());
    CHECK(driver->device_get_pci_bus_id(text, sizeof text, 1000) == cuda::invalid_device);
}

TEST_CASE("buffers of the program keep their addresses while they are shared")
{
    if (!attune_test::has_opencl()) return;
    in_context const in;
    cl::library const& of = *cl::library_in_use();
    cl::result said = 0;
    cl::memory const whole =
        of.create_buffer(cl::context_of(0), cl::flag::read_write, 8192, nullptr, &said);
    REQUIRE(said == cl::success);
    cl::sub_buffer const region{4096, 1024};
    cl::memory const part =
        of.create_sub_buffer(whole, 0, cl::flag::sub_buffer_region, &region, &said);
    REQUIRE(said == cl::success);
    {
        cl::buffer_address const first(0, whole);
        cl::buffer_address const second(0, part); // a part of the same range
        CHECK(first.bytes() == 8192);
        CHECK(second.bytes() == 1024);
        CHECK(second.address() == first.address() + 4096);
        std::vector<int> const values{1, 2, 3};
        CHECK(in.driver->copy_to_device(second.address(), values.data(), 12) == cuda::success);
        CHECK(in.ints_at(first.address() + 4096, 3) == values);
    }
    of.release_memory(part);
    of.release_memory(whole);
}

TEST_CASE("of two shares in one sub-buffer the first may end; a span longer than it is refused")
{
    if (!attune_test::has_opencl()) return;
    in_context const in;
    cl::library const& of = *cl::library_in_use();
    cl::result said = 0;
    cl::memory const whole =
        of.create_buffer(cl::context_of(0), cl::flag::read_write, 8192, nullptr, &said);
    REQUIRE(said == cl::success);
    cl::sub_buffer const region{4096, 1024};
    cl::sub_buffer const longer{4096, 2048};
    cl::memory const part =
        of.create_sub_buffer(whole, 0, cl::flag::sub_buffer_region, &region, &said);
    cl::memory const more =
        of.create_sub_buffer(whole, 0, cl::flag::sub_buffer_region, &longer, &said);
    REQUIRE(said == cl::success);
    auto first = std::make_unique<cl::buffer_address>(0, part);
    cl::buffer_address const second(0, part);
    device_pointer const at = second.address();
    CHECK(cl::argument_at(at).first == part);
    first.reset();
    CHECK(cl::argument_at(at).first == part); // second still names it
    CHECK(cuda::bytes_from(*in.driver, at, 1) == 1024);
    {
        cl::buffer_address const third(0, more);
        CHECK(third.address() == at);
        CHECK(cl::argument_at(at).first == more); // holds the shorter one's bytes too
        CHECK(cuda::bytes_from(*in.driver, at, 1) == 2048);
    }
    CHECK(cl::argument_at(at).first == part);
    for (cl::memory const one : {more, part, whole})
        of.release_memory(one);
}

TEST_CASE("while a copy waits for a kernel, other threads make and free memory")
{
    if (!attune_test::has_opencl()) return;
    in_context const in;
    attune_test::opencl_gate gate(cl::default_queue_of(0));
    device_pointer const x = in.allocate(64);
    std::thread copying([&] {
        cuda::context_scope const here{in.context};
        int values[16] = {};
        CHECK(in.driver->copy_to_host(values, x, sizeof values) == cuda::success);
    });
    std::promise<void> made;
    std::thread making([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100)); // the copy waits by then
        cuda::context_scope const here{in.context};
        device_pointer const y = in.allocate(64);
        CHECK(in.driver->memory_free(y) == cuda::success);
        made.set_value();
    });
    bool const is_free =
        made.get_future().wait_for(std::chrono::seconds(20)) == std::future_status::ready;
    gate.open();
    copying.join();
    making.join();
    CHECK(is_free);
    CHECK(in.driver->memory_free(x) == cuda::success);
}

TEST_CASE("the library's own error comes out, and a context without a queue is released")
{
    if (!attune_test::has_opencl()) return;
    auto const driver = cl::open_driver();
    cl::machine& m = cl::this_machine();
    static int released = 0;
    auto const real = m.functions;
    static auto const release = real->release_context;
    auto const failing = std::make_shared<cl::library>(*real);
    failing->create_queue = [](cl::context, cl::device, cl::bits const*, cl::result* said) {
        *said = -35; // CL_INVALID_QUEUE_PROPERTIES
        return cl::queue{};
    };
    failing->release_context = [](cl::context of) {
        ++released;
        return release(of);
    };
    std::unique_ptr<cl::context_state> kept = std::move(m.contexts[0]);
    m.functions = failing;
    cuda::context got = nullptr;
    cuda::result const said = driver->primary_context_retain(&got, 0);
    std::string const text = attune_test::error_of([] { static_cast<void>(cl::context_of(0)); });
    m.functions = real;
    m.contexts[0] = std::move(kept);
    CHECK(said == -35);
    CHECK(text.find("CL_INVALID_QUEUE_PROPERTIES") != text.npos);
    CHECK(released == 2);
}

TEST_CASE("copies for variants begin where every device allows a sub-buffer")
{
    std::size_t const alignment = worker::alignment_of(*driver_of_opencl());
    CHECK(alignment % 512 == 0); // NVIDIA's OpenCL
    std::vector<attune::detail::device_buffer> arrays(1);
    arrays[0].where.data = reinterpret_cast<std::byte*>(std::uintptr_t{7 * 4096 + 512});
    arrays[0].where.bytes = 100;
    CHECK(attune::detail::plan_copies(arrays, alignment).regions.at(0).skew() == 512);
    CHECK(attune::detail::plan_copies(arrays).regions.at(0).skew() == 0); // CUDA's
    if (!attune_test::has_opencl()) return;
    static_cast<void>(cl::open_driver());
    for (std::size_t i = 0; i < cl::devices_in_use().size(); ++i)
        CHECK(alignment % cl::base_alignment(static_cast<int>(i)) == 0);
}
