// tests/ship/report/told_outcomes.hpp - a tuning that the test knows, and what a page has to say of it.
// SPDX-License-Identifier: MIT
//
// The second implementation of a report's numbers: from these plain values, never from a store.
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/remember/record.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

namespace support {

struct told_outcome {
    std::vector<std::string> values{};
    double s = 0; ///< 0: it failed
    double low = 0, high = 0;
    std::uint32_t samples = 0;
    attune::failure_stage stage{};
    std::string why{};
    double predicted_s = 0;
    std::vector<std::uint32_t> inactive{};
};

struct told_tuning {
    std::string kernel = "sgemm";
    attune::named_texts inputs{{"N", "1024"}};
    attune::named_texts setting{};
    std::vector<std::string> names{"TILE", "UNROLL", "ORDER"};
    std::vector<told_outcome> outcomes{};
    std::size_t winner = 0, standard = 0; ///< outcomes
    std::vector<std::size_t> ties{};
    attune::roofline_facts roof{};
    attune::generated_code generated{};

    [[nodiscard]] attune::detail::stored_problem problem() const
    {
        attune::detail::stored_problem out;
        out.key.kernel = kernel;
        out.key.source = "5f3a77c1";
        out.key.compiler = "clang 19 -O3";
        out.key.device = "AMD EPYC 9654";
        out.key.inputs = inputs;
        out.key.setting = setting;
        out.parameters = names;
        return out;
    }
    [[nodiscard]] attune::detail::tried_row row(std::size_t i) const
    {
        told_outcome const& one = outcomes[i];
        attune::detail::tried_row out{.values = one.values, .code = "code" + std::to_string(i)};
        out.predicted_s = one.predicted_s;
        out.inactive = one.inactive;
        if (one.s > 0)
            out.result = attune::measurement{one.s, one.low, one.high, one.samples};
        else
            out.result = attune::failure{one.stage, one.why};
        return out;
    }
    [[nodiscard]] attune::record record() const
    {
        attune::record out;
        out.key = problem().key;
        out.key.schema = "77c1";
        told_outcome const& best = outcomes[winner];
        told_outcome const& own = outcomes[standard];
        for (std::size_t p = 0; p < names.size(); ++p)
            out.configuration.emplace_back(names[p], best.values[p]);
        out.best_s = best.s;
        out.default_s = own.s;
        out.best_interval = {best.low, best.high, best.samples};
        out.default_interval = {own.low, own.high, own.samples};
        out.code = "code" + std::to_string(winner);
        out.default_code = "code" + std::to_string(standard);
        for (std::size_t const tie : ties)
            out.ties.push_back(outcomes[tie].values);
        out.evaluations = outcomes.size();
        out.failures = failures();
        out.seed = 7;
        out.when = "2026-11-23T12:00:00Z";
        out.attune = "0.4.0";
        out.ended = "budget";
        out.least_s = best.s * 0.625;
        out.memory_bound = true;
        out.spent = {20, 6.5, 1.5};
        out.roof = roof;
        out.generated = generated;
        return out;
    }
    [[nodiscard]] std::size_t failures() const
    {
        return static_cast<std::size_t>(std::count_if(
            outcomes.begin(), outcomes.end(), [](told_outcome const& o) { return o.s <= 0; }));
    }
    template <class Store>
    void put_into(Store& store, bool has_ended = true) const
    {
        for (std::size_t i = 0; i < outcomes.size(); ++i)
            store.note(problem(), row(i));
        if (has_ended) store.add(record());
    }
};

/// Distinct times, some failures of three kinds, 95 % intervals around the times.
inline told_tuning random_tuning(std::size_t count, unsigned seed)
{
    std::mt19937 random(seed);
    auto const any = [&](std::vector<std::string> const& of) { return of[random() % of.size()]; };
    told_tuning out;
    double fastest = HUGE_VAL;
    for (std::size_t i = 0; i < count; ++i) {
        told_outcome one;
        one.values = {any({"8", "16", "32", "64", "128", "256"}), any({"1", "2", "4", "8"}),
                      any({"{0, 1, 2}", "{2, 1, 0}", "{1, 0, 2}"})};
        double const tile = std::stod(one.values[0]), unroll = std::stod(one.values[1]);
        if (i > 0 && random() % 9 == 0) {
            constexpr attune::failure_stage stages[] = {attune::failure_stage::compile,
                                                        attune::failure_stage::crash,
                                                        attune::failure_stage::verify};
            one.stage = stages[random() % 3];
            one.why =
                one.stage == attune::failure_stage::crash ? "SIGSEGV" : "c[3] is 7, not 8 & <more>";
        } else {
            double const noise = 1 + static_cast<double>(random() % 100000) * 1e-6;
            one.s = 2e-3 * noise * (1 + 64 / tile + 0.1 * std::fabs(std::log2(unroll) - 2));
            one.low = one.s * 0.99;
            one.high = one.s * 1.015;
            one.samples = 5 + static_cast<std::uint32_t>(random() % 20);
            if (one.s < fastest) out.winner = i;
            fastest = std::fmin(fastest, one.s);
        }
        out.outcomes.push_back(one);
    }
    return out;
}

/// As printf writes three digits.
inline std::string told_time(double s)
{
    char text[64];
    char const* unit = s >= 0.9995 ? "s" : s >= 0.9995e-3 ? "ms" : s >= 0.9995e-6 ? "us" : "ns";
    double const per = s >= 0.9995 ? 1 : s >= 0.9995e-3 ? 1e3 : s >= 0.9995e-6 ? 1e6 : 1e9;
    std::snprintf(text, sizeof text, s >= 999.5 ? "%.0f %s" : "%.3g %s", s * per, unit);
    return text;
}

inline std::string told_ratio(double ratio)
{
    char text[64];
    std::snprintf(text, sizeof text, "%.2fx", ratio);
    return text;
}

} // namespace support
