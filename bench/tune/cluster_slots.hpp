// bench/tune/cluster_slots.hpp - the workers of a cluster on a discrete-event clock, for the loop of the library.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/query/distance.hpp>
#include <attune/tune/loop/minimize_slots.hpp>
#include <attune/tune/over/mpi/rank_messages.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <queue>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../support/interleaved.hpp"

namespace bench {

/// How long evaluations take, and how many fail.
struct cluster_model {
    double mean_s = 1;           ///< of an evaluation, the slow ones included
    double deviation = 1;        ///< of the logarithm of the seconds: a log-normal, heavy-tailed
    double slow_share = 0.05;    ///< of evaluations: stragglers
    double slow_factor = 5;      ///< times as long
    double failure_share = 0.01; ///< of evaluations, whatever the configuration
    double message_s = 1e-3;     ///< from the sender's clock to the receiver's look
};

/// What one evaluation costs and whether it fails: equal for equal (seed, number), so that runs
/// with other workers have the same evaluations.
struct cluster_act {
    double seconds = 0;
    bool fails = false;
};

[[nodiscard]] inline cluster_act cluster_act_of(cluster_model const& model, std::uint64_t seed,
                                                std::uint64_t number)
{
    attune::random_engine engine(seed * 0x9e3779b97f4a7c15ULL + number);
    double const u = 1 - attune::uniform_unit(engine);
    double const v = attune::uniform_unit(engine);
    double const normal = std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
    bool const is_slow = attune::uniform_unit(engine) < model.slow_share;
    double const usual = model.mean_s / (1 + model.slow_share * (model.slow_factor - 1));
    double const tail = std::exp(model.deviation * normal - model.deviation * model.deviation / 2);
    return {.seconds = usual * tail * (is_slow ? model.slow_factor : 1),
            .fails = attune::uniform_unit(engine) < model.failure_share};
}

/// What a run on the cluster was like.
struct cluster_run {
    std::vector<double> told_s;  ///< when each outcome reached rank 0, ascending
    std::vector<double> best;    ///< best value of those; infinite before the first success
    std::vector<double> spent_s; ///< processor seconds of rank 0 up to then
    double busy_s = 0;           ///< of all workers together
    double busy_given_s = 0;     ///< of these, before given_s
    double given_s = 0;          ///< when the last configuration was given
    std::size_t bytes = 0;       ///< of orders and outcomes
    std::size_t repeats = 0;     ///< configurations given more than once
    double distance = 0;         ///< mean of pairs of pending ones; NaN with one worker
};

/// Workers with an evaluation each. The processor time of the caller, which is rank 0, advances
/// the clock, and so do the evaluations that it waits for. Each message is encoded and read as
/// between ranks; what a worker does of that takes no time of rank 0.
class cluster_slots final : public attune::detail::slot_evaluator {
public:
    using objective = std::function<attune::outcome(attune::point const&)>;

    /// @param space, evaluate  must outlive this object
    cluster_slots(attune::chain_of_trees const& space, objective const& evaluate,
                  cluster_model const& model, std::size_t workers, std::uint64_t seed)
        : space_(&space)
        , evaluate_(&evaluate)
        , model_(model)
        , seed_(seed)
        , pending_(workers)
        , draws_(seed)
        , resumed_s_(thread_seconds())
    {
    }

    [[nodiscard]] std::size_t slots() const override { return pending_.size(); }
    [[nodiscard]] std::string name(std::size_t slot) const override
    {
        return "worker " + std::to_string(slot);
    }
    [[nodiscard]] double now() const override { return clock_s_ + thread_seconds() - resumed_s_; }

    void submit(std::size_t slot, attune::point const& at) override
    {
        std::string const order = attune::detail::text_of_order({.at = at});
        pause();
        run_.bytes += order.size();
        if (!given_.insert(at).second) ++run_.repeats;
        cluster_act const act = cluster_act_of(model_, seed_, number_++);
        double const begin = clock_s_ + model_.message_s;
        attune::detail::rank_report report{.host = "node" + std::to_string(slot)};
        report.seen = attune::detail::guarded_evaluation{
            act.fails ? attune::outcome(attune::failure{attune::failure_stage::crash, "SIGKILL"})
                      : (*evaluate_)(at)};
        pending_[slot] = at;
        run_.busy_s += act.seconds;
        run_.given_s = clock_s_;
        spans_.emplace_back(begin, begin + act.seconds);
        under_way_.push(
            {begin + act.seconds + model_.message_s, slot, attune::detail::text_of_report(report)});
        look_at_pending();
        go_on();
    }

