// tests/compile/ahead/ahead.cpp - the functions of kernel files that were compiled with the program.
// SPDX-License-Identifier: MIT
#include <attune/compile/ahead/ahead.hpp>

#include <attune/compile/ahead/ahead_unit.hpp>
#include <attune/compile/source/signature.hpp>
#include <attune/compile/source/source.hpp>

#include <doctest/doctest.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../../support/stack_offsets.hpp"

using attune::detail::find_ahead;
using attune::detail::found_ptx;
using attune::detail::function_type_of;
using attune::detail::wanted_ahead;

namespace {

// What attune_add_kernel(target device.kernel.cu FLAGS -DWIDTH=8) generates, by hand: no nvcc is
// needed here.
constexpr unsigned char device_text[] = "__global__ void f() {}";
constexpr attune::detail::embedded_file device_kernel{"device.kernel.cu", "/there/device.kernel.cu",
                                                      device_text, sizeof device_text - 1};
ATTUNE_EMBED(attune_kernels, device_kernel)
constexpr unsigned char ptx[] = "// made by hand\n.version 9.0\n.target sm_75\n.address_size 64\n"
                                ".visible .entry add(\n\t.param .u64 add_param_0,\n"
                                "\t.param .u32 add_param_1\n)\n{\n\tret;\n}\n"
                                ".visible .entry _Z4moveILi8EEvPKfPfi(\n\t.param .u64 a,\n"
                                "\t.param .u64 b,\n\t.param .u32 c\n)\n{\n\tret;\n}\n";
constexpr attune::detail::device_ahead add_ptx{"add",         "add", "?", "/there/device.kernel.cu",
                                               "-DWIDTH=8\n", ptx};
ATTUNE_LIST_PTX(add_ptx)
constexpr attune::detail::device_ahead move_ptx{"move<WIDTH>",
                                                "_Z4moveILi8EEvPKfPfi",
                                                "float const*, float*, int",
                                                "/there/device.kernel.cu",
                                                "-DWIDTH=8\n",
                                                ptx};
ATTUNE_LIST_PTX(move_ptx)

template <class Signature>
[[nodiscard]] found_ptx ptx_of(std::string const& function, std::vector<std::string> macros = {})
{
    return attune::detail::find_ptx(
        {function, {}, attune::embedded_source("device.kernel.cu"), std::move(macros)},
        attune::variant_of<Signature>(function));
}

using bump_type = void(std::span<int>);
using fill_type = void(std::span<int>, int);

template <class Signature>
[[nodiscard]] wanted_ahead wanted(std::string function, std::string const& file)
{
    return {std::move(function), function_type_of<Signature>(), attune::embedded_source(file), {}};
}

[[nodiscard]] int bumped(std::string const& file, int start)
{
    attune::detail::found_ahead const found = find_ahead(wanted<bump_type>("bump", file));
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
    wanted_ahead w = wanted<fill_type>("inner::fill", "support/ahead.kernel.cpp");
    attune::detail::found_ahead const found = find_ahead(w);
    REQUIRE(found.address != nullptr);
    std::vector<int> x(3);
    reinterpret_cast<fill_type*>(found.address)(x, 7);
    CHECK(x == std::vector<int>{7, 7, 7});
    w.source = attune::source_file("../../support/ahead.kernel.cpp");
    CHECK(find_ahead(w).address == found.address);
}

TEST_CASE("the frame of a function lies the same way, whatever the stack of the call")
{
    attune::detail::found_ahead const found =
        find_ahead(wanted<long(long)>("place", "support/ahead.kernel.cpp"));
    REQUIRE(found.address != nullptr);
    auto* const place = reinterpret_cast<long (*)(long)>(found.address);
    CHECK(at_stack_offsets([&] { return place(1); }).size() == 1);
}

TEST_CASE("another type is refused with both types")
{
    attune::detail::found_ahead const found =
        find_ahead(wanted<void(std::span<float>)>("bump", "support/ahead.kernel.cpp"));
    CHECK(found.address == nullptr);
    CHECK(found.reason.find("bump") != std::string::npos);
    CHECK(found.reason.find("span<int>") != std::string::npos);
    CHECK(found.reason.find("span<float>") != std::string::npos);
    auto const const_elements =
        wanted<void(std::span<int const>)>("bump", "support/ahead.kernel.cpp");
    CHECK(find_ahead(const_elements).address == nullptr);
}

TEST_CASE("another text, another name and an overloaded one have no function")
{
    wanted_ahead w = wanted<bump_type>("bump", "support/ahead.kernel.cpp");
    w.source.text += ' '; // the file was edited after the program was built
    CHECK(find_ahead(w).address == nullptr);
    CHECK(find_ahead(wanted<bump_type>("dump", "support/ahead.kernel.cpp")).address == nullptr);
    CHECK(find_ahead(wanted<void(int*)>("overloaded", "support/ahead.kernel.cpp")).address ==
          nullptr);
}

TEST_CASE("flags of the source that change its text must be among those of the build")
{
    wanted_ahead w = wanted<bump_type>("bump", "support/ahead_twin.kernel.cpp");
    w.source.flags = {"-ffast-math", "-DOFFSET=100"};
    CHECK(find_ahead(w).address != nullptr);
    w.source.flags = {"-DOFFSET=101"};
    CHECK(find_ahead(w).address == nullptr);
    CHECK(find_ahead(w).reason.find("-DOFFSET=101") != std::string::npos);
}

TEST_CASE("a template is compiled for the default of its parameter, and for no other")
{
    wanted_ahead w = wanted<bump_type>("widen<WIDTH>", "support/ahead_template.kernel.cpp");
    w.macros = {"WIDTH=8"};
    attune::detail::found_ahead const found = find_ahead(w);
    REQUIRE(found.address != nullptr);
    std::vector<int> x{3};
    reinterpret_cast<bump_type*>(found.address)(x);
    CHECK(x[0] == 24);
    w.macros = {"WIDTH=4"};
    CHECK(find_ahead(w).address == nullptr);
    CHECK(find_ahead(w).reason.find("WIDTH=4") != std::string::npos);
}

TEST_CASE("the list of the kernel's own library comes first, and of equal texts its own path")
{
    // Two files of one text, as two object libraries of one program may have.
    static constexpr unsigned char text[] = "void bump(std::span<int>);";
    static constexpr attune::detail::embedded_file file_a{"k", "/a/k", text, sizeof text - 1};
    static constexpr attune::detail::embedded_file file_b{"k", "/b/k", text, sizeof text - 1};
    static constexpr attune::detail::embedded_file const* files[] = {&file_a, &file_b};
    static char code_a = 0;
    static char code_b = 0;
    static constexpr auto type = function_type_of<bump_type>();
    static constexpr attune::detail::function_ahead a{
        "bump", type, [] { return static_cast<void*>(&code_a); }, "/a/k", ""};
    static constexpr attune::detail::function_ahead b{
        "bump", type, [] { return static_cast<void*>(&code_b); }, "/b/k", ""};
    static constexpr attune::detail::function_ahead const* functions[] = {&a, &b};
    wanted_ahead w{"bump", type, attune::source_text("void bump(std::span<int>);", "/b/k"), {}};
    CHECK(find_ahead(w).address == nullptr); // not of this program
    w.linked = {{functions, functions + 2}, {}, {{files, files + 2}}};
    CHECK(find_ahead(w).address == &code_b);
    w.source.path = "/a/k";
    CHECK(find_ahead(w).address == &code_a);
    w.source.path = "/c/k"; // the text was moved
    CHECK(find_ahead(w).address == &code_a);
    // What the other library lacks is looked for in the program.
    wanted_ahead own = wanted<bump_type>("bump", "support/ahead.kernel.cpp");
    own.linked = w.linked;
    CHECK(find_ahead(own).address != nullptr);
}

TEST_CASE("PTX is found by the types that a kernel's arguments have on a device")
{
    found_ptx const add = ptx_of<void(std::span<float>, int)>("add");
    CHECK(add.text == std::string(reinterpret_cast<char const*>(ptx)));
    CHECK(add.entry == "add");
    CHECK(add.architecture == 75);
    using spans = void(std::span<float const>, attune::device_span<float>, int);
    CHECK(ptx_of<spans>("move<WIDTH>").entry == "_Z4moveILi8EEvPKfPfi");
    CHECK(ptx_of<void(float const*, float*, int)>("move<WIDTH>", {"WIDTH=8"}).text == add.text);
}

TEST_CASE("PTX with other arguments, or for another default, is refused with the reason")
{
    found_ptx const few = ptx_of<void(std::span<float>)>("add");
    CHECK(few.text.empty());
    CHECK(few.reason.find("2 arguments") != std::string::npos);
    found_ptx const other = ptx_of<void(float const*, double*, int)>("move<WIDTH>");
    CHECK(other.text.empty());
    CHECK(other.reason.find("double*") != std::string::npos);
    found_ptx const wide = ptx_of<void(float const*, float*, int)>("move<WIDTH>", {"WIDTH=4"});
    CHECK(wide.text.empty());
    CHECK(wide.reason.find("WIDTH=4") != std::string::npos);
    CHECK(ptx_of<void(float*)>("sub").reason.empty());
}
