// attune/measure/sandbox/child_process.hpp - runs a function or an untested variant in a forked child.
// SPDX-License-Identifier: MIT
// Bench    bench/measure/overhead.cpp
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/measure/arrays/content.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Addresses from `first` up to, but not including, `last`.
struct address_range {
    std::uintptr_t first = 0;
    std::uintptr_t last = 0;

    [[nodiscard]] constexpr bool contains(std::uintptr_t address) const noexcept
    {
        return first <= address && address < last;
    }
};

/// Mappings with less resident memory in small pages are not excluded.
inline constexpr std::size_t least_left_out_bytes = std::size_t{16} << 20;

/// The private anonymous mappings with at least `least_left_out_bytes` in small pages, in whole
/// pages. Leaves out this thread's stack, `kept`, and memory that forks exclude already. Empty with
/// a sanitizer (has_sanitizer()): the result would contain its shadow memory, and a child's fault
/// there has no address.
///
/// If a child accesses excluded memory, it faults at an address in that memory. Other crashes have
/// other addresses: see sandboxed_run_options::without.
/// Cost  1 ms per GB
[[nodiscard]] std::vector<address_range> memory_to_leave_out(std::span<address_range const> kept);

/// Like memory_to_leave_out(), but selects by size of the mapping, not by resident memory.
/// Cost  50 us
[[nodiscard]] std::vector<address_range>
large_memory_to_leave_out(std::span<address_range const> kept);

/// Excludes ranges from every fork during its lifetime.
class fork_exclusions {
public:
    /// @pre  `excluded` outlive this object
    explicit fork_exclusions(std::span<address_range const> excluded) noexcept;
    ~fork_exclusions();
    fork_exclusions(fork_exclusions const&) = delete;
    fork_exclusions& operator=(fork_exclusions const&) = delete;

    /// Forbids the addresses, so that nothing else is mapped there. Call it in the child.
    void forbid() const noexcept;

private:
    std::span<address_range const> ranges_;
};

/// Zero bytes that children forked from now on share with this process.
class shared_pages {
public:
    /// Errors   bad_alloc; errno has the reason
    explicit shared_pages(std::size_t bytes);
    ~shared_pages();
    shared_pages(shared_pages const&) = delete;
    shared_pages& operator=(shared_pages const&) = delete;

    /// Aligned to a page.
    [[nodiscard]] std::span<std::byte> bytes() const noexcept
    {
        return {static_cast<std::byte*>(memory_), bytes_};
    }

private:
    std::size_t bytes_;
    void* memory_;
};

/// A `T` in shared_pages.
/// Errors   as shared_pages
template <class T>
class shared_with_child {
public:
    [[nodiscard]] T& get() const noexcept { return *content_; }

private:
    shared_pages memory_{sizeof(T)};
    T* content_ = ::new (memory_.bytes().data()) T;
};

enum class child_ending : std::uint8_t {
    returned,  ///< both functions returned, and the check had no objection
    objected,  ///< the check returned an objection
    threw,     ///< an exception left one of the functions
    exited,    ///< the child called exit, _exit or quick_exit
    signalled, ///< a signal killed it
    overran,   ///< killed at its time limit
    lost,      ///< unknown: other code reaped it, or SIGCHLD is ignored
};

/// The last step that a child reached.
enum class child_phase : std::uint8_t { starting, running, checking, done };

/// The default limit of a child's additional memory, in bytes: three quarters of the free memory,
/// at least 1 GiB; 8 GiB if the free memory is unknown.
[[nodiscard]] std::size_t usual_child_memory();

/// Limits of a child: wall seconds and memory.
struct child_limits {
    double run_s = 10;   ///< for `run`
    double check_s = 60; ///< for `check`; comparing large arrays takes time too
    double begin_s = 10; ///< until `run` begins: a new process waits on a loaded machine
    std::size_t memory_bytes =
        0; ///< memory that it may map additionally, on Linux; 0: usual_child_memory()
    std::span<address_range const> without{}; ///< memory that the child does not get
    /// The parent calls this function repeatedly while `run` runs. The result may be an earlier end
    /// of `run` than the end of `run_s`, in seconds of the steady clock. May be empty.
    std::function<double()> run_until_s{};
};

/// How a child ended, and its report.
struct child_end {
    child_ending ending = child_ending::lost;
    child_phase phase = child_phase::starting; ///< the last phase that it reported
    double elapsed_s = 0; ///< wall seconds of `run`, if it returned; cold, with copies of pages
    int code = 0;         ///< exit status, or number of the signal
    int signal_code = 0;  ///< si_code of the signal, if the child reported it
    std::optional<std::uintptr_t> address; ///< the address of a memory fault
    /// true: it crashed or threw after the system refused it memory
    bool wanted_memory = false;
    std::string text; ///< the exception's what(), or the check's objection; up to 4000 bytes
    std::string log;  ///< its output to stderr; up to 64 KiB (empty without memfd_create)
    /// The child's changes of this process, which are undone: "changed a limit (setrlimit) in the
    /// program itself".
    std::vector<std::string> changes;
};

