// attune/measure/sandbox/child_process.ipp - forks, waits, and reports the end of a child.
// SPDX-License-Identifier: MIT
//
// The parent polls waitid(), which works on every POSIX system and does not depend on the host's
// SIGCHLD handler. Between two polls it sleeps: on Linux until the child ends, elsewhere for a
// growing time.
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/posix/machine_figures.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/compare.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/sandbox/child_process.hpp>
#include <attune/measure/sandbox/detail/child_side.hpp>
#include <attune/measure/sandbox/detail/started_child.hpp>
#include <attune/measure/sandbox/detail/state_rows.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/measure/sandbox/signal_guard.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// Removes the pages of `cut` from `whole`.
inline void subtract(std::vector<address_range>& whole, address_range cut, std::uintptr_t page)
{
    cut.first = cut.first / page * page;
    cut.last = (cut.last + page - 1) / page * page;
    std::vector<address_range> rest;
    for (address_range const& r : whole) {
        if (cut.last <= r.first || r.last <= cut.first) {
            rest.push_back(r);
            continue;
        }
        if (r.first < cut.first) rest.push_back({r.first, cut.first});
        if (cut.last < r.last) rest.push_back({cut.last, r.last});
    }
    whole = std::move(rest);
}

/// A mapping of /proc/self/smaps, filled line by line.
struct mapping_lines {
    address_range range{};
    bool is_candidate = false; ///< private, anonymous, readable and writable
    std::size_t resident_kib = 0;
    std::size_t huge_kib = 0;

    /// Parses a first line: "7f00-7f10 rw-p 00000000 00:00 0", then nothing or a name.
    [[nodiscard]] static mapping_lines begun_by(std::string const& line)
    {
        mapping_lines out;
        char* at = nullptr;
        out.range.first = std::strtoull(line.c_str(), &at, 16);
        out.range.last = std::strtoull(at + 1, &at, 16);
        bool const has_name =
            line.find_first_not_of("0123456789 :", line.find(' ') + 6) != std::string::npos;
        out.is_candidate = std::string(at).starts_with(" rw-p 00000000 00:00 0") && !has_name;
        return out;
    }
    [[nodiscard]] bool is_worth_it(std::string const& flags) const
    {
        for (auto const* const special : {" dc", " wf", " ht", " io", " pf"})
            if (flags.find(special) != std::string::npos) return false;
        return is_possible() && resident_kib >= huge_kib + least_left_out_bytes / 1024;
    }
    /// Returns false if the mapping's first line already excludes it.
    [[nodiscard]] bool is_possible() const
    {
        char const here = 0;
        if (range.contains(reinterpret_cast<std::uintptr_t>(&here)))
            return false; // this thread's stack
        return is_candidate && range.last - range.first >= least_left_out_bytes;
    }
};

[[nodiscard]] inline std::vector<address_range> without(std::vector<address_range> whole,
                                                        std::span<address_range const> kept)
{
    auto const page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    for (address_range const& cut : kept)
        subtract(whole, cut, page);
    return whole;
}

inline void advise(std::span<address_range const> list, int advice) noexcept
{
    // madvise() fails for unmapped parts of a range, but applies to the rest.
    for (address_range const& r : list)
        static_cast<void>(::madvise(reinterpret_cast<void*>(r.first), r.last - r.first, advice));
}

ATTUNE_INLINE std::vector<address_range> memory_to_leave_out(std::span<address_range const> kept)
{
    std::vector<address_range> out;
#if defined(__linux__)
    if (has_sanitizer()) return out;
    mapping_lines now;
    auto const kib = [](std::string const& line) -> std::size_t {
        return std::strtoull(line.c_str() + line.find(':') + 1, nullptr, 10);
    };
    std::ifstream file("/proc/self/smaps");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("Rss:"))
            now.resident_kib = kib(line);
        else if (line.starts_with("AnonHugePages:"))
            now.huge_kib = kib(line);
        else if (line.starts_with("VmFlags:")) {
            if (now.is_worth_it(line)) out.push_back(now.range);
        } else if (line.find('-') < line.find(' '))
            now = mapping_lines::begun_by(line);
    }
