// tests/gpu/tuned.cpp - kernels that tune themselves on a real GPU: data, records, memory.
// SPDX-License-Identifier: MIT
#include <attune/tune/tuned.hpp>

#include <attune/compile/system/process.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "../support/gpu_saxpy.hpp"
#include "../support/texts.hpp"

using namespace attune_test;
using attune::decision;

namespace {

/// Launches of kernels in this process, by whichever function.
std::atomic<int> launches_here{0};
attune::detail::cuda::driver const* real_driver = nullptr;

attune::detail::cuda::result counted_launch(attune::detail::cuda::function what, unsigned gx,
                                            unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                            unsigned bz, unsigned shared_bytes,
                                            attune::detail::cuda::stream on, void** arguments,
                                            void** extra)
{
    ++launches_here;
    return real_driver->launch_kernel(what, gx, gy, gz, bx, by, bz, shared_bytes, on, arguments,
                                      extra);
}
attune::detail::cuda::result counted_launch_ex(attune::detail::cuda::launch_config const* how,
                                               attune::detail::cuda::function what,
                                               void** arguments, void** extra)
{
    ++launches_here;
    return real_driver->launch_kernel_ex(how, what, arguments, extra);
}
attune::detail::cuda::result counted_graph(attune::detail::cuda::executable_graph what,
                                           attune::detail::cuda::stream on)
{
    ++launches_here;
    return real_driver->graph_launch(what, on);
}

/// NVRTC, and a driver that counts the launches of this process.
class counting_compiler : public attune::nvrtc_compiler {
public:
    explicit counting_compiler(gpu const& g)
        : attune::nvrtc_compiler(g.compiler)
        , target_(std::make_shared<attune::cuda_target>(g.compiler.target()))
    {
        real_driver = g.driver.get();
        auto counted = std::make_shared<attune::detail::cuda::driver>(*g.driver);
        counted->launch_kernel = counted_launch;
        counted->launch_kernel_ex = counted_launch_ex;
        counted->graph_launch = counted_graph;
        target_->driver = counted;
    }
    [[nodiscard]] attune::cuda_target const& target() const { return *target_; }

private:
    std::shared_ptr<attune::cuda_target> target_;
};

/// Memory of a device that a process gave back is free a little later: when it stays the same.
std::size_t free_bytes_at_rest(gpu const& g)
{
    std::size_t now = g.free_bytes();
    for (int i = 0, same = 0; i < 50 && same < 4; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        std::size_t const later = g.free_bytes();
        same = later == now ? same + 1 : 0;
        now = later;
    }
    return now;
}

} // namespace

TEST_CASE("device spans, device pointers and host spans: the data is what one call makes of it")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    for (attune::isolation const how : {attune::isolation::automatic, attune::isolation::none}) {
        attune::tuning_options options = gpu_options();
        options.measuring.protect = how;
        saxpy_data data(gpu_elements);
        saxpy_arrays there{data};
        auto by_span = tuned_here<on_device, plain, quick, doubled>(*g, options);
        by_span(there.x.span(), there.y.span(), 2.0F, data.n());
        INFO(all_of(by_span.report()));
        CHECK(there.called_times(1, 2.0F));
        CHECK(has(by_span.report().configuration, "KIND=1 "));
        CHECK(by_span.report().how == decision::tuned);
        CHECK(by_span.report().evaluations == 6);
        CHECK(failed(by_span.report(), attune::failure_stage::verify) == 2);
        CHECK(by_span.report().speedup_low > 1);
        by_span(there.x.span(), there.y.span(), 2.0F, data.n());
        CHECK(there.called_times(2, 2.0F));

        auto kernel = saxpy_kernel<by_pointer, plain, quick>();
        kernel.extent<0>(saxpy_n).extent<1>(saxpy_n);
        attune::tuned by_address{kernel, g->compiler, attune::memory_store{}, options};
        by_address(there.x.span().data(), there.y.span().data(), 2.0F, data.n());
        INFO(all_of(by_address.report()));
        CHECK(there.called_times(3, 2.0F));
        CHECK(has(by_address.report().configuration, "KIND=1 "));

        auto from_host = tuned_here<on_host, plain, quick, one_wrong>(*g, options);
        from_host(data.x, data.y, 3.0F, data.n());
        INFO(all_of(from_host.report()));
        CHECK(data.called_times(1, 3.0F));
        from_host(data.x, data.y, 3.0F, data.n());
        CHECK(data.called_times(2, 3.0F));
        saxpy_data larger(5000); // other sizes are tuned for anew
        from_host(larger.x, larger.y, 3.0F, larger.n());
        CHECK(larger.called_times(1, 3.0F));
        CHECK(g->is_alive());
    }
}

