// attune/measure/cpu/cpu_first_runs.ipp - runs in a fork or in this process, and their checks.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/cpu/cpu_first_runs.hpp>
#include <attune/measure/sandbox/detail/state_rows.hpp>
#include <attune/measure/sandbox/process_state.hpp>
#include <attune/measure/sandbox/signal_guard.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sstream>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// Larger arrays get no copies between guard pages: first runs use the caller's pages, copied on
/// write.
inline constexpr std::size_t most_guarded_bytes = std::size_t{1} << 30;

/// The changes that a run makes in the process, found inside the forked child.
class leftovers {
public:
    /// @param was_alone  this process, which will fork, has no other thread
    explicit leftovers(bool was_alone)
        : was_alone_(was_alone)
    {
    }
    void begin()
    {
        state_.emplace(true, was_alone_);
        before_ = use_now();
    }
    /// A sentence for each change, and for each use that grows with each run.
    /// @param again  repeats the run; called only if a use has grown
    [[nodiscard]] std::vector<std::string> found(std::function<void()> const& again) const
    {
        if (!state_) return {};
        use const after = use_now();
        std::vector<std::string> out = state_->changes(after.written > before_.written);
        if (!after.has_grown_since(before_)) return out;
        again();
        use const later = use_now();
        if (later.data_bytes >= after.data_bytes + least_leak_bytes &&
            after.data_bytes >= before_.data_bytes + least_leak_bytes)
            out.push_back("leaked " + std::to_string((later.data_bytes - after.data_bytes) >> 20) +
                          " MiB");
        if (later.descriptors > after.descriptors && after.descriptors > before_.descriptors)
            out.emplace_back("leaves a file descriptor open at each call");
        if (later.written > after.written && after.written > before_.written)
            out.emplace_back("writes to a file or a stream at each call");
        return out;
    }

private:
    struct use {
        std::size_t data_bytes = 0;
        std::size_t descriptors = 0;
        unsigned long long written = 0; ///< bytes by write() and similar calls

        [[nodiscard]] bool has_grown_since(use const& before) const noexcept
        {
            return data_bytes >= before.data_bytes + least_leak_bytes ||
                   descriptors > before.descriptors || written > before.written;
        }
    };
    [[nodiscard]] static use use_now()
    {
        std::fflush(stdout); // to /dev/null, in a child
        std::string const io = '\n' + small_file("/proc/self/io");
        return {.data_bytes = read_memory_use().data,
                .descriptors = descriptor_state{}.count(),
                .written = std::strtoull(field_of(io, "wchar").c_str(), nullptr, 10)};
    }

    bool was_alone_;
    std::optional<process_state> state_{};
    use before_{};
};

/// Sentences of a child for its parent, one per line, in shared memory.
class told_sentences {
public:
    /// Appends sentences.
    void tell(std::vector<std::string> const& all) const
    {
        auto const* const before = reinterpret_cast<char const*>(memory_.bytes().data());
        std::span<std::byte> left =
            memory_.bytes().first(memory_.bytes().size() - 1).subspan(std::strlen(before));
        for (std::string const& one : all) {
            std::string const line = one + '\n';
            if (line.size() > left.size()) return;
            std::memcpy(left.data(), line.data(), line.size());
            left = left.subspan(line.size());
        }
    }
    [[nodiscard]] std::vector<std::string> heard() const
    {
        std::vector<std::string> out;
        std::istringstream lines(reinterpret_cast<char const*>(memory_.bytes().data()));
        for (std::string line; std::getline(lines, line);)
            out.push_back(std::move(line));
        return out;
    }

private:
    shared_pages memory_{std::size_t{16} << 10};
};

ATTUNE_INLINE cpu_trials::cpu_trials(trial_call const& call, isolation wanted,
                                     snapshot const& original, trial_limits const& limits)
    : call_(call)
    , original_(original)
    , wanted_(wanted)
    , limits_(limits)
    , buffers_(call.buffers)
{
    for (buffer const& b : call.buffers)
        own_.push_back(b.data);
    addresses_ = own_;
    if (can_guard(call.buffers, most_guarded_bytes)) {
        guarded_.emplace(call.buffers);
        buffers_ = guarded_->buffers();
        addresses_ = guarded_->addresses();
    }
    protection_ = choose_isolation(wanted, observe_process());
}

ATTUNE_INLINE void cpu_trials::fill(bool with_perturbed, bool across)
{
    for (std::size_t i = 0; i < buffers_.size(); ++i)
        if (buffers_[i].writable && buffers_[i].bytes > 0)
            set_content(buffers_[i], original_.saved(i));
    if (with_perturbed) perturb(buffers_, across);
    if (guarded_) guarded_->mend();
    holds_perturbed_ = with_perturbed;
    holds_across_ = across;
    is_filled_ = true;
}

ATTUNE_INLINE void cpu_trials::run_code(callable const& code) const
{
    call_.call(code.address, addresses_);
}

ATTUNE_INLINE void cpu_trials::run_right_code(callable const& code) const
{
    if (call_.reference)
        call_.reference(addresses_);
    else
        run_code(code);
}

