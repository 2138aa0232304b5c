// examples/kernels/support/sparse_files.hpp - Matrix Market (.mtx) and FROSTT (.tns) files.
// SPDX-License-Identifier: MIT
//
// Matrix Market: "%%MatrixMarket matrix coordinate real|integer|pattern general|symmetric", in any
// case, comment lines, "rows columns entries", then "row column [value]", counted from 1. FROSTT:
// one entry per line, "i j k value", counted from 1; the extents are the largest coordinates.
#pragma once

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "sparse.hpp"

namespace kernels {

[[noreturn]] inline void refuse(std::string const& path, int line, std::string const& expected)
{
    throw std::runtime_error(path + ":" + std::to_string(line) + ": expected " + expected);
}

/// Nothing but blanks is left.
[[nodiscard]] inline bool is_read(std::istringstream& line)
{
    return !line.fail() && (line >> std::ws).eof();
}

[[nodiscard]] inline std::string in_lower_case(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

/// Errors: std::runtime_error naming file, line and what was expected there
[[nodiscard]] inline csr_matrix read_matrix_market(std::string const& path)
{
    std::ifstream file(path);
    if (!file) throw std::runtime_error(path + " cannot be opened");
    std::string line, banner, object, form, field, symmetry;
    int at = 1;
    std::getline(file, line);
    std::istringstream(in_lower_case(line)) >> banner >> object >> form >> field >> symmetry;
    bool const has_value = field != "pattern";
    bool const symmetric = symmetry == "symmetric";
    if (banner != "%%matrixmarket" || object != "matrix" || form != "coordinate" ||
        (has_value && field != "real" && field != "integer") ||
        (!symmetric && symmetry != "general"))
        refuse(path, at,
               "'%%MatrixMarket matrix coordinate real|integer|pattern general|symmetric'");
    while (std::getline(file, line) && ++at > 0 && !line.empty() && line[0] == '%') {
    }
    coordinates<2> list;
    long count = 0;
    std::istringstream sizes(line);
    sizes >> list.extent[0] >> list.extent[1] >> count;
    if (!is_read(sizes) || list.extent[0] < 0 || list.extent[1] < 0 || count < 0)
        refuse(path, at, "rows, columns and the number of entries");
    if (symmetric && list.extent[0] != list.extent[1])
        refuse(path, at, "as many rows as columns in a symmetric matrix");
    for (long e = 0; e < count; ++e) {
        coordinates<2>::entry entry{{}, 1.0f};
        if (!std::getline(file, line)) refuse(path, at, std::to_string(count) + " entries");
        ++at;
        std::istringstream text(line);
        auto& [i, j] = entry.at;
        text >> i >> j;
        if (has_value) text >> entry.value;
        if (!is_read(text) || i < 1 || j < 1 || i > list.extent[0] || j > list.extent[1])
            refuse(path, at, "row, column and value of an entry inside the matrix");
        --i;
        --j;
        list.entries.push_back(entry);
        if (symmetric && i != j) list.entries.push_back({{j, i}, entry.value});
    }
    while (std::getline(file, line) && ++at > 0)
        if (std::istringstream more(line); !(more >> std::ws).eof())
            refuse(path, at, "no more than " + std::to_string(count) + " entries");
    return to_csr(std::move(list));
}

/// Errors: std::runtime_error naming file, line and what was expected there
[[nodiscard]] inline csf_tensor read_frostt(std::string const& path)
{
    std::ifstream file(path);
    if (!file) throw std::runtime_error(path + " cannot be opened");
    coordinates<3> list;
    std::string line;
    for (int at = 1; std::getline(file, line); ++at) {
        if (line.empty() || line[0] == '#') continue;
        coordinates<3>::entry entry;
        std::istringstream text(line);
        text >> entry.at[0] >> entry.at[1] >> entry.at[2] >> entry.value;
        if (!is_read(text)) refuse(path, at, "three coordinates and a value");
        for (std::size_t d = 0; d < 3; ++d) {
            if (entry.at[d] < 1) refuse(path, at, "coordinates from 1 on");
            list.extent[d] = std::max(list.extent[d], entry.at[d]--);
        }
        list.entries.push_back(entry);
    }
    return to_csf(std::move(list));
}

} // namespace kernels
