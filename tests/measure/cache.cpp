// tests/measure/cache.cpp : mirrors include/attune/measure/cache.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/measure/cache.hpp>

#include <array>
#include <cstddef>
#include <doctest/doctest.h>
#include <numeric>
#include <span>
#include <vector>

TEST_CASE("evicting leaves every byte as it is, of whatever size and alignment")
{
    std::vector<unsigned char> bytes(5000);
    std::iota(bytes.begin(), bytes.end(), static_cast<unsigned char>(0));
    std::vector<unsigned char> const before = bytes;
    std::vector<double> const constants(1000, 2.5);
    std::array const buffers{
        attune::as_buffer(std::span(bytes).subspan(1, 4097), 0),
        attune::as_buffer(std::span(bytes).subspan(4500, 0), 1),
        attune::as_buffer(std::span(bytes).subspan(4999, 1), 2),
        attune::as_buffer(std::span<double const>(constants), 3),
    };
    attune::cache_eviction caches(buffers);
    caches.evict();
    caches.evict();
    CHECK(bytes == before);
    CHECK(constants == std::vector<double>(1000, 2.5));
}

TEST_CASE("without buffers there is nothing to evict")
{
    attune::cache_eviction({}).evict();
    CHECK(attune::cache_state{} == attune::cache_state::warm);
}
