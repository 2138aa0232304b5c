// tests/compile/signature.cpp : mirrors include/attune/compile/signature.hpp, which it includes
// first
#include <attune/compile/signature.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

TEST_CASE("a type's text is the C++ that names it")
{
    CHECK(attune::type_text<void>() == "void");
    CHECK(attune::type_text<int>() == "int");
    CHECK(attune::type_text<std::int8_t>() == "signed char");
    CHECK(attune::type_text<std::size_t>() == "unsigned long");
    CHECK(attune::type_text<float const*>() == "float const*");
    CHECK(attune::type_text<float* const>() == "float* const");
    CHECK(attune::type_text<double const* const*>() == "double const* const*");
    CHECK(attune::type_text<double const&>() == "double const&");
    CHECK(attune::type_text<std::byte*>() == "std::byte*");
    CHECK(attune::type_text<std::span<float>>() == "std::span<float>");
    CHECK(attune::type_text<std::span<float const>>() == "std::span<float const>");
    CHECK(attune::type_text<std::span<int, 3>>() == "std::span<int, 3>");
    CHECK(attune::type_text<std::span<long const> const&>() == "std::span<long const> const&");
}

TEST_CASE("a span of a device is named as such, for the compiler to write as a pointer")
{
    CHECK(attune::type_text<attune::device_span<float>>() == "attune::device_span<float>");
    CHECK(attune::type_text<attune::device_span<int const> const&>() ==
          "attune::device_span<int const> const&");
    attune::variant const v =
        attune::variant_of<void(attune::device_span<float const>, double*, int)>("k");
    CHECK(attune::signature_text(v) == "void(attune::device_span<float const>, double*, int)");
}

TEST_CASE("types that a kernel file may not know have no text")
{
    struct own {};
    CHECK_FALSE(attune::has_type_text<own>());
    CHECK_FALSE(attune::has_type_text<own const*>());
    CHECK_FALSE(attune::has_type_text<attune::device_span<own>>());
    CHECK_FALSE(attune::has_type_text<std::vector<float>>());
    CHECK_FALSE(attune::has_type_text<float&>());
    CHECK_FALSE(attune::has_type_text<float&&>());
    CHECK_FALSE(attune::has_type_text<int volatile>());
}

TEST_CASE("a function type becomes a variant")
{
    attune::variant const v =
        attune::variant_of<void(std::span<float const>, std::span<float>, int)>("scale");
    CHECK(v.function == "scale");
    CHECK(attune::signature_text(v) == "void(std::span<float const>, std::span<float>, int)");
    CHECK(v.macros.empty());
}
