// tests/remember/store_lines.hpp - what the tests of a store's file write and expect.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/remember/record.hpp>
#include <attune/remember/record_line.hpp>
#include <attune/remember/store.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <string>

#include "../laws/record_store.hpp"

namespace support {

inline std::string const header = "{\"attune_store\":1}\n";

/// The line of laws::example_record() with this seed, with its newline.
inline std::string line_of(std::uint64_t seed)
{
    return attune::detail::record_line(laws::example_record(laws::example_key(), seed)) + "\n";
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
