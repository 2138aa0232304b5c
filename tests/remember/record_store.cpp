// tests/remember/record_store.cpp - the concept, and its archetype under the laws.
// SPDX-License-Identifier: MIT
// clang-format off: the header under test comes first
#include <attune/remember/record_store.hpp>
// clang-format on

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../laws/record_store.hpp"
#include "../support/minimal_record_store.hpp"

namespace {

struct minimal_subject {
    support::minimal_record_store store{};
    auto& get() { return store; }
};

struct without_notices {
    attune::lookup_result find(attune::record_key const&) { return {}; }
    void add(attune::record const&) {}
};

struct finds_a_record : without_notices {
    attune::record find(attune::record_key const&) { return {}; }
    std::vector<std::string> notices() { return {}; }
};

struct counts_what_it_adds : without_notices {
    int add(attune::record const&) { return 1; }
    std::vector<std::string> notices() { return {}; }
};

} // namespace

TEST_CASE_TEMPLATE_INVOKE(record_store_laws, minimal_subject);

TEST_CASE("the concept holds for the archetype and for nothing less")
{
    static_assert(attune::record_store<support::minimal_record_store>);
    static_assert(!attune::record_store<without_notices>);
    static_assert(!attune::record_store<finds_a_record>);
    static_assert(!attune::record_store<counts_what_it_adds>);
    static_assert(!attune::record_store<int>);
}
