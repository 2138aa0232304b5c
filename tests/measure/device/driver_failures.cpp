// tests/measure/device/driver_failures.cpp : the bench of local_bench.ipp where the driver fails
// SPDX-License-Identifier: MIT
#include <attune/measure/device/device_bench.hpp>
// and what the test needs besides
#include <attune/core/error.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "scripted_call.hpp"

using attune::failure;
using attune::detail::device_bench_options;
using attune_test::give_kernels;
using attune_test::scripted_call;
using attune_test::scripted_device;
using attune_test::variant_named;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

} // namespace

TEST_CASE("whichever function of the driver fails, there is a sentence and nothing is left behind")
{
    device_bench_options options{.cache = attune::cache_state::cold, .as_graph = true};
    // A whole life of a bench; what it said when something failed.
    auto const live = [&](scripted_device& device) -> std::string {
        give_kernels(device);
        scripted_call const given(100);
        try {
            auto const bench =
                attune::detail::make_local_bench(device.driver(), given.call, options);
            auto const first = bench->establish(variant_named("doubled"), {}, 10);
            if (auto const* f = std::get_if<failure>(&first)) return f->reason;
            auto const second = bench->first_run(variant_named("faster"), 10);
            if (auto const* f = std::get_if<failure>(&second)) return f->reason;
            auto const timed = bench->time(variant_named("faster"), never, 10, nullptr);
            if (auto const* f = std::get_if<failure>(&timed)) return f->reason;
            std::vector<attune::device_variant> const both{variant_named("doubled"),
                                                           variant_named("faster")};
            auto const times = bench->compare(both, 0.05);
            if (std::holds_alternative<std::size_t>(times)) return "contestant";
            static_cast<void>(bench->contents(1));
        } catch (attune::error const& e) {
            if (e.where().starts_with("device 0")) CHECK(!e.next().empty());
            return e.what();
        }
        return {};
    };
    scripted_device healthy;
    REQUIRE(live(healthy).empty());
    REQUIRE(healthy.leaks().empty());
    int failed = 0;
    for (auto const& [name, count] : healthy.calls) {
        bool const gives_back = name.ends_with("destroy") || name.ends_with("free") ||
                                name.ends_with("unload") || name.ends_with("release");
        bool const has_substitute = name == "device_get_name" || name == "device_get_attribute" ||
                                    name == "memory_get_address_range";
        if (gives_back || has_substitute) continue;
        for (int const at : {1, 2, 3, 5, 8, 13, 40, count}) {
            for (attune::detail::cuda::result const code : {1, 2, 700}) {
                if (at > count) continue;
                CAPTURE(name);
                CAPTURE(at);
                CAPTURE(code);
                scripted_device device;
                device.fails = name;
                device.fails_at = at;
                device.fails_with = code;
                std::string const said = live(device);
                if (device.calls[name] < at) continue; // a slow machine took fewer samples
                // Some have a way around: memory for what only helps, who is current when all is
                // over, the kind of a pointer.
                bool const may_be_silent =
                    name == "memory_allocate" || at == count || name == "pointer_get_attribute" ||
                    name == "context_set_current" || name == "context_get_current";
                if (!may_be_silent) CHECK(!said.empty());
                failed += said.empty() ? 0 : 1;
                if (name == "context_set_current" || name == "context_get_current") continue;
                CHECK(device.leaks().empty());
            }
        }
    }
    CHECK(failed > 100);
}
