// tests/host/stress.cpp - threads, forks, signals, limits and variants that crash the compiler, all at once and at random.
// SPDX-License-Identifier: MIT
//
// Run      host_stress [seconds] [seed] [threads]
// Prints   calls= refused= children= signals=, and ends with status 0 if each call was right or was
// refused by an
//          attune::error that left its arrays as they were. No way to end is right but the end of
//          main().
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <random>
#include <shared_mutex>
#include <span>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "scale.hpp"

namespace {

// Most values of HARM do what their name says; a variant with one of them must cost an evaluation
// and nothing else.
constexpr char const* text = R"(
#include <attune/tunable.hpp>
#include <cstdlib>
#include <span>
constexpr int block = ATTUNE_TUNABLE(BLOCK, 1);
constexpr int harm = ATTUNE_TUNABLE(HARM, 0);
#if HARM == 1
#pragma clang __debug crash
#elif HARM == 2
#pragma clang __debug llvm_fatal_error
#elif HARM == 3
struct thrower { thrower() { throw 3; } } const thrown;
#endif
void scale(std::span<double const> x, std::span<double> y, double factor)
{
#if HARM == 4
    *reinterpret_cast<int volatile*>(8) = 1;
#elif HARM == 5
    std::abort();
#endif
    std::size_t i = 0;
    for (; i + block <= x.size(); i += block)
        for (std::size_t j = 0; j < block; ++j)
            y[i + j] += factor * x[i + j];
    for (; i < x.size(); ++i)
        y[i] += factor * x[i] + (harm == 6 ? 1 : 0);
}
)";

using signature = void(std::span<double const>, std::span<double>, double);
using tuned = attune::tuned<signature, attune::clang_compiler, attune::memory_store>;
using clock_type = std::chrono::steady_clock;

std::unique_ptr<tuned> fresh(std::uint64_t seed)
{
    auto const space = attune::space(attune::ordinal<"BLOCK">(attune::values(1, 2, 4, 7, 8, 16)),
                                     attune::ordinal<"HARM">(attune::values(0, 1, 2, 3, 4, 5, 6)));
    attune::kernel<signature> kernel{"scale", attune::source_text(text, "scale.cpp"), space};
    attune::tuning_options options;
    options.limits.evaluations = 8;
    options.limits.seconds = 5;
    options.progress = attune::silent_progress();
    options.search.seed = seed;
    if (seed % 3 == 1) options.on_miss = attune::miss_policy::tune_in_background;
    if (seed % 3 == 2) options.on_miss = attune::miss_policy::online;
    return std::make_unique<tuned>(kernel, attune::clang_compiler{}, attune::memory_store{},
                                   options);
}

struct counts {
    std::atomic<long> calls{0}, refused{0}, children{0}, signals{0};
};
counts seen;

/// One call on arrays of its own.
void call_once(tuned& f, std::size_t n)
{
    host::arrays a(n);
    try {
        f(a.x, a.y, 3.0);
        HOST_CHECK(a.called(1));
        ++seen.calls;
    } catch (attune::error const&) {
        HOST_CHECK(a.called(0));
        ++seen.refused;
    }
}

struct world {
    std::shared_mutex lock{};
    std::unique_ptr<tuned> kernel{};
    std::atomic<bool> is_over{false};
};

constexpr std::array<std::size_t, 8> sizes{1, 7, 8, 100, 1000, 1001, 4096, 5000};

/// The child of a fork: one more call, then the end, without the destructors of the parent's
/// objects.
void fork_once(world& w, std::mt19937& random)
{
    std::size_t const n = sizes[random() % sizes.size()];
    pid_t const child = ::fork();
    if (child == 0) {
        ::alarm(100);
        call_once(*w.kernel, n);
        ::_exit(0);
    }
    if (child < 0) return; // no process is left
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0) std::fprintf(stderr, "a child ended with status %x\n", status);
    HOST_CHECK(status == 0);
    ++seen.children;
}

/// No descriptor is free for a moment.
void take_descriptors(std::mt19937& random)
{
    rlimit before{};
    ::getrlimit(RLIMIT_NOFILE, &before);
    rlimit none = before;
    none.rlim_cur = 3 + random() % 6;
    ::setrlimit(RLIMIT_NOFILE, &none);
    std::this_thread::sleep_for(std::chrono::milliseconds(1 + random() % 30));
    ::setrlimit(RLIMIT_NOFILE, &before);
}

/// One host thread.
void act(world& w, unsigned seed)
{
    std::mt19937 random(seed);
    while (!w.is_over) {
        auto const what = random() % 1000;
        if (what == 0) {
            std::unique_lock const alone(w.lock);
            w.kernel = fresh(random());
        } else {
            std::shared_lock const beside(w.lock);
            if (what < 4)
                fork_once(w, random);
            else if (what < 6)
                take_descriptors(random);
            else if (what < 100)
                ::kill(::getpid(), random() % 2 == 0 ? SIGUSR1 : SIGUSR2);
            else
                call_once(*w.kernel, sizes[random() % sizes.size()]);
        }
    }
}

/// Threads with stacks from 64 KiB to 8 MiB.
class host_thread {
public:
    host_thread(world& w, unsigned seed)
        : work_{&w, seed}
    {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, std::size_t{64 * 1024} << seed % 8);
        auto const run = [](void* work) -> void* {
            auto const& own = *static_cast<work_type*>(work);
            return act(*own.in, own.seed), nullptr;
        };
        HOST_CHECK(pthread_create(&thread_, &attributes, run, &work_) == 0);
        pthread_attr_destroy(&attributes);
    }
    ~host_thread() { pthread_join(thread_, nullptr); }
    host_thread(host_thread const&) = delete;
    host_thread& operator=(host_thread const&) = delete;

private:
    struct work_type {
        world* in;
        unsigned seed;
    } work_;
    pthread_t thread_{};
};

} // namespace

int main(int argc, char** argv)
{
    int const seconds = argc > 1 ? std::atoi(argv[1]) : 60;
    unsigned const seed = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
    int const count = argc > 3 ? std::atoi(argv[3]) : 64;
    ::alarm(static_cast<unsigned>(seconds) + 240); // a host that hangs is ended by it
    struct sigaction counted{};
    counted.sa_handler = [](int) { ++seen.signals; };
    counted.sa_flags = seed % 2 == 0 ? SA_RESTART : 0;
    ::sigaction(SIGUSR1, &counted, nullptr);
    ::sigaction(SIGUSR2, &counted, nullptr);
    ::sigaction(SIGPROF, &counted, nullptr);
    itimerval const often{{0, 5000}, {0, 5000}};
    ::setitimer(ITIMER_PROF, &often, nullptr);

    static world w; // the last kernel is destroyed with the static objects
    w.kernel = fresh(seed);
    {
        std::vector<std::unique_ptr<host_thread>> threads;
        for (int i = 0; i < count; ++i)
            threads.push_back(
                std::make_unique<host_thread>(w, seed * 1000 + static_cast<unsigned>(i)));
        std::this_thread::sleep_for(std::chrono::seconds(seconds));
        w.is_over = true;
    }
    itimerval const never{};
    ::setitimer(ITIMER_PROF, &never, nullptr);
    std::printf("seed=%u seconds=%d threads=%d calls=%ld refused=%ld children=%ld signals=%ld\n",
                seed, seconds, count, seen.calls.load(), seen.refused.load(), seen.children.load(),
                seen.signals.load());
    return 0;
}
