// tests/support/scripted_worker.hpp : a worker_bench whose worker is a forked child with a scripted bench.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/measure/device/worker/worker_bench.hpp>
#include <attune/measure/device/worker/worker_door.hpp>
#include <attune/measure/device/worker/worker_process.hpp>
#include <attune/measure/sandbox/signal_guard.hpp>

#include <csignal>
#include <cstddef>
#include <cstring>
#include <doctest/doctest.h>
#include <memory>
#include <span>
#include <string>
#include <unistd.h>
#include <utility>
#include <variant>
#include <vector>

#include "scripted_bench.hpp"

namespace attune_test {

namespace worker = attune::detail::worker;

inline std::unique_ptr<attune::detail::device_bench>
make_scripted(std::shared_ptr<attune::detail::cuda::driver const> d,
              attune::detail::device_call call, attune::detail::device_bench_options const& how)
{
    return std::make_unique<scripted_bench>(std::move(d), std::move(call), how);
}

/// A forked child with a scripted bench.
inline int start_scripted(int socket, int log)
{
    int const parent = ::getpid();
    int const id = ::fork();
    if (id != 0) return id;
    // Deaths are not the business of the test program's handlers.
    for (int const signal : {SIGSEGV, SIGABRT, SIGILL, SIGFPE, SIGBUS, SIGTERM})
        std::signal(signal, SIG_DFL);
    ::dup2(socket, worker::worker_socket);
    ::dup2(log, STDERR_FILENO);
    worker::live_as_worker(worker::worker_socket, parent, make_scripted);
}

inline worker::worker_options quick(worker::starter start = start_scripted)
{
    worker::worker_options how;
    how.start = std::move(start);
    how.start_limit_s = 30;
    how.grace_s = 0.3;
    return how;
}

/// A bench of two host arrays, in a worker.
struct scripted_worker {
    std::vector<float> x{1, 2, 3, 4};
    std::vector<int> y{5, 6, 7};
    std::unique_ptr<worker::worker_bench> bench;

    explicit scripted_worker(worker::worker_options how = quick(),
                             attune::detail::device_bench_options const& options = {})
    {
        attune::detail::device_call call;
        call.buffers.push_back(
            {attune::detail::as_buffer(std::span(x), 0), attune::detail::memory_place::host});
        call.buffers.push_back(
            {attune::detail::as_buffer(std::span(y), 1), attune::detail::memory_place::host});
        bench = std::make_unique<worker::worker_bench>(
            attune::detail::cuda::open_driver(ATTUNE_SCRIPTED_DRIVER), call, options,
            std::move(how));
    }

    [[nodiscard]] attune::first_run_result establish(std::string const& entry = "0.5") const
    {
        return bench->establish(scripted_bench::variant(entry), {}, 0.2);
    }
    [[nodiscard]] attune::first_run_result run(std::string const& entry) const
    {
        return bench->first_run(scripted_bench::variant(entry), 0.2);
    }
    [[nodiscard]] attune::failure failing(std::string const& entry) const
    {
        auto const result = run(entry);
        REQUIRE(std::holds_alternative<attune::failure>(result));
        return std::get<attune::failure>(result);
    }
    /// Leaves the bench's arrays as they are.
    [[nodiscard]] double times(std::string const& entry) const
    {
        auto const timed = bench->time(scripted_bench::variant(entry), 1, 0.2, nullptr);
        REQUIRE(std::holds_alternative<attune::measurement>(timed));
        return std::get<attune::measurement>(timed).value;
    }
    /// Why contents cannot be had.
    [[nodiscard]] attune::failure unreadable() const
    {
        try {
            (void)bench->contents(1);
        } catch (attune::detail::stopped const& s) {
            return s.why;
        }
        return {};
    }
    /// Which process answers.
    [[nodiscard]] int process() const { return static_cast<int>(std::get<double>(run("process"))); }
    [[nodiscard]] std::vector<int> second_array() const
    {
        std::vector<std::byte> const bytes = bench->contents(1);
        std::vector<int> out(bytes.size() / sizeof(int));
        std::memcpy(out.data(), bytes.data(), bytes.size());
        return out;
    }
};

} // namespace attune_test
