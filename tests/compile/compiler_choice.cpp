// tests/compile/compiler_choice.cpp - several compilers as one, chosen for each variant.
// SPDX-License-Identifier: MIT
#include <attune/compile/compiler_choice.hpp>

#include <attune/compile/clang.hpp>
#include <attune/compile/system.hpp>
#include <attune/core/error.hpp>

#include "../laws/compiler.hpp"
#include "../support/minimal_compiler.hpp"
#include "../support/texts.hpp"

using attune::compiler_choice;
using attune_test::minimal_compiler;

namespace {

std::string error_of(compiler_choice const& compiler, std::string name)
{
    attune::compile_request v = attune_laws::scaled_sum_variant("2");
    v.compiler = std::move(name);
    return attune_test::error_of(
        [&] { (void)compiler.compile(attune_laws::scaled_sum_source(), v); });
}

compiler_choice of_two() { return {{"first", minimal_compiler{}}, {"second", minimal_compiler{}}}; }

} // namespace

TEST_CASE("a choice of compilers keeps the laws of a compiler")
{
    attune_laws::compiler_laws(of_two);
}

TEST_CASE("a name that no compiler has is an error with those that there are")
{
    std::string const said = error_of(of_two(), "third");
    CHECK(said.find("third") != std::string::npos);
    CHECK(said.find("first, second") != std::string::npos);
    CHECK(error_of(of_two(), "second").empty());
    CHECK(error_of(of_two(), "").empty());
}

TEST_CASE("no compiler and two of one name are errors")
{
    CHECK_THROWS_AS(compiler_choice({}), attune::error);
    CHECK_THROWS_AS((compiler_choice{{"a", minimal_compiler{}}, {"a", minimal_compiler{}}}),
                    attune::error);
}

TEST_CASE("the identity holds every name and identity, and notices are passed on")
{
    std::string const own = minimal_compiler{}.identity();
    CHECK(of_two().identity() == "first: " + own + "; second: " + own);
    CHECK(of_two().notice().empty());
}

TEST_CASE("the variant's compiler makes the code")
{
    if (!attune::clang_compiler().notice().empty()) return;
    if (!attune::system_compiler({.command = "g++"}).missing().empty()) return;
    compiler_choice const compiler{{"clang", attune::clang_compiler{}},
                                   {"g++", attune::system_compiler{{.command = "g++"}}}};
    attune::kernel_source const kernel = attune::source_text(
        "#ifdef __clang__\nint who() { return 1; }\n#else\nint who() { return 2; }\n#endif\n",
        "who.cpp");
    attune::compile_request v = attune::variant_of<int()>("who");
    for (auto const& [name, expected] : {std::pair("clang", 1), std::pair("g++", 2)}) {
        v.compiler = name;
        CHECK(attune_laws::callable_of(compiler.compile(kernel, v)).as<int()>()() == expected);
    }
}

TEST_CASE("a choice gives the quantities of code that each of its compilers gives")
{
    CHECK(of_two().code_quantities().empty());
    using names = std::vector<std::string_view>;
    CHECK(compiler_choice{{"clang", attune::clang_compiler{}}}.code_quantities() ==
          names{"code_bytes", "stack_bytes", "spills", "vector_instructions"});
    CHECK(compiler_choice{{"clang", attune::clang_compiler{}}, {"other", minimal_compiler{}}}
              .code_quantities()
              .empty());
    attune::system_compiler const gcc{{.command = "g++"}};
    if (!gcc.missing().empty()) return;
    CHECK(compiler_choice{{"clang", attune::clang_compiler{}}, {"g++", gcc}}.code_quantities() ==
          names{"code_bytes"});
}

TEST_CASE("code of both compilers has the size of its function, and that of Clang its frame")
{
    attune::kernel_source const kernel = attune::source_text(
        "int f(int n)\n{\n    volatile char room[ROOM];\n    room[n] = 1;\n    return room[n];\n}\n"
        "#if LONG\nint g(int n) { return n / 3 + n / 5 + n / 7 + n / 11 + n / 13 + n / 17; }\n"
        "#endif\n",
        "f.cpp");
    auto const size_by = [&](auto const& compiler, int room, int is_long) {
        attune::compile_request v = attune::variant_of<int(int)>("f");
        v.flags = {"-DROOM=" + std::to_string(room), "-DLONG=" + std::to_string(is_long)};
        attune::callable const made = attune_laws::callable_of(compiler.compile(kernel, v));
        CHECK(made.as<int(int)>()(7) == 1);
        // The second time it comes from the cache, with the same sizes.
        attune::callable const again = attune_laws::callable_of(compiler.compile(kernel, v));
        CHECK(again.size.code_bytes == made.size.code_bytes);
        CHECK(again.size.stack_bytes == made.size.stack_bytes);
        return made.size;
    };
    auto const check = [&](auto const& compiler, bool tells_frames) {
        attune::code_size const usual = size_by(compiler, 4096, 0);
        REQUIRE(usual.code_bytes);
        CHECK(size_by(compiler, 4096, 1).code_bytes.value() > *usual.code_bytes);
        REQUIRE(usual.stack_bytes.has_value() == tells_frames);
        if (tells_frames)
            CHECK(size_by(compiler, 16384, 0).stack_bytes.value() - *usual.stack_bytes ==
                  16384 - 4096);
    };
    if (attune::clang_compiler().notice().empty()) check(attune::clang_compiler{}, true);
    attune::system_compiler const gcc{{.command = "g++"}};
    if (gcc.missing().empty()) check(gcc, false);
    attune::system_compiler const clang{{.command = "clang++-19"}};
    if (clang.missing().empty()) check(clang, true);
}
