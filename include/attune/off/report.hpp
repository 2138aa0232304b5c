// attune/off/report.hpp - tuning_report and known_choice in files with ATTUNE_OFF: the default serves.
// SPDX-License-Identifier: MIT
// tested by off/tuned.cpp
//
// Members as in tune/report.hpp and tune/known_choice.hpp, which explain them.
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/off/kernel.hpp>
#include <attune/off/options.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
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

struct served_shapes {
    std::uint64_t verified = 0;
    std::uint64_t by_class = 0;
    std::uint64_t by_default = 0;
    std::uint64_t wrong = 0;
    std::uint64_t unknown = 0;
    std::uint64_t slower = 0;
    std::uint64_t executions = 0;
    double seconds = 0;
    double executed_s = 0;
    std::uint64_t proofs = 0;
    double proof_s = 0;
};

struct shape_failure {
    std::string shape{};
    failure why{};
};

struct baseline_comparison {
    measurement time{};
    double speedup = 1;
    double speedup_low = 1;
    double speedup_high = 1;
};

struct machine_noise {
    double drift = 0;
    double resolution = 0;
    double slow_share = 0;
    double slowdown = 1;
    double waited = 0;
    double held = 0;
    std::size_t processors = 0;
    std::uint32_t threads = 1;
    double unsure = 0;
    bool is_disturbed = false;

    [[nodiscard]] constexpr double lacking() const noexcept { return 0; }
};

struct roofline {
    double least_s = 0;
    double fraction = 0;
    bool memory_bound = false;
    work of_call{};
    double flops_per_s = 0;
    double bytes_per_s = 0;
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
    std::optional<baseline_comparison> baseline{};
    cache_state cache = cache_state::warm;
    machine_noise noise{};
    std::optional<attune::ATTUNE_OFF_ABI::roofline> roofline{};
    double joules = 0;
    double default_joules = 0;
    std::uint32_t address_modulus = 64;
    double log2_space_size = 0;
    std::uint32_t evaluations = 0;
    std::uint32_t pruned = 0;
    double left_share = 1;
    std::uint32_t same_code = 0;
    std::uint32_t compiled = 0;
    std::uint32_t from_cache = 0;
    failure_counts failures{};
    std::vector<failure> first_failures{};
    std::string isolation{};
    double compile_s = 0;
    double elapsed_s = 0;
    double code_s = 0;
    double search_s = 0;
    bool interrupted = false;
    bool predicted = false;
    served_shapes shapes{};
    std::vector<shape_failure> shape_failures{};
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
