// attune/tune/study/study_search.ipp - joins, claims, evaluates, tells, and reads what others tell.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/shown_text.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/text.hpp>
#include <attune/remember/study/study_board.hpp>
#include <attune/remember/study/study_file.hpp>
#include <attune/remember/study/study_line.hpp>
#include <attune/search/optimizer_core.hpp>
#include <attune/search/repeat.hpp>
#include <attune/search/stop.hpp>
#include <attune/tune/dispatch/choice/session_record.hpp>
#include <attune/tune/loop/interrupt.hpp>
#include <attune/tune/loop/minimize_loop.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/over/own_slot.hpp>
#include <attune/tune/study/study_search.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <thread>
#include <unistd.h>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::string path_of_study(study const& of)
{
    constexpr std::string_view allowed =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    bool const is_name = !of.name.empty() && of.name.size() <= 200 && of.name.front() != '.' &&
                         of.name.find_first_not_of(allowed) == std::string::npos;
    if (!is_name)
        throw error("the name of the study is no name of a file",
                    '\'' + shown_text(of.name) + '\'',
                    "use letters, digits and ._-, with no dot in front");
    return std::filesystem::absolute(std::filesystem::path(of.folder) / (of.name + ".study"))
        .string();
}

/// What a process takes part with.
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

[[nodiscard]] inline std::string own_host_name()
{
    char name[256] = {};
    return ::gethostname(name, sizeof name - 1) == 0 && name[0] != '\0' ? name : "unknown";
}

/// One process in a study.
class study_process {
public:
    study_process(chain_of_trees const& space,
                  std::function<evaluation(point const&)> const& objective,
                  study const& of,
                  study_options const& options,
                  std::uint32_t possible)
        : options_(&options)
        , of_(&of)
        , search_(space,
                  options.minimize.search,
                  options.minimize.seed,
                  false,
                  without_cost(options.limits),
                  options.minimize.bounds)
        , run_(objective_board(
              options.minimize.name, options.limits, possible, options.minimize.progress))
        , board_([this](value_texts const& values, evaluation const* told) {
            return objection_to(values, told);
        })
        , file_(path_of_study(of))
        , header_(header_of(space.describe(), options.minimize))
        , look_every_s_(std::min(0.1, options.lease_s / 16))
        , slot_(objective)
    {
        for (named_value const& v : named_values(space.describe()))
            names_.emplace_back(v.name);
    }

    [[nodiscard]] loop_end take_part()
    {
        interrupt_guard const interrupt{interrupt_guard::afterwards::caller_knows};
        join();
        std::string ended;
        try {
            double ended_s = 0;
            for (;;) {
                if (ended.empty()) {
                    ended = interrupt.requested() ? "interrupted" : is_stuck() ? "no worker" : "";
                    if (ended.empty() && is_ == stage::idle && has_news_) ended = claim_next();
                    ended_s = steady_seconds();
                }
                if (is_ == stage::busy) ended_s = steady_seconds();
                bool const gives_up = steady_seconds() - ended_s > options_->lease_s;
                if (!ended.empty() && is_ != stage::busy && (unsent_.empty() || gives_up)) break;
                await_own_outcome();
                if (steady_seconds() >= next_look_s_) look();
            }
        } catch (...) {
            leave();
            throw;
        }
        leave();
        if (interrupt.requested()) return {"interrupted", true};
        return {std::move(ended), false};
    }

    [[nodiscard]] optimizer_core const& search() const noexcept { return search_; }
    [[nodiscard]] run_state const& run() const noexcept { return run_; }
    [[nodiscard]] std::vector<quantity> const& best_quantities() const noexcept
    {
        return best_quantities_;
    }
    [[nodiscard]] std::string const& name() const { return board_.workers()[me_].name; }
    [[nodiscard]] std::vector<worker_use> uses() const
    {
        std::vector<worker_use> out;
        for (std::size_t i = 0; i < board_.workers().size(); ++i) {
            study_worker const& one = board_.workers()[i];
            bool const is_at_work = std::ranges::any_of(
                board_.open(), [&](open_claim const& claim) { return claim.worker == i; });
            out.push_back(
                {.name = one.name,
                 .evaluations = one.evaluations,
                 .failures = i < failures_.size() ? failures_[i] : failure_counts{},
                 .first_fault = one.first_fault.empty() ? "" : one.name + ": " + one.first_fault,
                 .is_left = is_at_work});
        }
        return out;
    }

private:
    enum class stage : std::uint8_t { idle, busy, overdue };

