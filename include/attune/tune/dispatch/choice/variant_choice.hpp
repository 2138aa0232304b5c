// attune/tune/dispatch/choice/variant_choice.hpp - the best known variant for a call: from the store or by tuning.
// SPDX-License-Identifier: MIT
//
// tested by tune/dispatch/dispatch_table.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/remember/record.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/tune/dispatch/choice/default_code.hpp>
#include <attune/tune/dispatch/choice/remembered_choice.hpp>
#include <attune/tune/dispatch/dispatched_kernel.hpp>
#include <attune/tune/dispatch/tuning_slice.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/known_choice.hpp>
#include <attune/tune/loop/session.hpp>
#include <attune/tune/loop/trial.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// How to treat inputs without a record, or with the record of a tuning with lower limits.
enum class when_unknown : unsigned char {
    tune,
    say_so,             ///< return known_variant::is_missing
    take_what_is_there, ///< return the store's result, even of a short tuning; else is_missing
};

/// Finds the variant of ATTUNE_FORCE, else the variant of the store, else tunes within
/// tuning_limits::total. One thread at a time.
class variant_choice {
public:
    /// @param report  receives the notices
    /// @pre  `report` and `subject` outlive this object
    variant_choice(dispatched_kernel const& subject, any_store store, dispatch_report& report)
        : subject_(subject)
        , remembered_(subject, std::move(store))
        , report_(report)
    {
    }

    /// Runs best_known() in steps. Other threads may tune between two steps. If it is destroyed
    /// before finish(), the store keeps its outcomes like those of an interrupted tuning.
    class stepped {
    public:
        /// The parameters are those of best_known().
        stepped(variant_choice& by, call_problem const& of, call_frame const& frame,
                std::span<std::int64_t const> shape, bool predict, when_unknown otherwise,
                tuning_slice const* slice);
        ~stepped();
        stepped(stepped const&) = delete;
        stepped& operator=(stepped const&) = delete;

        /// Returns the tuning; null: none is needed, or none is allowed.
        [[nodiscard]] stepped_session* session() noexcept;
        /// Returns the number of outcomes with which the tuning began.
        [[nodiscard]] std::size_t known_before() const noexcept;
        /// Returns true if another process or object tunes the problem, and this tuning does not
        /// wait because it shares a budget. Do not call finish() then.
        [[nodiscard]] bool is_elsewhere() const noexcept { return is_elsewhere_; }
        /// Ends the tuning, and puts its winner into the store. Call it once.
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
        std::string text_; ///< text of the shape
        std::vector<std::string> told_{};
        std::optional<known_variant> known_{};
        bool is_forced_ = false;
        bool is_elsewhere_ = false;
        problem_claim claimed_{};
        std::unique_ptr<tuning> tuning_{}; ///< null: the known result serves
    };

    /// Returns the best known variant, with a report; is_missing if the limits allow no tuning.
    /// @param shape    key of the call; empty: no call
    /// @param predict  see tuning_problem::predict
    /// @param slice    part of the tuning; null: all of it
    /// @pre     `of` and `frame` are complete
    /// Errors   errors of run_session() and of the compiler
    [[nodiscard]] known_variant best_known(call_problem const& of, call_frame const& frame,
                                           std::span<std::int64_t const> shape, bool predict,
                                           when_unknown otherwise = when_unknown::tune,
                                           tuning_slice const* slice = nullptr);
    /// Returns a variant that may serve untuned inputs once it is verified: see
    /// remembered_choice::find_near().
    /// @pre  `of` is complete
    [[nodiscard]] std::optional<known_variant> near(call_problem const& of);
    /// Returns the known configuration for these inputs. Compiles if the answer depends on it;
    /// tunes and runs nothing.
    /// @pre  `of` is complete
    [[nodiscard]] known_choice explain(call_problem const& of);
    /// Returns true if the store's result would serve a call with these inputs. Compiles nothing.
    /// @pre  `of` is complete
    [[nodiscard]] bool is_remembered(call_problem const& of) const;
    /// Returns true if the store has a winner of this device for other inputs of the same bucket.
    /// @pre  `of` is complete
    /// Errors  exceptions of the function of kernel.bucket()
    [[nodiscard]] bool is_in_tuned_bucket(call_problem const& of) const;
    /// Returns the store's result of this problem; empty: no usable record.
    /// @pre  `of` is complete
    [[nodiscard]] std::optional<tuned_result> tuned_here(call_problem const& of) const
    {
        return remembered_.tuned_here(key_of(of), *of.space, *of.default_at);
    }
    /// The same of problems that differ in inputs alone.
    [[nodiscard]] std::vector<tuned_result> tuned_at_others(call_problem const& of) const
    {
        return remembered_.tuned_at_others(key_of(of), *of.space, *of.default_at);
    }
    /// Takes the result of another process that tuned the same call.
    /// @param code  compiled and right in this process
    [[nodiscard]] known_variant tuned_elsewhere(call_problem const& of, point at, callable code,
                                                tuning_report report);
    /// Sets the object that tries configurations for later tunings; null: this process tries them.
    void set_elsewhere(trials_elsewhere* others) noexcept { elsewhere_ = others; }
    [[nodiscard]] record_key key_of(call_problem const& of) const;
    /// The rest of tuning_limits::total.
    [[nodiscard]] search_limits total_left() const;

private:
    [[nodiscard]] search_limits limits_left() const;
    /// Returns the variant of ATTUNE_FORCE; empty if that names no possible configuration.
    /// @param told  receives sentences
    [[nodiscard]] std::optional<known_variant> forced(call_problem const& of, record_key const& key,
                                                      std::vector<std::string>& told);
    /// Claims the problem. Waits at most `limit_s` for another process that tunes it.
    /// @param told  receives sentences
    [[nodiscard]] problem_claim claim(record_key const& key, double limit_s,
                                      std::vector<std::string>& told);
    [[nodiscard]] known_variant missing(call_problem const& of, record_key const& key,
                                        when_unknown otherwise);

    dispatched_kernel const& subject_;
    remembered_choice remembered_;
    dispatch_report& report_;
    std::uint64_t spent_evaluations_ = 0; ///< evaluations of all tunings so far
    double spent_s_ = 0;
    trials_elsewhere* elsewhere_ = nullptr;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/choice/variant_choice.ipp>
#endif
