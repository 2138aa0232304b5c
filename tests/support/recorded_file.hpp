// tests/support/recorded_file.hpp - a space that was measured completely, read from its recording.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/files/read_json.hpp>

#include <cstdio>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace attune_tests {

/// What a recording says: gzip CSV, after lines `# key: value`. A row is a configuration, its time
/// and whether it could be measured.
struct recorded_file {
    std::map<std::string, std::string> about; ///< "parameters", "constraints", "rows", ...
    attune::description space;                ///< bound; of "parameters" and "constraints"
    std::vector<attune::point> rows;

    /// The maker says that its rows are exactly the configurations that satisfy the constraints.
    [[nodiscard]] bool is_complete() const
    {
        auto const field = [&](char const* key) {
            auto const found = about.find(key);
            return found == about.end() ? std::string() : found->second;
        };
        return !field("rows").empty() && field("rows") == field("configs_satisfying_constraints");
    }
};

namespace recorded {

/// The standard output of `gzip -dc path`; empty where there is no gzip or no such file.
inline std::string unpacked(std::string const& path)
{
    std::string quoted = "'";
    for (char const c : path)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    auto const close = [](std::FILE* f) { static_cast<void>(pclose(f)); };
    std::string const command = "gzip -dc " + quoted + "' 2>/dev/null";
    std::unique_ptr<std::FILE, decltype(close)> const pipe(popen(command.c_str(), "r"), close);
    std::string text;
    char block[65536];
    while (pipe) {
        std::size_t const got = std::fread(block, 1, sizeof block, pipe.get());
        if (got == 0) break;
        text.append(block, got);
    }
    return text;
}

inline std::vector<std::string> split(std::string const& line)
{
    std::vector<std::string> out(1);
    for (char const c : line)
        if (c == ',')
            out.emplace_back();
        else if (c != '\r')
            out.back() += c;
    return out;
}

/// {"a": [1, 2], "b": ["x"]} as the list of parameters that read_spaces_json() takes.
inline std::string parameter_list(std::string const& object)
{
    std::string out;
    for (std::size_t at = 0; (at = object.find('"', at)) != std::string::npos;) {
        std::size_t const name_end = object.find('"', at + 1);
        std::size_t const open = object.find('[', name_end);
        std::size_t const end = object.find(']', open);
        if (end == std::string::npos) throw std::runtime_error("no list of values: " + object);
        out += std::string(out.empty() ? "" : ",") +
               "{\"name\":" + object.substr(at, name_end + 1 - at) +
               ",\"values\":" + object.substr(open, end + 1 - open) + '}';
        at = end;
    }
    return out;
}

} // namespace recorded

/// Reads one recording; without rows where it cannot be unpacked.
/// Errors  std::runtime_error or attune::error for a file of another form
inline recorded_file read_recorded(std::string const& path)
{
    recorded_file out;
    std::istringstream lines(recorded::unpacked(path));
    std::string line;
    while (std::getline(lines, line) && line.starts_with("# ")) {
        std::size_t const colon = line.find(": ");
        if (colon != std::string::npos)
            out.about[line.substr(2, colon - 2)] = line.substr(colon + 2);
    }
    if (!lines) return out;
    out.space = attune::bind_inputs(
        attune::read_spaces_json("{\"params\":[" +
                                     recorded::parameter_list(out.about["parameters"]) +
                                     "],\"constraints\":" + out.about["constraints"] + '}',
                                 path)
            .front()
            .space);
    std::vector<std::uint32_t> column;
    for (std::string const& name : recorded::split(line))
        column.push_back(out.space.find_parameter(name)); // of time and status: no_index
    while (std::getline(lines, line)) {
        std::vector<std::string> const cells = recorded::split(line);
        attune::point row(out.space.parameters.size());
        for (std::size_t i = 0; i < column.size() && i < cells.size(); ++i) {
            if (column[i] == attune::no_index) continue;
            auto const at = attune::coordinate_of(out.space.parameters[column[i]], cells[i]);
            if (!at) throw std::runtime_error(path + ": not a value: " + cells[i]);
            row[column[i]] = *at;
        }
        out.rows.push_back(std::move(row));
    }
    return out;
}

} // namespace attune_tests
