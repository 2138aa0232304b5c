// attune/space/smt/smt_solver.ipp - workers take subspaces, and a watch thread interrupts them at the limit.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/files/write_smtlib.hpp>
#include <attune/space/smt/detail/subspaces.hpp>
#include <attune/space/smt/detail/z3_session.hpp>
#include <attune/space/smt/smt_solver.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// State that the workers of one call share.
class smt_run {
public:
    smt_run(description const& space, std::string const& script, std::uint32_t varied,
            smt_options const& options)
        : space_(space)
        , script_(script)
        , varied_(options.interval_filter ? varied : no_index)
        , options_(options)
        , queue_(space, varied, options.subspace_size, std::max(options.threads, 1U))
    {
    }

    /// Errors  attune::error: Z3 failed
    [[nodiscard]] smt_listing list()
    {
        std::thread watch;
        bool const is_limited = options_.seconds < 1e9;
        if (is_limited) watch = std::thread([this] { watch_limit(); });
        std::vector<std::thread> others;
        for (unsigned i = 1; i < options_.threads; ++i)
            others.emplace_back([this] { work(); });
        work();
        for (std::thread& t : others)
            t.join();
        {
            std::lock_guard const lock(mutex_);
            is_done_ = true;
        }
        changed_.notify_all();
        if (is_limited) watch.join();
        if (problem_) std::rethrow_exception(problem_);
        out_.is_complete = !stop_;
        std::sort(out_.points.begin(), out_.points.end(), [](point const& a, point const& b) {
            return std::lexicographical_compare(
                a.begin(), a.end(), b.begin(), b.end(),
                [](coordinate x, coordinate y) { return x.index < y.index; });
        });
        return std::move(out_);
    }

private:
    void watch_limit()
    {
        std::unique_lock lock(mutex_);
        if (changed_.wait_for(lock, std::chrono::duration<double>(options_.seconds),
                              [this] { return is_done_; }))
            return;
        if (out_.reason.empty())
            out_.reason = "the limit of " + text_of_value(options_.seconds) + " s was reached";
        stop_ = true;
        // Z3 may ignore an interrupt between two steps of a check.
        while (!changed_.wait_for(lock, std::chrono::milliseconds(5), [this] { return is_done_; }))
            for (z3_session* const s : sessions_)
                s->interrupt();
    }

    /// The work of one thread.
    void work()
    {
        std::optional<z3_session> session;
        try {
            std::optional<subspace> part = queue_.next();
            if (part && !stop_) {
                session.emplace(space_, script_);
                std::lock_guard const lock(mutex_);
                sessions_.push_back(&*session);
            }
            for (; part && !stop_; part = queue_.next())
                list_part(*session, *part);
        } catch (z3::exception const& e) {
            // An interrupted check may end by an exception.
            if (!stop_) fail(error("Z3 failed", e.msg(), "use attune::chain_of_trees instead"));
        } catch (error const& e) {
            fail(e);
        }
        std::lock_guard const lock(mutex_);
        if (session) std::erase(sessions_, &*session);
    }
    void fail(error const& e)
    {
        std::lock_guard const lock(mutex_);
        if (!problem_) problem_ = std::make_exception_ptr(e);
        stop_ = true;
    }

    void list_part(z3_session& session, subspace const& part)
    {
        session.enter(part);
        std::uint64_t checks = 0;
        while (!stop_) {
            ++checks;
            z3::check_result const result = session.check();
            if (result == z3::unsat) break;
            if (result == z3::unknown) {
                give_up(session.reason());
                break;
            }
            point const at = session.found();
            if (varied_ == no_index)
                add(at, {});
            else if (auto const line = line_of(session, part[varied_], at, checks))
                add(at, *line);
            else
                break;
            session.exclude(at, varied_);
        }
        std::lock_guard const lock(mutex_);
        out_.checks += checks;
        ++out_.subspaces;
    }

    /// The valid indices of `varied_` around that of `at`, inside `inside`; nothing if Z3 cannot
    /// decide.
    std::optional<values_range> line_of(z3_session& session, values_range const& inside,
                                        point const& at, std::uint64_t& checks)
    {
        bool is_known = true;
        auto const is_valid = [&](std::uint32_t index) {
            ++checks;
            z3::check_result const result = session.check_in_line(varied_, index);
            is_known = is_known && result != z3::unknown;
            return result == z3::sat;
        };
        auto const last_valid = [&](std::uint32_t valid, std::uint32_t end) {
            if (valid == end || is_valid(end)) return end;
            while (valid + 1 < end || end + 1 < valid) { // `end` is not valid
                std::uint32_t const middle = std::midpoint(valid, end);
                (is_valid(middle) ? valid : end) = middle;
            }
            return valid;
        };
        session.enter_line(at, varied_);
        std::uint32_t const begin = last_valid(at[varied_].index, inside.begin);
        std::uint32_t const last = last_valid(at[varied_].index, inside.end - 1);
        session.leave_line();
        if (is_known) return values_range{begin, last + 1};
        give_up(session.reason());
        return {};
    }