    [[nodiscard]] std::string line(auto says) const
    {
        using namespace std::chrono;
        double const when_s = duration<double>(system_clock::now().time_since_epoch()).count();
        return text_of_line(study_line{.worker = id_, .when_s = when_s, .says = std::move(says)}) +
               '\n';
    }
    [[nodiscard]] std::optional<point> point_at(value_texts const& values) const
    {
        if (values.size() != names_.size()) return {};
        std::optional<point> out = point_of(names_, values, search_.space());
        // A configuration has one text only.
        if (out && values_of(search_.space().describe(), *out) != values) out.reset();
        return out;
    }
    [[nodiscard]] std::string objection_to(value_texts const& values, evaluation const* told) const
    {
        if (!point_at(values)) return "its configuration is not in the space";
        if (told == nullptr) return {};
        try {
            static_cast<void>(bounded_numbers(options_->minimize.bounds, *told));
            return {};
        } catch (error const& thrown) {
            return thrown.what_alone();
        }
    }
    void announce(std::string const& text) const { run_.announce(progress_event::notice, text); }

    void join()
    {
        study_join const own{
            own_host_name(), static_cast<std::uint64_t>(::getpid()), options_->lease_s};
        // Of no other worker: the clock runs on while a process has this number.
        id_ = content_hash{}
                  .add(own.host)
                  .add(std::to_string(own.process))
                  .add(hexadecimal_text(steady_seconds()))
                  .add(std::to_string(std::chrono::system_clock::now().time_since_epoch().count()))
                  .hex()
                  .substr(0, 16);
        auto const text = [&] {
            std::optional<study_header> const& there = board_.header();
            if (!there && board_.damaged_lines() > 0)
                throw error("the file is no study", file_.path(), "give the study another name");
            if (there && there->format > study_format)
                throw error("the study was begun by a newer attune",
                            file_.path(),
                            "take part with that version");
            std::string const difference = there ? difference_of_studies(*there, header_) : "";
            if (!difference.empty())
                throw error("the study cannot be joined: " + difference,
                            file_.path(),
                            "declare what the study is of, or give this one another name");
            return (there ? "" : text_of_line(header_) + '\n') + line(own);
        };
        if (!file_.exchange([this](std::string_view one) { board_.take(one); }, text, true))
            throw error("the study cannot be joined: " + file_.why(),
                        file_.path(),
                        "name a folder where this process may write");
        for (std::size_t i = 0; i < board_.workers().size(); ++i)
            if (board_.workers()[i].id == id_) me_ = i;
        last_written_s_ = looked_s_ = steady_seconds();
        next_look_s_ = looked_s_ + look_every_s_;
        static_cast<void>(board_.notices()); // those who were here have told of the past
        if (may_be_written_by_all(of_->folder) || may_be_written_by_all(file_.path()))
            announce("everybody may write into the study, and so tell outcomes: " + file_.path());
        std::size_t const known = board_.outcomes().size();
        if (known > 0)
            announce("joins the study " + of_->name + ": " + std::to_string(known) +
                     " outcomes of " + std::to_string(board_.workers().size() - 1) +
                     " workers are known");
        deliver();
    }

    /// Appends what `make` returns, when what others wrote was taken.
    bool exchange(study_file::made const& make)
    {
        bool is_written = false;
        bool const works = file_.exchange([this](std::string_view one) { board_.take(one); },
                                          [&] {
                                              std::string out = make();
                                              is_written = !out.empty();
                                              return out;
                                          });
        if (works && is_written) last_written_s_ = steady_seconds();
        if (works == cannot_write_)
            announce(works ? "the study can be written again: " + file_.path()
                           : "the study cannot be written, outcomes are kept until it can: " +
                                 file_.why() + " (" + file_.path() + ')');
        cannot_write_ = !works;
        if (!works) board_.hear_all();
        deliver();
        return works;
    }

    void send()
    {
        if (exchange([this] { return unsent_; })) unsent_.clear();
    }

