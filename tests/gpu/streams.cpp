// tests/gpu/streams.cpp - tuned kernels on a program's streams and in its graphs, on a real GPU.
// SPDX-License-Identifier: MIT
#include <attune/cuda/code.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/tune/tuned.hpp>

#include <doctest/doctest.h>
#include <string>
#include <variant>
#include <vector>

#include "../support/gpu_saxpy.hpp"
#include "../support/texts.hpp"

using namespace attune_test;
namespace cuda = attune::detail::cuda;

namespace {

/// The program's own kernel: waits so many nanoseconds, then to[i] = from[i] * by.
constexpr char const* scale_text = R"(
extern "C" __global__ void scale(float const* from, float* to, float by, int n, long long wait_ns)
{
    unsigned long long begun, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begun));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - begun < wait_ns);
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i] * by;
}
)";

/// A stream of the program's, and its kernel.
struct program {
    gpu const& g;
    cuda::context_scope here;
    cuda::stream stream = nullptr;
    cuda::loaded_code code;

    program(gpu const& on, bool is_legacy)
        : g(on)
        , here(*on.context)
        , code(load(on))
    {
        if (!is_legacy)
            REQUIRE(g.driver->stream_create(&stream, cuda::flag::stream_non_blocking) == 0);
    }
    ~program()
    {
        if (stream != nullptr) CHECK(g.driver->stream_destroy(stream) == 0);
    }
    program(program const&) = delete;
    program& operator=(program const&) = delete;

    static cuda::loaded_code load(gpu const& g)
    {
        auto made = cuda::loaded_code::load(
            g.driver,
            g.compile(scale_text,
                      gpu_variant("scale", {"float const*", "float*", "float", "int", "long long"},
                                  16, 64)));
        if (auto const* const why = std::get_if<attune::failure>(&made)) FAIL(why->reason);
        return std::get<cuda::loaded_code>(std::move(made));
    }
    void scale(float const* from, float* to, float by, long long wait_ns)
    {
        int n = 1000;
        void* arguments[] = {&from, &to, &by, &n, &wait_ns};
        REQUIRE(code.launch(arguments, stream) == 0);
    }
    void wait() const { REQUIRE(g.driver->stream_synchronize(stream) == 0); }
};

constexpr long long long_ns = 100'000'000; // that nobody outruns

} // namespace

TEST_CASE("work before and after a call is in order, on the legacy stream and on one of its own")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    for (bool const is_legacy : {true, false}) {
        CAPTURE(is_legacy);
        program p{*g, is_legacy};
        saxpy_data const data(gpu_elements);
        saxpy_arrays there{data};
        attune::device_array<float> input{data.x.size(), 0};
        attune::device_array<float> twice{data.x.size(), 0};
        float* const x = there.x.span().data();
        float* const y = there.y.span().data();
        auto saxpy = tuned_here<on_device, plain, quick, doubled>(*g);
        auto const call = [&] {
            if (is_legacy)
                saxpy(input.span(), there.y.span(), 2.0F, data.n());
            else
                saxpy.on(p.stream)(input.span(), there.y.span(), 2.0F, data.n());
        };
        for (int times = 1; times <= 3; ++times) { // the first one tunes
            CAPTURE(times);
            p.scale(x, input.span().data(), 0.0F, 0);
            p.wait();
            p.scale(x, input.span().data(), 1.0F, long_ns); // what the call is to read
            call();
            p.scale(y, twice.span().data(), 2.0F, 0); // what the call has written
            p.wait();
            INFO(all_of(saxpy.report()));
            CHECK(there.called_times(times, 2.0F));
            std::vector<float> const got = twice.to_host();
            CHECK(got[0] == 2 * (100 + static_cast<float>(times) * 2));
            CHECK(got[999] == 2 * (100 + static_cast<float>(times) * 2000));
        }
        CHECK(has(saxpy.report().configuration, "KIND=1 "));
    }
    CHECK(g->is_alive());
}

