// bench/search/level_policies.hpp - searches on two levels by the names of their policies.
// SPDX-License-Identifier: MIT
// Source   Rocke 2024 Table 3.1, Sec. 3.1 to 3.8, 4.1.3 and 4.4.1
#pragma once

#include <attune/declare/description.hpp>
#include <attune/search/two_level/two_level_search.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace bench {

struct level_variant {
    attune::two_level_options options{};
    bool sees_rows = true; ///< false: the cost model sees the values of parameters
};

/// One difference from `naive`. A name that ends with _ is followed by a number that is not
/// negative: kappa_.01.
struct level_policy {
    std::string name;
    std::function<void(level_variant&, double)> apply;
};

[[nodiscard]] inline std::vector<level_policy> level_policies()
{
    using namespace attune;
    using v = level_variant&;
    auto const count = [](std::size_t two_level_options::* of) {
        return [of](v it, double n) {
            if (n != std::floor(n) || n > 1e6)
                throw std::runtime_error("a policy takes a whole number, at most a million");
            it.options.*of = static_cast<std::size_t>(n);
        };
    };
    auto const real = [](double two_level_options::* of) {
        return [of](v it, double x) { it.options.*of = x; };
    };
    auto const rule = [](suggestion_rule chosen) {
        return [chosen](v it, double) { it.options.rule = chosen; };
    };
    // Without its phase a parameter is as the inputs have it. Products of generated programs have
    // parameters of both phases (THREADS; DEPTH_LOOP, OTHERS), recorded spaces of none.
    auto const without_phase = [](decision_role phase) {
        return [phase](v it, double) {
            it.options.role = [phase, before = it.options.role](description const& d,
                                                                std::uint32_t p) {
                decision_role const role = before(d, p);
                return role == phase ? decision_role::design : role;
            };
        };
    };
    return {
        {"naive", [](v, double) {}}, // memory is reset, the best per input is measured
        {"heap", [](v it, double) { it.options.choice = batch_choice::best_overall; }},
        {"lru", [](v it, double) { it.options.memory = optimizer_memory::least_recently_used; }},
        {"memory_", count(&two_level_options::memory_limit)},
        {"poi", rule(suggestion_rule::probability_of_improvement)},
        {"ei", rule(suggestion_rule::expected_improvement)},
        {"xi_", real(&two_level_options::xi)},
        {"kappa_", real(&two_level_options::kappa)},
        {"sdr", [](v it, double) { it.options.reduces_domain = true; }},
        {"features", [](v it, double) { it.options.encoding = decision_encoding::features; }},
        {"within", [](v it, double) { it.options.within_constraints = true; }},
        {"inputs_", count(&two_level_options::inputs)},
        {"valid_", count(&two_level_options::valid)},
        {"invalid_", count(&two_level_options::invalid)},
        {"random_inputs_", real(&two_level_options::random_inputs)},
        {"random_batch_", real(&two_level_options::random_batch)},
        {"one_optimizer", [](v it, double) { it.options.one_optimizer = true; }},
        {"no_parallel_phase", without_phase(decision_role::parallel)},
        {"no_location_phase", without_phase(decision_role::compute_location)},
        {"no_rows", [](v it, double) { it.sees_rows = false; }},
    };
}

/// `naive` with the policies named, + between them: "heap+kappa_.01".
/// Errors  std::runtime_error naming a policy that is not known, and those that are; or a count
///         that is none
[[nodiscard]] inline level_variant level_variant_of(std::string_view names)
{
    level_variant out;
    out.options.choice = attune::batch_choice::best_per_input;
    auto const apply = [&](std::string_view name) {
        for (level_policy const& one : level_policies()) {
            double number = 0;
            if (one.name.ends_with('_')) {
                if (!name.starts_with(one.name)) continue;
                char const* const end = name.data() + name.size();
                auto const [stopped, problem] =
                    std::from_chars(name.data() + one.name.size(), end, number);
                if (problem != std::errc{} || stopped != end) continue;
                if (!std::isfinite(number) || std::signbit(number)) continue;
            } else if (name != one.name) {
                continue;
            }
            one.apply(out, number);
            return;
        }
        std::string text = "there is no policy '" + std::string(name) + "'; there are:";
        for (level_policy const& one : level_policies())
            text += ' ' + one.name + (one.name.ends_with('_') ? "NUMBER" : "");
        throw std::runtime_error(text);
    };
    for (std::size_t begin = 0; begin <= names.size();) {
        std::size_t const end = std::min(names.find('+', begin), names.size());
        apply(names.substr(begin, end - begin));
        begin = end + 1;
    }
    return out;
}

/// The rows of the ablation.
[[nodiscard]] inline std::vector<std::string> level_variants()
{
    std::vector<std::string> out{"naive", "heap", "lru", "heap+lru"}; // Table 3.1
    for (char const* const encoding : {"", "+features"})
        for (char const* const domain : {"", "+sdr"})
            for (char const* const kappa : {"", "+kappa_0", "+kappa_.01", "+kappa_1"})
                if (std::string const more = std::string(encoding) + domain + kappa; !more.empty())
                    out.push_back("heap" + more);
    for (char const* const more : {"poi",
                                   "ei",
                                   "ei+xi_.01",
                                   "memory_100",
                                   "memory_400",
                                   "memory_500",
                                   "lru+memory_500",
                                   "valid_10+invalid_10",
                                   "valid_10+invalid_20",
                                   "valid_20+invalid_10",
                                   "valid_20+invalid_20",
                                   "valid_60+invalid_60",
                                   "inputs_10",
                                   "random_inputs_0",
                                   "random_inputs_.05",
                                   "random_inputs_.1",
                                   "random_inputs_.5",
                                   "random_batch_0",
                                   "random_batch_.05",
                                   "random_batch_.1",
                                   "random_batch_.5",
                                   "one_optimizer",
                                   "no_parallel_phase",
                                   "no_location_phase",
                                   "no_parallel_phase+no_location_phase",
                                   "within",
                                   "features+within",
                                   "no_rows"})
        out.push_back(std::string("heap+") + more);
    return out;
}

} // namespace bench
