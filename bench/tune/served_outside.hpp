// bench/tune/served_outside.hpp - kernels of other fields for bench.tune.served, which attune's own examples do not have.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/attune.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "../../examples/kernels/support/dense.hpp"

namespace bench {

using served_sizes = std::vector<int>;

/// The beginning of the same numbers, in an array of its own.
inline std::vector<float> numbers(std::size_t count)
{
    static std::vector<float> const all = kernels::random_numbers(std::size_t{1} << 24, 1);
    std::vector<float> made(count);
    for (std::size_t at = 0; at < count; at += all.size())
        std::copy_n(all.begin(), std::min(all.size(), count - at),
                    made.begin() + static_cast<std::ptrdiff_t>(at));
    return made;
}

/// LU decomposition in place, without exchanges: the matrix must have a large diagonal.
struct lu {
    static constexpr char const* name = "lu";
    static constexpr auto rows = attune::ordinal<"ROWS">(attune::values(1, 2, 4, 8));
    static constexpr auto flags = attune::flags<"FLAGS">("-O1", "-O3");
    static constexpr auto space = attune::space(rows, flags);
    using signature = void(std::span<float>, int);
    static std::vector<float> matrix(std::size_t n)
    {
        std::vector<float> made = numbers(n * n);
        for (std::size_t i = 0; i < n; ++i)
            made[i * n + i] += static_cast<float>(n);
        return made;
    }
    static attune::kernel<signature> kernel() { return kernel_in(space); }
    static attune::kernel<signature> kernel_in(auto const& chosen)
    {
        attune::kernel<signature> made{name,
                                       attune::source_text(R"(
#include <attune/tunable.hpp>
#include <span>
constexpr int rows = ATTUNE_TUNABLE(ROWS, 1);
void lu(std::span<float> a, int n)
{
    for (int k = 0; k < n; ++k) {
        for (int i = k + 1; i < n; ++i) a[i * n + k] /= a[k * n + k];
        int i = k + 1;
        for (; i + rows <= n; i += rows)
            for (int j = k + 1; j < n; ++j)
                for (int r = 0; r < rows; ++r) a[(i + r) * n + j] -= a[(i + r) * n + k] * a[k * n + j];
        for (; i < n; ++i)
            for (int j = k + 1; j < n; ++j) a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
}
)",
                                                           "lu.kernel.cpp"),
                                       chosen};
        return made.calls([](attune::call_draw& draw) {
            auto const n = static_cast<int>(draw.size(1, 16 * first()[0]));
            return std::tuple{matrix(static_cast<std::size_t>(n)), n};
        });
    }
    static served_sizes first() { return {48}; }
    static int least() { return 1; }
    void resize(served_sizes const& s)
    {
        n = s[0];
        a = matrix(static_cast<std::size_t>(n));
    }
    void call(auto&& run) { run(a, n); }
    int n = 0;
    std::vector<float> a;
};

/// The potential of each of n particles among all others, without a division by zero.
struct lennard_jones {
    static constexpr char const* name = "lennard_jones";
    static constexpr auto tile = attune::ordinal<"TILE">(attune::values(1, 4, 8, 16, 32));
    static constexpr auto flags = attune::flags<"FLAGS">("-O1", "-O3");
    static constexpr auto space = attune::space(tile, flags);
    using in = std::span<float const>;
    using signature = void(in, in, in, std::span<float>, int, float);
    static attune::kernel<signature> kernel()
    {
        attune::kernel<signature> made{name,
                                       attune::source_text(R"(
#include <attune/tunable.hpp>
#include <span>
constexpr int tile = ATTUNE_TUNABLE(TILE, 1);
void lennard_jones(std::span<float const> x, std::span<float const> y, std::span<float const> z,
                   std::span<float> u, int n, float cutoff)
{
    auto const pair = [&](int i, int j) {
        float const a = x[i] - x[j], b = y[i] - y[j], c = z[i] - z[j];
        float const r = a * a + b * b + c * c + 0.5f;
        float const s = 1 / (r * r * r);
        return i == j || r > cutoff ? 0.0f : 4 * (s * s - s);
    };
    for (int i = 0; i < n; ++i) {
        float part[tile] = {};
        int j = 0;
        for (; j + tile <= n; j += tile)
            for (int t = 0; t < tile; ++t) part[t] += pair(i, j + t);
        float sum = 0;
        for (; j < n; ++j) sum += pair(i, j);
        for (int t = 0; t < tile; ++t) sum += part[t];
        u[i] = sum;
    }
}
)",
                                                           "lennard_jones.kernel.cpp"),
                                       space};
        return made.template tolerate<3>({.absolute = 1e-2, .relative = 1e-3});
    }
    static served_sizes first() { return {200}; }
    static int least() { return 1; }
    void resize(served_sizes const& s)
    {
        n = s[0];
        auto const count = static_cast<std::size_t>(n);
        std::vector<float> const all = numbers(3 * count);
        x.assign(all.begin(), all.begin() + n);
        y.assign(all.begin() + n, all.begin() + 2 * n);
        z.assign(all.begin() + 2 * n, all.end());
        u = x;
    }
    void call(auto&& run) { run(x, y, z, u, n, 2.5f); }
    int n = 0;
    std::vector<float> x, y, z, u;
};