    /// Leaves its claims to others.
    void leave()
    {
        try {
            bool const is_left = file_.exchange([this](std::string_view one) { board_.take(one); },
                                                [this] { return unsent_ + line(study_leave{}); });
            if (is_left) deliver();
            if (!is_left && !unsent_.empty())
                announce("an outcome is lost, the study cannot be written: " + file_.why());
        } catch (error const& thrown) { // its file was replaced, which was said before
            announce(sentence_of(thrown));
        }
    }

    void look()
    {
        double const now = steady_seconds();
        next_look_s_ = now + look_every_s_;
        // Who waits for others writes, too: so it knows when nobody can, and takes nobody for lost.
        // An own claim that nobody is at must expire.
        auto const is_own = [&](open_claim const& one) { return one.worker == me_; };
        bool const waits = !board_.open().empty() && std::ranges::none_of(board_.open(), is_own);
        bool const has_to_say = is_ == stage::busy || waits;
        bool const is_silent = has_to_say && now - last_written_s_ >= options_->lease_s / 4;
        if (!unsent_.empty())
            send();
        else if (is_silent)
            exchange([this] { return line(study_beat{}); });
        else if (file_.look([this](std::string_view one) { board_.take(one); }))
            deliver();
        else
            board_.hear_all();
        board_.pass(now - looked_s_);
        looked_s_ = now;
        auto const is_expired = [&](open_claim const& one) { return is_left_behind(one); };
        has_news_ = has_news_ || cannot_write_ || !run_.budget_left() ||
                    std::ranges::any_of(board_.open(), is_expired) || free_held() != held_.end();
    }

    /// Tells the search what was told since the last call.
    void deliver()
    {
        for (std::string const& text : board_.notices())
            announce(shown_text(text));
        while (delivered_ < board_.outcomes().size()) {
            study_outcome const& one = board_.outcomes()[delivered_++];
            std::optional<point> const at = point_at(one.values);
            evaluation seen = one.seen;
            auto* const why = std::get_if<failure>(&seen.result);
            std::string const text = text_of(search_.space().describe(), *at);
            study_worker const& by = board_.workers()[one.worker];
            failures_.resize(board_.workers().size());
            if (why != nullptr && one.is_fault) {
                bool const is_first = why->reason == by.first_fault;
                why->reason = by.name + ": " + why->reason;
                if (is_first && told_faults_.insert(one.worker).second)
                    announce(shown_text(why->reason) + ", at " + text);
            }
            if (asked_.contains(*at))
                search_.tell(*at, seen);
            else
                search_.observe(*at, seen);
            std::vector<quantity_bound> const& bounds = options_->minimize.bounds;
            outcome const checked =
                within_bounds(bounds, bounded_numbers(bounds, seen), seen.result);
            run_.add(*at, checked, text);
            if (auto const* const failed = std::get_if<failure>(&checked))
                ++failures_[one.worker][static_cast<std::size_t>(failed->stage)];
            if (search_.best() && search_.best()->first == *at)
                best_quantities_ = std::move(seen.quantities);
            std::erase(held_, *at);
            has_news_ = true;
        }
    }

    [[nodiscard]] std::vector<point>::iterator free_held()
    {
        return std::ranges::find_if(held_, [&](point const& at) {
            return board_.holder_of(values_of(search_.space().describe(), at)) == nullptr;
        });
    }
    /// The number of outcomes that the study may have.
    [[nodiscard]] std::uint64_t most_outcomes() const
    {
        return std::max<std::uint64_t>(options_->limits.evaluations, 1);
    }

    /// Claims a configuration and begins to evaluate it.
    /// @return  why nothing more is evaluated; empty: it has begun, or has_news_ says when to look
    [[nodiscard]] std::string claim_next()
    {
        // What others have claimed is passed over without the lock.
        if (file_.look([this](std::string_view one) { board_.take(one); })) deliver();
        for (;;) {
            bool const is_first = board_.outcomes().empty() && board_.open().empty();
            if (!is_first && !run_.budget_left()) return "budget"; // evaluations, or seconds
            if (go_on()) return {};
            if (std::optional<bool> const begun = take_over()) {
                if (*begun) return {};
                if (cannot_write_) break;
                continue;
            }
            if (board_.outcomes().size() + board_.open().size() >= most_outcomes()) break;
            auto const free = free_held();
            std::vector<point> next =
                free != held_.end() ? std::vector<point>{*free} : search_.ask(1);
            if (next.empty()) {
                std::optional<stop_verdict> const& stopped = search_.stopped();
                if (stopped && stopped->reason != stop_reason::exhausted) return "stop rule";
                if (stopped && board_.open().empty()) return "space";
                break; // what others are at may fail to come
            }
            point const at = std::move(next.front());
            if (asked_.insert(at).second) held_.push_back(at);
            if (board_.holder_of(values_of(search_.space().describe(), at)) != nullptr) continue;
            if (claim(at, {})) return {};
            if (cannot_write_) break;
        }
        has_news_ = false;
        return {};
    }

