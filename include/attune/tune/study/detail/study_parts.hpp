// attune/tune/study/detail/study_parts.hpp - parts of one process of a study: lines, search, evaluation.
// SPDX-License-Identifier: MIT
// tested by tune/study/study_search.cpp
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/evaluation.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/shown_text.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/point.hpp>
#include <attune/declare/table.hpp>
#include <attune/remember/study.hpp>
#include <attune/search/optimizer.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/dispatch/choice/session_record.hpp>
#include <attune/tune/loop/minimize_slots.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/over/slots.hpp>
#include <attune/tune/study.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Converts configurations to the texts of their values, and back.
class study_configurations {
public:
    /// @pre  the space outlives this object
    study_configurations(chain_of_trees const& space, std::vector<quantity_bound> bounds)
        : space_(&space)
        , bounds_(std::move(bounds))
    {
        for (named_value const& v : named_values(space.describe()))
            names_.emplace_back(v.name);
    }

    [[nodiscard]] value_texts values_at(point const& at) const
    {
        return values_of(space_->describe(), at);
    }
    /// Empty if they are not a configuration of the space.
    [[nodiscard]] std::optional<point> point_at(value_texts const& values) const
    {
        if (values.size() != names_.size()) return {};
        std::optional<point> out = point_of(names_, values, *space_);
        // A configuration has one text only.
        if (out && values_at(*out) != values) out.reset();
        return out;
    }
    /// See study_board::objection.
    [[nodiscard]] std::string objection_to(value_texts const& values, evaluation const* told) const
    {
        if (!point_at(values)) return "its configuration is not in the space";
        if (told == nullptr) return {};
        try {
            static_cast<void>(bounded_numbers(bounds_, *told));
            return {};
        } catch (error const& thrown) {
            return thrown.what_alone();
        }
    }

private:
    chain_of_trees const* space_;
    std::vector<quantity_bound> bounds_;
    std::vector<std::string> names_{}; ///< of the values of a configuration
};

[[nodiscard]] inline std::string own_host_name()
{
    char name[256] = {};
    return ::gethostname(name, sizeof name - 1) == 0 && name[0] != '\0' ? name : "unknown";
}

/// Reads the file often enough to find which processes work, and writes often enough to count as
/// one of them. Lines that cannot be written are kept until they can.
class study_link {
public:
    /// @param announces  called when the file cannot be written, and when it can again
    study_link(std::string path, study_header header, double lease_s,
               study_board::objection objects, std::function<void(std::string const&)> announces)
        : board_(std::move(objects))
        , file_(std::move(path))
        , header_(std::move(header))
        , lease_s_(lease_s)
        , announces_(std::move(announces))
        , look_every_s_(std::min(0.1, lease_s / 16))
    {
    }

    [[nodiscard]] study_board const& board() const noexcept { return board_; }
    [[nodiscard]] std::vector<std::string> notices() { return board_.notices(); }
    /// Index of this process in board().workers(). @pre join()
    [[nodiscard]] std::size_t place() const noexcept { return place_; }
    [[nodiscard]] std::string const& path() const noexcept { return file_.path(); }
    [[nodiscard]] std::string const& why() const noexcept { return file_.why(); }
    [[nodiscard]] bool cannot_write() const noexcept { return cannot_write_; }
    [[nodiscard]] bool has_unsent() const noexcept { return !unsent_.empty(); }
    [[nodiscard]] double next_look_s() const noexcept { return next_look_s_; } ///< steady_seconds()

    [[nodiscard]] std::string line(auto says) const
    {
        using namespace std::chrono;
        double const when_s = duration<double>(system_clock::now().time_since_epoch()).count();
        return text_of_line(study_line{.worker = id_, .when_s = when_s, .says = std::move(says)}) +
               '\n';
    }

    /// Joins the study, and begins it if there is none.
    /// Errors   attune::error: see minimize_in_study()
    void join()
    {
        study_join const own{own_host_name(), static_cast<std::uint64_t>(::getpid()), lease_s_};
        // Unique to this worker: the clock differs between two processes with the same number.
        id_ = content_hash{}
                  .add(own.host)
                  .add(std::to_string(own.process))
                  .add(hexadecimal_text(steady_seconds()))
                  .add(std::to_string(std::chrono::system_clock::now().time_since_epoch().count()))
                  .hex()
                  .substr(0, 16);
        auto const text = [&] { return header_that_is_missing() + line(own); };
        if (!file_.exchange(taker(), text, true))
            throw error("the study cannot be joined: " + file_.why(), file_.path(),
                        "name a folder where this process may write");
        for (std::size_t i = 0; i < board_.workers().size(); ++i)
            if (board_.workers()[i].id == id_) place_ = i;
        last_written_s_ = looked_s_ = steady_seconds();
        next_look_s_ = looked_s_ + look_every_s_;
    }

