// tests/cuda/code.cpp : mirrors include/attune/cuda/code.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/cuda/code.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "../support/recorded_driver.hpp"

using attune::detail::cuda::loaded_code;
using namespace attune_test;

TEST_CASE("code of which nothing is known takes nothing and is for no architecture")
{
    attune::device_variant const none;
    CHECK(none.code.image.empty());
    CHECK(none.code.architecture == 0);
    CHECK(none.code.resources == attune::code_resources{});
    CHECK(none.launch == attune::launch_geometry{});
}

TEST_CASE("resources are equal when every number is")
{
    attune::code_resources const r{32, 0, 16, 1024, 380, 256};
    std::int64_t attune::code_resources::* const members[] = {
        &attune::code_resources::registers,      &attune::code_resources::spill_bytes,
        &attune::code_resources::stack_bytes,    &attune::code_resources::static_shared_bytes,
        &attune::code_resources::constant_bytes, &attune::code_resources::most_threads,
    };
    static_assert(sizeof r == sizeof members / sizeof *members * sizeof(std::int64_t));
    for (auto const member : members) {
        attune::code_resources other = r;
        CHECK(other == r);
        ++(other.*member);
        CHECK(other != r);
    }
}

TEST_CASE("a variant is plain data: it can be copied to where it is needed")
{
    static_assert(std::is_copy_constructible_v<attune::device_variant>);
    static_assert(std::is_nothrow_move_constructible_v<attune::device_variant>);
}

namespace {

attune::device_variant variant_with(attune::launch_geometry launch, std::int64_t static_shared = 0)
{
    attune::device_variant out;
    out.code.image = "image";
    out.code.entry = "saxpy";
    out.code.resources.static_shared_bytes = static_shared;
    out.launch = launch;
    return out;
}

loaded_code load(std::shared_ptr<attune::detail::cuda::driver> const& driver,
                 attune::launch_geometry launch, std::int64_t static_shared = 0)
{
    auto made = loaded_code::load(driver, variant_with(launch, static_shared));
    REQUIRE(std::holds_alternative<loaded_code>(made));
    return std::get<loaded_code>(std::move(made));
}

bool was_said(std::string const& text)
{
    for (std::string const& s : recorded().said)
        if (s == text) return true;
    return false;
}

} // namespace

TEST_CASE("a launch has the geometry, the arguments and the stream it is given")
{
    auto const driver = recorded_driver();
    recorded().argument_bytes = {8, 4};
    loaded_code const code =
        load(driver, {.grid = {7, 2, 3}, .block = {32, 4, 1}, .shared_bytes = 1000});
    std::uint64_t array = 0x123456789a;
    int number = 17;
    void* arguments[] = {&array, &number};
    auto const on = handle_of<attune::detail::cuda::stream>(5);
    CHECK(code.launch(arguments, on) == attune::detail::cuda::success);
    REQUIRE(recorded().launches.size() == 1);
    recorded_launch const& seen = recorded().launches.front();
    CHECK(seen.geometry == std::vector<unsigned>{7, 2, 3, 32, 4, 1, 1000});
    CHECK(seen.on == on);
    CHECK(seen.arguments == std::vector<std::uint64_t>{0x123456789a, 17});
    CHECK(seen.attributes.empty());
    CHECK(was_said("load image"));
    CHECK(recorded().said.size() == 1); // no attribute is needed
}

TEST_CASE("more than 48 KB of shared memory, static part included, are asked for")
{
    auto const driver = recorded_driver();
    (void)load(driver, {.shared_bytes = 48 * 1024});
    CHECK_FALSE(was_said("attribute 8 = 49152"));
    (void)load(driver, {.shared_bytes = 48 * 1024}, 16);
    CHECK(was_said("attribute 8 = 49152"));
    (void)load(driver, {.shared_bytes = 100000});
    CHECK(was_said("attribute 8 = 100000"));
}

TEST_CASE("clusters and cooperative grids are launched with their attributes")
{
    auto const driver = recorded_driver();
    void* none[] = {nullptr};
    (void)load(driver, {.grid = {32, 1, 1}, .cluster = {4, 2, 1}, .is_cooperative = true})
        .launch(none, nullptr);
    CHECK(recorded().launches.back().attributes.size() == 2);
    (void)load(driver, {.grid = {32, 1, 1}, .cluster = {8, 1, 1}}).launch(none, nullptr);
    CHECK(recorded().launches.back().attributes == std::vector<int>{4});
    (void)load(driver, {.is_cooperative = true}).launch(none, nullptr);
    CHECK(recorded().launches.back().attributes == std::vector<int>{2});

    driver->launch_kernel_ex = nullptr;
    auto const old = loaded_code::load(driver, variant_with({.is_cooperative = true}));
    CHECK(std::get<attune::failure>(old).stage == attune::failure_stage::launch);
}

TEST_CASE("what cannot be loaded is a failure in the driver's words, and nothing stays loaded")
{
    auto const driver = recorded_driver();
    attune::device_variant without = variant_with({});
    without.code.entry = "missing";
    auto const no_symbol = loaded_code::load(driver, without);
    CHECK(std::get<attune::failure>(no_symbol).stage == attune::failure_stage::load);
    CHECK(std::get<attune::failure>(no_symbol).reason.find("missing: CUDA_ERROR_SCRIPTED") !=
          std::string::npos);
    CHECK(recorded().modules.empty());
    recorded().load_answer = attune::detail::cuda::no_binary_for_device;
    auto const no_image = loaded_code::load(driver, variant_with({}));
    CHECK(std::get<attune::failure>(no_image).reason.find("cuModuleLoadData") == 0);
    attune::detail::cuda::result said = attune::detail::cuda::success;
    CHECK(loaded_code::load(driver, variant_with({}), &said).index() == 1);
    CHECK(said == attune::detail::cuda::no_binary_for_device);
}

TEST_CASE("a module is unloaded once, by the last owner")
{
    auto const driver = recorded_driver();
    {
        loaded_code first = load(driver, {});
        loaded_code second = std::move(first);
        first = load(driver, {});
        CHECK(recorded().modules.size() == 2);
        first = std::move(second);
        CHECK(recorded().modules.size() >= 1);
    }
    CHECK(recorded().modules.empty());
}
