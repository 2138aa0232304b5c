// tests/tune/device/cuda/more_devices.cpp - which devices may measure for another, and tunings on several.
// SPDX-License-Identifier: MIT
#include <attune/remember/files/event_log.hpp>
#include <attune/tune/device/cuda/cuda_bench.hpp>
#include <attune/tune/tuned.hpp>

#include <atomic>
#include <cstddef>
#include <doctest/doctest.h>
#include <span>
#include <string>
#include <vector>

#include "../../../support/device_saxpy.hpp"
#include "../../../support/scratch_directory.hpp"

using namespace attune_test;
using attune::decision;

namespace {

attune::tuning_options on_devices(std::vector<int> others)
{
    attune::tuning_options out = quick_options();
    out.device.others = std::move(others);
    out.limits.seconds = 200; // workers start anew: with sanitizers that takes seconds
    return out;
}

/// Why a call that may use these devices is not tuned; empty: it is.
std::string refusal(std::vector<int> const& others,
                    attune::isolation protect = attune::isolation::automatic, int own = 0)
{
    attune::tuning_options options = on_devices(others);
    options.measuring.protect = protect;
    saxpy_data data;
    attune::tuned saxpy{saxpy_kernel<on_host, plain>(), saxpy_compiler(own), attune::memory_store{},
                        options};
    saxpy(data.x, data.y, 2.0F, data.n());
    return saxpy.report().reason;
}

} // namespace

TEST_CASE("where devices cannot help, the default serves, and the report names them")
{
    environment_value const count{"ATTUNE_EMULATED_DEVICES", "3"};
    environment_value const sizes{"ATTUNE_EMULATED_MULTIPROCESSORS", "4,4,8"};
    emulated_device device{ATTUNE_EMULATED_CUDA};
    CHECK(has(refusal({0}), "device 0 is the compiler's own"));
    CHECK(has(refusal({1}, attune::isolation::automatic, 1), "device 1 is the compiler's own"));
    CHECK(has(refusal({1, 1}), "device 1 is named twice"));
    CHECK(has(refusal({7}), "there is no CUDA device 7"));
    CHECK(has(refusal({-1}), "there is no CUDA device -1"));
    std::string const other = refusal({1, 2});
    CHECK(has(other, "device 2 is another kind than device 0"));
    CHECK(has(other, "8 multiprocessors"));
    CHECK(has(other, "tuning_options::device.others") == false);
    CHECK(has(refusal({1}, attune::isolation::none), "measured on one device only"));
    CHECK(has(refusal({1}, attune::isolation::guard), "isolation::guard"));
    CHECK(refusal({1}).empty());
}

TEST_CASE("for this processor there are no devices")
{
    saxpy_data data;
    auto nothing = scripted_compiler{[](attune::compile_request const&) {
        return reinterpret_cast<void*>(
            +[](std::span<float const>, std::span<float>, float, int) {});
    }};
    attune::tuned saxpy{saxpy_kernel<on_host, plain>(), nothing, attune::memory_store{},
                        on_devices({1})};
    saxpy(data.x, data.y, 2.0F, data.n());
    CHECK(has(saxpy.report().reason, "is for this processor: no device can measure it"));
}

TEST_CASE("three devices find what one finds, and share the work")
{
    environment_value const count{"ATTUNE_EMULATED_DEVICES", "3"};
    emulated_device device{ATTUNE_EMULATED_CUDA};
    saxpy_data data;
    device_data const there{device, data};
    auto alone = tuned_saxpy<on_device, plain, quick, doubled, idle_kind>();
    alone(there.x, there.y, 2.0F, data.n());
    auto shared = tuned_saxpy<on_device, plain, quick, doubled, idle_kind>({}, on_devices({2, 1}));
    shared(there.x, there.y, 2.0F, data.n());
    CHECK(there.fetch().called_times(2, 2.0F));
    attune::tuning_report const report = shared.report();
    INFO(report.summary());
    CHECK(report.configuration == "KIND=1 BLOCK=32");
    CHECK(report.configuration == alone.report().configuration);
    CHECK(report.evaluations == alone.report().evaluations);
    CHECK(report.failures == alone.report().failures);
    CHECK(report.best.value == doctest::Approx(132e-6).epsilon(0.05));
    // All but the default: 7 variants, 3 at once.
    CHECK(has(report.isolation, "3 on the first device, 2 on device 2, 2 on device 1"));
    CHECK(!has(alone.report().isolation, "measured"));
    for (std::string const& said : report.notices)
        CHECK(!has(said, "device"));
}