/// Runs the trusted code in this process. @return  the text of its exception; empty: none
ATTUNE_INLINE std::string cpu_trials::thrown_by_trusted(callable const& code) const
{
    try {
        run_right_code(code);
        return {};
    } catch (...) {
        return (call_.reference ? "the kernel's reference threw: "
                                : "the default threw in this process: ") +
               text_of_exception();
    }
}

ATTUNE_INLINE std::string cpu_trials::refusal(std::span<std::byte* const> data) const
{
    return call_.refusal ? call_.refusal(data) : std::string();
}

ATTUNE_INLINE first_run_result cpu_trials::run_in_fork(std::function<void()> const& run,
                                                       double limit_s, snapshot const* expected,
                                                       told_sentences const* told)
{
    // The child gets a copy of all of these.
    bool const is_alone = !has_other_threads();
    leftovers left{is_alone};
    std::optional<descriptor_state> shared; // the child can move positions of files
    if (is_alone) shared.emplace();
    sandboxed_run_options how;
    how.limit_s = limit_s;
    how.check_limit_s = limits_.check_s;
    how.begin_limit_s = limits_.begin_s;
    how.memory_bytes = limits_.memory_bytes;
    how.without = without_;
    how.missed = [this] { without_.clear(); };
    how.also_check = [&] {
        if (std::string said = refusal(addresses_); !said.empty()) return said;
        if (guarded_)
            if (std::string said = guarded_->damage(); !said.empty()) return said;
        if (expected == nullptr && told == nullptr) return std::string();
        std::vector<std::string> const changes = left.found([&] {
            fill(holds_perturbed_, holds_across_);
            run();
        });
        if (told != nullptr) told->tell(changes);
        return expected == nullptr ? std::string() : first_change(changes, tolerated_);
    };
    how.also_changed = [&](std::vector<std::string> const& changes) {
        if (told != nullptr) told->tell(changes);
        return expected == nullptr ? std::string() : first_change(changes, tolerated_);
    };
    if (guarded_) how.explain_address = [this](std::uintptr_t a) { return guarded_->explain(a); };
    first_run_result const end = sandboxed_run(
        [&] {
            left.begin();
            run();
        },
        buffers_, call_.refusal ? nullptr : expected, how);
    if (shared) shared->restore();
    return end;
}

ATTUNE_INLINE first_run_result cpu_trials::run_in_process(std::function<void()> const& run,
                                                          double limit_s,
                                                          snapshot const* expected) const
{
    process_state const before{false};
    system_clocks const clocks;
    double const begin_s = clocks.wall_s();
    std::optional<failure> failed;
    try {
        if (protection_.how == isolation::none) {
            call_unguarded(run);
        } else {
            signal_guard guard{limit_s};
            guard.call(run);
        }
    } catch (stopped const& s) {
        failed = s.why;
    }
    double const elapsed_s = clocks.wall_s() - begin_s;
    std::string const changed = first_change(before.changes(), tolerated_);
    before.restore();
    if (failed) return *failed;
    std::string said;
    if (expected != nullptr) said = changed;
    if (said.empty() && expected != nullptr && !call_.refusal)
        said = objection_to(buffers_, *expected);
    if (said.empty()) said = refusal(addresses_);
    if (said.empty() && guarded_) said = guarded_->damage();
    if (!said.empty()) return failure{failure_stage::verify, said};
    return elapsed_s;
}

ATTUNE_INLINE first_run_result cpu_trials::run_once(std::function<void()> const& run,
                                                    double limit_s, snapshot const* expected,
                                                    told_sentences const* told)
{
    if (protection_.how == isolation::fork && wanted_ == isolation::automatic && has_gomp_team())
        protection_ = choose_isolation(wanted_, {0, true});
    if (protection_.how == isolation::fork) {
        try {
            return run_in_fork(run, limit_s, expected, told);
        } catch (error const&) {
            if (wanted_ != isolation::automatic) throw;
            protection_ = {isolation::guard, "guard: no child process could be started"};
        }
    }
    is_filled_ = false;
    first_run_result const end = run_in_process(run, limit_s, expected);
    fill(holds_perturbed_, holds_across_);
    return end;
}

ATTUNE_INLINE bool cpu_trials::begin(bool is_perturbed, bool across)
{
    if (!is_filled_ || holds_perturbed_ != is_perturbed || holds_across_ != across)
        fill(is_perturbed, across);
    bool const may_fork =
        protection_.how == isolation::fork && (wanted_ != isolation::automatic || !has_gomp_team());
    return !across || may_fork;
}