    void give_up(std::string const& reason)
    {
        std::lock_guard const lock(mutex_);
        if (out_.reason.empty()) out_.reason = reason;
        stop_ = true;
    }

    /// Keeps `at`, or its line, if the constraints that are functions hold.
    void add(point at, values_range const& line)
    {
        evaluator const read(space_);
        std::vector<point> made;
        std::uint32_t const begin = varied_ == no_index ? 0 : line.begin;
        std::uint32_t const end = varied_ == no_index ? 1 : line.end;
        for (std::uint32_t v = begin; v < end; ++v) {
            if (varied_ != no_index) at[varied_].index = v;
            bool const holds =
                std::all_of(space_.constraints.begin(), space_.constraints.end(),
                            [&](auto const& c) { return !c.test || read.holds(c, at); });
            if (holds) made.push_back(at);
        }
        std::lock_guard const lock(mutex_);
        for (point& p : made)
            if (out_.points.size() < options_.most) out_.points.push_back(std::move(p));
        if (out_.points.size() < options_.most) return;
        if (out_.reason.empty()) out_.reason = "the limit of configurations was reached";
        stop_ = true;
    }

    description const& space_;
    std::string const& script_;
    std::uint32_t varied_;
    smt_options const& options_;
    subspace_queue queue_;
    std::atomic<bool> stop_ = false;
    std::mutex mutex_; // of all below
    std::condition_variable changed_;
    bool is_done_ = false;
    std::vector<z3_session*> sessions_;
    std::exception_ptr problem_;
    smt_listing out_;
};

/// `bound` with the constraints of its conditional parameters.
[[nodiscard]] inline description settled_space(description bound)
{
    require_bound(bound);
    if (has_conditions(bound)) settle_conditions(bound);
    return bound;
}

[[nodiscard]] inline bool reads_real(description const& space, constraint_description const& c)
{
    return std::any_of(c.scope.begin(), c.scope.end(),
                       [&](std::uint32_t p) { return space.parameters[p].traits().is_interval; });
}

} // namespace detail

ATTUNE_INLINE smt_solver::smt_solver(description bound)
    : space_(detail::settled_space(std::move(bound)))
{
    description written = space_;
    for (constraint_description const& c : written.constraints)
        if (c.test && detail::reads_real(written, c))
            throw error("a function reads a real parameter, whose values cannot be listed", c.text,
                        "declare it as an expression");
    std::erase_if(written.constraints, [](auto const& c) { return bool(c.test); });
    script_ = write_smtlib(written);
    filter_ = detail::filter_parameter(space_);
}

ATTUNE_INLINE std::optional<bool> smt_solver::is_empty(double seconds) const
{
    smt_witness const found = witness(seconds);
    if (found.verdict == smt_verdict::unknown && found.at.empty()) return {};
    return found.verdict == smt_verdict::none;
}

ATTUNE_INLINE smt_witness smt_solver::witness(double seconds) const
{
    smt_options one;
    one.most = 1;
    one.seconds = seconds;
    smt_listing found = detail::smt_run(space_, script_, filter_, one).list();
    if (found.is_complete) return {smt_verdict::none, {}, {}};
    if (found.points.empty()) return {smt_verdict::unknown, {}, std::move(found.reason)};
    smt_witness out{smt_verdict::exist, std::move(found.points.front()), {}};
    detail::evaluator const read(space_);
    for (constraint_description const& c : space_.constraints)
        if (!read.holds(c, out.at)) {
            out.verdict = smt_verdict::unknown;
            out.reason = "rounded to doubles, the configuration breaks " + c.text;
        }
    return out;
}

ATTUNE_INLINE smt_listing smt_solver::enumerate(smt_options const& options) const
{
    for (parameter_description const& p : space_.parameters)
        if (p.traits().is_interval)
            throw error("the values of a real parameter cannot be listed", p.name,
                        "call witness() instead");
    return detail::smt_run(space_, script_, filter_, options).list();
}

} // namespace attune::inline ATTUNE_ABI
