// attune/tune/study.ipp - joins, claims, evaluates, and exchanges outcomes.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/shown_text.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/group.hpp>
#include <attune/remember/study.hpp>
#include <attune/search/optimizer.hpp>
#include <attune/search/repeat.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/study.hpp>
#include <attune/tune/study/detail/study_parts.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::string path_of_study(study const& of)
{
    constexpr std::string_view allowed =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    bool const is_name = !of.name.empty() && of.name.size() <= 200 && of.name.front() != '.' &&
                         of.name.find_first_not_of(allowed) == std::string::npos;
    if (!is_name)
        throw error("the name of the study is no name of a file", '\'' + shown_text(of.name) + '\'',
                    "use letters, digits and ._-, with no dot in front");
    return std::filesystem::absolute(std::filesystem::path(of.folder) / (of.name + ".study"))
        .string();
}

[[nodiscard]] inline study_header header_of(description const& space,
                                            minimize_options const& options)
{
    study_header out{.objective = options.name, .space = space_identity(space)};
    for (named_value const& v : named_values(space)) {
        parameter_description const& first = space.parameters[v.first];
        out.parameters.emplace_back(v.name);
        out.sizes.push_back(v.count > 1                  ? std::to_string(v.count) + " parts"
                            : first.traits().is_interval ? "real"
                                                         : std::to_string(first.value_count()));
    }
    out.inputs = texts_of_inputs(space);
    if (!options.bounds.empty()) out.bounds = bounds_key(options.bounds);
    return out;
}

class study_process {
public:
    study_process(chain_of_trees const& space,
                  std::function<evaluation(point const&)> const& objective, study const& of,
                  study_options const& options, std::uint32_t possible)
        : options_(&options)
        , of_(&of)
        , texts_(space, options.minimize.bounds)
        , search_(space, texts_, options, possible)
        , link_(
              path_of_study(of), header_of(space.describe(), options.minimize), options.lease_s,
              [this](value_texts const& values, evaluation const* told) {
                  return texts_.objection_to(values, told);
              },
              [this](std::string const& text) { search_.announce(text); })
        , own_(objective, options.most_seconds)
    {
    }

    [[nodiscard]] loop_end take_part()
    {
        interrupt_guard const interrupt{interrupt_guard::afterwards::no_handler};
        join();
        std::string ended;
        try {
            double ended_s = 0;
            for (;;) {
                if (ended.empty()) {
                    ended = interrupt.requested() ? "interrupted" : is_stuck() ? "no worker" : "";
                    if (ended.empty() && own_.is_idle() && has_news_) ended = claim_next();
                    ended_s = steady_seconds();
                }
                if (own_.is_busy()) ended_s = steady_seconds();
                bool const gives_up = steady_seconds() - ended_s > options_->lease_s;
                if (!ended.empty() && !own_.is_busy() && (!link_.has_unsent() || gives_up)) break;
                await_own_outcome();
                if (steady_seconds() >= link_.next_look_s()) look();
            }
        } catch (...) {
            leave();
            throw;
        }
        leave();
        if (interrupt.requested()) return {"interrupted", true};
        return {std::move(ended), false};
    }

    [[nodiscard]] followed_search const& search() const noexcept { return search_; }
    [[nodiscard]] std::string const& name() const { return board().workers()[link_.place()].name; }
    [[nodiscard]] std::vector<worker_use> uses() const { return search_.uses(board()); }

private:
    [[nodiscard]] study_board const& board() const noexcept { return link_.board(); }

    void join()
    {
        link_.join();
        static_cast<void>(link_.notices()); // earlier workers have announced past problems
        if (std::string const others = who_may_tell(link_.path()); !others.empty())
            search_.announce("another user may write outcomes into the study, which this process "
                             "does not verify: " +
                             others);
        std::size_t const known = board().outcomes().size();
        if (known > 0)
            search_.announce("joins the study " + of_->name + ": " + std::to_string(known) +
                             " outcomes of " + std::to_string(board().workers().size() - 1) +
                             " workers are known");
        deliver();
    }

    void deliver()
    {
        for (std::string const& text : link_.notices())
            search_.announce(shown_text(text));
        if (search_.take_told(board())) has_news_ = true;
    }

