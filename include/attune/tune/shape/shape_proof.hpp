// attune/tune/shape/shape_proof.hpp - a variant runs on many small calls in one child process.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/tune/kernel.hpp>
#include <attune/tune/kernel/call_frame.hpp>

#include <cstddef>
#include <functional>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// For which calls a variant was right.
struct shape_proof {
    std::vector<bool> is_right{}; ///< of each call; false also where nothing is known
    double elapsed_s = 0;         ///< wall seconds
};

/// As verify_shape(), of many calls in one child. A call on which the trusted code or the variant
/// crashes or hangs costs the child; another one goes on behind it, a few times.
///
/// @param count     of the calls
/// @param frame_at  call `i`; called in the child
/// @param limit_s   wall seconds; what was not reached by then is not right
/// @return  nothing is right where no child process can be made. Never throws
[[nodiscard]] shape_proof prove_shapes(kernel_description const& kernel,
                                       std::size_t count,
                                       std::function<call_frame(std::size_t)> const& frame_at,
                                       callable const& trusted,
                                       callable const& tried,
                                       double limit_s,
                                       isolation protect = isolation::automatic);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/shape/shape_proof.ipp>
#endif
