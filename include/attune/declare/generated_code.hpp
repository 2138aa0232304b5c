// attune/declare/generated_code.hpp - the text of a configuration that no kernel file has: for releases and reports.
// SPDX-License-Identifier: MIT
// tested by remember/lines/record_line.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A loop of a program's schedule, and what it touches.
struct placed_loop {
    std::string name{};      ///< "i_1": the axis, and how many loops over it are further out
    std::uint32_t depth = 0; ///< loops around it
    std::int64_t times = 0;  ///< iterations, the most; 0: they depend on an input that is unknown
    std::string how{};       ///< "serial", "parallel", "vector", "unrolled", "unrolled by 4"
    /// Bytes that all of its iterations touch together, of each array and copy; empty: as `times`.
    std::vector<std::pair<std::string, std::int64_t>> bytes{};

    [[nodiscard]] friend bool operator==(placed_loop const&, placed_loop const&) = default;
};

/// The C++ of one configuration of a kernel whose text a function writes. `shared` and behind it
/// `text` (or `fallback`) compile alone and define the function that attune::kernel names.
struct generated_code {
    std::string shared{};   ///< what both begin with; may be empty
    std::string text{};     ///< of the configuration; empty: the text of all is a kernel file's
    std::string fallback{}; ///< of what serves where `text` may not
    bool is_plain = false;  ///< `fallback`: true a program's plain nest, else the default
    std::string print{};    ///< fingerprint_of() these, when they were written
    std::vector<placed_loop> loops{}; ///< of a program, outermost first; else empty
    /// What holds data here, the quickest first: {"registers", 512}, {"L1", 32768} ...
    std::vector<std::pair<std::string, std::int64_t>> levels{};

    [[nodiscard]] friend bool operator==(generated_code const&, generated_code const&) = default;
};

} // namespace attune::inline ATTUNE_ABI
