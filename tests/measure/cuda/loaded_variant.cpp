// tests/measure/cuda/loaded_variant.cpp : mirrors include/attune/measure/cuda/loaded_variant.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/cuda/loaded_variant.hpp>
// and what the test needs besides
#include <attune/core/error.hpp>

#include <array>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "scripted_call.hpp"

using attune::failure_stage;
using attune::detail::loaded_variant;
using attune::detail::stopped;
using attune_test::scripted_launch;
using attune_test::variant_named;

namespace {

template <class Function>
attune::failure failure_of(Function const& f)
{
    try {
        f();
    } catch (stopped const& s) {
        return s.why;
    }
    return {failure_stage::compile, "none"};
}

} // namespace

TEST_CASE("a launch hands over its geometry and its arguments")
{
    attune_test::scripted_session s;
    std::vector<scripted_launch> seen;
    s.device.kernels["k"] = [&](scripted_launch const& l) {
        CHECK(l.at<attune::detail::cuda::device_pointer>(0) == 4096);
        CHECK(l.at<double>(1) == 2.5);
        CHECK(l.at<attune::detail::cuda::device_pointer>(2) == 8192);
        seen.push_back(l);
        return 0.0;
    };
    std::vector<attune::detail::device_argument> const list{
        attune_test::array_number(1), attune_test::by_value(2.5), attune_test::array_number(0)};
    attune::detail::packed_arguments arguments(list, {8192, 4096});
    CHECK(arguments.size() == 3);
    attune::device_variant v = variant_named("k");
    v.launch.grid = {7, 5, 3};
    v.launch.block = {32, 2, 1};
    v.launch.shared_bytes = 48 * 1024;
    {
        loaded_variant code(s.where, v);
        code.launch(nullptr, arguments.all());
        CHECK(s.device.live["module"] == 1);
    }
    CHECK(s.device.live["module"] == 0);
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].grid[2] == 3);
    CHECK(seen[0].block[1] == 2);
    CHECK(seen[0].shared_bytes == 48 * 1024);
    CHECK(s.device.calls["function_set_attribute"] == 0);

    v.launch.is_cooperative = true;
    v.launch.cluster = {2, 2, 1};
    v.launch.shared_bytes = 48 * 1024 + 1;
    loaded_variant(s.where, v).launch(nullptr, arguments.all());
    REQUIRE(seen.size() == 2);
    CHECK(seen[1].is_cooperative);
    CHECK(seen[1].cluster == 4);
    CHECK(s.device.calls["function_set_attribute"] == 1);
}

TEST_CASE("what cannot be loaded fails at load")
{
    attune_test::scripted_session s;
    s.device.kernels["k"] = [](scripted_launch const&) { return 0.0; };
    CHECK(failure_of([&] { loaded_variant(s.where, variant_named("other")); }).stage ==
          failure_stage::load);
    attune::device_variant v = variant_named("k");
    v.code.entry = "missing";
    attune::failure const f = failure_of([&] { loaded_variant(s.where, v); });
    CHECK(f.stage == failure_stage::load);
    CHECK(f.reason.find("missing") != std::string::npos);
    CHECK(s.device.live["module"] == 0);
}

TEST_CASE("an error of an earlier kernel that shows at loading is a crash, and ends all work there")
{
    for (char const* const shows_at :
         {"module_load_data", "module_get_function", "function_set_attribute"}) {
        CAPTURE(shows_at);
        attune_test::scripted_session s;
        s.device.kernels["k"] = [](scripted_launch const&) { return 0.0; };
        attune::device_variant v = variant_named("k");
        v.launch.shared_bytes = 100000;
        s.device.fails = shows_at;
        s.device.fails_with = attune::detail::cuda::invalid_value;
        CHECK(failure_of([&] { loaded_variant(s.where, v); }).stage != failure_stage::crash);
        s.where->require_alive();
        s.device.fails_with = attune::detail::cuda::illegal_address;
        CHECK(failure_of([&] { loaded_variant(s.where, v); }).stage == failure_stage::crash);
        CHECK_THROWS_AS(s.where->require_alive(), attune::error);
        s.device.fails.clear();
    }
}

TEST_CASE("a geometry that no launch can have fails without asking the driver")
{
    attune_test::scripted_session s;
    s.device.kernels["k"] = [](scripted_launch const&) { return 0.0; };
    for (std::int64_t const n : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 32}) {
        attune::device_variant v = variant_named("k");
        v.launch.grid[1] = n;
        attune::failure const f = failure_of([&] { loaded_variant(s.where, v); });
        CHECK(f.stage == failure_stage::launch);
        CHECK(f.reason.find("grid 1x" + std::to_string(n) + "x1") != std::string::npos);
    }
    attune::device_variant v = variant_named("k");
    v.launch.shared_bytes = -1;
    CHECK(failure_of([&] { loaded_variant(s.where, v); }).stage == failure_stage::launch);
}

TEST_CASE("a launch that is refused says why and with what geometry")
{
    attune_test::scripted_session s;
    s.device.kernels["k"] = [](scripted_launch const&) { return 0.0; };
    loaded_variant code(s.where, variant_named("k"));
    s.device.fails = "launch_kernel";
    s.device.fails_with = 701;
    attune::failure f = failure_of([&] { code.launch(nullptr, nullptr); });
    CHECK(f.stage == failure_stage::launch);
    CHECK(f.reason.find("grid 1x1x1, block 1x1x1") != std::string::npos);
    CHECK(f.reason.find("as the script says") != std::string::npos);
    s.device.fails_with = attune::detail::cuda::illegal_address; // of an earlier kernel
    CHECK(failure_of([&] { code.launch(nullptr, nullptr); }).stage == failure_stage::crash);
}
