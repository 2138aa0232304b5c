// tests/remember/memory_store.cpp - the store that touches no disk.
// SPDX-License-Identifier: MIT
#include <attune/remember/memory_store.hpp>

#include <doctest/doctest.h>

#include "../laws/record_store.hpp"

namespace {

struct memory_subject {
    attune::memory_store store{};
    auto& get() { return store; }
};

} // namespace

TEST_CASE_TEMPLATE_INVOKE(record_store_laws, memory_subject);
TEST_CASE_TEMPLATE_INVOKE(near_match_laws, memory_subject);

TEST_CASE("memory_store keeps every record in order, and its copy is independent")
{
    attune::memory_store first;
    first.add(laws::example_record(laws::example_key(), 1));
    attune::memory_store second = first;
    second.add(laws::example_record(laws::example_key(), 2));
    CHECK(first.records().size() == 1);
    REQUIRE(second.records().size() == 2);
    CHECK(second.records()[1].seed == 2);
    CHECK(first.find(laws::example_key()).best->seed == 1);
    CHECK(second.find(laws::example_key()).best->seed == 2);
}
