// tests/compile/debug.cpp - options.debug_folder of clang_compiler and system_compiler.
// SPDX-License-Identifier: MIT
#include <attune/compile/clang.hpp>
#include <attune/compile/system.hpp>
#include <attune/compile/system/process.hpp>

#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "../laws/compiler.hpp"

namespace {

std::string text_of(std::string const& path)
{
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return std::move(text).str();
}

/// The code is in a shared object of the folder, which names function, file and lines.
template <class Compiler>
void check_debug(Compiler const& compiler, std::string const& folder)
{
    attune::kernel_source const kernel = attune_laws::scaled_sum_source();
    std::string path;
    {
        attune::callable const code = attune_laws::callable_of(
            compiler.compile(kernel, attune_laws::scaled_sum_variant("5")));
        CHECK(attune_laws::scaled_sum_of_1_2_3(code) == 30.0);
        Dl_info where{};
        REQUIRE(::dladdr(code.address, &where) != 0);
        path = where.dli_fname;
        CHECK(std::string(where.dli_sname) == "attune_entry");
    }
    CHECK(path.find(folder + "/scaled_sum.FACTOR=5-") == 0);
    CHECK(std::filesystem::exists(path)); // for a perf report after the run
    std::string const object = text_of(path);
    CHECK(object.find(".debug_line") != std::string::npos);
    CHECK(object.find("scaled_sum.kernel.cpp") != std::string::npos);
    CHECK(object.find("_Z10scaled_sumPKdi") != std::string::npos);
}

} // namespace

TEST_CASE("clang_compiler leaves objects that a debugger understands")
{
    if (!attune::clang_compiler().notice().empty()) return;
    if (attune::detail::find_program("ld").empty()) return;
    attune::detail::temporary_folder const scratch;
    attune::clang_options options{.debug_folder = scratch.path() + "/debug"};
    check_debug(attune::clang_compiler(options), options.debug_folder);
}

TEST_CASE("debug information does not change the code")
{
    if (!attune::clang_compiler().notice().empty()) return;
    attune::detail::temporary_folder const scratch;
    attune::clang_options options{.debug_folder = scratch.path()};
    attune::kernel_source const kernel = attune_laws::scaled_sum_source();
    attune::compile_request const v = attune_laws::scaled_sum_variant("5");
    CHECK(attune_laws::callable_of(attune::clang_compiler(options).compile(kernel, v)).object_key ==
          attune_laws::callable_of(attune::clang_compiler().compile(kernel, v)).object_key);
}

TEST_CASE("system_compiler leaves objects that a debugger understands")
{
    if (!attune::system_compiler().missing().empty()) return;
    attune::detail::temporary_folder const scratch;
    attune::system_options options{.debug_folder = scratch.path() + "/debug"};
    check_debug(attune::system_compiler(options), options.debug_folder);
}
