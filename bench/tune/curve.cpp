// bench.tune.curve : a tuning as a curve: the best time so far, beside random search and the expert.
// SPDX-License-Identifier: MIT
//
//   bench/bench.tune.curve [--evaluations N] [--seeds N] [--figures DIR]
//
// Tunes the matrix product of examples/kernels/sgemm.hpp by the default search and by random
// search, in turns, once a seed. One line a tuning: the best time after 1 (the default), 5, 10, 20,
// 40 and all evaluations, in ms. The last line has medians over the seeds: the best times, the
// expert's time (interleaved pairs with the winner), and the evaluations after which the median
// curve is as fast as the expert (na: never). With --figures: DIR/tuning-light.svg and
// DIR/tuning-dark.svg, whose words README repeats (cmake/AttuneReadmeSync.cmake).
#include <attune/compile/clang.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/machine_figures.hpp>
#include <attune/search/random.hpp>
#include <attune/ship/report/detail/markup.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "../../examples/kernels/sgemm.hpp"
#include "../support/arguments.hpp"
#include "../support/expert.hpp"
#include "../support/median.hpp"

namespace {

using kernels::sgemm;

/// Seconds a call: the best after each evaluation.
using curve = std::vector<double>;

struct search {
    char const* name;
    attune::search_factory strategy;
    std::vector<curve> curves{}; ///< one a seed
};

struct tuning {
    curve best{};
    double expert_s = 0;
};

tuning tune(search const& with, std::uint32_t evaluations, std::uint64_t seed)
{
    tuning out;
    sgemm problem;
    attune::clang_compiler const compiler;
    attune::tuned tuned{sgemm::kernel(),
                        compiler,
                        {.limits = {.evaluations = evaluations, .seconds = 600},
                         .search = {.strategy = with.strategy, .seed = seed},
                         .progress = [&](attune::progress const& p) {
                             if (p.event == attune::progress_event::evaluated && p.has_best)
                                 out.best.push_back(p.best_value);
                         }}};
    problem.call(tuned);
    if (out.best.empty()) throw std::runtime_error(tuned.report().summary());
    out.expert_s = bench::beside_expert(problem, compiler, tuned).value().b.value;
    return out;
}

double after(curve const& c, std::size_t evaluations)
{
    return c[std::min(evaluations, c.size()) - 1];
}

/// The median over the seeds after each evaluation.
curve median_of(search const& s, std::size_t evaluations)
{
    curve out;
    for (std::size_t i = 1; i <= evaluations; ++i) {
        std::vector<double> values;
        for (curve const& c : s.curves)
            values.push_back(after(c, i));
        out.push_back(bench::median(std::move(values)));
    }
    return out;
}

/// The first evaluation after which a curve is at this time or below; 0: none.
std::size_t reaches(curve const& c, double seconds)
{
    auto const at = std::find_if(c.begin(), c.end(), [&](double s) { return s <= seconds; });
    return at == c.end() ? 0 : static_cast<std::size_t>(at - c.begin()) + 1;
}

std::string text_or_na(std::size_t n) { return n == 0 ? "na" : std::to_string(n); }

std::string milliseconds(double seconds)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3g ms", seconds * 1e3);
    return text;
}

std::string processor()
{
    for (std::string const& line : attune::detail::processor_lines())
        if (line.starts_with("model name"))
            return std::string(attune::detail::processor_value(line));
    return "an unknown processor";
}

struct result {
    std::array<search, 2> searches;
    std::array<curve, 2> medians;
    double expert_s = 0;
};

/// What the figure shows, for readers who cannot see it, and for README.
std::string words_of(result const& r)
{
    std::time_t const now = std::time(nullptr);
    char day[16];
    std::strftime(day, sizeof day, "%Y-%m-%d", std::gmtime(&now));
    std::string const evaluations = std::to_string(r.medians[0].size());
    std::size_t const level = reaches(r.medians[0], r.expert_s);
    return "A matrix product of 512 x 512: " + milliseconds(r.medians[0][0]) + " by default, " +
           milliseconds(r.medians[0].back()) + " after " + evaluations +
           " evaluations of attune, " + milliseconds(r.medians[1].back()) +
           " of random search; an expert's blocking takes " + milliseconds(r.expert_s) +
           (level == 0 ? "." : ", which attune reaches after " + std::to_string(level) + ".") +
           " Medians of " + std::to_string(r.searches[0].curves.size()) + " tunings on " +
           processor() + ", " + day + "; bench.tune.curve --figures examples/figures draws it.";
}

/// Colours of the parts of a figure.
struct colours {
    char const *paper, *ink, *grid, *ours, *random, *expert;
};

