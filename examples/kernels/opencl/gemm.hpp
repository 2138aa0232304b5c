// examples/kernels/opencl/gemm.hpp - the matrix product in CLBlast's parameters.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/attune.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace kernels::opencl {

/// 17,956 configurations: those of the recorded `gemm` spaces. The default is their first one.
struct gemm {
    static constexpr auto m = attune::input<"M", int>();
    static constexpr auto n = attune::input<"N", int>();
    static constexpr auto mwg = attune::ordinal<"MWG">(attune::powers_of_two(16, 128));
    static constexpr auto nwg = attune::ordinal<"NWG">(attune::powers_of_two(16, 128));
    static constexpr auto kwg = attune::ordinal<"KWG">(attune::values(32));
    static constexpr auto mdimc = attune::ordinal<"MDIMC">(attune::powers_of_two(8, 32));
    static constexpr auto ndimc = attune::ordinal<"NDIMC">(attune::powers_of_two(8, 32));
    static constexpr auto mdima = attune::ordinal<"MDIMA">(attune::powers_of_two(8, 32));
    static constexpr auto ndimb = attune::ordinal<"NDIMB">(attune::powers_of_two(8, 32));
    static constexpr auto kwi = attune::ordinal<"KWI">(attune::values(2));
    static constexpr auto vwm = attune::ordinal<"VWM">(attune::powers_of_two(1, 8));
    static constexpr auto vwn = attune::ordinal<"VWN">(attune::powers_of_two(1, 8));
    static constexpr auto sa = attune::ordinal<"SA">(attune::values(0, 1));
    static constexpr auto sb = attune::ordinal<"SB">(attune::values(0, 1));
    static constexpr auto space =
        attune::space(mwg, nwg, kwg, mdimc, ndimc, mdima, ndimb, kwi, vwm, vwn, sa, sb)
            .where(kwg % kwi == 0, mwg % (mdimc * vwm) == 0, nwg % (ndimc * vwn) == 0,
                   mwg % (mdima * vwm) == 0, nwg % (ndimb * vwn) == 0,
                   kwg % ((mdimc * ndimc) / mdima) == 0, kwg % ((mdimc * ndimc) / ndimb) == 0);
    using signature = void(std::span<float const>, std::span<float const>, std::span<float>, int,
                           int, int);

    /// @param source  the text of gemm.kernel.cl
    template <class Signature = signature>
    [[nodiscard]] static attune::kernel<Signature> kernel(attune::kernel_source source)
    {
        attune::kernel<Signature> k{"gemm", std::move(source), space};
        k.template bind<3>(m).template bind<4>(n).grid(m / mwg, n / nwg).block(mdimc, ndimc);
        return k;
    }

    /// By a plain loop. Sizes as in gemm.kernel.cl.
    static void multiply(std::span<float const> a, std::span<float const> b, std::span<float> c,
                         int rows, int columns, int depth)
    {
        auto const at = [](int row, int width, int column) {
            return static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
                   static_cast<std::size_t>(column);
        };
        std::vector<double> sum(c.size());
        for (int l = 0; l < depth; ++l)
            for (int j = 0; j < columns; ++j)
                for (int i = 0; i < rows; ++i)
                    sum[at(j, rows, i)] += static_cast<double>(a[at(l, rows, i)]) *
                                           static_cast<double>(b[at(l, columns, j)]);
        for (std::size_t i = 0; i < c.size(); ++i)
            c[i] = static_cast<float>(sum[i]);
    }
};

} // namespace kernels::opencl
