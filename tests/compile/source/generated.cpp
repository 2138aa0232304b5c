// tests/compile/source/generated.cpp - the text that a function writes for each configuration.
// SPDX-License-Identifier: MIT
#include <attune/compile/source/generated.hpp>

#include <attune/compile/source/annotations.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/lower.hpp>

#include <doctest/doctest.h>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace {

inline constexpr auto size = attune::input<"N", int>();
inline constexpr auto way = attune::categorical<"WAY">("first", "second");
inline constexpr auto tile = attune::ordinal<"TILE">(attune::divisors_of(size));
inline constexpr auto space = attune::space(way, tile);

attune::kernel_source written(std::string revision = "1")
{
    return attune::generated_source(
        space,
        [](auto const& config) {
            if (config[way] == "second" && config[tile] == 3)
                throw std::runtime_error("no tile of 3\nin the second way");
            if (config[way] == "second" && config[tile] == 6) throw 42;
            return std::string(config[way]) + " of " + std::to_string(config[tile]);
        },
        "some/kernel.cpp", std::move(revision));
}

attune::description const bound = attune::bind_inputs(attune::lower(space), {size(6)});

std::variant<attune::kernel_source, attune::failure> at(std::uint32_t w, std::uint32_t t)
{
    return attune::detail::source_at(written(), bound, {{w, 0}, {t, 0}});
}

} // namespace

TEST_CASE("each configuration has the text that the function writes from its values")
{
    char const* const expected[2][4] = {{"first of 1", "first of 2", "first of 3", "first of 6"},
                                        {"second of 1", "second of 2", "", ""}};
    for (std::uint32_t w = 0; w < 2; ++w)
        for (std::uint32_t t = 0; t < 4; ++t) {
            auto const made = at(w, t);
            auto const* const source = std::get_if<attune::kernel_source>(&made);
            CHECK((source ? source->text : "") == expected[w][t]);
            if (source == nullptr) continue;
            CHECK(source->path == "some/kernel.cpp");
            CHECK_FALSE(source->generator);
        }
}

TEST_CASE("what the function throws is the failure of that configuration")
{
    attune::failure const why = std::get<attune::failure>(at(1, 2));
    CHECK(why.stage == attune::failure_stage::compile);
    CHECK(why.reason == "the generator of some/kernel.cpp threw: no tile of 3");
    CHECK(why.log == "no tile of 3\nin the second way");
    CHECK(std::get<attune::failure>(at(1, 3)).log.empty());
    CHECK(std::get<attune::failure>(at(1, 3)).reason ==
          "the generator of some/kernel.cpp threw: an exception that is not a std::exception");
}

TEST_CASE("a configuration of another space is no configuration for the function")
{
    static constexpr auto other_way = attune::categorical<"WAY">(1, 2);
    static constexpr auto turned = attune::space(tile, way);
    static constexpr auto retyped = attune::space(other_way, tile);
    for (attune::description const& d :
         {attune::lower(turned), attune::lower(retyped), attune::lower(attune::space(way))}) {
        attune::description const other =
            attune::bind_inputs(d, std::vector<attune::input_value>(d.inputs.size(), size(6)));
        auto const made =
            attune::detail::source_at(written(), other, attune::point(other.parameters.size()));
        CHECK(std::get<attune::failure>(made).log.find("other parameters") != std::string::npos);
    }
    static constexpr auto wider = attune::space(way, tile).where(tile != 2); // the same parameters
    attune::description const bound_wider = attune::bind_inputs(attune::lower(wider), {size(6)});
    CHECK(std::get<attune::kernel_source>(
              attune::detail::source_at(written(), bound_wider, {{1, 0}, {0, 0}}))
              .text == "second of 1");
}

TEST_CASE("a kernel with its text is the same for all configurations")
{
    attune::kernel_source kernel = attune::source_text("int x;", "x.cpp");
    kernel.flags = {"-O2"};
    auto const made = attune::detail::source_at(kernel, bound, {{1, 0}, {2, 0}});
    CHECK(std::get<attune::kernel_source>(made).text == "int x;");
    CHECK(std::get<attune::kernel_source>(made).flags == kernel.flags);
}

TEST_CASE("a generated kernel is known by its revision and its flags")
{
    using attune::detail::source_fingerprint;
    CHECK(source_fingerprint(written()) == source_fingerprint(written()));
    CHECK(source_fingerprint(written()) != source_fingerprint(written("2")));
    CHECK(source_fingerprint(written()) != source_fingerprint(attune::source_text("1", "k.cpp")));
    attune::kernel_source flagged = written();
    flagged.flags = {"-O2"};
    CHECK(source_fingerprint(written()) != source_fingerprint(flagged));
}

TEST_CASE("a revision is no C++ text: nothing is read in it")
{
    attune::kernel_source const kernel =
        written("#include \"generated.cpp\"\nint t = ATTUNE_TUNABLE(TILE, 4);\n");
    CHECK(attune::detail::source_parts(kernel).size() == 1);
    CHECK(attune::detail::find_annotations(kernel).empty());
}
