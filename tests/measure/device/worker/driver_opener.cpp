// tests/measure/device/worker/driver_opener.cpp : mirrors include/attune/measure/device/worker/driver_opener.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/measure/device/worker/driver_opener.hpp>

#include <attune/core/error.hpp>

#include <doctest/doctest.h>
#include <memory>
#include <string>

#include "../../../support/texts.hpp"

namespace worker = attune::detail::worker;
namespace cuda = attune::detail::cuda;

namespace {

std::shared_ptr<cuda::driver const> open_other(std::string const& path)
{
    auto const made = std::make_shared<cuda::driver>();
    made->path = path;
    return made;
}

[[gnu::constructor(101), gnu::used]] void know_other_drivers()
{
    worker::add_driver_opener("other-kind:", &open_other);
    worker::add_worker_service(
        {"double it", [](auto& from, auto& to) { to.put(2 * from.template get<int>()); }});
}

} // namespace

TEST_CASE("a driver is opened by the kind that its path begins with, else as CUDA's")
{
    CHECK(worker::open_driver_at("other-kind:lib.so")->path == "other-kind:lib.so");
    std::string const said = attune_test::error_of(
        [] { static_cast<void>(worker::open_driver_at("/no/other-kind:lib.so")); });
    CHECK(attune_test::has(said, "no CUDA driver"));
}

TEST_CASE("a device that a worker does not find is an error with the variables that choose devices")
{
    cuda::driver none{};
    none.device_get_count = [](int* out) {
        *out = 0;
        return cuda::result{cuda::success};
    };
    std::string const said = attune_test::error_of(
        [&] { static_cast<void>(worker::device_at_bus(none, "3b1c:02:00.0")); });
    CHECK(attune_test::has(said, "does not see the device at 3b1c:02:00.0"));
    for (char const* const variable : {"CUDA_VISIBLE_DEVICES", "OCL_ICD_VENDORS", "POCL_DEVICES"})
        CHECK(attune_test::has(said, variable));
}

TEST_CASE("a service answers under its name, and an unknown one is a damaged message")
{
    auto const ask = [](char const* name) {
        attune::detail::message_writer asked;
        asked.put_text(name);
        asked.put(21);
        attune::detail::message_reader from{asked.take()};
        attune::detail::message_writer to;
        worker::serve_once(from, to);
        return attune::detail::message_reader{to.take()}.get<int>();
    };
    CHECK(ask("double it") == 42);
    CHECK_THROWS_AS(static_cast<void>(ask("treble it")), attune::detail::damaged_message);
}
