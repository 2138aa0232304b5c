// tests/compile/clang.cpp - compiles a variant inside the process, with Clang and LLVM's ORC.
// SPDX-License-Identifier: MIT
#include <attune/compile/clang.hpp>

#include <attune/compile/system/process.hpp>
#include <attune/core/error.hpp>

#include <cstdlib>

#include "../laws/compiler.hpp"
#include "../support/texts.hpp"

namespace {

bool usable()
{
    std::string const notice = attune::clang_compiler().notice();
    if (!notice.empty()) MESSAGE("skipped: " << notice);
    return notice.empty();
}

attune::clang_compiler with_headers_parsed_once() { return attune::clang_compiler(); }

attune::clang_compiler with_headers_parsed_anew()
{
    return attune::clang_compiler({.precompile_headers = false});
}

std::string error_of(attune::clang_options const& options)
{
    return attune_test::error_of([&] { (void)attune::clang_compiler(options).identity(); });
}

} // namespace

TEST_CASE("clang_compiler keeps the laws of a compiler")
{
    if (usable()) attune_laws::compiler_laws(with_headers_parsed_once);
}

TEST_CASE("clang_compiler keeps the laws of a C++ compiler")
{
    if (usable()) attune_laws::cpp_compiler_laws(with_headers_parsed_once);
}

TEST_CASE("clang_compiler keeps the laws of a C++ compiler without precompiled headers")
{
    if (usable()) attune_laws::cpp_compiler_laws(with_headers_parsed_anew);
}

TEST_CASE("headers that depend on a parameter are read anew for every variant")
{
    if (!usable()) return;
    attune::detail::temporary_folder const folder;
    (void)folder.write("wide.hpp",
                       "inline bool is_wide()\n{\n#if WIDTH > 4\n    return true;\n#else\n"
                       "    return false;\n#endif\n}\n");
    attune::kernel_source kernel = attune::source_text(
        "#include <cstddef>\n#include <wide.hpp>\nbool wide() { return is_wide(); }\n", "wide.cpp");
    kernel.include_dirs = {folder.path()};
    attune::compile_request v = attune::variant_of<bool()>("wide");
    attune::clang_compiler const compiler;
    v.macros = {{"WIDTH", "4"}};
    CHECK_FALSE(attune_laws::callable_of(compiler.compile(kernel, v)).as<bool()>()());
    v.macros = {{"WIDTH", "8"}};
    CHECK(attune_laws::callable_of(compiler.compile(kernel, v)).as<bool()>()());
}

TEST_CASE("a header that changes between two variants is read anew")
{
    if (!usable()) return;
    attune::detail::temporary_folder const folder;
    (void)folder.write("number.hpp", "inline int number() { return 1; }\n");
    attune::kernel_source kernel = attune::source_text(
        "#include \"number.hpp\"\nint f() { return MORE + number(); }\n", folder.path() + "/f.cpp");
    attune::compile_request v = attune::variant_of<int()>("f");
    v.macros = {{"MORE", "10"}};
    attune::clang_compiler const compiler;
    CHECK(attune_laws::callable_of(compiler.compile(kernel, v)).as<int()>()() == 11);
    (void)folder.write("number.hpp", "inline int number() { return 1 + 1; }\n");
    CHECK(attune_laws::callable_of(compiler.compile(kernel, v)).as<int()>()() == 12);
}

TEST_CASE("directives of the kernel that use a parameter come after its includes")
{
    if (!usable()) return;
    attune::kernel_source const kernel = attune::source_text(
        "/* WIDTH in a comment\n*/ #include <cstddef>\n"
        "#define TWICE (2 * WIDTH)\n"
        "#if TWICE > \\\n 8\n#define WIDE true\n#else\n#define WIDE false\n#endif\n"
        "#include <attune/tunable.hpp>\n"
        "std::size_t width() { return WIDE ? ATTUNE_TUNABLE(WIDTH, 1) : 0; }\n",
        "wide.cpp");
    attune::compile_request v = attune::variant_of<unsigned long()>("width");
    attune::clang_compiler const compiler;
    for (unsigned long const width : {4UL, 8UL, 5UL}) {
        v.macros = {{"WIDTH", std::to_string(width)}};
        attune::callable const code = attune_laws::callable_of(compiler.compile(kernel, v));
        CHECK(code.as<unsigned long()>()() == (width > 4 ? width : 0));
    }
}

