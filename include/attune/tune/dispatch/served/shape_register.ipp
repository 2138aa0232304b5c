// attune/tune/dispatch/served/shape_register.ipp - adds shapes, grows the table, and maps shapes to code.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/sort_stably.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/dispatch/served/shape_register.hpp>
#include <attune/tune/shape/shape_trust.hpp>

#include <algorithm>
#include <mutex>
#include <new>

namespace attune::inline ATTUNE_ABI::detail {

struct shape_table::owned {
    struct table : slots {
        explicit table(std::size_t capacity)
            : memory(std::make_unique<std::atomic<known_shape*>[]>(capacity))
        {
            mask = capacity - 1;
            at = memory.get();
        }
        void put(known_shape& shape) noexcept
        {
            std::size_t i = shape.hash & mask;
            while (at[i].load(std::memory_order_relaxed) != nullptr)
                i = (i + 1) & mask;
            at[i].store(&shape, std::memory_order_release);
        }
        std::unique_ptr<std::atomic<known_shape*>[]> memory;
    };

    table& grow(std::size_t capacity)
    {
        auto made = std::make_unique<table>(capacity);
        for (std::unique_ptr<known_shape> const& shape : shapes)
            made->put(*shape);
        return *tables.emplace_back(std::move(made));
    }

    std::vector<std::unique_ptr<known_shape>> shapes{};
    std::vector<std::unique_ptr<table>> tables{};
    std::vector<std::unique_ptr<shape_counters>> counters{};
};

ATTUNE_INLINE shape_table::shape_table()
    : owned_(std::make_unique<owned>())
    , current_(&owned_->grow(16))
{
}
ATTUNE_INLINE shape_table::~shape_table() = default;

ATTUNE_INLINE known_shape& shape_table::insert(std::uint64_t hash,
                                               std::span<std::int64_t const> key)
{
    owned::table* now = owned_->tables.back().get();
    if (2 * (owned_->shapes.size() + 1) > now->mask + 1) {
        now = &owned_->grow(2 * (now->mask + 1));
        current_.store(now, std::memory_order_release);
    }
    auto made = std::make_unique<known_shape>();
    made->hash = hash;
    made->key.assign(key.begin(), key.end());
    made->column = static_cast<std::uint32_t>(owned_->shapes.size() % shape_counters::columns);
    if (made->column == 0) owned_->counters.push_back(std::make_unique<shape_counters>());
    made->counters = owned_->counters.back().get();
    known_shape& out = *owned_->shapes.emplace_back(std::move(made));
    now->put(out);
    return out;
}

ATTUNE_INLINE std::span<std::unique_ptr<known_shape> const> shape_table::shapes() const noexcept
{
    return owned_->shapes;
}

/// Most shapes to keep: each call of another shape takes the slow path.
inline constexpr std::size_t most_known_shapes = 65'536;
/// Beyond this number the table keeps a shape only if it is met again: sizes that never repeat take
/// no room.
inline constexpr std::size_t kept_at_once = most_known_shapes / 2;
inline constexpr std::size_t remembered_hashes = 65'536;

ATTUNE_INLINE shape_register::met_shape shape_register::meet(std::span<std::int64_t const> key)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    std::uint64_t const hash = hash_of_shape(key);
    met_shape out{.shape = table_.find(hash, key)};
    if (out.shape == nullptr) {
        std::size_t const known = table_.shapes().size();
        if (known >= most_known_shapes) return out;
        if (known >= kept_at_once) {
            if (met_once_.empty()) met_once_.resize(remembered_hashes);
            std::uint64_t& last = met_once_[hash % remembered_hashes];
            if (std::exchange(last, hash) != hash) return out;
        }
        out.shape = &table_.insert(hash, key);
        out.shape->calls = known >= kept_at_once ? 1 : 0;
    }
    out.serves = out.shape->serves.load(std::memory_order_acquire);
    if (out.serves == nullptr) out.met = ++out.shape->calls;
    out.before = out.shape->before;
    return out;
}

ATTUNE_INLINE installed_variant const&
shape_register::serve(known_shape* shape, installed_variant const& by, bool is_verified)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    if (shape != nullptr && shape->tries.load(std::memory_order_relaxed) != nullptr) {
        shape->before = &by;
        shape->was_verified = is_verified;
    } else if (shape != nullptr) {
        shape->is_verified = is_verified;
        shape->before = nullptr;
        change(*shape, &by);
    }
    return by;
}