    [[nodiscard]] std::vector<attune::detail::slot_event> wait(double) override
    {
        pause();
        std::vector<attune::detail::slot_event> out;
        if (!std::exchange(has_begun_, true))
            for (std::size_t i = 0; i < pending_.size(); ++i)
                out.push_back({.slot = i});
        if (out.empty() && !under_way_.empty())
            clock_s_ = std::max(clock_s_, under_way_.top().arrives_s);
        std::vector<letter> letters;
        for (; !under_way_.empty() && under_way_.top().arrives_s <= clock_s_; under_way_.pop())
            letters.push_back(under_way_.top());
        go_on();
        for (letter const& one : letters) {
            attune::detail::rank_report report = attune::detail::read_report(one.text);
            out.push_back({.slot = one.slot,
                           .seen = std::move(report.seen->seen),
                           .is_fault = report.seen->is_fault});
        }
        pause();
        for (std::size_t i = 0; i < letters.size(); ++i)
            note(letters[i], *out[i].seen);
        go_on();
        return out;
    }

    /// What the run was like.
    [[nodiscard]] cluster_run take()
    {
        for (auto const& [begin, end] : spans_)
            run_.busy_given_s += std::max(0.0, std::min(end, run_.given_s) - begin);
        run_.distance = pairs_ > 0 ? distances_ / static_cast<double>(pairs_)
                                   : std::numeric_limits<double>::quiet_NaN();
        return std::move(run_);
    }

private:
    struct letter {
        double arrives_s = 0;
        std::size_t slot = 0;
        std::string text;

        [[nodiscard]] friend bool operator<(letter const& a, letter const& b) noexcept
        {
            return a.arrives_s > b.arrives_s; // the first is the greatest
        }
    };
    /// Rank 0 is at work between go_on() and pause().
    void pause()
    {
        double const spent = thread_seconds() - resumed_s_;
        clock_s_ += spent;
        spent_s_ += spent;
    }
    void go_on() { resumed_s_ = thread_seconds(); }

    void note(letter const& one, attune::evaluation const& seen)
    {
        run_.bytes += one.text.size();
        pending_[one.slot].clear();
        if (auto const* const m = std::get_if<attune::measurement>(&seen.result))
            best_ = std::min(best_, m->value);
        run_.told_s.push_back(clock_s_);
        run_.best.push_back(best_);
        run_.spent_s.push_back(spent_s_);
    }

    /// The distance of one pair of pending configurations, at every 16th order from the second of
    /// each worker on.
    void look_at_pending()
    {
        if (pending_.size() < 2 || number_ <= pending_.size() || number_ % 16 != 0) return;
        attune::point const& a = pending_[attune::uniform_below(draws_, pending_.size())];
        attune::point const& b = pending_[attune::uniform_below(draws_, pending_.size())];
        if (a.empty() || b.empty() || &a == &b) return;
        distances_ += attune::distance(space_->describe(), a, b);
        ++pairs_;
    }

    attune::chain_of_trees const* space_;
    objective const* evaluate_;
    cluster_model model_;
    std::uint64_t seed_;
    std::vector<attune::point> pending_; ///< by slot; empty: it is free
    std::priority_queue<letter> under_way_{};
    std::vector<std::pair<double, double>> spans_{}; ///< of evaluations
    std::unordered_set<attune::point, attune::point_hash> given_{};
    std::uint64_t number_ = 0; ///< of orders
    attune::random_engine draws_;
    double distances_ = 0;
    std::size_t pairs_ = 0;
    double best_ = std::numeric_limits<double>::infinity();
    bool has_begun_ = false;
    double clock_s_ = 0;
    double spent_s_ = 0; ///< of clock_s_, by rank 0
    double resumed_s_;   ///< processor seconds when rank 0 went on
    cluster_run run_{};
};

} // namespace bench
