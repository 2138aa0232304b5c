// attune/compile/clang/detail/own_stack.hpp - runs Clang or LLVM on a stack of its own size.
// SPDX-License-Identifier: MIT
//
// Clang's parser recurses: a sum of 60,000 terms needs more than the 8 MiB of a main thread, and
// threads of pools and fibers have less (tests/compile/clang_server.cpp).
#pragma once

#include <attune/core/version.hpp>

#include <cfenv>
#include <csignal>
#include <cstddef>
#include <exception>
#include <pthread.h>

namespace attune::inline ATTUNE_ABI::detail {

/// Runs `f` on a thread with `bytes` of stack and waits for it. The thread has the default
/// floating-point environment and blocks all signals. Without memory for the stack, the thread gets
/// a quarter, and so on; where no thread can be started, `f` runs here.
/// Errors   what `f` throws
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

} // namespace attune::inline ATTUNE_ABI::detail
