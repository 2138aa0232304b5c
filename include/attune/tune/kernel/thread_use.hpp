// attune/tune/kernel/thread_use.hpp - whether calls of a kernel use several threads, and how many.
// SPDX-License-Identifier: MIT
// tested by tune/kernel/problem.cpp
// Source   OpenMP 5.2, section 21.1: OMP_NUM_THREADS, OMP_THREAD_LIMIT
#pragma once

#include <attune/compile/source/source.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// Whether calls may use several threads, as far as the text of the kernel, its flags and those of
/// the compiler tell. Headers that it includes, and libraries that it calls, are not looked at; nor
/// is generated text, so such a kernel tells by its flags or by its revision: "2, with
/// std::thread".
/// @param compiler  its identity
[[nodiscard]] bool may_use_threads(kernel_source const& kernel, std::string const& compiler);

/// How many threads such a call has here: OMP_NUM_THREADS (its first number), else the processors
/// that this thread may run on; at most OMP_THREAD_LIMIT. This is what a program is started with: a
/// cpuset, `taskset`, the binding of a job's ranks. What a program sets later, by
/// omp_set_num_threads(), is not seen: bind such a number as an input of the kernel.
[[nodiscard]] std::size_t usable_threads();

/// The value of "threads" in the setting of a problem: usable_threads(), where a call may use them
/// and there are not as many as the machine has processors; else empty. So records of kernels
/// without threads serve whatever a process is bound to, and records that say nothing, such as
/// those of earlier releases, stand for the whole machine.
[[nodiscard]] std::string threads_setting(kernel_source const& kernel, std::string const& compiler);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/kernel/thread_use.ipp>
#endif
