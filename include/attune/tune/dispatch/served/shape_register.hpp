// attune/tune/dispatch/served/shape_register.hpp - maps shapes to their code: written with a lock, read without.
// SPDX-License-Identifier: MIT
// Bench    bench/tune/dispatch.cpp
#pragma once

#include <attune/core/own_float_environment.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/shape/call_counters.hpp>
#include <attune/core/shape/call_shape.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/call_coverage.hpp>
#include <attune/tune/dispatch/dispatched_kernel.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

class online_slot;

/// An approximate number of calls: if two threads count at once, one count may be lost. Uses no
/// locked instruction, and a separate cache line.
struct alignas(64) call_count {
    std::atomic<std::uint64_t> calls{0};

    void add() noexcept
    {
        calls.store(calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
};

/// The counters of 16 shapes.
using shape_counters = call_counters<16>;

/// Seconds of calls that were not timed.
inline constexpr double untimed = std::numeric_limits<double>::infinity();

/// The calls of a shape that one code ran.
struct calls_by_code {
    installed_variant const* by = nullptr; ///< null: candidates and the code that they may replace
    std::uint64_t calls = 0;
    double fastest_s = untimed;
    std::string why{}; ///< the sentence on what serves, at the latest of these calls
};

/// A shape. `key` never changes; other threads may change the atomic members.
struct alignas(64) known_shape {
    /// Counts a call that does not take the slow path.
    /// @return  true: the caller must give the seconds of this call to took()
    [[nodiscard]] bool count() noexcept
    {
        return counters->add(column) >= timed_at.load(std::memory_order_relaxed);
    }
    /// Takes the seconds of a timed call. Doubles the calls to the next timed one, up to 1,024.
    void took(installed_variant const& by, double seconds) noexcept;

    // A call on the fast path reads these, up to the address of the key: one cache line.
    std::uint64_t hash = 0;
    std::atomic<installed_variant const*> serves{nullptr}; ///< null: the slow path decides
    std::atomic<call_count*> counter{nullptr};             ///< null: calls are not counted
    shape_counters* counters = nullptr;                    ///< has its calls on the fast path
    std::atomic<std::uint64_t> timed_at{0}; ///< a thread that has counted so many calls times one
    std::uint32_t column = 0;               ///< column of this shape in `counters`
    std::uint32_t calls = 0;                ///< number of calls on the slow path
    std::vector<std::int64_t> key{};
    std::atomic<online_slot*> tries{nullptr};  ///< calls go through this slot; may be null
    std::atomic<std::uint64_t> timed_after{1}; ///< calls from one timed call to the next
    std::atomic<double> fastest_s{untimed};    ///< of the timed calls that `serves` ran
    // Under the lock of the register:
    std::uint64_t settled = 0; ///< calls on the fast path that are in `ran`
    std::vector<calls_by_code> ran{};
    installed_variant const* best = nullptr;   ///< the best known for its inputs; null: none
    std::string why{};                         ///< the latest sentence on what serves it
    bool is_verified = false;                  ///< `serves` was verified on this shape
    installed_variant const* before = nullptr; ///< code that serves it until the verdict
    bool was_verified = false;                 ///< `before` was verified on this shape
    std::uint32_t problem = 0;                 ///< see kept_calls; 0: unknown
};

/// A call that took the slow path.
struct served_call {
    known_shape* shape = nullptr; ///< null: the shape is not kept
    /// The code of the best known configuration for its inputs; null: the shape's latest.
    installed_variant const* best = nullptr;
    std::uint32_t problem = 0; ///< of its inputs, see kept_calls; 0: the shape's latest
};

/// The calls of a problem.
struct counted_problem {
    std::uint32_t problem = 0; ///< see kept_calls; 0: unknown
    call_coverage coverage{};
};

/// Gives the seconds of its lifetime to `done`.
template <class F>
class timed_call {
public:
    explicit timed_call(F done) noexcept
        : done_(std::move(done))
        , begun_s_(now_s())
    {
    }
    ~timed_call()
    {
        own_float_environment const numbers; // the host may have traps on
        done_(steady_seconds() - begun_s_);
    }
    timed_call(timed_call const&) = delete;
    timed_call& operator=(timed_call const&) = delete;

private:
    [[nodiscard]] static double now_s() noexcept
    {
        own_float_environment const numbers;
        return steady_seconds();
    }

    F done_;
    double begun_s_;
};

/// A hash table with open addressing. Any number of threads may read, one at a time may insert.
/// Replaced tables and all shapes are kept until destruction.
class shape_table {
public:
    shape_table();
    ~shape_table();
    shape_table(shape_table const&) = delete;
    shape_table& operator=(shape_table const&) = delete;

    /// Returns null for an unknown shape.
    /// Cost     a hash, a comparison; no lock
    template <class Key>
    [[nodiscard]] known_shape* find(Key const& key) const noexcept
    {
        return find(hash_of_shape(key), key);
    }
    template <class Key>
    [[nodiscard]] known_shape* find(std::uint64_t hash, Key const& key) const noexcept
    {
        slots const& now = *current_.load(std::memory_order_acquire);
        for (std::size_t i = hash & now.mask;; i = (i + 1) & now.mask) {
            known_shape* const met = now.at[i].load(std::memory_order_acquire);
            if (met == nullptr) return nullptr;
            if (met->hash == hash && is_same(*met, key)) return met;
        }
    }

    /// @pre  the shape is not in the table, and no other thread inserts
    known_shape& insert(std::uint64_t hash, std::span<std::int64_t const> key);

    [[nodiscard]] std::span<std::unique_ptr<known_shape> const> shapes() const noexcept;

private:
    /// The table that readers see; `owned` has the memory.
    struct slots {
        std::size_t mask = 0; ///< number of slots, minus 1
        std::atomic<known_shape*>* at = nullptr;
    };
    struct owned;

    template <class Key>
    [[nodiscard]] static bool is_same(known_shape const& met, Key const& key) noexcept
    {
        std::int64_t const* const left = met.key.data();
        std::int64_t difference = 0;
        for (std::size_t i = 0; i < key.size(); ++i)
            difference |= left[i] ^ key[i];
        return difference == 0;
    }

    std::unique_ptr<owned> owned_;
    std::atomic<slots const*> current_{nullptr};
};

/// The shapes of one kernel's calls. Any thread; each call holds the lock for microseconds. Keeps
/// 65,536 shapes: the first half at once, then shapes met again before about 65,536 others.
class shape_register {
public:
    /// A shape in the state in which a call meets it.
    struct met_shape {
        known_shape* shape = nullptr; ///< null: the table is full, and this shape is not kept
        std::uint32_t met = 1;        ///< number of lookups on the slow path, including this one
        installed_variant const* serves = nullptr; ///< null: the slow path decides
        installed_variant const* before = nullptr; ///< code that served it until now; may be null
    };

    [[nodiscard]] shape_table const& shapes() const noexcept { return table_; }

    /// Finds the shape, or adds it.
    [[nodiscard]] met_shape meet(std::span<std::int64_t const> key);
    /// Makes `by` serve the shape on the fast path.
    /// @param shape  null: `by` serves only this call  @return  `by`
    installed_variant const& serve(known_shape* shape, installed_variant const& by,
                                   bool is_verified = false);
    /// Makes the code that served the shape before serve it again; without such code, `by`.
    /// @return  the serving code
    installed_variant const& serve_as_before(known_shape* shape, installed_variant const& by);
    /// Sends the shape through the slow path again, if `by` serves it.
    void forget(known_shape* shape, installed_variant const& by);
    /// Sends shapes that the variant serves through the slow path again, except those for which it
    /// was verified one by one.
    void withdraw(installed_variant const& by);
    /// Sends all shapes that the variant serves through the slow path again; see serve_as_before().
    void look_again(installed_variant const& by);

    /// The same for each shape that other code than `best` of its key serves.
    /// @param best  returns the code of the best known configuration for a key; null: unknown
    /// @pre  `best` takes microseconds and uses neither this object nor another lock
    void
    look_again(std::function<installed_variant const*(std::span<std::int64_t const>)> const& best);

    /// Sends calls of the shape through the slot, which serves the former code, until end_trials().
    /// @pre  the slot lives as long as this object
    void begin_trials(known_shape& shape, online_slot& slot);
    /// Ends begin_trials(). The code of the latest serve() since then serves, else the former code.
    void end_trials(known_shape& shape);
    /// Sends the next call of the shape through the slow path; see serve_as_before().
    void rest(known_shape& shape);

    /// Counts a call that took the slow path.
    /// @param seconds  `untimed`: not measured
    void count(served_call const& of, installed_variant const& by, double seconds);
    /// Sets the code of the best known configuration, and the problem of its inputs.
    /// @param shape  null: not kept
    void set_best(known_shape* shape, installed_variant const& best, std::uint32_t problem);
    /// Sets the sentence on what serves the shape, and why. It holds for the next calls.
    void set_why(known_shape* shape, std::string why);
    /// Returns that sentence; empty: none.
    [[nodiscard]] std::string why(known_shape const* shape);
    /// Cost     0.1 us for each shape
    [[nodiscard]] call_coverage coverage(std::span<shape_word const> layout);
    /// The same for each problem.
    /// @param most  largest number: those with the most seconds, then the most calls
    [[nodiscard]] std::vector<counted_problem> coverages(std::span<shape_word const> layout,
                                                         std::size_t most);

    /// The calls of a shape so far, by any code.
    struct shape_time {
        known_shape* shape = nullptr;
        std::uint64_t calls = 0;
        double seconds = 0;
    };
    /// Cost     0.1 us for each shape, 0.6 us if it is in no cache; the lock is free after each 256
    [[nodiscard]] std::vector<shape_time> times();

    /// Counts calls of the shape.  @pre  `by` lives as long as this object
    static void count(known_shape& shape, call_count& by);
    /// Ends all counting by `by`.
    void stop_counting(call_count const& by);

    /// Calls `f` under the lock, which also guards the data on classes that other threads read.
    /// @pre  `f` takes microseconds and uses neither this object nor another lock
    void locked(std::function<void()> const& f);

private:
    struct summed_calls;
    /// @return  by the number of the problem; all calls at 0 unless `by_problem`
    [[nodiscard]] std::vector<summed_calls> sums(bool by_problem);
    [[nodiscard]] call_coverage described(summed_calls of, std::span<shape_word const> layout);

    static void settle(known_shape& shape);
    static void change(known_shape& shape, installed_variant const* serves);

    fork_safe_mutex lock_{lock_use::brief};
    shape_table table_{};
    call_coverage unkept_{};                ///< calls of shapes that are not kept, without a list
    std::vector<std::uint64_t> met_once_{}; ///< hashes of shapes that are not kept; may be empty
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/served/shape_register.ipp>
#endif
