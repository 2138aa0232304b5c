// attune/compile/clang/detail/memory_room.hpp - memory for LLVM: the limits of this process, and stacks of a chosen size.
// SPDX-License-Identifier: MIT
//
// LLVM is built without exceptions and ends the process when memory runs out. attune therefore
// checks before it calls LLVM.
//
// Clang's parser recurses: a sum of 60,000 terms needs more than the 8 MiB of a main thread.
// Threads of pools and fibers have less (tests/compile/clang_server.cpp).
#pragma once

#include <attune/core/version.hpp>

#include <algorithm>
#include <cfenv>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <limits>
#include <pthread.h>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

/// Runs `f` on a thread with `bytes` of stack and waits for it. The thread has the default
/// floating-point environment and blocks all signals. Without memory for the stack, tries a quarter
/// of the size, then a quarter of that. If no thread starts, runs `f` here.
/// Errors   exceptions of `f`
/// Cost     the start of a thread
template <class F>
void on_own_stack(std::size_t bytes, F const& f)
{
    struct task {
        F const& f;
        std::exception_ptr thrown{};

        static void* run(void* self)
        {
            auto& own = *static_cast<task*>(self);
            std::fesetenv(FE_DFL_ENV);
            try {
                own.f();
            } catch (...) {
                own.thrown = std::current_exception();
            }
            return nullptr;
        }
    };
    task own{f};
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread{};
    bool is_started = false;
    for (; !is_started && bytes >= std::size_t{1} << 20; bytes /= 4) {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, bytes);
        is_started = pthread_create(&thread, &attributes, &task::run, &own) == 0;
        pthread_attr_destroy(&attributes);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (is_started)
        pthread_join(thread, nullptr);
    else
        task::run(&own);
    if (own.thrown) std::rethrow_exception(own.thrown);
}

/// Returns the bytes that `ulimit -v` and `ulimit -d` still allow this process. Infinity without
/// such a limit, or if the system does not report the memory in use.
[[nodiscard]] inline double allowed_bytes()
{
    constexpr double none = std::numeric_limits<double>::infinity();
    auto const limit_of = [](auto which) {
        rlimit limit{};
        bool const is_set = ::getrlimit(which, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
        return is_set ? static_cast<double>(limit.rlim_cur) : none;
    };
    double const addresses = limit_of(RLIMIT_AS);
    double const data = limit_of(RLIMIT_DATA);
    if (!(addresses < none) && !(data < none)) return none;
    unsigned long all = 0;
    unsigned long written = 0; // data and stack: the sixth number, in pages
    std::FILE* const file = std::fopen("/proc/self/statm", "re");
    if (file == nullptr) return none;
    bool const is_read = std::fscanf(file, "%lu %*u %*u %*u %*u %lu", &all, &written) == 2;
    std::fclose(file);
    if (!is_read) return none;
    auto const page = static_cast<double>(::sysconf(_SC_PAGESIZE));
    return std::min(addresses - page * static_cast<double>(all),
                    data - page * static_cast<double>(written));
}

/// Returns a sentence if the limits allow fewer than `bytes`, else an empty text.
/// @param what  the purpose: "to link a variant"
[[nodiscard]] inline std::string lack_of_memory(double bytes, std::string const& what)
{
    double const left = allowed_bytes();
    if (left >= bytes) return {};
    auto const mib = [](double b) {
        return std::to_string(static_cast<long>(std::max(b, 0.0) / (1 << 20))) + " MiB";
    };
    return "the memory limit of this process (ulimit -v, ulimit -d) leaves " + mib(left) +
           ", and " + mib(bytes) + " are needed " + what;
}

} // namespace attune::inline ATTUNE_ABI::detail
