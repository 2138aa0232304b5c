// bench/search/first_quality.cpp - how soon the default search finds fast variants, on recorded GPU
// kernels. SPDX-License-Identifier: MIT
//
// Run      bench.search.first_quality [directory] [seeds] [part of a file's name]
//          directory: gzip CSV files; default $ATTUNE_DATA, else ../shared/data beside the sources
// Prints   per space and searcher the median over seeds of best possible / best found after 40 and
//          after 100 evaluations (failures count), and CPU milliseconds per suggestion
// Note     each file is a fully measured space: an evaluation is a look-up. The constraints of the
//          file are not read; its rows are the valid configurations.
#include <attune/core/outcome.hpp>
#include <attune/declare/description.hpp>
#include <attune/search/bayesian.hpp>
#include <attune/search/random.hpp>
#include <attune/search/searcher.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace {

namespace fs = std::filesystem;

/// A measured space: what every configuration gave; a negative time stands for a failure.
struct recording {
    std::string name;
    attune::description space;
    std::unordered_map<attune::point, double, attune::point_hash> time_ms;
    double best_ms = std::numeric_limits<double>::infinity();
};

std::vector<std::string> split(std::string_view line)
{
    std::vector<std::string> out(1);
    for (char const c : line) {
        if (c == ',')
            out.emplace_back();
        else if (c != '\r')
            out.back() += c;
    }
    return out;
}

double number(std::string const& text)
{
    double value = 0;
    auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    bool const whole = problem == std::errc{} && end == text.data() + text.size();
    return whole ? value : std::numeric_limits<double>::quiet_NaN();
}

std::vector<std::string> lines_of(fs::path const& file)
{
    std::string quoted = "'";
    for (char const c : file.string())
        quoted += c == '\'' ? "'\\''" : std::string(1, c);
    std::string const command = "gzip -dc -- " + quoted + "'";
    std::unique_ptr<FILE, int (*)(FILE*)> const pipe(popen(command.c_str(), "r"), pclose);
    std::vector<std::string> lines(1);
    if (!pipe) return lines;
    for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get())) {
        if (c == '\n')
            lines.emplace_back();
        else
            lines.back() += static_cast<char>(c);
    }
    return lines;
}

/// One ordinal per column of numbers, one categorical per column of anything else, and one opaque
/// constraint: the row is in the file.
recording read(fs::path const& file)
{
    recording out;
    out.name = file.filename().string();
    out.name = out.name.substr(0, out.name.find('.'));
    std::vector<std::vector<std::string>> rows;
    for (std::string const& line : lines_of(file))
        if (!line.empty() && line[0] != '#') rows.push_back(split(line));
    if (rows.size() < 2) return out;
    std::vector<std::string> const header = rows.front();
    rows.erase(rows.begin());
    std::size_t const columns = header.size() - 2; // the last two are time_ms, status

    std::vector<std::vector<std::uint32_t>> level(rows.size());
    for (std::size_t c = 0; c < columns; ++c) {
        std::vector<std::string> values;
        for (auto const& row : rows)
            if (std::find(values.begin(), values.end(), row[c]) == values.end())
                values.push_back(row[c]);
        bool const numeric = std::none_of(values.begin(), values.end(), [](std::string const& v) {
            return std::isnan(number(v));
        });
        attune::parameter_description p;
        p.name = header[c];
        if (numeric) {
            std::sort(values.begin(), values.end(), [](std::string const& a, std::string const& b) {
                return number(a) < number(b);
            });
            p.kind = attune::parameter_kind::ordinal;
            p.type = attune::value_kind::real;
            for (std::string const& v : values)
                p.reals.push_back(number(v));
            if (p.reals.front() > 0) p.on = attune::scale::log;
        } else {
            p.kind = attune::parameter_kind::categorical;
            p.type = attune::value_kind::text;
            p.labels = values;
        }
        for (std::size_t r = 0; r < rows.size(); ++r) {
            auto const place = std::find(values.begin(), values.end(), rows[r][c]);
            level[r].push_back(static_cast<std::uint32_t>(place - values.begin()));
        }
        out.space.parameters.push_back(std::move(p));
    }

    auto known = std::make_shared<std::unordered_set<attune::point, attune::point_hash>>();
    for (std::size_t r = 0; r < rows.size(); ++r) {
        attune::point p;
        for (std::uint32_t const l : level[r])
            p.push_back({l, 0});
        double const time = number(rows[r][columns]);
        bool const worked = rows[r][columns + 1] == "ok" && time > 0;
        out.time_ms[p] = worked ? time : -1;
        if (worked) out.best_ms = std::min(out.best_ms, time);
        known->insert(std::move(p));
    }
    attune::constraint_description recorded;
    recorded.text = "the configuration was recorded";
    for (std::uint32_t i = 0; i < columns; ++i)
        recorded.scope.push_back(i);
    recorded.test = [known](attune::description const&, std::span<attune::coordinate const> at) {
        return known->contains(attune::point(at.begin(), at.end()));
    };
    out.space.constraints.push_back(std::move(recorded));
    return out;
}

