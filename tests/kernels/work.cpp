// tests/kernels/work.cpp - what the kernels say they do, against counting it.
// SPDX-License-Identifier: MIT
#include <attune/tune/kernel.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "../../examples/kernels/all.hpp"

namespace {

template <class... Args>
attune::work stated(attune::kernel<void(Args...)> const& k, auto& problem)
{
    attune::work out;
    problem.call([&](Args... args) {
        std::tuple<Args...> const arguments{args...};
        out = k.describe().work(k.describe().space, {}, &arguments);
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
