// attune/tune/shape/variant_proof.hpp - a variant proves itself on calls that attune makes.
// SPDX-License-Identifier: MIT
// Bench    bench/tune/served.cpp
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/core/shape/call_shape.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/kernel/kernel_description.hpp>
#include <attune/tune/shape/shape_trust.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A variant and the code that it is compared with.
struct proof_subject {
    kernel_description const& kernel;
    std::vector<shape_word> const& layout;  ///< of the kernel's calls
    shape_choice choice;                    ///< what stays in drawn calls
    shape_choice keys;                      ///< what counts in the shapes of calls
    callable const& trusted;                ///< the default
    callable const& tried;                  ///< the variant
    std::span<std::int64_t const> divisors; ///< numbers among the variant's parameters
    std::uint32_t modulus = 64;             ///< addresses count modulo it
    isolation protect = isolation::automatic;
};

/// The calls on which a variant was right.
struct variant_proof {
    std::vector<std::vector<std::int64_t>> right{}; ///< their shapes
    std::vector<std::vector<std::int64_t>> open{};  ///< shapes of those on which either code failed
    double elapsed_s = 0;                           ///< wall seconds
    std::string trouble{}; ///< why no calls could be drawn: what kernel.calls(f) threw
};

/// Draws calls from one call (call_draws), or by the user's function (kernel.calls(f)), runs the
/// variant and the default on them in child processes, between inaccessible pages, and compares.
/// Draws until little would be new to `trust`, or the time is up.
///
/// Which lengths depend on which integers is not declared: where several formulas give the length
/// of an array, the first one holds with which the default stays inside of it; without any, the
/// array stays as it is. A call on which the default fails proves nothing. Neither does one on
/// which the variant fails: it may be no call that the kernel is made for.
///
/// @param key      the shape of the call
/// @param frame    the call; its arrays can be read
/// @param trust    what is known of the variant
/// @param limit_s  wall seconds
/// @return  nothing where the call's sizes cannot change. Never throws
[[nodiscard]] variant_proof prove_variant(proof_subject const& of,
                                          std::span<std::int64_t const> key,
                                          call_frame const& frame, shape_trust trust,
                                          double limit_s);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/shape/variant_proof.ipp>
#endif
