// attune/tune/capture.ipp - connects the tables of this program with the folder capture/.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/environment.hpp>
#include <attune/core/error.hpp>
#include <attune/core/offer.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/capture.hpp>
#include <attune/tune/capture/call_capture.hpp>
#include <attune/tune/capture/call_replay.hpp>
#include <attune/tune/dispatch/call_watch.hpp>
#include <attune/tune/report.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline std::vector<std::string> complaints_of_capture()
{
    std::string const capture = environment_variable("ATTUNE_CAPTURE");
    if (capture.empty() || capture_wish_in(capture)) return {};
    return {"ATTUNE_CAPTURE is '" + capture +
            "', which is not KERNEL, KERNEL:64MiB or KERNEL:64MiB=FILE: ignored"};
}

[[nodiscard]] inline std::unique_ptr<watched_calls> capture_of_kernel(std::string const& kernel)
{
    auto out = std::make_unique<call_capture>(kernel);
    if (!out->is_due()) return nullptr;
    return out;
}

/// If ATTUNE_REPLAY_REPORT names a file, the process ends after the tuning.
[[nodiscard]] inline std::string
replay_of_kernel(dispatched_kernel const& of, call_maker const& make,
                 std::function<tuning_report(keyed_call const&)> const& tune)
{
    std::string const path = environment_variable("ATTUNE_REPLAY");
    if (path.empty()) return {};
    std::string const asked = replay_report_path();
    try {
        auto const given = replay_in(path, of, make);
        if (given == nullptr) return {};
        tuning_report const done = tune(given->call);
        report_replay_and_end(asked, done);
        return "tuned for the captured call: " + done.summary();
    } catch (...) {
        std::string const why = in_one_line(text_of_exception());
        report_no_replay(asked, why);
        return "ATTUNE_REPLAY has no effect: " + why;
    }
}

ATTUNE_INLINE void watch_calls() noexcept
{
    static constexpr call_watch captures{.complaints = &complaints_of_capture,
                                         .watch = &capture_of_kernel,
                                         .is_retuned = &is_retuned,
                                         .replay = &replay_of_kernel};
    exchange_offer(&captures);
}

} // namespace attune::inline ATTUNE_ABI::detail
