// attune/tune/dispatch/apart_tuning.ipp - the jobs of background tuning and verification.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/program_end.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/timing_turns.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/tune/dispatch/apart_tuning.hpp>
#include <attune/tune/loop/make_bench.hpp>
#include <attune/tune/loop/online_bench.hpp>
#include <attune/tune/loop/session.hpp>
#include <attune/tune/report.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <unistd.h>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// Inputs whose tuning is not over.
struct apart_tuning::open_tuning {
    std::shared_ptr<served_inputs> of;
    known_shape* shape; ///< the shape of the call
    std::vector<std::int64_t> key;
    std::shared_ptr<owned_call const> call;
    installed_variant const* serving = nullptr; ///< serves through the slot
    online_slot* slot = nullptr;                ///< null: the session times candidates on the copy
    int rests = 0;                              ///< number of waits that no call ended
    sliced_tuning so_far{};                     ///< without `calls`: turns() sets them
    std::vector<known_outcome> outcomes{};
    std::optional<lesson_list> lessons{}; ///< see tuning_slice; used by the background thread
};

/// While it exists, calls of the shape go through the slot.
class apart_tuning::trial_period {
public:
    trial_period(dispatch_parts& parts, open_tuning& one)
        : shapes_(parts.shapes)
        , shape_(*one.shape)
    {
        installed_variant const* const now = shape_.serves.load(std::memory_order_acquire);
        one.serving =
            now != nullptr
                ? now
                : &shapes_.serve_as_before(one.shape, parts.defaults.code_of(one.of->problem));
        one.slot->serve(one.serving->code.address);
        shapes_.begin_trials(shape_, *one.slot);
    }
    ~trial_period() { shapes_.end_trials(shape_); }
    trial_period(trial_period const&) = delete;
    trial_period& operator=(trial_period const&) = delete;

private:
    shape_register& shapes_;
    known_shape& shape_;
};

ATTUNE_INLINE search_limits apart_tuning::limits_of(open_tuning const& one) const
{
    search_limits out = parts_.subject.options.limits;
    if (one.slot != nullptr) out.seconds = search_limits::any_time; // waiting costs nothing
    return out;
}

ATTUNE_INLINE apart_tuning::apart_tuning(dispatch_parts& parts)
    : parts_(parts)
    , copies_(parts.subject.options.limits.copied_bytes)
    , process_(::getpid())
{
}
ATTUNE_INLINE apart_tuning::~apart_tuning() = default;

ATTUNE_INLINE bool apart_tuning::is_wanted() const
{
    miss_policy const policy = parts_.subject.options.on_miss;
    return policy == miss_policy::tune_in_background || policy == miss_policy::online;
}

/// Returns true if candidates are timed in calls of this shape.
ATTUNE_INLINE bool apart_tuning::is_online(known_shape const* shape) const
{
    // Sizes that never repeat give no calls in which a candidate could be timed.
    // A launch returns before its kernel ends, so calls on a device give no times.
    return parts_.subject.options.on_miss == miss_policy::online && shape != nullptr &&
           !parts_.subject.find_device && parts_.subject.kernel.buckets.empty() &&
           parts_.subject.options.limits.lost_share > 0 && !parts_.subject.kernel.baseline &&
           !parts_.subject.kernel.objective && parts_.subject.kernel.most_joules <= 0;
}

/// Drops the state of the parent process: a fork copies no thread that could finish its jobs.
ATTUNE_INLINE void apart_tuning::forget_parent()
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    int const me = ::getpid();
    if (std::exchange(process_, me) == me) return;
    parts_.waiting = waiting_ = due_ = 0;
    parts_.is_lent = false;
    open_.clear();
    is_queued_ = false;
}

ATTUNE_INLINE void apart_tuning::wait()
{
    forget_parent();
    ++waiting_;
    worker_.wait();
    --waiting_;
}

/// @return  why the job will not run; empty: it will run
ATTUNE_INLINE std::string apart_tuning::add(std::function<void()> job)
{
    try {
        worker_.add(std::move(job));
        return {};
    } catch (std::exception const& e) {
        return std::string("nothing is tuned or verified in the background: ") + e.what();
    }
}

