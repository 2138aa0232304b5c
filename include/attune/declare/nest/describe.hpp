// attune/declare/nest/describe.hpp - a typed program as a nest_description.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/declare_nest.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/declare/nest/nest_rows.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// Equal parts are there once; reductions inside a formula become statements, whose results are
/// temporaries.
[[nodiscard]] nest_description describe_form(nest_form const& program);

template <class Declaration>
[[nodiscard]] nest_description describe_nest(Declaration const& program)
{
    auto const numbers = program.numbers();
    return describe_form(Declaration::form(numbers));
}

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/nest/describe.ipp>
#endif