    /// Takes the lines of other processes. @return  false: the file cannot be read now
    [[nodiscard]] bool hear() { return file_.look(taker()); }

    /// Takes the lines of other processes, and then appends the result of `make`.
    bool exchange(study_file::made const& make)
    {
        bool is_written = false;
        bool const works = file_.exchange(taker(), [&] {
            std::string out = make();
            is_written = !out.empty();
            return out;
        });
        if (works && is_written) last_written_s_ = steady_seconds();
        if (works == cannot_write_)
            announces_(works ? "the study can be written again: " + file_.path()
                             : "the study cannot be written, outcomes are kept until it can: " +
                                   file_.why() + " (" + file_.path() + ')');
        cannot_write_ = !works;
        if (!works) board_.hear_all();
        return works;
    }

    /// Writes these lines now, or as soon as possible.
    void send(std::string const& lines = {})
    {
        unsent_ += lines;
        if (exchange([this] { return unsent_; })) unsent_.clear();
    }

    /// @param has_to_say  true if this process must show that it works
    void look(bool has_to_say)
    {
        double const now = steady_seconds();
        next_look_s_ = now + look_every_s_;
        bool const is_silent = has_to_say && now - last_written_s_ >= lease_s_ / 4;
        if (has_unsent())
            send();
        else if (is_silent)
            exchange([this] { return line(study_beat{}); });
        else if (!hear())
            board_.hear_all();
        board_.pass(now - looked_s_);
        looked_s_ = now;
    }

    /// Gives up the claims of this process. @return  false: that could not be written
    [[nodiscard]] bool leave()
    {
        return file_.exchange(taker(), [this] { return unsent_ + line(study_leave{}); });
    }

private:
    [[nodiscard]] study_file::taken taker()
    {
        return [this](std::string_view one) { board_.take(one); };
    }
    /// Errors   attune::error: the file is of another study, or of none
    [[nodiscard]] std::string header_that_is_missing() const
    {
        std::optional<study_header> const& there = board_.header();
        if (!there && board_.damaged_lines() > 0)
            throw error("the file is no study", file_.path(), "give the study another name");
        if (there && there->format > study_format)
            throw error("the study was begun by a newer attune", file_.path(),
                        "take part with that version");
        std::string const difference = there ? difference_of_studies(*there, header_) : "";
        if (!difference.empty())
            throw error("the study cannot be joined: " + difference, file_.path(),
                        "declare the search of the study, or give this one another name");
        return there ? "" : text_of_line(header_) + '\n';
    }

    study_board board_;
    study_file file_;
    study_header header_; ///< header of this process
    double lease_s_;
    std::function<void(std::string const&)> announces_;
    std::string id_{};
    std::size_t place_ = 0;
    std::string unsent_{}; ///< lines that are to be written
    bool cannot_write_ = false;
    double look_every_s_; ///< several times in a lease
    double last_written_s_ = 0, looked_s_ = 0, next_look_s_ = 0;
};

/// Evaluates one configuration at a time, on a separate thread. After its limit an evaluation is a
/// failure, and the objective continues.
class own_evaluation {
public:
    own_evaluation(std::function<evaluation(point const&)> objective, double most_seconds)
        : most_seconds_(most_seconds)
        , slot_(std::move(objective))
    {
    }

    /// @pre     is_idle()
    /// @param number  number of its claim
    void begin(point const& at, std::uint64_t number)
    {
        is_ = stage::busy;
        at_ = at;
        number_ = number;
        since_s_ = steady_seconds();
        slot_.submit(at);
    }

