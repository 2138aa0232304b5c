// bench/remember/transfer.cpp - what outcomes on other devices are worth to a search.
// SPDX-License-Identifier: MIT
//
// Run      bench.remember.transfer --data DIR [--history true|reversed|rotated|shuffled]
//          [--repeats 20] [--seed 0] [--spaces PART[,PART...]] [--mode NAME[,NAME...]]
//          DIR: recorded files, as for bench.search.replay; files whose names begin with the same
//          word and that have the same parameters are one kernel on several devices. Each of them
//          is a target once, and all others are its sources; a kernel on one device is left out.
//          --spaces: only targets whose name holds one of the parts
// Prints   a line `target` per target and mode: the mean over runs of best possible / best found
//          after 1, 5, 10, 40 and 100 evaluations (0 before anything worked), what that is more
//          than with mode=none after 40 and 100, and the standard error of these differences, which
//          are paired: run i of all modes has the same seed and the same records; a line `worst`
//          per mode: the targets with the least after 10 and after 100, and the one that lost most
//          against none after 100, in standard errors; a line `mean` per mode: over targets
// Note     a record is what a search of 100 evaluations without history asked on that device, new
//          in each run. Another vendor's records have weight 0.3, the same vendor's 1.
//          --history changes all sources before they are searched. reversed: the fastest
//          configuration is the slowest (logarithms of times are mirrored); rotated: each has the
//          outcome of the one half the space further on; shuffled: of any one.
//          Modes: none; portfolio: sessions say where to begin; portfolio_mean: and what to expect,
//          and which hyperparameters; hyperparameters: nothing but these
// Exit     2 when a file or an argument is wrong
#include <attune/core/random.hpp>
#include <attune/declare/text.hpp>
#include <attune/search/bayesian.hpp>
#include <attune/search/searcher.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../search/replay_run.hpp"
#include "../support/arguments.hpp"
#include "../support/estimate.hpp"
#include "../support/names.hpp"
#include "../support/recorded.hpp"

namespace {

struct arguments {
    std::string data;
    std::string history = "true";
    std::string spaces;
    std::string modes;
    std::size_t repeats = 20;
    std::uint64_t seed = 0;
};

constexpr std::size_t budget = 100;
constexpr std::array<std::size_t, 5> checkpoints = {1, 5, 10, 40, 100};
using fractions = std::array<double, checkpoints.size()>;

struct mode {
    std::string name;
    attune::warm_start_options options;
};

[[nodiscard]] std::vector<mode> all_modes()
{
    attune::warm_start_options none;
    none.starts = none.believe_until = none.hyperparameters_until = 0;
    attune::warm_start_options portfolio = none;
    portfolio.starts = attune::warm_start_options{}.starts;
    attune::warm_start_options hyperparameters = none;
    hyperparameters.hyperparameters_until = attune::warm_start_options{}.hyperparameters_until;
    return {{"none", none},
            {"portfolio", portfolio},
            {"portfolio_mean", {}},
            {"hyperparameters", hyperparameters}};
}

/// A kernel on one device.
struct device {
    bench::recording truth;
    bench::recording told; ///< what its records are made of
    bool is_amd = false;
};

/// "gemm_RTX_3090" -> "gemm"; "MI250X" and "W6600" are AMD's.
[[nodiscard]] std::string first_word(std::string const& name)
{
    return name.substr(0, name.find('_'));
}
[[nodiscard]] bool is_amd(std::string const& name)
{
    for (std::size_t at = 0; at != std::string::npos; at = name.find('_', at)) {
        if (at > 0) ++at;
        std::size_t const letters = name.find_first_of("0123456789", at);
        std::string const word = name.substr(at, letters - at);
        if (letters != std::string::npos && (word == "MI" || word == "W")) return true;
        if (at == 0) ++at;
    }
    return false;
}

/// Of `from`, with other outcomes.
[[nodiscard]] bench::recording with_history(bench::recording const& from,
                                            std::string const& history, std::uint64_t seed)
{
    bench::recording out = from;
    std::vector<attune::point> points;
    std::uint64_t const size = static_cast<std::uint64_t>(*from.space.size());
    for (std::uint64_t i = 0; i < size; ++i)
        points.push_back(from.space.at(i));
    std::vector<std::size_t> order(points.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    if (history == "rotated")
        std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2),
                    order.end());
    if (history == "shuffled") {
        attune::random_engine engine(seed);
        for (std::size_t i = order.size(); i > 1; --i)
            std::swap(order[i - 1], order[attune::uniform_below(engine, i)]);
    }
    double slowest = 0;
    for (auto const& [p, o] : from.outcomes)
        if (attune::succeeded(o)) slowest = std::max(slowest, std::get<0>(o).value);
    for (std::size_t i = 0; i < points.size(); ++i) {
        attune::outcome o = from.at(points[order[i]]);
        if (history == "reversed" && attune::succeeded(o))
            o = attune::measurement::exact(from.best_ms * slowest / std::get<0>(o).value);
        out.outcomes.at(points[i]) = std::move(o);
    }
    return out;
}