std::string figure(result const& r, colours const& c)
{
    constexpr double width = 720, height = 340, left = 62, right = 596, top = 18, bottom = 292;
    std::size_t const count = r.medians[0].size();
    double low = r.expert_s, high = r.expert_s;
    for (search const& s : r.searches)
        for (curve const& k : s.curves) {
            low = std::min(low, k.back());
            high = std::max(high, k.front());
        }
    attune::detail::drawing d(width, height, "", words_of(r));
    auto const y = attune::detail::log_axis::over(low * 1e3, high * 1e3, bottom, top);
    auto const x = [&](std::size_t evaluation) {
        return left + (right - left) * static_cast<double>(evaluation) / static_cast<double>(count);
    };
    d.box(0, 0, width, height, "paper");
    for (double const tick : y.ticks(6)) {
        d.line(left, y.at(tick), right, y.at(tick), "grid");
        char text[32];
        std::snprintf(text, sizeof text, "%g ms", tick);
        d.text(left - 8, y.at(tick) + 4, "end", text);
    }
    for (std::size_t tick = 0; tick <= count; tick += count <= 60 ? 10 : 20) {
        d.line(x(tick), bottom, x(tick), bottom + 5, "grid");
        d.text(x(tick), bottom + 20, "middle", std::to_string(tick));
    }
    d.text((left + right) / 2, bottom + 40, "middle", "evaluations");
    auto const path = [&](curve const& k) {
        std::string out = "M" + attune::detail::drawing::place(x(1), y.at(k[0] * 1e3));
        for (std::size_t i = 1; i < k.size(); ++i)
            out += "L" + attune::detail::drawing::place(x(i + 1), y.at(k[i - 1] * 1e3)) + "L" +
                   attune::detail::drawing::place(x(i + 1), y.at(k[i] * 1e3));
        return out;
    };
    d.line(left, y.at(r.expert_s * 1e3), right, y.at(r.expert_s * 1e3), "expert");
    for (std::size_t s = r.searches.size(); s-- > 0;) {
        std::string const style = s == 0 ? "ours" : "random";
        for (curve const& k : r.searches[s].curves)
            d.path(path(k), style + " one");
        d.path(path(r.medians[s]), style);
    }
    // Names at the right end, from the top down, so that none covers another.
    struct label {
        double at;
        char const *style, *text;
    };
    std::vector<label> labels{
        {y.at(r.medians[0].back() * 1e3), "ours-name", "attune"},
        {y.at(r.medians[1].back() * 1e3), "random-name", "random search"},
        {y.at(r.expert_s * 1e3), "expert-name", "expert"},
    };
    std::sort(labels.begin(), labels.end(),
              [](label const& a, label const& b) { return a.at < b.at; });
    double below = top;
    for (label& l : labels)
        below = l.at = std::max(l.at + 4, below + 16);
    double const over = std::max(0.0, labels.back().at - bottom);
    for (label const& l : labels)
        d.text(right + 8, l.at - over, l.style, l.text);
    std::string out = std::move(d).end();
    std::string const style =
        std::string("<style>text{font:13px system-ui,sans-serif;fill:") + c.ink +
        "}.end{text-anchor:end}.middle{text-anchor:middle}.paper{fill:" + c.paper +
        "}path{fill:none;stroke-linejoin:round;stroke-width:2.5}.grid{stroke:" + c.grid +
        ";stroke-width:1}.ours{stroke:" + c.ours + "}.random{stroke:" + c.random +
        "}.expert{stroke:" + c.expert +
        ";stroke-width:1.5;stroke-dasharray:6 4}.one{stroke-width:1;opacity:.35}.ours-name{fill:" +
        c.ours + ";font-weight:600}.random-name{fill:" + c.random +
        "}.expert-name{fill:" + c.expert + "}</style>\n";
    // A page shows it as an image: it needs the name of its language and a size.
    std::string_view const open = "<svg ";
    out.insert(out.find('\n') + 1, style);
    out.insert(open.size(), "xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"340\" ");
    return out;
}

void write(std::string const& path, std::string const& text)
{
    std::ofstream file(path, std::ios::binary);
    file << text;
    if (!file.flush()) throw std::runtime_error(path + " cannot be written");
}

int run(int count, char** text)
{
    std::uint32_t evaluations = 60;
    std::uint32_t seeds = 5;
    std::string figures;
    bench::read_arguments(
        count, text,
        {{"--evaluations", &evaluations, 5}, {"--seeds", &seeds, 1}, {"--figures", &figures}});
    result r{.searches = {search{"attune", attune::default_search(), {}},
                          search{"random", attune::search_with<attune::random_searcher>(), {}}},
             .medians = {},
             .expert_s = 0};
    std::vector<double> expert;
    for (std::uint64_t seed = 0; seed < seeds; ++seed)
        for (search& s : r.searches) {
            tuning t = tune(s, evaluations, seed);
            expert.push_back(t.expert_s);
            std::printf("curve %s seed=%llu", s.name, static_cast<unsigned long long>(seed));
            for (std::size_t const n : {1u, 5u, 10u, 20u, 40u})
                std::printf(" best_%zu_ms=%.3f", n, after(t.best, n) * 1e3);
            std::printf(" best_ms=%.3f expert_ms=%.3f\n", t.best.back() * 1e3, t.expert_s * 1e3);
            std::fflush(stdout);
            s.curves.push_back(std::move(t.best));
        }
    r.expert_s = bench::median(expert);
    for (std::size_t s = 0; s < r.searches.size(); ++s)
        r.medians[s] = median_of(r.searches[s], evaluations);
    std::printf("total seeds=%u default_ms=%.3f best_ms=%.3f random_ms=%.3f expert_ms=%.3f "
                "to_expert=%s random_to_expert=%s\n",
                seeds, r.medians[0][0] * 1e3, r.medians[0].back() * 1e3, r.medians[1].back() * 1e3,
                r.expert_s * 1e3, text_or_na(reaches(r.medians[0], r.expert_s)).c_str(),
                text_or_na(reaches(r.medians[1], r.expert_s)).c_str());
    if (!figures.empty()) {
        write(figures + "/tuning-light.svg",
              figure(r, {"#ffffff", "#24292f", "#d8dee4", "#0969da", "#9a6700", "#57606a"}));
        write(figures + "/tuning-dark.svg",
              figure(r, {"#0d1117", "#c9d1d9", "#30363d", "#58a6ff", "#d29922", "#8b949e"}));
    }
    return 0;
}

} // namespace

int main(int count, char** text)
{
    return bench::exit_code_of("bench.tune.curve", [&] { return run(count, text); });
}
