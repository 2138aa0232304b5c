// attune/tune/dispatch/served/shape_verifier.hpp - decides which shapes a variant serves, beside the one it was tuned for.
// SPDX-License-Identifier: MIT
//
// tested by tune/shapes.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/bench.hpp>
#include <attune/tune/dispatch/choice/default_code.hpp>
#include <attune/tune/dispatch/dispatched_kernel.hpp>
#include <attune/tune/dispatch/served/shape_register.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/report.hpp>
#include <attune/tune/shape/shape_trust.hpp>
#include <attune/tune/shape/variant_proof.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The number of calls after which a shape that its class serves is verified by itself.
inline constexpr std::uint32_t often_met = 4;

/// Returns true if a shape that was met once is to be verified: the first two, then one in 24. If
/// all shapes differ, at most 5 % of the calls then verify. After proofs, one in 160: calls that
/// attune makes show more than the program's calls.
/// @param new_shapes  number of shapes so far  @param checks  number of checks so far
[[nodiscard]] constexpr bool is_check_due(std::uint64_t new_shapes, std::uint64_t checks,
                                          bool has_proofs = false) noexcept
{
    constexpr std::uint64_t at_once = 2;
    std::uint64_t const shapes_per_check = has_proofs ? 160 : 24;
    return checks < at_once + new_shapes / shapes_per_check;
}

/// Where a check runs its code.
enum class checks_run : std::uint8_t {
    in_call,
    beside_program, ///< no call waits for the check
    elsewhere,      ///< not in this call: a check that is due runs beside the program
};

/// Returns the numbers in the values of a configuration, such as tiles. Remainder code depends on
/// them.
[[nodiscard]] std::vector<std::int64_t> divisors_of(description const& space, point const& at);

/// Decides which shapes one variant serves: verified shapes, and shapes of a trusted class
/// (shape_trust.hpp). Drawn calls (prove()) also make classes trusted. The default serves all other
/// shapes, and shapes about as large as one for which the variant is clearly slower.
///
/// serve() verifies a shape when it is met for the second time, and few shapes that are met once:
/// see is_check_due(). It verifies a shape of a trusted class at the call number `often_met`. A
/// variant that is wrong for one shape loses all its classes. Verdicts of earlier processes count.
///
/// Calls are of one kind if they agree in the values that drawn calls keep, such as flags and
/// scalars of 0 or 1. One thread at a time.
class shape_verifier {
public:
    /// The objects that a verifier uses. They outlive it.
    struct parts {
        dispatched_kernel const& subject;
        default_code& defaults;
        shape_register& shapes;
        dispatch_report& report;
    };

    /// @param of        problem whose default is compared with the variant
    /// @param divisors  from divisors_of()
    /// @param modulus   modulus of addresses: tuning_report::address_modulus
    /// @param memory    proofs of the variant's code
    /// @pre  `of` and `variant` outlive this object
    shape_verifier(parts const& with, call_problem& of, installed_variant const& variant,
                   std::vector<std::int64_t> divisors, std::uint32_t modulus = 64,
                   proof_memory memory = {});

    /// Notes that the variant was right for this shape.
    void add(std::span<std::int64_t const> key);

    /// Runs the variant and the default on calls drawn from this one: see prove_variant(). After
    /// few real calls the variant then serves most shapes. Runs nothing if an earlier proof had
    /// this kind of calls and as many sizes; integers below 2 are no sizes. All proofs of a variant
    /// together take a few seconds at most.
    /// @param limit_s  wall seconds
    /// Errors   errors of default_code::code_of()
    void prove(std::span<std::int64_t const> key, call_frame const& frame, double limit_s);
    /// Returns true if prove_beside() would draw calls.
    [[nodiscard]] bool wants_proof(std::span<std::int64_t const> key,
                                   call_frame const& frame) const;
    /// Returns true if prove_beside() would draw calls, no class covers this call, and begin_kind()
    /// was not called for this kind with as many sizes.
    [[nodiscard]] bool is_new_kind(std::span<std::int64_t const> key,
                                   call_frame const& frame) const;
    /// Notes that the caller begins prove_beside() on another thread, for this kind of calls.
    /// serve() proves calls of other kinds itself, for a hundredth of a second.
    void begin_kind(std::span<std::int64_t const> key);
    /// Undoes begin_kind(), because the proof did not begin.
    void forget_kind(std::span<std::int64_t const> key);
    /// Continues prove() beside the program, also on calls that take seconds and on larger arrays.
    /// Each shape that proves right counts at once.
    /// @param is_over  returns true if another thread waits
    /// @param most_s   wall seconds
    /// @return  false: `is_over` ended the proof
    /// Errors   errors of default_code::code_of()
    bool prove_beside(std::span<std::int64_t const> key, call_frame const& frame,
                      std::function<bool()> const& is_over, double most_s);

    /// Returns the variant if it serves this shape without a run; otherwise null.
    /// @pre  this thread holds the turn, or shape_register::locked() calls this
    [[nodiscard]] installed_variant const* covering(std::span<std::int64_t const> key) const;

    /// Returns true if a class serves this shape, but the shape is due to be verified by itself.
    /// Counts the call as one that the class serves.
    [[nodiscard]] bool is_due(std::span<std::int64_t const> key, std::uint32_t met);
    /// Returns true if serve() would run the variant on copies of the data before it decides.
    [[nodiscard]] bool needs_runs(std::span<std::int64_t const> key, std::uint32_t met) const;

