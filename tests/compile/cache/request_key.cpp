// tests/compile/cache/request_key.cpp - the key of a variant, known before it is compiled.
// SPDX-License-Identifier: MIT
#include <attune/compile/cache/object_cache.hpp>
#include <attune/compile/source/signature.hpp>
#include <attune/compile/system/process.hpp>

#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace {

struct request {
    std::string kind = "object";
    std::string compiler = "clang 19 -O3";
    attune::kernel_source kernel = attune::source_text("int f() { return N; }\n", "f.cpp");
    attune::compile_request v = attune::variant_of<int()>("f");

    request() { v.macros = {{"N", "1"}}; }
    std::string key() const { return attune::detail::request_key(kind, compiler, kernel, v); }
};

/// The key in another current folder.
std::string key_elsewhere(request const& r)
{
    attune::detail::temporary_folder const folder;
    std::filesystem::path const here = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    std::string const key = r.key();
    std::filesystem::current_path(here);
    return key;
}

} // namespace

TEST_CASE("a request has one key, and whatever changes has another")
{
    CHECK(request{}.key() == request{}.key());
    CHECK(request{}.key().size() == 32);
    std::vector<std::function<void(request&)>> const changes{
        [](request&) {},
        [](request& r) { r.kind = "shared object"; },
        [](request& r) { r.compiler = "clang 19 -O2"; },
        [](request& r) { r.kernel.text += ' '; },
        [](request& r) { r.kernel.path = "g.cpp"; },
        [](request& r) { r.kernel.include_dirs = {"/a"}; },
        [](request& r) { r.kernel.include_dirs = {"/a", "/b"}; },
        [](request& r) { r.kernel.include_dirs = {"/b", "/a"}; },
        [](request& r) { r.kernel.flags = {"/a"}; },
        [](request& r) { r.kernel.flags = {"-DX", "-DY"}; },
        [](request& r) { r.kernel.flags = {"-DX-DY"}; },
        [](request& r) { r.v.flags = {"/a"}; },
        [](request& r) { r.v.flags = {"-DX", "-DY"}; },
        [](request& r) { r.v.macros[0].value = "2"; },
        [](request& r) { r.v.macros[0].name = "M"; },
        [](request& r) { r.v.macros.push_back({"M", "1"}); },
        [](request& r) { r.v.function = "g"; },
        [](request& r) { r.v.result = "long"; },
        [](request& r) { r.v.arguments = {"int"}; },
    };
    std::set<std::string> keys;
    for (auto const& change : changes) {
        request r;
        change(r);
        keys.insert(r.key());
    }
    CHECK(keys.size() == changes.size());
}

TEST_CASE("an environment variable that compilers read counts")
{
    std::string const before = request{}.key();
    ::setenv("CPLUS_INCLUDE_PATH", "/somewhere", 1);
    CHECK(request{}.key() != before);
    ::unsetenv("CPLUS_INCLUDE_PATH");
    CHECK(request{}.key() == before);
}

TEST_CASE("the current folder counts only where something is relative to it")
{
    request r;
    CHECK(key_elsewhere(r) == r.key());
    SUBCASE("a quoted include of a kernel without a folder")
    {
        r.kernel.text += "#include \"f.hpp\"\n";
        CHECK(key_elsewhere(r) != r.key());
        r.kernel.path = "/absolute/f.cpp";
        CHECK(key_elsewhere(r) == r.key());
    }
    SUBCASE("a name that a macro gives, or that is only looked for")
    {
        for (std::string const line :
             {"#include HEADER\n", "#inc\\\nlude \"f.hpp\"\n",
              "#if __has_include(\"f.hpp\")\n#endif\n", "#include_next \"f.hpp\"\n",
              "#include /* beside it */ \"f.hpp\"\n"}) {
            r.kernel.text = line;
            CHECK(key_elsewhere(r) != r.key());
        }
        r.kernel.text = "#include <vector>\n#if __has_include( <span>)\n#endif\n";
        CHECK(key_elsewhere(r) == r.key());
    }
    SUBCASE("a file that assembly reads")
    {
        r.kernel.path = "/absolute/f.cpp";
        r.kernel.text = "asm(\".incbin \\\"table\\\"\");\n";
        CHECK(key_elsewhere(r) != r.key());
    }
    SUBCASE("a folder of a variable")
    {
        ::setenv("CPATH", "/absolute:/other", 1);
        CHECK(key_elsewhere(r) == r.key());
        ::setenv("CPATH", "/absolute:relative", 1);
        CHECK(key_elsewhere(r) != r.key());
        ::setenv("CPATH", "/absolute:", 1); // the current folder
        CHECK(key_elsewhere(r) != r.key());
        ::unsetenv("CPATH");
    }
    SUBCASE("an include folder")
    {
        r.kernel.include_dirs = {"/absolute"};
        CHECK(key_elsewhere(r) == r.key());
        r.kernel.include_dirs = {"relative"};
        CHECK(key_elsewhere(r) != r.key());
    }
    SUBCASE("a flag that may name a file or writes debug information")
    {
        r.kernel.flags = {"-O3", "-march=native", "-std=c++20", "-DX=1", "-ffast-math"};
        CHECK(key_elsewhere(r) == r.key());
        for (std::string const flag :
             {"-Ifolder", "-include", "-g", "-fplugin=./x.so", "-fplugin=x.so",
              "-fprofile-use=f.profdata", "-Wp,-include,x.hpp", "-Wl,-rpath,lib", "@flags.rsp"}) {
            r.kernel.flags = {flag};
            CHECK(key_elsewhere(r) != r.key());
        }
    }
}
