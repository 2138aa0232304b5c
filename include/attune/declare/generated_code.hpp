// attune/declare/generated_code.hpp - the generated text of a configuration, for releases and reports.
// SPDX-License-Identifier: MIT
// tested by remember/lines/record_line.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A loop of a program's schedule, and the bytes that it touches.
struct placed_loop {
    std::string name{};      ///< "i_1": the axis, and the number of outer loops over this axis
    std::uint32_t depth = 0; ///< number of loops around it
    std::int64_t times = 0;  ///< the most iterations; 0: an input is unknown
    std::string how{};       ///< "serial", "parallel", "vector", "unrolled", "unrolled by 4"
    /// Bytes of each array and copy that all iterations touch. Empty: an input is unknown.
    std::vector<std::pair<std::string, std::int64_t>> bytes{};

    [[nodiscard]] friend bool operator==(placed_loop const&, placed_loop const&) = default;
};

/// The C++ text of one configuration of a kernel whose text a function generates. `shared` followed
/// by `text`, or by `fallback`, compiles alone and defines the function that attune::kernel names.
struct generated_code {
    std::string shared{};   ///< the common beginning of `text` and `fallback`; may be empty
    std::string text{};     ///< code of the configuration; empty: a kernel file has the code of all
    std::string fallback{}; ///< code for calls that `text` may not serve
    bool is_plain = false;  ///< true: `fallback` is the plain nest of a program; false: the default
    std::string print{};    ///< fingerprint_of() these members when the code was generated
    std::vector<placed_loop> loops{}; ///< of a program, outermost first; else empty
    /// Memories of this machine, fastest first: {"registers", 512}, {"L1", 32768} ...
    std::vector<std::pair<std::string, std::int64_t>> levels{};

    [[nodiscard]] friend bool operator==(generated_code const&, generated_code const&) = default;
};

} // namespace attune::inline ATTUNE_ABI
