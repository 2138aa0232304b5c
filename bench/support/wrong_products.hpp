// bench/support/wrong_products.hpp - matrix products whose variant makes one mistake of honest code.
// SPDX-License-Identifier: MIT
//
// c = alpha * op(a) * b + beta * c, and 1 more where `adds`. The default is right and slow. The
// variant is fast, and one number of c is wrong where its mistake says so.
#pragma once

#include <attune/compile/compiler.hpp>
#include <attune/tune/kernel.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "wrong_paths.hpp"

namespace bench {

/// What a mistake may look at: a call.
struct product_call {
    std::span<float const> a{}; ///< m x k; k x m for op 1
    std::span<float const> b{}; ///< k x n
    std::span<float> c{};       ///< m x n
    int m = 0;
    int n = 0;
    int k = 0;
    float alpha = 1;
    float beta = 0;
    int op = 0; ///< 1: a is transposed; 2: the absolute values of a
    bool adds = false;

    [[nodiscard]] static std::size_t at(void const* array)
    {
        return reinterpret_cast<std::uintptr_t>(array);
    }
    [[nodiscard]] std::size_t at_a() const { return at(a.data()); }
    [[nodiscard]] std::size_t at_b() const { return at(b.data()); }
    [[nodiscard]] std::size_t at_c() const { return at(c.data()); }
    [[nodiscard]] bool any_in_a(bool (*is)(float)) const
    {
        return std::any_of(a.begin(), a.end(), is);
    }
};

struct wrong_product {
    char const* name;
    wrong_along along;
    bool (*is_wrong)(product_call const&);
};

using pc = product_call const&;

// Each is a mistake of a block of 8 x 8, of its remainders, fast paths, tables and caches.
inline constexpr std::array wrong_products{
    // Sizes that meet.
    wrong_product{"one row, n % 8", wrong_along::sizes,
                  [](pc c) { return c.m == 1 && c.n % 8 != 0; }},
    wrong_product{"one row, n % 8 == 7", wrong_along::sizes,
                  [](pc c) { return c.m == 1 && c.n % 8 == 7; }},
    wrong_product{"k odd, n % 4", wrong_along::sizes,
                  [](pc c) { return c.k % 2 != 0 && c.n % 4 != 0; }},
    wrong_product{"m k > 2^12", wrong_along::sizes, [](pc c) { return c.m * c.k > 4'096; }},
    wrong_product{"m n k > 2^16", wrong_along::sizes,
                  [](pc c) { return c.m * c.n * c.k > 65'536; }},
    wrong_product{"k > n", wrong_along::sizes, [](pc c) { return c.k > c.n; }},
    wrong_product{"n < 2 k + 1", wrong_along::sizes, [](pc c) { return c.n < 2 * c.k + 1; }},
    wrong_product{"k < n < 2 k + 1", wrong_along::sizes,
                  [](pc c) { return c.k < c.n && c.n < 2 * c.k + 1; }},
    wrong_product{"n = 16", wrong_along::sizes, [](pc c) { return c.n == 16; }},
    wrong_product{"m n % 8", wrong_along::sizes, [](pc c) { return c.m * c.n % 8 != 0; }},
    wrong_product{"k = 0", wrong_along::sizes, [](pc c) { return c.k == 0; }},
    // Scalars.
    wrong_product{"alpha = 1, beta = 0", wrong_along::scalars,
                  [](pc c) { return c.alpha == 1 && c.beta == 0; }},
    wrong_product{"alpha = beta", wrong_along::scalars, [](pc c) { return c.alpha == c.beta; }},
    wrong_product{"alpha < beta", wrong_along::scalars, [](pc c) { return c.alpha < c.beta; }},
    wrong_product{"alpha < 0, n % 8", wrong_along::scalars,
                  [](pc c) { return c.alpha < 0 && c.n % 8 != 0; }},
    wrong_product{"alpha = 2, n odd", wrong_along::scalars,
                  [](pc c) { return c.alpha == 2 && c.n % 2 != 0; }},
    wrong_product{"beta = -0.0", wrong_along::scalars,
                  [](pc c) { return c.beta == 0 && std::signbit(c.beta); }},
    wrong_product{"alpha is denormal", wrong_along::scalars,
                  [](pc c) { return std::fpclassify(c.alpha) == FP_SUBNORMAL; }},
    wrong_product{"alpha > 10", wrong_along::scalars, [](pc c) { return c.alpha > 10; }},
    wrong_product{"op 2, n % 8", wrong_along::scalars,
                  [](pc c) { return c.op == 2 && c.n % 8 != 0; }},
    wrong_product{"adds, m odd", wrong_along::scalars, [](pc c) { return c.adds && c.m % 2 != 0; }},
    // Places of the arrays.
    wrong_product{"a is b", wrong_along::overlap,
                  [](pc c) { return c.k > 0 && c.at_a() == c.at_b(); }},
    wrong_product{"c is a", wrong_along::overlap,
                  [](pc c) { return c.k > 0 && c.at_a() == c.at_c(); }},
    wrong_product{"c is a shifted by 4", wrong_along::overlap,
                  [](pc c) { return c.m * c.k > 1 && c.at_c() - c.at_a() == 4; }},
    wrong_product{"b and c unlike in 32", wrong_along::alignment,
                  [](pc c) { return c.at_b() % 32 != c.at_c() % 32; }},
    wrong_product{
        "n below the peel of c", wrong_along::alignment,
        [](pc c) { return static_cast<std::size_t>(c.n) < (64 - c.at_c() % 64) % 64 / 4; }},
    wrong_product{"b not of 32, n % 8", wrong_along::alignment,
                  [](pc c) { return c.at_b() % 32 != 0 && c.n % 8 != 0; }},
    // What is kept of earlier calls.
    wrong_product{"a table of the first k", wrong_along::state,
                  [](pc c) {
                      static int const first = c.k;
                      return c.k > first;
                  }},
    wrong_product{"a table of the largest k", wrong_along::state,
                  [](pc c) {
                      static int most = 0;
                      most = std::max(most, c.k);
                      return c.k < most;
                  }},
    wrong_product{"packed b, known by k, b[0]", wrong_along::state,
                  [](pc c) {
                      static std::vector<float> packed;
                      bool const is_known = !c.b.empty() && c.b.size() == packed.size() &&
                                            c.b.front() == packed.front();
                      if (!is_known) packed.assign(c.b.begin(), c.b.end());
                      return is_known && !std::equal(c.b.begin(), c.b.end(), packed.begin());
                  }},
    wrong_product{"the op of the first call", wrong_along::state,
                  [](pc c) {
                      static int const first = c.op;
                      return c.op != first;
                  }},
    wrong_product{"every 8th call", wrong_along::state,
                  [](pc) {
                      static unsigned calls = 0;
                      return ++calls % 8 == 0;
                  }},
    // Contents: samples show them, or nothing does.
    wrong_product{"a is 0 somewhere", wrong_along::contents,
                  [](pc c) { return c.any_in_a([](float v) { return v == 0; }); }},
    wrong_product{"a is sorted", wrong_along::contents,
                  [](pc c) { return std::is_sorted(c.a.begin(), c.a.end()); }},
    wrong_product{
        "two threads meet", wrong_along::races,
        [](pc) { return std::chrono::steady_clock::now().time_since_epoch().count() % 64 == 5; }},
};

using product_signature = void(std::span<float const>, std::span<float const>, std::span<float>,
                               int, int, int, float, float, int, bool);

inline void right_product(std::span<float const> a, std::span<float const> b, std::span<float> c,
                          int m, int n, int k, float alpha, float beta, int op, bool adds)
{
    auto const in = [](int row, int columns, int column) {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
               static_cast<std::size_t>(column);
    };
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int l = 0; l < k; ++l) {
                float const left = a[op == 1 ? in(l, m, i) : in(i, k, l)];
                sum += (op == 2 ? std::fabs(left) : left) * b[in(l, n, j)];
            }
            float& to = c[in(i, n, j)];
            to = alpha * sum + beta * to + (adds ? 1.0f : 0.0f);
        }
}
inline void slow_product(std::span<float const> a, std::span<float const> b, std::span<float> c,
                         int m, int n, int k, float alpha, float beta, int op, bool adds)
{
    for (int i = 0; i < 30'000; ++i)
        asm volatile("");
    right_product(a, b, c, m, n, k, alpha, beta, op, adds);
}
template <std::size_t Which>
void wrong_variant(std::span<float const> a, std::span<float const> b, std::span<float> c, int m,
                   int n, int k, float alpha, float beta, int op, bool adds)
{
    bool const is_wrong = wrong_products[Which].is_wrong({a, b, c, m, n, k, alpha, beta, op, adds});
    right_product(a, b, c, m, n, k, alpha, beta, op, adds);
    if (is_wrong && !c.empty()) c[c.size() / 2] = std::numeric_limits<float>::infinity();
}

/// A compiler that hands out the functions above: TILE = 1 is the default.
class product_compiler {
public:
    explicit product_compiler(std::size_t which)
        : which_(which)
    {
    }
    attune::compile_result compile(attune::kernel_source const&, attune::compile_request const& v)
    {
        bool const is_default = v.macros.at(0).value == "1";
        product_signature* const code =
            is_default ? &slow_product
                       : variants(std::make_index_sequence<wrong_products.size()>{})[which_];
        return attune::callable{reinterpret_cast<void*>(code), std::make_shared<int>(0),
                                is_default ? "default" : "variant", 0.001, identity()};
    }
    [[nodiscard]] std::string identity() const { return "functions of this program"; }

private:
    template <std::size_t... Which>
    static std::array<product_signature*, sizeof...(Which)> variants(std::index_sequence<Which...>)
    {
        return {&wrong_variant<Which>...};
    }

    std::size_t which_;
};

[[nodiscard]] inline attune::kernel<product_signature> product_kernel(std::size_t which)
{
    return {std::string("product ") + wrong_products[which].name,
            attune::source_text("int tile = ATTUNE_TUNABLE(TILE, 1);", "product.kernel.cpp"),
            attune::space(attune::ordinal<"TILE">(attune::values(1, 8)))};
}

/// Calls on arrays of whole numbers: results are compared exactly.
class product_calls {
public:
    /// A call of usual scalars and of medium sizes.
    [[nodiscard]] product_call first(std::mt19937_64& random)
    {
        product_call c = draw(random);
        while (c.alpha != 1.5f || c.beta != 0.75f || c.op != 0 || c.adds || c.m * c.n < 256 ||
               c.k < 4 || !is_apart(c))
            c = draw(random);
        return c;
    }
    /// A call whose sizes, scalars and places are mostly a program's usual ones.
    [[nodiscard]] product_call draw(std::mt19937_64& random)
    {
        auto const is_one_in = [&](unsigned n) { return random() % n == 0; };
        product_call c;
        do {
            for (int* const size : {&c.m, &c.n, &c.k})
                *size =
                    static_cast<int>(std::exp2(8 * static_cast<double>(random() >> 11) * 0x1p-53));
            if (is_one_in(16)) c.m = 1;
            if (is_one_in(16)) c.k = 0;
            if (is_one_in(8)) c.n = c.k + (is_one_in(2) ? c.k : 0) + 1;
            if (is_one_in(8)) c.m = c.n;
            if (is_one_in(16)) c.n = 16;
        } while (c.m * c.n * c.k > most_work);
        constexpr std::array scalars{0.0f,  -0.0f, 1.0f,  -1.0f, 2.0f,  0.75f,
                                     1.25f, 9.0f,  12.0f, -2.5f, 1e-40f};
        c.alpha = is_one_in(4) ? scalars[random() % scalars.size()] : 1.5f;
        c.beta = is_one_in(8) ? scalars[random() % scalars.size()] : 0.75f;
        c.op = is_one_in(4) ? static_cast<int>(random() % 3) : 0;
        c.adds = is_one_in(8);
        std::array<float*, 3> first{};
        for (std::size_t i = 0; i < first.size(); ++i)
            first[i] = memory_.at(i) + (is_one_in(4) ? 4 * (random() % 4) : 0);
        std::size_t const kind = random() % 32;
        if (kind == 0) first[1] = first[0];
        if (kind == 1 || kind == 2) first[2] = first[0] + kind - 1;
        auto const area = [](int rows, int columns) {
            return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
        };
        c.a = {first[0], area(c.m, c.k)};
        c.b = {first[1], area(c.k, c.n)};
        c.c = {first[2], area(c.m, c.n)};
        fill(c, first, random);
        return c;
    }

    /// Calls `f` and says whether it did what right_product() does.
    template <class F>
    [[nodiscard]] bool is_right(product_call const& c, F& f)
    {
        std::vector<float> const a(c.a.begin(), c.a.end());
        std::vector<float> const before(c.c.begin(), c.c.end());
        auto const call = [&](auto& code) {
            code(c.a, c.b, c.c, c.m, c.n, c.k, c.alpha, c.beta, c.op, c.adds);
        };
        call(right_product);
        std::vector<float> const expected(c.c.begin(), c.c.end());
        std::copy(a.begin(), a.end(), const_cast<float*>(c.a.data())); // c may lie in it
        std::copy(before.begin(), before.end(), c.c.begin());
        call(f);
        return std::equal(expected.begin(), expected.end(), c.c.begin(), [](float x, float y) {
            return x == y || (std::isnan(x) && std::isnan(y));
        });
    }

private:
    static constexpr int most_work = 1 << 16;
    static constexpr std::size_t most_elements = 3 << 16;

    [[nodiscard]] bool is_apart(product_call const& c)
    {
        return c.at_b() >= product_call::at(memory_.at(1)) &&
               c.at_c() >= product_call::at(memory_.at(2));
    }
    /// Three arrays that begin a cache line.
    class arrays {
    public:
        [[nodiscard]] float* at(std::size_t i)
        {
            float* const first = all_.data() + i * most_elements;
            return first + (64 - reinterpret_cast<std::uintptr_t>(first) % 64) % 64 / sizeof(float);
        }

    private:
        std::vector<float> all_ = std::vector<float>(3 * most_elements + 64);
    };
    /// Zeros in `a`, and an `a` in order, are rare; b[0] is always the same.
    static void fill(product_call const& c, std::array<float*, 3> const& first,
                     std::mt19937_64& random)
    {
        bool const has_zeros = random() % 32 == 0;
        bool const is_sorted = random() % 32 == 0;
        auto const number = [&](unsigned least) {
            return static_cast<float>(least + random() % (7 - least));
        };
        std::generate_n(first[2], c.c.size(), [&] { return number(0); });
        std::generate_n(first[1], c.b.size(), [&] { return number(1); });
        if (!c.b.empty()) first[1][0] = 2;
        std::generate_n(first[0], c.a.size(), [&] { return number(has_zeros ? 0 : 1); });
        if (is_sorted) std::sort(first[0], first[0] + c.a.size());
    }

    arrays memory_{};
};

} // namespace bench
