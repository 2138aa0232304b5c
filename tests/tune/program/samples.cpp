// tests/tune/program/samples.cpp - tunings of programs learn from measured programs in a file.
// SPDX-License-Identifier: MIT
#include <attune/compile/clang.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/search/cost/cost_samples.hpp>
#include <attune/search/two_level/evolutionary_search.hpp>
#include <attune/search/two_level/two_level_search.hpp>
#include <attune/space/schedule/derived_space.hpp>
#include <attune/tune/dispatch/choice/kept_lessons.hpp>
#include <attune/tune/lessons.hpp>
#include <attune/tune/program/nest.hpp>
#include <attune/tune/replay.hpp>
#include <attune/tune/tuned.hpp>

#include <algorithm>
#include <cstddef>
#include <doctest/doctest.h>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "../../support/program_data.hpp"
#include "../../support/scratch_directory.hpp"

using attune::array;
using support::few;
using support::some;

namespace {

constexpr auto n = attune::input<"n", int>();
auto const [i, j, k] = attune::axes<"i", "j", "k">();
constexpr auto A = array<"A", float, n, 160>();
constexpr auto B = array<"B", float, 160, 128>();
constexpr auto C = array<"C", float, n, 128>();
constexpr auto gemm = attune::nest<"learnt_gemm">(C[i][j] = attune::sum(k)(A[i][k] * B[k][j]));
constexpr auto D = array<"D", float, 96, 64>();
constexpr auto E = array<"E", float, 64, 128>();
constexpr auto F = array<"F", float, 96, 128>();
constexpr auto other = attune::nest<"other_gemm">(F[i][j] = attune::sum(k)(D[i][k] * E[k][j]));

/// What a search was told and asked.
struct heard {
    std::vector<attune::cost_samples> learnt{};
    std::size_t told = 0;
};
/// Evolution that listens.
struct listening {
    listening(attune::chain_of_trees const& space, std::uint64_t seed,
              std::shared_ptr<heard> const& to)
        : own(space, seed, {.population = 64, .batch = 4})
        , said(to)
    {
    }
    std::vector<attune::point> ask(std::size_t count) { return own.ask(count); }
    void tell(attune::point const& p, attune::outcome const& o)
    {
        ++said->told;
        own.tell(p, o);
    }
    void learn_from(attune::cost_samples const& others)
    {
        said->learnt.push_back(others);
        own.learn_from(others);
    }
    attune::evolutionary_search own;
    std::shared_ptr<heard> said;
};

attune::tuning_options with_samples(std::string const& path, std::shared_ptr<heard> const& to)
{
    attune::tuning_options options = few(5);
    options.search.samples = path;
    options.search.strategy = attune::search_with<listening>(to);
    return options;
}

void tune_gemm(attune::tuning_options const& options, int rows, attune::memory_store store = {})
{
    std::vector<float> a = some(static_cast<std::size_t>(rows) * 160);
    std::vector<float> b = some(160 * 128);
    std::vector<float> c(static_cast<std::size_t>(rows) * 128);
    std::vector<float> want = c;
    attune::tuned fast{gemm.kernel(), attune::clang_compiler{}, store, options};
    fast(a, b, c, rows);
    gemm(a, b, want, rows);
    support::check_close(c, want);
}

/// All programs in the file.
attune::cost_samples all_in(std::string const& path)
{
    attune::chain_of_trees const space(attune::derived_space(other.describe()).describe());
    return attune::detail::kept_samples(path, {.kernel = "none of them"}, space).others();
}

} // namespace

TEST_CASE("a tuning learns from what others measured of other programs and sizes, and adds its own")
{
    support::scratch_directory const folder;
    std::string const path = folder.file("programs");

    auto const first = std::make_shared<heard>();
    tune_gemm(with_samples(path, first), 100);
    CHECK(first->learnt.empty()); // there was nothing
    attune::cost_samples const one = all_in(path);
    REQUIRE(one.size() == 5);
    CHECK(first->told == 5);

    auto const second = std::make_shared<heard>();
    tune_gemm(with_samples(path, second), 60);
    REQUIRE(second->learnt.size() == 1);
    CHECK(attune::text_of(second->learnt.front()) == attune::text_of(one)); // bit for bit
    attune::cost_samples const two = all_in(path);
    REQUIRE(two.size() == 10);
    CHECK(two.task(9) != two.task(0));

    auto const third = std::make_shared<heard>();
    std::vector<float> d = some(96 * 64);
    std::vector<float> e = some(64 * 128);
    std::vector<float> f(96 * 128);
    attune::tuned fast{other.kernel(), attune::clang_compiler{}, attune::memory_store{},
                       with_samples(path, third)};
    fast(d, e, f);
    REQUIRE(third->learnt.size() == 1);
    CHECK(attune::text_of(third->learnt.front()) == attune::text_of(two));

    // The same problem again: its own programs are not those of others.
    auto const fourth = std::make_shared<heard>();
    tune_gemm(with_samples(path, fourth), 60);
    REQUIRE(fourth->learnt.size() == 1);
    attune::cost_samples const& learnt = fourth->learnt.front();
    CHECK(learnt.size() == 10);
    for (std::size_t at = 0; at < learnt.size(); ++at)
        CHECK(learnt.task(at) != two.task(9));
}

