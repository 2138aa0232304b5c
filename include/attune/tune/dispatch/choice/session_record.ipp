// attune/tune/dispatch/choice/session_record.ipp - writes and reads records; reads /proc/cpuinfo and uname().
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/posix/machine_figures.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/group.hpp>
#include <attune/remember/problem/matching.hpp>
#include <attune/tune/dispatch/choice/session_record.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/pipeline/core_pin.hpp>
#include <attune/tune/shape/array_contents.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <span>
#include <sys/utsname.h>
#include <unistd.h>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// Returns how many of the first lists have all their names in `features`.
[[nodiscard]] inline std::size_t lists_in(std::string_view features,
                                          std::span<std::string_view const> lists)
{
    std::string const all = ' ' + std::string(features) + ' ';
    auto const has = [&](std::string_view names) {
        while (!names.empty()) {
            std::string_view const one = names.substr(0, names.find(' '));
            names.remove_prefix(std::min(names.size(), one.size() + 1));
            if (all.find(' ' + std::string(one) + ' ') == std::string::npos) return false;
        }
        return true;
    };
    auto const lacking = std::find_if_not(lists.begin(), lists.end(), has);
    return static_cast<std::size_t>(lacking - lists.begin());
}

ATTUNE_INLINE std::string x86_level(std::string_view flags)
{
    constexpr std::string_view needed[] = {
        "cx16 lahf_lm popcnt sse4_1 sse4_2 ssse3",
        "avx avx2 bmi1 bmi2 f16c fma abm movbe xsave",
        "avx512f avx512bw avx512cd avx512dq avx512vl",
    };
    return "x86-64-v" + std::to_string(1 + lists_in(flags, needed));
}

ATTUNE_INLINE std::string arm_level(std::string_view features)
{
    constexpr std::string_view needed[] = {
        "asimd atomics asimdrdm crc32",
        "dcpop fphp asimdhp",
        "sve",
        "sve2 asimddp fcma jscvt lrcpc ilrcpc flagm flagm2 uscat dcpodp sb frint",
    };
    constexpr std::string_view names[] = {"armv8-a", "armv8.1-a", "armv8.2-a+fp16", "armv8.2-a+sve",
                                          "armv9-a"};
    return std::string(names[lists_in(features, needed)]);
}

[[nodiscard]] inline named_texts read_facts_of_processor()
{
    named_texts out;
    std::string vendor;
    std::string isa;
    for (std::string const& line : processor_lines()) {
        std::string const value{processor_value(line)};
        if (line.starts_with("vendor_id") || line.starts_with("CPU implementer")) vendor = value;
        if (line.starts_with("flags")) isa = x86_level(value);
        if (line.starts_with("Features")) isa = arm_level(value);
    }
    struct ::utsname system{};
    if (isa.empty() && ::uname(&system) == 0) isa = system.machine;
    if (!isa.empty()) out.emplace_back("isa", std::move(isa));
    if (!vendor.empty()) out.emplace_back("vendor", std::move(vendor));
    if (long const count = ::sysconf(_SC_NPROCESSORS_ONLN); count > 0)
        out.emplace_back("cores", std::to_string(count));
    return out;
}

ATTUNE_INLINE named_texts const& facts_of_processor()
{
    static named_texts const facts = read_facts_of_processor();
    return facts;
}

ATTUNE_INLINE named_texts facts_of_device(std::string const& name)
{
    named_texts out;
    if (name.starts_with("sm_")) { // a compilation target without a device: "sm_90, predicted"
        out.emplace_back("isa", name.substr(0, name.find_first_of(", ")));
        out.emplace_back("vendor", "NVIDIA");
        return out;
    }
    std::size_t const open = name.rfind(" (");
    std::size_t const close = open == name.npos ? name.npos : name.find(')', open);
    if (close != name.npos) out.emplace_back("isa", name.substr(open + 2, close - open - 2));
    if (std::size_t const end = name.find(' '); end != name.npos && end > 0)
        out.emplace_back("vendor", name.substr(0, end));
    return out;
}

inline constexpr char const* joules_setting = "joules";
inline constexpr std::string_view at_most_text = "<= ";

ATTUNE_INLINE named_texts setting_of(dispatched_kernel const& subject, std::string const& compiler)
{
    tuning_options const& options = subject.options;
    named_texts out;
    if (options.measuring.cache != cache_state::warm) out.emplace_back("cache", "cold");
    if (options.device.as_graph) out.emplace_back("graph", "yes");
    if (!subject.kernel.buckets.empty()) out.emplace_back("bucket", "yes");
    if (subject.kernel.error)
        out.emplace_back("error",
                         std::string(at_most_text) + formatted("%.17g", subject.kernel.most_error));
    if (subject.kernel.most_joules > 0)
        out.emplace_back(joules_setting, std::string(at_most_text) +
                                             formatted("%.17g", subject.kernel.most_joules));
    if (subject.kernel.objective) {
        out.emplace_back("measured", measured_by_objective);
        add_objective(out, subject.kernel.objective->of);
    }
    if (subject.find_device) return out;
    if (subject.kernel.contents && !subject.kernel.contents->empty() && !subject.kernel.calls)
        out.emplace_back("contents", text_of_contents(*subject.kernel.contents));
    if (std::string threads = threads_setting(subject.kernel.source, compiler); !threads.empty())
        out.emplace_back("threads", std::move(threads));
    return out;
}