    /// Evaluates what this process has claimed and not told: the claim was in the file, but could
    /// not be read back; or its outcome came to harm there.
    [[nodiscard]] bool go_on()
    {
        if (!unsent_.empty()) return false;
        auto const own = std::ranges::find(board_.open(), me_, &open_claim::worker);
        if (own == board_.open().end() || own->number == gone_on_) return false;
        gone_on_ = own->number; // once
        begin(point_at(own->values).value(), own->number);
        return true;
    }

    /// While nothing is evaluated here: a claim of a worker that is lost, or an own one that
    /// go_on() does not evaluate again.
    [[nodiscard]] bool is_left_behind(open_claim const& one) const
    {
        return board_.has_expired(one) && (one.worker != me_ || unsent_.empty());
    }

    void begin(point const& at, std::uint64_t number)
    {
        std::erase(held_, at);
        is_ = stage::busy;
        at_ = at;
        number_ = number;
        since_s_ = steady_seconds();
        slot_.submit(at);
    }

    /// Takes a claim over that has expired. A configuration that too many workers were lost with
    /// is told as a failure.
    /// @return  nothing: there is none; whether an evaluation has begun
    [[nodiscard]] std::optional<bool> take_over()
    {
        auto const expired = std::ranges::find_if(
            board_.open(), [&](open_claim const& one) { return is_left_behind(one); });
        if (expired == board_.open().end()) return {};
        claim_name const over{board_.workers()[expired->worker].id, expired->number};
        std::string lost;
        for (std::size_t const worker : expired->lost)
            lost += board_.workers()[worker].name + ", ";
        lost += board_.workers()[expired->worker].name;
        std::size_t const losses = expired->lost.size() + 1;
        point const at = point_at(expired->values).value();
        if (losses < options_->most_losses) return claim(at, over);
        std::string const reason = std::to_string(losses) +
                                   (losses == 1 ? " worker was" : " workers were") +
                                   " lost with it: " + lost;
        static_cast<void>(claim(at, over, failure{failure_stage::crash, reason}));
        return false;
    }

    /// @param over  an expired claim of it
    /// @param told  its outcome, if it is known at once; then no evaluation begins
    /// @return  whether this process evaluates it now
    [[nodiscard]] bool claim(point const& at,
                             std::optional<claim_name> const& over,
                             std::optional<failure> const& told = {})
    {
        value_texts const values = values_of(search_.space().describe(), at);
        std::uint64_t const number = ++last_number_;
        auto const text = [&]() -> std::string {
            if (board_.has_outcome(values)) return {};
            open_claim const* const holder = board_.holder_of(values);
            if (holder != nullptr && !over) return {};
            if (holder != nullptr &&
                *over != claim_name{board_.workers()[holder->worker].id, holder->number})
                return {};
            if (holder == nullptr &&
                board_.outcomes().size() + board_.open().size() >= most_outcomes())
                return {};
            return line(study_claim{number, values, holder != nullptr ? over : std::nullopt}) +
                   (told ? line(study_told{number, values, *told}) : "");
        };
        if (!exchange(text)) return false;
        open_claim const* const holder = board_.holder_of(values);
        if (holder == nullptr || holder->worker != me_ || holder->number != number) return false;
        begin(at, number);
        return true;
    }

    /// Waits for the outcome of the own evaluation, and tells it; no longer than to the next look.
    void await_own_outcome()
    {
        double const now = steady_seconds();
        double wait_s = std::max(next_look_s_ - now, 0.0);
        if (is_ == stage::idle) {
            std::this_thread::sleep_for(std::chrono::duration<double>(wait_s));
            return;
        }
        if (is_ == stage::busy)
            wait_s = std::clamp(since_s_ + options_->most_seconds - now, 0.0, wait_s);
        std::optional<guarded_evaluation> seen = slot_.take(wait_s);
        bool const is_late =
            !seen && is_ == stage::busy && steady_seconds() - since_s_ >= options_->most_seconds;
        if (is_late)
            tell({failure{failure_stage::timeout,
                          "no outcome within " + formatted("%.4g", options_->most_seconds) + " s"},
                  true});
        else if (seen && is_ == stage::busy)
            tell(*std::move(seen));
        if (seen) has_news_ = true;
        if (seen || is_late) is_ = is_late ? stage::overdue : stage::idle;
    }