    void leave()
    {
        try {
            bool const is_left = link_.leave();
            if (is_left) deliver();
            if (!is_left && link_.has_unsent())
                search_.announce("an outcome is lost, the study cannot be written: " + link_.why());
        } catch (error const& thrown) { // its file was replaced, as announced before
            search_.announce(sentence_of(thrown));
        }
    }

    void look()
    {
        // A process that waits for others also writes. So it finds out if no process can write, and
        // counts none as lost. A claim of this process expires if no thread works on it.
        auto const is_own = [&](open_claim const& one) { return one.worker == link_.place(); };
        bool const waits = !board().open().empty() && std::ranges::none_of(board().open(), is_own);
        link_.look(own_.is_busy() || waits);
        deliver();
        auto const is_expired = [&](open_claim const& one) { return is_left_behind(one); };
        has_news_ = has_news_ || link_.cannot_write() || !search_.run().budget_left() ||
                    std::ranges::any_of(board().open(), is_expired) || search_.has_free(board());
    }

    [[nodiscard]] std::uint64_t most_outcomes() const
    {
        return std::max<std::uint64_t>(options_->limits.evaluations, 1);
    }
    /// Returns true if outcomes and claims fill the budget of the study.
    [[nodiscard]] bool is_full() const
    {
        return board().outcomes().size() + board().open().size() >= most_outcomes();
    }

    /// @return  why this process evaluates nothing more; empty if an evaluation has begun, or must
    ///          wait for has_news_
    [[nodiscard]] std::string claim_next()
    {
        // Claims of other processes are skipped without the lock.
        if (link_.hear()) deliver();
        for (;;) {
            bool const is_first = board().outcomes().empty() && board().open().empty();
            if (!is_first && !search_.run().budget_left()) return "budget"; // evaluations, seconds
            if (go_on()) return {};
            if (std::optional<bool> const begun = take_over()) {
                if (*begun) return {};
                if (link_.cannot_write()) break;
                continue;
            }
            if (is_full()) break;
            std::optional<point> const next = search_.next(board());
            if (!next) {
                std::optional<stop_verdict> const& stopped = search_.search().stopped();
                if (stopped && stopped->reason != stop_reason::exhausted) return "stop rule";
                if (stopped && board().open().empty()) return "space";
                break; // claims of other processes may expire
            }
            if (board().holder_of(texts_.values_at(*next)) != nullptr) continue;
            if (claim(*next, {})) return {};
            if (link_.cannot_write()) break;
        }
        has_news_ = false;
        return {};
    }

    /// Evaluates a claim of this process that has no outcome. In the file, the claim could not be
    /// read back, or the outcome was damaged.
    [[nodiscard]] bool go_on()
    {
        if (link_.has_unsent()) return false;
        auto const own = std::ranges::find(board().open(), link_.place(), &open_claim::worker);
        if (own == board().open().end() || own->number == gone_on_) return false;
        gone_on_ = own->number; // only once
        begin(texts_.point_at(own->values).value(), own->number);
        return true;
    }

    /// Returns true if this process must take over the claim while it evaluates nothing. These are
    /// claims of a lost worker, and own claims that go_on() does not evaluate again.
    [[nodiscard]] bool is_left_behind(open_claim const& one) const
    {
        return board().has_expired(one) && (one.worker != link_.place() || !link_.has_unsent());
    }

    void begin(point const& at, std::uint64_t number)
    {
        search_.begins(at);
        own_.begin(at, number);
    }

    /// Takes over an expired claim. A configuration that lost too many workers becomes a failure.
    /// @return  empty: there is no such claim; true if an evaluation has begun
    [[nodiscard]] std::optional<bool> take_over()
    {
        auto const expired = std::ranges::find_if(
            board().open(), [&](open_claim const& one) { return is_left_behind(one); });
        if (expired == board().open().end()) return {};
        std::vector<study_worker> const& workers = board().workers();
        claim_name const over{workers[expired->worker].id, expired->number};
        std::string lost;
        for (std::size_t const worker : expired->lost)
            lost += workers[worker].name + ", ";
        lost += workers[expired->worker].name;
        std::size_t const losses = expired->lost.size() + 1;
        point const at = texts_.point_at(expired->values).value();
        if (losses < options_->most_losses) return claim(at, over);
        std::string const reason = std::to_string(losses) +
                                   (losses == 1 ? " worker was" : " workers were") +
                                   " lost at this configuration: " + lost;
        static_cast<void>(claim(at, over, failure{failure_stage::crash, reason}));
        return false;
    }