TEST_CASE("a header that is not there is named, with the line that wants it")
{
    if (!usable()) return;
    attune::kernel_source const kernel = attune::source_text(
        "#include <vector>\n#include \"not_there.hpp\"\nvoid f() {}\n", "f.cpp");
    attune::failure const f = attune_laws::failure_of(
        attune::clang_compiler().compile(kernel, attune::variant_of<void()>("f")));
    CHECK(f.reason.find("f.cpp:2:10: fatal error: 'not_there.hpp' file not found") == 0);
}

TEST_CASE("headers of the language that are missing come with what to install")
{
    if (!usable()) return;
    attune::clang_compiler const compiler;
    attune::compile_request const v = attune::variant_of<void()>("f");
    attune::kernel_source kernel =
        attune::source_text("#include <immintrin.h>\nvoid f() {}\n", "f.cpp");
    kernel.flags = {"-nostdinc"};
    CHECK(attune_laws::failure_of(compiler.compile(kernel, v)).reason.find("libclang-common-") !=
          std::string::npos);
    kernel = attune::source_text("#include <span>\nvoid f() {}\n", "f.cpp");
    kernel.flags = {"-nostdinc++"};
    CHECK(attune_laws::failure_of(compiler.compile(kernel, v)).reason.find("libstdc++") !=
          std::string::npos);
}

TEST_CASE("optimising past the time limit is a failure")
{
    if (!usable()) return;
    attune::failure const f = attune_laws::failure_of(
        attune::clang_compiler({.limit_s = 1e-6})
            .compile(attune_laws::scaled_sum_source(), attune_laws::scaled_sum_variant("2")));
    CHECK(f.stage == attune::failure_stage::compile);
    CHECK(f.reason.find("compiling took longer than") != std::string::npos);
}

TEST_CASE("an error of the back end is a failure, and the process goes on")
{
    if (!usable()) return;
    attune::failure const f = attune_laws::failure_of(attune::clang_compiler().compile(
        attune::source_text("void f()\n{\n    asm(\"no_such_instruction\");\n}\n", "f.cpp"),
        attune::variant_of<void()>("f")));
    CHECK(f.stage == attune::failure_stage::compile);
#if defined(__aarch64__) // whose assembler does not repeat the name
    CHECK(f.reason.find("instruction mnemonic") != std::string::npos);
#else
    CHECK(f.reason.find("no_such_instruction") != std::string::npos);
#endif
    CHECK(f.reason.find("error: ") != std::string::npos);
}

TEST_CASE("flags that would change LLVM for the whole process are refused")
{
    if (!usable()) return;
    attune::kernel_source kernel = attune::source_text("void f() {}\n", "f.cpp");
    kernel.flags = {"-mllvm", "-no-such-option"};
    attune::failure const f = attune_laws::failure_of(
        attune::clang_compiler().compile(kernel, attune::variant_of<void()>("f")));
    CHECK(f.reason.find("'-mllvm'") != std::string::npos);
}

TEST_CASE("the identity holds version, flags, processor and its features")
{
    if (!usable()) return;
    std::string const text = attune::clang_compiler().identity();
    CHECK(text.find("clang ") == 0);
    CHECK(text.find(" -O3 -march=native -std=c++20 cpu=") != std::string::npos);
    CHECK(text.find(" features=") != std::string::npos);
}

TEST_CASE("without the module another compiler serves and one sentence says so")
{
    attune::clang_options options{.module = "/no/such/folder/libattune_clang.so"};
    if (!attune::system_compiler().missing().empty()) return;
    attune::clang_compiler const compiler(options);
    CHECK(compiler.notice().find("/no/such/folder/libattune_clang.so") != std::string::npos);
    CHECK(compiler.notice().find("kernels are compiled by 'c++' instead") != std::string::npos);
    attune::callable const code = attune_laws::callable_of(
        compiler.compile(attune_laws::scaled_sum_source(), attune_laws::scaled_sum_variant("2")));
    CHECK(attune_laws::scaled_sum_of_1_2_3(code) == 12.0);
}

TEST_CASE("without the module and without a compiler the error says what was tried")
{
    attune::clang_options options{.module = "/no/such/folder/libattune_clang.so",
                                  .fallback = false};
    std::string const alone = error_of(options);
    CHECK(alone.find("/no/such/folder/libattune_clang.so") != std::string::npos);
    CHECK(alone.find("apt install") != std::string::npos);
    options.fallback = true;
    options.system.command = "no-such-compiler-here";
    CHECK(error_of(options).find("no-such-compiler-here") != std::string::npos);
}
