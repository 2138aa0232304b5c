// tests/compile/source/signature.cpp - the types of a kernel's arguments as C++ text.
// SPDX-License-Identifier: MIT
#include <attune/compile/source/signature.hpp>

#include <array>
#include <complex>
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

namespace {

enum class colour : unsigned char { red };
struct particle {
    double x;
    float mass;
};

} // namespace

template <>
struct attune::kernel_type<particle> {
    static constexpr auto name = "physics::particle";
    static constexpr auto header = "\"particle.hpp\"";
};

TEST_CASE("a type's text is the C++ that names it")
{
    CHECK(attune::detail::type_text<void>() == "void");
    CHECK(attune::detail::type_text<int>() == "int");
    CHECK(attune::detail::type_text<std::int8_t>() == "signed char");
    CHECK(attune::detail::type_text<std::size_t>() == "unsigned long");
    CHECK(attune::detail::type_text<float const*>() == "float const*");
    CHECK(attune::detail::type_text<float* const>() == "float* const");
    CHECK(attune::detail::type_text<double const* const*>() == "double const* const*");
    CHECK(attune::detail::type_text<double const&>() == "double const&");
    CHECK(attune::detail::type_text<std::byte*>() == "std::byte*");
    CHECK(attune::detail::type_text<std::span<float>>() == "std::span<float>");
    CHECK(attune::detail::type_text<std::span<float const>>() == "std::span<float const>");
    CHECK(attune::detail::type_text<std::span<int, 3>>() == "std::span<int, 3>");
    CHECK(attune::detail::type_text<std::span<long const> const&>() ==
          "std::span<long const> const&");
}

TEST_CASE("a span of a device is named as such, for the compiler to write as a pointer")
{
    CHECK(attune::detail::type_text<attune::device_span<float>>() == "attune::device_span<float>");
    CHECK(attune::detail::type_text<attune::device_span<int const> const&>() ==
          "attune::device_span<int const> const&");
    attune::compile_request const v =
        attune::variant_of<void(attune::device_span<float const>, double*, int)>("k");
    CHECK(attune::detail::signature_text(v) ==
          "void(attune::device_span<float const>, double*, int)");
}

TEST_CASE("types of kernel_type are named, and the kernel file is checked to have the same")
{
    CHECK(attune::detail::type_text<std::span<std::complex<float> const>>() ==
          "std::span<std::complex<float> const>");
    CHECK(attune::detail::type_text<std::array<short, 2>>() == "std::array<short, 2>");
    CHECK(attune::detail::type_text<colour const*>() == "unsigned char const*");
    CHECK(attune::detail::type_text<attune::matrix_view<float const>>() ==
          "attune::matrix_view<float const>");
    CHECK(attune::detail::type_text<attune::volume_view<particle>>() ==
          "attune::volume_view<physics::particle>");
    attune::compile_request const v = attune::variant_of<std::complex<double>(
        attune::matrix_view<particle>, std::span<particle* const>, std::array<particle, 2>)>("k");
    CHECK(v.declarations ==
          "#include <attune/matrix_view.hpp>\n"
          "#include \"particle.hpp\"\n"
          "static_assert(sizeof(physics::particle) == 16 && alignof(physics::particle) == 8, "
          "\"attune: physics::particle has 16 bytes in the program, and another size or alignment "
          "in the kernel file\");\n"
          "#include <array>\n"
          "#include <complex>\n");
    CHECK(attune::variant_of<void(std::span<float>, colour)>("k").declarations.empty());
}

TEST_CASE("types that a kernel file may not know have no text")
{
    struct own {};
    CHECK_FALSE(attune::detail::has_type_text<own>());
    CHECK_FALSE(attune::detail::has_type_text<own const*>());
    CHECK_FALSE(attune::detail::has_type_text<attune::device_span<own>>());
    CHECK_FALSE(attune::detail::has_type_text<std::vector<float>>());
    CHECK_FALSE(attune::detail::has_type_text<float&>());
    CHECK_FALSE(attune::detail::has_type_text<float&&>());
    CHECK_FALSE(attune::detail::has_type_text<int volatile>());
}

TEST_CASE("a function type becomes a variant")
{
    attune::compile_request const v =
        attune::variant_of<void(std::span<float const>, std::span<float>, int)>("scale");
    CHECK(v.function == "scale");
    CHECK(attune::detail::signature_text(v) ==
          "void(std::span<float const>, std::span<float>, int)");
    CHECK(v.macros.empty());
}
