// attune/tune/over/slot_trials.hpp - the slots of other processes as places of a session.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/loop/minimize_slots.hpp>
#include <attune/tune/loop/slot_evaluator.hpp>
#include <attune/tune/loop/trials_elsewhere.hpp>
#include <attune/tune/progress.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Moves configurations of a tuned kernel to slots, and what was tried back. What fails in a slot
/// in a way that no variant means is told of with the slot's name.
class slot_trials final : public trials_elsewhere {
public:
    /// If the default takes this many times as long in a slot as with the caller, or the inverse,
    /// a notice has the table: nodes that bear one name differ by memory, clocks and cooling.
    static constexpr double alike = 1.25;
    /// Beyond this its arrays or its machine are others, and it takes no part.
    static constexpr double comparable = 2;
    /// An evaluation is overdue when it takes longer than this many seconds, and this many times as
    /// long as the longest that has ended, the default's with the caller among them; so is a slot
    /// that has not joined for that long. Nobody waits for what is overdue: a variant that hangs is
    /// ended by its own limits, and a process that hangs is not. What arrives late counts, and its
    /// slot is free again.
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

    /// What each slot did, in their order.
    [[nodiscard]] std::vector<worker_use> uses() const;

private:
    enum class stage : std::uint8_t { outside, idle, busy, lost };
    struct slot {
        stage is = stage::outside;
        point at{};           ///< what it was given
        double since_s = 0;   ///< when
        double default_s = 0; ///< of the default there; 0: unknown
        worker_use use{};
    };
    [[nodiscard]] bool is_overdue(slot const& one) const;
    /// By how much the default takes longer there, or shorter. @param default_s  there
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
#include <attune/tune/over/slot_trials.ipp>
#endif