    /// @param over  an expired claim of `at`
    /// @param told  the outcome, if it is known at once; then no evaluation begins
    /// @return  true if this process evaluates it now
    [[nodiscard]] bool claim(point const& at, std::optional<claim_name> const& over,
                             std::optional<failure> const& told = {})
    {
        value_texts const values = texts_.values_at(at);
        std::uint64_t const number = ++last_number_;
        auto const text = [&]() -> std::string {
            if (board().has_outcome(values)) return {};
            open_claim const* const holder = board().holder_of(values);
            if (holder != nullptr && !over) return {};
            if (holder != nullptr &&
                *over != claim_name{board().workers()[holder->worker].id, holder->number})
                return {};
            if (holder == nullptr && is_full()) return {};
            return link_.line(
                       study_claim{number, values, holder != nullptr ? over : std::nullopt}) +
                   (told ? link_.line(study_told{number, values, *told}) : "");
        };
        bool const works = link_.exchange(text);
        deliver();
        if (!works) return false;
        open_claim const* const holder = board().holder_of(values);
        if (holder == nullptr || holder->worker != link_.place() || holder->number != number)
            return false;
        begin(at, number);
        return true;
    }

    /// Waits for this process's outcome, at most until the next look, and writes it.
    void await_own_outcome()
    {
        bool const was_idle = own_.is_idle();
        std::optional<guarded_evaluation> seen = own_.wait(link_.next_look_s());
        if (seen) tell(*std::move(seen));
        if (!was_idle && own_.is_idle()) has_news_ = true;
    }

    void tell(guarded_evaluation own)
    {
        // A missing quantity with a bound is an error of the program, as in minimize().
        static_cast<void>(bounded_numbers(options_->minimize.bounds, own.seen));
        auto const* const m = std::get_if<measurement>(&own.seen.result);
        own.is_fault = own.is_fault || (m != nullptr && std::isnan(m->value));
        refuse_not_finite(own.seen.result);
        if (auto* const why = std::get_if<failure>(&own.seen.result)) {
            why->reason = shortened(why->reason, 1000);
            why->log.clear();
        }
        link_.send(link_.line(study_told{own_.number(), texts_.values_at(own_.at()),
                                         std::move(own.seen), own.is_fault}));
        deliver();
    }

    [[nodiscard]] bool is_stuck() const
    {
        if (!own_.is_stuck()) return false;
        search_.announce("this process leaves the study: its evaluation has been overdue for a "
                         "further " +
                         formatted("%.4g", options_->most_seconds) + " s");
        return true;
    }

    study_options const* options_;
    study const* of_;
    study_configurations texts_;
    followed_search search_;
    study_link link_;
    std::uint64_t last_number_ = 0, gone_on_ = 0; ///< of claims
    bool has_news_ = true;                        ///< a claim may be possible now
    own_evaluation own_;                          // last: its thread ends first
};

inline void refuse_study_options(study_options const& options)
{
    refuse_most_seconds(options.most_seconds);
    if (!(std::isfinite(options.lease_s) && options.lease_s > 0))
        throw error("the lease of a study is not a finite time above 0",
                    "lease_s = " + formatted("%.4g", options.lease_s),
                    "give more than 0 seconds, and no infinity");
    if (options.most_losses == 0)
        throw error("a study must tolerate at least one lost worker", "most_losses = 0",
                    "give 1 or more");
}

ATTUNE_INLINE minimum_in_study minimize_in_study(
    chain_of_trees const& space, std::function<evaluation(point const&)> const& objective,
    study const& of, study_options const& options)
{
    own_float_environment const numbers;
    refuse_study_options(options);
    std::uint32_t const possible = possible_evaluations(space);
    study_process own(space, objective, of, options, possible);
    loop_end const end = own.take_part();
    found_minimum out;
    run_state const& run = own.search().run();
    optimizer_core const& search = own.search().search();
    out.ended = run.evaluations() >= possible && !end.interrupted ? "space" : end.ended;
    if (search.best()) {
        out.best = search.best()->first;
        out.value = search.best()->second;
    }
    out.quantities = own.search().best_quantities();
    out.shortfall = search.shortfall();
    conclude(out, run, space.describe(), options.limits, end.interrupted);
    return {{std::move(out), own.uses()}, own.name()};
}

} // namespace attune::inline ATTUNE_ABI::detail