    void tell(guarded_evaluation own)
    {
        // A quantity that has a bound is missing: an error of the program, as in minimize().
        static_cast<void>(bounded_numbers(options_->minimize.bounds, own.seen));
        auto const* const m = std::get_if<measurement>(&own.seen.result);
        own.is_fault = own.is_fault || (m != nullptr && std::isnan(m->value));
        refuse_not_finite(own.seen.result);
        if (auto* const why = std::get_if<failure>(&own.seen.result)) {
            why->reason = shortened(why->reason, 1000);
            why->log.clear();
        }
        unsent_ += line(study_told{number_,
                                   values_of(search_.space().describe(), at_),
                                   std::move(own.seen),
                                   own.is_fault});
        send();
    }

    /// The objective does not return.
    [[nodiscard]] bool is_stuck() const
    {
        if (is_ != stage::overdue || steady_seconds() - since_s_ < 2 * options_->most_seconds)
            return false;
        announce("this process leaves the study: its evaluation has been overdue for a further " +
                 formatted("%.4g", options_->most_seconds) + " s");
        return true;
    }

    study_options const* options_;
    study const* of_;
    optimizer_core search_;
    run_state run_;
    study_board board_;
    study_file file_;
    study_header header_;
    std::vector<std::string> names_{}; ///< of the values of a configuration
    std::string id_{};
    std::size_t me_ = 0; ///< the place of this worker

    stage is_ = stage::idle;
    point at_{}; ///< what is evaluated here
    std::uint64_t number_ = 0, last_number_ = 0, gone_on_ = 0;
    double since_s_ = 0;

    std::string unsent_{}; ///< lines that are to be written
    bool cannot_write_ = false;
    double look_every_s_; ///< several times in a lease
    double last_written_s_ = 0, looked_s_ = 0, next_look_s_ = 0;

    std::size_t delivered_ = 0;                     ///< outcomes that the search was told
    bool has_news_ = true;                          ///< a claim may be possible now
    std::unordered_set<point, point_hash> asked_{}; ///< of the own search
    std::vector<point> held_{};              ///< asked, without an outcome, and not evaluated here
    std::vector<failure_counts> failures_{}; ///< by worker
    std::unordered_set<std::size_t> told_faults_{}; ///< workers of which people were told
    std::vector<quantity> best_quantities_{};
    own_slot slot_; // last: its thread ends first
};

inline void refuse_study_options(study_options const& options)
{
    refuse_most_seconds(options.most_seconds);
    if (!(std::isfinite(options.lease_s) && options.lease_s > 0))
        throw error("a lease has no length",
                    "lease_s = " + formatted("%.4g", options.lease_s),
                    "give more than 0 seconds, and no infinity");
    if (options.most_losses == 0)
        throw error("no worker may be lost", "most_losses = 0", "give 1 or more");
}

ATTUNE_INLINE minimum_in_study
minimize_in_study(chain_of_trees const& space,
                  std::function<evaluation(point const&)> const& objective,
                  study const& of,
                  study_options const& options)
{
    refuse_study_options(options);
    std::uint32_t possible = std::numeric_limits<std::uint32_t>::max();
    if (auto const size = space.size(); size && *size < possible && !space.has_real_parameters())
        possible = static_cast<std::uint32_t>(*size);
    study_process own(space, objective, of, options, possible);
    loop_end const end = own.take_part();
    found_minimum out;
    out.ended = own.run().evaluations() >= possible && !end.interrupted ? "space" : end.ended;
    if (own.search().best()) {
        out.best = own.search().best()->first;
        out.value = own.search().best()->second;
    }
    out.quantities = own.best_quantities();
    out.shortfall = own.search().shortfall();
    conclude(out, own.run(), space.describe(), options.limits, end.interrupted);
    return {{std::move(out), own.uses()}, own.name()};
}

} // namespace attune::inline ATTUNE_ABI::detail
