// tests/cuda/limits.cpp - of cuda/code.hpp: limits.
// SPDX-License-Identifier: MIT
#include <attune/cuda/code.hpp>
// and what the test needs besides
#include <attune/core/error.hpp>

#include <array>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../support/set_variable.hpp"

using attune::device_limits;
using attune::detail::known_architectures;
using attune::detail::limits_of_architecture;

TEST_CASE("the architectures that NVRTC 13.0 compiles for are known, in order")
{
    CHECK(known_architectures() ==
          std::vector{75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121});
}

TEST_CASE("the table of the programming guide, a second time")
{
    struct column {
        int architecture;
        std::int64_t blocks, warps, shared_kb, shared_of_block_kb;
    };
    for (column const& c : std::array{
             column{75, 16, 32, 64, 64},
             column{80, 32, 64, 164, 163},
             column{86, 16, 48, 100, 99},
             column{87, 16, 48, 164, 163},
             column{89, 24, 48, 100, 99},
             column{90, 32, 64, 228, 227},
             column{100, 32, 64, 228, 227},
             column{110, 24, 48, 228, 227},
             column{120, 24, 48, 100, 99},
         }) {
        CAPTURE(c.architecture);
        device_limits const limits = limits_of_architecture(c.architecture);
        CHECK(limits.name == "sm_" + std::to_string(c.architecture));
        CHECK(limits.architecture == c.architecture);
        CHECK(limits.blocks_per_multiprocessor == c.blocks);
        CHECK(limits.threads_per_multiprocessor == c.warps * 32);
        CHECK(limits.shared_bytes_per_multiprocessor == c.shared_kb * 1024);
        CHECK(limits.shared_bytes_opt_in == c.shared_of_block_kb * 1024);
    }
}

TEST_CASE("what all architectures have in common")
{
    for (int const architecture : known_architectures()) {
        CAPTURE(architecture);
        device_limits const limits = limits_of_architecture(architecture);
        CHECK(limits.warp_threads == 32);
        CHECK(limits.threads_per_block == 1024);
        CHECK(limits.block == std::array<std::int64_t, 3>{1024, 1024, 64});
        CHECK(limits.grid == std::array<std::int64_t, 3>{2147483647, 65535, 65535});
        CHECK(limits.registers_per_thread == 255);
        CHECK(limits.registers_per_block == 65536);
        CHECK(limits.registers_per_multiprocessor == 65536);
        CHECK(limits.shared_bytes_per_block == 48 * 1024);
        CHECK(limits.shared_bytes_opt_in + limits.shared_bytes_reserved ==
              limits.shared_bytes_per_multiprocessor);
        CHECK(limits.can_cooperate);
        CHECK((limits.blocks_per_cluster > 1) == (architecture >= 90));
        CHECK(limits.multiprocessors >= 1);
        CHECK(limits.global_bytes == 0); // of devices, not of architectures
    }
}

TEST_CASE("architectures of one family differ in the number of multiprocessors only")
{
    for (auto const& [one, other] : {std::array{86, 88}, {100, 103}, {120, 121}}) {
        device_limits a = limits_of_architecture(one);
        device_limits const b = limits_of_architecture(other);
        a.name = b.name;
        a.architecture = b.architecture;
        a.multiprocessors = b.multiprocessors;
        CHECK(a == b);
    }
}

TEST_CASE("an unknown architecture names the known ones")
{
    for (int const architecture : {-1, 0, 7, 70, 91, 900}) {
        std::string const text = attune_test::text_thrown_by<attune::error>(
            [&] { (void)limits_of_architecture(architecture); });
        CHECK(attune_test::contains(text, "75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121"));
    }
}
