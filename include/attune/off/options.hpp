// attune/off/options.hpp - options, compilers and stores with ATTUNE_OFF: the names; no code reads them.
// SPDX-License-Identifier: MIT
// tested by off/tuned.cpp
//
// Members as in tune/options.hpp, which explains them. The strategy of a search is not among them.
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_OFF_ABI {

struct problem_objective {
    bool is_seconds = true;
    std::string unit{};
    bool is_higher_better = false;

    [[nodiscard]] bool is_better(double, double) const { return false; }
    [[nodiscard]] double gain(double, double) const { return 0; }
    [[nodiscard]] std::string word() const { return "time"; }
    [[nodiscard]] std::string better() const { return "faster"; }
    [[nodiscard]] std::string text(double) const { return {}; }
    [[nodiscard]] double turned(double value) const { return value; }
    [[nodiscard]] measurement turned(measurement const& of) const { return of; }
    [[nodiscard]] outcome turned(outcome of) const { return of; }
    [[nodiscard]] friend bool operator==(problem_objective const&,
                                         problem_objective const&) = default;
};

struct cache_options {
    bool enabled = true;
    std::string folder{};
    std::uint64_t limit_bytes = 0;
};

struct system_options {
    std::string command{};
    std::vector<std::string> flags{};
    double limit_s = 0;
    cache_options cache{};
    std::string debug_folder{};
};

struct clang_options {
    std::vector<std::string> flags{};
    std::string module{};
    bool precompile_headers = true;
    bool separate_process = true;
    double limit_s = 0;
    bool fallback = true;
    system_options system{};
    cache_options cache{};
    std::string debug_folder{};
};

/// Compiles nothing.
class system_compiler {
public:
    explicit system_compiler(system_options const& = {}) {}
};
/// Compiles nothing.
class clang_compiler {
public:
    explicit clang_compiler(clang_options const& = {}) {}
};
/// Loads nothing.
class prepared_compiler {
public:
    explicit prepared_compiler(std::string_view, std::string_view = {}) {}
};

struct named_compiler {
    template <class Compiler>
    named_compiler(std::string_view, Compiler const&)
    {
    }
};
/// Compiles nothing.
class compiler_choice {
public:
    compiler_choice(std::initializer_list<named_compiler>) {}
};

class memory_store {
public:
    memory_store() noexcept {}
    [[nodiscard]] static memory_store from_text(std::string_view) { return memory_store(); }
};
/// Opens no file.
class store {
public:
    explicit store(std::string_view) {}
};
/// Opens no file.
class shipped {
public:
    explicit shipped(std::string_view) {}
};
[[nodiscard]] inline memory_store embedded_store(std::string_view) { return {}; }
class layers {
public:
    template <class... Stores>
    explicit layers(Stores const&...)
    {
    }
};

enum class miss_policy : unsigned char {
    lookup_only,
    tune_if_missing,
    tune_in_background,
    online,
    always
};
enum class size_policy : unsigned char { first, automatic, several };
enum class cache_state : std::uint8_t { warm, cold };
enum class isolation : std::uint8_t { automatic, fork, guard, none };

struct search_limits {
    std::uint64_t evaluations = 0;
    double seconds = 0;
    double target = 0;
    std::uint64_t patience = 0;
    double improvement = 0;
    double expected_gain = 0;

    [[nodiscard]] static constexpr search_limits of_evaluations(std::uint64_t n) noexcept
    {
        return {.evaluations = n};
    }
    [[nodiscard]] static constexpr search_limits of_seconds(double s) noexcept
    {
        return {.seconds = s};
    }
    [[nodiscard]] static constexpr search_limits usual() noexcept { return {}; }
};

struct tuning_limits {
    std::uint64_t evaluations = 0;
    double seconds = 0;
    double target = 0;
    std::uint64_t patience = 0;
    double improvement = 0;
    double expected_gain = 0;
    double roofline_share = 0;
    search_limits total{};
    double default_run_s = 0;
    double first_run_ratio = 0;
    double check_s = 0;
    std::size_t copied_bytes = 0;
    double lost_share = 0;

    [[nodiscard]] static tuning_limits usual() noexcept { return {}; }
    operator search_limits() const noexcept { return {}; }
};

struct tuning_search {
    std::uint64_t seed = 0;
    bool use_related = true;
    std::string samples{};
    std::string techniques{};
    bool prune = false;
};

struct trial_limits {
    std::size_t memory_bytes = 0;
    double check_s = 0;
    double begin_s = 0;
};

struct tuning_measuring {
    double precision = 0;
    cache_state cache = cache_state::warm;
    isolation protect = isolation::automatic;
    trial_limits trial{};
    std::string powercap{};
};

struct tuning_device {
    bool as_graph = false;
    std::vector<int> others{};
};

using failure_counts = std::array<std::uint32_t, detail::failure_stage_count>;

[[nodiscard]] constexpr std::uint32_t total(failure_counts const&) noexcept { return 0; }
[[nodiscard]] inline std::string describe(failure_counts const&) { return {}; }

enum class progress_event : std::uint8_t { started, evaluated, finals, finished, notice };

struct progress {
    progress_event event{};
    std::string name{};
    std::uint32_t evaluation = 0;
    std::uint32_t evaluations = 0;
    std::uint32_t pruned = 0;
    bool has_best = false;
    double best_value = 0;
    double default_value = 0;
    double baseline_value = 0;
    problem_objective objective{};
    bool improved = false;
    failure_counts failures{};
    double elapsed_s = 0;
    double left_s = 0;
    std::string text{};
};

using progress_sink = std::function<void(progress const&)>; // never called

[[nodiscard]] inline progress_sink line_progress(std::function<void(std::string const&)> const&)
{
    return {};
}
[[nodiscard]] inline progress_sink terminal_progress() { return {}; }
[[nodiscard]] inline progress_sink default_progress() { return {}; }
[[nodiscard]] inline progress_sink silent_progress() { return {}; }
inline void set_default_sink(progress_sink const&) {}

struct tuning_options {
    tuning_limits limits{};
    tuning_search search{};
    tuning_measuring measuring{};
    tuning_device device{};
    progress_sink progress{};
    miss_policy on_miss = miss_policy::tune_if_missing;
    std::optional<std::uint32_t> compile_ahead{};
    std::string event_log{};
    size_policy sizes = size_policy::automatic;
};

} // namespace attune::inline ATTUNE_OFF_ABI
