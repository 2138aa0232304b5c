// attune/tune/shape/variant_proof.hpp - proves a variant on calls that attune makes, in memory of their own.
// SPDX-License-Identifier: MIT
// Bench    bench/tune/served.cpp
#pragma once

#include <attune/core/callable.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/shape/call_shape.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/kernel/kernel_description.hpp>
#include <attune/tune/shape/drawn_calls.hpp>
#include <attune/tune/shape/shape_trust.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The result of a variant on one call.
enum class call_result : std::uint8_t {
    unknown, ///< not reached, or the trusted code fails, or the variant is clearly slower
    right,
    wrong,     ///< the variant fails, but not the trusted code
    not_taken, ///< kernel.precondition(f) refuses the call
};

/// The results of a variant on many small calls.
struct shape_proof {
    std::vector<call_result> results{}; ///< for each call
    std::size_t tried = 0;              ///< calls beyond these were not reached
    double elapsed_s = 0;               ///< wall seconds
};

/// Runs verify_shape() for many calls in one child. A call on which the trusted code fails, also by
/// an access outside of its arrays, proves nothing. After a variant's crash or hang another child
/// continues with the next call, up to a few times. Changes of the process are not checked.
///
/// @param count         number of calls, at most 1,024
/// @param frame_at      makes call `i`; called in the child
/// @param limit_s       wall seconds; calls not reached by then are unknown
/// @param call_limit_s  wall seconds of each call
/// @param is_over       true: the proof ends now; may be empty
/// @return  all unknown without a child process. Never throws
[[nodiscard]] shape_proof prove_shapes(kernel_description const& kernel, std::size_t count,
                                       std::function<call_frame(std::size_t)> const& frame_at,
                                       callable const& trusted, callable const& tried,
                                       double limit_s, isolation protect = isolation::automatic,
                                       double call_limit_s = 0.25,
                                       std::function<bool()> const& is_over = {});

/// Memory for arrays of a call that are longer, or at other addresses.
class sized_arrays {
public:
    /// @param are_declared  special contents are those of kernel.contents(...)
    explicit sized_arrays(bool are_declared = false)
        : are_declared_(are_declared)
    {
    }
    /// Makes the call. Arrays that fit are the beginnings of the original's. Longer ones, and those
    /// with their own address or contents, are in memory of this object, and repeat the original's
    /// elements. Arrays that have no such contents keep their own.
    /// @param frame  frame of the original, with call_frame::resized
    /// @return  its arrays are valid until the next make()
    /// Errors   std::bad_alloc
    [[nodiscard]] call_frame make(call_frame const& frame, drawn_call const& call);

private:
    bool are_declared_;
    std::vector<std::unique_ptr<std::byte[]>> blocks_{};
};

/// A variant and the code that it is compared with.
struct proof_subject {
    kernel_description const& kernel;
    std::vector<shape_word> const& layout;  ///< of the kernel's calls
    shape_choice choice;                    ///< arguments that stay the same in drawn calls
    shape_choice keys;                      ///< arguments that count in the shapes of calls
    callable const& trusted;                ///< the default
    callable const& tried;                  ///< the variant
    std::span<std::int64_t const> divisors; ///< numbers among the variant's parameters
    isolation protect = isolation::automatic;
};

/// The time and the memory that a proof may take.
struct proof_limits {
    double proof_s = 1;              ///< wall seconds of all calls
    double call_s = 0.25;            ///< wall seconds of one call
    draw_limits calls{};             ///< the largest calls
    std::uint64_t round = 0;         ///< other calls are drawn in each round
    std::function<bool()> is_over{}; ///< true: the proof ends now and does not go on; may be empty
    std::vector<std::vector<std::int64_t>> wrong{}; ///< variant_proof::wrong of earlier proofs
    bool only_own_numbers = false; ///< variant_proof::only_own_numbers of an earlier proof
    bool has_compared = false;     ///< variant_proof::has_compared of an earlier proof
    /// Receives the shapes of right calls in groups, as soon as they are known, until the variant
    /// is refuted. The others are in variant_proof::right. May be empty.
    std::function<void(std::vector<std::vector<std::int64_t>> const& right)> take{};
    /// Receives the first of variant_proof::refuting as soon as it is known. May be empty.
    std::function<void(std::span<std::int64_t const> key)> refute{};
};

/// A call that attune made, on which a variant differs from the default.
struct counterexample {
    std::string where{}; ///< its shape; empty: there is none
    failure why{};
};

struct variant_proof {
    std::vector<std::vector<std::int64_t>> right{}; ///< their shapes
    std::vector<std::vector<std::int64_t>> open{};  ///< shapes on which either code failed
    std::vector<std::vector<std::int64_t>> wrong{}; ///< shapes for which the variant alone failed
    /// Calls for which the variant is wrong though `trust` and `right` prove all their properties.
    /// Not empty: no class of shapes shows that the variant is right.
    std::vector<std::vector<std::int64_t>> refuting{};
    /// The variant is wrong for another floating-point number than the call's own, where right
    /// calls with other numbers prove all. `right` has none of these calls.
    bool only_own_numbers = false;
    counterexample differs{}; ///< the smallest call that was found
    /// Special contents for which the variant differs, and the first difference. The kernel may not
    /// take such contents.
    counterexample contents{};
    counterexample baseline{}; ///< the default differs from the user's own code, its reference
    /// Special contents and the user's own code were tried on calls of this kind.
    bool has_compared = false;
    double elapsed_s = 0;  ///< wall seconds
    std::string trouble{}; ///< why no calls could be drawn: the exception of kernel.calls(f)
    bool was_over = false; ///< proof_limits::is_over ended it
};

/// Draws calls from one call (call_draws), or by the user's function (kernel.calls(f)). Runs the
/// variant and the default on them in child processes, between inaccessible pages, and compares.
/// Draws until little is new to `trust`, or until the time is up. Then draws calls in which proven
/// properties meet at random: a variant that is wrong for one of them is refuted. Some of these
/// calls run before proof_limits::take receives a group. A call for which the variant is wrong is
/// made smaller, one size at a time, as long as the variant is wrong. Afterwards the same with
/// other floating-point numbers than the call's own.
///
/// The dependence of lengths on integers is not declared. If several formulas give the length of an
/// array, the first one counts with which the default stays inside of it. Without any, the array
/// does not change. A call on which the default fails proves nothing. A call on which the variant
/// fails proves nothing either, because it may be invalid for the kernel.
///
/// @param key      the shape of the call
/// @param frame    the call; its arrays can be read
/// @param trust    trusted shapes of the variant
/// @return  empty if the call's sizes cannot change. Never throws
[[nodiscard]] variant_proof prove_variant(proof_subject const& of,
                                          std::span<std::int64_t const> key,
                                          call_frame const& frame, shape_trust trust,
                                          proof_limits const& limits);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/shape/variant_proof.ipp>
#endif
