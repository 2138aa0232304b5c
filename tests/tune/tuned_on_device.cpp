// tests/tune/tuned_on_device.cpp - a kernel that tunes itself on an emulated device, end to end.
// SPDX-License-Identifier: MIT
#include <attune/tune/tuned.hpp>
// and what the test needs besides
#include <attune/remember/files/event_log.hpp>
#include <attune/remember/shipped.hpp>
#include <attune/remember/store.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "../support/device_saxpy.hpp"
#include "../support/ignored_interrupts.hpp"
#include "../support/scratch_directory.hpp"

using namespace attune_test;
using attune::decision;

TEST_CASE("arrays of the host: the data is what exactly one call makes of it, tuned or not")
{
    saxpy_data data;
    auto saxpy = tuned_saxpy<on_host, plain, quick, doubled, idle_kind>();
    saxpy(data.x, data.y, 3.0F, data.n());
    CHECK(data.called_times(1, 3.0F));
    attune::tuning_report const report = saxpy.report();
    INFO(report.summary());
    CHECK(report.how == decision::tuned);
    CHECK(report.configuration == "KIND=1 BLOCK=32");
    CHECK(report.evaluations == 8);
    CHECK(attune::total(report.failures) == 4);
    REQUIRE(report.first_failures.size() == 1);
    CHECK(report.first_failures.front().stage == attune::failure_stage::verify);
    CHECK(report.best.value == doctest::Approx(132e-6).epsilon(0.05));
    CHECK(report.speedup == doctest::Approx(232.0 / 132).epsilon(0.1));
    saxpy(data.x, data.y, 3.0F, data.n());
    CHECK(data.called_times(2, 3.0F));
}

TEST_CASE(
    "arrays of a device, by span and by pointer: tuned, remembered, and called once each time")
{
    emulated_device device{ATTUNE_EMULATED_CUDA};
    shared_store store;
    saxpy_data data;
    device_data const there{device, data};
    auto const now = [&] { return there.fetch(); };
    {
        auto saxpy = tuned_saxpy<on_device, plain, quick, doubled>(store);
        saxpy(there.x, there.y, 2.0F, data.n());
        CHECK(now().called_times(1, 2.0F));
        CHECK(saxpy.report().configuration == "KIND=1 BLOCK=32");
    }
    auto again = tuned_saxpy<on_device, plain, quick, doubled>(store);
    again(there.x, there.y, 2.0F, data.n());
    CHECK(now().called_times(2, 2.0F));
    CHECK(again.report().how == decision::remembered);
    auto kernel = saxpy_kernel<by_pointer, plain, quick, doubled>();
    kernel.extent<0>(saxpy_n).extent<1>(saxpy_n);
    attune::tuned by_address{kernel, saxpy_compiler(), attune::memory_store{}, quick_options()};
    by_address(there.x.data(), there.y.data(), 2.0F, data.n());
    CHECK(now().called_times(3, 2.0F));
    CHECK(by_address.report().configuration == "KIND=1 BLOCK=32");
}

TEST_CASE("what was predicted serves a device of that kind untuned, where it is verified")
{
    support::scratch_directory const folder;
    saxpy_data data;
    auto const kernel = saxpy_kernel<on_host, plain, quick>();
    attune::tuned before{kernel, saxpy_compiler(), attune::store{folder.file("s")},
                         quick_options()};
    attune::tuning_report const guess = before.predict({}, {}, 3.0F, 1 << 24);
    CHECK(guess.predicted);
    REQUIRE(guess.configuration != guess.default_configuration);
    CHECK(data.called_times(0, 3.0F));
    attune::tuning_options options = quick_options();
    options.on_miss = attune::miss_policy::lookup_only;
    attune::tuned saxpy{kernel, saxpy_compiler(), attune::shipped{folder.file("s")}, options};
    attune::known_choice const known = saxpy.explain(data.x, data.y, 3.0F, data.n());
    CHECK(known.how == attune::choice_match::near_device);
    CHECK(has(known.why, "predicted, not measured: best for n=16777216, not n="));
    CHECK(known.configuration == guess.configuration);
    CHECK(!known.serves);
    saxpy(data.x, data.y, 3.0F, data.n());
    CHECK(data.called_times(1, 3.0F));
    CHECK(saxpy.report().how == decision::served_near);
    CHECK(saxpy.report().shapes.verified == 1);
    CHECK(saxpy.explain(data.x, data.y, 3.0F, data.n()).serves);
}

TEST_CASE("variants run in this process where that is asked for, and the report says so")
{
    attune::tuning_options options = quick_options();
    options.measuring.protect = attune::isolation::none;
    saxpy_data data;
    auto saxpy = tuned_saxpy<on_host, plain, quick, doubled>({}, options);
    saxpy(data.x, data.y, 3.0F, data.n());
    CHECK(data.called_times(1, 3.0F));
    CHECK(saxpy.report().configuration == "KIND=1 BLOCK=32");
    CHECK(saxpy.report().isolation == "in process: as asked");
}

TEST_CASE("launches can be timed as those of a graph")
{
    attune::tuning_options options = quick_options();
    options.device.as_graph = true;
    saxpy_data data;
    auto saxpy = tuned_saxpy<on_host, plain, quick, doubled>({}, options);
    saxpy(data.x, data.y, 3.0F, data.n());
    CHECK(data.called_times(1, 3.0F));
    CHECK(saxpy.report().configuration == "KIND=1 BLOCK=32");
}

