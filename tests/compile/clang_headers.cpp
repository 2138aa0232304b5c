// tests/compile/clang_headers.cpp - parsed headers that clang_compiler keeps between runs.
// SPDX-License-Identifier: MIT
#include <attune/compile/clang.hpp>

#include "../laws/compiler.hpp"
#include "../support/cache_folder.hpp"

namespace {

bool usable() { return attune::clang_compiler().notice().empty(); }

/// As if in a new process: a session of its own, which knows no kernel yet.
attune::clang_compiler fresh(attune_test::cache_folder const& folder)
{
    return attune::clang_compiler({.cache = folder.options()});
}

/// Entries that are large enough to be parsed headers.
std::size_t kept_headers(attune_test::cache_folder const& folder)
{
    std::size_t count = 0;
    for (std::filesystem::path const& file : folder.files())
        if (std::filesystem::file_size(file) > 100'000) ++count;
    return count;
}

attune::compile_request adding(int more)
{
    attune::compile_request v = attune::variant_of<int()>("f");
    v.macros = {{"MORE", std::to_string(more)}};
    return v;
}

int result_of(attune::clang_compiler const& compiler, attune::kernel_source const& kernel, int more)
{
    return attune_laws::callable_of(compiler.compile(kernel, adding(more))).as<int()>()();
}

} // namespace

TEST_CASE("headers that one run parsed serve the next, with the same code")
{
    if (!usable()) return;
    attune_test::cache_folder const folder;
    attune::kernel_source const kernel =
        attune::source_text("#include <cmath>\n#include <span>\n#include <vector>\n"
                            "int f() { return static_cast<int>(std::sqrt(4.0)) + "
                            "std::vector<int>(3).size() + MORE; }\n",
                            "f.cpp");
    CHECK(result_of(fresh(folder), kernel, 1) == 6);
    CHECK(kept_headers(folder) == 1);
    // Another variant, which the cache of objects does not have.
    attune::callable const later =
        attune_laws::callable_of(fresh(folder).compile(kernel, adding(2)));
    CHECK_FALSE(later.from_cache);
    CHECK(later.as<int()>()() == 7);
    CHECK(kept_headers(folder) == 1);
    attune::clang_options plain;
    plain.cache.enabled = false;
    CHECK(later.object_key ==
          attune_laws::callable_of(attune::clang_compiler(plain).compile(kernel, adding(2)))
              .object_key);
}

TEST_CASE("errors below kept headers keep their line")
{
    if (!usable()) return;
    attune_test::cache_folder const folder;
    attune::kernel_source const kernel =
        attune::source_text("#include <vector>\n\nint f()\n{\n    return MORE;\n}\n", "f.cpp");
    CHECK(result_of(fresh(folder), kernel, 1) == 1);
    attune::compile_request v = adding(1);
    v.macros[0].value = "nothing_of_that_name";
    attune::failure const f = attune_laws::failure_of(fresh(folder).compile(kernel, v));
    CHECK(f.reason.find("f.cpp:5:12: error: use of undeclared identifier") == 0);
}
