// examples/kernels/scheduled/known_ttv.hpp - ttv on the third-order tensors of BaCO's Table 4.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>

#include "../support/known_tensors.hpp"
#include "../ttv.hpp"

namespace kernels {

/// In the order of known_third_order.
inline constexpr std::array<char const*, 3> known_ttv_names{"ttv_random1", "ttv_facebook",
                                                            "ttv_uber3"};
inline constexpr std::array<int, 3> known_ttv_entries{700'000, 100'000, 700'000};

/// ttv, whose tensor has the shape of a published one and fewer entries: where slices are large and
/// nearly empty, the result, which is dense, takes 67 MB.
template <std::size_t Which>
struct known_ttv : ttv {
    static constexpr char const* name = known_ttv_names[Which];

    known_ttv()
    {
        b = make_known_third_order(known_third_order[Which].name, known_ttv_entries[Which], 1);
        c = random_numbers(static_cast<std::size_t>(b.extent[2]), 2);
        a.assign(area(b.extent[0], b.extent[1]), 0.0f);
    }
};

} // namespace kernels