#endif
    return detail::without(std::move(out), kept);
}

ATTUNE_INLINE std::vector<address_range>
large_memory_to_leave_out(std::span<address_range const> kept)
{
    std::vector<address_range> out;
#if defined(__linux__)
    if (has_sanitizer()) return out;
    std::ifstream file("/proc/self/maps");
    for (std::string line; std::getline(file, line);)
        if (auto const mapping = mapping_lines::begun_by(line); mapping.is_possible())
            out.push_back(mapping.range);
#endif
    return detail::without(std::move(out), kept);
}

ATTUNE_INLINE fork_exclusions::fork_exclusions(std::span<address_range const> excluded) noexcept
    : ranges_(excluded)
{
#if defined(MADV_WIPEONFORK)
    advise(ranges_, MADV_WIPEONFORK);
#endif
}

ATTUNE_INLINE fork_exclusions::~fork_exclusions()
{
#if defined(MADV_WIPEONFORK)
    advise(ranges_, MADV_KEEPONFORK);
#endif
}

/// Excluded memory is mapped in the child and reads as zeros unless it is forbidden.
ATTUNE_INLINE void fork_exclusions::forbid() const noexcept
{
#if defined(MADV_WIPEONFORK)
    for (address_range const& r : ranges_)
        static_cast<void>(
            ::mprotect(reinterpret_cast<void*>(r.first), r.last - r.first, PROT_NONE));
#endif
}

ATTUNE_INLINE shared_pages::shared_pages(std::size_t bytes)
    : bytes_(bytes)
    , memory_(::mmap(nullptr, std::max<std::size_t>(bytes, 1), PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0))
{
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
}

ATTUNE_INLINE shared_pages::~shared_pages() { ::munmap(memory_, std::max<std::size_t>(bytes_, 1)); }

/// The memory that parent and child share.
[[nodiscard]] inline shared_with_child<child_report> shared_report()
{
    try {
        return {};
    } catch (std::bad_alloc const&) {
        throw error("no memory to share with a child process", std::strerror(errno),
                    "free memory, or turn trial runs off");
    }
}

inline std::atomic<double> fork_s{0};

ATTUNE_INLINE double usual_fork_s() noexcept { return fork_s.load(std::memory_order_relaxed); }

/// Forks. `work` runs in the child and does not return.
template <class Work>
[[nodiscard]] pid_t fork_child(Work const& work, std::span<address_range const> without)
{
    all_signals_blocked const guard;
    std::optional<fork_exclusions> omission;
    own_fork const scope{[&] { omission.emplace(without); }, [&] { omission.reset(); }};
    double const before_s = system_clocks{}.thread_cpu_s();
    pid_t const id = fork();
    if (id == 0) {
        omission->forbid();
        work();
    } // not reached in the child: run_child() ends in _exit
    constexpr double usual_s = 0.002;
    constexpr double most_growth = 1.1; // a busy machine makes some forks slow, not all
    fork_s = std::min(system_clocks{}.thread_cpu_s() - before_s,
                      most_growth * std::max(usual_fork_s(), usual_s));
    if (id < 0)
        throw error(
            "cannot start a child process for a trial run", std::strerror(errno),
            "free memory, raise the limit on processes (ulimit -u), or turn trial runs off");
    setpgid(id, id); // the child does the same, because either may be first
    return id;
}

/// The time to kill the child in its present phase, in seconds of the steady clock.
[[nodiscard]] inline double child_deadline_s(child_report const& report, double forked_s,
                                             child_limits const& limits)
{
    switch (report.phase.load()) {
    case child_phase::starting:
        return forked_s + limits.begin_s;
    case child_phase::running: {
        double const last_s = report.begun_s + limits.run_s;
        return limits.run_until_s ? std::min(last_s, limits.run_until_s()) : last_s;
    }
    case child_phase::checking:
    case child_phase::done:
        break;
    }
    return report.begun_s + report.elapsed_s + limits.check_s;
}

