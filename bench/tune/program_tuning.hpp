// bench/tune/program_tuning.hpp - one tuning of a program, and what it had found on the way.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/tune/lessons.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "contest.hpp"
#include "program_arguments.hpp"

namespace bench {

struct program_search {
    std::uint32_t evaluations = 60;
    std::uint32_t seconds = 60;
    std::uint64_t seed = 0;
    attune::search_factory strategy = attune::default_search();
    std::string samples{}; ///< attune::tuning_search::samples
};

/// A compiler that keeps nothing: each variant is compiled where it is met first.
[[nodiscard]] inline attune::clang_compiler fresh_compiler()
{
    attune::clang_options options;
    options.cache.enabled = false;
    return attune::clang_compiler(options);
}

/// A tuned kernel, and the configurations that were the fastest by their readings.
template <class Signature>
struct program_tuning {
    std::unique_ptr<attune::tuned<Signature, attune::clang_compiler>> code;
    attune::tuning_report report{};
    std::string best8{};          ///< of the first 8 evaluations, the default among them
    std::string best16{};         ///< of the first 16
    std::vector<double> best_s{}; ///< the best reading after each evaluation, from the first on

    /// The best reading after trial + 1 evaluations; of fewer, where the space or the time ended.
    [[nodiscard]] double best_after(std::size_t trial) const
    {
        if (best_s.empty()) return report.default_time.value;
        return best_s[std::min(trial, best_s.size() - 1)];
    }
};

template <class Signature, class Element>
[[nodiscard]] program_tuning<Signature>
tune_program(attune::kernel<Signature> const& kernel,
             program_arguments<Signature, Element>& arguments, program_search const& how)
{
    program_tuning<Signature> out;
    attune::tuning_options options;
    options.limits.evaluations = how.evaluations;
    options.limits.seconds = how.seconds;
    options.search.seed = how.seed;
    options.search.strategy = how.strategy;
    options.search.samples = how.samples;
    options.progress = [&](attune::progress const& p) {
        if (p.event != attune::progress_event::evaluated) return;
        if (p.improved && p.evaluation <= 8) out.best8 = p.text;
        if (p.improved && p.evaluation <= 16) out.best16 = p.text;
        if (p.has_best) out.best_s.push_back(p.best_value);
    };
    out.code = std::make_unique<attune::tuned<Signature, attune::clang_compiler>>(
        kernel, fresh_compiler(), options);
    arguments.call(*out.code);
    out.report = out.code->report();
    if (out.best8.empty()) out.best8 = out.report.default_configuration;
    if (out.best16.empty()) out.best16 = out.report.default_configuration;
    return out;
}

/// The kernel in one configuration.
/// Errors   std::runtime_error: it is refused
template <class Signature>
[[nodiscard]] std::unique_ptr<attune::tuned<Signature, attune::clang_compiler>>
forced_program(attune::kernel<Signature> const& kernel, program_arguments<Signature>& arguments,
               std::string const& configuration)
{
    std::string values = configuration; // "ROWS=7 UNROLL=2", and the variable has commas
    std::replace(values.begin(), values.end(), ' ', ',');
    ::setenv("ATTUNE_FORCE", values.c_str(), 1);
    auto code = std::make_unique<attune::tuned<Signature, attune::clang_compiler>>(
        kernel, fresh_compiler(),
        attune::tuning_options{.limits = {.evaluations = 1},
                               .progress = attune::silent_progress()});
    arguments.call(*code);
    ::unsetenv("ATTUNE_FORCE");
    if (attune::tuning_report const report = code->report();
        report.how != attune::decision::served_forced || report.configuration != configuration)
        throw std::runtime_error(configuration + " cannot be run again: " + report.reason + ' ' +
                                 report.serving);
    return code;
}

/// Configurations of a kernel as contestants, each once. It stays where it is while they are used.
template <class Signature>
class own_configurations {
public:
    /// @param winner  already compiled: the first contestant. All outlive this.
    own_configurations(attune::kernel<Signature> const& kernel,
                       program_arguments<Signature>& arguments,
                       program_tuning<Signature> const& winner)
        : kernel_(kernel)
        , arguments_(arguments)
        , names_{winner.report.configuration}
        , all_{here("winner", [&] { arguments.call(*winner.code); })}
    {
    }

    /// Its place among the contestants.
    /// Errors   those of forced_program()
    std::size_t add(std::string const& configuration)
    {
        for (std::size_t at = 0; at < names_.size(); ++at)
            if (names_[at] == configuration) return at;
        codes_.push_back(forced_program(kernel_, arguments_, configuration));
        names_.push_back(configuration);
        all_.push_back(
            here(configuration, [this, code = codes_.back().get()] { arguments_.call(*code); }));
        return names_.size() - 1;
    }

    [[nodiscard]] std::vector<contestant> const& contestants() const noexcept { return all_; }

private:
    attune::kernel<Signature> const& kernel_;
    program_arguments<Signature>& arguments_;
    std::vector<std::unique_ptr<attune::tuned<Signature, attune::clang_compiler>>> codes_;
    std::vector<std::string> names_;
    std::vector<contestant> all_;
};

} // namespace bench
