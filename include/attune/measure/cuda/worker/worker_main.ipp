// attune/measure/cuda/worker/worker_main.ipp - receives messages, calls a bench, sends answers.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/cuda/worker/worker_arrays.hpp>
#include <attune/measure/cuda/worker/worker_main.hpp>
#include <attune/measure/cuda/worker/worker_protocol.hpp>
#include <attune/measure/message/outcome_values.hpp>
#include <attune/measure/sandbox/child_process.hpp>
#include <attune/measure/sandbox/detail/child_side.hpp>
#include <attune/measure/sandbox/detail/started_child.hpp>

#include <cerrno>
#include <cstdint>
#include <exception>
#include <limits>
#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail::worker {

inline constexpr double for_ever = std::numeric_limits<double>::infinity();

/// The ordinal, in this process, of the device with a bus id.
/// Errors   attune::error: it is not visible
[[nodiscard]] inline int device_at_bus(cuda::driver const& driver, std::string const& bus)
{
    int count = 0;
    cuda::require_success(driver, driver.device_get_count(&count), "cuDeviceGetCount");
    for (int ordinal = 0; ordinal < count; ++ordinal) {
        cuda::device device = 0;
        char name[64] = "";
        if (driver.device_get(&device, ordinal) == cuda::success &&
            driver.device_get_pci_bus_id(name, sizeof name - 1, device) == cuda::success &&
            bus == name)
            return ordinal;
    }
    throw error("the worker process does not see the device at " + bus,
                "the driver finds " + std::to_string(count) + " there",
                "do not change CUDA_VISIBLE_DEVICES after CUDA was first used");
}

/// The state of a worker between messages.
class served_bench {
public:
    explicit served_bench(bench_maker const& make)
        : make_(make)
    {
    }

    [[nodiscard]] message answer(message& asked)
    {
        message out;
        out.kind = message_kind::answer;
        message_writer text;
        message_reader from(asked.text);
        if (asked.kind == message_kind::begin) {
            out.kind = begin(asked, from, text);
        } else {
            if (bench_ == nullptr) throw damaged_message();
            ask(asked, from, out, text);
            if (bench_->is_spoilt()) out.kind = message_kind::last_answer;
        }
        out.text = text.take();
        return out;
    }

private:
    [[nodiscard]] message_kind begin(message& asked, message_reader& from, message_writer& text)
    {
        bench_.reset();
        arrays_.reset();
        beginning how = get_beginning(from);
        auto const driver = cuda::open_driver(how.driver_path);
        how.call.ordinal = device_at_bus(*driver, how.bus);
        arrays_ = std::make_unique<received_arrays>(driver, how, asked);
        if (!arrays_->why_unreachable().empty()) {
            text.put_text(arrays_->why_unreachable());
            arrays_.reset();
            return message_kind::unreachable;
        }
        bench_ = make_(driver, how.call, how.options);
        arrays_->release();
        return message_kind::ready;
    }

    void ask(message& asked, message_reader& from, message& out, message_writer& text)
    {
        switch (asked.kind) {
        case message_kind::establish: {
            auto const limit_s = from.get<double>();
            device_variant const trusted = get_variant(from);
            put(text, bench_->establish(trusted, get_arrays(asked, from), limit_s));
            return;
        }
        case message_kind::first_run: {
            auto const limit_s = from.get<double>();
            put(text, bench_->first_run(get_variant(from), limit_s));
            return;
        }
        case message_kind::contents: {
            std::vector<std::byte> const held[] = {bench_->contents(from.get<std::size_t>())};
            put_arrays(out, text, held);
            return;
        }
        case message_kind::time: {
            auto const stop_above_s = from.get<double>();
            auto const limit_s = from.get<double>();
            timing_record taken;
            put_outcome(text, bench_->time(get_variant(from), stop_above_s, limit_s, &taken));
            put(text, taken);
            return;
        }
        case message_kind::compare: {
            auto const limit_s = from.get<double>();
            std::vector<device_variant> tried(from.get_count());
            for (device_variant& one : tried)
                one = get_variant(from);
            put(text, bench_->compare(tried, limit_s));
            return;
        }
        default:
            throw damaged_message();
        }
    }

    bench_maker const& make_;
    std::unique_ptr<received_arrays> arrays_{};
    std::unique_ptr<device_bench> bench_{};
};

ATTUNE_INLINE void serve(int socket, bench_maker const& make) noexcept
{
    served_bench bench(make);
    for (;;) {
        message asked;
        message answer;
        try {
            if (receive(socket, asked, for_ever) != transfer::done) return;
            answer = bench.answer(asked);
        } catch (std::exception const&) {
            message_writer text;
            put_thrown(text, std::current_exception());
            answer = message{message_kind::thrown, text.take(), descriptor(), 0};
        }
        if (send(socket, answer, for_ever) != transfer::done) return;
    }
}

/// Ends this process when the other end of its connection is closed, even while its other threads
/// work. PR_SET_PDEATHSIG would also end it with the parent's thread that started it.
inline void* end_with_program(void* data) noexcept
{
    pollfd one{static_cast<int>(reinterpret_cast<std::intptr_t>(data)), 0, 0};
    while (::poll(&one, 1, -1) < 0 && errno == EINTR) {
    }
    ::_exit(0);
}

inline void watch_program(int socket) noexcept
{
    // Signals are for the thread that runs variants.
    attune::detail::all_signals_blocked const quietly;
    pthread_t watcher{};
    ::pthread_create(&watcher, nullptr, end_with_program,
                     reinterpret_cast<void*>(std::intptr_t{socket}));
}

ATTUNE_INLINE void live_as_worker(int socket, int parent, bench_maker const& make) noexcept
{
    // 1 byte: less than any core file. If core_pattern is a pipe, Linux ignores a limit of 0 and
    // would pipe a process with a device's mappings; with 1 it dumps nothing. An inherited 0 cannot
    // be raised.
    rlimit const no_core{1, 1};
    ::setrlimit(RLIMIT_CORE, &no_core);
    if (::getppid() == parent) {
        watch_program(socket);
        attune::detail::leave_before_other_handlers();
        serve(socket, make);
    }
    ::_exit(0);
}

} // namespace attune::inline ATTUNE_ABI::detail::worker
