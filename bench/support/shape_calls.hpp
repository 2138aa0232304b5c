// bench/support/shape_calls.hpp - calls of many shapes on arrays that are checked afterwards.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wrong_paths.hpp"

namespace bench {

/// One shape: sizes, and where the arrays begin, in elements.
struct shape_choice {
    int m = 1;
    int n = 0;
    std::size_t x_from = 0;
    std::size_t y_from = 0;
    std::size_t more = 0;   ///< elements of both arrays behind the m * n
    bool is_shared = false; ///< x lies in the array of y
};

/// Two arrays of whole numbers: results are compared exactly.
class shape_arrays {
public:
    explicit shape_arrays(std::size_t most)
        : x_(most + slack)
        , y_(most + slack)
        , expected_(most + slack)
    {
    }

    /// Calls `f` and says whether it did what triple_and_add does.
    template <class F>
    [[nodiscard]] bool is_right(shape_choice const& c, F& f)
    {
        std::size_t const size =
            static_cast<std::size_t>(c.m) * static_cast<std::size_t>(c.n) + c.more;
        std::uint32_t* const y_base = aligned(y_);
        std::uint32_t* const x_base = c.is_shared ? y_base : aligned(x_);
        std::size_t const touched = std::max(c.x_from, c.y_from) + size;
        for (std::size_t i = 0; i < touched; ++i) {
            x_base[i] = static_cast<std::uint32_t>(i % 7);
            y_base[i] = static_cast<std::uint32_t>(i % 5);
        }
        std::uint32_t* const e_base = aligned(expected_);
        std::copy_n(y_base, touched, e_base);
        std::uint32_t* const ex_base = c.is_shared ? e_base : x_base;
        triple_and_add({ex_base + c.x_from, size}, {e_base + c.y_from, size}, c.m, c.n);
        f(std::span<std::uint32_t const>{x_base + c.x_from, size},
          std::span<std::uint32_t>{y_base + c.y_from, size}, c.m, c.n);
        return std::equal(e_base, e_base + touched, y_base);
    }

    /// The call as a fault sees it.
    [[nodiscard]] faulty_call seen(shape_choice const& c)
    {
        std::size_t const size =
            static_cast<std::size_t>(c.m) * static_cast<std::size_t>(c.n) + c.more;
        std::uint32_t* const x_base = c.is_shared ? aligned(y_) : aligned(x_);
        return call_of({x_base + c.x_from, size}, {aligned(y_) + c.y_from, size}, c.m, c.n);
    }

private:
    static constexpr std::size_t slack = 256;
    [[nodiscard]] static std::uint32_t* aligned(std::vector<std::uint32_t>& v)
    {
        auto const at = reinterpret_cast<std::uintptr_t>(v.data());
        return v.data() + (64 - at % 64) % 64 / sizeof(std::uint32_t);
    }
    std::vector<std::uint32_t> x_;
    std::vector<std::uint32_t> y_;
    std::vector<std::uint32_t> expected_;
};

} // namespace bench
