// tests/host/runtime.cpp - kernels with objects of threads and of exit(), in programs that end: the argument says how.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/compile/system.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <span>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "scale.hpp"

extern thread_local int host_calls;
thread_local int host_calls = 0;

namespace {

constexpr char const* text = R"(
#include <attune/tunable.hpp>
#include <cstdlib>
#include <future>
#include <mutex>
#include <span>
#include <vector>
constexpr int lanes = ATTUNE_TUNABLE(LANES, 1);
extern thread_local int host_calls;
static std::once_flag once;
static std::vector<float> factors;
static long ended;
static void end() { ++ended; }
void scale(std::span<float const> x, std::span<float> y, float a)
{
    std::call_once(once, [] { factors.assign(1, 1.0f); std::atexit(end); });
    thread_local std::vector<float> buffer;
    buffer.assign(x.begin(), x.end());
    ++host_calls;
    auto part = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; i += lanes)
            for (std::size_t k = i; k < i + lanes && k < to; ++k)
                y[k] = factors[0] * a * buffer[k];
    };
    std::size_t const half = x.size() / 2;
    auto other = std::async(std::launch::async, [&, &buffer = buffer] {
        for (std::size_t k = 0; k < half; ++k) y[k] = factors[0] * a * buffer[k];
    });
    part(half, x.size());
    other.get();
}
)";

/// A thread of each code, which never ends.
constexpr char const* leaving_text = R"(
#include <attune/tunable.hpp>
#include <atomic>
#include <chrono>
#include <span>
#include <thread>
constexpr int lanes = ATTUNE_TUNABLE(LANES, 1);
static std::atomic<long> turns{0};
void scale(std::span<float const> x, std::span<float> y, float a)
{
    static bool const started = [] {
        std::thread([] {
            for (;; ++turns) std::this_thread::sleep_for(std::chrono::microseconds(50));
        }).detach();
        return true;
    }();
    for (std::size_t i = 0; i < x.size(); i += lanes)
        for (std::size_t k = i; k < i + lanes && k < x.size(); ++k)
            y[k] = started ? a * x[k] : 0;
}
)";

using signature = void(std::span<float const>, std::span<float>, float);

constexpr auto space = attune::space(attune::ordinal<"LANES">(attune::values(1, 2, 4, 8)));

attune::tuning_options few_evaluations()
{
    return {.limits = {.evaluations = 6, .seconds = 20}, .progress = attune::silent_progress()};
}

template <class Compiler>
struct program {
    attune::kernel<signature> kernel;
    attune::tuned<signature, Compiler, attune::memory_store> tuned;

    explicit program(bool leaves)
        : kernel{"scale", attune::source_text(leaves ? leaving_text : text, "scale.cpp"), space}
        , tuned{kernel, Compiler{}, attune::memory_store{}, few_evaluations()}
    {
    }
    void call()
    {
        std::vector<float> x(20'000);
        std::vector<float> y(x.size(), -1.0F);
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = static_cast<float>(i % 1000);
        tuned(x, y, 3.0F);
        for (std::size_t i = 0; i < x.size(); ++i)
            HOST_CHECK(y[i] == 3 * x[i]);
    }
};

/// @return  status of the program
template <class Compiler>
int run(char const* way)
{
    auto const is = [&](char const* what) { return std::strcmp(way, what) == 0; };
    std::printf("begin\n"); // stays in stdout's buffer until exit()
    if (is("static")) {
        static program<Compiler> all{false};
        all.call();
        std::thread([&] { all.call(); }).join();
        all.call();
        HOST_CHECK(host_calls >= 2);
    } else if (is("local")) {
        program<Compiler> all{false};
        all.call();
        std::thread([&] { all.call(); }).join();
    } else if (is("outlived")) { // a thread has objects of code that was unloaded, and ends later
        std::atomic<bool> called{false};
        std::atomic<bool> over{false};
        std::thread other;
        {
            program<Compiler> all{false};
            other = std::thread([&] {
                all.call();
                called = true;
                while (!over)
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
            });
            while (!called)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        over = true;
        other.join();
    } else if (is("forked")) {
        program<Compiler> all{false};
        all.call();
        std::fflush(stdout); // a sanitizer's _exit() writes the child's copy of the buffer
        pid_t const id = ::fork();
        if (id == 0) {
            all.call();
            ::_exit(3);
        }
        int status = 0;
        ::waitpid(id, &status, 0);
        HOST_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
        all.call();
    } else if (is("leaving")) {
        static program<Compiler> all{true};
        all.call();
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        all.call();
    } else {
        return 2;
    }
    std::printf("end\n");
    return 7;
}

} // namespace

/// A second process is the program; this one says how it ended, and what it printed.
int main(int count, char** arguments)
{
    if (count < 2) return 2;
    std::array<int, 2> ends{};
    HOST_CHECK(::pipe(ends.data()) == 0);
    pid_t const id = ::fork();
    if (id == 0) {
        ::dup2(ends[1], STDOUT_FILENO);
        ::close(ends[0]);
        ::close(ends[1]);
        return count > 2 ? run<attune::system_compiler>(arguments[1])
                         : run<attune::clang_compiler>(arguments[1]);
    }
    ::close(ends[1]);
    std::string printed;
    std::array<char, 256> some{};
    for (ssize_t got = 0; (got = ::read(ends[0], some.data(), some.size())) > 0;)
        printed.append(some.data(), static_cast<std::size_t>(got));
    int status = 0;
    ::waitpid(id, &status, 0);
    std::printf("%s %d\n%s", WIFEXITED(status) ? "status" : "signal",
                WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), printed.c_str());
    return WIFEXITED(status) && WEXITSTATUS(status) == 7 && printed == "begin\nend\n" ? 0 : 1;
}
