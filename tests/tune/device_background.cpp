// tests/tune/device_background.cpp - kernels of a device tuned beside the program, in steps, and on a captured call.
// SPDX-License-Identifier: MIT
#include <attune/tune/tuned.hpp>
// and what the test needs besides
#include <attune/remember/store.hpp>
#include <attune/tune/capture.hpp>
#include <attune/tune/together.hpp>
#include <attune/tune/together_session.hpp>

#include <doctest/doctest.h>
#include <span>
#include <string>
#include <type_traits>

#include "../support/device_saxpy.hpp"
#include "../support/scratch_directory.hpp"
#include "../support/set_variable.hpp"

using namespace attune_test;
using attune::decision;

namespace {

attune::tuning_options options_with(attune::miss_policy policy)
{
    attune::tuning_options out = quick_options();
    out.on_miss = policy;
    return out;
}

/// The file of the first call of an untuned saxpy.
template <class Signature, class X, class Y>
std::string captured_in(support::scratch_directory const& folder, X x, Y y, int n)
{
    std::string const path = folder.file("saxpy.capture");
    set_variable const wish("ATTUNE_CAPTURE", "saxpy=" + path);
    auto kernel = saxpy_kernel<Signature, plain, quick, doubled>();
    if constexpr (std::is_same_v<Signature, by_pointer>)
        kernel.template extent<0>(saxpy_n).template extent<1>(saxpy_n);
    attune::tuned saxpy{kernel, saxpy_compiler(), attune::memory_store{},
                        options_with(attune::miss_policy::lookup_only)};
    saxpy(x, y, 2.0F, n);
    return path;
}

} // namespace

TEST_CASE(
    "with tune_in_background and online a kernel of a device is tuned on copies of its arrays")
{
    emulated_device device{ATTUNE_EMULATED_CUDA};
    for (auto const policy :
         {attune::miss_policy::tune_in_background, attune::miss_policy::online}) {
        CAPTURE(static_cast<int>(policy));
        saxpy_data data;
        device_data const there{device, data};
        auto saxpy = tuned_saxpy<on_device, plain, quick, doubled>({}, options_with(policy));
        saxpy(there.x, there.y, 2.0F, data.n());
        saxpy.wait();
        CHECK(there.fetch().called_times(1, 2.0F));
        CHECK(saxpy.report().how == decision::tuned);
        CHECK(saxpy.report().configuration == "KIND=1 BLOCK=32");
        saxpy(there.x, there.y, 2.0F, data.n());
        CHECK(there.fetch().called_times(2, 2.0F));
        attune::call_coverage const covered = saxpy.report().coverage;
        CHECK(covered.calls == 2);
        CHECK(covered.by_winner == 1);
        CHECK(saxpy.explain(there.x, there.y, 2.0F, data.n()).serves);
    }
}

TEST_CASE("arrays of the host are tuned on in the background too, and their program may free them")
{
    auto saxpy = tuned_saxpy<on_host, plain, quick, doubled>(
        {}, options_with(attune::miss_policy::tune_in_background));
    {
        saxpy_data data;
        saxpy(data.x, data.y, 3.0F, data.n());
        CHECK(data.called_times(1, 3.0F));
    }
    saxpy.wait();
    CHECK(saxpy.report().configuration == "KIND=1 BLOCK=32");
    saxpy_data data;
    saxpy(data.x, data.y, 3.0F, data.n());
    CHECK(data.called_times(1, 3.0F));
    CHECK(saxpy.report().coverage.by_winner == 1);
}

TEST_CASE("another shape is verified in the background while the default serves it")
{
    emulated_device device{ATTUNE_EMULATED_CUDA};
    saxpy_data const data(200);
    device_data const there{device, data};
    auto saxpy = tuned_saxpy<on_device, plain, quick>(
        {}, options_with(attune::miss_policy::tune_in_background));
    saxpy(there.x, there.y, 2.0F, 100);
    saxpy.wait();
    attune::device_span<float> const x{there.x.data() + 1, 150};
    attune::device_span<float> const y{there.y.data() + 1, 150};
    CHECK(!saxpy.explain(x, y, 2.0F, 100).serves);
    for (int call = 0; call < 3; ++call) {
        saxpy(x, y, 2.0F, 100);
        saxpy.wait();
    }
    CHECK(saxpy.explain(x, y, 2.0F, 100).serves);
    CHECK(saxpy.report().shapes.verified == 1);
    saxpy_data const now = there.fetch();
    CHECK(now.y[0] == 102.0F);
    CHECK(now.y[99] == 100.0F + 4 * 2 * 100);
    CHECK(now.y[100] == 100.0F + 3 * 2 * 101);
    CHECK(now.y[101] == 100.0F);
}

