// tests/core/aggregate.cpp - the types of members, found without the structure's help.
// SPDX-License-Identifier: MIT
#include <attune/core/aggregate.hpp>

#include <array>
#include <complex>
#include <doctest/doctest.h>
#include <span>
#include <type_traits>

namespace {

template <class T, class... M>
constexpr bool has_members =
    std::is_same_v<attune::detail::member_types<T>, attune::detail::member_list<M...>>;

struct three {
    float x, y, z;
};
struct nested {
    three a;
    int b;
    three c;
};
struct with_array {
    int n;
    float m[2][3];
    double d;
    char text[5];
};
struct with_one {
    float m[1];
    int k;
};
struct of_structures {
    three m[2];
    int k;
};
struct of_classes {
    std::complex<float> z;
    std::array<double, 3> w;
    int i;
};
struct with_pointers {
    int n;
    float* p;
    std::span<int> s;
};
struct with_references {
    int& a;
    int& b;
};
enum class colour : short { red };
struct with_enumeration {
    colour a;
    bool b;
    colour const c;
};
struct with_defaults {
    int a = 1;
    float b = 2;
    three c{};
};
struct of_bits {
    int a : 4;
    int b : 12;
    float c;
};
struct base {
    int a;
};
struct derived : base {
    int b;
};
struct constructed {
    explicit constructed(int);
    int a;
};
struct sixteen {
    int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
};
struct seventeen {
    int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q;
};

} // namespace

TEST_CASE("members are told apart, whatever they are")
{
    CHECK(has_members<three, float, float, float>);
    CHECK(has_members<nested, three, int, three>);
    CHECK(has_members<of_classes, std::complex<float>, std::array<double, 3>, int>);
    CHECK(has_members<with_pointers, int, float*, std::span<int>>);
    CHECK(has_members<with_references, int&, int&>);
    CHECK(has_members<with_enumeration, colour, bool, colour const>);
    CHECK(has_members<with_defaults, int, float, three>);
    CHECK(has_members<of_bits, int, int, float>);
    CHECK(attune::detail::member_types<sixteen>::size == 16);
}

TEST_CASE("an array is one member, also one of arrays or of structures")
{
    CHECK(has_members<with_array, int, float[2][3], double, char[5]>);
    CHECK(has_members<with_one, float[1], int>);
    CHECK(has_members<of_structures, three[2], int>);
}

TEST_CASE("what cannot be seen has no members")
{
    CHECK(has_members<derived>);
    CHECK(has_members<constructed>);
    CHECK(has_members<seventeen>);
    CHECK(has_members<int>);
    CHECK(has_members<std::complex<float>>);
}