TEST_CASE("parts of arrays, empty arrays and arrays at odd addresses are what they are")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    saxpy_data data(1007);
    saxpy_arrays there{data};
    auto saxpy = tuned_here<on_device, plain, quick>(*g);
    attune::device_span<float> const x = there.x.span();
    attune::device_span<float> const y = there.y.span();
    saxpy({x.data() + 3, 1001}, {y.data() + 3, 1001}, 2.0F, 1001);
    INFO(all_of(saxpy.report()));
    std::vector<float> const got = there.y.to_host();
    int wrong = 0;
    for (std::size_t i = 0; i < got.size(); ++i)
        wrong += got[i] != (i >= 3 && i < 1004 ? 100 + 2 * data.x[i] : 100.0F);
    CHECK(wrong == 0);
    CHECK(has(saxpy.report().configuration, "KIND=1 "));
}

TEST_CASE("a default that nothing beats stays")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    saxpy_data const data(gpu_elements);
    saxpy_arrays there{data};
    // The quick kind is the default here: what is before it in the text is replaced.
    std::string text = gpu_saxpy_text;
    std::string const stated = "ATTUNE_TUNABLE(KIND, 0)";
    text.replace(text.find(stated), stated.size(), "ATTUNE_TUNABLE(KIND, 1)");
    attune::kernel<on_device> kernel{
        "saxpy", attune::source_text(text, "saxpy.cu"),
        attune::space(attune::categorical<"KIND">(static_cast<int>(plain), static_cast<int>(quick),
                                                  static_cast<int>(doubled)),
                      attune::ordinal<"BLOCK">(attune::values(64)))};
    kernel.bind<3>(saxpy_n).grid(attune::ceil_div(saxpy_n, 64)).block(64);
    attune::tuned saxpy{kernel, g->compiler, attune::memory_store{}, gpu_options()};
    saxpy(there.x.span(), there.y.span(), 2.0F, data.n());
    attune::tuning_report const report = saxpy.report();
    INFO(all_of(report));
    CHECK(report.how == decision::kept_default);
    CHECK(report.configuration == report.default_configuration);
    CHECK(report.speedup == 1.0);
    CHECK(there.called_times(1, 2.0F));
}

TEST_CASE("this process launches nothing but the call: while a worker tunes, and from the store")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    attune::detail::temporary_folder const folder;
    saxpy_data const data(gpu_elements);
    saxpy_arrays there{data};
    counting_compiler const compiler{*g};
    launches_here = 0;
    {
        attune::tuned saxpy{saxpy_kernel<on_device, plain, quick, doubled>(), compiler,
                            attune::store{folder.path() + "/saxpy.attune"}, gpu_options()};
        saxpy(there.x.span(), there.y.span(), 2.0F, data.n());
        INFO(all_of(saxpy.report()));
        CHECK(saxpy.report().how == decision::tuned);
        CHECK(launches_here == 1);
        CHECK(there.called_times(1, 2.0F));
    }
    attune::tuned again{saxpy_kernel<on_device, plain, quick, doubled>(), compiler,
                        attune::store{folder.path() + "/saxpy.attune"}, gpu_options()};
    again(there.x.span(), there.y.span(), 2.0F, data.n());
    INFO(all_of(again.report()));
    CHECK(again.report().how == decision::remembered);
    CHECK(again.report().evaluations == 0);
    CHECK(has(again.report().configuration, "KIND=1 "));
    CHECK(launches_here == 2);
    CHECK(there.called_times(2, 2.0F));
    again(there.x.span(), there.y.span(), 2.0F, data.n());
    CHECK(launches_here == 3);
    CHECK(there.called_times(3, 2.0F));
}

TEST_CASE("what a tuning took of the device's memory it gives back")
{
    gpu const* const g = gpu_here(240);
    if (g == nullptr) return;
    saxpy_data data(1 << 20); // 4 MiB: no small change of an allocator
    auto const tune = [&](attune::isolation how, bool as_graph, attune::cache_state cache) {
        attune::tuning_options options = gpu_options();
        options.measuring.protect = how;
        options.device.as_graph = as_graph;
        options.measuring.cache = cache;
        saxpy_data mine = data;
        saxpy_arrays there{mine};
        auto on_span = tuned_here<on_device, plain, quick, doubled>(*g, options);
        on_span(there.x.span(), there.y.span(), 2.0F, mine.n());
        auto from_host = tuned_here<on_host, plain, quick>(*g, options);
        from_host(mine.x, mine.y, 2.0F, mine.n());
    };
    for (attune::isolation const how : {attune::isolation::automatic, attune::isolation::none})
        for (bool const as_graph : {false, true})
            for (attune::cache_state const cache :
                 {attune::cache_state::warm, attune::cache_state::cold}) {
                CAPTURE(describe(how));
                CAPTURE(as_graph);
                tune(how, as_graph, cache); // the driver keeps some for itself the first time
                std::size_t const before = free_bytes_at_rest(*g);
                for (int i = 0; i < 2; ++i)
                    tune(how, as_graph, cache);
                CHECK(free_bytes_at_rest(*g) >= before);
                CHECK(g->is_alive());
            }
}
