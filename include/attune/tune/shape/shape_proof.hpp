// attune/tune/shape/shape_proof.hpp - runs a variant on many small calls in one child process.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/kernel/kernel_description.hpp>

#include <cstddef>
#include <functional>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The calls on which a variant was right.
struct shape_proof {
    /// By call: its results are right, and it is not clearly slower; false where nothing is known.
    std::vector<bool> is_right{};
    double elapsed_s = 0; ///< wall seconds
};

/// verify_shape() for many calls in one child. A call on which the trusted code fails, also by an
/// access outside of its arrays, proves nothing. After a variant's crash or hang another child
/// continues with the next call, up to a few times. What runs change of their process is not looked
/// at, as first_runs does.
///
/// @param count     number of calls, at most 1,024
/// @param frame_at  makes call `i`; called in the child
/// @param limit_s   wall seconds; calls not reached by then are not right
/// @return  all false if no child process can be made. Never throws
[[nodiscard]] shape_proof prove_shapes(kernel_description const& kernel, std::size_t count,
                                       std::function<call_frame(std::size_t)> const& frame_at,
                                       callable const& trusted, callable const& tried,
                                       double limit_s, isolation protect = isolation::automatic);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/shape/shape_proof.ipp>
#endif