/// What a search of `budget` evaluations finds out on a device.
[[nodiscard]] attune::past_session record(device const& on, std::uint64_t seed)
{
    attune::past_session out;
    attune::description const& space = on.told.space.describe();
    out.name = on.told.name;
    for (attune::parameter_description const& p : space.parameters)
        out.parameters.push_back(p.name);
    bench::evaluator const evaluate = [&](attune::point const& p) {
        attune::past_outcome row;
        for (std::size_t i = 0; i < p.size(); ++i)
            row.values.push_back(attune::text_of(space.parameters[i], p[i]));
        attune::outcome const& o = on.told.at(p);
        if (attune::succeeded(o)) row.value = std::get<0>(o).value;
        out.outcomes.push_back(std::move(row));
        return o;
    };
    (void)bench::replay(on.told.space, evaluate, attune::search_with<attune::bayesian_searcher>(),
                        budget, seed);
    return out;
}

[[nodiscard]] fractions run(device const& on, std::vector<attune::past_session> const& past,
                            mode const& how, std::uint64_t seed)
{
    attune::bayesian_options options;
    if (how.name != "none") {
        options.past = past;
        options.warm_start = how.options;
    }
    bench::replay_curve const curve = bench::replay(
        on.truth.space, [&](attune::point const& p) { return on.truth.at(p); },
        attune::search_with<attune::bayesian_searcher>(options), budget, seed);
    fractions out{};
    for (std::size_t c = 0; c < out.size(); ++c) {
        std::size_t const n = std::min(checkpoints[c], curve.best_ms.size());
        if (n > 0) out[c] = on.truth.best_ms / curve.best_ms[n - 1]; // 0 while that is infinite
    }
    return out;
}

/// One target in one mode.
struct result {
    std::string target;
    fractions mean{};
    bench::estimate gain_40;
    bench::estimate gain_100;
};

[[nodiscard]] result summarise(std::string const& target, std::vector<fractions> const& runs,
                               std::vector<fractions> const& without)
{
    result out;
    out.target = target;
    std::vector<double> gain_40;
    std::vector<double> gain_100;
    for (std::size_t r = 0; r < runs.size(); ++r) {
        for (std::size_t c = 0; c < checkpoints.size(); ++c)
            out.mean[c] += runs[r][c] / static_cast<double>(runs.size());
        gain_40.push_back(runs[r][3] - without[r][3]);
        gain_100.push_back(runs[r][4] - without[r][4]);
    }
    out.gain_40 = bench::estimate_of(gain_40);
    out.gain_100 = bench::estimate_of(gain_100);
    return out;
}

[[nodiscard]] std::string text_of(fractions const& f)
{
    char text[160];
    std::snprintf(text, sizeof text, "at1=%.3f at5=%.3f at10=%.3f at40=%.3f at100=%.3f", f[0], f[1],
                  f[2], f[3], f[4]);
    return text;
}

[[nodiscard]] std::vector<std::vector<device>> kernels_of(arguments const& given)
{
    std::map<std::pair<std::string, std::vector<std::string>>, std::vector<device>> found;
    for (std::string const& path : bench::recorded_paths(given.data)) {
        std::vector<std::string> notes;
        std::optional<bench::recording> const truth = bench::read_recording(path, notes);
        if (!truth) continue;
        device d{*truth, with_history(*truth, given.history, 977), is_amd(truth->name)};
        std::vector<std::string> names;
        for (attune::parameter_description const& p : truth->space.describe().parameters)
            names.push_back(p.name);
        std::sort(names.begin(), names.end());
        found[{first_word(truth->name), names}].push_back(std::move(d));
    }
    std::vector<std::vector<device>> out;
    for (auto& [key, devices] : found)
        if (devices.size() > 1) out.push_back(std::move(devices));
    return out;
}

