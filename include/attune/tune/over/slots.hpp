// attune/tune/over/slots.hpp - a slot on a thread of this process, and slots of other processes as places of a session.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/evaluation.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/tune/loop/minimize_slots.hpp>
#include <attune/tune/loop/trial.hpp>
#include <attune/tune/progress.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Evaluates one configuration at a time, while the caller searches.
class own_slot {
public:
    explicit own_slot(std::function<evaluation(point const&)> objective);
    /// Waits for the current evaluation.
    ~own_slot();
    own_slot(own_slot const&) = delete;
    own_slot& operator=(own_slot const&) = delete;

    /// @pre  the previous outcome was taken
    void submit(point const& at);
    /// Returns the outcome, once; empty if there is none within `wait_s` seconds.
    [[nodiscard]] std::optional<guarded_evaluation> take(double wait_s = 0);

private:
    struct state;
    std::unique_ptr<state> state_;
};

/// Moves configurations of a tuned kernel to slots, and outcomes back. A notice with the slot's
/// name reports a failure that is not the variant's.
class slot_trials final : public trials_elsewhere {
public:
    /// If the default's times in a slot and here differ by more than this factor, a notice has a
    /// table of the times. Machines of equal names differ by memory, clocks and cooling.
    static constexpr double alike = 1.25;
    /// Beyond this factor the arrays or the machines differ, and the slot does not take part.
    static constexpr double comparable = 2;
    /// An evaluation is overdue if it takes longer than overdue_s seconds, and longer than
    /// overdue_times the longest ended evaluation. The default's trial in this process is one of
    /// these. A slot that has not joined for that long is overdue too. The session does not wait
    /// for overdue slots: time limits end a variant that hangs, but not a process that hangs. A
    /// late outcome counts, and its slot is free again.
    static constexpr double overdue_s = 10;
    static constexpr double overdue_times = 10;

    /// @pre  `on` outlives this object; nothing was submitted to it
    explicit slot_trials(slot_evaluator& on);

    void begin(measurement const& default_time) override;
    [[nodiscard]] bool has_place() const override;
    [[nodiscard]] std::size_t idle() const override;
    [[nodiscard]] std::size_t pending() const override;
    void submit(point const& at, double stop_above_s) override;
    [[nodiscard]] std::vector<tried_variant> wait(double seconds) override;
    [[nodiscard]] bool wants_stop() const override { return wants_stop_; }
    [[nodiscard]] std::vector<std::string> notices() const override;

    [[nodiscard]] std::vector<worker_use> uses() const;

private:
    enum class stage : std::uint8_t { outside, idle, busy, lost };
    struct slot {
        stage is = stage::outside;
        point at{};           ///< its configuration
        double since_s = 0;   ///< time of the submission
        double default_s = 0; ///< time of the default in the slot; 0: unknown
        worker_use use{};
    };
    [[nodiscard]] bool is_overdue(slot const& one) const;
    /// Factor between the default's times in a slot and here. @param default_s  in the slot
    [[nodiscard]] double unlikeness(double default_s) const;
    void join(slot& one, slot_event const& happened);
    [[nodiscard]] std::optional<tried_variant> take(slot_event& happened);
    [[nodiscard]] std::string table_of_defaults() const;

    slot_evaluator* on_;
    std::vector<slot> slots_;
    double default_s_ = 0;
    double made_s_;
    double begun_s_ = 0;
    double longest_s_ = 0; ///< of an evaluation that has ended
    bool wants_stop_ = false;
    std::vector<std::string> notices_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/over/slots.ipp>
#endif