/// Adds a job for which a running proof must end.  @return  as add()
ATTUNE_INLINE std::string apart_tuning::add_due(std::function<void()> job)
{
    ++due_;
    std::string refusal = add([this, work = std::move(job)] {
        --due_;
        work();
    });
    if (!refusal.empty()) --due_;
    return refusal;
}

/// @pre  lock_ is held
ATTUNE_INLINE std::vector<sliced_tuning> apart_tuning::turns() const
{
    std::vector<sliced_tuning> out;
    for (std::shared_ptr<open_tuning> const& one : open_) {
        out.push_back(one->so_far);
        call_count const* const made = one->of->calls;
        out.back().calls = made != nullptr ? made->calls.load(std::memory_order_relaxed) : 0;
    }
    return out;
}

/// Counts calls of the shape for these inputs.  @pre  lock_ is held
ATTUNE_INLINE void apart_tuning::count(known_shape* shape, served_inputs& of)
{
    if (shape == nullptr) return;
    if (of.calls == nullptr && free_counts_.empty())
        free_counts_.push_back(counts_.emplace_back(std::make_unique<call_count>()).get());
    if (of.calls == nullptr) {
        of.calls = free_counts_.back();
        free_counts_.pop_back();
        of.calls->calls.store(0, std::memory_order_relaxed);
    }
    shape_register::count(*shape, *of.calls);
}

/// @pre  lock_ is held
ATTUNE_INLINE void apart_tuning::stop_counting(served_inputs& of)
{
    if (of.calls == nullptr) return;
    parts_.shapes.stop_counting(*of.calls);
    free_counts_.push_back(std::exchange(of.calls, nullptr));
}

/// Ends the slices of a tuning.  @pre  lock_ is held
ATTUNE_INLINE void apart_tuning::close(open_tuning const& one)
{
    one.of->is_partly_tuned = one.of->is_resting = false;
    stop_counting(*one.of);
    std::erase_if(open_, [&](auto const& open) { return open.get() == &one; });
}

/// Copies a call. While a copy has no room, ends tunings that have had their first slice, the one
/// with the least gain first. If none is left, ends the proofs, so that a later call finds room.
ATTUNE_INLINE call_copy apart_tuning::copy_of(call_frame const& frame)
{
    std::shared_ptr<device_target const> const device = parts_.subject.target();
    while (true) {
        call_copy out = copies_.make(frame, device.get());
        if (out.call != nullptr || !out.refusal.empty()) return out;
        std::scoped_lock<fork_safe_mutex> const here(lock_);
        std::vector<sliced_tuning> may_end;
        std::vector<std::shared_ptr<open_tuning>> of;
        std::vector<sliced_tuning> const all = turns();
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i].evaluations > 0 && open_[i].use_count() == 1) {
                may_end.push_back(all[i]);
                of.push_back(open_[i]);
            }
        if (of.empty()) {
            is_room_wanted_ = true;
            return out;
        }
        close(*of[last_in_turn(may_end)]);
    }
}

ATTUNE_INLINE installed_variant const&
apart_tuning::tune(std::shared_ptr<served_inputs> const& held, known_shape* shape,
                   std::span<std::int64_t const> key, call_frame const& frame,
                   installed_variant const& until_then)
{
    served_inputs& of = *held;
    int const me = ::getpid();
    forget_parent();
    std::unique_lock<fork_safe_mutex> here(lock_);
    if (!of.is_settled) count(shape, of);
    if (of.tuned_apart_in != me && !of.is_settled) {
        of.tuned_apart_in = me; // so that other calls make no copy
        here.unlock();
        call_copy copy = copy_of(frame);
        here.lock();
        std::string refusal = std::move(copy.refusal);
        bool is_on = copy.call != nullptr;
        if (is_on) {
            if (!of.is_further_size)
                parts_.report.set(untuned_report(parts_.subject.kernel.name,
                                                 decision::served_default,
                                                 "a tuning runs in the background"));
            open_.push_back(std::make_shared<open_tuning>(
                open_tuning{held, shape, {key.begin(), key.end()}, std::move(copy.call)}));
            if (is_online(shape)) {
                if (slots_.empty()) called_before_s_ = called_s(nullptr);
                open_.back()->slot =
                    slots_
                        .emplace_back(std::make_unique<online_slot>(
                            until_then.code.address, parts_.subject.options.limits.lost_share,
                            steady_seconds))
                        .get();
                say_waiting(*open_.back(), "candidates are timed in calls where ");
            }
            if (!std::exchange(is_queued_, true)) refusal = add_due([this] { go_on(); });
            if (!refusal.empty()) {
                is_queued_ = is_on = false;
                close(*open_.back());
            }
        }
        if (!is_on) {
            of.tuned_apart_in = 0;
            stop_counting(of);
            parts_.look_again(of);
            here.unlock();
            if (!refusal.empty()) parts_.report.note(refusal);
            return until_then;
        }
    }
    if (of.is_resting) resume(of); // a call with these inputs has come
    parts_.shapes.set_why(shape, "the former code serves while a tuning runs in the background");
    // Calls of this shape take the fast path during the tuning.
    return of.tuned_apart_in == me ? parts_.shapes.serve(shape, until_then) : until_then;
}

