// tests/support/scripted_grid.hpp - a tuning problem whose compiler does what a test wants.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/attune.hpp>
#include <attune/tune/pipeline/core_pin.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <doctest/doctest.h>
#include <functional>
#include <memory>
#include <string>

#include "accumulate.hpp"
#include "scratch_directory.hpp"
#include "set_variable.hpp"
#include "timed_bench.hpp"

namespace attune_test {

inline constexpr auto grid_x = attune::ordinal<"X">(attune::range(0, 9));
inline constexpr auto grid_y = attune::ordinal<"Y">(attune::range(0, 9));

/// A hundred configurations; what compiling means is up to the test. Any thread may compile.
struct grid {
    std::function<attune::compile_result(attune::compile_request const&)> on_compile =
        [](attune::compile_request const&) { return attune::callable{}; };
    std::atomic<std::size_t> begun = 0;
    std::atomic<std::size_t> ended = 0;
    attune::detail::any_compiler compiler{
        [this](attune::kernel_source const&,
               attune::compile_request const& v) -> attune::compile_result {
            ++begun;
            attune::compile_result made = on_compile(v);
            ++ended;
            return made;
        },
        [] { return std::string{"scripted 1"}; }};
    accumulate_data data{4'000}; // below a microsecond nothing is tuned
    attune::kernel<accumulate_signature> kernel = accumulate_kernel(attune::space(grid_x, grid_y));
    attune::call_frame frame = data.frame();
    attune::chain_of_trees space = attune::build(attune::space(grid_x, grid_y));
    attune::tuning_problem problem{kernel.describe(), space, space.at(0), compiler, frame};
};

/// A grid in a folder of its own, whose variants never run: a test says their times.
struct timed_grid : grid {
    support::scratch_directory directory{};
    set_variable cache{"ATTUNE_CACHE", directory.file("cache")};
    std::array<char, 100> entries{};
    time_script times{};
    attune::tuning_options options{};

    timed_grid()
    {
        on_compile = [this](attune::compile_request const& v) -> attune::compile_result {
            std::size_t const i =
                10 * std::stoul(v.macros[0].value) + std::stoul(v.macros[1].value);
            return attune::callable{&entries[i], std::make_shared<int>(0), std::to_string(i), 0.001,
                                    "scripted"};
        };
        options.limits = {.evaluations = attune::search_limits::any_number};
        options.search.strategy = attune::search_with<attune::exhaustive_searcher>();
        options.measuring.make_bench = timed_by(times);
        options.progress = attune::silent_progress();
    }
};

inline attune::outcome bowl(attune::point const& p)
{
    double const x = p[0].index - 6.0;
    double const y = p[1].index - 2.0;
    if (p[0].index == p[1].index) return attune::failure{attune::failure_stage::crash, "diagonal"};
    return attune::measurement::exact(1 + x * x + y * y);
}

inline std::string shown(attune::point const& p)
{
    return std::to_string(p[0].index) + std::to_string(p[1].index);
}

/// Tests of what workers do need a processor for them.
inline bool has_workers()
{
    bool const possible = attune::detail::allowed_processors().size() > 1;
    if (!possible) MESSAGE("skipped: this process may use one processor only");
    return possible;
}

} // namespace attune_test
