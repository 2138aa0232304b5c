// attune/measure/device/worker/worker_bench.ipp - starts workers, sends requests, and ends failed workers.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/device.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/measure/device/worker/worker_bench.hpp>
#include <attune/measure/device/worker/worker_wire.hpp>
#include <attune/measure/message/message_values.hpp>
#include <attune/measure/sandbox/signal_guard.hpp>

#include <chrono>
#include <thread>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail::worker {

/// Returns true if MPS shares contexts on a device: a fault in one context ends all of them.
[[nodiscard]] inline bool is_shared_by_mps(cuda::driver const& driver, int ordinal) noexcept
{
    cuda::device device = 0;
    int is_shared = 0;
    return driver.device_get(&device, ordinal) == cuda::success &&
           driver.device_get_attribute(&is_shared, cuda::of_device::is_shared_by_mps, device) ==
               cuda::success &&
           is_shared != 0;
}

/// True for failures after which the context may be lost.
[[nodiscard]] inline bool ends_context(failure const& why) noexcept
{
    return why.stage == failure_stage::crash || why.stage == failure_stage::timeout;
}

/// Returns true for an exception about device memory: a worker that holds less may succeed.
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

[[nodiscard]] inline message request(message_kind kind, message_writer& text)
{
    message made;
    made.kind = kind;
    made.text = text.take();
    return made;
}

ATTUNE_INLINE worker_bench::worker_bench(std::shared_ptr<cuda::driver const> driver,
                                         device_call call, device_bench_options const& options,
                                         worker_options how)
    : device_bench(bus_of_device(*driver, how.ordinal < 0 ? call.ordinal : how.ordinal))
    , driver_(std::move(driver))
    , call_(std::move(call))
    , asked_options_(options)
    , options_(options)
    , how_(std::move(how))
{
    constexpr double bytes_per_s = 200e6; // below the rate of a slow disk or a bus
    for (device_buffer const& b : call_.buffers)
        data_s_ += static_cast<double>(b.where.bytes) / bytes_per_s;
    int const ordinal = how_.ordinal < 0 ? call_.ordinal : how_.ordinal;
    if (ordinal != call_.ordinal) route_ = route::host;
    bus_ = bus_of_device(*driver_, ordinal);
    is_shared_ = is_shared_by_mps(*driver_, ordinal);
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
    message_writer text;
    put(text, how);
    made.text = text.take();
    return made;
}

ATTUNE_INLINE failure worker_bench::end_worker(failure_stage stage, std::string const& reason)
{
    failure why{stage, reason, {}};
    if (worker_ == nullptr) return why;
    // A worker that ends by itself reports its end: wait up to 1 s for the report.
    for (double const until_s = attune::detail::steady_seconds() + 1;
         reason.empty() && !worker_->has_ended() && attune::detail::steady_seconds() < until_s;)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ending const how = worker_->end();
    if (reason.empty())
        why.reason = text_of(how);
    else if (how.is_left)
        why.reason += "; " + text_of(how);
    why.log = worker_->log();
    worker_.reset();
    return why;
}