ATTUNE_INLINE installed_variant const&
apart_tuning::verify(std::shared_ptr<served_inputs> const& held, known_shape* shape,
                     std::span<std::int64_t const> key, call_frame const& frame,
                     installed_variant const* until_then)
{
    forget_parent();
    served_inputs& of = *held;
    // Set the serving code before the job begins: the verdict of the job must replace it.
    installed_variant const& by =
        until_then != nullptr
            ? parts_.shapes.serve(shape, *until_then)
            : parts_.shapes.serve_as_before(shape, parts_.defaults.code_of(of.problem));
    call_copy copy = copy_of(frame);
    std::string refusal = std::move(copy.refusal);
    if (copy.call != nullptr) {
        std::scoped_lock<fork_safe_mutex> const here(lock_);
        if (of.is_partly_tuned) count(shape, of);
        refusal = add_due([this, held, shape, words = std::vector(key.begin(), key.end()),
                           call = std::move(copy.call)] {
            served_inputs& mine = *held;
            working const now(parts_, true);
            if (!now.is_on() || mine.winner == nullptr) return;
            try {
                work_in_progress const at_work;
                if (mine.winner_is_default)
                    static_cast<void>(parts_.shapes.serve(shape, *mine.winner));
                else
                    static_cast<void>(mine.verifier->serve(shape, words, call->frame(), often_met,
                                                           checks_run::beside_program));
                parts_.drop_refused(mine); // the next call looks for another winner
            } catch (std::exception const& e) {
                static_cast<void>(parts_.degrade(mine, shape, e.what()));
            }
        });
        if (refusal.empty()) return by;
    }
    if (until_then == nullptr) parts_.shapes.forget(shape, by); // the next call verifies again
    if (!refusal.empty()) parts_.report.note(refusal);
    return by;
}

