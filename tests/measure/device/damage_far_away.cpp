// tests/measure/device/damage_far_away.cpp : the bench of local_bench.ipp where a variant writes over memory that is not its own, far beyond the zones around its arrays
// SPDX-License-Identifier: MIT
#include <attune/measure/device/device_bench.hpp>
// and what the test needs besides
#include <attune/core/error.hpp>

#include <cstddef>
#include <cstring>
#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "scripted_call.hpp"

using attune::failure;
using attune::failure_stage;
using attune_test::give_kernels;
using attune_test::over_arrays;
using attune_test::scripted_call;
using attune_test::scripted_device;
using attune_test::variant_named;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// A bench on a scripted device, with a kernel that computes what is right and then writes over all
/// there is on the device.
struct fixture {
    scripted_device device{};
    scripted_call given{100};
    std::unique_ptr<attune::detail::device_bench> bench{};

    fixture()
    {
        give_kernels(device);
        device.kernels["far"] = over_arrays([this](float const* x, float* y, int n) {
            attune_test::doubled(x, y, n);
            device.overwrite_all();
        });
        bench = attune::detail::make_local_bench(device.driver(), given.call, {});
    }
    [[nodiscard]] bool establish(std::vector<std::vector<std::byte>> const& expected = {}) const
    {
        return std::holds_alternative<double>(
            bench->establish(variant_named("doubled"), expected, 10));
    }
    /// Why a variant fails its first run; empty: it does not.
    [[nodiscard]] std::string refusal(std::string const& name) const
    {
        attune::first_run_result const end = bench->first_run(variant_named(name), 10);
        auto const* const why = std::get_if<failure>(&end);
        if (why == nullptr) return {};
        CHECK(why->stage == failure_stage::verify);
        return why->reason;
    }
    [[nodiscard]] std::vector<float> contents(std::size_t i) const
    {
        std::vector<std::byte> const bytes = bench->contents(i);
        std::vector<float> out(bytes.size() / sizeof(float));
        std::memcpy(out.data(), bytes.data(), bytes.size());
        return out;
    }
};

} // namespace

TEST_CASE("after damage far away, right variants pass, wrong ones fail, and inputs are themselves")
{
    fixture const f;
    REQUIRE(f.establish());
    for (int again = 0; again < 2; ++again) {
        CHECK(f.refusal("far").find("bytes past the end of argument 0") != std::string::npos);
        CHECK(f.bench->is_spoilt());
        CHECK(f.refusal("faster").empty());
        CHECK(!f.bench->is_spoilt());
        CHECK(f.contents(0) == f.given.x);
        CHECK(f.contents(1)[4] == 10);
        CHECK(!f.refusal("idle").empty());
        CHECK(!f.bench->is_spoilt());
    }
}

TEST_CASE("after damage far away, timing, comparing and contents are as ever")
{
    fixture const f;
    REQUIRE(f.establish());
    CHECK(!f.refusal("far").empty());
    CHECK(std::holds_alternative<attune::measurement>(
        f.bench->time(variant_named("faster"), never, 10, nullptr)));
    CHECK(!f.refusal("far").empty());
    std::vector<attune::device_variant> const both{variant_named("doubled"),
                                                   variant_named("faster")};
    CHECK(std::holds_alternative<attune::round_times>(f.bench->compare(both, 0.05)));
    CHECK(!f.refusal("far").empty());
    CHECK(f.contents(1)[99] == 200);
    auto const timed = f.bench->time(variant_named("far"), never, 10, nullptr);
    REQUIRE(std::holds_alternative<failure>(timed));
    CHECK(f.bench->is_spoilt());
    CHECK(f.refusal("faster").empty());
}

TEST_CASE("what the caller expects is known after damage far away, too")
{
    fixture const f;
    std::vector<float> right = f.given.y;
    attune_test::doubled(f.given.x.data(), right.data(), 100);
    std::vector<std::vector<std::byte>> expected(2);
    expected[1].resize(400);
    std::memcpy(expected[1].data(), right.data(), 400);
    REQUIRE(f.establish(expected));
    expected.clear(); // the bench has its own
    CHECK(!f.refusal("far").empty());
    CHECK(f.refusal("faster").empty());
    CHECK(!f.refusal("idle").empty());
}

TEST_CASE("a default that fails after damage far away is an error, also for the next call")
{
    fixture f;
    REQUIRE(f.establish());
    CHECK(!f.refusal("far").empty());
    auto const healthy = f.device.kernels["doubled"];
    f.device.kernels["doubled"] = f.device.kernels["far"];
    for (int again = 0; again < 2; ++again) {
        try {
            static_cast<void>(f.refusal("faster"));
            FAIL("it did not throw");
        } catch (attune::error const& e) {
            std::string const said = e.what();
            CHECK(said.find("which worked before, fails since: written up to") !=
                  std::string::npos);
            CHECK(said.find("worker process") != std::string::npos);
        }
    }
    f.device.kernels["doubled"] = healthy;
    CHECK(f.refusal("faster").empty());
}

TEST_CASE("a default that writes where it must not can be followed by one that does not")
{
    fixture const f;
    CHECK(std::holds_alternative<failure>(f.bench->establish(variant_named("far"), {}, 10)));
    CHECK(f.bench->is_spoilt());
    REQUIRE(f.establish());
    CHECK(f.refusal("faster").empty());
    CHECK(!f.refusal("idle").empty());
}
