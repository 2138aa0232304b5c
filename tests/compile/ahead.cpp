// tests/compile/ahead.cpp : mirrors include/attune/compile/ahead.hpp, which it includes first
#include <attune/compile/ahead.hpp>

#include <attune/compile/ahead_unit.hpp>
#include <attune/compile/embedded.hpp>

#include <doctest/doctest.h>
#include <span>
#include <string>
#include <vector>

namespace {

using bump_type = void(std::span<int>);
using fill_type = void(std::span<int>, int);

template <class Signature>
[[nodiscard]] attune::wanted_ahead wanted(std::string function, std::string const& file)
{
    return {std::move(function),
            attune::function_type_text<Signature>(),
            attune::embedded_source(file),
            {}};
}

[[nodiscard]] int bumped(std::string const& file, int start)
{
    attune::found_ahead const found = attune::find_ahead(wanted<bump_type>("bump", file));
    REQUIRE(found.address != nullptr);
    CHECK(found.reason.empty());
    std::vector<int> x{start};
    reinterpret_cast<bump_type*>(found.address)(x);
    return x[0];
}

} // namespace

// The program's own function of that name: the kernel files do not meet it.
void bump(std::span<int> x);
void bump(std::span<int> x) { x[0] = -1; }

TEST_CASE("a kernel file is in the program with its defaults, beside others of the same names")
{
    CHECK(bumped("support/ahead.kernel.cpp", 3) == 3 * 2 * 4 + 4);
    CHECK(bumped("support/ahead_twin.kernel.cpp", 3) == 3 * 2 * 5 + 5 + 100); // FLAGS -DOFFSET=100
}

TEST_CASE("a function is found in its namespace, with its text read from the file or embedded")
{
    attune::wanted_ahead w = wanted<fill_type>("inner::fill", "support/ahead.kernel.cpp");
    attune::found_ahead const found = attune::find_ahead(w);
    REQUIRE(found.address != nullptr);
    std::vector<int> x(3);
    reinterpret_cast<fill_type*>(found.address)(x, 7);
    CHECK(x == std::vector<int>{7, 7, 7});
    w.source = attune::source_file("../support/ahead.kernel.cpp");
    CHECK(attune::find_ahead(w).address == found.address);
}

TEST_CASE("another type is refused with both types")
{
    attune::found_ahead const found =
        attune::find_ahead(wanted<void(std::span<float>)>("bump", "support/ahead.kernel.cpp"));
    CHECK(found.address == nullptr);
    CHECK(found.reason.find("bump") != std::string::npos);
    CHECK(found.reason.find("span<int>") != std::string::npos);
    CHECK(found.reason.find("span<float>") != std::string::npos);
    auto const const_elements =
        wanted<void(std::span<int const>)>("bump", "support/ahead.kernel.cpp");
    CHECK(attune::find_ahead(const_elements).address == nullptr);
}

TEST_CASE("another text, another name and an overloaded one have no function")
{
    attune::wanted_ahead w = wanted<bump_type>("bump", "support/ahead.kernel.cpp");
    w.source.text += ' '; // the file was edited after the program was built
    CHECK(attune::find_ahead(w).address == nullptr);
    CHECK(attune::find_ahead(wanted<bump_type>("dump", "support/ahead.kernel.cpp")).address ==
          nullptr);
    CHECK(
        attune::find_ahead(wanted<void(int*)>("overloaded", "support/ahead.kernel.cpp")).address ==
        nullptr);
}

TEST_CASE("flags of the source that change its text must be among those of the build")
{
    attune::wanted_ahead w = wanted<bump_type>("bump", "support/ahead_twin.kernel.cpp");
    w.source.flags = {"-ffast-math", "-DOFFSET=100"};
    CHECK(attune::find_ahead(w).address != nullptr);
    w.source.flags = {"-DOFFSET=101"};
    CHECK(attune::find_ahead(w).address == nullptr);
    CHECK(attune::find_ahead(w).reason.find("-DOFFSET=101") != std::string::npos);
}

TEST_CASE("a template is compiled for the default of its parameter, and for no other")
{
    attune::wanted_ahead w = wanted<bump_type>("widen<WIDTH>", "support/ahead_template.kernel.cpp");
    w.macros = {"WIDTH=8"};
    attune::found_ahead const found = attune::find_ahead(w);
    REQUIRE(found.address != nullptr);
    std::vector<int> x{3};
    reinterpret_cast<bump_type*>(found.address)(x);
    CHECK(x[0] == 24);
    w.macros = {"WIDTH=4"};
    CHECK(attune::find_ahead(w).address == nullptr);
    CHECK(attune::find_ahead(w).reason.find("WIDTH=4") != std::string::npos);
}
