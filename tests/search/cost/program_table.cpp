// tests/search/cost/program_table.cpp : mirrors bench/search/program_table.hpp
// SPDX-License-Identifier: MIT
#include <attune/core/random.hpp>
#include <attune/space/schedule/derived_space.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../../../bench/search/program_table.hpp"
#include "../../support/nest_examples.hpp"
#include "../../support/scratch_directory.hpp"

namespace {

/// A product, and different schedules of it.
struct product {
    attune::nest_description nest = support::matmul(16, 32, 64);
    attune::chain_of_trees space{attune::derived_space(nest).describe()};
    std::vector<attune::point> some;

    explicit product(std::size_t count)
    {
        attune::random_engine engine(7);
        while (some.size() < count) {
            attune::point const p = space.sample(engine);
            if (std::find(some.begin(), some.end(), p) == some.end()) some.push_back(p);
        }
    }
    [[nodiscard]] std::string text(std::string const& name,
                                   std::vector<bench::program_row> const& rows) const
    {
        return bench::table_text(name, space.describe(), rows);
    }
};

[[nodiscard]] std::string file_of(support::scratch_directory const& folder, std::string const& text)
{
    support::write_file(folder.file("table"), text);
    return folder.file("table");
}

} // namespace

TEST_CASE("the space of a recorded program is what was recorded of it, with the least times")
{
    product const one(6);
    auto const& p = one.some;
    support::scratch_directory const folder;
    std::string const path = file_of(
        folder, one.text("product", {{p[0], .5}, {p[1], .25}, {p[2], std::nullopt}, {p[3], {}}}) +
                    one.text("other", {{p[0], .001}, {p[4], .001}}) +
                    one.text("product", {{p[1], .125}, {p[0], .75}, {p[3], 1}, {p[2], {}}}));

    std::optional<bench::measured_program> const read =
        bench::read_program(path, "product", one.nest);
    REQUIRE(read);
    CHECK(read->name == "product");
    CHECK(read->points == std::vector{p[0], p[1], p[2], p[3]});
    CHECK(read->seconds == std::vector<std::optional<double>>{.5, .125, std::nullopt, 1});
    CHECK(read->scores == std::vector{.25, 1., 0., .125});
    CHECK(read->best_s() == .125);

    CHECK(read->space.size() == attune::leaf_count(4));
    CHECK(read->space.contains(p[2]));
    CHECK_FALSE(read->space.contains(p[4]));
    CHECK_FALSE(read->space.contains(p[5]));
    CHECK(std::get<attune::measurement>(read->outcomes.at(p[0])).value == .5);
    CHECK(std::holds_alternative<attune::failure>(read->outcomes.at(p[2])));

    // Models see the rows of the whole space's configurations, and what is expected of them.
    attune::description const& whole = one.space.describe();
    for (std::size_t i = 0; i < read->points.size(); ++i) {
        attune::program_rows const plain = whole.rows(whole, p[i]);
        CHECK(read->space.describe().rows(read->space.describe(), p[i]).values == plain.values);
        REQUIRE(read->rows[i].count() == plain.count());
        CHECK(read->rows[i].width == plain.width + 1);
        CHECK(std::equal(plain.row(0).begin(), plain.row(0).end(), read->rows[i].row(0).begin()));
    }
}

TEST_CASE("a program that was not recorded is none, and one that never ran has no best")
{
    product const one(2);
    support::scratch_directory const folder;
    std::string const path = file_of(folder, one.text("product", {{one.some[0]}, {one.some[1]}}));
    CHECK_FALSE(bench::read_program(path, "other", one.nest));
    CHECK(bench::read_program(path, "product", one.nest)->best_s() == 0);
    CHECK_THROWS_AS((void)bench::read_program(folder.file("none"), "product", one.nest),
                    std::runtime_error);
}

TEST_CASE("a line that is none of the program's space is refused by its number")
{
    product const one(1);
    support::scratch_directory const folder;
    std::string const good = one.text("product", {{one.some[0], 1}});
    std::string const name = one.space.describe().parameters.front().name;
    std::string unknown = good;
    unknown.replace(unknown.find(name + '='), name.size() + 1, name + "=?");
    std::string const cut = good.substr(0, good.rfind('\t')) + '\n';
    std::string negative = good;
    negative.replace(negative.find('\t') + 1, 1, "-1");
    for (std::string const& bad : {unknown, cut, negative}) {
        CAPTURE(bad);
        std::string said;
        try {
            (void)bench::read_program(file_of(folder, good + bad), "product", one.nest);
        } catch (std::runtime_error const& why) {
            said = why.what();
        }
        CHECK(said.find("table:2: ") != std::string::npos);
    }
}
