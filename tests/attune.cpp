// tests/attune.cpp - the one header most programs include.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>

#include <doctest/doctest.h>
#include <type_traits>

namespace {

constexpr auto tile = attune::ordinal<"TILE">(attune::powers_of_two(1, 8));

} // namespace

TEST_CASE("attune.hpp gives every stage what its user names")
{
    CHECK(*attune::build(attune::space(tile)).size() == 4);
    bool const compiles = attune::compiler<attune::system_compiler>;
    bool const remembers = attune::record_store<attune::store>;
    bool const searches = attune::searcher<attune::exhaustive_searcher> &&
                          attune::searcher<attune::random_searcher> &&
                          attune::searcher<attune::bayesian_searcher>;
    CHECK(compiles);
    CHECK(remembers);
    CHECK(searches);
    CHECK(attune::record_store<attune::memory_store>);
    attune::optimizer opt{attune::space(tile)};
    CHECK(opt.ask().has_value());
}

TEST_CASE("attune.hpp gives kernel, tuned and minimize")
{
    using signature = void(std::span<float>);
    attune::kernel<signature> const k{
        "k", attune::source_text("int t = ATTUNE_TUNABLE(TILE, 1);", "k.cpp"), attune::space(tile)};
    attune::tuned call{k, attune::system_compiler{}, attune::memory_store{}};
    bool const typed = std::is_invocable_v<decltype(call)&, std::span<float>>;
    CHECK(typed);
    CHECK(call.report().evaluations == 0);
    auto const r = attune::minimize(attune::space(tile), [&](auto const& c) { return -c[tile]; },
                                    attune::search_limits::of_evaluations(4),
                                    {.progress = attune::silent_progress()});
    CHECK(r.value == -8);
}
