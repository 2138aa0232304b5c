// tests/remember/lines/record_table.cpp - an index says what parsing every line says.
// SPDX-License-Identifier: MIT
// clang-format off: the header under test comes first
#include <attune/remember/lines/record_table.hpp>
// clang-format on

#include <attune/remember/lines/record_line.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <string_view>

#include "../../laws/record_store.hpp"
#include "../store_lines.hpp"

using namespace attune::detail;

namespace {

struct indexed {
    std::string text{};
    record_table table{};

    explicit indexed(std::string of)
        : text(std::move(of))
    {
        table.take(text, 0);
    }
    [[nodiscard]] record_table::text_source source() const
    {
        return [this](std::uint64_t offset, std::size_t length, std::string& out) {
            if (offset + length > text.size()) return false;
            out = text.substr(offset, length);
            return true;
        };
    }
    attune::lookup_result find(attune::record_key const& key) { return table.find(key, source()); }
};

std::string lines_of(attune::record const& r)
{
    stored_problem const problem = problem_of(r);
    return problem_line(id_of(problem), problem) + "\n" + won_line(id_of(problem), r) + "\n";
}

/// The line as a person leaves it: without its checksum.
std::string edited(std::string line)
{
    return line.replace(line.rfind(",\"sum\""), std::string::npos, "}\n");
}

} // namespace

TEST_CASE("text may come in any pieces")
{
    std::string text = support::header;
    for (std::uint64_t seed = 1; seed < 20; ++seed) {
        attune::record_key key = laws::example_key();
        key.inputs[0].second = std::to_string(seed);
        text += lines_of(laws::example_record(key, seed));
    }
    for (std::size_t const step : {1U, 7U, 100U, 1000U, 100000U}) {
        indexed subject("");
        subject.text = text;
        for (std::size_t end = 0, from = 0; end < text.size();) {
            end = std::min(end + step, text.size());
            from += subject.table.take(std::string_view(text).substr(from, end - from), from);
        }
        attune::record_key key = laws::example_key();
        key.inputs[0].second = "17";
        REQUIRE(subject.find(key).how == attune::record_match::exact);
        CHECK(subject.find(key).best->seed == 17);
        CHECK(subject.table.all_records(subject.source()).size() == 19);
        CHECK(subject.table.take_damage().count == 0);
    }
}

TEST_CASE("a row whose problem stands further down is found")
{
    std::string const problem = support::problem_line();
    indexed subject(support::header + support::line_of(1) + problem + support::line_of(2));
    CHECK(subject.find(laws::example_key()).best->seed == 2);
    indexed without(support::header + support::line_of(1));
    CHECK_FALSE(without.find(laws::example_key()).best.has_value());
    CHECK_FALSE(without.table.is_foreign());
}

TEST_CASE("lines without a checksum, in any form, mean the same")
{
    std::string problem = edited(support::problem_line()), line = edited(support::line_of(3));
    problem.insert(1, "  \"by\" : \"hand\", ");
    line.insert(1, " ");
    indexed subject(support::header + problem + "  " + line);
    CHECK(subject.find(laws::example_key()).best->seed == 3);
    CHECK(subject.table.take_damage().count == 0);
}

TEST_CASE("names of problems that a person chose work")
{
    auto const named = [](std::string line) {
        std::string const id = id_of(problem_of(laws::example_record()));
        return edited(line.replace(line.find(id), id.size(), "mine"));
    };
    indexed subject(support::header + named(support::problem_line()) + named(support::line_of(4)));
    CHECK(subject.find(laws::example_key()).best->seed == 4);
}

TEST_CASE("a line that is not whole is left until it is, or is damage when it stays")
{
    std::string const line = support::line_of(1).substr(0, support::line_of(1).size() - 1);
    for (bool const is_final : {false, true}) {
        indexed subject(support::header + support::problem_line());
        std::size_t const at = subject.text.size();
        subject.text += line + "\n" + support::line_of(2);
        CHECK(subject.table.take_last(line.substr(0, 30), at, is_final) == is_final);
        CHECK(subject.table.take_damage().count == (is_final ? 1 : 0));
        if (is_final) continue;
        CHECK(subject.table.take_last(line, at, false)); // it is whole without its newline
        subject.table.take(std::string_view(subject.text).substr(at + line.size()),
                           at + line.size());
        CHECK(subject.find(laws::example_key()).best->seed == 2);
        CHECK(subject.table.all_records(subject.source()).size() == 2);
    }
}

TEST_CASE("a line that cannot be read any more is left out")
{
    indexed subject(support::header + support::problem_line() + support::line_of(1));
    subject.text.resize(subject.text.size() - 40);
    CHECK_FALSE(subject.find(laws::example_key()).best.has_value());
    CHECK(subject.table.recall(problem_of(laws::example_record()), subject.source()).rows.empty());
}

TEST_CASE("a header of a newer format makes everything unknown")
{
    indexed subject(support::header + support::problem_line() + support::line_of(1) +
                    "{\"attune_store\":3}\n" + support::line_of(2));
    CHECK(subject.table.is_newer());
    CHECK(subject.table.newer_format() == "3");
    CHECK_FALSE(subject.find(laws::example_key()).best.has_value());
}

TEST_CASE("lines of which none is a store's are foreign, a cut header is not")
{
    CHECK(indexed("int main()\n{\n").table.is_foreign());
    CHECK_FALSE(indexed("").table.is_foreign());
    CHECK_FALSE(indexed("\n\n").table.is_foreign());
    CHECK_FALSE(indexed("{\"attu\n{\"attune_store\":\n").table.is_foreign());
    CHECK_FALSE(indexed(support::old_line_of(1)).table.is_foreign());
    CHECK_FALSE(indexed("int main()\n" + support::problem_line()).table.is_foreign());
}

TEST_CASE("of equally near records the latest is found, also across formats")
{
    attune::record_key near = laws::example_key();
    near.inputs[0].second = "2048";
    attune::record_key far = near;
    far.inputs[0].second = "512"; // as far
    std::string const first = lines_of(laws::example_record(near, 1));
    std::string const second = lines_of(laws::example_record(far, 2));
    CHECK(indexed(first + second).find(laws::example_key()).best->seed == 2);
    CHECK(indexed(second + first).find(laws::example_key()).best->seed == 1);
    CHECK(indexed(second + first).find(laws::example_key()).distance ==
          doctest::Approx(std::log(2.0)));
    CHECK(indexed(support::old_line_of(3) + support::first_line_of(4))
              .find(laws::example_key())
              .best->seed == 4);
    CHECK(indexed(support::first_line_of(4) + support::old_line_of(3))
              .find(laws::example_key())
              .best->seed == 3);
}