TEST_CASE("the same seed asks for and hears the same, whoever is ready first")
{
    environment_value const count{"ATTUNE_EMULATED_DEVICES", "3"};
    emulated_device device{ATTUNE_EMULATED_CUDA};
    support::scratch_directory const folder;
    // What the search was asked, and which answers came: in order.
    auto const history = [&](std::string const& file) {
        attune::tuning_options options = on_devices({1, 2});
        options.search.strategy = attune::default_search();
        options.search.seed = 5;
        options.event_log = folder.file(file);
        saxpy_data data;
        auto saxpy = tuned_saxpy<on_host, plain, quick, doubled, faulting, idle_kind>({}, options);
        saxpy(data.x, data.y, 2.0F, data.n());
        CHECK(data.called_times(1, 2.0F));
        std::vector<std::string> out;
        std::vector<attune::point> asked;
        std::vector<attune::point> told;
        auto const sessions = attune::read_event_log(options.event_log);
        REQUIRE(sessions.size() == 1);
        for (attune::event const& e : sessions.front().events) {
            if (e.kind != attune::event_kind::asked && e.kind != attune::event_kind::told) continue;
            bool const is_asked = e.kind == attune::event_kind::asked;
            std::string line = is_asked ? "asked" : "told";
            auto& all = is_asked ? asked : told;
            all.insert(all.end(), e.points.begin(), e.points.end());
            for (attune::point const& p : e.points)
                for (auto const& c : p)
                    line += ' ' + std::to_string(c.index);
            if (e.result && !attune::succeeded(*e.result)) line += " failed";
            out.push_back(line);
        }
        told.erase(told.begin()); // the default
        CHECK(told == asked);
        return out;
    };
    std::vector<std::string> const first = history("first");
    CHECK(first.size() > 10);
    CHECK(history("second") == first);
}

TEST_CASE("equal code in one batch is measured once")
{
    environment_value const count{"ATTUNE_EMULATED_DEVICES", "2"};
    emulated_device device{ATTUNE_EMULATED_CUDA};
    saxpy_data data;
    auto kernel = attune::kernel<on_host>{
        "saxpy", saxpy_source(),
        attune::space(attune::categorical<"KIND">(static_cast<int>(plain), 6, 7),
                      attune::ordinal<"BLOCK">(attune::values(32)))};
    // 6 and 7 differ from each other in nothing that the kernel looks at.
    kernel.bind<3>(saxpy_n).grid(attune::ceil_div(saxpy_n, 32)).block(32);
    attune::tuned saxpy{kernel, saxpy_compiler(), attune::memory_store{}, on_devices({1})};
    saxpy(data.x, data.y, 2.0F, data.n());
    CHECK(data.called_times(1, 2.0F));
    CHECK(saxpy.report().evaluations == 3);
    CHECK(saxpy.report().same_code == 1);
    CHECK(has(saxpy.report().isolation, "1 on the first device, 0 on device 1"));
}

TEST_CASE("the user's reference runs once, and the check by one thread at a time")
{
    environment_value const count{"ATTUNE_EMULATED_DEVICES", "3"};
    emulated_device device{ATTUNE_EMULATED_CUDA};
    saxpy_data data;
    auto kernel = saxpy_kernel<on_host, plain, quick, doubled>();
    int references = 0;
    kernel.reference([&](std::span<float const> from, std::span<float> to, float a, int) {
        ++references;
        for (std::size_t i = 0; i < to.size(); ++i)
            to[i] += a * from[i];
    });
    attune::tuned by_reference{kernel, saxpy_compiler(), attune::memory_store{},
                               on_devices({1, 2})};
    by_reference(data.x, data.y, 2.0F, data.n());
    CHECK(references == 1);
    CHECK(attune::total(by_reference.report().failures) == 2);

    auto checked = saxpy_kernel<on_host, plain, quick, doubled>();
    std::atomic<int> inside = 0;
    std::atomic<int> calls = 0;
    std::atomic<int> most = 0;
    checked.check([&](std::span<float const> from, std::span<float const> to, float a, int) {
        if (++inside > 1) ++most;
        ++calls;
        bool const twice = to[9] != from[9] * a + data.y[9];
        --inside;
        return twice ? std::string("twice") : std::string();
    });
    attune::tuned by_check{checked, saxpy_compiler(), attune::memory_store{}, on_devices({1, 2})};
    by_check(data.x, data.y, 2.0F, data.n());
    CHECK(data.called_times(2, 2.0F));
    CHECK(calls == 8); // the default on each device, and 5 more
    CHECK(most == 0);
    CHECK(by_check.report().configuration == "KIND=1 BLOCK=32");
}

TEST_CASE("a budget of evaluations is not exceeded by the last batch")
{
    environment_value const count{"ATTUNE_EMULATED_DEVICES", "3"};
    emulated_device device{ATTUNE_EMULATED_CUDA};
    saxpy_data data;
    attune::tuning_options options = on_devices({1, 2});
    options.limits.evaluations = 3;
    options.compile_ahead.reset();
    auto saxpy = tuned_saxpy<on_host, plain, quick, doubled>({}, options);
    saxpy(data.x, data.y, 3.0F, data.n());
    CHECK(saxpy.report().evaluations == 3);
    CHECK(data.called_times(1, 3.0F));
}
