// attune/tune/pipeline/compile_queue.hpp - a queue of compilations, and the threads that run them.
// SPDX-License-Identifier: MIT
//
// Compilations run beside a measurement and must not disturb it:
// - the measuring thread keeps one core; workers, and the programs that they start, use the others
//   (a child inherits the affinity);
// - workers block every signal but faults: only other threads run the program's handlers, and the
//   timer that guards a run does not interrupt a worker;
// - a first run forks this process while a worker may hold any lock. The child has no worker and
//   calls nothing of this file, of the compiler or of LLVM; it runs the kernel, compares, and
//   leaves by _exit(). The functions that it uses are safe after a fork. glibc restores the locks
//   of malloc, stdio and the loader in the child. The search for an exception's handler takes no
//   lock for code of files (gcc 12 with glibc 2.35 or newer). A risk remains: libgcc's mutex of
//   registered frames, which a worker holds for less than a microsecond per variant while it loads
//   the code. A kernel that throws in a child forked at that moment "ran too long".
#pragma once

#include <attune/compile/compiler.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <functional>
#include <memory>

namespace attune::inline ATTUNE_ABI::detail {

/// First in, first out. Only the measuring thread calls the member functions.
class compile_queue {
public:
    struct task;
    using ticket = std::shared_ptr<task>;

    /// Starts no thread yet. @param workers the most threads; 0: take() compiles all
    explicit compile_queue(std::size_t workers);
    /// Calls settle(); drops compilations that have not begun.
    ~compile_queue();
    compile_queue(compile_queue const&) = delete;
    compile_queue& operator=(compile_queue const&) = delete;

    /// Pins the calling thread to one core and starts workers on the others, at most one each.
    /// @return  the number of workers; 0 without a second core, or if the system refuses
    std::size_t start();
    /// Waits for compilations that have begun, ends the workers, and unpins the calling thread.
    /// Other compilations stay in the queue.
    void settle();

    /// @param compile  its references must be valid until this object ends, or until drop() and
    ///                 settle()
    [[nodiscard]] ticket add(std::function<compile_result()> compile);
    /// Returns the result. If no worker has begun, the calling thread compiles it. Otherwise the
    /// calling thread does other compilations of the queue until the worker has ended.
    /// @pre    `wanted` was neither taken nor dropped
    /// Errors  exceptions of `compile`
    [[nodiscard]] compile_result take(ticket const& wanted);
    /// Removes a compilation from the queue, if it has not begun.
    void drop(ticket const& unwanted);

    /// CPU seconds that the workers have used so far, in this process.
    [[nodiscard]] double cpu_s() const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/pipeline/compile_queue.ipp>
#endif