TEST_CASE("a call on arrays of the device returns while its stream is still at work")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    program p{*g, false};
    saxpy_data const data(gpu_elements);
    saxpy_arrays there{data};
    auto saxpy = tuned_here<on_device, plain, quick>(*g);
    saxpy.on(p.stream)(there.x.span(), there.y.span(), 2.0F, data.n());
    p.wait();
    cuda::event done{};
    REQUIRE(g->driver->event_create(&done, 0) == 0);
    attune::device_array<float> unused{data.x.size(), 0};
    p.scale(there.x.span().data(), unused.span().data(), 1.0F, 20 * long_ns);
    saxpy.on(p.stream)(there.x.span(), there.y.span(), 2.0F, data.n());
    REQUIRE(g->driver->event_record(done, p.stream) == 0);
    CHECK(g->driver->event_query(done) == cuda::not_ready); // two seconds of work are before it
    p.wait();
    CHECK(g->driver->event_query(done) == 0);
    CHECK(g->driver->event_destroy(done) == 0);
    CHECK(there.called_times(2, 2.0F));
}

TEST_CASE("arrays of the host are copied in order with a stream of the program's")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    program p{*g, false};
    saxpy_data data(gpu_elements);
    attune::device_array<float> unused{data.x.size(), 0};
    auto saxpy = tuned_here<on_host, plain, quick>(*g);
    for (int times = 1; times <= 3; ++times) {
        p.scale(unused.span().data(), unused.span().data(), 1.0F, long_ns);
        saxpy.on(p.stream)(data.x, data.y, 2.0F, data.n());
        CHECK(data.called_times(times, 2.0F)); // such a call waits for its end
    }
}

TEST_CASE("a tuned kernel is captured into a graph and replayed; a first call in a capture is not")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    cuda::driver const& driver = *g->driver;
    program p{*g, false};
    saxpy_data data(gpu_elements);
    saxpy_arrays there{data};
    auto saxpy = tuned_here<on_device, plain, quick>(*g);
    auto from_host = tuned_here<on_host, plain, quick>(*g);
    from_host(data.x, data.y, 2.0F, data.n());
    auto const call = [&] { saxpy.on(p.stream)(there.x.span(), there.y.span(), 2.0F, data.n()); };
    int const modes[] = {0, cuda::flag::capture_this_thread, cuda::flag::capture_relaxed};

    for (int const mode : modes) {
        CAPTURE(mode);
        cuda::graph graph{};
        REQUIRE(driver.stream_begin_capture(p.stream, mode) == 0);
        std::string said = error_of(call);
        INFO(said);
        CHECK(has(said, "is being captured"));
        CHECK(has(said, "before the capture"));
        said = error_of([&] { from_host.on(p.stream)(data.x, data.y, 2.0F, data.n()); });
        INFO(said);
        CHECK(has(said, "is being captured"));
        REQUIRE(driver.stream_end_capture(p.stream, &graph) == 0); // none of them ended it
        if (graph != nullptr) CHECK(driver.graph_destroy(graph) == 0);
    }
    CHECK(data.called_times(1, 2.0F));
    CHECK(there.called_times(0, 2.0F));

    call(); // tunes
    p.wait();
    int times = 1;
    CHECK(there.called_times(times, 2.0F));
    for (int const mode : modes) {
        CAPTURE(mode);
        cuda::graph graph{};
        cuda::executable_graph twice{};
        REQUIRE(driver.stream_begin_capture(p.stream, mode) == 0);
        call();
        call();
        REQUIRE(driver.stream_end_capture(p.stream, &graph) == 0);
        CHECK(there.called_times(times, 2.0F)); // capturing runs nothing
        REQUIRE(driver.graph_instantiate(&twice, graph, 0) == 0);
        for (int replays = 0; replays < 3; ++replays) {
            REQUIRE(driver.graph_launch(twice, p.stream) == 0);
            p.wait();
            times += 2;
            CHECK(there.called_times(times, 2.0F));
        }
        CHECK(driver.executable_graph_destroy(twice) == 0);
        CHECK(driver.graph_destroy(graph) == 0);
    }
    CHECK(g->is_alive());
}