ATTUNE_INLINE std::optional<double> joules_bound_in(named_texts const& setting)
{
    std::string const* const text = value_of(setting, joules_setting);
    if (text == nullptr || !text->starts_with(at_most_text)) return {};
    return real_in_text(std::string_view(*text).substr(at_most_text.size()));
}

ATTUNE_INLINE std::string text_of_now()
{
    std::time_t const now = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    char text[32] = {};
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

ATTUNE_INLINE record make_record(record_key key, description const& space,
                                 session_result const& result, tuning_options const& options)
{
    record out;
    out.key = std::move(key);
    for (named_value const& v : named_values(space))
        out.configuration.emplace_back(std::string(v.name), text_at(space, v, result.at));
    out.best_s = result.report.best.value;
    out.default_s = result.report.default_time.value;
    out.evaluations = result.report.evaluations;
    out.failures = total(result.report.failures);
    out.seed = options.search.seed;
    out.when = text_of_now();
    out.attune = version;
    auto const interval_of = [](measurement const& m) {
        return time_interval{m.low, m.high, m.samples};
    };
    out.best_interval = interval_of(result.report.best);
    out.default_interval = interval_of(result.report.default_time);
    if (result.report.baseline) {
        out.baseline_s = result.report.baseline->time.value;
        out.baseline_interval = interval_of(result.report.baseline->time);
    }
    out.code = result.code.object_key;
    out.default_code = result.default_code.object_key;
    out.address_modulus = result.report.address_modulus;
    out.threads = result.report.noise.threads;
    for (point const& tie : result.ties)
        out.ties.push_back(values_of(space, tie));
    out.asked = {options.limits.evaluations, options.limits.seconds};
    out.ended = result.ended;
    out.strategy = result.strategy;
    out.spent = {result.report.elapsed_s, result.report.code_s, result.report.search_s};
    out.interrupted = result.report.interrupted;
    out.disturbed = result.report.noise.is_disturbed;
    if (result.report.roofline) {
        roofline const& of = *result.report.roofline;
        out.least_s = of.least_s;
        out.memory_bound = of.memory_bound;
        out.roof = {of.of_call.flops, of.of_call.bytes, of.flops_per_s, of.bytes_per_s};
    }
    return out;
}

ATTUNE_INLINE std::optional<point> point_of(named_texts const& configuration,
                                            chain_of_trees const& space)
{
    description const& d = space.describe();
    point out(d.parameters.size());
    std::size_t placed = 0;
    for (auto const& [name, text] : configuration) {
        std::optional<named_value> const v = find_value(d, name);
        if (!v || !set_value(d, *v, out, text)) return {};
        placed += v->count;
    }
    if (placed != d.parameters.size()) return {};
    out = space.settled(std::move(out)); // inactive parameters may have had another default
    if (!space.contains(out)) return {};
    return out;
}

ATTUNE_INLINE std::optional<point> point_of(std::vector<std::string> const& names,
                                            value_texts const& values, chain_of_trees const& space)
{
    named_texts configuration;
    for (std::size_t i = 0; i < names.size(); ++i)
        configuration.emplace_back(names[i], values[i]);
    return point_of(configuration, space);
}

ATTUNE_INLINE value_texts values_of(description const& space, point const& at)
{
    value_texts out;
    for (named_value const& v : named_values(space))
        out.push_back(text_at(space, v, at));
    return out;
}

ATTUNE_INLINE std::vector<std::uint32_t> inactive_in(description const& space, point const& at)
{
    std::vector<std::uint32_t> out;
    std::uint32_t place = 0;
    for (named_value const& v : named_values(space)) {
        if (!is_active(space, v, at)) out.push_back(place);
        ++place;
    }
    return out;
}

ATTUNE_INLINE stored_problem problem_of(record_key const& key, description const& space,
                                        named_texts const& of_calls)
{
    bool const is_processor = key.device == device_name();
    stored_problem out{.key = key,
                       .facts = is_processor ? facts_of_processor() : facts_of_device(key.device)};
    out.facts.insert(out.facts.end(), of_calls.begin(), of_calls.end());
    out.key.schema.clear();
    for (named_value const& v : named_values(space))
        out.parameters.emplace_back(v.name);
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