ATTUNE_INLINE installed_variant const& shape_register::serve_as_before(known_shape* shape,
                                                                       installed_variant const& by)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    if (shape == nullptr || shape->tries.load(std::memory_order_relaxed) != nullptr) return by;
    installed_variant const& serves = shape->before != nullptr ? *shape->before : by;
    shape->is_verified = shape->before != nullptr && shape->was_verified;
    change(*shape, &serves);
    return serves;
}

ATTUNE_INLINE void shape_register::forget(known_shape* shape, installed_variant const& by)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    if (shape != nullptr && shape->serves.load(std::memory_order_relaxed) == &by)
        change(*shape, nullptr);
}

ATTUNE_INLINE void shape_register::withdraw(installed_variant const& by)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    for (std::unique_ptr<known_shape> const& s : table_.shapes()) {
        if (s->serves.load(std::memory_order_relaxed) == &by && !s->is_verified)
            change(*s, nullptr);
        if (s->before == &by && !s->was_verified) s->before = nullptr;
    }
}

ATTUNE_INLINE void shape_register::look_again(installed_variant const& by)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    for (std::unique_ptr<known_shape> const& s : table_.shapes())
        if (s->serves.load(std::memory_order_relaxed) == &by) {
            s->before = &by;
            s->was_verified = s->is_verified;
            change(*s, nullptr);
        }
}

/// A loop over all shapes unlocks after so many, because calls may wait for the lock.
inline constexpr std::size_t shapes_at_once = 256;

ATTUNE_INLINE void shape_register::look_again(
    std::function<installed_variant const*(std::span<std::int64_t const>)> const& best)
{
    for (std::size_t first = 0;; first += shapes_at_once) {
        std::scoped_lock<fork_safe_mutex> const here(lock_);
        std::span<std::unique_ptr<known_shape> const> const all = table_.shapes();
        if (first >= all.size()) return;
        for (std::unique_ptr<known_shape> const& s :
             all.subspan(first, std::min(shapes_at_once, all.size() - first))) {
            installed_variant const* const now = s->serves.load(std::memory_order_relaxed);
            installed_variant const* const wanted = best(s->key);
            if (wanted != nullptr) s->best = wanted;
            if (now == nullptr || now == wanted) continue;
            s->before = now;
            s->was_verified = s->is_verified;
            change(*s, nullptr);
        }
    }
}

ATTUNE_INLINE void shape_register::begin_trials(known_shape& shape, online_slot& slot)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    if (auto const* const serves = shape.serves.load(std::memory_order_relaxed)) {
        shape.before = serves;
        shape.was_verified = shape.is_verified;
    }
    shape.tries.store(&slot, std::memory_order_release);
    change(shape, nullptr);
}

ATTUNE_INLINE void shape_register::end_trials(known_shape& shape)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    shape.is_verified = shape.was_verified;
    change(shape, std::exchange(shape.before, nullptr));
    shape.tries.store(nullptr, std::memory_order_release);
}

ATTUNE_INLINE void shape_register::rest(known_shape& shape)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    installed_variant const* const now = shape.serves.load(std::memory_order_relaxed);
    if (now == nullptr) return; // the slow path decides already
    shape.before = now;
    shape.was_verified = shape.is_verified;
    change(shape, nullptr);
}

ATTUNE_INLINE void known_shape::took(installed_variant const& by, double seconds) noexcept
{
    constexpr std::uint64_t most_between = 1'024;
    std::uint64_t const pause = timed_after.load(std::memory_order_relaxed);
    timed_at.store(counters->own(column) + pause, std::memory_order_relaxed);
    timed_after.store(std::min(2 * pause, most_between), std::memory_order_relaxed);
    bool const is_least = seconds < fastest_s.load(std::memory_order_relaxed);
    if (is_least && serves.load(std::memory_order_relaxed) == &by)
        fastest_s.store(seconds, std::memory_order_relaxed);
}

[[nodiscard]] inline calls_by_code& ran_by(known_shape& shape, installed_variant const* by)
{
    for (calls_by_code& one : shape.ran)
        if (one.by == by) return one;
    return shape.ran.emplace_back(calls_by_code{.by = by});
}

