// tests/core/posix/library_functions.cpp : mirrors include/attune/core/posix/library_functions.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/core/posix/library_functions.hpp>

#include <doctest/doctest.h>
#include <string>

#include "../../support/set_variable.hpp"
#include "../../support/texts.hpp"

using attune::detail::library_functions;
using attune_test::has;

namespace {

struct table {
    double (*root)(double) = nullptr;
    void (*other)() = nullptr;
    std::string path{};
};

constexpr attune::detail::library_words words{"root library", "ATTUNE_TEST_ROOTS", "libm.so.6",
                                              "install one", "update it"};

void take(library_functions& from, table& to)
{
    from.need("sqrt", to.root);
    from.wish("attune_has_no_such_function", to.other);
}

} // namespace

TEST_CASE("a table has the functions of a library, and its path; a wish may stay open")
{
    auto const made = attune::detail::open_functions<table>({}, words, take);
    CHECK(made->root(9) == 3);
    CHECK((made->other == nullptr));
    CHECK(has(made->path, "/libm"));
}

TEST_CASE(
    "no library and a missing function are errors that say what to do; the variable names one")
{
    auto const open = [](std::string const& path, auto const& by) {
        return attune_test::error_of(
            [&] { static_cast<void>(attune::detail::open_functions<table>(path, words, by)); });
    };
    std::string said = open("/nowhere/libroot.so", take);
    CHECK(has(said, "no root library"));
    CHECK(has(said, "/nowhere/libroot.so"));
    CHECK(has(said, "install one"));
    said = open("libm.so.6", [](library_functions& from, table& to) {
        from.need("attune_has_no_such_function", to.other);
        from.need("nor_this", to.other);
    });
    CHECK(has(said, "the root library has no function attune_has_no_such_function"));
    CHECK(has(said, "update it"));
    attune_test::set_variable const named("ATTUNE_TEST_ROOTS", "/nowhere/named.so");
    CHECK(has(open({}, take), "/nowhere/named.so"));
}
