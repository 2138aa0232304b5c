// tests/remember/memory_store.cpp - the store that touches no disk.
// SPDX-License-Identifier: MIT
#include <attune/remember/memory_store.hpp>

#include <doctest/doctest.h>
#include <string>

#include "../laws/record_store.hpp"
#include "store_lines.hpp"

using attune::detail::stored_problem;

namespace {

struct memory_subject {
    attune::memory_store store{};
    auto& get() { return store; }
};

/// Every answer comes from the text of the other one.
struct broadcast_subject {
    struct pair {
        attune::memory_store root{};
        attune::memory_store copy() { return attune::memory_store::from_text(root.text()); }
        auto find(attune::record_key const& key) { return copy().find(key); }
        void add(attune::record const& entry) { root.add(entry); }
        auto notices() { return copy().notices(); }
        void note(stored_problem const& p, attune::detail::tried_row const& r) { root.note(p, r); }
        void end(stored_problem const& p) { root.end(p); }
        void prove(stored_problem const& p, attune::detail::proven_shape const& s)
        {
            root.prove(p, s);
        }
        auto recall(stored_problem const& p) { return copy().recall(p); }
        auto related(stored_problem const& p, std::size_t most) { return copy().related(p, most); }
        auto proofs(stored_problem const& p, std::string const& code)
        {
            return copy().proofs(p, code);
        }
        auto claim(attune::record_key const& k, double wait_s) { return root.claim(k, wait_s); }
    } store{};
    auto& get() { return store; }
};

} // namespace

TEST_CASE_TEMPLATE_INVOKE(record_store_laws, memory_subject);
TEST_CASE_TEMPLATE_INVOKE(near_match_laws, memory_subject);
TEST_CASE_TEMPLATE_INVOKE(row_laws, memory_subject, broadcast_subject);

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
    first = second;
    CHECK(first.records().size() == 2);
}

TEST_CASE("text of a store that is damaged, newer or none at all costs a notice")
{
    using support::first_line_of;
    using support::header;
    auto const notices_of = [](std::string const& text) {
        return attune::memory_store::from_text(text).notices();
    };
    CHECK(notices_of("").empty());
    CHECK(notices_of(support::old_header + support::old_line_of(1)).empty());
    auto damaged = attune::memory_store::from_text(header + "{\n" + first_line_of(2) + "{\"at");
    CHECK(damaged.notices().at(0) ==
          "a store given as text: 2 damaged records skipped, the first in line 2 (not JSON (byte "
          "2))");
    CHECK(damaged.notices().empty());
    CHECK(damaged.find(laws::example_key()).best->seed == 2);
    auto newer =
        attune::memory_store::from_text(header + first_line_of(1) + "{\"attune_store\":9}");
    CHECK(newer.notices().at(0).find("store format 9") != std::string::npos);
    CHECK_FALSE(newer.find(laws::example_key()).best.has_value());
    newer.add(laws::example_record());
    CHECK(newer.find(laws::example_key()).best.has_value());
}