TEST_CASE("of several threads one tunes, the others wait, and every call is one call")
{
    emulated_device device{ATTUNE_EMULATED_CUDA};
    saxpy_data data;
    device_data const there{device, data};
    auto saxpy = tuned_saxpy<on_device, plain, quick>();
    std::vector<std::thread> callers;
    for (int t = 0; t < 3; ++t) // without a context of their own
        callers.emplace_back([&] { saxpy(there.x, there.y, 2.0F, data.n()); });
    for (std::thread& t : callers)
        t.join();
    REQUIRE(device.driver->context_synchronize() == 0);
    CHECK(there.fetch().called_times(3, 2.0F));
    CHECK(saxpy.report().evaluations == 4);
}

TEST_CASE("a call on a stream is launched there, also the one that tunes")
{
    emulated_device device{ATTUNE_EMULATED_CUDA};
    saxpy_data data;
    device_data const there{device, data};
    attune::detail::cuda::stream stream{};
    REQUIRE(device.driver->stream_create(&stream, 1) == 0);
    auto saxpy = tuned_saxpy<on_device, plain, quick>();
    saxpy.on(stream)(there.x, there.y, 2.0F, data.n());
    saxpy.on(stream)(there.x, there.y, 2.0F, data.n());
    REQUIRE(device.driver->stream_synchronize(stream) == 0);
    CHECK(there.fetch().called_times(2, 2.0F));
    CHECK(device.driver->stream_destroy(stream) == 0);
}

TEST_CASE("the user's reference and check see arrays of a device as spans of the host")
{
    emulated_device device{ATTUNE_EMULATED_CUDA};
    saxpy_data data;
    device_data const there{device, data};
    {
        // Wrong on purpose: it agrees with the doubled variant only, and so refuses the default.
        auto kernel = saxpy_kernel<on_device, plain, doubled>();
        kernel.reference([](std::span<float const> from, std::span<float> to, float a, int) {
            for (std::size_t i = 0; i < to.size(); ++i)
                to[i] += 2 * a * from[i];
        });
        attune::tuned saxpy{kernel, saxpy_compiler(), attune::memory_store{}, quick_options()};
        std::string const said = error_of([&] { saxpy(there.x, there.y, 2.0F, data.n()); });
        CHECK(has(said, "the default configuration of kernel 'saxpy' computed a wrong result"));
        CHECK(has(said, "argument 1, element 0: got 102, reference 104"));
    }
    auto kernel = saxpy_kernel<on_device, plain, quick, doubled>();
    int checked = 0;
    kernel.check([&](std::span<float const> from, std::span<float const> to, float a, int n) {
        ++checked;
        return from.size() == to.size() && n == 100 && to[9] == 100 + 2 * a * from[9]
                   ? std::string("twice")
                   : std::string();
    });
    attune::tuned saxpy{kernel, saxpy_compiler(), attune::memory_store{}, quick_options()};
    saxpy(there.x, there.y, 2.0F, data.n());
    CHECK(checked == 6);
    CHECK(saxpy.report().configuration == "KIND=1 BLOCK=32");
    CHECK(saxpy.report().first_failures.front().reason == "twice");
}

TEST_CASE("one declaration, one store: a processor and a device, each with its own record")
{
    shared_store store;
    saxpy_data data;
    auto const kernel = saxpy_kernel<on_host, plain, quick>();
    auto on_processor = scripted_compiler{[](attune::compile_request const&) {
        return reinterpret_cast<void*>(
            +[](std::span<float const> x, std::span<float> y, float a, int) {
                for (int i = 0; i < 20'000; ++i) // below a microsecond nothing is remembered
                    asm volatile("");
                for (std::size_t i = 0; i < y.size(); ++i)
                    y[i] += a * x[i];
            });
    }};
    auto const report_by = [&](auto const& compiler) {
        attune::tuned saxpy{kernel, compiler, store, quick_options()};
        saxpy(data.x, data.y, 3.0F, data.n());
        return saxpy.report();
    };
    CHECK(report_by(on_processor).how != decision::remembered);
    CHECK(report_by(saxpy_compiler()).how == decision::tuned);
    CHECK(data.called_times(2, 3.0F));
    CHECK(report_by(on_processor).how == decision::remembered);
    attune::tuning_report const again = report_by(saxpy_compiler());
    CHECK(again.how == decision::remembered);
    CHECK(again.configuration == "KIND=1 BLOCK=32");
    CHECK(data.called_times(4, 3.0F));
}

TEST_CASE("an interrupted tuning on a device is continued, and nothing is measured twice")
{
    support::scratch_directory const folder;
    shared_store store;
    saxpy_data data;
    attune::tuning_options options = quick_options();
    options.event_log = folder.file("log");
    options.progress = raising_at(4);
    auto first = tuned_saxpy<on_host, plain, quick, doubled>(store, options);
    {
        ignored_interrupts const interrupts;
        first(data.x, data.y, 3.0F, data.n());
    }
    CHECK(first.report().interrupted);
    CHECK(first.report().evaluations == 4);
    options.progress = attune::silent_progress();
    auto second = tuned_saxpy<on_host, plain, quick, doubled>(store, options);
    second(data.x, data.y, 3.0F, data.n());
    CHECK(second.report().evaluations == 6);
    CHECK(second.report().configuration == "KIND=1 BLOCK=32");
    REQUIRE(!second.report().notices.empty());
    CHECK(has(second.report().notices.front(), "4 evaluations were known"));
    CHECK(data.called_times(2, 3.0F));
    std::size_t timed = 0; // by the events of the device, in both: all but those that fail
    for (attune::logged_session const& session : attune::read_event_log(options.event_log))
        for (attune::event const& e : session.events)
            timed += e.kind == attune::event_kind::sampled && e.timing->clock == "events" ? 1U : 0U;
    CHECK(timed == 4);
}
