// tests/compile/system/libraries.cpp - libraries that a kernel's flags name, for each compiler.
// SPDX-License-Identifier: MIT
#include <attune/compile/system/libraries.hpp>

#include <attune/compile/clang.hpp>
#include <attune/compile/source/signature.hpp>
#include <attune/compile/system.hpp>
#include <attune/compile/system/process.hpp>

#include <cmath>
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../../support/cache_folder.hpp"
#include "../../support/texts.hpp"

using attune::failure;
using attune_test::has;
using strings = std::vector<std::string>;

namespace {

bool has_clang() { return attune::clang_compiler().notice().empty(); }

/// A folder with libattune_seven.so, whose seven() is 7 and whose eight is a variable, 8.
struct library_folder {
    attune::detail::temporary_folder folder;
    std::string path = folder.path();

    explicit library_folder(std::string const& name = "libattune_seven.so")
    {
        std::string const source = folder.write(
            "seven.cpp", "extern \"C\" { int eight = 8; int seven() { return eight - 1; } }\n");
        attune::detail::process_result const made = attune::detail::run_process(
            {"c++", "-shared", "-fPIC", "-o", path + '/' + name, source}, 60);
        REQUIRE_MESSAGE(made.succeeded(), made.output);
    }
};

attune::kernel_source fifteen(strings flags)
{
    attune::kernel_source kernel = attune::source_text(
        "extern \"C\" { extern int eight; int seven(); }\nint f() { return seven() + eight; }\n",
        "fifteen.cpp");
    kernel.flags = std::move(flags);
    return kernel;
}

strings found(strings flags)
{
    auto const paths = attune::detail::find_libraries(attune::detail::take_library_flags(flags));
    if (auto const* failed = std::get_if<failure>(&paths)) FAIL(failed->reason);
    return std::get<strings>(paths);
}

std::string not_found(strings flags)
{
    auto const paths = attune::detail::find_libraries(attune::detail::take_library_flags(flags));
    auto const* failed = std::get_if<failure>(&paths);
    REQUIRE(failed != nullptr);
    CHECK(failed->stage == attune::failure_stage::load);
    return failed->reason;
}

/// What a compiler makes of kernels that need libraries.
template <class Compiler>
void library_laws(Compiler const& compiler)
{
    library_folder const seven;
    attune::compile_request v = attune::variant_of<int()>("f");
    auto const result_of = [&](strings const& flags) {
        attune::compile_result const made = compiler.compile(fifteen(flags), v);
        auto const* code = std::get_if<attune::callable>(&made);
        REQUIRE_MESSAGE(code != nullptr, std::get<failure>(made).reason);
        return code->as<int()>()();
    };
    CHECK(result_of({"-L" + seven.path, "-lattune_seven"}) == 15);
    CHECK(result_of({"-l", "attune_seven", "-L", seven.path, "-lm"}) == 15);
    CHECK(result_of({"-L" + seven.path, "-l:libattune_seven.so"}) == 15);
    v.flags = {"-lattune_seven", "-Werror"};
    CHECK(result_of({"-L" + seven.path}) == 15);
    v.flags.clear();
    attune::compile_result const none = compiler.compile(fifteen({"-lattune_no_such"}), v);
    CHECK(has(std::get<failure>(none).reason, "attune_no_such"));
    attune::compile_result const without = compiler.compile(fifteen({}), v);
    CHECK(has(std::get<failure>(without).reason, "undefined symbol: "));
    attune::kernel_source sine = attune::source_text(
        "#include <cmath>\ndouble f(double x) { return std::sin(x); }\n", "sine.cpp");
    sine.flags = {"-lm", "-lpthread", "-ldl"};
    attune::compile_result const made =
        compiler.compile(sine, attune::variant_of<double(double)>("f"));
    CHECK(std::get<attune::callable>(made).as<double(double)>()(0.5) == std::sin(0.5));
}

/// The symbols of a kernel's library are the kernel's own business.
bool is_visible_in_process() { return ::dlsym(RTLD_DEFAULT, "seven") != nullptr; }

} // namespace