    [[nodiscard]] bool is_idle() const noexcept { return is_ == stage::idle; }
    [[nodiscard]] bool is_busy() const noexcept { return is_ == stage::busy; }
    /// Returns true if the objective has not returned for twice its limit.
    [[nodiscard]] bool is_stuck() const
    {
        return is_ == stage::overdue && steady_seconds() - since_s_ >= 2 * most_seconds_;
    }
    [[nodiscard]] point const& at() const noexcept { return at_; }
    [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

    /// Waits for the outcome, at most until `until_s` of steady_seconds().
    /// @return  the outcome, once; an overdue outcome is dropped
    [[nodiscard]] std::optional<guarded_evaluation> wait(double until_s)
    {
        double const now = steady_seconds();
        double wait_s = std::max(until_s - now, 0.0);
        if (is_idle()) {
            std::this_thread::sleep_for(std::chrono::duration<double>(wait_s));
            return {};
        }
        if (is_busy()) wait_s = std::clamp(since_s_ + most_seconds_ - now, 0.0, wait_s);
        std::optional<guarded_evaluation> seen = slot_.take(wait_s);
        if (seen) {
            bool const is_late = !is_busy();
            is_ = stage::idle;
            if (is_late) return {};
            return seen;
        }
        if (!is_busy() || steady_seconds() - since_s_ < most_seconds_) return {};
        is_ = stage::overdue;
        return guarded_evaluation{
            failure{failure_stage::timeout,
                    "no outcome within " + formatted("%.4g", most_seconds_) + " s"},
            true};
    }

private:
    enum class stage : std::uint8_t { idle, busy, overdue };

    double most_seconds_;
    stage is_ = stage::idle;
    point at_{};
    std::uint64_t number_ = 0;
    double since_s_ = 0;
    own_slot slot_; // last: its thread ends first
};

/// The search of one process, and its counts. A proposal is held until its outcome is known, or
/// until this process begins to evaluate it: another process may have claimed it.
class followed_search {
public:
    /// @param possible  number of configurations, if less than the limit
    /// @pre   all outlive this object
    followed_search(chain_of_trees const& space, study_configurations const& texts,
                    study_options const& options, std::uint32_t possible)
        : texts_(&texts)
        , options_(&options)
        , search_(space, options.minimize.search, options.minimize.seed, false,
                  without_cost(options.limits), options.minimize.bounds)
        , run_(objective_board(options.minimize.name, options.limits, possible,
                               options.minimize.progress))
    {
    }

    [[nodiscard]] optimizer_core const& search() const noexcept { return search_; }
    [[nodiscard]] run_state const& run() const noexcept { return run_; }
    [[nodiscard]] std::vector<quantity> const& best_quantities() const noexcept
    {
        return best_quantities_;
    }
    void announce(std::string const& text) const { run_.announce(progress_event::notice, text); }

    /// Passes new outcomes of the board to the search.
    /// @return  true if there were any
    bool take_told(study_board const& board)
    {
        std::size_t const before = delivered_;
        while (delivered_ < board.outcomes().size())
            take(board.outcomes()[delivered_++], board);
        return delivered_ > before;
    }

    /// Returns a held proposal that no process evaluates; otherwise the next proposal, which
    /// another process may evaluate. Empty: the search has none now, see search().stopped().
    [[nodiscard]] std::optional<point> next(study_board const& board)
    {
        auto const free = free_held(board);
        if (free != held_.end()) return *free;
        std::vector<point> const asked = search_.ask(1);
        if (asked.empty()) return {};
        if (asked_.insert(asked.front()).second) held_.push_back(asked.front());
        return asked.front();
    }
    /// Returns true if the search holds a proposal that no process evaluates.
    [[nodiscard]] bool has_free(study_board const& board)
    {
        return free_held(board) != held_.end();
    }
    /// Notes that this process evaluates `at`.
    void begins(point const& at) { std::erase(held_, at); }

    /// Returns the work of all workers that ever joined, in their order.
    [[nodiscard]] std::vector<worker_use> uses(study_board const& board) const
    {
        std::vector<worker_use> out;
        for (std::size_t i = 0; i < board.workers().size(); ++i) {
            study_worker const& one = board.workers()[i];
            bool const is_at_work = std::ranges::any_of(
                board.open(), [&](open_claim const& claim) { return claim.worker == i; });
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
    void take(study_outcome const& one, study_board const& board)
    {
        std::optional<point> const at = texts_->point_at(one.values);
        evaluation seen = one.seen;
        auto* const why = std::get_if<failure>(&seen.result);
        std::string const text = text_of(search_.space().describe(), *at);
        study_worker const& by = board.workers()[one.worker];
        failures_.resize(board.workers().size());
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
        outcome const checked = within_bounds(bounds, bounded_numbers(bounds, seen), seen.result);
        run_.add(*at, checked, text);
        if (auto const* const failed = std::get_if<failure>(&checked))
            ++failures_[one.worker][static_cast<std::size_t>(failed->stage)];
        if (search_.best() && search_.best()->first == *at)
            best_quantities_ = std::move(seen.quantities);
        std::erase(held_, *at);
    }

    [[nodiscard]] std::vector<point>::iterator free_held(study_board const& board)
    {
        return std::ranges::find_if(held_, [&](point const& at) {
            return board.holder_of(texts_->values_at(at)) == nullptr;
        });
    }

    study_configurations const* texts_;
    study_options const* options_;
    optimizer_core search_;
    run_state run_;
    std::size_t delivered_ = 0;                     ///< outcomes that the search has taken
    std::unordered_set<point, point_hash> asked_{}; ///< proposals of this search
    std::vector<point> held_{};              ///< asked, without an outcome, and not evaluated here
    std::vector<failure_counts> failures_{}; ///< by worker
    std::unordered_set<std::size_t> told_faults_{}; ///< workers whose faults were announced
    std::vector<quantity> best_quantities_{};
};

} // namespace attune::inline ATTUNE_ABI::detail
