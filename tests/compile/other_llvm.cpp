// tests/compile/other_llvm.cpp - clang_compiler in a process that holds another LLVM already.
// SPDX-License-Identifier: MIT
#include <attune/compile/clang.hpp>
#include <attune/compile/system/process.hpp>

#include <array>
#include <dlfcn.h>
#include <filesystem>
#include <string>

#include "../laws/compiler.hpp"
#include "../support/sanitized.hpp"

namespace {

/// What another LLVM comes in; all symbols of these go to everybody, as if the program were linked
/// with them.
constexpr std::array libraries{"libclang-cpp.so.15", "/usr/lib/llvm-15/lib/libclang-cpp.so.15",
                               "libpocl.so.2"};

bool open_others()
{
    bool any = false;
    for (char const* const name : libraries)
        any = ::dlopen(name, RTLD_NOW | RTLD_GLOBAL) != nullptr || any;
    return any;
}

} // namespace

TEST_CASE("process of a test: another LLVM is there first" * doctest::skip())
{
    if (!open_others()) {
        MESSAGE("skipped: no other LLVM (Debian: apt install libclang-cpp15, or libpocl2)");
        return;
    }
    attune::clang_compiler const compiler;
    CHECK(compiler.notice().empty());
    attune::kernel_source const kernel = attune::source_text(
        "#include <cmath>\n#include <stdexcept>\n#include <vector>\n"
        "double f(double x)\n{\n"
        "    if (x < 0) throw std::invalid_argument(\"negative\");\n"
        "    std::vector<double> const all(SIZE, std::sqrt(x));\n"
        "    double sum = 0;\n    for (double const each : all) sum += each;\n    return sum;\n}\n",
        "f.cpp");
    attune::compile_request v = attune::variant_of<double(double)>("f");
    for (int size = 1; size <= 3; ++size) {
        v.macros = {{"SIZE", std::to_string(size)}};
        auto const code = attune_laws::callable_of(compiler.compile(kernel, v));
        CHECK(code.as<double(double)>()(4.0) == 2.0 * size);
        CHECK_THROWS_AS(code.as<double(double)>()(-1.0), std::invalid_argument);
    }
    v.macros = {{"SIZE", "no_such_name"}};
    CHECK(attune_laws::failure_of(compiler.compile(kernel, v)).reason.find("no_such_name") !=
          std::string::npos);
}

TEST_CASE("a process that holds another LLVM compiles as any other")
{
    if (is_skipped(address_sanitized || thread_sanitized,
                   "sanitizers do not let a library keep to its own symbols (RTLD_DEEPBIND)"))
        return;
    if (!attune::clang_compiler().notice().empty()) {
        MESSAGE("skipped: " << attune::clang_compiler().notice());
        return;
    }
    auto const run = attune::detail::run_process(
        {std::filesystem::read_symlink("/proc/self/exe").string(), "--no-skip",
         "--test-case=process of a test: another LLVM is there first"},
        120.0);
    CHECK_MESSAGE(run.succeeded(), run.output);
    CHECK(run.output.find(" 1 passed") != std::string::npos);
    if (run.output.find("skipped: ") != std::string::npos) MESSAGE(run.output);
}
