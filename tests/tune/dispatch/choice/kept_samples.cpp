// tests/tune/dispatch/choice/kept_samples.cpp - measured programs in a file, for processors and for GPUs.
// SPDX-License-Identifier: MIT
// and tune/program/samples.cpp, with tunings
#include <attune/tune/dispatch/choice/kept_samples.hpp>

#include <attune/core/random.hpp>
#include <attune/search/cost/expected_rows.hpp>
#include <attune/search/two_level/evolutionary_search.hpp>
#include <attune/space/schedule/derived_space.hpp>
#include <attune/space/schedule/device/device_space.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../../../support/nest_examples.hpp"
#include "../../../support/scratch_directory.hpp"

using attune::chain_of_trees;
using attune::detail::kept_samples;

namespace {

chain_of_trees device_space_of(attune::nest_description const& nest)
{
    return chain_of_trees(attune::device_space(nest).describe());
}

} // namespace

TEST_CASE("programs for a GPU are kept and read back, apart from those for a processor")
{
    support::scratch_directory const folder;
    std::string const path = folder.file("programs");
    chain_of_trees const space = device_space_of(support::matmul(64, 96, 32));
    chain_of_trees const other = device_space_of(support::softmax(5, 67));
    chain_of_trees const host(attune::derived_space(support::matmul(64, 96, 32)).describe());
    kept_samples ours(path, {.kernel = "ours"}, space);
    kept_samples theirs(path, {.kernel = "theirs"}, other);
    kept_samples of_host(path, {.kernel = "host"}, host);
    for (std::uint64_t n = 0; n < 4; ++n)
        ours.keep({space.at(7 * n),
                   attune::measurement::exact(1e-3 * (1.0 + static_cast<double>(n))),
                   {}});
    ours.keep({space.at(std::uint64_t{1}),
               attune::failure{attune::failure_stage::launch, "too many"},
               {}});
    of_host.keep({host.at(std::uint64_t{3}), attune::measurement::exact(1), {}});

    attune::cost_samples const seen = theirs.others();
    REQUIRE(seen.size() == 5);
    attune::expected_rows const rows(space);
    for (std::uint64_t n = 0; n < 4; ++n) {
        CHECK(seen.programs()[n] == *rows.of(space.at(7 * n)));
        CHECK(seen.value(n) == 1e-3 * (1.0 + static_cast<double>(n)));
    }
    CHECK(!seen.value(4));
    CHECK(attune::expected_rows(other).fit(seen)); // a model of them can predict these
    CHECK(ours.others().size() == 0);              // its own
    CHECK(of_host.others().size() == 0);           // of another kind
    theirs.keep({other.at(std::uint64_t{2}), attune::measurement::exact(2), {}});
    CHECK(ours.others().size() == 1);
}

TEST_CASE("a space whose rows have no names keeps nothing")
{
    support::scratch_directory const folder;
    attune::description d = attune::device_space(support::softmax(5, 67)).describe();
    d.row_names.clear();
    chain_of_trees const space(d);
    kept_samples ours(folder.file("programs"), {.kernel = "ours"}, space);
    ours.keep({space.at(std::uint64_t{1}), attune::measurement::exact(1), {}});
    kept_samples theirs(folder.file("programs"), {.kernel = "theirs"}, space);
    CHECK(theirs.others().size() == 0);
}

TEST_CASE("a search learns from programs for a GPU, and proposes configurations of another")
{
    chain_of_trees const first = device_space_of(support::matmul(64, 96, 32));
    attune::expected_rows const rows(first);
    attune::cost_samples samples;
    attune::random_engine draw(1);
    // The fewer threads, the quicker.
    std::vector<std::string> const names = first.describe().row_names;
    auto const threads_at = std::find(names.begin(), names.end(), "threads") - names.begin();
    auto const seconds = [&](attune::program_rows const& of) {
        return 1e-6 * of.row(0)[static_cast<std::size_t>(threads_at)];
    };
    for (int n = 0; n < 120; ++n)
        if (auto const of = rows.of(first.sample(draw))) samples.add("first", *of, seconds(*of));
    chain_of_trees const second = device_space_of(support::matmul(128, 64, 48));
    attune::expected_rows const others(second);
    double learnt = 0;
    double plain = 0;
    constexpr int seeds = 6;
    for (int seed = 0; seed < seeds; ++seed) {
        attune::evolutionary_search search(second, static_cast<std::uint64_t>(seed),
                                           {.population = 64, .batch = 8});
        search.learn_from(samples);
        for (attune::point const& at : search.ask(8)) {
            CHECK(second.contains(at));
            learnt += seconds(*others.of(at)) / (8 * seeds);
        }
        for (int n = 0; n < 8; ++n)
            plain += seconds(*others.of(second.sample(draw))) / (8 * seeds);
    }
    CHECK(learnt < plain);
}
