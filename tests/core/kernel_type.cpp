// tests/core/kernel_type.cpp - what attune knows of a type.
// SPDX-License-Identifier: MIT
#include <attune/core/kernel_type.hpp>

#include <array>
#include <complex>
#include <cstdint>
#include <doctest/doctest.h>
#include <span>
#include <string>

using attune::element_type;
using attune::detail::format_of;
using attune::detail::kernel_type_fault;
using attune::detail::type_fault;

namespace {

enum class colour : std::uint8_t { red };
enum class shade { dark };
struct particle {
    float x, y;
    double mass;
    std::int8_t charge;
};
struct padded {
    std::int8_t a;
    std::array<float, 3> b;
    particle c;
};
struct chosen {
    float kept;
    float scratch;
    float other;
};
struct of_bits {
    int a : 4;
    int b : 28;
    char c;
};
struct with_pointer {
    int n;
    float* p;
};
struct around_pointer {
    with_pointer inside[2];
    int n;
};
struct with_span {
    std::span<float> s;
};
class closed {
public:
    int get() const { return a_; }

private:
    int a_ = 0;
};
struct around_closed {
    closed a;
};
struct undeclared {
    int a;
};
struct fixed_point {
    std::int32_t thousandths;
};
union either {
    int a;
    float b;
};

} // namespace

template <>
struct attune::kernel_type<shade> {
    static constexpr auto name = "shade";
};
template <>
struct attune::kernel_type<particle> {
    static constexpr auto name = "particle";
};
template <>
struct attune::kernel_type<padded> {
    static std::string name() { return "physics::padded"; }
};
template <>
struct attune::kernel_type<chosen> {
    static constexpr auto name = "chosen";
    static constexpr auto fields =
        attune::fields(&chosen::kept, attune::field(&chosen::other, {0.5, 0}));
    static constexpr attune::tolerance within{0.25, 0};
};
template <>
struct attune::kernel_type<of_bits> {
    static constexpr auto name = "of_bits";
};
template <>
struct attune::kernel_type<with_pointer> {
    static constexpr auto name = "with_pointer";
};
template <>
struct attune::kernel_type<closed> {
    static constexpr auto name = "closed";
};
template <>
struct attune::kernel_type<fixed_point> {
    static constexpr auto name = "fixed_point";
    static constexpr auto compared_as = attune::element_type::i32;
};
template <>
struct attune::kernel_type<either> {
    static constexpr auto name = "either";
};

TEST_CASE("numbers, complex numbers, enumerations and arrays of them are known")
{
    CHECK(kernel_type_fault<int>() == type_fault::none);
    CHECK(kernel_type_fault<long double const>() == type_fault::none);
    CHECK(kernel_type_fault<std::byte>() == type_fault::none);
    CHECK(kernel_type_fault<std::complex<double>>() == type_fault::none);
    CHECK(kernel_type_fault<colour>() == type_fault::none);
    CHECK(kernel_type_fault<std::array<std::complex<float>, 2>>() == type_fault::none);
    CHECK(attune::detail::element_type_of<std::array<colour, 4>>() == element_type::u8);
    CHECK(attune::detail::element_type_of<std::complex<float>>() == element_type::f32);
}

TEST_CASE("a type is written as the kernel file knows it")
{
    using namespace attune::detail;
    CHECK(kernel_name<unsigned long>() == "unsigned long");
    CHECK(kernel_name<std::complex<float>>() == "std::complex<float>");
    CHECK(kernel_name<std::array<double, 3>>() == "std::array<double, 3>");
    CHECK(kernel_name<colour>() == "unsigned char");
    CHECK(kernel_name<shade>() == "shade");
    CHECK(kernel_name<padded>() == "physics::padded");
    CHECK(kernel_name<chosen>() == "chosen");
    CHECK(kernel_name<of_bits>() == "of_bits");
    CHECK(kernel_name<fixed_point>() == "fixed_point");
}

TEST_CASE("the types of half precision that the compiler has are numbers")
{
#ifdef ATTUNE_HAS_FLOAT16
    CHECK(kernel_type_fault<_Float16>() == type_fault::none);
    CHECK(format_of<_Float16>().type == element_type::f16);
    CHECK(format_of<_Float16>().within.relative == 1e-2);
#endif
#ifdef __BFLT16_MANT_DIG__
    CHECK(format_of<__bf16>().type == element_type::bf16);
#endif
    CHECK(attune::kernel_type<__half>::compared_as == element_type::f16);
}

TEST_CASE("a structure needs a name")
{
    CHECK(kernel_type_fault<particle>() == type_fault::none);
    CHECK(kernel_type_fault<undeclared>() == type_fault::unknown);
    CHECK(kernel_type_fault<std::array<undeclared, 2>>() == type_fault::unknown);
    CHECK(kernel_type_fault<closed>() == type_fault::none);
    CHECK(kernel_type_fault<either>() == type_fault::none);
    CHECK(kernel_type_fault<std::string>() == type_fault::not_plain);
}

TEST_CASE("pointers are found, however deep, and what cannot be seen is not trusted")
{
    CHECK(kernel_type_fault<float*>() == type_fault::has_pointers);
    CHECK(kernel_type_fault<with_pointer>() == type_fault::has_pointers);
    CHECK(kernel_type_fault<around_pointer>() == type_fault::has_pointers);
    CHECK(kernel_type_fault<std::array<int const*, 2>>() == type_fault::has_pointers);
    CHECK(kernel_type_fault<with_span>() == type_fault::unknown);
    CHECK(attune::detail::fault_in<around_closed>() == type_fault::none);
}

TEST_CASE("a structure is compared member by member, and its padding is not")
{
    attune::element_format const& f = format_of<particle>();
    CHECK(f.bytes == sizeof(particle));
    REQUIRE(f.run_count == 4);
    CHECK(f.runs[1].offset == offsetof(particle, y));
    CHECK(f.runs[2].offset == offsetof(particle, mass));
    CHECK(f.runs[2].type == element_type::f64);
    CHECK(f.runs[2].within.relative == 1e-9);
    CHECK(f.runs[3].type == element_type::i8);
    attune::element_format const& g = format_of<padded>();
    REQUIRE(g.run_count == 6);
    CHECK(g.runs[1].offset == offsetof(padded, b));
    CHECK(g.runs[1].count == 3);
    CHECK(g.runs[5].offset == offsetof(padded, c) + offsetof(particle, charge));
}

TEST_CASE("declared fields are compared, with their own tolerance or that of the structure")
{
    attune::element_format const& f = format_of<chosen>();
    REQUIRE(f.run_count == 2);
    CHECK(f.runs[0].offset == offsetof(chosen, kept));
    CHECK(f.runs[0].within.absolute == 0.25);
    CHECK(f.runs[1].offset == offsetof(chosen, other));
    CHECK(f.runs[1].within.absolute == 0.5);
}

TEST_CASE("a structure that is one number is compared as that")
{
    CHECK(format_of<fixed_point const>().type == element_type::i32);
    CHECK(format_of<fixed_point>().run_count == 0);
}

TEST_CASE("what cannot be seen, and bit-fields, are compared as bytes")
{
    CHECK(format_of<closed>().run_count == 0);
    CHECK(format_of<closed>().type == element_type::opaque);
    CHECK(format_of<of_bits>().run_count == 0);
    CHECK(format_of<either>().run_count == 0);
}
