// attune/tune/dispatch/choice/variant_choice.hpp - the best known variant for a call: from the store or by tuning.
// SPDX-License-Identifier: MIT
//
// tested by tune/dispatch/dispatch_table.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/problem/claim.hpp>
#include <attune/remember/record.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/tune/dispatch/background/tuning_slice.hpp>
#include <attune/tune/dispatch/choice/default_code.hpp>
#include <attune/tune/dispatch/choice/remembered_choice.hpp>
#include <attune/tune/dispatch/dispatch_report.hpp>
#include <attune/tune/dispatch/dispatched_kernel.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/known_choice.hpp>
#include <attune/tune/loop/session.hpp>
#include <attune/tune/loop/trials_elsewhere.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// What becomes of inputs that the store does not know, or that were tuned less than is asked now.
enum class when_unknown : unsigned char {
    tune,
    say_so,             ///< known_variant::is_missing
    take_what_is_there, ///< however little it was tuned; where nothing is, is_missing
};

/// What ATTUNE_FORCE names; else asks the store; else tunes, as long as tuning_limits::total lasts.
/// One thread at a time.
class variant_choice {
public:
    /// @param report  is told the notices  @pre  it and `subject` outlive this object
    variant_choice(dispatched_kernel const& subject, any_store store, dispatch_report& report)
        : subject_(subject)
        , remembered_(subject, std::move(store))
        , report_(report)
    {
    }

    /// What best_known() finds, in steps: between two of them others may have theirs. A tuning that
    /// is dropped before its end is kept as one that was cut short.
    class stepped {
    public:
        /// As best_known()
        stepped(variant_choice& by, call_problem const& of, call_frame const& frame,
                std::span<std::int64_t const> shape, bool predict, when_unknown otherwise,
                tuning_slice const* slice);
        ~stepped();
        stepped(stepped const&) = delete;
        stepped& operator=(stepped const&) = delete;

        /// The tuning; null: none is needed, or allowed.
        [[nodiscard]] stepped_session* session() noexcept;
        /// Outcomes that it had when it began.
        [[nodiscard]] std::size_t known_before() const noexcept;
        /// Another one tunes the problem, and this tuning, which shares its budget, does not wait
        /// for it: there is nothing to finish.
        [[nodiscard]] bool is_elsewhere() const noexcept { return is_elsewhere_; }
        /// Of the tuning: its winner is put into the store. Once.
        [[nodiscard]] known_variant finish();

    private:
        struct tuning;
        void begin(bool anew);
        [[nodiscard]] session_memory read_memory(bool anew);
        [[nodiscard]] known_variant end();

        variant_choice& by_;
        call_problem const& of_;
        call_frame const& frame_;
        bool const predict_;
        tuning_slice const* slice_;
        record_key key_;
        std::string text_; ///< of the shape
        std::vector<std::string> told_{};
        std::optional<known_variant> known_{};
        bool is_forced_ = false;
        bool is_elsewhere_ = false;
        problem_claim claimed_{};
        std::unique_ptr<tuning> tuning_{}; ///< null: what is known serves
    };

    /// With everything there is to say in its report; is_missing where the limits allow no tuning.
    /// @param shape    key of the call; empty: of no call
    /// @param predict  see tuning_problem::predict
    /// @param slice    only so much of the tuning; null: all of it
    /// @pre     `of` and `frame` are complete
    /// Errors   as run_session() and the compiler
    [[nodiscard]] known_variant best_known(call_problem const& of, call_frame const& frame,
                                           std::span<std::int64_t const> shape, bool predict,
                                           when_unknown otherwise = when_unknown::tune,
                                           tuning_slice const* slice = nullptr);
    /// What may serve untuned inputs once it is verified: see remembered_choice::find_near().
    /// @pre  `of` is complete
    [[nodiscard]] std::optional<known_variant> near(call_problem const& of);
    /// What is known for these inputs. Compiles where that decides; nothing is tuned or run.
    /// @pre  `of` is complete
    [[nodiscard]] known_choice explain(call_problem const& of);
    /// Whether a call with these inputs would be served by what the store has. Nothing is compiled.
    /// @pre  `of` is complete
    [[nodiscard]] bool is_remembered(call_problem const& of) const;
    /// What another process found for these inputs, where it tuned the same call.
    /// @param code  compiled here, and right here
    [[nodiscard]] known_variant tuned_elsewhere(call_problem const& of, point at, callable code,
                                                tuning_report report);
    /// Who tries configurations for the next tuning; null: this process.
    void set_elsewhere(trials_elsewhere* others) noexcept { elsewhere_ = others; }
    [[nodiscard]] record_key key_of(call_problem const& of) const;
    /// What is left of tuning_limits::total.
    [[nodiscard]] search_limits total_left() const;

private:
    [[nodiscard]] search_limits limits_left() const;
    /// Nothing where ATTUNE_FORCE names nothing that is possible.
    /// @param told  takes what there is to say
    [[nodiscard]] std::optional<known_variant> forced(call_problem const& of, record_key const& key,
                                                      std::vector<std::string>& told);
    /// Waits for another one that tunes this, boundedly. @param told  takes what there is to say
    [[nodiscard]] problem_claim claim(record_key const& key, double limit_s,
                                      std::vector<std::string>& told);
    [[nodiscard]] known_variant missing(call_problem const& of, record_key const& key,
                                        when_unknown otherwise);

    dispatched_kernel const& subject_;
    remembered_choice remembered_;
    dispatch_report& report_;
    std::uint64_t spent_evaluations_ = 0; ///< by all tunings so far
    double spent_s_ = 0;
    trials_elsewhere* elsewhere_ = nullptr;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/choice/variant_choice.ipp>
#endif
