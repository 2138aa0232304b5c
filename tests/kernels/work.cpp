// tests/kernels/work.cpp - what the kernels say they do, against counting it.
// SPDX-License-Identifier: MIT
#include <attune/declare/decode.hpp>
#include <attune/space/build_pack.hpp>
#include <attune/tune/kernel.hpp>
#include <attune/tune/kernel/problem.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../../examples/kernels/all.hpp"

namespace {

template <class... Args>
attune::work stated(attune::kernel<void(Args...)> const& k, auto& problem)
{
    attune::kernel_description const& d = k.describe();
    attune::chain_of_trees const space =
        attune::detail::space_of_call(d, attune::detail::with_annotated_defaults(d), {});
    attune::point const at = attune::detail::default_point(space).value();
    attune::work out;
    problem.call([&](Args... args) {
        std::tuple<Args...> const arguments{args...};
        out = d.work(space.describe(), at, &arguments, nullptr);
    });
    return out;
}

/// Bytes of all arrays of a call.
template <class... Args>
double bytes_of_all(attune::kernel<void(Args...)> const&, auto& problem)
{
    double sum = 0;
    problem.call([&](Args... args) {
        auto const add = [&](auto const& argument) {
            if constexpr (requires { argument.size_bytes(); })
                sum += static_cast<double>(argument.size_bytes());
        };
        (add(args), ...);
    });
    return sum;
}

template <class Kernel>
double flops()
{
    Kernel problem;
    return stated(Kernel::kernel(), problem).flops;
}

/// The work that a kernel states for its i-th configuration.
template <class Kernel>
attune::work stated_at(attune::chain_of_trees const& space, std::uint64_t i,
                       auto const&... arguments)
{
    attune::point const at = space.at(i);
    return Kernel::cost(attune::configuration_view{space.describe(), at}, arguments...);
}

/// Bytes that sgemm.kernel.cpp loads, by going through its tiles and blocks.
double loads_of_product(kernels::sgemm::config const& at, int n)
{
    auto const [m, columns, depth, rows] =
        std::array{at[kernels::sgemm::tile_m], at[kernels::sgemm::tile_n],
                   at[kernels::sgemm::tile_k], at[kernels::sgemm::unroll]};
    double bytes = 0;
    for (int i0 = 0; i0 < n; i0 += m)
        for (int j0 = 0; j0 < n; j0 += columns)
            for (int k0 = 0; k0 < n; k0 += depth) {
                int const high = std::min(m, n - i0), deep = std::min(depth, n - k0);
                int const wide = std::min(columns, n - j0);
                bytes += 4.0 * deep * wide; // packing
                for (int i = 0; i < high; i += i + rows <= high ? rows : 1) {
                    int const together = i + rows <= high ? rows : 1;
                    bytes += 4.0 * deep * columns + 16.0 * deep * together + 4.0 * together * wide;
                }
            }
    return bytes;
}

} // namespace

TEST_CASE("every kernel states its work; every array crosses the bus once, but for frames")
{
    std::map<std::string, double> const left_alone{
        {"stencil2d", 4.0 * (2 * 1500 + 2 * 2000 - 4)},
        {"stencil3d", 4.0 * (160.0 * 160 * 160 - 158.0 * 158 * 158)}};
    kernels::for_each_kernel([&]<class Kernel> {
        CAPTURE(Kernel::name);
        Kernel problem;
        auto const kernel = Kernel::kernel();
        REQUIRE(kernel.describe().work);
        auto const border = left_alone.find(Kernel::name);
        double const unwritten = border == left_alone.end() ? 0 : border->second;
        attune::work const work = stated(kernel, problem);
        CHECK(work.bytes == bytes_of_all(kernel, problem) - unwritten);
        CHECK(work.flops > 0);
        CHECK(!work.double_precision);
    });
}

