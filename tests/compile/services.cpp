// tests/compile/services.cpp - OpenMP, vector mathematics and kernels of every form, for each compiler.
// SPDX-License-Identifier: MIT
#include <attune/compile/clang.hpp>
#include <attune/compile/system.hpp>

#include "../laws/kernel_services.hpp"

namespace {

bool has_clang() { return attune::clang_compiler().notice().empty(); }
bool has_gpp() { return attune::system_compiler({.command = "g++"}).missing().empty(); }
attune::clang_compiler in_process() { return attune::clang_compiler(); }
attune::system_compiler spawned() { return attune::system_compiler({.command = "g++"}); }

} // namespace

TEST_CASE("clang_compiler takes kernels of every form")
{
    if (has_clang()) attune_laws::kernel_form_laws(in_process);
}

TEST_CASE("clang_compiler gives kernels the libraries that their flags ask for")
{
    if (has_clang())
        attune_laws::kernel_service_laws(in_process, {"-ffast-math", "-fveclib=libmvec"});
}

TEST_CASE("system_compiler takes kernels of every form")
{
    if (has_gpp()) attune_laws::kernel_form_laws(spawned);
}

TEST_CASE("system_compiler gives kernels the libraries that their flags ask for")
{
    if (has_gpp()) attune_laws::kernel_service_laws(spawned, {"-ffast-math"});
}

TEST_CASE("vector mathematics changes the code, so it is in use")
{
    if (!has_clang()) return;
    attune::kernel_source kernel = attune::source_text(
        "#include <cmath>\n"
        "void f(float* y)\n"
        "{\n    for (int i = 0; i < 64; ++i)\n        y[i] = std::sin(y[i]);\n}\n",
        "f.cpp");
    attune::compile_request v = attune::variant_of<void(float*)>("f");
    kernel.flags = {"-ffast-math"};
    std::string const plain = attune_laws::callable_of(in_process().compile(kernel, v)).object_key;
    v.flags = {"-fveclib=libmvec"};
    CHECK(attune_laws::callable_of(in_process().compile(kernel, v)).object_key != plain);
}