struct curve {
    double at_40 = 0;
    double at_100 = 0;
    double ms_per_suggestion = 0;
};

curve replay(recording const& from, attune::any_searcher s)
{
    curve out;
    double best = std::numeric_limits<double>::infinity();
    std::clock_t asking = 0;
    int evaluations = 0;
    for (; evaluations < 100; ++evaluations) {
        std::clock_t const before = std::clock();
        std::vector<attune::point> const asked = s.ask(1);
        asking += std::clock() - before;
        if (asked.empty()) break;
        double const time = from.time_ms.at(asked.front());
        if (time < 0)
            s.tell(asked.front(), attune::failure{attune::failure_stage::launch, "failed"});
        else {
            best = std::min(best, time);
            s.tell(asked.front(), attune::measurement::exact(time));
        }
        if (evaluations == 39) out.at_40 = from.best_ms / best;
    }
    out.at_100 = from.best_ms / best;
    out.ms_per_suggestion = 1e3 * static_cast<double>(asking) / CLOCKS_PER_SEC / evaluations;
    return out;
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    std::size_t const n = values.size();
    return n % 2 == 1 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

void compare(recording const& from, std::uint64_t seeds)
{
    attune::chain_of_trees const space(from.space);
    attune::search_factory const bayesian = [](attune::chain_of_trees const& c,
                                               std::uint64_t seed) {
        return attune::any_searcher(attune::bayesian_searcher(c, seed));
    };
    attune::search_factory const random = [](attune::chain_of_trees const& c, std::uint64_t seed) {
        return attune::any_searcher(attune::random_searcher(c, seed));
    };
    for (bool const modelled : {false, true}) {
        std::vector<double> at_40;
        std::vector<double> at_100;
        std::vector<double> ms;
        for (std::uint64_t seed = 0; seed < seeds; ++seed) {
            curve const c = replay(from, (modelled ? bayesian : random)(space, seed));
            at_40.push_back(c.at_40);
            at_100.push_back(c.at_100);
            ms.push_back(c.ms_per_suggestion);
        }
        std::printf("first_quality space=%s searcher=%s frac40=%.3f frac100=%.3f "
                    "ms_per_suggestion=%.2f seeds=%llu configurations=%zu\n",
                    from.name.c_str(),
                    modelled ? "bayesian" : "random",
                    median(at_40),
                    median(at_100),
                    median(ms),
                    static_cast<unsigned long long>(seeds),
                    from.time_ms.size());
        std::fflush(stdout);
    }
}

fs::path default_directory()
{
    if (char const* const given = std::getenv("ATTUNE_DATA")) return given;
    fs::path const root = fs::path(__FILE__).parent_path().parent_path().parent_path();
    return root.parent_path() / "shared" / "data";
}

} // namespace

int main(int argc, char** argv)
{
    std::vector<std::string> const arguments(argv + 1, argv + argc);
    fs::path const directory = arguments.empty() ? default_directory() : fs::path(arguments[0]);
    std::uint64_t const seeds = arguments.size() > 1 ? std::stoull(arguments[1]) : 10;
    std::string const part = arguments.size() > 2 ? arguments[2] : "";
    std::vector<fs::path> files;
    std::error_code problem;
    for (auto it = fs::recursive_directory_iterator(directory, problem);
         !problem && it != fs::recursive_directory_iterator();
         it.increment(problem)) {
        std::string const name = it->path().filename().string();
        if (name.ends_with(".csv.gz") && name.find(part) != std::string::npos)
            files.push_back(it->path());
    }
    if (files.empty()) {
        std::printf("first_quality skipped: no recorded spaces (*.csv.gz) in %s; name a directory "
                    "as argument or in ATTUNE_DATA\n",
                    directory.string().c_str());
        return 0;
    }
    std::sort(files.begin(), files.end());
    for (fs::path const& file : files) {
        recording const from = read(file);
        if (from.time_ms.empty()) {
            std::printf("first_quality space=%s skipped: no rows\n", from.name.c_str());
            continue;
        }
        compare(from, seeds);
    }
}
