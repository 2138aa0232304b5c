// tests/cuda/device_array.cpp : mirrors include/attune/cuda/device_array.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/cuda/device_array.hpp>
// and what the test needs besides
#include <attune/core/error.hpp>

#include <doctest/doctest.h>
#include <span>
#include <string>
#include <vector>

#include "../support/set_variable.hpp"

using attune::device_array;
using attune_test::contains;
using attune_test::set_variable;

TEST_CASE("an array holds what it was made of, and gives it back")
{
    set_variable const driver{"ATTUNE_CUDA_DRIVER", ATTUNE_SCRIPTED_DRIVER};
    std::vector<float> const host{1.5F, -2.0F, 3.25F};
    device_array<float> const x{std::span<float const>{host}, 1};
    CHECK(x.span().size() == 3);
    CHECK(x.to_host() == host);
    device_array<float> const same = x;
    CHECK(same.span().data() == x.span().data());
}

TEST_CASE("an array of nothing can be made and read")
{
    set_variable const driver{"ATTUNE_CUDA_DRIVER", ATTUNE_SCRIPTED_DRIVER};
    device_array<double> const none(0);
    CHECK(none.span().size() == 0);
    CHECK(none.to_host().empty());
}

TEST_CASE("out of memory: how much was asked for and is free")
{
    set_variable const driver{"ATTUNE_CUDA_DRIVER", ATTUNE_SCRIPTED_DRIVER};
    set_variable const memory{"ATTUNE_TEST_CU_MEMORY", "4096"};
    std::string const text =
        attune_test::text_thrown_by<attune::error>([] { device_array<double> const big(1000); });
    CHECK(contains(text, "out of memory"));
    CHECK(contains(text, "8000 bytes"));
    CHECK(contains(text, "4096 of 8192"));
}

TEST_CASE("a size whose bytes no number holds is refused before the driver is asked")
{
    set_variable const driver{"ATTUNE_CUDA_DRIVER", ATTUNE_SCRIPTED_DRIVER};
    std::size_t const wraps = ~std::size_t{0} / sizeof(double) + 2; // times 8: 8 bytes
    std::string const text =
        attune_test::text_thrown_by<attune::error>([&] { device_array<double> const huge(wraps); });
    CHECK(contains(text, "larger than any memory"));
    CHECK(contains(text, "2305843009213693953 elements of 8 bytes each"));
}

TEST_CASE("no driver: an array says so")
{
    set_variable const driver{"ATTUNE_CUDA_DRIVER", "/nowhere/libcuda.so.1"};
    CHECK(contains(attune_test::text_thrown_by<attune::error>([] { device_array<int> const x(4); }),
                   "no CUDA driver"));
}
