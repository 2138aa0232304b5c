// attune/measure/cuda/worker/detail/worker_requests.hpp - what a bench is asked, as requests to a worker.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/device.hpp>
#include <attune/measure/cuda/worker/detail/worker_keeping.hpp>
#include <attune/measure/sandbox/signal_guard.hpp>

#include <utility>

namespace attune::inline ATTUNE_ABI::worker {

namespace detail {

/// Of so many contestants: those who ask for a time or name who failed do not look again.
/// Errors   damaged_message
[[nodiscard]] inline std::variant<round_times, std::size_t> comparison_of(message const& got,
                                                                          std::size_t contestants)
{
    reader from(got.text);
    auto result = get_comparison(from);
    auto const* const failed = std::get_if<std::size_t>(&result);
    if (failed != nullptr ? *failed >= contestants
                          : std::get<round_times>(result).size() != contestants)
        throw damaged_message();
    for (std::size_t i = 0; failed == nullptr && i < contestants; ++i)
        if (std::get<round_times>(result).rounds(i) == 0) throw damaged_message();
    return result;
}

} // namespace detail

ATTUNE_INLINE probation_result worker_bench::establish(
    device_variant const& trusted, std::span<std::vector<std::byte> const> expected, double limit_s)
{
    established_.reset();
    message asked;
    asked.kind = message_kind::establish;
    writer text;
    text.put(limit_s);
    put(text, trusted);
    put_arrays(asked, text, expected);
    asked.text = text.take();
    auto const once = [&] {
        return result_of<probation_result>(
            ask(asked, 6 * limit_s + how_.grace_s + data_s_, limit_s),
            [](reader& from) { return get_probation(from); });
    };
    probation_result result = once();
    if (worker_ == nullptr && options_.perturb) {
        // Contents that nobody asked for may be to blame.
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

ATTUNE_INLINE probation_result worker_bench::first_run(device_variant const& tried, double limit_s)
{
    writer text;
    text.put(limit_s);
    put(text, tried);
    return result_of<probation_result>(ask(detail::request(message_kind::first_run, text),
                                           2 * limit_s + how_.grace_s + data_s_,
                                           limit_s),
                                       [](reader& from) { return get_probation(from); });
}

ATTUNE_INLINE std::vector<std::byte> worker_bench::contents(std::size_t i)
{
    auto const lost = [](failure why) {
        why.reason = "its result cannot be read: " + why.reason;
        return stopped{std::move(why)};
    };
    // Another worker would have what the default writes, and that would pass for this result.
    if (worker_ == nullptr)
        throw lost({failure_stage::crash, "the worker process that had it is no more", {}});
    writer text;
    text.put(i);
    double const within_s = how_.grace_s + data_s_;
    reply r = exchange(detail::request(message_kind::contents, text), within_s, within_s);
    if (auto* const why = std::get_if<failure>(&r)) throw lost(std::move(*why));
    auto& got = std::get<message>(r);
    try {
        reader from(got.text);
        if (got.kind == message_kind::thrown) {
            worker_.reset(); // the next one may be better off
            throw lost({failure_stage::crash, attune::detail::sentence_of(get_thrown(from)), {}});
        }
        if (got.kind != message_kind::answer) throw damaged_message();
        auto arrays = get_arrays(got, from);
        if (arrays.size() != 1 || arrays.front().size() != call_.buffers.at(i).where.bytes)
            throw damaged_message();
        return std::move(arrays.front());
    } catch (damaged_message const& damage) {
        throw lost(bury(failure_stage::crash, damage.what()));
    }
}

ATTUNE_INLINE outcome worker_bench::time(device_variant const& tried,
                                         double stop_above_s,
                                         double limit_s,
                                         timing_record* taken)
{
    writer text;
    text.put(stop_above_s);
    text.put(limit_s);
    put(text, tried);
    return result_of<outcome>(
        ask(detail::request(message_kind::time, text),
            2 * options_.timing_limit_s + 4 * limit_s + how_.grace_s + data_s_,
            limit_s),
        [&](reader& from) {
            outcome const end = get_outcome(from);
            timing_record const record = get_timing(from);
            if (taken != nullptr) *taken = record;
            return end;
        });
}

ATTUNE_INLINE std::variant<round_times, std::size_t>
worker_bench::compare(std::span<device_variant const> tried, double limit_s)
{
    writer text;
    text.put(limit_s);
    text.put(tried.size());
    for (device_variant const& one : tried)
        put(text, one);
    message const asked = detail::request(message_kind::compare, text);
    // Once it is out of time, each may still be at its warm-up runs or in a round.
    double const run_limit_s = hang_limit_s(limit_s, established_s_);
    double const within_s = 2 * limit_s + run_limit_s +
                            10 * static_cast<double>(tried.size()) * established_s_ + how_.grace_s +
                            data_s_;
    for (int attempt = 0; attempt < 2; ++attempt) {
        reply r = ask(asked, within_s, run_limit_s);
        if (auto const* const got = std::get_if<message>(&r)) {
            try {
                auto result = detail::comparison_of(*got, tried.size());
                // It does not say why: another worker, to be safe.
                if (std::holds_alternative<std::size_t>(result)) worker_.reset();
                return result;
            } catch (damaged_message const& damage) {
                static_cast<void>(bury(failure_stage::crash, damage.what()));
            }
        }
        // Who was it? One that fails alone, too.
        for (std::size_t i = 0; i < tried.size(); ++i)
            if (std::holds_alternative<failure>(first_run(tried[i], run_limit_s))) return i;
    }
    return tried.size() - 1;
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

} // namespace attune::inline ATTUNE_ABI::worker
