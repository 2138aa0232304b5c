// tests/measure/cuda/launch_graph.cpp : mirrors include/attune/measure/cuda/launch_graph.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/cuda/launch_graph.hpp>
// and what the test needs besides
#include <attune/measure/cuda/loaded_variant.hpp>

#include <doctest/doctest.h>
#include <stdexcept>
#include <string>

#include "scripted_call.hpp"

using attune::failure_stage;
using attune::detail::launch_graph;
using attune::detail::loaded_variant;
using attune::detail::stopped;
using attune_test::scripted_launch;
using attune_test::variant_named;

TEST_CASE("a graph replays what was captured, as often as it was, and captures without running")
{
    attune_test::scripted_session s;
    s.device.kernels["k"] = [](scripted_launch const&) { return 0.0; };
    loaded_variant code(s.where, variant_named("k"));
    {
        launch_graph graph(s.where, nullptr, [&] {
            for (int i = 0; i < 3; ++i)
                code.launch(nullptr, nullptr);
        });
        CHECK(s.device.launches == 0);
        CHECK(s.device.live["graph"] == 0);
        graph.replay(nullptr);
        CHECK(s.device.launches == 3);
        graph.replay(nullptr);
        CHECK(s.device.launches == 6);
        CHECK(s.device.live["executable graph"] == 1);
    }
    CHECK(s.device.live["executable graph"] == 0);
}

TEST_CASE("what cannot be captured fails at launch and leaves nothing behind")
{
    for (char const* const name :
         {"stream_begin_capture", "stream_end_capture", "graph_instantiate"}) {
        CAPTURE(name);
        attune_test::scripted_session s;
        s.device.fails = name;
        s.device.fails_with = attune::detail::cuda::invalid_value;
        try {
            launch_graph const graph(s.where, nullptr, [] {});
            FAIL("it did not throw");
        } catch (stopped const& why) {
            CHECK(why.why.stage == failure_stage::launch);
            CHECK(!why.why.reason.empty());
        }
        CHECK(s.device.live["graph"] == 0);
        CHECK(s.device.live["executable graph"] == 0);
    }
}

TEST_CASE("a launch that fails while it is captured ends the capture")
{
    attune_test::scripted_session s;
    CHECK_THROWS_AS(
        launch_graph(s.where, nullptr, []() -> void { throw std::runtime_error("no"); }),
        std::runtime_error);
    CHECK(!s.device.capturing);
    CHECK(s.device.live["graph"] == 0);
}
