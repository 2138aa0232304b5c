// attune/compile/source/generated.ipp - a generator is given values of the types that it reads.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/generated.hpp>
#include <attune/core/error.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

ATTUNE_INLINE void require_parameters_of(description const& declared, description const& bound)
{
    auto const same = [](parameter_description const& a, parameter_description const& b) {
        return a.name == b.name && a.kind == b.kind && a.type == b.type && a.parts == b.parts;
    };
    std::vector<parameter_description> const& mine = declared.parameters;
    std::vector<parameter_description> const& given = bound.parameters;
    if (!std::equal(mine.begin(), mine.end(), given.begin(), given.end(), same))
        throw error("the space of generated_source has other parameters than that of the kernel",
                    "", "pass the same space to generated_source and to attune::kernel");
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
