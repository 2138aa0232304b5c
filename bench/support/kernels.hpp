// bench/support/kernels.hpp - the examples' kernels that a command line names.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "../../examples/kernels/all.hpp"
#include "../../examples/kernels/scheduled/all_scheduled.hpp"
#include "names.hpp"

namespace bench {

/// visit.operator()<Kernel>() for each of a list of names, in the order of all.hpp; an empty list
/// has all of these. Those of all_scheduled.hpp are visited if they are named.
/// Errors  std::runtime_error before the first visit: one of the names is not known
void for_kernels_of(std::string_view list, auto&& visit)
{
    std::vector<std::string> names;
    kernels::for_each_kernel([&]<class Kernel> { names.emplace_back(Kernel::name); });
    kernels::for_each_scheduled_kernel([&]<class Kernel> { names.emplace_back(Kernel::name); });
    require_known("--kernels", list, names);
    kernels::for_each_kernel([&]<class Kernel> {
        if (is_in(list, Kernel::name)) visit.template operator()<Kernel>();
    });
    kernels::for_each_scheduled_kernel([&]<class Kernel> {
        if (!list.empty() && is_in(list, Kernel::name)) visit.template operator()<Kernel>();
    });
}

} // namespace bench
