// attune/tune/kernel/launch_text.hpp - the launch of a kernel as text, for those without its declaration.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/remember/problem/call_facts.hpp>
#include <attune/tune/kernel/kernel_description.hpp>

#include <optional>

namespace attune::inline ATTUNE_ABI::detail {

/// How a device launches the kernel, for a store. A formula is C++ over the functions of
/// ship/baked/launch_number.hpp: "ceil_divide(in[0], multiply(at[0], at[1]))", where in[i] is input
/// i of the call, and at[i] what launch_facts::reads[i] names of a configuration, in fields between
/// tabs:
///   whole NAME, real NAME       the number that parameter NAME has
///   item I NAME, place I NAME   of a list: number I; the place of number I
///   text NAME TEXT              1 where parameter NAME has this text, else 0
/// @param declared  from with_annotated_defaults(kernel)
/// @return  nothing where no launch is declared, or a formula cannot be written so
[[nodiscard]] std::optional<launch_facts> launch_facts_of(kernel_description const& kernel,
                                                          description const& declared);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/kernel/launch_text.ipp>
#endif
