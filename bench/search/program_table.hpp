// bench/search/program_table.hpp - measured configurations of programs, as a file.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/declare/point.hpp>
#include <attune/declare/text.hpp>
#include <attune/search/cost/cost_samples.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/files/detail/recording.hpp>
#include <attune/space/schedule/derived_space.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace bench {

/// One configuration; no seconds: it failed, or was cut off.
struct program_row {
    attune::point at;
    std::optional<double> seconds{};
};

/// The rows of one program: a line each, program, seconds or "failed", and NAME=VALUE for each
/// parameter, with tabs between them.
[[nodiscard]] inline std::string table_text(std::string const& program,
                                            attune::description const& space,
                                            std::vector<program_row> const& rows)
{
    std::string out;
    for (program_row const& row : rows) {
        out += program + '\t' +
               (row.seconds ? attune::detail::text_of_real(*row.seconds) : std::string("failed"));
        for (std::size_t p = 0; p < space.parameters.size(); ++p)
            out += '\t' + space.parameters[p].name + '=' +
                   attune::text_of(space.parameters[p], row.at[p]);
        out += '\n';
    }
    return out;
}

/// The rows of `program` in a file of such lines, in its order. One that was recorded several times
/// has the least of its seconds: other programs only add to a time, and only sometimes to each.
/// Errors   std::runtime_error: the file cannot be read, or a line is not one of this space
[[nodiscard]] inline std::vector<program_row>
read_table(std::string const& path, std::string const& program, attune::description const& space)
{
    std::ifstream file(path);
    if (!file) throw std::runtime_error(path + ": cannot be read");
    std::vector<program_row> out;
    std::unordered_map<attune::point, std::size_t, attune::point_hash> place;
    std::string line;
    for (std::size_t number = 1; std::getline(file, line); ++number) {
        auto const refuse = [&](std::string const& why) {
            throw std::runtime_error(path + ':' + std::to_string(number) + ": " + why);
        };
        std::vector<std::string> fields;
        for (std::size_t begin = 0; begin <= line.size();) {
            std::size_t const end = std::min(line.find('\t', begin), line.size());
            fields.push_back(line.substr(begin, end - begin));
            begin = end + 1;
        }
        if (fields.front() != program) continue;
        if (fields.size() != 2 + space.parameters.size())
            refuse("another number of parameters than this program has: record it again");
        program_row row;
        if (fields[1] != "failed") {
            double seconds = 0;
            auto const [end, error] =
                std::from_chars(fields[1].data(), fields[1].data() + fields[1].size(), seconds);
            if (error != std::errc{} || !(seconds > 0)) refuse(fields[1] + " are no seconds");
            row.seconds = seconds;
        }
        for (std::size_t p = 0; p < space.parameters.size(); ++p) {
            std::string const& name = space.parameters[p].name;
            std::string const& field = fields[2 + p];
            auto const at =
                field.starts_with(name + '=')
                    ? attune::coordinate_of(space.parameters[p], field.substr(name.size() + 1))
                    : std::nullopt;
            if (!at) refuse(field + " is no value of " + name + ": record it again");
            row.at.push_back(*at);
        }
        auto const [where, is_new] = place.try_emplace(row.at, out.size());
        if (is_new)
            out.push_back(std::move(row));
        else if (std::optional<double>& known = out[where->second].seconds;
                 row.seconds && (!known || *row.seconds < *known))
            known = row.seconds;
    }
    return out;
}

/// A program whose space are the configurations of a table.
struct measured_program {
    std::string name;
    attune::chain_of_trees space;
    // by configuration, in the order of the table:
    std::vector<attune::point> points{};
    std::vector<attune::program_rows> rows{}; ///< as cost models see it
    std::vector<std::optional<double>> seconds{};
    std::vector<double> scores{}; ///< best over own seconds, 0 where it failed
    /// In seconds.
    std::unordered_map<attune::point, attune::outcome, attune::point_hash> outcomes{};

    /// The least; 0: all failed.
    [[nodiscard]] double best_s() const
    {
        double out = 0;
        for (std::optional<double> const& s : seconds)
            if (s && (out == 0 || *s < out)) out = *s;
        return out;
    }
};

/// The rows of `name` in a file of read_table(), which were recorded on this machine; nothing where
/// there are none.
/// @param nest  the program
/// Errors   as read_table()
[[nodiscard]] inline std::optional<measured_program>
read_program(std::string const& path, std::string_view name, attune::nest_description const& nest)
{
    attune::description d = attune::derived_space(nest).describe();
    measured_program out{std::string(name), attune::chain_of_trees(d)};
    auto const known = std::make_shared<attune::detail::recorded_points>();
    attune::expected_rows const seen(out.space);
    attune::cost_samples samples;
    for (program_row& row : read_table(path, out.name, d)) {
        std::optional<attune::program_rows> const rows = seen.of(row.at);
        if (!rows)
            throw std::runtime_error(path + ": a configuration of " + out.name +
                                     " is none any more; record the table again");
        known->insert(row.at);
        out.rows.push_back(*rows);
        samples.add(name, out.rows.back(), row.seconds);
        if (row.seconds)
            out.outcomes.emplace(row.at, attune::measurement::exact(*row.seconds));
        else
            out.outcomes.emplace(row.at, attune::failure{attune::failure_stage::timeout, "slow"});
        out.points.push_back(std::move(row.at));
        out.seconds.push_back(row.seconds);
    }
    if (out.points.empty()) return {};
    out.scores = samples.scores();
    attune::detail::only_recorded(d, known);
    out.space = attune::chain_of_trees(std::move(d));
    return out;
}

} // namespace bench