/// Moves the calls on the fast path to the code that ran them.  @pre  lock_ is held
ATTUNE_INLINE void shape_register::settle(known_shape& shape)
{
    std::uint64_t const all = shape.counters->sum(shape.column);
    std::uint64_t const before = std::exchange(shape.settled, all);
    if (all <= before) return; // none, or the sum became less
    try {
        calls_by_code& one = ran_by(shape, shape.serves.load(std::memory_order_relaxed));
        one.calls += all - before;
        one.fastest_s = std::min(one.fastest_s, shape.fastest_s.exchange(untimed));
        one.why = shape.why;
    } catch (std::bad_alloc const&) { // these calls are not counted
    }
}

/// Sets the code on the fast path, or null.  @pre  lock_ is held
ATTUNE_INLINE void shape_register::change(known_shape& shape, installed_variant const* serves)
{
    settle(shape);
    shape.timed_after.store(1, std::memory_order_relaxed);
    shape.timed_at.store(0, std::memory_order_relaxed);
    shape.serves.store(serves, std::memory_order_release);
}

ATTUNE_INLINE void shape_register::count(served_call const& of, installed_variant const& by,
                                         double seconds)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    if (of.shape != nullptr) {
        if (of.best != nullptr) of.shape->best = of.best;
        if (of.problem != 0) of.shape->problem = of.problem;
        calls_by_code& one = ran_by(*of.shape, &by);
        ++one.calls;
        one.fastest_s = std::min(one.fastest_s, seconds);
        one.why = of.shape->why;
        return;
    }
    double const known_s = seconds < untimed ? seconds : 0;
    ++unkept_.calls;
    unkept_.seconds += known_s;
    if (of.best != &by) return;
    ++unkept_.by_winner;
    unkept_.winner_s += known_s;
}

ATTUNE_INLINE void shape_register::set_best(known_shape* shape, installed_variant const& best,
                                            std::uint32_t problem)
{
    if (shape == nullptr) return;
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    shape->best = &best;
    if (problem != 0) shape->problem = problem;
}

ATTUNE_INLINE void shape_register::set_why(known_shape* shape, std::string why)
{
    if (shape == nullptr) return;
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    settle(*shape);
    shape->why = std::move(why);
}

ATTUNE_INLINE std::string shape_register::why(known_shape const* shape)
{
    if (shape == nullptr) return {};
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    return shape->why;
}

/// Sums the calls of a shape, without a list.
[[nodiscard]] inline call_coverage sums_of(known_shape const& shape)
{
    call_coverage out;
    double any_s = untimed; // estimate for code that was not timed
    for (calls_by_code const& one : shape.ran)
        any_s = std::min(any_s, one.fastest_s);
    if (any_s == untimed) any_s = 0;
    for (calls_by_code const& one : shape.ran) {
        double const s =
            static_cast<double>(one.calls) * (one.fastest_s < untimed ? one.fastest_s : any_s);
        out.calls += one.calls;
        out.seconds += s;
        if (one.by == nullptr || one.by != shape.best) continue;
        out.by_winner += one.calls;
        out.winner_s += s;
    }
    return out;
}

/// Returns why other code than the winner ran most of the other calls of a shape.
[[nodiscard]] inline std::string why_uncovered(known_shape const& shape)
{
    calls_by_code const* most = nullptr;
    for (calls_by_code const& one : shape.ran)
        if ((one.by == nullptr || one.by != shape.best) &&
            (most == nullptr || one.calls > most->calls))
            most = &one;
    installed_variant const* const now = shape.serves.load(std::memory_order_relaxed);
    std::string const since = now != nullptr && now == shape.best ? "earlier, " : "";
    // The winner changed after coverage() had summed the calls.
    if (most == nullptr) return "earlier, before the winner was known";
    if (most->by == nullptr) return since + "a tuning timed candidates in these calls";
    if (most->why.empty())
        return since +
               "other code served while a tuning, a check or a proof ran beside the program";
    return since + most->why;
}

/// The calls of a problem, and the shapes that other code than the winner ran. A null shape: all
/// shapes that the table does not keep.
struct shape_register::summed_calls {
    call_coverage all{};
    std::vector<std::pair<known_shape*, uncovered_calls>> rest{};
};

