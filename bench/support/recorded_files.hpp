// bench/support/recorded_files.hpp - recorded spaces as text.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "recorded.hpp"

namespace bench {

namespace detail {

[[nodiscard]] inline bool is_recorded_name(std::string const& name)
{
    return name.ends_with(".csv.gz") || name.ends_with(".csv") || name.ends_with(".json") ||
           name.ends_with(".json.gz");
}

/// The whole text of a file; unpacked by gzip when its name ends in .gz.
[[nodiscard]] inline std::string text_of_file(std::string const& path)
{
    std::string quoted = "'";
    for (char const c : path)
        quoted += c == '\'' ? "'\\''" : std::string(1, c);
    quoted += "'";
    bool const packed = path.ends_with(".gz");
    std::string const command = (packed ? "gzip -dc -- " : "cat -- ") + quoted;
    FILE* const pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) throw std::runtime_error(path + ": cannot be opened");
    std::string text;
    char block[65536];
    for (std::size_t got = 0; (got = std::fread(block, 1, sizeof block, pipe)) > 0;)
        text.append(block, got);
    if (pclose(pipe) != 0)
        throw std::runtime_error(path + ": cannot be read" + (packed ? " by gzip" : ""));
    return text;
}

/// The cells of one CSV line; quoted cells may hold commas and doubled quotes.
[[nodiscard]] inline std::vector<std::string> cells_of(std::string_view line)
{
    std::vector<std::string> out(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        char const c = line[i];
        if (c == '"') {
            if (quoted && i + 1 < line.size() && line[i + 1] == '"')
                out.back() += line[++i];
            else
                quoted = !quoted;
        } else if (c == ',' && !quoted)
            out.emplace_back();
        else if (c != '\r')
            out.back() += c;
    }
    return out;
}

/// The number that is all of `text`; NaN when it is none.
[[nodiscard]] inline double number_of(std::string_view text)
{
    double value = 0;
    auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    bool const whole = problem == std::errc{} && end == text.data() + text.size();
    return whole ? value : std::numeric_limits<double>::quiet_NaN();
}

[[nodiscard]] inline std::string text_of(nlohmann::json const& v)
{
    return v.is_string() ? v.get<std::string>() : v.dump();
}

/// "# key: value" -> what the file needs of it.
inline void read_header_line(std::string_view line, recorded_file& out)
{
    std::size_t const colon = line.find(':');
    if (colon == std::string_view::npos) return;
    std::size_t const begin = line.find_first_not_of("# ");
    std::string const key(line.substr(begin, colon - begin));
    std::string_view value = line.substr(colon + 1);
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    if (key == "parameters") {
        auto const parameters = nlohmann::ordered_json::parse(value);
        for (auto const& [name, list] : parameters.items()) {
            out.parameters.push_back(name);
            out.values.emplace_back();
            for (auto const& v : list)
                out.values.back().push_back(text_of(v));
        }
    } else if (key == "constraints") {
        for (auto const& v : nlohmann::json::parse(value))
            out.constraints.push_back(text_of(v));
    }
}

[[nodiscard]] inline recorded_file read_csv(std::string const& path, std::string const& text)
{
    recorded_file out;
    std::vector<std::string> header;
    std::vector<std::size_t> column; // of each parameter
    std::size_t time = 0;
    std::size_t status = 0;
    std::size_t line_number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t const end = std::min(text.find('\n', begin), text.size());
        std::string_view const line(text.data() + begin, end - begin);
        begin = end + 1;
        ++line_number;
        if (line.empty() || line == "\r") continue;
        if (line[0] == '#') {
            read_header_line(line, out);
            continue;
        }
        std::vector<std::string> cells = cells_of(line);
        std::string const where = path + ":" + std::to_string(line_number) + ": ";
        if (header.empty()) {
            header = std::move(cells);
            auto const place = [&](std::string const& name) {
                auto const found = std::find(header.begin(), header.end(), name);
                if (found == header.end()) throw std::runtime_error(where + "no column " + name);
                return static_cast<std::size_t>(found - header.begin());
            };
            time = place("time_ms");
            status = place("status");
            if (out.parameters.empty())
                for (std::size_t c = 0; c < header.size(); ++c)
                    if (c != time && c != status) out.parameters.push_back(header[c]);
            for (std::string const& name : out.parameters)
                column.push_back(place(name));
            continue;
        }
        if (cells.size() != header.size())
            throw std::runtime_error(where + std::to_string(cells.size()) + " cells, expected " +
                                     std::to_string(header.size()));
        recorded_row row;
        for (std::size_t const c : column)
            row.values.push_back(cells[c]);
        row.status = cells[status];
        double const ms = number_of(cells[time]);
        if (row.status == "ok" && std::isfinite(ms) && ms > 0) row.time_ms = ms;
        out.rows.push_back(std::move(row));
    }
    return out;
}

