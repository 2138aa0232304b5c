// tests/bench/names.cpp : mirrors bench/support/names.hpp
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../bench/support/names.hpp"

using words = std::vector<std::string>;

TEST_CASE("names stand between commas")
{
    CHECK(bench::names_in("").empty());
    CHECK(bench::names_in("a") == words{"a"});
    CHECK(bench::names_in("a,bc,d") == words{"a", "bc", "d"});
    CHECK(bench::names_in("a,,") == words{"a", "", ""});
}

TEST_CASE("a list has whole names, an empty one has all")
{
    CHECK(bench::is_in("", "sgemm"));
    CHECK(bench::is_in("ttv,sgemm", "sgemm"));
    CHECK(bench::is_in("sgemm,ttv", "sgemm"));
    CHECK_FALSE(bench::is_in("batched_sgemm", "sgemm"));
    CHECK_FALSE(bench::is_in("sgemm", "batched_sgemm"));
}

TEST_CASE("a name has a part of the list, or not")
{
    CHECK(bench::has_part("gemm_A100.csv", ""));
    CHECK(bench::has_part("gemm_A100.csv", "hotspot,A100"));
    CHECK_FALSE(bench::has_part("gemm_A100.csv", "hotspot,A4000"));
    CHECK_FALSE(bench::has_part("gemm", "gemm_A100"));
}

TEST_CASE("a name that is not known is refused with those that are")
{
    words const known{"sgemm", "ttv"};
    CHECK_NOTHROW(bench::require_known("--kernels", "", known));
    CHECK_NOTHROW(bench::require_known("--kernels", "ttv,sgemm", known));
    CHECK_THROWS_WITH_AS(bench::require_known("--kernels", "ttv,gemm", known),
                         "--kernels: there is no 'gemm'; there are: sgemm ttv", std::runtime_error);
    CHECK_THROWS_AS(bench::require_known("--kernels", ",", known), std::runtime_error);
}
