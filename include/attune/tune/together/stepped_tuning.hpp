// attune/tune/together/stepped_tuning.hpp - a tuning for one call, with a part in a budget that others share.
// SPDX-License-Identifier: MIT
//
// tested by tune/together.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/dispatch/background/tuning_slice.hpp>
#include <attune/tune/dispatch/choice/variant_choice.hpp>
#include <attune/tune/dispatch/dispatch_parts.hpp>
#include <attune/tune/kernel/keyed_call.hpp>
#include <attune/tune/loop/session.hpp>
#include <attune/tune/report.hpp>
#include <attune/tune/together/shared_budget.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// What dispatch_table::tune() does for a call, one evaluation at a time. Where it fails, the
/// report says so, and others go on.
class stepped_tuning final : public budget_task {
public:
    /// @param whole    the budget of all @param sharers  how many share it
    /// @param weight   see turn_task::weight, by the seconds of a call of the default
    /// @pre   the parts outlive this object, and their turn is this thread's for as long
    stepped_tuning(dispatch_parts& parts, keyed_call call, search_limits const& whole,
                   std::size_t sharers, std::function<double(double default_s)> weight);
    ~stepped_tuning() override;

    [[nodiscard]] turn_task so_far() const override;
    [[nodiscard]] std::uint64_t made() const override;
    [[nodiscard]] double longest_s() const override { return now_.longest_s; }
    [[nodiscard]] double final_s() const override { return choice_ ? now_.final_s : 0; }
    void step(search_limits const& left) override;
    void rest() override;
    void finish(double left_s) override;
    /// Where another one had the problem: what that one has put into the store serves. Once all
    /// tunings of the budget are finished.
    void take_of_other();
    /// Ends here, where that is not over: what was measured is kept as of a tuning that was cut
    /// short. The parts are not used any more.
    /// @param why  for the report
    void leave(std::string const& why);

    [[nodiscard]] dispatch_parts const& parts() const noexcept { return parts_; }
    [[nodiscard]] keyed_call const& call() const noexcept { return call_; }
    [[nodiscard]] served_inputs const& inputs() const noexcept { return *of_; }
    /// How that went; nothing: there was nothing to tune, and dispatch_table::tune() serves.
    [[nodiscard]] std::optional<tuning_report> const& report() const noexcept { return report_; }
    /// leave() was called.
    [[nodiscard]] bool has_left() const noexcept { return has_left_; }

private:
    void begin(search_limits const& left);
    void serve_plain();
    void look();
    void wait_for_caller() const;
    void install(known_variant found);
    template <class Work>
    void guarded(Work const& work);

    dispatch_parts& parts_;
    keyed_call call_;
    std::function<double(double)> weight_;
    tuning_slice slice_;
    std::shared_ptr<served_inputs> of_;
    std::optional<variant_choice::stepped> choice_{};
    session_state now_{};
    std::optional<tuning_report> report_{};
    std::size_t known_ = 0; ///< evaluations of earlier tunings
    bool has_begun_ = false;
    bool is_over_ = false;
    bool is_elsewhere_ = false; ///< another object or process tunes the problem
    bool has_left_ = false;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/together/stepped_tuning.ipp>
#endif