/// Waits until no other thread waits for the turn.
ATTUNE_INLINE void apart_tuning::let_others_begin() const
{
    while (parts_.waiting > 0 && !stop_is_requested() && !program_is_ending())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

ATTUNE_INLINE void apart_tuning::prove(std::shared_ptr<served_inputs> const& held,
                                       std::span<std::int64_t const> key, call_frame const& frame)
{
    if (held->outcome.how != decision::tuned || !held->verifier || held->winner_is_default ||
        !held->verifier->wants_proof(key, frame) || processors_of_this_thread().size() == 1)
        return;
    forget_parent();
    if (call_copy copy = copies_.make(frame); copy.call != nullptr) {
        is_room_wanted_ = false;
        held->verifier->begin_kind(key);
        static_cast<void>(add([this, held, words = std::vector(key.begin(), key.end()),
                               call = std::move(copy.call)] { prove_now(held, words, call, 0); }));
    }
}

ATTUNE_INLINE void apart_tuning::prove_kind(std::shared_ptr<served_inputs> const& held,
                                            std::span<std::int64_t const> key,
                                            call_frame const& frame)
{
    constexpr double longest_s = 2; // one second to wait, one to prove
    if (!held->verifier->is_new_kind(key, frame) || processors_of_this_thread().size() == 1) return;
    forget_parent();
    call_copy copy = copies_.make(frame);
    if (copy.call == nullptr) return; // other copies are in use: a later call begins
    is_room_wanted_ = false;
    held->verifier->begin_kind(key);
    std::string const refusal =
        add_due([this, held, words = std::vector(key.begin(), key.end()),
                 call = std::move(copy.call)] { prove_now(held, words, call, longest_s); });
    if (!refusal.empty()) held->verifier->forget_kind(key);
}

/// Runs a part of a proof on the background thread, and queues the rest. Waits while another thread
/// waits for the turn, or while a session runs in this process. Returns early if other jobs are
/// due.
/// @param kind_s  seconds for which a thread in wait() lets this proof wait and run
ATTUNE_INLINE void apart_tuning::prove_now(std::shared_ptr<served_inputs> const& held,
                                           std::vector<std::int64_t> const& key,
                                           std::shared_ptr<owned_call const> const& call,
                                           double kind_s)
{
    double const begun_s = steady_seconds();
    auto const kind_left_s = [&] { return kind_s - (steady_seconds() - begun_s); };
    auto const is_in_the_way = [this] {
        return parts_.waiting > 0 || session_at_work::count() > 0;
    };
    auto const has_to_leave = [&] {
        return (waiting_ > 0 && kind_left_s() <= 0) || due_ > 0 || is_room_wanted_;
    };
    while (is_in_the_way() && !has_to_leave() && !stop_is_requested() && !program_is_ending())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (is_room_wanted_) { // a later call starts this proof again
        working const now(parts_, true);
        if (now.is_on() && held->verifier) held->verifier->forget_kind(key);
        return;
    }
    bool is_partial = has_to_leave();
    if (!is_partial) {
        working const now(parts_, true);
        if (!now.is_on() || !held->verifier || held->winner_is_default ||
            !held->verifier->wants_proof(key, call->frame()))
            return;
        parts_.is_lent = true;
        try {
            work_in_progress const at_work;
            bool const has_ended = held->verifier->prove_beside(
                key, call->frame(), [&] { return is_in_the_way() || has_to_leave(); },
                kind_left_s() > 0 ? kind_left_s() : HUGE_VAL);
            if (has_ended) kind_s = 0;
            is_partial = true;
        } catch (...) { // no memory, or no default: nothing more is proven
        }
    }
    parts_.is_lent = false; // after unlock: until then other threads must see that it is lent
    double const left_s = std::max(kind_left_s(), 0.0);
    if (is_partial && (waiting_ == 0 || left_s > 0))
        static_cast<void>(
            add([this, held, key, call, left_s] { prove_now(held, key, call, left_s); }));
}

/// Runs one slice of one tuning on the background thread, after threads that wait for the turn.
/// Queues the next slice behind other jobs, such as verifications.
ATTUNE_INLINE void apart_tuning::go_on()
{
    let_others_begin();
    working const now(parts_, true);
    std::unique_lock<fork_safe_mutex> here(lock_);
    is_queued_ = false;
    for (std::shared_ptr<open_tuning> const& one : std::vector(open_))
        if (one->so_far.evaluations > 0 && !one->of->is_partly_tuned)
            close(*one); // tuned.tune(arguments...) completed this tuning
    std::vector<sliced_tuning> all;
    std::vector<std::size_t> place; // index of each element of `all` in open_
    std::vector<sliced_tuning> const every = turns();
    for (std::size_t i = 0; i < every.size(); ++i)
        if (!open_[i]->of->is_resting) {
            all.push_back(every[i]);
            place.push_back(i);
        }
    if (all.empty() || !now.is_on()) return;
    std::shared_ptr<open_tuning> const one = open_[place[next_in_turn(all)]];
    auto const waiting = std::count_if(all.begin(), all.end(),
                                       [](sliced_tuning const& of) { return of.evaluations == 0; });
    search_limits left = parts_.choice.total_left();
    if (one->so_far.evaluations > 0 && !wants_tuning(left)) { // all others have had a slice too
        while (!open_.empty())
            close(*open_.back());
        return;
    }
    bool const is_online = one->slot != nullptr; // mostly waits for calls, which costs nothing
    auto const left_for_sizes = [&] {
        search_limits out = parts_.sizes.left();
        if (is_online) out.seconds = search_limits::any_time;
        return out;
    };
    if (one->of->is_further_size) left = within(left, left_for_sizes());
    tuning_slice slice =
        next_slice(one->so_far, limits_of(*one), left, static_cast<std::size_t>(waiting));
    if (one->of->is_further_size && left.evaluations < search_limits::any_number)
        slice.evaluations = std::min(slice.evaluations, one->so_far.evaluations + left.evaluations);
    slice.seconds = std::min(slice.seconds, left.seconds);
    slice.known = one->outcomes;
    slice.lessons = &one->lessons;
    if (one->slot != nullptr) slice.make_bench = online_bench_for(*one);
    here.unlock();
    bool is_over = true;
    double const begun_s = steady_seconds();
    std::size_t const before = one->outcomes.size();
    try {
        is_over = is_over_after(*one, slice);
    } catch (...) { // the program's sink threw; no caller can catch it
    }
    if (one->of->is_further_size) {
        parts_.sizes.spend(one->outcomes.size() - std::min(before, one->outcomes.size()),
                           is_online ? 0 : steady_seconds() - begun_s);
        is_over = is_over || !wants_tuning(left_for_sizes());
        if (is_over && one->of->winner == nullptr) { // the code of before serves again
            parts_.sizes.drop(*one->of);
            if (one->shape != nullptr) parts_.shapes.rest(*one->shape);
        }
    }
    here.lock();
    // After the first slice a better variant may serve.
    if (one->of->tuned_apart_in != 0 && !one->of->is_resting) {
        one->of->tuned_apart_in = 0;
        parts_.look_again(*one->of);
    }
    if (is_over) close(*one);
    bool const is_more = std::any_of(open_.begin(), open_.end(),
                                     [](auto const& other) { return !other->of->is_resting; });
    if (is_more && !is_queued_) is_queued_ = add_due([this] { go_on(); }).empty();
}

/// Returns the seconds that a session waits for a call: twice as many after each wait in vain.
ATTUNE_INLINE double apart_tuning::patience_s(open_tuning const& one) const
{
    constexpr double least_s = 0.1; // while another thread waits for this session
    if (waiting_ > 0 || parts_.waiting > 0) return least_s;
    return static_cast<double>(1 << one.rests);
}

/// Returns the seconds of all calls of the program.  @param but  a shape that does not count
ATTUNE_INLINE double apart_tuning::called_s(known_shape const* but)
{
    double out = 0;
    for (shape_register::shape_time const& one : parts_.shapes.times())
        if (one.shape != but) out += one.seconds;
    return out;
}

/// Gives the slot the seconds of all other calls of the kernel, because the allowed loss is a share
/// of the kernel's whole time. One size of many then waits no longer than a single size.
ATTUNE_INLINE void apart_tuning::set_others(open_tuning const& one)
{
    constexpr double between_s = 0.005;
    constexpr double most_share = 0.01; // of this thread's time
    double const begun_s = steady_seconds();
    if (begun_s < next_look_s_) return;
    double lost_s = 0;
    {
        std::scoped_lock<fork_safe_mutex> const here(lock_);
        for (std::unique_ptr<online_slot> const& other : slots_)
            if (other.get() != one.slot) lost_s += other->lost_s();
    }
    one.slot->set_others(std::max(0.0, called_s(one.shape) - called_before_s_), lost_s);
    double const now_s = steady_seconds();
    next_look_s_ = now_s + std::max(between_s, (now_s - begun_s) / most_share);
}

/// Sets the reason in the report of a tuning that has no winner yet.
ATTUNE_INLINE void apart_tuning::say_waiting(open_tuning const& one, char const* what)
{
    if (one.of->winner.load() != nullptr || one.of->is_further_size) return;
    parts_.report.set(untuned_report(parts_.subject.kernel.name, decision::served_default,
                                     "a tuning runs in the background: " + std::string(what) +
                                         text_of_shape(parts_.subject.layout, one.key)));
}

/// Makes the tuning wait for the next call. After three waits in vain the calls of the shape are
/// too rare: the session then times candidates on the copy, so that the tuning ends.
ATTUNE_INLINE void apart_tuning::rest(open_tuning& one)
{
    constexpr int most_rests = 3;
    bool const is_rare = ++one.rests >= most_rests;
    say_waiting(one, is_rare ? "candidates are timed on a copy of a call where "
                             : "it waits for calls where ");
    if (is_rare)
        parts_.report.note("calls where " + text_of_shape(parts_.subject.layout, one.key) +
                           " are rare: the rest of their tuning is timed on a copy");
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    if (is_rare) {
        one.slot = nullptr;
    } else {
        one.of->is_resting = true;
        if (one.of->is_further_size) some_size_rests_ = true;
        parts_.shapes.rest(*one.shape);
    }
}

ATTUNE_INLINE bench_factory apart_tuning::online_bench_for(open_tuning& one)
{
    return [this, &one](tuning_problem const& problem, tuning_options const& options) {
        tuning_options on_copy = options;
        on_copy.measuring.make_bench = parts_.subject.options.measuring.make_bench;
        return std::unique_ptr<bench>(std::make_unique<online_bench>(
            make_bench(problem, on_copy), *one.slot, one.serving->code, options.measuring.precision,
            [this, &one] {
                set_others(one);
                return patience_s(one);
            }));
    };
}

ATTUNE_INLINE void apart_tuning::wake_now(served_inputs& of, known_shape const* shape)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    if (process_ != ::getpid()) return;
    bool is_left = false;
    for (std::shared_ptr<open_tuning> const& one : open_) {
        if (!one->of->is_resting) continue;
        if (one->of.get() == &of || (one->of->is_further_size && one->shape == shape))
            resume(*one->of);
        else
            is_left = is_left || one->of->is_further_size;
    }
    some_size_rests_ = is_left;
}

