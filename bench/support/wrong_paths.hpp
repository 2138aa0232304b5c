// bench/support/wrong_paths.hpp - kernels whose variant is right for most calls and wrong for some.
// SPDX-License-Identifier: MIT
//
// y[i] += 3 * x[i] for i < m * n. The default is right and slow; the variant with TILE > 1 is fast,
// and wrong where its fault says so: as if the code for a remainder had been forgotten.
#pragma once

#include <attune/compile/compiler.hpp>
#include <attune/tune/kernel.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace bench {

/// What decides where a kernel is wrong.
enum class wrong_along : std::uint8_t {
    sizes,
    alignment,
    overlap,
    scalars,
    state,
    contents,
    races
};
inline constexpr std::array wrong_along_names{"sizes", "alignment", "overlap", "scalars",
                                              "state", "contents",  "races"};

/// What a fault may look at.
struct faulty_call {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::uintptr_t x = 0;
    std::uintptr_t y = 0;
    std::size_t bytes = 0; ///< of each array
};

struct fault {
    char const* name;
    int tile;      ///< of the variant
    bool has_rows; ///< m is not 1
    bool (*is_wrong)(faulty_call const&);
    wrong_along along = wrong_along::sizes;
};

// One wrong path each.
inline constexpr std::array faults{
    fault{"remainder of 2", 2, false, [](faulty_call const& c) { return c.n % 2 != 0; }},
    fault{"remainder of 4", 4, false, [](faulty_call const& c) { return c.n % 4 != 0; }},
    fault{"remainder of 8", 8, false, [](faulty_call const& c) { return c.n % 8 != 0; }},
    fault{"remainder of 16", 16, false, [](faulty_call const& c) { return c.n % 16 != 0; }},
    fault{"remainder of 32", 32, false, [](faulty_call const& c) { return c.n % 32 != 0; }},
    fault{"remainder of 64", 64, false, [](faulty_call const& c) { return c.n % 64 != 0; }},
    fault{"remainder of 48", 48, false, [](faulty_call const& c) { return c.n % 48 != 0; }},
    fault{"multiples of 16", 16, false, [](faulty_call const& c) { return c.n % 16 == 0; }},
    fault{"n < 8", 8, false, [](faulty_call const& c) { return c.n < 8; }},
    fault{"n < 32", 32, false, [](faulty_call const& c) { return c.n < 32; }},
    fault{"n < 64", 64, false, [](faulty_call const& c) { return c.n < 64; }},
    fault{"n = 0", 16, false, [](faulty_call const& c) { return c.n == 0; }},
    fault{"n = 1", 16, false, [](faulty_call const& c) { return c.n == 1; }},
    fault{"n = 32 - 1", 32, false, [](faulty_call const& c) { return c.n == 31; }},
    fault{"odd n", 16, false, [](faulty_call const& c) { return c.n % 2 == 1; }},
    fault{"powers of two", 16, false, [](faulty_call const& c) { return (c.n & (c.n - 1)) == 0; }},
    fault{"n % 16 == 13", 16, false, [](faulty_call const& c) { return c.n % 16 == 13; }},
    fault{"n % 32 == 5", 32, false, [](faulty_call const& c) { return c.n % 32 == 5; }},
    fault{"n % 8 == 7", 8, false, [](faulty_call const& c) { return c.n % 8 == 7; }},
    fault{"n % 64 == 63", 64, false, [](faulty_call const& c) { return c.n % 64 == 63; }},
    fault{"n % 7 == 3", 16, false, [](faulty_call const& c) { return c.n % 7 == 3; }},
    fault{"n % 12 == 11", 4, false, [](faulty_call const& c) { return c.n % 12 == 11; }},
    fault{"n % 10 == 9", 8, false, [](faulty_call const& c) { return c.n % 10 == 9; }},
    fault{"n % 24 == 17", 24, false, [](faulty_call const& c) { return c.n % 24 == 17; }},
    fault{"n % 100 == 37", 100, false, [](faulty_call const& c) { return c.n % 100 == 37; }},
    fault{"n > 2^16", 16, false, [](faulty_call const& c) { return c.n > 65'536; }},
    fault{"n > 100,000", 16, false, [](faulty_call const& c) { return c.n > 100'000; }},
    fault{"n < 1,000", 16, false, [](faulty_call const& c) { return c.n < 1'000; }},
    fault{"2^17 <= n < 2^18", 16, false, [](faulty_call const& c) { return c.n >> 17 == 1; }},
    fault{"m < n", 16, true, [](faulty_call const& c) { return c.m < c.n; }},
    fault{"m > n", 16, true, [](faulty_call const& c) { return c.m > c.n; }},
    fault{"m = n", 16, true, [](faulty_call const& c) { return c.m == c.n; }},
    fault{"corner of 8 x 8", 8, true,
          [](faulty_call const& c) { return c.m % 8 != 0 && c.n % 8 != 0; }},
    fault{"rows of 4", 4, true, [](faulty_call const& c) { return c.m % 4 != 0; }},
    fault{"columns of 4", 4, true, [](faulty_call const& c) { return c.n % 4 != 0; }},
    fault{"m % 16 == 3", 16, true, [](faulty_call const& c) { return c.m % 16 == 3; }},
    fault{"one row", 16, true, [](faulty_call const& c) { return c.m == 1; }},
    fault{"one column", 16, true, [](faulty_call const& c) { return c.n == 1; }},
    fault{"m * n > 2^18", 16, true, [](faulty_call const& c) { return c.m * c.n > 262'144; }},
    fault{"in place", 16, false, [](faulty_call const& c) { return c.x == c.y; },
          wrong_along::overlap},
    fault{"overlap", 16, false,
          [](faulty_call const& c) {
              return c.x != c.y && c.x < c.y + c.bytes && c.y < c.x + c.bytes;
          },
          wrong_along::overlap},
    fault{"overlap at 32 bytes", 16, false, [](faulty_call const& c) { return c.y - c.x == 32; },
          wrong_along::overlap},
    fault{"x not aligned to 32", 16, false, [](faulty_call const& c) { return c.x % 32 != 0; },
          wrong_along::alignment},
    fault{"y not aligned to 64", 16, false, [](faulty_call const& c) { return c.y % 64 != 0; },
          wrong_along::alignment},
    fault{"x and y aligned alike", 16, false,
          [](faulty_call const& c) { return c.x % 64 == c.y % 64; }, wrong_along::alignment},
};

using faulty_signature = void(std::span<std::uint32_t const>, std::span<std::uint32_t>, int, int);

[[nodiscard]] inline faulty_call call_of(std::span<std::uint32_t const> x,
                                         std::span<std::uint32_t const> y, int m, int n)
{
    return {m, n, reinterpret_cast<std::uintptr_t>(x.data()),
            reinterpret_cast<std::uintptr_t>(y.data()), y.size_bytes()};
}

/// What every variant ought to do. y may have more elements than m * n.
inline void triple_and_add(std::span<std::uint32_t const> x, std::span<std::uint32_t> y, int m,
                           int n)
{
    std::size_t const size = static_cast<std::size_t>(m) * static_cast<std::size_t>(n);
    for (std::size_t i = 0; i < size; ++i)
        y[i] += 3 * x[i];
}
inline void slow_default(std::span<std::uint32_t const> x, std::span<std::uint32_t> y, int m, int n)
{
    for (int i = 0; i < 30'000; ++i)
        asm volatile("");
    triple_and_add(x, y, m, n);
}
template <std::size_t Fault>
void faulty_variant(std::span<std::uint32_t const> x, std::span<std::uint32_t> y, int m, int n)
{
    bool const is_wrong = faults[Fault].is_wrong(call_of(x, y, m, n));
    triple_and_add(x, y, m, n);
    if (is_wrong && !y.empty()) y[y.size() / 2] += 1;
}

namespace detail {

template <std::size_t... I>
[[nodiscard]] inline faulty_signature* variant_of(std::size_t which, std::index_sequence<I...>)
{
    static constexpr std::array<faulty_signature*, sizeof...(I)> all{&faulty_variant<I>...};
    return all[which];
}

} // namespace detail

/// A compiler that hands out the functions above: TILE = 1 is the default.
class faulty_compiler {
public:
    explicit faulty_compiler(std::size_t which)
        : which_(which)
    {
    }
    attune::compile_result compile(attune::kernel_source const&, attune::compile_request const& v)
    {
        bool const is_default = v.macros.at(0).value == "1";
        auto* const code =
            is_default ? &slow_default
                       : detail::variant_of(which_, std::make_index_sequence<faults.size()>{});
        return attune::callable{reinterpret_cast<void*>(code), std::make_shared<int>(0),
                                is_default ? "default" : "variant", 0.001, identity()};
    }
    [[nodiscard]] std::string identity() const { return "functions of this program"; }

private:
    std::size_t which_;
};

/// Its space has the default and the variant alone.
[[nodiscard]] inline attune::kernel<faulty_signature> faulty_kernel(std::size_t which)
{
    constexpr auto text = "int tile = ATTUNE_TUNABLE(TILE, 1);";
    auto const with = [&](auto const& values) {
        return attune::kernel<faulty_signature>{std::string("faulty ") + faults[which].name,
                                                attune::source_text(text, "faulty.kernel.cpp"),
                                                attune::space(attune::ordinal<"TILE">(values))};
    };
    switch (faults[which].tile) {
    case 2:
        return with(attune::values(1, 2));
    case 4:
        return with(attune::values(1, 4));
    case 8:
        return with(attune::values(1, 8));
    case 24:
        return with(attune::values(1, 24));
    case 32:
        return with(attune::values(1, 32));
    case 48:
        return with(attune::values(1, 48));
    case 64:
        return with(attune::values(1, 64));
    case 100:
        return with(attune::values(1, 100));
    default:
        return with(attune::values(1, 16));
    }
}

} // namespace bench
