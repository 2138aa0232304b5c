// tests/ship/export_header.cpp - winners as constants of C++, compiled.
// SPDX-License-Identifier: MIT
#include <attune/ship/export_header.hpp>

#include <attune/core/error.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/remember/store.hpp>

#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>

#include "../laws/record_store.hpp"
#include "../support/scratch_directory.hpp"

using attune::memory_store;
using laws::example_record;

namespace {

attune::record sized(char const* n, char const* tile, double best_s)
{
    attune::record out = example_record();
    out.key.kernel = "linear::sgemm";
    out.key.inputs = {{"N", n}};
    out.configuration = {{"TILE", tile},
                         {"ORDER", "(0, 2, 1)"},
                         {"FLAGS", "-O3 \"x\" ?\?/"},
                         {"PACK", "true"},
                         {"SHARE", "0.25"}};
    out.best_s = best_s;
    return out;
}

} // namespace

TEST_CASE("a header leaves out further tuned sizes, and a store of these alone is refused")
{
    support::scratch_directory const folder;
    memory_store found;
    for (char const* const name :
         {"argument 2", "length 2 of argument 0", "number 2 of argument 0"}) {
        attune::record further = sized("512", "8", 0.1);
        further.key.inputs.front().first = name;
        found.add(further);
    }
    std::string const path = folder.file("tuned.hpp");
    CHECK_THROWS_WITH_AS(attune::export_header(found, path), doctest::Contains("further sizes"),
                         attune::error);
    found.add(sized("1024", "64", 0.5));
    attune::export_header(found, path);
    std::string const text = support::read_file(path);
    CHECK(text.find("std::array<winner, 1>") != std::string::npos);
    CHECK(text.find("argument") == std::string::npos);
}

TEST_CASE("a header has each winner once, as C++ constants")
{
    support::scratch_directory const folder;
    memory_store found;
    found.add(sized("1024", "64", 0.5));
    found.add(sized("96", "8", 0.25));
    found.add(sized("1024", "128", 0.4)); // a later tuning of the same problem
    std::string const path = folder.file("tuned.hpp");
    attune::export_header(found, path);
    support::write_file(folder.file("uses.cpp"), R"(
#include "tuned.hpp"
namespace c = attune_configurations::linear__sgemm;
static_assert(c::kernel == "linear::sgemm" && c::all.size() == 2);
static_assert(c::all[0].inputs.N == 96 && c::all[0].best.TILE == 8 && c::all[0].seconds == 0.25);
static_assert(c::all[1].inputs.N == 1024 && c::all[1].best.TILE == 128);
static_assert(c::all[1].best.ORDER[1] == 2 && c::all[1].best.PACK && c::all[1].best.SHARE == 0.25);
static_assert(c::all[1].best.FLAGS == "-O3 \"x\" ?\?/" && c::all[0].device == "cpu zen4");
constexpr int tile = static_cast<int>(c::all[0].best.TILE);
static_assert(tile == 8);
)");
    std::string const command =
        "c++ -std=c++20 -fsyntax-only -Wall -Wextra -Werror -pedantic-errors "
        "-fno-exceptions -fno-rtti '" +
        folder.file("uses.cpp") + "'";
    CHECK(std::system(command.c_str()) == 0);
}

TEST_CASE("winners of other objectives have value, unit and direction in the header")
{
    support::scratch_directory const folder;
    memory_store found;
    found.add(sized("96", "8", 0.25));
    attune::record rate = sized("96", "16", 31.5);
    rate.key.setting = {{"measured", "objective"}, {"better", "higher"}, {"unit", "GFLOP/s"}};
    found.add(rate);
    attune::export_header(found, folder.file("tuned.hpp"));
    support::write_file(folder.file("uses.cpp"), R"(
#include "tuned.hpp"
namespace c = attune_configurations::linear__sgemm;
constexpr auto has = [](double value, std::string_view unit, bool is_higher_better) {
    for (c::winner const& one : c::all)
        if (one.value == value && one.unit == unit && one.is_higher_better == is_higher_better)
            return true;
    return false;
};
static_assert(c::all.size() == 2 && has(0.25, "s", false) && has(31.5, "GFLOP/s", true));
)");
    CHECK(std::system(("c++ -std=c++20 -fsyntax-only -Wall -Wextra -Werror '" +
                       folder.file("uses.cpp") + "'")
                          .c_str()) == 0);
}

TEST_CASE("a configuration of an older source is left out")
{
    attune::record old = sized("96", "8", 0.5);
    old.key.source = "older";
    memory_store found;
    found.add(old);
    found.add(sized("128", "16", 0.5));
    CHECK(attune::detail::winners_in(found.text(), "s").size() == 1);
}

TEST_CASE("a header without a winner is refused in a sentence, and nothing is written")
{
    auto const [folder, path] = support::scratch_file("tuned.hpp");
    memory_store empty;
    CHECK_THROWS_WITH_AS(attune::export_header(empty, path),
                         doctest::Contains("the store has no winner"), attune::error);
    memory_store found;
    attune::record odd = example_record();
    odd.configuration = {{"<script>", "1"}};
    found.add(odd);
    CHECK_THROWS_WITH_AS(attune::export_header(found, path),
                         doctest::Contains("a parameter of sgemm has a name that is none of C++"),
                         attune::error);
    CHECK_FALSE(std::filesystem::exists(path));
    CHECK(std::filesystem::is_empty(folder.path()));
    memory_store fine;
    fine.add(example_record());
    CHECK_THROWS_WITH_AS(attune::export_header(fine, folder.file("none/tuned.hpp")),
                         doctest::Contains("a file cannot be written"), attune::error);
    attune::store on_disk{folder.file("s.attune")};
    on_disk.add(example_record());
    attune::export_header(on_disk, path);
    CHECK(std::filesystem::exists(path));
}

TEST_CASE("figures of the machine are no inputs of a call: the device says which machine it was")
{
    support::scratch_directory const folder;
    memory_store found;
    attune::record with_figures = sized("96", "8", 0.25);
    with_figures.key.inputs = {{"N", "96"}, {"machine.l2_bytes", "1048576"}};
    found.add(with_figures);
    std::string const path = folder.file("tuned.hpp");
    attune::export_header(found, path);
    std::string const text = support::read_file(path);
    CHECK(text.find("machine") == std::string::npos);
    CHECK(text.find(" N;") != std::string::npos);
}