/// Returns true if the child has ended, false if its time is over.
[[nodiscard]] inline bool wait_for_child(started_child& child, child_report const& report,
                                         child_limits const& limits)
{
    system_clocks const clocks;
    double const forked_s = clocks.wall_s();
    constexpr double longest_nap_s = 5e-3; // bounds the wait if another thread took Ctrl-C
    bool const is_awaited = child.await();
    for (;;) {
        cut_here();
        double const now_s = clocks.wall_s();
        double const left_s = child_deadline_s(report, forked_s, limits) - now_s;
        if (child.has_ended()) return true;
        if (!(left_s > 0)) return false;
        double const nap_s =
            is_awaited ? longest_nap_s : std::clamp((now_s - forked_s) / 16, 50e-6, longest_nap_s);
        child.nap(std::min(nap_s, std::max(left_s, 50e-6)));
    }
}

ATTUNE_INLINE std::size_t usual_child_memory()
{
    constexpr double gib = 1 << 30;
    double const spare = spare_memory_bytes();
    return static_cast<std::size_t>(std::isfinite(spare) ? std::max(gib, 0.75 * spare) : 8 * gib);
}

/// State that another process can change by the calling thread's id. If the process has no other
/// thread, also state of the process.
class state_by_id {
public:
    state_by_id()
    {
        for (std::size_t i = 0; i < before_.size(); ++i)
            if (is_compared(state_rows[i])) before_[i] = state_rows[i].read({});
    }
    /// Restores changed state. @return  a sentence for each change
    [[nodiscard]] std::vector<std::string> undone_changes() const
    {
        std::vector<std::string> out;
        for (std::size_t i = 0; i < before_.size(); ++i) {
            if (!is_compared(state_rows[i]) || state_rows[i].read({}) == before_[i]) continue;
            state_rows[i].restore(before_[i]);
            out.push_back(std::string(state_rows[i].change) + " in the program itself");
        }
        return out;
    }

private:
    [[nodiscard]] bool is_compared(state_row const& row) const noexcept
    {
#if defined(__linux__)
        bool const is_of_thread =
            row.read == niceness_now || row.read == scheduling_now || row.read == processors_now;
        bool const is_of_process = row.read == kill_score_now || row.read == limits_now;
        return is_of_thread || (is_of_process && !has_others_);
#else
        static_cast<void>(row);
        return false;
#endif
    }

    bool has_others_ = has_other_threads();
    std::array<std::string, state_rows.size()> before_{};
};

ATTUNE_INLINE child_end run_in_child(std::function<void()> const& run,
                                     std::function<std::string()> const& check,
                                     child_limits const& given)
{
    child_limits limits = given;
    if (limits.memory_bytes == 0) limits.memory_bytes = usual_child_memory();
    shared_with_child<child_report> const shared = shared_report();
    stderr_file const standard_error;
    child_report& report = shared.get();
    pid_t const parent = getpid();
    state_by_id const before;
    detail::started_child child(fork_child(
        [&] { run_child(run, check, limits, report, standard_error.descriptor(), parent); },
        limits.without));

    bool const in_time = wait_for_child(child, report, limits);
    std::optional<int> const status = child.end();

    child_end end;
    end.phase = report.phase.load();
    if (!in_time && end.phase == child_phase::starting)
        throw error("a child process for a trial run has not begun after " +
                        seconds_text(limits.begin_s),
                    "the machine is overloaded, or a handler of pthread_atfork() waits for what "
                    "never comes",
                    "run less beside it, or turn trial runs off (isolation::guard)");
    end.elapsed_s = report.elapsed_s;
    end.wanted_memory = report.wanted_memory.load();
    end.text.assign(report.text, std::min(report.text_length.load(), sizeof report.text));
    end.log = standard_error.text();
    end.changes = before.undone_changes();
    bool const is_done = end.phase == child_phase::done;
    if (is_done && (!status || (WIFEXITED(*status) && WEXITSTATUS(*status) == 0))) {
        end.ending = report.ending.load();
    } else if (!in_time) {
        end.ending = child_ending::overran;
    } else if (status && WIFSIGNALED(*status)) {
        end.ending = child_ending::signalled;
        end.code = WTERMSIG(*status);
        if (report.signal.load() == end.code) {
            end.signal_code = report.signal_code.load();
            if (report.has_address.load()) end.address = report.address.load();
        }
    } else if (status && WIFEXITED(*status)) {
        end.ending = child_ending::exited;
        end.code = WEXITSTATUS(*status);
    }
    return end;
}

