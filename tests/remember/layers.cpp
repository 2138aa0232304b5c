// tests/remember/layers.cpp - a program's own results over those it was shipped with.
// SPDX-License-Identifier: MIT
#include <attune/remember/layers.hpp>

#include <attune/core/error.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/remember/store.hpp>

#include <doctest/doctest.h>
#include <filesystem>
#include <string>

#include "../laws/record_store.hpp"
#include "../support/minimal_record_store.hpp"
#include "../support/scratch_directory.hpp"
#include "store_lines.hpp"

using attune::layers;
using attune::memory_store;
using laws::example_key;
using laws::example_record;
using support::scratch_directory;
using support::write_file;

namespace {

struct layers_subject {
    layers store{memory_store{}, memory_store{}};
    auto& get() { return store; }
};
struct files_subject {
    scratch_directory directory{};
    layers store = layers::of_paths(directory.file("own") + ":" + directory.file("shipped"));
    auto& get() { return store; }
};

memory_store with(attune::record const& entry)
{
    memory_store out;
    out.add(entry);
    return out;
}

} // namespace

TEST_CASE_TEMPLATE_INVOKE(record_store_laws, layers_subject, files_subject);
TEST_CASE_TEMPLATE_INVOKE(near_match_laws, layers_subject, files_subject);
TEST_CASE_TEMPLATE_INVOKE(row_laws, layers_subject, files_subject);

TEST_CASE("the best fit of all layers is found; of equals that of the first")
{
    attune::record_key near = example_key();
    near.inputs[0].second = "2048";
    layers one{with(example_record(near, 1)), with(example_record(example_key(), 2))};
    CHECK(one.find(example_key()).best->seed == 2);
    layers other{with(example_record(example_key(), 1)), with(example_record(example_key(), 2))};
    CHECK(other.find(example_key()).best->seed == 1);
    attune::record hard = example_record(example_key(), 3);
    hard.evaluations = 1'000;
    layers third{with(example_record(example_key(), 1)), with(hard)};
    CHECK(third.find(example_key()).best->seed == 3);
}

TEST_CASE("only the first layer is written to")
{
    scratch_directory const directory;
    std::string const shipped = support::old_header + support::old_line_of(1);
    write_file(directory.file("shipped"), shipped);
    layers subject =
        layers::of_paths(":" + directory.file("own") + "::" + directory.file("shipped"));
    CHECK(subject.find(example_key()).best->seed == 1);
    CHECK_FALSE(std::filesystem::exists(directory.file("own")));
    auto const problem = attune::detail::problem_of(example_record());
    subject.add(example_record(example_key(), 2));
    subject.prove(problem, {"c0", {1}, true});
    CHECK(subject.find(example_key()).best->seed == 2);
    CHECK(support::read_file(directory.file("shipped")) == shipped);
    CHECK(attune::store(directory.file("own")).proofs(problem, "c0").size() == 1);
    auto const claim = subject.claim(example_key(), 0.0);
    CHECK(claim.state() == attune::detail::lock_state::mine);
    CHECK(attune::store(directory.file("own")).claim(example_key(), 0.0).may_tune() == false);
    CHECK_THROWS_AS(static_cast<void>(layers::of_paths("::")), attune::error);
}

TEST_CASE("rows and proofs come from all layers, those of the layers below first")
{
    auto const problem = attune::detail::problem_of(example_record());
    memory_store own, shipped;
    attune::detail::tried_row row{{"1", "x"}, attune::measurement::exact(1.0), ""};
    shipped.note(problem, row);
    row.values[0] = "2";
    own.note(problem, row);
    shipped.prove(problem, {"c0", {1}, true});
    own.prove(problem, {"c0", {2}, true});
    layers subject{own, shipped};
    auto const known = subject.recall(problem);
    REQUIRE(known.rows.size() == 2);
    CHECK(known.rows[0].values[0] == "1");
    CHECK(known.rows[1].values[0] == "2");
    CHECK(subject.related(problem, 5).size() == 1);
    CHECK(subject.related(problem, 5)[0].past.rows.size() == 2);
    CHECK(subject.proofs(problem, "c0").size() == 2);
}

TEST_CASE("a store that keeps winners alone may be any layer")
{
    struct movable_minimal {
        std::shared_ptr<support::minimal_record_store> held =
            std::make_shared<support::minimal_record_store>();
        auto find(attune::record_key const& key) { return held->find(key); }
        void add(attune::record const& entry) { held->add(entry); }
        auto notices() { return held->notices(); }
    };
    layers subject{movable_minimal{}, with(example_record(example_key(), 7))};
    CHECK(subject.find(example_key()).best->seed == 7);
    auto const problem = attune::detail::problem_of(example_record());
    subject.note(problem, {{"1", "x"}, attune::measurement::exact(1.0), ""});
    CHECK(subject.recall(problem).rows.empty());
    CHECK(subject.recall(problem).best.has_value());
    CHECK(subject.claim(example_key(), 0.0).may_tune());
}