/// One step of the lattice Boltzmann method with nine directions on a periodic plane.
struct lattice_boltzmann {
    static constexpr char const* name = "lattice_boltzmann";
    static constexpr auto tile = attune::ordinal<"TILE">(attune::values(1, 4, 8, 16));
    static constexpr auto flags = attune::flags<"FLAGS">("-O1", "-O3");
    static constexpr auto space = attune::space(tile, flags);
    using signature = void(std::span<float const>, std::span<float>, int, int, float);
    static attune::kernel<signature> kernel() { return kernel_in(space); }
    static attune::kernel<signature> kernel_in(auto const& chosen)
    {
        return {name,
                attune::source_text(R"(
#include <attune/tunable.hpp>
#include <span>
constexpr int tile = ATTUNE_TUNABLE(TILE, 1);
static constexpr int across[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static constexpr int down[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static constexpr float weight[9] = {4.f / 9,  1.f / 9,  1.f / 9,  1.f / 9, 1.f / 9,
                                    1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
static void cell(float const* f, float* g, int height, int width, int i, int j, float omega)
{
    int const cells = height * width;
    float in[9], density = 0, u = 0, v = 0;
    for (int d = 0; d < 9; ++d) {
        int const r = (i - down[d] + height) % height, c = (j - across[d] + width) % width;
        in[d] = f[d * cells + r * width + c];
        density += in[d];
        u += static_cast<float>(across[d]) * in[d];
        v += static_cast<float>(down[d]) * in[d];
    }
    for (int d = 0; d < 9; ++d) {
        float const along = static_cast<float>(across[d]) * u + static_cast<float>(down[d]) * v;
        float const rest = weight[d] * (density + 3 * along + 4.5f * along * along - 1.5f * (u * u + v * v));
        g[d * cells + i * width + j] = in[d] + omega * (rest - in[d]);
    }
}
void lattice_boltzmann(std::span<float const> f, std::span<float> g, int height, int width, float omega)
{
    for (int i = 0; i < height; ++i) {
        int j = 0;
        for (; j + tile <= width; j += tile)
            for (int t = 0; t < tile; ++t) cell(f.data(), g.data(), height, width, i, j + t, omega);
        for (; j < width; ++j) cell(f.data(), g.data(), height, width, i, j, omega);
    }
}
)",
                                    "lattice_boltzmann.kernel.cpp"),
                chosen};
    }
    static served_sizes first() { return {40, 50}; }
    static int least() { return 1; }
    void resize(served_sizes const& s)
    {
        size = s;
        f = numbers(9 * kernels::area(s[0], s[1]));
        g = f;
    }
    void call(auto&& run) { run(f, g, size[0], size[1], 0.6f); }
    served_sizes size;
    std::vector<float> f, g;
};

/// The first byte that is no UTF-8, or the length.
struct utf8_validation {
    static constexpr char const* name = "utf8_validation";
    static constexpr auto block = attune::ordinal<"BLOCK">(attune::values(1, 8, 16, 32, 64));
    static constexpr auto flags = attune::flags<"FLAGS">("-O1", "-O3");
    static constexpr auto space = attune::space(block, flags);
    using text = std::vector<unsigned char>;
    using signature = long(std::span<unsigned char const>);
    /// Runs of ASCII and of characters of two to four bytes.
    static text made_text(std::size_t count, attune::call_draw& draw)
    {
        text made(count, 'a');
        for (std::size_t i = 0; i + 4 < count; i += 1 + static_cast<std::size_t>(draw.index(90))) {
            std::int64_t const longer = 1 + draw.index(3);
            made[i] = static_cast<unsigned char>(longer == 1 ? 0xc3 : longer == 2 ? 0xe3 : 0xf1);
            for (std::int64_t k = 0; k < longer; ++k)
                made[++i] = 0x85;
        }
        return made;
    }
    static attune::kernel<signature> kernel()
    {
        attune::kernel<signature> made{name,
                                       attune::source_text(R"(
#include <attune/tunable.hpp>
#include <span>
constexpr int block = ATTUNE_TUNABLE(BLOCK, 1);
long utf8_validation(std::span<unsigned char const> text)
{
    long const n = static_cast<long>(text.size());
    for (long i = 0; i < n;) {
        if constexpr (block > 1)
            if (i + block <= n) {
                unsigned char any = 0;
                for (int k = 0; k < block; ++k) any |= text[i + k];
                if (any < 0x80) {
                    i += block;
                    continue;
                }
            }
        unsigned const c = text[i];
        int const more = c < 0x80 ? 0 : c < 0xc2 ? -1 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : c < 0xf5 ? 3 : -1;
        if (more < 0 || i + more >= n) return i;
        for (int k = 1; k <= more; ++k)
            if ((text[i + k] & 0xc0) != 0x80) return i;
        unsigned const next = more > 0 ? text[i + 1] : 0;
        if ((c == 0xe0 && next < 0xa0) || (c == 0xed && next > 0x9f) || (c == 0xf0 && next < 0x90) ||
            (c == 0xf4 && next > 0x8f))
            return i;
        i += 1 + more;
    }
    return n;
}
)",
                                                           "utf8_validation.kernel.cpp"),
                                       space};
        return made.calls([](attune::call_draw& draw) {
            text one = made_text(static_cast<std::size_t>(draw.size(1, 16 * first()[0])), draw);
            if (draw.index(2) == 0)
                one[static_cast<std::size_t>(draw.index(std::ssize(one)))] =
                    static_cast<unsigned char>(draw.index(256));
            return std::tuple{std::move(one)};
        });
    }
    static served_sizes first() { return {20'000}; }
    static int least() { return 1; }
    void resize(served_sizes const& s)
    {
        attune::call_draw draw(1);
        bytes = made_text(static_cast<std::size_t>(s[0]), draw);
    }
    void call(auto&& run) { static_cast<void>(run(bytes)); }
    text bytes;
};

/// The best score of a local alignment of two words.
struct smith_waterman {
    static constexpr char const* name = "smith_waterman";
    static constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4, 8));
    static constexpr auto flags = attune::flags<"FLAGS">("-O1", "-O3");
    static constexpr auto space = attune::space(unroll, flags);
    using word = std::span<unsigned char const>;
    using signature = int(word, word, std::span<int>, int, int);
    static attune::kernel<signature> kernel()
    {
        return {name,
                attune::source_text(R"(
#include <attune/tunable.hpp>
#include <algorithm>
#include <span>
constexpr int unroll = ATTUNE_TUNABLE(UNROLL, 1);
int smith_waterman(std::span<unsigned char const> a, std::span<unsigned char const> b, std::span<int> row,
                   int m, int n)
{
    int best = 0;
    for (int j = 0; j <= n; ++j) row[j] = 0;
    for (int i = 0; i < m; ++i) {
        int diagonal = 0;
        auto const step = [&](int j) {
            int const score = std::max({0, diagonal + (a[i] == b[j] ? 3 : -2), row[j + 1] - 2, row[j] - 2});
            diagonal = row[j + 1];
            row[j + 1] = score;
            best = std::max(best, score);
        };
        int j = 0;
        for (; j + unroll <= n; j += unroll)
            for (int u = 0; u < unroll; ++u) step(j + u);
        for (; j < n; ++j) step(j);
    }
    return best;
}
)",
                                    "smith_waterman.kernel.cpp"),
                space};
    }
    static served_sizes first() { return {150, 200}; }
    static int least() { return 1; }
    static std::vector<unsigned char> letters(int count, std::uint64_t seed)
    {
        attune::call_draw draw(seed);
        std::vector<unsigned char> made(static_cast<std::size_t>(count));
        for (unsigned char& c : made)
            c = static_cast<unsigned char>(draw.index(4));
        return made;
    }
    void resize(served_sizes const& s)
    {
        size = s;
        a = letters(s[0], 1);
        b = letters(s[1], 2);
        row.assign(static_cast<std::size_t>(s[1]) + 1, 1);
    }
    void call(auto&& run) { static_cast<void>(run(a, b, row, size[0], size[1])); }
    served_sizes size;
    std::vector<unsigned char> a, b;
    std::vector<int> row;
};