ATTUNE_INLINE std::string first_line(std::string const& text)
{
    return text.substr(0, text.find('\n'));
}

ATTUNE_INLINE std::string objection_to(std::span<buffer const> buffers, snapshot const& reference)
{
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (!buffers[i].writable) continue;
        if (auto const found = compare(buffers[i], reference.saved(i))) return found->text();
    }
    return {};
}

ATTUNE_INLINE bool has_missed(child_end const& end, std::span<address_range const> without)
{
    if (without.empty() || end.ending != child_ending::signalled || end.code != SIGSEGV)
        return false;
    if (!end.address) return true; // it died before it reported the address
    return std::any_of(without.begin(), without.end(),
                       [&](address_range const& r) { return r.contains(*end.address); });
}

ATTUNE_INLINE failure verdict_of(child_end const& end, child_limits const& limits)
{
    switch (end.ending) {
    case child_ending::objected:
        return {failure_stage::verify, first_line(end.text), end.text};
    case child_ending::threw: {
        std::string const line = first_line(end.text);
        std::string const log = end.log.empty() ? end.text : end.text + "\n" + end.log;
        return {failure_stage::crash, line.empty() ? "an exception without a text" : line, log};
    }
    case child_ending::exited:
        return {failure_stage::crash, "exit(" + std::to_string(end.code) + ") was called", end.log};
    case child_ending::signalled: {
        std::string reason = signal_text(end.code, end.signal_code);
        if (end.address) reason += " at address " + hexadecimal_text(*end.address, 1);
        return {failure_stage::crash, reason, end.log};
    }
    case child_ending::overran:
        if (end.phase == child_phase::checking) // the run itself was in time
            return {failure_stage::verify,
                    "the check of its result was still running after " +
                        seconds_text(limits.check_s),
                    end.log};
        return {failure_stage::timeout, "still running after " + seconds_text(limits.run_s),
                end.log};
    case child_ending::returned:
    case child_ending::lost:
        break;
    }
    return {failure_stage::crash,
            "ended too early in an unknown way, because another part of the program waits for "
            "all children (or ignores SIGCHLD)",
            end.log};
}

ATTUNE_INLINE first_run_result sandboxed_run(std::function<void()> const& run,
                                             std::span<buffer const> buffers,
                                             snapshot const* reference,
                                             sandboxed_run_options const& options)
{
    ATTUNE_ASSERT(reference == nullptr || reference->size() == buffers.size(),
                  "the reference is a snapshot of the same buffers");
    auto const check = [&] {
        std::string objection = reference ? objection_to(buffers, *reference) : "";
        if (objection.empty() && options.also_check) objection = options.also_check();
        return objection;
    };
    child_limits limits;
    limits.run_s = options.limit_s;
    limits.check_s = options.check_limit_s;
    limits.begin_s = options.begin_limit_s;
    limits.memory_bytes = options.memory_bytes != 0 ? options.memory_bytes : usual_child_memory();
    limits.without = options.without;
    child_end end = run_in_child(run, check, limits);
    if (has_missed(end, limits.without)) {
        limits.without = {};
        end = run_in_child(run, check, limits);
        if (options.missed) options.missed();
    }
    std::string const changed = !end.changes.empty() && options.also_changed
                                    ? options.also_changed(end.changes)
                                    : std::string();
    if (end.ending == child_ending::returned && !changed.empty())
        return failure{failure_stage::verify, changed};
    if (end.ending == child_ending::returned) return end.elapsed_s;
    failure verdict = verdict_of(end, limits);
    if (end.wanted_memory)
        verdict.reason += "; needed more than " +
                          text_of_bytes(static_cast<double>(limits.memory_bytes)) +
                          " of memory: raise tuning_options::measuring.trial.memory_bytes";
    if (end.address && options.explain_address)
        if (std::string const owner = options.explain_address(*end.address); !owner.empty())
            verdict.reason += ", " + owner;
    return verdict;
}

} // namespace attune::inline ATTUNE_ABI::detail