TEST_CASE("flops are those of going through all elements and counting")
{
    double count = 0;
    kernels::spmv const spmv;
    for_each_entry(spmv.a, [&](auto...) { count += 2; });
    CHECK(flops<kernels::spmv>() == count);

    kernels::spmm const spmm;
    count = 0;
    for_each_entry(spmm.a, [&](auto...) { count += 2 * spmm.k; });
    CHECK(flops<kernels::spmm>() == count);

    kernels::sddmm const sddmm;
    count = 0;
    for_each_entry(sddmm.b, [&](auto...) { count += 2 * sddmm.k + 1; });
    CHECK(flops<kernels::sddmm>() == count);

    kernels::ttv const ttv;
    count = 0;
    for_each_entry(ttv.b, [&](auto...) { count += 2; });
    CHECK(flops<kernels::ttv>() == count);

    kernels::mttkrp const mttkrp;
    double plain = 0;
    double factored = 0;
    std::size_t last_i = 1 << 20, last_j = 0;
    for_each_entry(mttkrp.b, [&](std::size_t i, std::size_t j, std::size_t, double) {
        bool const new_fibre = i != last_i || j != last_j;
        last_i = i, last_j = j;
        plain += 3 * mttkrp.rank;
        factored += (new_fibre ? 4 : 2) * mttkrp.rank;
    });
    CHECK(flops<kernels::mttkrp>() == std::min(plain, factored));

    count = 0;
    for (int y = 1; y + 1 < 1500; ++y)
        for (int x = 1; x + 1 < 2000; ++x)
            count += 5;
    CHECK(flops<kernels::stencil2d>() == count);
    count = 0;
    for (int z = 1; z + 1 < 160; ++z)
        for (int y = 1; y + 1 < 160; ++y)
            for (int x = 1; x + 1 < 160; ++x)
                count += 8;
    CHECK(flops<kernels::stencil3d>() == count);
    CHECK(flops<kernels::sgemm>() == 2.0 * 512 * 512 * 512);
    CHECK(flops<kernels::batched_gemm>() == 2.0 * 16 * 16 * 16 * 4000);
    CHECK(flops<kernels::convolution2d>() == 2.0 * 49 * 494 * 694);
    CHECK(flops<kernels::kmeans>() == 3.0 * 20000 * 16 * 32);
    CHECK(flops<kernels::harris>() == 15.0 * 598 * 798 + 19.0 * 596 * 796);
}

TEST_CASE("the loads of a product are those of its tiles, and never more")
{
    attune::chain_of_trees const space = attune::build(kernels::sgemm::space);
    std::vector<float> const none;
    auto const count = static_cast<std::uint64_t>(*space.size());
    for (std::uint64_t i = 0; i < count; i += 17) {
        auto const at = attune::decode(kernels::sgemm::space, space.describe(), space.at(i));
        attune::work const even = stated_at<kernels::sgemm>(space, i, none, none, none, 256);
        CHECK(even.loads == doctest::Approx(loads_of_product(at, 256)));
        CHECK(even.sums == 256.0 * 256 * 256);
        attune::work const odd = stated_at<kernels::sgemm>(space, i, none, none, none, 100);
        CHECK(odd.loads <= 1.000001 * loads_of_product(at, 100));
    }
}

TEST_CASE("the loads of a convolution are the distinct elements that its blocks read")
{
    using kernel = kernels::convolution2d;
    attune::chain_of_trees const space = attune::build(kernel::space);
    kernel const data;
    auto const count = static_cast<std::uint64_t>(*space.size());
    for (std::uint64_t i = 0; i < count; i += 7) {
        auto const at = attune::decode(kernel::space, space.describe(), space.at(i));
        std::set<std::pair<int, int>> pixels, taps;
        for (int y = 0; y < at[kernel::rows]; ++y)
            for (int x = 0; x < at[kernel::columns]; ++x)
                for (int v = 0; v < kernel::extent; ++v)
                    for (int u = 0; u < kernel::extent; ++u) {
                        pixels.emplace(y + v, x + u);
                        taps.emplace(v, u);
                    }
        double const blocks = static_cast<double>(data.out.size()) /
                              static_cast<double>(at[kernel::rows] * at[kernel::columns]);
        double const bytes = 4.0 * static_cast<double>(pixels.size() + taps.size());
        attune::work const done = stated_at<kernel>(space, i, data.in, data.filter, data.out, 0, 0);
        CHECK(done.loads == doctest::Approx(blocks * bytes));
    }
}

TEST_CASE("work of a configuration is a number everywhere, and grows with what it repeats")
{
    kernels::for_each_kernel([&]<class Kernel> {
        auto const kernel = Kernel::kernel();
        attune::kernel_description const& d = kernel.describe();
        if (!d.work_varies) return;
        CAPTURE(Kernel::name);
        Kernel problem;
        attune::chain_of_trees const space = attune::build(Kernel::space);
        auto const count = static_cast<std::uint64_t>(*space.size());
        for (std::uint64_t i = 0; i < count; i += 1 + count / 100) {
            attune::point const at = space.at(i);
            attune::work done;
            problem.call([&](auto const&... arguments) {
                attune::configuration_view const view{space.describe(), at};
                if constexpr (requires { Kernel::cost(view, arguments...); })
                    done = Kernel::cost(view, arguments...);
            });
            CHECK(std::isfinite(done.flops));
            CHECK(std::isfinite(done.loads));
            CHECK(done.threads >= 1);
            CHECK(done.sums > 0);
            CHECK(done.sums <= done.flops);
            CHECK(done.sum_bytes % 4 == 0);
            CHECK(done.loads >= 0);
        }
    });
}
