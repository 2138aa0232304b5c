// attune/tune/kernel/launch_text.hpp - the launch of a kernel as text, for code without its declaration.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/remember/problem/call_facts.hpp>
#include <attune/tune/kernel/kernel_description.hpp>

#include <optional>

namespace attune::inline ATTUNE_ABI::detail {

/// The launch of the kernel on a device, for a store. A formula is C++ over the functions of
/// ship/baked/device_code.hpp: "ceil_divide(in[0], multiply(at[0], at[1]))". Here in[i] is input i
/// of the call. at[i] is the number that launch_facts::reads[i] names, in fields between tabs:
///   whole NAME, real NAME       the number that parameter NAME has
///   item I NAME, place I NAME   of a list: number I; the place of number I
///   text NAME TEXT              1 if parameter NAME has this text, otherwise 0
/// @param declared  from with_annotated_defaults(kernel)
/// @return  empty if no launch is declared, or if a formula cannot be written in this form
[[nodiscard]] std::optional<launch_facts> launch_facts_of(kernel_description const& kernel,
                                                          description const& declared);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/kernel/launch_text.ipp>
#endif
