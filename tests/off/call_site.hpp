// tests/off/call_site.hpp - a call site with much of what a program says; compiled with the tuner and with ATTUNE_OFF.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/remember/layers.hpp>
#include <attune/remember/shipped.hpp>
#include <attune/tune/together.hpp>
#include <attune/tune/together_session.hpp>

#include <cstdio>
#include <span>
#include <string>
#include <vector>

namespace {

namespace call_site {

inline constexpr auto n = attune::input<"N", int>();
inline constexpr auto step = attune::ordinal<"STEP">(attune::values(2, 4, 8)).with_default(4);
inline constexpr auto space = attune::space(step).where(n % 1 == 0);

using bump_signature = void(std::span<int>, int);

/// A member, as in most programs.
struct owner {
    attune::tuned<bump_signature, attune::system_compiler, attune::store> bump;
};

/// "12 20, tuned 0": the result, and how many evaluations there were.
std::string run(std::string const& path)
{
    attune::set_default_sink(attune::silent_progress());
    char const* const text = "#include <attune/tunable.hpp>\n#include <span>\n"
                             "void bump(std::span<int> x, int n) { for (int i = 0; i < n; ++i) "
                             "x[i] = x[i] * 2 * 4 + 4 + 0 * ATTUNE_TUNABLE(STEP, 4); }";
    attune::kernel<bump_signature> kernel{"bump", attune::source_text(text, "bump.kernel.cpp"),
                                          space};
    kernel.bind<1>(n).tolerate<0>({.absolute = 0}).any_shape().any_alignment();
    kernel.check([](std::span<int const>, int) { return true; });
    kernel.bucket<1>([](int size) { return size; });
    kernel.work([](attune::configuration_view const& at, std::span<int const> x, int) {
        return attune::work{
            .flops = 0.01 * static_cast<double>(x.size()), .threads = 1, .loads = 1.0 * at[step]};
    });
    kernel.fallback([](std::span<int> x, int) {
        for (int& one : x)
            one = one * 8 + 4;
    });
    kernel.precondition([](std::span<int const>, int size) { return size > 0; });
    attune::tuning_options options{.limits = {.evaluations = 2, .seconds = 20}};
    options.limits.total = {.seconds = 60.0};
    options.limits.roofline_share = 0.99;
    options.search.seed = 7;
    options.search.prune = true;
    options.search.techniques = path + ".techniques";
    options.measuring.cache = attune::cache_state::warm;
    options.measuring.protect = attune::isolation::automatic;
    options.progress = [](attune::progress const& p) {
        if (p.event == attune::progress_event::notice) std::puts(p.text.c_str());
    };
    options.on_miss = attune::miss_policy::tune_if_missing;
    owner program{{kernel, attune::system_compiler{}, attune::store{path}, options}};
    std::vector<int> x(1 << 17, 1); // a call of less than a microsecond is not tuned
    x[1] = 2;
    int const size = static_cast<int>(x.size());
    program.bump(x, size);
    std::string out = std::to_string(x[0]) + ' ' + std::to_string(x[1]);
    // The other ways to make one.
    attune::tuned memory{kernel, attune::clang_compiler{}, {.limits = {.evaluations = 0}}};
    attune::tuned plain{kernel, attune::system_compiler{{.command = "c++"}}};
    attune::tuned layered{kernel,
                          attune::system_compiler{},
                          attune::layers{attune::memory_store{}, attune::memory_store{}},
                          {.limits = {.evaluations = 0}}};
    auto const write = [](auto const& config) {
        return "#include <span>\nvoid bump(std::span<int> x, int n) { x[0] = n % " +
               std::to_string(config[step]) + "; }";
    };
    attune::kernel<bump_signature> written{
        "bump", attune::generated_source(space, write, "bump.cpp", "1"), space};
    written.bind<1>(n).fallback([](std::span<int> to, int from) { to[0] = from % 4; });
    written.objective("items", attune::goal::highest,
                      [](attune::measured_call run, std::span<int> items, int) {
                          return static_cast<double>(items[0]) / run.seconds;
                      });
    attune::tuned generated{written, attune::system_compiler{}, {.limits = {.evaluations = 0}}};
    std::vector<int> y(1);
    generated(y, 7);
    if (y[0] != 3) out += " ?";
    memory.wait();
    attune::tuning_report const report = program.bump.report();
    attune::known_choice const known = program.bump.explain(x, size);
    std::string const said = report.summary() + known.text();
    if (said.empty() || describe(known.how).empty() || !program.bump.is_tuned(x, size)) out += " ?";
    if (attune::total(report.failures) > report.evaluations || !report.shape_failures.empty() ||
        report.baseline || report.predicted || report.objective.is_higher_better ||
        report.noise.lacking() < 0 || report.shapes.wrong != 0 || report.compile_s < 0 ||
        report.coverage.text().empty() || report.coverage.calls < report.coverage.by_winner ||
        !report.coverage.rest.empty() || (report.roofline && report.roofline->least_s < 0))
        out += " ?";
    program.bump.prepare({{x, size}});
    attune::together_report const all = attune::tune_together(
        {.evaluations = 0, .seconds = 5}, attune::share(program.bump, x, size).calls(2),
        attune::share(program.bump, x, size).calls(1));
    if (all.shares.size() != 2 || all.evaluations != 0 || all.interrupted ||
        all.shares[0].report.kernel != "bump" || all.summary().empty() || all.speedup() < 0)
        out += " ?";
    attune::together_session steps{{.evaluations = 0}, attune::share(program.bump, x, size)};
    while (steps.step())
        ++x[0];
    if (steps.finish().shares.size() != 1) out += " ?";
    return out + ", tuned " + std::to_string(report.evaluations);
}

} // namespace call_site

} // namespace