    /// Sets the seconds of the default for this shape. expected_s() derives those of other shapes.
    void set_pace(std::span<std::int64_t const> key, double default_s);
    /// Returns an estimate of the most seconds of the default for this shape; 0: unknown.
    [[nodiscard]] double expected_s(std::span<std::int64_t const> key) const;
    /// Returns true if a check of this shape may take longer than a call should wait. A required
    /// check is rare, and the variant serves nothing before it: the call waits for it.
    [[nodiscard]] bool is_dear(std::span<std::int64_t const> key) const;
    /// Reports that another thread verifies the shape.
    /// @param is_covered  true: its class serves it until then; false: the default serves it
    void report_deferred(known_shape* shape, bool is_covered) const;

    /// Returns the code for this call: the variant if it may serve the shape, else the default.
    /// Verifies the shape first if that is due. Updates the register and the report.
    /// @param shape  null: not kept
    /// @param met    number of times the shape was met, including this call
    /// Errors   errors of default_code::code_of()
    installed_variant const& serve(known_shape* shape, std::span<std::int64_t const> key,
                                   call_frame const& frame, std::uint32_t met,
                                   checks_run checks = checks_run::in_call);
    /// Returns true if proof_memory::refuse returned true: another lookup gives another variant.
    [[nodiscard]] bool is_refused() const noexcept { return is_refused_; }

private:
    [[nodiscard]] bool may_check(bool is_first) const;
    [[nodiscard]] std::size_t sizes_for_proofs(std::span<std::int64_t const> key) const;
    [[nodiscard]] bool can_draw(std::span<std::int64_t const> key, call_frame const& frame) const;
    [[nodiscard]] bool can_prove(std::span<std::int64_t const> key, call_frame const& frame) const;
    [[nodiscard]] variant_proof proof_of(std::span<std::int64_t const> key, call_frame const& frame,
                                         proof_limits limits);
    void take(variant_proof const& proof);
    void end_trust(std::span<std::int64_t const> key);
    void compare_with_wrong();
    void take_right(std::vector<std::vector<std::int64_t>> const& shapes);
    [[nodiscard]] std::vector<std::int64_t> kept_words(std::span<std::int64_t const> key) const;
    [[nodiscard]] std::string addresses_said() const;
    [[nodiscard]] std::vector<std::int64_t> as_counted(std::span<std::int64_t const> key) const;
    /// Compares with the results of kernel.baseline(f) if there is no other reference and the
    /// default agrees with them; else with the results of the default.
    [[nodiscard]] shape_verdict verify_by_results(installed_variant const& trusted,
                                                  std::span<std::int64_t const> key,
                                                  call_frame const& frame, double check_s);
    /// The same, also with each of kernel.contents(...).
    [[nodiscard]] shape_verdict verify(installed_variant const& trusted,
                                       std::span<std::int64_t const> key, call_frame const& frame,
                                       double check_s);
    void keep(std::span<std::int64_t const> key, bool is_right) const;
    void say(known_shape* shape, std::string sentence) const;
    /// Returns why no class serves this call, and what the user can declare.
    [[nodiscard]] std::string why_no_class(std::span<std::int64_t const> key,
                                           call_frame const& frame) const;
    void note_failure(shape_verdict const& verdict, std::string const& what);
    void distrust(std::string const& why);
    void refuse(failure const& why);

    parts with_;
    call_problem& of_;
    installed_variant const& variant_;
    std::vector<std::int64_t> divisors_;
    std::uint32_t modulus_;
    shape_trust trust_;
    proof_memory memory_;
    enum class known_verdict : std::uint8_t { right, wrong, slower };
    std::map<std::vector<std::int64_t>, known_verdict> proven_before_{}; ///< by as_counted()
    std::vector<std::int64_t> timed_key_{};    ///< of the latest call whose default was timed
    double timed_s_ = 0;                       ///< time of that default; 0: unknown
    std::optional<kernel_description> by_own_; ///< judged_by_own()
    /// Expected seconds of the default from which the user's own code is too slow for a check.
    double own_is_slow_from_s_ = HUGE_VAL;
    /// For each kind, by kept_words(): the most sizes of a call from which prove() drew.
    std::map<std::vector<std::int64_t>, std::size_t> proven_sizes_{};
    /// The same for complete proofs of prove_beside().
    std::map<std::vector<std::int64_t>, std::size_t> proven_beside_{};
    std::map<std::vector<std::int64_t>, std::size_t> begun_kinds_{}; ///< by begin_kind()
    std::set<std::vector<std::int64_t>> compared_{}; ///< kinds with variant_proof::has_compared
    double beside_s_ = 0;                            ///< seconds of prove_beside()
    std::uint64_t beside_rounds_ = 0;
    std::uint64_t new_shapes_ = 0; ///< number of shapes so far
    std::uint64_t checks_ = 0;
    bool is_refused_ = false;
    std::vector<std::vector<std::int64_t>> wrong_{}; ///< of wrong drawn calls that no class covers
    bool only_own_numbers_ = false;                  ///< see variant_proof::only_own_numbers
    bool has_said_wrong_ = false;                    ///< the note on a wrong drawn call was sent
    served_shapes counts_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/served/shape_verifier.ipp>
#endif