void bench_transfer(arguments const& given)
{
    std::vector<mode> modes = all_modes();
    std::map<std::string, std::vector<result>> results; // mode -> targets
    for (std::vector<device> const& devices : kernels_of(given)) {
        std::map<std::size_t, std::map<std::string, std::vector<fractions>>> runs; // of each target
        for (std::size_t r = 0; r < given.repeats; ++r) {
            std::vector<attune::past_session> records;
            for (device const& d : devices)
                records.push_back(record(d, given.seed + 1000 + r));
            for (std::size_t t = 0; t < devices.size(); ++t) {
                if (!bench::has_part(devices[t].truth.name, given.spaces)) continue;
                std::vector<attune::past_session> past;
                for (std::size_t s = 0; s < devices.size(); ++s) {
                    if (s == t) continue;
                    past.push_back(records[s]);
                    past.back().weight = devices[s].is_amd == devices[t].is_amd ? 1 : 0.3;
                }
                for (mode const& m : modes)
                    if (m.name == "none" || bench::is_in(given.modes, m.name))
                        runs[t][m.name].push_back(run(devices[t], past, m, given.seed + r));
                std::fprintf(stderr, "\r%s %zu/%zu ", devices[t].truth.name.c_str(), r + 1,
                             given.repeats);
            }
        }
        std::fprintf(stderr, "\r%*s\r", 70, "");
        for (auto const& [t, by_mode] : runs)
            for (mode const& m : modes) {
                if (!by_mode.contains(m.name)) continue;
                result const one =
                    summarise(devices[t].truth.name, by_mode.at(m.name), by_mode.at("none"));
                std::printf("target %s history=%s mode=%s sources=%zu %s gain40=%.3f se40=%.3f "
                            "gain100=%.3f se100=%.3f\n",
                            one.target.c_str(), given.history.c_str(), m.name.c_str(),
                            devices.size() - 1, text_of(one.mean).c_str(), one.gain_40.mean,
                            one.gain_40.error, one.gain_100.mean, one.gain_100.error);
                std::fflush(stdout);
                results[m.name].push_back(one);
            }
    }
    if (results.empty())
        throw std::runtime_error(given.data + ": no kernel was recorded on two devices");
    auto const errors = [](result const& r) {
        return r.gain_100.error > 0 ? r.gain_100.mean / r.gain_100.error : 0.0;
    };
    for (mode const& m : modes) {
        if (!results.contains(m.name)) continue;
        auto const least = [&](auto const& number) -> result const& {
            std::vector<result> const& all = results.at(m.name);
            return *std::min_element(all.begin(), all.end(), [&](result const& a, result const& b) {
                return number(a) < number(b);
            });
        };
        result const& at10 = least([](result const& r) { return r.mean[2]; });
        result const& at100 = least([](result const& r) { return r.mean[4]; });
        result const& lost = least(errors);
        std::printf("worst history=%s mode=%s target10=%s at10=%.3f target100=%s at100=%.3f "
                    "target_lost=%s gain100=%.3f se100=%.3f\n",
                    given.history.c_str(), m.name.c_str(), at10.target.c_str(), at10.mean[2],
                    at100.target.c_str(), at100.mean[4], lost.target.c_str(), lost.gain_100.mean,
                    lost.gain_100.error);
    }
    for (mode const& m : modes) {
        if (!results.contains(m.name)) continue;
        fractions mean{};
        for (result const& r : results.at(m.name))
            for (std::size_t c = 0; c < mean.size(); ++c)
                mean[c] += r.mean[c] / static_cast<double>(results.at(m.name).size());
        std::printf("mean history=%s mode=%s %s\n", given.history.c_str(), m.name.c_str(),
                    text_of(mean).c_str());
    }
}

[[nodiscard]] arguments parse(int count, char** text)
{
    arguments out;
    bench::read_arguments(count, text,
                          {{"--data", &out.data},
                           {"--history", &out.history},
                           {"--spaces", &out.spaces},
                           {"--mode", &out.modes},
                           {"--repeats", &out.repeats, 1},
                           {"--seed", &out.seed}});
    if (out.data.empty()) throw std::runtime_error("--data DIR is needed");
    bench::require_known("--history", out.history, {"true", "reversed", "rotated", "shuffled"});
    std::vector<std::string> names;
    for (mode const& m : all_modes())
        names.push_back(m.name);
    bench::require_known("--mode", out.modes, names);
    return out;
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        bench_transfer(parse(argc, argv));
        return 0;
    });
}
