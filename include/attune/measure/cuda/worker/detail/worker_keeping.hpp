// attune/measure/cuda/worker/detail/worker_keeping.hpp - starts workers, asks them, and buries those that die.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/numbers.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/cuda/worker/worker_bench.hpp>
#include <attune/measure/sandbox/detail/signal_text.hpp>

#include <time.h>
#include <utility>

namespace attune::inline ATTUNE_ABI::worker {

namespace detail {

[[nodiscard]] inline double now_s() noexcept { return system_clocks().wall_s(); }

inline void nap(double seconds) noexcept
{
    timespec const length{
        static_cast<time_t>(seconds),
        static_cast<long>((seconds - static_cast<double>(static_cast<time_t>(seconds))) * 1e9)};
    ::nanosleep(&length, nullptr);
}

/// Whether contexts on a device are those of one server, in which a fault of one ends all.
[[nodiscard]] inline bool is_shared_by_mps(cuda::driver const& driver, int ordinal) noexcept
{
    cuda::device device = 0;
    int is_shared = 0;
    return driver.device_get(&device, ordinal) == cuda::success &&
           driver.device_get_attribute(&is_shared, cuda::of_device::is_shared_by_mps, device) ==
               cuda::success &&
           is_shared != 0;
}

/// Errors after which there may be nothing left to work with.
[[nodiscard]] inline bool ends_context(failure const& why) noexcept
{
    return why.stage == failure_stage::crash || why.stage == failure_stage::timeout;
}

/// An exception for want of memory on the device: a worker that holds less there may do.
[[nodiscard]] inline bool lacks_memory(message const& got)
{
    return got.kind == message_kind::thrown &&
           (got.text.find("out of memory") != std::string::npos ||
            got.text.find("OUT_OF_MEMORY") != std::string::npos);
}

[[nodiscard]] inline bool is_answer(message const& got) noexcept
{
    return got.kind == message_kind::answer || got.kind == message_kind::last_answer;
}

[[nodiscard]] inline message request(message_kind kind, writer& text)
{
    message made;
    made.kind = kind;
    made.text = text.take();
    return made;
}

} // namespace detail

ATTUNE_INLINE worker_bench::worker_bench(std::shared_ptr<cuda::driver const> driver,
                                         device_call call,
                                         device_bench_options const& options,
                                         worker_options how)
    : driver_(std::move(driver))
    , call_(std::move(call))
    , options_(options)
    , how_(std::move(how))
{
    constexpr double bytes_per_s = 200e6; // of a slow disk, let alone a bus
    for (device_buffer const& b : call_.buffers)
        data_s_ += static_cast<double>(b.where.bytes) / bytes_per_s;
    cuda::device device = 0;
    char bus[64] = "";
    int const ordinal = how_.ordinal < 0 ? call_.ordinal : how_.ordinal;
    if (ordinal != call_.ordinal) route_ = route::host;
    cuda::require_success(*driver_, driver_->device_get(&device, ordinal), "cuDeviceGet");
    cuda::require_success(*driver_,
                          driver_->device_get_pci_bus_id(bus, sizeof bus - 1, device),
                          "cuDeviceGetPCIBusId");
    bus_ = bus;
    is_shared_ = detail::is_shared_by_mps(*driver_, ordinal);
    start_worker();
}

ATTUNE_INLINE message worker_bench::begin_message(route by) const
{
    message made;
    made.kind = message_kind::begin;
    beginning how;
    how.driver_path = driver_->path;
    how.bus = bus_;
    how.options = options_;
    how.may_copy = may_copy_;
    how.call = call_;
    pack_arrays(driver_, call_, by, how, made);
    writer text;
    put(text, how);
    made.text = text.take();
    return made;
}

ATTUNE_INLINE failure worker_bench::bury(failure_stage stage, std::string const& reason)
{
    failure why{stage, reason, {}};
    if (worker_ == nullptr) return why;
    // One that goes by itself says how: give it the time.
    for (double const until_s = detail::now_s() + 1;
         reason.empty() && !worker_->has_ended() && detail::now_s() < until_s;)
        detail::nap(1e-3);
    ending const how = worker_->end();
    if (reason.empty())
        why.reason = text_of(how);
    else if (how.is_left)
        why.reason += "; " + text_of(how);
    why.log = worker_->log();
    worker_.reset();
    return why;
}

ATTUNE_INLINE worker_bench::reply
worker_bench::exchange(message const& asked, double within_s, double limit_s)
{
    double const until_s = detail::now_s() + within_s;
    worker_->forget_log();
    message got;
    transfer t = send(worker_->socket(), asked, until_s);
    try {
        if (t == transfer::done) t = worker_->receive(got, until_s);
    } catch (damaged_message const& damage) {
        return bury(failure_stage::crash, damage.what());
    }
    if (t == transfer::late)
        return bury(failure_stage::timeout,
                    "still running after " + attune::detail::seconds_text(limit_s));
    if (t == transfer::ended) return bury(failure_stage::crash, {});
    return got;
}

ATTUNE_INLINE void worker_bench::start_worker()
{
    worker_ = std::make_unique<process>(how_.start);
    for (;;) {
        reply r = exchange(begin_message(route_), how_.start_limit_s + data_s_, how_.start_limit_s);
        if (auto const* const why = std::get_if<failure>(&r))
            throw error(why->stage == failure_stage::timeout
                            ? "the worker process does not answer within " +
                                  attune::detail::seconds_text(how_.start_limit_s)
                            : "the worker process does not come up: " + why->reason,
                        why->log,
                        "let variants run in this process, if they are known to be harmless");
        message const& got = std::get<message>(r);
        reader from(got.text);
        if (got.kind == message_kind::ready) break;
        if (got.kind == message_kind::unreachable && route_ == route::handle) {
            route_ = route::host;
            continue;
        }
        if (detail::lacks_memory(got) && std::exchange(may_copy_, false)) continue;
        worker_.reset();
        if (got.kind == message_kind::thrown) throw get_thrown(from);
        throw error("the worker process does not come up: it cannot reach the arrays",
                    got.kind == message_kind::unreachable ? from.get_text() : std::string(),
                    "let variants run in this process, if they are known to be harmless");
    }
}

ATTUNE_INLINE void worker_bench::require_worker()
{
    if (worker_ != nullptr) return;
    double const begun_s = detail::now_s();
    std::string last;
    for (int attempt = 0; attempt < how_.most_attempts; ++attempt) {
        // The memory of the one before may not be free yet.
        if (attempt > 0) detail::nap(0.2 * attempt);
        try {
            start_worker();
            if (established_) {
                auto const known = result_of<probation_result>(
                    exchange(*established_,
                             6 * established_limit_s_ + how_.grace_s + data_s_,
                             established_limit_s_),
                    [](reader& from) { return get_probation(from); });
                if (auto const* const why = std::get_if<failure>(&known)) {
                    last = "the default configuration, which worked before: " + why->reason;
                    worker_.reset();
                    continue;
                }
                if (worker_ == nullptr) { // from contents that nobody asked for, this time
                    last = "the default configuration wrote outside its arrays";
                    options_.perturb = false;
                    continue;
                }
            }
            ++replacements_;
            replacing_s_ += detail::now_s() - begun_s;
            return;
        } catch (std::exception const& none) {
            last = none.what();
            worker_.reset();
        }
    }
    throw error("no worker process comes up any more to run variants in (" +
                    std::to_string(how_.most_attempts) + " attempts)",
                last,
                is_shared_ ? "CUDA MPS serves this device, and takes no new client after a fault "
                             "before all others have ended: end this program and the device's "
                             "other users, or tune without MPS"
                           : "see whether the device still works (nvidia-smi)");
}

ATTUNE_INLINE worker_bench::reply
worker_bench::ask(message const& asked, double within_s, double limit_s)
{
    require_worker();
    reply r = exchange(asked, within_s, limit_s);
    for (bool is_second = false;; is_second = true) {
        auto const* const got = std::get_if<message>(&r);
        if (got == nullptr || detail::is_answer(*got)) return r;
        // An error of the environment. Was it this worker's alone?
        worker_.reset();
        if (detail::lacks_memory(*got)) may_copy_ = false;
        if (is_second) {
            reader from(got->text);
            if (got->kind == message_kind::thrown) throw get_thrown(from);
            throw damaged_message();
        }
        require_worker();
        r = exchange(asked, within_s, limit_s);
    }
}

ATTUNE_INLINE failure worker_bench::judged(failure why)
{
    if (worker_ == nullptr) return why;
    if (why.log.empty()) why.log = worker_->log();
    if (detail::ends_context(why)) worker_.reset();
    return why;
}

template <class Result, class Get>
Result worker_bench::result_of(reply&& got, Get const& get)
{
    if (auto* const why = std::get_if<failure>(&got)) return std::move(*why);
    message const& answered = std::get<message>(got);
    try {
        reader from(answered.text);
        if (answered.kind == message_kind::thrown) throw get_thrown(from);
        if (!detail::is_answer(answered)) throw damaged_message();
        Result result = get(from);
        if (auto* const why = std::get_if<failure>(&result)) *why = judged(std::move(*why));
        // What one variant wrote over, all others would begin with or be compared with.
        if (answered.kind == message_kind::last_answer) worker_.reset();
        return result;
    } catch (damaged_message const& damage) {
        return bury(failure_stage::crash, damage.what());
    }
}

} // namespace attune::inline ATTUNE_ABI::worker