TEST_CASE("-L and -l are taken out of the flags, and nothing else")
{
    strings flags{"-O3", "-Lone", "-lfoo",        "-L",           "/two",
                  "-l",  "bar",   "-l:libx.so.1", "-march=native"};
    attune::detail::library_flags const taken = attune::detail::take_library_flags(flags);
    CHECK(flags == strings{"-O3", "-march=native"});
    CHECK(taken.names == strings{"foo", "bar", ":libx.so.1"});
    REQUIRE(taken.folders.size() == 2);
    CHECK(taken.folders[0].starts_with('/'));
    CHECK(taken.folders[0].ends_with("/one"));
    CHECK(taken.folders[1] == "/two");
    CHECK(attune::detail::linker_flags({{"/two"}, {"foo"}}) ==
          strings{"-L/two", "-Xlinker", "-rpath=/two", "-lfoo"});
    flags = {"-l"};
    CHECK(attune::detail::take_library_flags(flags).names == strings{""});
}

TEST_CASE("a library is looked for where a linker looks for it")
{
    library_folder const one;
    library_folder const two;
    std::string const file = "/libattune_seven.so";
    CHECK(found({"-L" + one.path, "-L" + two.path, "-lattune_seven"}) == strings{one.path + file});
    CHECK(found({"-lattune_seven", "-L" + two.path}) == strings{two.path + file});
    CHECK(found({"-L" + one.path, "-lattune_seven", "-lattune_seven", "-lm", "-lpthread"}) ==
          strings{one.path + file});
    CHECK(found({"-O3"}).empty());
    std::string const said = not_found({"-L" + one.path, "-lattune_eleven"});
    CHECK(has(said, "-lattune_eleven was not found: no libattune_eleven.so in the folders of -L"));
    CHECK(has(not_found({"-lattune_eleven"}), "-dev package"));
}

TEST_CASE("a linker script stands for the libraries that it names")
{
    library_folder const one("libother.so.7");
    (void)one.folder.write("libscript.so",
                           "/* GNU ld script /not/this.so */\nOUTPUT_FORMAT(elf64-x86-64)\n"
                           "GROUP ( " +
                               one.path + "/libother.so.7 AS_NEEDED ( " + one.path +
                               "/libgone.so ) " + one.path + "/libarchive.a )\n");
    CHECK(found({"-L" + one.path, "-lscript"}) == strings{one.path + "/libother.so.7"});
    (void)one.folder.write("libhalf.so", "GROUP ( /* without an end");
    CHECK(has(not_found({"-L" + one.path, "-lhalf"}), "-lhalf was not found"));
}

TEST_CASE("an archive is refused with a sentence, where nothing else is there")
{
    attune::detail::temporary_folder const folder;
    (void)folder.write("libattune_old.a", "!<arch>\n");
    CHECK(has(not_found({"-L" + folder.path(), "-lattune_old"}), "libattune_old.a"));
}

TEST_CASE("system_compiler gives kernels the libraries of -l")
{
    library_laws(attune::system_compiler{});
}

TEST_CASE("clang_compiler gives kernels the libraries of -l, and the process does not see them")
{
    if (!has_clang()) return;
    library_laws(attune::clang_compiler{});
    CHECK(!is_visible_in_process());
}

TEST_CASE("the kept objects of clang_compiler find their libraries again")
{
    if (!has_clang()) return;
    attune_test::cache_folder const cache;
    library_folder const seven;
    attune::kernel_source const kernel = fifteen({"-L" + seven.path, "-lattune_seven"});
    attune::compile_request const v = attune::variant_of<int()>("f");
    attune::clang_options options{.cache = cache.options()};
    for (int run = 0; run < 2; ++run) {
        attune::clang_compiler const compiler(options);
        attune::compile_result const made = compiler.compile(kernel, v);
        CHECK(std::get<attune::callable>(made).from_cache == (run == 1));
        CHECK(std::get<attune::callable>(made).as<int()>()() == 15);
        if (!compiler.keep_winner(kernel, v)) continue; // no linker here
        std::optional<attune::callable> const winner =
            attune::clang_compiler(options).find_winner(kernel, v);
        REQUIRE(winner.has_value());
        CHECK(winner->as<int()>()() == 15);
    }
}
