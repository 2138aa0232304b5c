// tests/compile/ahead/ahead_unit.cpp - how a program lists the functions that were compiled with it.
// SPDX-License-Identifier: MIT
#include <attune/compile/ahead/ahead_unit.hpp>

#include <doctest/doctest.h>
#include <span>
#include <string>
#include <vector>

namespace {

int last = 0; ///< what a function was called with
void plain(std::span<float const> x, int n) { last = static_cast<int>(x.size()) + n; }
void never_throws(std::span<float const>, int n) noexcept { last = -n; }
int returns(double) { return 0; }
struct thing {
    void member() {}
};

} // namespace

TEST_CASE("a listed function has its type, with or without noexcept, and is called")
{
    constexpr auto made = attune::detail::describe_ahead<&plain>("plain", "f.cpp", "-DA\n");
    using type = void(std::span<float const>, int);
    CHECK(made.type.tag == attune::detail::function_type_of<type>().tag);
    CHECK(std::string(made.type.text).find("const") != std::string::npos);
    std::vector<float> const three(3);
    reinterpret_cast<type*>(made.address())(three, 40);
    CHECK(last == 43);
    CHECK(made.flags == std::string("-DA\n"));
    constexpr auto quiet =
        attune::detail::describe_ahead<&never_throws>("never_throws", "f.cpp", "");
    CHECK(quiet.type.tag == made.type.tag);
    reinterpret_cast<type*>(quiet.address())(three, 40);
    CHECK(last == -40);
}

TEST_CASE("different types have different texts, and a member of a class matches none")
{
    constexpr auto other = attune::detail::describe_ahead<&returns>("returns", "f.cpp", "");
    CHECK(other.type.tag == attune::detail::function_type_of<int(double)>().tag);
    CHECK(other.type.tag != attune::detail::function_type_of<void(double)>().tag);
    constexpr auto member =
        attune::detail::describe_ahead<&thing::member>("thing::member", "f.cpp", "");
    CHECK(member.address() == nullptr);
    CHECK(member.type.tag == nullptr);
}
