// tests/support/device_saxpy.hpp - y += a * x on an emulated device, in good and in bad variants.
// SPDX-License-Identifier: MIT
//
// A second call changes the result, so that what is not restored shows. Variants say what they
// cost, so that the winner is known.
#pragma once

#include <attune/attune.hpp>

#include <utility>

#include "accumulate.hpp"
#include "emulated_compiler.hpp"
#include "emulated_device.hpp"
#include "saxpy_data.hpp"
#include "shared_store.hpp"
#include "texts.hpp"

namespace attune_test {

inline constexpr auto saxpy_n = attune::input<"n", int>();
inline constexpr auto saxpy_block = attune::ordinal<"BLOCK">(attune::values(32, 64));

/// What the parameter KIND stands for.
enum saxpy_kind : int {
    plain = 0,
    quick = 1,     ///< half the cost of the plain one
    doubled = 2,   ///< quicker still, twice the result
    faulting = 3,  ///< quicker still, writes to address 8
    hanging = 4,   ///< never ends
    idle_kind = 5, ///< quicker still, writes nothing
};

inline attune::kernel_source saxpy_source()
{
    return attune::source_text(R"(#include <attune/tunable.hpp>

extern "C" __global__ void saxpy(float const* x, float* y, float a, int n)
{
    constexpr int kind = ATTUNE_TUNABLE(KIND, 0);
    constexpr int block = ATTUNE_TUNABLE(BLOCK, 32);
    attune_emulated_cost(kind == 0   ? 200000 + 1000 * block
                         : kind == 1 ? 100000 + 1000 * block
                                     : 20000);
    int const i = blockIdx.x * block + threadIdx.x;
    if (kind == 3 && i == 0) *reinterpret_cast<float volatile*>(8) = 1;
    if (kind == 4)
        for (int volatile spin = 0;;) spin = spin + 1;
    if (i < n && kind != 5) y[i] += (kind == 2 ? 2 * a : a) * x[i];
}
)",
                               "saxpy.kernel.cu");
}

template <class Signature, saxpy_kind... Kinds>
attune::kernel<Signature> saxpy_kernel()
{
    attune::kernel<Signature> out{
        "saxpy", saxpy_source(),
        attune::space(attune::categorical<"KIND">(static_cast<int>(Kinds)...), saxpy_block)};
    out.template bind<3>(saxpy_n).grid(attune::ceil_div(saxpy_n, saxpy_block)).block(saxpy_block);
    return out;
}

inline emulated_compiler saxpy_compiler(int device = -1)
{
    return emulated_compiler{{.driver = ATTUNE_EMULATED_CUDA, .device = device}};
}

template <class Signature, saxpy_kind... Kinds>
auto tuned_saxpy(shared_store const& store = {}, attune::tuning_options options = quick_options())
{
    return attune::tuned{saxpy_kernel<Signature, Kinds...>(), saxpy_compiler(), store,
                         std::move(options)};
}

/// Both arrays on a device.
struct device_data {
    emulated_device& device;
    attune::device_span<float> x;
    attune::device_span<float> y;

    device_data(emulated_device& where, saxpy_data const& from)
        : device(where)
        , x(reinterpret_cast<float*>(where.upload(from.x)), from.x.size())
        , y(reinterpret_cast<float*>(where.upload(from.y)), from.y.size())
    {
    }
    saxpy_data fetch() const
    {
        auto const read = [&](attune::device_span<float> from) {
            return device.download<float>(
                reinterpret_cast<attune::detail::cuda::device_pointer>(from.data()), from.size());
        };
        return {read(x), read(y)};
    }
};

} // namespace attune_test
