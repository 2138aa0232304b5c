// tests/kernels/known_tensors.cpp - third-order tensors as published ones, made and smaller.
// SPDX-License-Identifier: MIT
#include <array>
#include <cstddef>
#include <doctest/doctest.h>
#include <stdexcept>
#include <string>

#include "../../examples/kernels/support/known_tensors.hpp"

TEST_CASE("third-order tensors have the density and proportions of the known ones")
{
    for (kernels::known_tensor<3> const& known : kernels::known_third_order) {
        CAPTURE(std::string(known.name));
        constexpr int entries = 60'000;
        kernels::csf_tensor const b = kernels::make_known_third_order(known.name, entries, 1);
        CHECK(b.value.size() > 30'000); // entries at one place are added up
        CHECK(b.value.size() <= entries);
        double here = entries;
        double there = known.entries;
        for (std::size_t d = 0; d < 3; ++d) {
            here /= b.extent[d];
            there /= known.extent[d];
            CHECK(static_cast<double>(b.extent[d]) / b.extent[0] ==
                  doctest::Approx(static_cast<double>(known.extent[d]) / known.extent[0])
                      .epsilon(0.02));
        }
        CHECK(here == doctest::Approx(there).epsilon(0.05));

        // The compressed form holds every entry once, inside of the extents.
        CHECK(b.slice_start.size() == static_cast<std::size_t>(b.extent[0]) + 1);
        CHECK(b.slice_start.back() == static_cast<int>(b.j_of.size()));
        CHECK(b.fibre_start.back() == static_cast<int>(b.value.size()));
        std::array<std::size_t, 3> before{};
        std::size_t seen = 0;
        std::array<double, 3> mean{};
        kernels::for_each_entry(b, [&](std::size_t i, std::size_t j, std::size_t k, double) {
            std::array<std::size_t, 3> const at{i, j, k};
            if (seen++ > 0) CHECK(before < at);
            before = at;
            for (std::size_t d = 0; d < 3; ++d) {
                CHECK(at[d] < static_cast<std::size_t>(b.extent[d]));
                mean[d] += (static_cast<double>(at[d]) + 0.5) / b.extent[d];
            }
        });
        CHECK(seen == b.value.size());
        // Coordinates are u^1.5 of their extents, whose mean is 0.4, or uniform; where the tensor
        // is dense, added entries move the mean of places towards the middle.
        for (double const sum : mean) {
            double const share = sum / static_cast<double>(seen);
            if (known.is_uniform)
                CHECK(share == doctest::Approx(0.5).epsilon(0.02));
            else
                CHECK((share > 0.38 && share < 0.48));
        }
    }
    CHECK_THROWS_AS(static_cast<void>(kernels::make_known_third_order("uber", 10, 1)),
                    std::runtime_error);
    CHECK(kernels::make_known_third_order("uber3", 5'000, 3).value ==
          kernels::make_known_third_order("uber3", 5'000, 3).value);
    CHECK(kernels::make_known_third_order("uber3", 5'000, 3).value !=
          kernels::make_known_third_order("uber3", 5'000, 4).value);
}
