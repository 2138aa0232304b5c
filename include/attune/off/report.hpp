// attune/off/report.hpp - tuning_report and known_choice in files with ATTUNE_OFF: the default serves.
// SPDX-License-Identifier: MIT
// tested by off/tuned.cpp
//
// Members as in tune/report.hpp and tune/known_choice.hpp, as far as something is to be said.
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_OFF_ABI {

enum class decision : std::uint8_t {
    nothing_yet,
    tuned,
    kept_default,
    remembered,
    served_near,
    served_forced,
    served_default,
    served_fallback,
    call_failed
};

struct tuning_report {
    std::string kernel{};
    std::string compiler{};
    decision how = decision::served_fallback;
    std::string reason{};
    std::string configuration{};
    std::string default_configuration{};
    measurement best{};
    measurement default_time{};
    double speedup = 1;
    double speedup_low = 1;
    double speedup_high = 1;
    std::vector<std::string> ties{};
    std::uint32_t evaluations = 0;
    double elapsed_s = 0;
    bool interrupted = false;
    std::string serving{};
    std::vector<std::string> notices{};

    [[nodiscard]] std::string summary() const { return serving; }
};

enum class choice_match : std::uint8_t {
    forced,
    exact,
    exact_by_code,
    near_size,
    near_device,
    by_default
};

[[nodiscard]] constexpr std::string_view describe(choice_match) noexcept { return "default"; }

struct known_choice {
    std::string kernel{};
    std::string configuration{};
    choice_match how = choice_match::by_default;
    double distance = 0;
    std::string why{};
    bool serves = false;

    [[nodiscard]] std::string text() const { return kernel + ": " + why; }
};

} // namespace attune::inline ATTUNE_OFF_ABI
