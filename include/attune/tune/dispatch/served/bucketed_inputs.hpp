// attune/tune/dispatch/served/bucketed_inputs.hpp - which inputs are tuned for a call, and whether its own allow the result.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/remember/record.hpp>
#include <attune/tune/dispatch/dispatched_kernel.hpp>
#include <attune/tune/kernel/kernel_description.hpp>

#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Errors  attune::error: kernel.bucket<i>(f) for an argument that is bound to no input, or for a
///         kernel that runs on a device, whose launch goes by the inputs
void require_buckets(kernel_description const& kernel, bool is_for_device);

/// The inputs that stand for those of a call; these themselves where kernel.bucket() maps nothing.
/// Calls the user's function: hold no lock.
/// Errors  what that throws
[[nodiscard]] std::vector<number> representative_of(kernel_description const& kernel,
                                                    std::vector<number> const& inputs);

/// Whether a value or a constraint can depend on inputs. A constraint given as a function can.
[[nodiscard]] bool depends_on_inputs(description const& space);

/// Why a configuration, of other inputs, cannot serve a call with these: the constraint that it
/// breaks for them, or the value that a parameter does not have; empty: it can.
/// @param configuration  with all parameters
/// Cost   1 us where no constraint and no table reads an input; else 30 us or more
[[nodiscard]] std::string why_not_with(dispatched_kernel const& subject,
                                       std::vector<number> const& inputs,
                                       named_texts const& configuration);

/// The values of a configuration, with their names.
[[nodiscard]] named_texts texts_at(description const& space, point const& at);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/served/bucketed_inputs.ipp>
#endif