ATTUNE_INLINE worker_bench::reply worker_bench::exchange(message const& asked, double within_s,
                                                         double limit_s)
{
    double const until_s = attune::detail::steady_seconds() + within_s;
    worker_->forget_log();
    message got;
    transfer t = send(worker_->socket(), asked, until_s);
    try {
        if (t == transfer::done) t = worker_->receive(got, until_s);
    } catch (damaged_message const& damage) {
        return end_worker(failure_stage::crash, damage.what());
    }
    if (t == transfer::late)
        return end_worker(failure_stage::timeout,
                          "still running after " + attune::detail::seconds_text(limit_s));
    if (t == transfer::ended) return end_worker(failure_stage::crash, {});
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
        message_reader from(got.text);
        if (got.kind == message_kind::ready) break;
        if (got.kind == message_kind::unreachable && route_ == route::handle) {
            route_ = route::host;
            continue;
        }
        if (lacks_memory(got) && std::exchange(may_copy_, false)) continue;
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
    std::string last;
    for (int attempt = 0; attempt < how_.most_attempts; ++attempt) {
        // The memory of the former worker may not be free yet.
        std::this_thread::sleep_for(attempt * std::chrono::milliseconds(200));
        try {
            start_worker();
            if (established_) {
                auto const known = result_of<first_run_result>(
                    exchange(*established_, 6 * established_limit_s_ + how_.grace_s + data_s_,
                             established_limit_s_),
                    [](message_reader& from) { return get_first_run_result(from); });
                if (auto const* const why = std::get_if<failure>(&known)) {
                    last = "the default configuration, which worked before: " + why->reason;
                    worker_.reset();
                    continue;
                }
                if (worker_ == nullptr) { // the trial from perturbed contents ended it
                    last = "the default configuration wrote outside its arrays";
                    options_.perturb = false;
                    continue;
                }
            }
            ++replacements_;
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
                           : "see whether the device still works (nvidia-smi, clinfo)");
}

ATTUNE_INLINE worker_bench::reply worker_bench::ask(message const& asked, double within_s,
                                                    double limit_s)
{
    require_worker();
    reply r = exchange(asked, within_s, limit_s);
    for (bool is_second = false;; is_second = true) {
        auto const* const got = std::get_if<message>(&r);
        if (got == nullptr || is_answer(*got)) return r;
        // An error of the environment, perhaps of this worker only.
        worker_.reset();
        if (lacks_memory(*got)) may_copy_ = false;
        if (is_second) {
            message_reader from(got->text);
            if (got->kind == message_kind::thrown) throw get_thrown(from);
            throw damaged_message();
        }
        require_worker();
        r = exchange(asked, within_s, limit_s);
    }
}

ATTUNE_INLINE failure worker_bench::settle_failure(failure why)
{
    if (worker_ == nullptr) return why;
    if (why.log.empty()) why.log = worker_->log();
    if (ends_context(why)) worker_.reset();
    return why;
}

template <class Result, class Get>
Result worker_bench::result_of(reply&& got, Get const& get)
{
    if (auto* const why = std::get_if<failure>(&got)) return std::move(*why);
    message const& answered = std::get<message>(got);
    try {
        message_reader from(answered.text);
        if (answered.kind == message_kind::thrown) throw get_thrown(from);
        if (!is_answer(answered)) throw damaged_message();
        Result result = get(from);
        if (auto* const why = std::get_if<failure>(&result)) *why = settle_failure(std::move(*why));
        // Memory that a variant overwrote could become input or reference of other variants.
        if (answered.kind == message_kind::last_answer) worker_.reset();
        return result;
    } catch (damaged_message const& damage) {
        return end_worker(failure_stage::crash, damage.what());
    }
}

/// The checked result of a comparison: it names a contestant, or has times of all contestants.
/// Errors   damaged_message
[[nodiscard]] inline std::variant<round_times, std::size_t> comparison_of(message const& got,
                                                                          std::size_t contestants)
{
    message_reader from(got.text);
    auto result = get_comparison(from);
    auto const* const failed = std::get_if<std::size_t>(&result);
    if (failed != nullptr ? *failed >= contestants
                          : std::get<round_times>(result).size() != contestants)
        throw damaged_message();
    for (std::size_t i = 0; failed == nullptr && i < contestants; ++i)
        if (std::get<round_times>(result).rounds(i) == 0) throw damaged_message();
    return result;
}

ATTUNE_INLINE first_run_result worker_bench::establish(
    device_variant const& trusted, std::span<std::vector<std::byte> const> expected, double limit_s)
{
    established_.reset();
    message asked;
    asked.kind = message_kind::establish;
    message_writer text;
    text.put(limit_s);
    put(text, trusted);
    put_arrays(asked, text, expected);
    asked.text = text.take();
    auto const once = [&] {
        return result_of<first_run_result>(
            ask(asked, 6 * limit_s + how_.grace_s + data_s_, limit_s),
            [](message_reader& from) { return get_first_run_result(from); });
    };
    first_run_result result = once();
    if (worker_ == nullptr && options_.perturb) {
        // Perturbed contents may be the cause.
        options_.perturb = false;
        result = once();
    }
    if (std::holds_alternative<double>(result)) {
        established_ = std::move(asked);
        established_limit_s_ = limit_s;
        established_s_ = std::get<double>(result);
    }
    return result;
}

ATTUNE_INLINE first_run_result worker_bench::first_run(device_variant const& tried, double limit_s)
{
    message_writer text;
    text.put(limit_s);
    put(text, tried);
    return result_of<first_run_result>(
        ask(request(message_kind::first_run, text), 2 * limit_s + how_.grace_s + data_s_, limit_s),
        [](message_reader& from) { return get_first_run_result(from); });
}

ATTUNE_INLINE std::vector<std::byte> worker_bench::contents(std::size_t i)
{
    auto const lost = [](failure why) {
        why.reason = "its result cannot be read: " + why.reason;
        return stopped{std::move(why)};
    };
    // Another worker holds the default's results; they would pass as this variant's.
    if (worker_ == nullptr)
        throw lost({failure_stage::crash, "the worker process that had its code has ended", {}});
    message_writer text;
    text.put(i);
    double const within_s = how_.grace_s + data_s_;
    reply r = exchange(request(message_kind::contents, text), within_s, within_s);
    if (auto* const why = std::get_if<failure>(&r)) throw lost(std::move(*why));
    auto& got = std::get<message>(r);
    try {
        message_reader from(got.text);
        if (got.kind == message_kind::thrown) {
            worker_.reset(); // another worker may succeed
            throw lost({failure_stage::crash, attune::detail::sentence_of(get_thrown(from)), {}});
        }
        if (got.kind != message_kind::answer) throw damaged_message();
        auto arrays = get_arrays(got, from);
        if (arrays.size() != 1 || arrays.front().size() != call_.buffers.at(i).where.bytes)
            throw damaged_message();
        return std::move(arrays.front());
    } catch (damaged_message const& damage) {
        throw lost(end_worker(failure_stage::crash, damage.what()));
    }
}

ATTUNE_INLINE outcome worker_bench::time(device_variant const& tried, double stop_above_s,
                                         double limit_s, timing_record* taken)
{
    message_writer text;
    text.put(stop_above_s);
    text.put(limit_s);
    put(text, tried);
    return result_of<outcome>(
        ask(request(message_kind::time, text),
            2 * options_.timing_limit_s + 4 * limit_s + how_.grace_s + data_s_, limit_s),
        [&](message_reader& from) {
            outcome const end = get_outcome(from);
            timing_record const record = get_timing(from);
            if (taken != nullptr) *taken = record;
            return end;
        });
}

ATTUNE_INLINE std::variant<round_times, std::size_t>
worker_bench::compare(std::span<device_variant const> tried, double limit_s)
{
    message_writer text;
    text.put(limit_s);
    text.put(tried.size());
    for (device_variant const& one : tried)
        put(text, one);
    message const asked = request(message_kind::compare, text);
    // When the time is over, a contestant may still be in its warm-up or in a round.
    double const run_limit_s = hang_limit_s(limit_s, established_s_);
    double const within_s = 2 * limit_s + run_limit_s +
                            10 * static_cast<double>(tried.size()) * established_s_ + how_.grace_s +
                            data_s_;
    for (int attempt = 0; attempt < 2; ++attempt) {
        reply r = ask(asked, within_s, run_limit_s);
        if (auto const* const got = std::get_if<message>(&r)) {
            try {
                auto result = comparison_of(*got, tried.size());
                // The reason is unknown: replace the worker, to be safe.
                if (std::holds_alternative<std::size_t>(result)) worker_.reset();
                return result;
            } catch (damaged_message const& damage) {
                static_cast<void>(end_worker(failure_stage::crash, damage.what()));
            }
        }
        // The worker did not report the failed variant: run each alone.
        for (std::size_t i = 0; i < tried.size(); ++i)
            if (std::holds_alternative<failure>(first_run(tried[i], run_limit_s))) return i;
    }
    return tried.size() - 1;
}

ATTUNE_INLINE std::unique_ptr<bench> worker_bench::on_device(int ordinal) const
{
    worker_options there = how_;
    there.ordinal = ordinal;
    auto made = std::make_unique<worker_bench>(driver_, call_, asked_options_, std::move(there));
    made->set_host_check(host_check_in_use());
    return made;
}

ATTUNE_INLINE std::string worker_bench::protection() const
{
    std::string text = "worker: variants run in a process of their own";
    if (replacements_ > 0)
        text += ", replaced " + std::to_string(replacements_) +
                (replacements_ == 1 ? " time" : " times");
    if (is_shared_)
        text += "; under CUDA MPS, where a fault of one takes this program's context too";
    return text;
}

ATTUNE_INLINE std::unique_ptr<device_bench>
make_worker_bench(std::shared_ptr<cuda::driver const> driver, device_call call,
                  device_bench_options const& options, worker_options const& how)
{
    std::string why;
    if (how.is_required && is_shared_by_mps(*driver, call.ordinal))
        throw error(
            "a worker process does not protect this program: under CUDA MPS a fault of one "
            "takes the other's context along",
            "the driver says so of device " + std::to_string(call.ordinal),
            "tune without MPS (echo quit | nvidia-cuda-mps-control), or let options.protect "
            "= attune::isolation::automatic do with such a worker");
    try {
        return std::make_unique<worker_bench>(driver, call, options, how);
    } catch (error const& none) {
        why = attune::detail::sentence_of(none);
    }
    if (how.is_required)
        throw error(
            "there is no worker process to run variants of this program in", why,
            "see whether the device still works (nvidia-smi, clinfo). attune::isolation::none in "
            "options.measuring.protect runs variants in this process, and so does "
            "attune::isolation::automatic if the device is not this processor");
    return make_local_bench(std::move(driver), std::move(call), options,
                            "in process: there is no worker: " + why);
}

} // namespace attune::inline ATTUNE_ABI::detail::worker

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::unique_ptr<device_bench>
make_worker_bench(std::shared_ptr<cuda::driver const> driver, device_call call,
                  device_bench_options const& options)
{
    return worker::make_worker_bench(std::move(driver), std::move(call), options, {});
}

} // namespace attune::inline ATTUNE_ABI::detail