ATTUNE_INLINE std::vector<shape_register::summed_calls> shape_register::sums(bool by_problem)
{
    std::unique_lock<fork_safe_mutex> here(lock_);
    std::vector<summed_calls> out(1);
    out[0].all = unkept_;
    if (unkept_.calls > unkept_.by_winner)
        out[0].rest.push_back({nullptr,
                               {.shape = "there are more shapes than are kept",
                                .why = "such a call is verified only if it returns soon",
                                .calls = unkept_.calls - unkept_.by_winner,
                                .seconds = unkept_.seconds - unkept_.winner_s}});
    for (std::size_t i = 0; i < table_.shapes().size(); ++i) {
        if (i % shapes_at_once == shapes_at_once - 1) {
            here.unlock();
            here.lock();
        }
        known_shape* const shape = table_.shapes()[i].get();
        settle(*shape);
        call_coverage const of = sums_of(*shape);
        std::size_t const problem = by_problem ? shape->problem : 0;
        if (problem >= out.size()) out.resize(problem + 1);
        summed_calls& to = out[problem];
        to.all.calls += of.calls;
        to.all.by_winner += of.by_winner;
        to.all.seconds += of.seconds;
        to.all.winner_s += of.winner_s;
        if (of.calls > of.by_winner)
            to.rest.push_back(
                {shape, {.calls = of.calls - of.by_winner, .seconds = of.seconds - of.winner_s}});
    }
    return out;
}

ATTUNE_INLINE call_coverage shape_register::described(summed_calls of,
                                                      std::span<shape_word const> layout)
{
    call_coverage out = std::move(of.all);
    sort_stably(of.rest, [](auto const& a, auto const& b) {
        return a.second.seconds != b.second.seconds ? a.second.seconds > b.second.seconds
                                                    : a.second.calls > b.second.calls;
    });
    out.more_shapes = of.rest.size() - std::min(of.rest.size(), most_uncovered_shapes);
    of.rest.resize(std::min(of.rest.size(), most_uncovered_shapes));
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    for (auto& [shape, listed] : of.rest) {
        if (shape != nullptr) listed.shape = text_of_shape(layout, shape->key);
        if (shape != nullptr) listed.why = why_uncovered(*shape);
        out.rest.push_back(std::move(listed));
    }
    return out;
}

ATTUNE_INLINE call_coverage shape_register::coverage(std::span<shape_word const> layout)
{
    return described(std::move(sums(false)[0]), layout);
}

ATTUNE_INLINE std::vector<counted_problem>
shape_register::coverages(std::span<shape_word const> layout, std::size_t most)
{
    std::vector<std::pair<std::uint32_t, summed_calls>> all;
    std::vector<summed_calls> by_problem = sums(true);
    for (std::uint32_t i = 0; i < by_problem.size(); ++i)
        if (by_problem[i].all.calls > 0) all.emplace_back(i, std::move(by_problem[i]));
    sort_stably(all, [](auto const& a, auto const& b) {
        call_coverage const& left = a.second.all;
        call_coverage const& right = b.second.all;
        return left.seconds != right.seconds ? left.seconds > right.seconds
                                             : left.calls > right.calls;
    });
    std::vector<counted_problem> out;
    for (std::size_t i = 0; i < std::min(most, all.size()); ++i)
        out.push_back({all[i].first, described(std::move(all[i].second), layout)});
    return out;
}

ATTUNE_INLINE std::vector<shape_register::shape_time> shape_register::times()
{
    std::vector<shape_time> out;
    while (true) {
        std::scoped_lock<fork_safe_mutex> const here(lock_);
        std::span<std::unique_ptr<known_shape> const> const all = table_.shapes();
        if (out.size() >= all.size()) return out;
        std::size_t const end = std::min(all.size(), out.size() + shapes_at_once);
        for (std::size_t i = out.size(); i < end; ++i) {
            settle(*all[i]);
            call_coverage const sums = sums_of(*all[i]);
            out.push_back({all[i].get(), sums.calls, sums.seconds});
        }
    }
}

ATTUNE_INLINE void shape_register::count(known_shape& shape, call_count& by)
{
    shape.counter.store(&by, std::memory_order_release);
}

ATTUNE_INLINE void shape_register::stop_counting(call_count const& by)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    for (std::unique_ptr<known_shape> const& s : table_.shapes())
        if (s->counter.load(std::memory_order_relaxed) == &by)
            s->counter.store(nullptr, std::memory_order_relaxed);
}

ATTUNE_INLINE void shape_register::locked(std::function<void()> const& f)
{
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    f();
}

} // namespace attune::inline ATTUNE_ABI::detail