TEST_CASE("on a device the inputs of a bucket share one tuning, and each call has its own launch")
{
    emulated_device device{ATTUNE_EMULATED_CUDA};
    saxpy_data const data(200);
    device_data const there{device, data};
    support::scratch_directory const folder;
    std::string const store = folder.file("store");
    auto kernel = saxpy_kernel<on_device, plain, quick>();
    kernel.bucket<3>([](int n) { return (n + 99) / 100 * 100; });
    std::uint64_t begun = 0;
    attune::tuning_options options = quick_options();
    options.progress = [&](attune::progress const& p) {
        if (p.event == attune::progress_event::started) ++begun;
    };
    {
        attune::tuned saxpy{kernel, saxpy_compiler(), attune::store{store}, options};
        saxpy(there.x, there.y, 2.0F, 100);
        CHECK(begun == 1);
        saxpy(there.x, there.y, 2.0F, 70);
        CHECK(begun == 1);
        CHECK(saxpy.report().how == decision::served_near);
        CHECK(saxpy.report().configuration == "KIND=1 BLOCK=32");
        CHECK(saxpy.explain(there.x, there.y, 2.0F, 70).serves);
        saxpy(there.x, there.y, 2.0F, 150); // another bucket
        CHECK(begun == 2);
    }
    attune::tuned again{kernel, saxpy_compiler(), attune::store{store}, options};
    again(there.x, there.y, 2.0F, 33); // the store has one of its bucket
    CHECK(begun == 2);
    CHECK(again.explain(there.x, there.y, 2.0F, 33).serves);
    saxpy_data const now = there.fetch();
    auto const added = [&](std::size_t i) { return (now.y[i] - 100) / (2 * now.x[i]); };
    CHECK(added(32) == 4.0F);
    CHECK(added(69) == 3.0F);
    CHECK(added(99) == 2.0F);
    CHECK(added(149) == 1.0F);
    CHECK(added(150) == 0.0F);
}

TEST_CASE("a copy for which there is no room leaves the default, and a notice has the bytes")
{
    emulated_device device{ATTUNE_EMULATED_CUDA};
    saxpy_data data;
    device_data const there{device, data};
    attune::tuning_options options = options_with(attune::miss_policy::tune_in_background);
    options.limits.copied_bytes = 100;
    auto saxpy = tuned_saxpy<on_device, plain, quick>({}, options);
    saxpy(there.x, there.y, 2.0F, data.n());
    saxpy.wait();
    CHECK(there.fetch().called_times(1, 2.0F));
    REQUIRE(!saxpy.report().notices.empty());
    CHECK(has(saxpy.report().notices.front(), "a copy of the arguments takes "));
}

TEST_CASE("prepare tunes for several calls, and a session in steps works on copies")
{
    emulated_device device{ATTUNE_EMULATED_CUDA};
    saxpy_data data;
    device_data const there{device, data};
    {
        auto saxpy = tuned_saxpy<on_device, plain, quick, doubled>();
        saxpy.prepare({{there.x, there.y, 2.0F, data.n()}});
        CHECK(there.fetch().called_times(0, 2.0F));
        CHECK(saxpy.report().configuration == "KIND=1 BLOCK=32");
    }
    auto saxpy = tuned_saxpy<on_device, plain, quick, doubled>();
    attune::together_session session{{.evaluations = 8},
                                     {attune::share(saxpy, there.x, there.y, 2.0F, data.n())}};
    saxpy_data other;
    for (float& one : other.x)
        one = -1;
    REQUIRE(device.driver->copy_to_device(
                reinterpret_cast<attune::detail::cuda::device_pointer>(there.x.data()),
                other.x.data(), other.x.size() * sizeof(float)) == 0);
    while (session.step()) {
    }
    CHECK(session.finish().shares.at(0).report.configuration == "KIND=1 BLOCK=32");
}

TEST_CASE_TEMPLATE("a call on arrays of a device is captured, and the next program tunes on it",
                   Signature, on_host, on_device, by_pointer)
{
    constexpr bool is_on_host = std::is_same_v<Signature, on_host>;
    emulated_device device{ATTUNE_EMULATED_CUDA};
    support::scratch_directory const folder;
    saxpy_data data;
    device_data const there{device, data};
    std::string path;
    if constexpr (is_on_host)
        path = captured_in<Signature>(folder, std::span<float const>(data.x),
                                      std::span<float>(data.y), data.n());
    else if constexpr (std::is_same_v<Signature, on_device>)
        path = captured_in<Signature>(folder, there.x, there.y, data.n());
    else
        path = captured_in<Signature>(folder, there.x.data(), there.y.data(), data.n());
    CHECK((is_on_host ? data : there.fetch()).called_times(1, 2.0F));
    set_variable const replay("ATTUNE_REPLAY", path);
    auto kernel = saxpy_kernel<Signature, plain, quick, doubled>();
    if constexpr (std::is_same_v<Signature, by_pointer>)
        kernel.template extent<0>(saxpy_n).template extent<1>(saxpy_n);
    attune::tuned const again{kernel, saxpy_compiler(), attune::memory_store{}, quick_options()};
    INFO(again.report().summary());
    CHECK(again.report().how == decision::tuned);
    CHECK(again.report().configuration == "KIND=1 BLOCK=32");
    CHECK(attune::total(again.report().failures) == 2);
    CHECK((is_on_host ? data : there.fetch()).called_times(1, 2.0F));
}
