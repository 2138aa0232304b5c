// tests/support/accumulate.hpp - a kernel that adds to its output, in good and in bad variants.
// SPDX-License-Identifier: MIT
//
// y[i] += factor * x[i]: a second call changes the result, so that what is not restored shows.
#pragma once

#include <attune/attune.hpp>
#include <attune/core/posix/program_end.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "recorded_progress.hpp"
#include "scripted_compiler.hpp"

namespace attune_test {

using accumulate_signature = void(std::span<double const>, std::span<double>, double);

/// What the parameter WAY stands for.
enum way : int {
    usual = 0,       ///< right, and slow: two million steps of idle work
    fast = 1,        ///< right, without the idle work
    wrong = 2,       ///< twice the result
    crashing = 3,    ///< writes to address 8
    endless = 4,     ///< never returns
    refused = 5,     ///< does not compile
    unloadable = 6,  ///< does not load
    overrunning = 7, ///< writes 4096 elements too many
    throwing = 8,
    same_as_usual = 9,
    crawling = 10,    ///< right, and far slower than the usual way
    tiring = 11,      ///< fast, and crawling in this process once `in_final` is set
    overreading = 12, ///< reads 4096 elements past its input, and is right
    breaking = 13,    ///< fast, and throws in this process once `in_final` is set
    meddling = 14,    ///< right, and ignores SIGUSR1 from some call in this process on
    middling = 15,    ///< right, with a tenth of the idle work
};

/// Whether the final comparison has begun: see note_final().
inline bool in_final = false;
/// Calls of the meddling way that are still innocent; a test sets it.
inline int innocent_calls = 0;

/// Calls of one way in this process so far; those in a forked child do not count.
template <way Way>
inline std::atomic<long> calls_to{0};

inline void idle(int steps)
{
    for (int i = 0; i < steps; ++i)
        asm volatile("");
}

template <way Way>
void accumulate(std::span<double const> x, std::span<double> y, double factor)
{
    calls_to<Way>.fetch_add(1, std::memory_order_relaxed);
    if constexpr (Way == usual) idle(2'000'000);
    if constexpr (Way == middling) idle(200'000);
    if constexpr (Way == crawling) idle(20'000'000);
    if constexpr (Way == tiring)
        if (in_final) idle(20'000'000);
    if constexpr (Way == endless)
        for (;;)
            asm volatile("");
    if constexpr (Way == throwing) throw 7;
    if constexpr (Way == breaking)
        if (in_final) throw 8;
    if constexpr (Way == meddling)
        if (--innocent_calls < 0) std::signal(SIGUSR1, SIG_IGN);
    if constexpr (Way == crashing) {
        int volatile* volatile nowhere = reinterpret_cast<int volatile*>(std::size_t{8});
        *nowhere = 1;
    }
    if constexpr (Way == overreading) {
        double const volatile* const in = x.data();
        for (std::size_t i = x.size(); i < x.size() + 4096; ++i)
            static_cast<void>(in[i]);
    }
    std::size_t const end = y.size() + (Way == overrunning ? 4096 : 0);
    double volatile* const out = y.data();
    for (std::size_t i = 0; i < end; ++i)
        out[i] = out[i] + (Way == wrong ? 2 * factor : factor) * x[i % x.size()];
}

template <way Way>
scripted_compiler::answer code_of()
{
    return reinterpret_cast<void*>(&accumulate<Way>);
}

inline scripted_compiler::answer accumulate_script(attune::compile_request const& v)
{
    using attune::failure;
    using attune::failure_stage;
    std::string chosen;
    for (attune::macro_definition const& m : v.macros)
        if (m.name == "WAY") chosen = m.value;
    std::map<int, scripted_compiler::answer> const answers{
        {usual, code_of<usual>()},
        {same_as_usual, code_of<usual>()},
        {fast, code_of<fast>()},
        {wrong, code_of<wrong>()},
        {crashing, code_of<crashing>()},
        {endless, code_of<endless>()},
        {overrunning, code_of<overrunning>()},
        {overreading, code_of<overreading>()},
        {throwing, code_of<throwing>()},
        {crawling, code_of<crawling>()},
        {tiring, code_of<tiring>()},
        {breaking, code_of<breaking>()},
        {meddling, code_of<meddling>()},
        {middling, code_of<middling>()},
        {unloadable, failure{failure_stage::load, "symbol not found"}}};
    auto const made = answers.find(std::stoi(chosen));
    if (made != answers.end()) return made->second;
    return failure{failure_stage::compile, "accumulate.kernel.cpp:2: error: no", "all of it"};
}

inline scripted_compiler accumulate_compiler(std::string identity = "scripted 1")
{
    return scripted_compiler{accumulate_script, std::move(identity)};
}

/// The same, but the way `endless` compiles for ten seconds, unless that is cut.
inline scripted_compiler slow_accumulate_compiler()
{
    return scripted_compiler{[](attune::compile_request const& v) {
        scripted_compiler::answer made = accumulate_script(v);
        auto const* const code = std::get_if<void*>(&made);
        if (code != nullptr && *code == reinterpret_cast<void*>(&accumulate<endless>))
            for (int i = 0; i < 1000; ++i) {
                attune::detail::cut_here();
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
            }
        return made;
    }};
}

/// The kernel file; its default is the way `start`.
inline attune::kernel_source accumulate_source(std::string const& start = "0")
{
    return attune::source_text("// accumulate\nconstexpr int way = ATTUNE_TUNABLE(WAY, " + start +
                                   ");\n",
                               "accumulate.kernel.cpp");
}

/// The space in which WAY is one of these.
template <way... Ways>
auto ways()
{
    return attune::space(attune::categorical<"WAY">(static_cast<int>(Ways)...));
}

template <class Pack>
attune::kernel<accumulate_signature>
accumulate_kernel(Pack const& space, attune::kernel_source source = accumulate_source())
{
    return {"accumulate", std::move(source), space};
}

/// What a caller has: x = 1, 2, 3, ... and y = 100, so that one call gives 100 + factor * x.
struct accumulate_data {
    std::vector<double> x;
    std::vector<double> y;

    explicit accumulate_data(std::size_t n = 1000)
        : x(n)
        , y(n, 100.0)
    {
        for (std::size_t i = 0; i < n; ++i)
            x[i] = static_cast<double>(i + 1);
    }
    /// Of a call with the factor 3.
    attune::call_frame frame()
    {
        return attune::detail::make_call_frame<std::span<double const>, std::span<double>, double>(
            {}, x, y, 3.0);
    }
    bool inputs_intact() const
    {
        for (std::size_t i = 0; i < x.size(); ++i)
            if (x[i] != static_cast<double>(i + 1)) return false;
        return true;
    }
    /// Exact: all numbers are small integers.
    bool called_times(int times, double factor) const
    {
        for (std::size_t i = 0; i < y.size(); ++i)
            if (y[i] != 100.0 + times * factor * static_cast<double>(i + 1)) return false;
        return inputs_intact();
    }
};

/// For recorded_progress: sets `in_final` when the final comparison begins, however many calls came
/// before.
inline void note_final(attune::progress const& p)
{
    if (p.event == attune::progress_event::started) in_final = false;
    if (p.event == attune::progress_event::finals) in_final = true;
}

/// Exhaustive, coarse and silent: quick, and the same every time.
inline attune::tuning_options quick_options(attune::progress_sink sink = attune::silent_progress())
{
    attune::tuning_options out;
    out.limits = {.evaluations = 60, .seconds = 30};
    out.progress = std::move(sink);
    out.search.strategy = attune::search_with<attune::exhaustive_searcher>();
    out.measuring.precision = 0.5;
    out.compile_ahead = 0; // so that compilations have an order
    return out;
}

} // namespace attune_test