TEST_CASE("a kept program has the rows that a search sees")
{
    support::scratch_directory const folder;
    attune::chain_of_trees const space(attune::derived_space(other.describe()).describe());
    attune::expected_rows const rows(space);
    attune::detail::kept_samples ours(folder.file("programs"), {.kernel = "a"}, space);
    attune::detail::kept_samples theirs(folder.file("programs"), {.kernel = "b\tc"}, space);
    attune::point const at = space.at(std::uint64_t{7});
    ours.keep({at, attune::measurement::exact(.25), {}});
    ours.keep({at, attune::failure{attune::failure_stage::crash, "x"}, {}});
    CHECK(ours.others().size() == 0);
    attune::cost_samples const seen = theirs.others();
    REQUIRE(seen.size() == 2);
    CHECK(seen.programs()[0] == *rows.of(at));
    CHECK(seen.value(0) == .25);
    CHECK(!seen.value(1));
    theirs.keep({at, attune::measurement::exact(1), {}});
    CHECK(ours.others().size() == 1);
    CHECK(ours.problem().empty());
}

TEST_CASE("a tuning learns from the latest 2 MiB of programs, which it logs")
{
    support::scratch_directory const folder;
    attune::chain_of_trees const space(attune::derived_space(other.describe()).describe());
    attune::detail::kept_samples ours(folder.file("programs"), {.kernel = "a"}, space);
    attune::detail::kept_samples theirs(folder.file("programs"),
                                        {.kernel = std::string(10'000, 'b')}, space);
    attune::point const at = space.at(std::uint64_t{7});
    for (int time = 1; time <= 250; ++time)
        theirs.keep({at, attune::measurement::exact(time), {}});
    attune::cost_samples const seen = ours.others();
    std::size_t const bytes = attune::text_of(seen).size();
    CHECK(bytes <= (std::size_t{2} << 20));
    CHECK(bytes > (std::size_t{2} << 20) - 20'000);
    CHECK(seen.value(seen.size() - 1) == 250);
}

TEST_CASE("a log has what a search learnt from: it is repeated without the file")
{
    support::scratch_directory const folder;
    std::string const path = folder.file("programs");
    auto const said = std::make_shared<heard>();
    tune_gemm(with_samples(path, said), 100);
    attune::tuning_options options = with_samples(path, said);
    options.event_log = folder.file("log");
    tune_gemm(options, 60);
    std::filesystem::remove(path);
    attune::description const space = attune::bind_inputs(gemm.kernel().describe().space, {n(60)});
    auto const again = std::make_shared<heard>();
    attune::replayed_session const session = attune::replay(
        options.event_log, attune::chain_of_trees(space), attune::search_with<listening>(again));
    CHECK(session.evaluations.size() == 5);
    REQUIRE(again->learnt.size() == 1);
    CHECK(attune::text_of(again->learnt.front()) == attune::text_of(said->learnt.back()));
}

TEST_CASE("a file of something else is left alone, and the report says so")
{
    support::scratch_directory const folder;
    std::string const path = folder.file("store");
    support::write_file(path, "{\"attune_store\":2}\n");
    auto const said = std::make_shared<heard>();
    std::vector<float> d = some(96 * 64);
    std::vector<float> e = some(64 * 128);
    std::vector<float> f(96 * 128);
    attune::tuned fast{other.kernel(), attune::clang_compiler{}, attune::memory_store{},
                       with_samples(path, said)};
    fast(d, e, f);
    CHECK(support::read_file(path) == "{\"attune_store\":2}\n");
    std::vector<std::string> const notices = fast.report().notices;
    CHECK(std::any_of(notices.begin(), notices.end(), [](std::string const& one) {
        return one.find("none of samples") != one.npos;
    }));
}