/// T4, the results of the FAIR autotuning format: {"results": [{"configuration": {...},
/// "invalidity": "correct", "measurements": [{"name": "time", "value": 1.5, "unit": "ms"}]}]}.
[[nodiscard]] inline recorded_file read_t4(nlohmann::ordered_json const& root)
{
    recorded_file out;
    for (auto const& result : root.at("results")) {
        auto const& configuration = result.at("configuration");
        if (out.parameters.empty())
            for (auto const& [name, value] : configuration.items())
                out.parameters.push_back(name);
        recorded_row row;
        for (std::string const& name : out.parameters)
            row.values.push_back(text_of(configuration.at(name)));
        row.status = result.value("invalidity", std::string("correct"));
        std::string objective = "time";
        if (result.contains("objectives") && !result["objectives"].empty())
            objective = text_of(result["objectives"][0]);
        for (auto const& m : result.value("measurements", nlohmann::ordered_json::array())) {
            if (text_of(m.at("name")) != objective || row.status != "correct") continue;
            if (!m.at("value").is_number()) continue;
            std::string const unit = m.value("unit", std::string("ms"));
            double const to_ms = unit == "s" || unit == "seconds"         ? 1e3
                                 : unit == "us" || unit == "microseconds" ? 1e-3
                                 : unit == "ns" || unit == "nanoseconds"  ? 1e-6
                                                                          : 1.0;
            double const ms = to_ms * m.at("value").get<double>();
            if (std::isfinite(ms) && ms > 0) row.time_ms = ms;
        }
        out.rows.push_back(std::move(row));
    }
    return out;
}

} // namespace detail

inline std::vector<std::string> recorded_paths(std::string const& directory)
{
    namespace fs = std::filesystem;
    std::error_code problem;
    if (fs::is_regular_file(directory, problem)) return {directory};
    std::vector<std::string> out;
    for (auto it = fs::recursive_directory_iterator(directory, problem);
         !problem && it != fs::recursive_directory_iterator();
         it.increment(problem))
        if (it->is_regular_file() && detail::is_recorded_name(it->path().filename().string()))
            out.push_back(it->path().string());
    if (problem) throw std::runtime_error(directory + ": " + problem.message());
    if (out.empty())
        throw std::runtime_error(directory + ": no recorded spaces (*.csv.gz, or T4 *.json)");
    std::sort(out.begin(), out.end());
    return out;
}

inline std::optional<recorded_file> read_recorded(std::string const& path)
{
    std::string name = path.substr(path.find_last_of('/') + 1);
    bool const csv = name.find(".csv") != std::string::npos;
    std::string const text = detail::text_of_file(path);
    recorded_file out;
    try {
        if (csv) {
            out = detail::read_csv(path, text);
        } else {
            auto const root = nlohmann::ordered_json::parse(text);
            if (!root.is_object() || !root.contains("results")) return {};
            out = detail::read_t4(root);
        }
    } catch (nlohmann::json::exception const& e) {
        throw std::runtime_error(path + ": " + e.what());
    }
    for (std::string_view const end : {".gz", ".csv", ".json"})
        if (name.ends_with(end)) name.resize(name.size() - end.size());
    out.name = std::move(name);
    return out;
}

} // namespace bench
