// attune/tune/pipeline/core_pin.hpp - cores of a tuning: those that a kernel's threads use, and the one that measures.
// SPDX-License-Identifier: MIT
// Source   OpenMP 5.2, section 21.1: OMP_NUM_THREADS, OMP_THREAD_LIMIT
#pragma once

#include <attune/compile/source/source.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Returns true if calls may use several threads, by the text of the kernel, its flags and the
/// compiler's flags. Included headers and called libraries are not read. Generated text is not read
/// either: a generated kernel states threads by its flags or by its revision, such as "2, with
/// std::thread".
/// @param compiler  identity of the compiler
[[nodiscard]] bool may_use_threads(kernel_source const& kernel, std::string const& compiler);

/// Returns the number of threads of such a call: OMP_NUM_THREADS (its first number), otherwise the
/// processors that this thread may run on; at most OMP_THREAD_LIMIT. Limits from the start of the
/// program have an effect: a cpuset, `taskset`, the binding of a job's ranks. A later call of
/// omp_set_num_threads() has no effect here: bind such a number as an input of the kernel.
[[nodiscard]] std::size_t usable_threads();

/// Returns the value of "threads" in the setting of a problem: usable_threads() if a call may use
/// them and the machine has more processors; otherwise empty. Records of kernels without threads
/// therefore serve with any binding. Records without the value, such as those of earlier releases,
/// hold for the whole machine.
[[nodiscard]] std::string threads_setting(kernel_source const& kernel, std::string const& compiler);

/// The processors that the calling thread may run on, ascending; empty if unknown.
[[nodiscard]] std::vector<int> allowed_processors();

/// Number of cores of these processors: hardware threads of one core count once. At least 1.
[[nodiscard]] std::size_t allowed_cores();

/// Restricts a thread to these processors. False if the system refuses or has no affinities.
/// @param thread  its number; 0: the calling thread
[[nodiscard]] bool run_only_on(std::vector<int> const& processors, long thread = 0);

/// "0-2,8" as {0, 1, 2, 8}, the notation of Linux; stops at the first character that is invalid.
[[nodiscard]] std::vector<int> processors_of(std::string_view list);

/// Pins the thread that calls hold() to its current core; other threads leave that core by
/// move_off(). Threads that the pinned thread starts, for example in a library that a kernel calls,
/// are pinned too. The function release() gives all of them the former processors.
class core_pin {
public:
    core_pin() = default;
    ~core_pin() { release(); }
    core_pin(core_pin const&) = delete;
    core_pin& operator=(core_pin const&) = delete;

    /// @return  false, without any change, if the thread has no second processor
    bool hold();
    /// Lets the thread run on its former processors. @pre called by the thread that called hold()
    void release() noexcept;
    [[nodiscard]] bool is_held() const noexcept { return !others_.empty(); }
    /// Number of processors for other threads; 0 unless a thread is pinned.
    [[nodiscard]] std::size_t other_processors() const noexcept { return others_.size(); }

    /// Moves the calling thread to the other cores, or, if there are none, to other hardware
    /// threads of the pinned core.
    /// @return false when the system refuses
    [[nodiscard]] bool move_off() const;

private:
    std::vector<int> before_;
    std::vector<long> bound_before_{}; ///< threads restricted to `processor_` before
    int processor_ = -1;
    std::vector<int> others_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/pipeline/core_pin.ipp>
#endif
