// attune/tune/capture/call_replay.hpp - a captured call as one of this program's kernel: ATTUNE_REPLAY.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/capture/captured_arguments.hpp>
#include <attune/tune/dispatch/dispatched_kernel.hpp>

#include <memory>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// A call, and the memory that it refers to.
struct replay_of_call {
    captured_arguments memory;
    keyed_call call;
};

/// The call in a file. Kernel, signature, structures, bound inputs, and each array's elements and
/// size are those of this program; its declaration says how it is checked and tuned.
/// @return  null: it is a call of another kernel
/// Errors   attune::error: the file cannot be read or is damaged; something is another one here
[[nodiscard]] std::unique_ptr<replay_of_call const>
replay_in(std::string const& path, dispatched_kernel const& of, call_maker const& make);

/// Whether `attune retune` has started this program, by ATTUNE_REPLAY_ANEW, to tune this kernel
/// also where the store knows the captured call. Other kernels keep the program's policy.
[[nodiscard]] bool is_retuned(kernel_description const& kernel) noexcept;

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/capture/call_replay.ipp>
#endif
