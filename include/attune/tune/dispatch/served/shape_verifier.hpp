// attune/tune/dispatch/served/shape_verifier.hpp - which shapes of calls a variant serves, beside the one it was tuned for.
// SPDX-License-Identifier: MIT
//
// tested by tune/shapes.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/shape_verdict.hpp>
#include <attune/tune/dispatch/choice/default_code.hpp>
#include <attune/tune/dispatch/dispatch_report.hpp>
#include <attune/tune/dispatch/dispatched_kernel.hpp>
#include <attune/tune/dispatch/served/installed_variant.hpp>
#include <attune/tune/dispatch/served/proof_memory.hpp>
#include <attune/tune/dispatch/served/shape_register.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/report.hpp>
#include <attune/tune/shape/shape_trust.hpp>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// How often a shape that its class serves is met before the variant is verified for itself.
inline constexpr std::uint32_t often_met = 4;

/// The numbers among the values of a configuration, which remainder code goes by.
[[nodiscard]] std::vector<std::int64_t> divisors_of(description const& space, point const& at);

/// Decides for one variant. It serves a shape once it was verified for that shape, or for a class
/// that has proven itself (shape_trust.hpp), as by calls that attune draws (prove()); until then
/// the default serves. A shape is verified when it is met for the second time; of those that were
/// met once, one in about twenty is. One that its class serves is verified when it was met
/// `often_met` times. The default serves a shape for which the variant is clearly slower, and
/// shapes of about its sizes. A variant that is wrong anywhere loses what it had earned by classes.
/// What was verified in an earlier process is not verified again. One thread at a time.
class shape_verifier {
public:
    /// What it works with; all outlives it.
    struct parts {
        dispatched_kernel const& subject;
        default_code& defaults;
        shape_register& shapes;
        dispatch_report& report;
    };

    /// @param of        whose default the variant is compared with
    /// @param divisors  from divisors_of()
    /// @param modulus   what addresses count modulo: tuning_report::address_modulus
    /// @param memory    of the variant's code
    /// @pre  `of` and `variant` outlive this object
    shape_verifier(parts const& with, call_problem& of, installed_variant const& variant,
                   std::vector<std::int64_t> divisors, std::uint32_t modulus = 64,
                   proof_memory memory = {});

    /// The variant was right for this shape.
    void add(std::span<std::int64_t const> key);

    /// Runs the variant and the default on calls that are drawn from this one, so that it takes few
    /// real calls until most shapes are served; see prove_variant(). Only where this call has more
    /// sizes than those before: integers below 2 are none.
    /// @param limit_s  wall seconds
    /// Errors   as default_code::code_of()
    void prove(std::span<std::int64_t const> key, call_frame const& frame, double limit_s);

    /// The variant, if it serves this shape and need not run for that; else null.
    /// @pre  the turn is this thread's, or shape_register::locked() calls this
    [[nodiscard]] installed_variant const* covering(std::span<std::int64_t const> key) const;

    /// Whether its class serves this shape, which serve() would verify all the same.
    [[nodiscard]] bool is_due(std::span<std::int64_t const> key, std::uint32_t met) const;
    /// Whether serve() would run the variant on copies of the call's data before it decides.
    [[nodiscard]] bool needs_runs(std::span<std::int64_t const> key, std::uint32_t met) const;

    /// What serves this call: the variant where it was verified, or is now where that is due, else
    /// the default. The register and the report are told.
    /// @param shape  null: it is not kept
    /// @param met    how often the shape was met, with this call
    /// Errors   as default_code::code_of()
    installed_variant const& serve(known_shape* shape, std::span<std::int64_t const> key,
                                   call_frame const& frame, std::uint32_t met);

private:
    [[nodiscard]] bool may_check(bool is_first) const;
    [[nodiscard]] std::string addresses_said() const;
    [[nodiscard]] std::vector<std::int64_t> as_counted(std::span<std::int64_t const> key) const;
    [[nodiscard]] shape_verdict verify(installed_variant const& trusted, call_frame const& frame);
    void keep(std::span<std::int64_t const> key, bool is_right) const;
    void note_failure(shape_verdict const& verdict, std::string const& what);
    void distrust(std::string const& why);

    parts with_;
    call_problem& of_;
    installed_variant const& variant_;
    std::vector<std::int64_t> divisors_;
    std::uint32_t modulus_;
    shape_trust trust_;
    proof_memory memory_;
    enum class known_verdict : std::uint8_t { right, wrong, slower };
    std::map<std::vector<std::int64_t>, known_verdict> proven_before_{}; ///< by as_counted()
    std::size_t proven_sizes_ = 0; ///< the most that a call had from which prove() drew
    std::uint64_t new_shapes_ = 0; ///< met so far
    std::uint64_t checks_ = 0;
    served_shapes counts_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/served/shape_verifier.ipp>
#endif