/// One pass of a Fourier transform of n complex numbers in steps of `stride`, both powers of two.
struct fft_pass {
    static constexpr char const* name = "fft_pass";
    static constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4, 8));
    static constexpr auto flags = attune::flags<"FLAGS">("-O1", "-O3");
    static constexpr auto space = attune::space(unroll, flags);
    using in = std::span<float const>;
    using signature = void(in, in, std::span<float>, int, int);
    static attune::kernel<signature> kernel()
    {
        attune::kernel<signature> made{name,
                                       attune::source_text(R"(
#include <attune/tunable.hpp>
#include <span>
constexpr int unroll = ATTUNE_TUNABLE(UNROLL, 1);
void fft_pass(std::span<float const> x, std::span<float const> w, std::span<float> y, int n, int stride)
{
    int const half = n / 2;
    for (int p = 0; p < half; p += stride) {
        float const c = w[2 * p], s = w[2 * p + 1];
        auto const one = [&](int q) {
            int const a = p + q, b = a + half, to = 2 * p + q;
            float const re = x[2 * a] - x[2 * b], im = x[2 * a + 1] - x[2 * b + 1];
            y[2 * to] = x[2 * a] + x[2 * b];
            y[2 * to + 1] = x[2 * a + 1] + x[2 * b + 1];
            y[2 * (to + stride)] = re * c - im * s;
            y[2 * (to + stride) + 1] = re * s + im * c;
        };
        int q = 0;
        for (; q + unroll <= stride; q += unroll)
            for (int u = 0; u < unroll; ++u) one(q + u);
        for (; q < stride; ++q) one(q);
    }
}
)",
                                                           "fft_pass.kernel.cpp"),
                                       space};
        return made.calls([](attune::call_draw& draw) {
            auto const bits = static_cast<int>(draw.size(1, 18));
            int const n = 1 << bits;
            int const stride = 1 << draw.index(bits);
            auto const twice = static_cast<std::size_t>(2 * n);
            return std::tuple{numbers(twice), numbers(twice / 2), std::vector<float>(twice), n,
                              stride};
        });
    }
    static served_sizes first() { return {1 << 14, 64}; }
    static int least() { return 2; }
    void resize(served_sizes const& s)
    {
        n = static_cast<int>(std::bit_floor(static_cast<unsigned>(s[0])));
        stride = std::min(n / 2, static_cast<int>(std::bit_floor(static_cast<unsigned>(s[1]))));
        auto const twice = static_cast<std::size_t>(2 * n);
        x = numbers(twice);
        w = numbers(twice / 2);
        y = x;
    }
    void call(auto&& run) { run(x, w, y, n, stride); }
    int n = 0, stride = 0;
    std::vector<float> x, w, y;
};