/// Runs `run`, then `check`, in a forked child on copy-on-write memory, and waits for its end.
///
/// Both write to private memory of the child only; memory shared between processes is not
/// protected. The child has only the calling thread. In the child, functions that need other
/// threads of this process do not work: a libgomp team from before the fork hangs and ends as
/// `overran`.
///
/// In the child, signal handlers have their defaults and no signal is blocked. The child has its
/// own process group, so Ctrl-C does not reach it. Standard input and output are /dev/null; `log`
/// keeps standard error. The child leaves no core dump, runs no destructors or atexit handlers of
/// the program, and dies with its parent. If the machine runs out of memory, it is killed first.
/// The parent reaps the child at its end, unless the child hangs in the kernel. The parent kills
/// all processes of the child's group and all that they started, daemons too. If the child flushes
/// a stream other than stdin, stdout and stderr, it writes the parent's buffered output again.
///
/// Ctrl-C during a tuning kills the child and throws cut_short: see program_end.hpp.
///
/// @param run    timed and limited
/// @param check  returns an objection, or an empty text; may be empty
/// Errors   attune::error: no child starts (memory, process limit), or it does not begin
/// Cost     0.4 ms for a tiny process, 7 to 25 ms with 200 MB of 4 KiB pages unless `without` names
///          them. Returns at the child's end. Before Linux 5.3 and on other systems, returns up to
///          a sixteenth of the child's lifetime later, at most 5 ms
[[nodiscard]] child_end run_in_child(std::function<void()> const& run,
                                     std::function<std::string()> const& check,
                                     child_limits const& limits = {});

/// Returns the CPU seconds that a fork for run_in_child() takes in this process; 0: there was none.
/// This is the time of the latest fork. From 2 ms on, each fork raises it by a tenth at most. The
/// system copies the page tables of all memory that is not left out.
[[nodiscard]] double usual_fork_s() noexcept;

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Limits and additional checks of a sandboxed run.
struct sandboxed_run_options {
    double limit_s = 10;          ///< wall seconds for the run
    double check_limit_s = 60;    ///< wall seconds for comparing and `also_check` together
    double begin_limit_s = 10;    ///< wall seconds until the run begins
    std::size_t memory_bytes = 0; ///< as in trial_limits
    /// Called in the child after the run and the comparison, for checks beyond a tolerance. A text
    /// that is not empty fails the variant at `verify`. May be empty.
    std::function<std::string()> also_check = {};
    /// Called in the parent with the address of a fault. The returned text, such as the array that
    /// ends there, is appended to the reason. May be empty, and may return an empty text.
    std::function<std::string(std::uintptr_t)> explain_address = {};
    /// Memory that the child does not get, which makes the fork cheaper. If a child needs it, a
    /// child with all memory repeats the run, and the parent calls `missed`.
    std::span<address_range const> without = {};
    std::function<void()> missed = {};
    /// Called in the parent with child_end::changes if there are any. A text that is not empty
    /// fails a variant that returned, at `verify`. May be empty.
    std::function<std::string(std::vector<std::string> const&)> also_changed = {};
};

} // namespace detail

/// Wall seconds of a first run (cold, with copies of pages: for limits, not for comparisons), or
/// the reason why the variant is unusable.
using first_run_result = std::variant<double, failure>;

namespace detail {

/// Runs once in a forked child on copy-on-write memory, and compares the writable buffers there
/// with the reference. A crash, a hang or a wrong result does not affect the caller. For the
/// child's properties see child_process.hpp.
///
/// The reason of a failure is one line: "SIGSEGV (invalid memory access) at address 0x10"; the text
/// of an exception; "exit(3) was called"; "still running after 0.5 s"; the text of a mismatch. A
/// check that takes too long fails at `verify`. The log is the output to stderr.
///
/// @param run        one run of the variant on `buffers`
/// @param buffers    of the call, in private memory, with their inputs. A run that writes nothing
///                   passes if the buffers contain the result already
/// @param reference  snapshot of the same buffers after a trusted run; null: results are not
///                   compared
/// Errors   those of run_in_child: no child starts, or it does not begin
/// Cost     that of run_in_child, and of compare() for each writable buffer
[[nodiscard]] first_run_result sandboxed_run(std::function<void()> const& run,
                                             std::span<buffer const> buffers,
                                             snapshot const* reference,
                                             sandboxed_run_options const& options = {});

[[nodiscard]] std::string first_line(std::string const& text);
/// The first mismatch of a writable buffer; empty if there is none.
[[nodiscard]] std::string objection_to(std::span<buffer const> buffers, snapshot const& reference);
/// Returns true if a child may have crashed at memory that it did not get.
[[nodiscard]] bool has_missed(child_end const& end, std::span<address_range const> without);
/// The failure of a child that did not return.
[[nodiscard]] failure verdict_of(child_end const& end, child_limits const& limits);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/sandbox/child_process.ipp>
#endif
