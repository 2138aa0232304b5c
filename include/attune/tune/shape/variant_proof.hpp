// attune/tune/shape/variant_proof.hpp - proves a variant on calls that attune makes, in separate memory.
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
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The result of a variant on one call.
enum class call_result : std::uint8_t {
    unknown, ///< no run, or the trusted code fails, or the variant is clearly slower
    right,
    wrong,     ///< the variant fails, and the trusted code does not
    not_taken, ///< kernel.precondition(f) refuses the call
};

/// The results of a variant on many small calls.
struct shape_proof {
    std::vector<call_result> results{}; ///< for each call
    std::size_t tried = 0;              ///< number of first calls that ran
    double elapsed_s = 0;               ///< wall seconds
};

/// Runs verify_shape() for many calls in one child. A call proves nothing if the trusted code
/// fails, also by an access outside of its arrays. After a variant's crash or hang another child
/// continues with the next call, up to 15 times. Ignores changes of the process.
///
/// @param count         number of calls, at most 1,024
/// @param frame_at      makes call `i` in the child
/// @param limit_s       wall seconds; calls after that are unknown
/// @param call_limit_s  wall seconds of each call
/// @param is_over       returns true to end the proof; may be empty
/// @return  all unknown without a child process. Never throws
[[nodiscard]] shape_proof prove_shapes(kernel_description const& kernel, std::size_t count,
                                       std::function<call_frame(std::size_t)> const& frame_at,
                                       callable const& trusted, callable const& tried,
                                       double limit_s, isolation protect = isolation::automatic,
                                       double call_limit_s = 0.25,
                                       std::function<bool()> const& is_over = {});

/// Memory for the arrays of drawn calls that are longer, or at other addresses.
class sized_arrays {
public:
    /// @param are_declared  special contents are those of kernel.contents(...)
    explicit sized_arrays(bool are_declared = false)
        : are_declared_(are_declared)
    {
    }
    /// Makes the call. Shorter arrays are the beginnings of the original ones. Longer ones, and
    /// those with another address or other contents, are in memory of this object, and repeat the
    /// original elements. Arrays whose type has no such contents keep the original ones. Arrays of
    /// one floating-point number get various ones: see vary().
    /// @param frame  frame of the original call, with call_frame::resized
    /// @return  the call; its arrays are valid until the next make()
    /// Errors   std::bad_alloc
    [[nodiscard]] call_frame make(call_frame const& frame, drawn_call const& call);

private:
    bool are_declared_;
    std::vector<std::unique_ptr<std::byte[]>> blocks_{};
};

/// A variant, and the trusted code.
struct proof_subject {
    kernel_description const& kernel;
    std::vector<shape_word> const& layout;  ///< layout of the shapes of the kernel's calls
    shape_choice choice;                    ///< arguments that drawn calls keep
    shape_choice keys;                      ///< arguments that count in the shapes of calls
    callable const& trusted;                ///< the default
    callable const& tried;                  ///< the variant
    std::span<std::int64_t const> divisors; ///< numbers among the variant's parameters
    isolation protect = isolation::automatic;
};

/// The time and the memory that a proof may take.
struct proof_limits {
    double proof_s = 1;                             ///< wall seconds of all calls
    double call_s = 0.25;                           ///< wall seconds of one call
    draw_limits calls{};                            ///< the largest calls
    std::optional<draw_limits> larger{};            ///< the largest calls of the time that is left
    std::uint64_t round = 0;                        ///< each round draws other calls
    std::function<bool()> is_over{};                ///< returns true to end the proof; may be empty
    std::vector<std::vector<std::int64_t>> wrong{}; ///< variant_proof::wrong of earlier proofs
    bool only_own_numbers = false; ///< variant_proof::only_own_numbers of an earlier proof
    bool has_compared = false;     ///< variant_proof::has_compared of an earlier proof
    /// Receives the shapes of right calls in groups during the proof, until the variant is refuted.
    /// The other right shapes are in variant_proof::right. May be empty.
    std::function<void(std::vector<std::vector<std::int64_t>> const& right)> take{};
    /// Receives the first of variant_proof::refuting during the proof. May be empty.
    std::function<void(std::span<std::int64_t const> key)> refute{};
};

/// A call that attune made, on which a variant differs from the default.
struct counterexample {
    std::string where{}; ///< shape of the call; empty: there is no such call
    failure why{};
};

/// The result of prove_variant().
struct variant_proof {
    std::vector<std::vector<std::int64_t>> right{}; ///< shapes for which the variant was right
    std::vector<std::vector<std::int64_t>> open{};  ///< shapes on which either code failed
    std::vector<std::vector<std::int64_t>> wrong{}; ///< shapes for which the variant alone failed
    /// Shapes for which the variant is wrong although `trust` and `right` prove all properties. Not
    /// empty: no class shows that the variant is right.
    std::vector<std::vector<std::int64_t>> refuting{};
    /// True: the variant is wrong for a call with other floating-point numbers whose properties
    /// right calls prove. `right` then has only calls with the original numbers.
    bool only_own_numbers = false;
    counterexample differs{}; ///< the smallest call for which the variant is wrong
    /// Special contents for which the variant differs, and the first difference. The kernel may not
    /// accept such contents.
    counterexample contents{};
    counterexample baseline{}; ///< the default differs from the user's own code, its reference
    /// Special contents and the user's own code ran on calls of this kind.
    bool has_compared = false;
    double elapsed_s = 0;  ///< wall seconds
    std::string trouble{}; ///< the exception of kernel.calls(f), which ended the draws
    bool was_over = false; ///< proof_limits::is_over ended the proof
};

/// Draws calls from one call (call_draws), or by the user's function (kernel.calls(f)). Runs the
/// variant and the default on them in child processes, between inaccessible pages, and compares.
///
/// 1. Draws until few properties are new to `trust`, or until the time is up.
/// 2. Draws calls with random mixes of proven properties. A variant that is wrong for one of them
/// is
///    refuted. Some of these calls run before each call of proof_limits::take.
/// 3. Repeats both with other floating-point numbers than the call's own.
/// 4. Makes a call for which the variant is wrong smaller, one size at a time, while it stays
/// wrong.
///
/// If several formulas give the length of an array, the first one counts with which the default
/// stays inside of the array. If there is none, the length stays the same. A call on which the
/// default fails proves nothing. A call on which the variant fails does not refute it by itself,
/// because the call may be invalid for the kernel.
///
/// @param key    shape of the call
/// @param frame  the call, with readable arrays
/// @param trust  trusted shapes of the variant
/// @return  empty if the call's sizes cannot change. Never throws
[[nodiscard]] variant_proof prove_variant(proof_subject const& of,
                                          std::span<std::int64_t const> key,
                                          call_frame const& frame, shape_trust trust,
                                          proof_limits const& limits);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/shape/variant_proof.ipp>
#endif
