// tests/package/clang.cpp - a consumer that compiles a kernel inside its own process.
// SPDX-License-Identifier: MIT
#include <attune/compile/clang.hpp>

#include <cstdio>
#include <variant>

int main()
{
    attune::clang_compiler const compiler;
    std::printf("%s\n%s\n", compiler.identity().c_str(), compiler.notice().c_str());
    auto const made = compiler.compile(
        attune::source_text("int scaled(int x) { return FACTOR * x; }", "scaled.cpp"),
        attune::compile_request{"scaled", "int", {"int"}, {{"FACTOR", "6"}}});
    if (auto const* failed = std::get_if<attune::failure>(&made)) {
        std::printf("%s\n%s\n", failed->reason.c_str(), failed->log.c_str());
        return 1;
    }
    void* const address = std::get<attune::callable>(made).address;
    int const result = reinterpret_cast<int (*)(int)>(address)(7);
    return result == 42 && compiler.notice().empty() ? 0 : 1;
}
