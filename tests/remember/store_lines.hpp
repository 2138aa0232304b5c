// tests/remember/store_lines.hpp - what the tests of a store's file write and expect.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/remember/lines/record_line.hpp>
#include <attune/remember/record.hpp>
#include <attune/remember/store.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <string>

#include "../laws/record_store.hpp"

namespace support {

inline std::string const header = "{\"attune_store\":2}\n";
inline std::string const old_header = "{\"attune_store\":1}\n";

/// The problem of laws::example_record(), with its newline.
inline std::string problem_line()
{
    auto const problem = attune::detail::problem_of(laws::example_record());
    return attune::detail::problem_line(attune::detail::id_of(problem), problem) + "\n";
}

/// The line of laws::example_record() with this seed, with its newline.
inline std::string line_of(std::uint64_t seed)
{
    attune::record const entry = laws::example_record(laws::example_key(), seed);
    return attune::detail::won_line(attune::detail::id_of(attune::detail::problem_of(entry)),
                                    entry) +
           "\n";
}

/// What a store writes when it writes this record first: the problem before it.
inline std::string first_line_of(std::uint64_t seed) { return problem_line() + line_of(seed); }

/// The same record as a line of format 1, as attune 0.4 wrote it.
inline std::string old_line_of(std::uint64_t seed)
{
    return R"x({"kernel":"sgemm","source":"5f3a","schema":"77c1","compiler":"clang 19 -O3",)x"
           R"x("device":"cpu zen4","inputs":{"N":"1024","M":"512"},)x"
           R"x("configuration":{"TILE_M":"64","ORDER":"(0, 2, 1)"},"best_s":0.1,)x"
           R"x("default_s":0.3333333333333333,"evaluations":60,"failures":7,"seed":)x" +
           std::to_string(seed) +
           R"x(,"when":"2025-01-31T12:00:00Z","attune":"0.1.0","interrupted":false})x"
           "\n";
}

/// The seed of the record that exactly matches laws::example_key().
inline std::uint64_t seed_found(attune::store& from)
{
    attune::lookup_result const got = from.find(laws::example_key());
    REQUIRE(got.best.has_value());
    CHECK(got.how == attune::record_match::exact);
    return got.best->seed;
}

} // namespace support