/// Runs the trusted code in a child only, which hands back its results: code may jump anywhere on
/// contents across zero.
ATTUNE_INLINE first_run_result cpu_trials::run_trusted_across(callable const& code, double limit_s)
try {
    std::size_t size = 0;
    for (buffer const& b : buffers_)
        if (b.writable) size += content_bytes(b);
    shared_pages const results{size};
    // The addresses may have belonged to other memory.
    address_range const these{reinterpret_cast<std::uintptr_t>(results.bytes().data()),
                              reinterpret_cast<std::uintptr_t>(results.bytes().data()) + size};
    std::erase_if(without_, [&](address_range const& r) {
        return r.first < these.last && these.first < r.last;
    });
    auto const each_array = [&](auto const& copy) {
        std::span<std::byte> rest = results.bytes();
        for (buffer const& b : buffers_) {
            if (!b.writable) continue;
            copy(b, rest.first(content_bytes(b)));
            rest = rest.subspan(content_bytes(b));
        }
    };
    first_run_result const end = run_in_fork(
        [&] {
            run_right_code(code);
            each_array([](buffer const& b, std::span<std::byte> to) { copy_content(b, to); });
        },
        limit_s, nullptr, nullptr);
    if (std::holds_alternative<failure>(end)) return end;
    is_filled_ = false;
    each_array([](buffer const& b, std::span<std::byte> from) { set_content(b, from); });
    seen_.emplace(buffers_);
    return end;
} catch (error const& thrown) {
    return failure{failure_stage::crash, first_line(thrown.what())};
} catch (std::bad_alloc const&) {
    return failure{failure_stage::crash, "no memory for results of contents across zero"};
}

ATTUNE_INLINE first_run_result cpu_trials::run_trusted(callable const& code, double limit_s)
{
    if (holds_across_) return run_trusted_across(code, limit_s);
    auto const variant_run = [&] { run_code(code); };
    bool const is_first = !holds_perturbed_;
    snapshot const* needed[] = {&original_, nullptr};
    if (is_first) leave_memory_out(needed);
    std::optional<told_sentences> told;
    if (is_first && protection_.how == isolation::fork) told.emplace();
    first_run_result end = is_first
                               ? run_once(variant_run, limit_s, nullptr, told ? &*told : nullptr)
                               : run_once([&] { run_right_code(code); }, limit_s, nullptr, nullptr);
    if (std::holds_alternative<failure>(end)) return end;
    {
        process_state const before{false};
        is_filled_ = false;
        std::string const thrown = thrown_by_trusted(code);
        seen_.emplace(buffers_);
        // Those of an earlier trusted code stay.
        auto const tolerate = [this](std::vector<std::string> changes) {
            for (std::string& change : changes)
                if (std::find(tolerated_.begin(), tolerated_.end(), change) == tolerated_.end())
                    tolerated_.push_back(std::move(change));
        };
        if (is_first) tolerate(before.changes());
        if (told) tolerate(told->heard());
        before.restore();
        if (!thrown.empty()) return failure{failure_stage::verify, thrown};
    }
    if (!is_first) return end;
    needed[1] = &*seen_;
    leave_memory_out(needed);
    // Without a reference, the default would be compared with itself.
    if (call_.reference) {
        fill(false, false);
        end = run_once(variant_run, limit_s, &*seen_, nullptr);
    }
    if (call_.after_default && std::holds_alternative<double>(end)) call_.after_default();
    return end;
}

ATTUNE_INLINE first_run_result cpu_trials::run(callable const& code, double limit_s,
                                               snapshot const& right)
{
    return run_once([&] { run_code(code); }, limit_s, &right, nullptr);
}

ATTUNE_INLINE snapshot cpu_trials::take_expectation(std::optional<snapshot> /*spare*/)
{
    snapshot out = *std::move(seen_);
    seen_.reset();
    return out;
}

ATTUNE_INLINE void cpu_trials::leave_memory_out(std::span<snapshot const* const> needed)
{
    if (protection_.how != isolation::fork) return;
    std::vector<address_range> kept;
    auto const keep = [&](std::span<std::byte const> bytes) {
        auto const first = reinterpret_cast<std::uintptr_t>(bytes.data());
        kept.push_back({first, first + bytes.size()});
    };
    if (guarded_) kept = guarded_->ranges();
    for (buffer const& b : buffers_)
        keep({b.data, b.bytes});
    for (snapshot const* const one : needed)
        for (std::size_t i = 0; one != nullptr && i < one->size(); ++i)
            keep(one->saved(i));
    without_ = memory_to_leave_out(kept);
}

ATTUNE_INLINE first_run_result cpu_first_runs::establish(callable const& code, double limit_s,
                                                         double second_run_up_to_s)
{
    first_run_result end = policy_.establish(trials_, code, limit_s, second_run_up_to_s);
    if (std::holds_alternative<failure>(end)) return end;
    bool const is_perturbed = policy_.begin_with() == first_runs<cpu_trials>::contents::perturbed;
    trials_.begin(is_perturbed, is_perturbed && policy_.is_across());
    snapshot const* const needed[] = {&original_, policy_.expected(),
                                      policy_.expected_of_perturbed()};
    trials_.leave_memory_out(needed);
    return end;
}

ATTUNE_INLINE std::string cpu_first_runs::objection() const
{
    if (call_.refusal) return trials_.refusal(trials_.own_addresses());
    snapshot const* const right = policy_.expected();
    return right != nullptr ? objection_to(call_.buffers, *right) : "";
}

} // namespace attune::inline ATTUNE_ABI::detail
