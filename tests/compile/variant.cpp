// tests/compile/variant.cpp : mirrors include/attune/compile/variant.hpp, which it includes first
#include <attune/compile/variant.hpp>

#include <doctest/doctest.h>

TEST_CASE("a signature reads as C++ writes it")
{
    attune::variant v{"f", "double", {"double const*", "int"}, {}};
    CHECK(attune::signature_text(v) == "double(double const*, int)");
    v.arguments.clear();
    CHECK(attune::signature_text(v) == "double()");
}

TEST_CASE("macros become compiler arguments in order")
{
    attune::variant const v{"f", "void", {}, {{"TILE", "64"}, {"ORDER", "2, 0, 1"}}};
    CHECK(attune::macro_flags(v) == std::vector<std::string>{"-DTILE=64", "-DORDER=2, 0, 1"});
}
