// examples/kernels/scheduled/all_scheduled.hpp - kernels of large spaces, with the members of
// all.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include "filter_chain.hpp"
#include "known_ttv.hpp"
#include "scheduled_mttkrp.hpp"
#include "scheduled_sddmm.hpp"
#include "scheduled_spmm.hpp"

namespace kernels {

/// visit.operator()<Kernel>() for each of them.
void for_each_scheduled_kernel(auto&& visit)
{
    visit.template operator()<scheduled_spmm>();
    visit.template operator()<scheduled_sddmm>();
    visit.template operator()<scheduled_mttkrp>();
    visit.template operator()<filter_chain>();
    visit.template operator()<known_ttv<0>>();
    visit.template operator()<known_ttv<1>>();
    visit.template operator()<known_ttv<2>>();
}

} // namespace kernels
