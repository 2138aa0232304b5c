// tests/declare/kinds.cpp - what the kinds of parameters are; a wrong declaration speaks.
// SPDX-License-Identifier: MIT
#include <attune/declare/kinds.hpp>

#include <doctest/doctest.h>
#include <exception>
#include <set>
#include <string>
#include <string_view>

TEST_CASE("each kind has the name that files give it, and one nature")
{
    std::set<std::string_view> names;
    for (attune::detail::kind_traits const& is : attune::detail::traits_of_kinds) {
        names.insert(is.name);
        CHECK(is.is_interval + is.is_ordered + is.is_truth + is.is_list <= 1);
        CHECK(is.is_order + is.is_factors == is.is_list); // a list is one of the two
        CHECK(&attune::detail::traits_of(is.of) == &is);
    }
    CHECK(names == std::set<std::string_view>{"real", "integer", "ordinal", "categorical",
                                              "boolean", "permutation", "tile"});
}

TEST_CASE("a declaration error carries its sentence and is a standard exception")
{
    try {
        throw attune::declaration_error("attune: the sentence");
    } catch (std::exception const& caught) {
        CHECK(std::string(caught.what()) == "attune: the sentence");
    }
}

TEST_CASE("no index is beyond every index of a table") { CHECK(attune::no_index == 4294967295U); }