/// @pre  lock_ is held
ATTUNE_INLINE void apart_tuning::resume(served_inputs& of)
{
    of.is_resting = false;
    if (!is_queued_) is_queued_ = add_due([this] { go_on(); }).empty();
}

/// @return  true if the tuning needs no other slice.  @pre  this thread holds the turn
ATTUNE_INLINE bool apart_tuning::is_over_after(open_tuning& one, tuning_slice const& slice)
{
    served_inputs& of = *one.of;
    bool const is_first = one.so_far.evaluations == 0;
    if ((is_first && of.winner != nullptr) || of.is_given_up) return true;
    double const begun_s = steady_seconds();
    try {
        work_in_progress const at_work;
        if (is_first) parts_.find_near(of);
        if (of.near) // the stand-in serves during the tuning
            static_cast<void>(of.near->verifier.serve(one.shape, one.key, one.call->frame(),
                                                      often_met, checks_run::beside_program));
        std::optional<trial_period> trials;
        if (one.slot != nullptr) trials.emplace(parts_, one);
        dispatch_parts::found_winner found =
            parts_.find_winner(of, one.key, one.call->frame(), when_unknown::tune, &slice);
        trials.reset();
        of.is_settled = true;
        if (of.winner == nullptr) { // too short, or nothing to spend
            of.is_given_up = true;
            return true;
        }
        if (found.is_for_this_shape) {
            of.add_tuned_shape(one.key);
            if (of.is_further_size && is_first) parts_.prove_winner(of, one.key, one.call->frame());
            // With buckets, the call decides if the winner may serve its own inputs.
            if (parts_.subject.kernel.buckets.empty()) {
                parts_.shapes.set_best(one.shape, *of.winner, of.problem_number);
                parts_.shapes.set_why(one.shape, {});
                parts_.shapes.serve(one.shape, *of.winner, true);
            }
        }
        std::scoped_lock<fork_safe_mutex> const here(lock_);
        one.so_far.evaluations = std::max<std::uint64_t>(slice.evaluations, found.outcomes.size());
        one.so_far.spent_s += steady_seconds() - begun_s;
        one.so_far.best = best_after(found.outcomes);
        one.outcomes = std::move(found.outcomes);
        bool const is_over = found.is_over || has_all(one.so_far, limits_of(one));
        of.is_partly_tuned = !is_over;
        return is_over;
    } catch (calls_ended const&) {
        rest(one);
        return false;
    } catch (std::exception const& e) {
        if (!is_first || of.is_further_size) return true; // the code of before serves
        of.is_given_up = of.is_settled = true;            // before degrade(), whose sink may throw
        static_cast<void>(parts_.degrade(of, one.shape, e.what()));
        return true;
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
