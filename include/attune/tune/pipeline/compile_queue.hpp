// attune/tune/pipeline/compile_queue.hpp - a queue of compilations, and the threads that do them.
// SPDX-License-Identifier: MIT
//
// What runs beside a measurement must not disturb it, so:
// - the thread that measures keeps one core, the workers stay off it, and so do the
//   programs they start: an affinity is inherited;
// - workers block every signal but faults: the handlers of the program run where they did
//   before, and a timer that guards a run does not interrupt a worker;
// - a first run forks this process while a worker may hold any lock. The child has no
//   worker and calls nothing of this file, of the compiler or of LLVM; it runs the kernel,
//   compares, and leaves by _exit(). What it does use is safe after a fork: glibc brings
//   malloc, stdio and the loader's locks into a usable state in the child, and finding an
//   exception's handler takes no lock for code of files (gcc 12 with glibc 2.35 or newer).
//   Left is the mutex of libgcc's registered frames, which a worker holds for less than a
//   microsecond per variant while it loads the code: a kernel that throws in a child
//   forked at that moment is reported as running too long.
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <functional>
#include <memory>

namespace attune::inline ATTUNE_ABI {

/// First in, first out. One thread, the one that measures, calls all member functions.
class compile_queue {
public:
    struct task;
    using ticket = std::shared_ptr<task>;

    /// Starts no thread yet. @param workers  at most; 0: everything is compiled by take()
    explicit compile_queue(std::size_t workers);
    /// Calls settle(); a compilation that has not begun is dropped.
    ~compile_queue();
    compile_queue(compile_queue const&) = delete;
    compile_queue& operator=(compile_queue const&) = delete;

    /// Keeps the calling thread on one core and starts the workers on the others, no more than
    /// there are processors for.
    /// @return  how many there are; 0 without a second core, where the system refuses, or for 0
    /// workers
    std::size_t start();
    /// Waits for the compilations that have begun, ends the workers and lets the calling thread use
    /// all its cores. The other compilations stay in the queue.
    void settle();

    /// @param compile  what it refers to outlives this object, or drop() and settle()
    [[nodiscard]] ticket add(std::function<compile_result()> compile);
    /// The result. If no worker has begun the compilation, the calling thread does it. Else the
    /// calling thread does other compilations of the queue until the worker has ended.
    /// @pre    not taken before, not dropped
    /// Errors  what `compile` throws
    [[nodiscard]] compile_result take(ticket const& wanted);
    /// Removes a compilation from the queue, if it has not begun.
    void drop(ticket const& unwanted);

    /// CPU seconds that the workers have used so far, in this process.
    [[nodiscard]] double cpu_s() const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/pipeline/compile_queue.ipp>
#endif
