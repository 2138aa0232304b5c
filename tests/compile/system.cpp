// tests/compile/system.cpp - compiles a variant with the machine's own compiler and dlopen.
// SPDX-License-Identifier: MIT
#include <attune/compile/system.hpp>

#include <attune/compile/system/process.hpp>
#include <attune/core/error.hpp>

#include <filesystem>
#include <fstream>
#include <string>

#include "../laws/compiler.hpp"
#include "../support/cache_folder.hpp"
#include "../support/set_variable.hpp"
#include "../support/texts.hpp"

namespace {

bool usable()
{
    std::string const why = attune::system_compiler().missing();
    if (!why.empty()) MESSAGE("skipped: " << why);
    return why.empty();
}

attune::system_compiler quick() // no optimisation: the laws are about everything else
{
    return attune::system_compiler({.flags = {"-O1", "-std=c++20"}});
}

/// A TMPDIR that no other process uses, for as long as it lives.
struct own_temporary_folder {
    attune::detail::temporary_folder folder{};
    attune_test::set_variable variable{"TMPDIR", folder.path()};

    [[nodiscard]] bool is_empty() const { return std::filesystem::is_empty(folder.path()); }
};

} // namespace

TEST_CASE("system_compiler keeps the laws of a compiler")
{
    if (usable()) attune_laws::compiler_laws(quick);
}

TEST_CASE("system_compiler keeps the laws of a C++ compiler")
{
    if (usable()) attune_laws::cpp_compiler_laws(quick);
}

TEST_CASE("a compiler that does not exist is named together with what to install")
{
    attune::system_compiler const compiler({.command = "no-such-compiler-here"});
    CHECK(compiler.missing().find("no-such-compiler-here") != std::string::npos);
    std::string const said = attune_test::error_of([&] {
        (void)compiler.compile(attune_laws::scaled_sum_source(),
                               attune_laws::scaled_sum_variant("1"));
    });
    CHECK(said.find("no-such-compiler-here") != std::string::npos);
    CHECK(said.find("apt install g++") != std::string::npos);
}

TEST_CASE("compiling past the time limit is a failure")
{
    if (!usable()) return;
    attune::system_options options{.limit_s = 0.3};
    // 40 levels of doubling: no compiler finishes this, and none needs memory for it soon
    std::string text =
        "template <unsigned long N, int L> struct t { static constexpr unsigned long "
        "v = t<2*N, L-1>::v + t<2*N+1, L-1>::v; };\n"
        "template <unsigned long N> struct t<N, 0> { static constexpr unsigned long "
        "v = N; };\nunsigned long f() { return t<1, 40>::v; }\n";
    attune::failure const f = attune_laws::failure_of(attune::system_compiler(options).compile(
        attune::source_text(text, "endless.cpp"), attune::variant_of<unsigned long()>("f")));
    CHECK(f.stage == attune::failure_stage::compile);
    CHECK(f.reason.find("took longer than") != std::string::npos);
}

TEST_CASE("nothing of a variant stays on disk, and a dropped one leaves the process")
{
    if (!usable()) return;
    own_temporary_folder const folder;
    {
        attune::callable const code = attune_laws::callable_of(quick().compile(
            attune_laws::scaled_sum_source(), attune_laws::scaled_sum_variant("2")));
        CHECK(folder.is_empty());
        CHECK(attune_laws::scaled_sum_of_1_2_3(code) == 12.0);
    }
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        CHECK(line.find("variant.so") == std::string::npos);
}

TEST_CASE("a function of the kernel wins over one of the same name in the program")
{
    if (!usable()) return;
    attune::kernel_source const kernel =
        attune::source_text("extern \"C\" int abs(int) noexcept { return 12345; }\n"
                            "int f(int x) { int (*volatile own)(int) = &abs; return own(x); }\n",
                            "own.cpp");
    CHECK(attune_laws::callable_of(quick().compile(kernel, attune::variant_of<int(int)>("f")))
              .as<int(int)>()(-1) == 12345);
}

TEST_CASE("a compiler that fails to say what it is has no identity, and nothing is kept of it")
{
    attune_test::cache_folder const cache;
    attune::detail::temporary_folder const folder;
    std::string const program = folder.write("cc", "");
    auto const becomes = [&](std::string const& script) {
        std::string text = "#!/bin/sh\n" + script;
        text.resize(120, '#');
        (void)folder.write("cc.new", text);
        std::filesystem::path const fresh = folder.path() + "/cc.new";
        std::filesystem::permissions(fresh, std::filesystem::perms::owner_all);
        // The same size and time: to the cache it is the same compiler.
        std::filesystem::last_write_time(fresh, std::filesystem::file_time_type{});
        std::filesystem::rename(fresh, program);
    };
    attune::system_options options{.command = program, .limit_s = 5, .cache = cache.options()};
    auto const said = [&] {
        try {
            return attune::system_compiler(options).identity();
        } catch (attune::error const& caught) {
            return std::string(caught.what());
        }
    };
    becomes("echo no licence; exit 3\n");
    std::string const failed = said();
    CHECK(failed.find("does not say what it is") != std::string::npos);
    CHECK(failed.find("--version (exit status 3: no licence)") != std::string::npos);
    becomes("case $1 in --v*) echo v7;; *) exit 1;; esac\n");
    CHECK(said().find("-dM -E -x c++ /dev/null (exit status 1)") != std::string::npos);
    becomes("kill -9 $$\n");
    CHECK(said().find("signal 9 ended it") != std::string::npos);
    becomes("exit 0\n");
    CHECK(said().find("it said nothing") != std::string::npos);
    becomes("case $1 in --v*) echo v7;; *) echo '#define A';; esac\n");
    CHECK(said().rfind("v7 -O3 -march=native", 0) == 0);
}

TEST_CASE("the identity holds version, flags, processor and target")
{
    if (!usable()) return;
    std::string const text = attune::system_compiler().identity();
    CHECK(text.find("-O3 -march=native -std=c++20") != std::string::npos);
    CHECK(text.find(" cpu=") != std::string::npos);
    CHECK(text.find(" target=") != std::string::npos);
    std::string const other = attune::system_compiler({.flags = {"-O3", "-std=c++20"}}).identity();
    CHECK(text.substr(text.find(" target=")) != other.substr(other.find(" target=")));
}
