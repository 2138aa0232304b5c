// bench/search/tsp_instance.hpp - tours of TSPLIB: read, measured, and as a space of one permutation.
// SPDX-License-Identifier: MIT
// Source   Reinelt, "TSPLIB - a traveling salesman problem library", 1991: the file format, and the
//          pseudo-Euclidean distance ATT
#pragma once

#include <attune/declare/description.hpp>
#include <attune/search/compose/gene.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// Cities and the lengths of the ways between them.
struct tsp_instance {
    std::size_t cities = 0;
    std::vector<double> way; ///< cities x cities, from row to column

    /// The length of the closed tour that visits the cities in this order.
    [[nodiscard]] double length(std::span<std::uint16_t const> tour) const
    {
        double out = 0;
        for (std::size_t i = 0; i < tour.size(); ++i)
            out += way[tour[i] * cities + tour[i + 1 < tour.size() ? i + 1 : 0]];
        return out;
    }
};

namespace detail {

[[nodiscard]] inline std::vector<double> numbers_of(std::istream& in, std::size_t count)
{
    std::vector<double> out;
    for (double v = 0; out.size() < count && in >> v;)
        out.push_back(v);
    return out;
}

/// Distances ATT between points on a plane. @param at  x and y of each city
[[nodiscard]] inline std::vector<double> att_ways(std::vector<double> const& at)
{
    std::size_t const cities = at.size() / 2;
    std::vector<double> out(cities * cities);
    for (std::size_t i = 0; i < cities; ++i)
        for (std::size_t j = 0; j < cities; ++j)
            out[i * cities + j] = std::ceil(
                std::hypot(at[2 * i] - at[2 * j], at[2 * i + 1] - at[2 * j + 1]) / std::sqrt(10.0));
    return out;
}

} // namespace detail

/// A file of TSPLIB with coordinates (ATT) or a full matrix; or a name, a number of cities, a full
/// matrix and anything.
/// Errors  std::runtime_error: no such file, or it has another form
[[nodiscard]] inline tsp_instance read_tsp(std::string const& path)
{
    std::ifstream in(path);
    if (!in) throw std::runtime_error("cannot read " + path);
    tsp_instance out;
    bool has_coordinates = false;
    std::string line;
    for (bool is_first = true; std::getline(in, line); is_first = false) {
        std::istringstream words(line);
        std::string word;
        words >> word;
        if (is_first && line.find(':') == line.npos) { // name, number of cities, matrix
            in >> out.cities;
            break;
        }
        if (word.starts_with("DIMENSION")) {
            std::istringstream(line.substr(line.find(':') + 1)) >> out.cities;
        } else if (word == "NODE_COORD_SECTION") {
            has_coordinates = true;
            break;
        } else if (word == "EDGE_WEIGHT_SECTION")
            break;
    }
    if (has_coordinates) {
        std::vector<double> const rows = detail::numbers_of(in, 3 * out.cities);
        std::vector<double> at;
        for (std::size_t i = 0; i + 2 < rows.size(); i += 3)
            at.insert(at.end(), {rows[i + 1], rows[i + 2]});
        out.way = detail::att_ways(at);
    } else
        out.way = detail::numbers_of(in, out.cities * out.cities);
    if (out.cities < 3 || out.way.size() != out.cities * out.cities)
        throw std::runtime_error(path + " is neither TSPLIB nor a matrix of ways");
    return out;
}

/// A space whose only value is the order of so many items, more than 12.
[[nodiscard]] inline attune::description space_of_tours(std::size_t cities)
{
    attune::description out;
    auto const count = static_cast<std::uint32_t>(cities);
    for (std::uint32_t k = 0; k + 1 < count; ++k) {
        attune::parameter_description digit;
        digit.name = "TOUR[" + std::to_string(k) + "]";
        digit.kind = attune::parameter_kind::integer;
        digit.type = attune::value_kind::integer;
        digit.range_count = count - k;
        out.parameters.push_back(std::move(digit));
    }
    out.groups.push_back({"TOUR", attune::group_kind::permutation, 0, count - 1});
    return out;
}

} // namespace bench