/// A sparse matrix with rows of up to 32 entries times a vector.
struct sparse_rows {
    static constexpr char const* name = "sparse_rows";
    static constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4, 8));
    static constexpr auto flags = attune::flags<"FLAGS">("-O1", "-O3");
    static constexpr auto space = attune::space(unroll, flags);
    using signature = void(std::span<int const>, std::span<int const>, std::span<float const>,
                           std::span<float const>, std::span<float>);
    struct matrix {
        std::vector<int> start, column;
    };
    static matrix made_matrix(std::int64_t n, attune::call_draw& draw)
    {
        matrix made;
        made.start.resize(static_cast<std::size_t>(n) + 1);
        std::int64_t const most = draw.size(0, 32);
        for (std::size_t i = 1; i < made.start.size(); ++i)
            made.start[i] = made.start[i - 1] + static_cast<int>(draw.index(most + 1));
        made.column.resize(static_cast<std::size_t>(made.start.back()));
        for (int& c : made.column)
            c = static_cast<int>(draw.index(n));
        return made;
    }
    static attune::kernel<signature> kernel()
    {
        attune::kernel<signature> made{name,
                                       attune::source_text(R"(
#include <attune/tunable.hpp>
#include <span>
constexpr int unroll = ATTUNE_TUNABLE(UNROLL, 1);
void sparse_rows(std::span<int const> start, std::span<int const> column, std::span<float const> value,
                 std::span<float const> x, std::span<float> y)
{
    int const rows = static_cast<int>(y.size());
    for (int i = 0; i < rows; ++i) {
        float part[unroll] = {};
        int k = start[i];
        for (; k + unroll <= start[i + 1]; k += unroll)
            for (int u = 0; u < unroll; ++u) part[u] += value[k + u] * x[column[k + u]];
        float sum = 0;
        for (; k < start[i + 1]; ++k) sum += value[k] * x[column[k]];
        for (int u = 0; u < unroll; ++u) sum += part[u];
        y[i] = sum;
    }
}
)",
                                                           "sparse_rows.kernel.cpp"),
                                       space};
        made.template tolerate<4>({.absolute = 1e-4, .relative = 1e-3});
        return made.calls([](attune::call_draw& draw) {
            std::int64_t const n = draw.size(1, 16 * first()[0]);
            matrix m = made_matrix(n, draw);
            std::vector<float> value = numbers(m.column.size());
            return std::tuple{std::move(m.start), std::move(m.column), std::move(value),
                              numbers(static_cast<std::size_t>(n)),
                              numbers(static_cast<std::size_t>(n))};
        });
    }
    static served_sizes first() { return {1'000}; }
    static int least() { return 1; }
    void resize(served_sizes const& s)
    {
        attune::call_draw draw(static_cast<std::uint64_t>(s[0]));
        a = made_matrix(s[0], draw);
        value = numbers(a.column.size());
        x = numbers(static_cast<std::size_t>(s[0]));
        y = x;
    }
    void call(auto&& run) { run(a.start, a.column, value, x, y); }
    matrix a;
    std::vector<float> value, x, y;
};

} // namespace bench
