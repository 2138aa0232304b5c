// tests/compile/clang_many.cpp - many variants, one after the other and on many threads.
// SPDX-License-Identifier: MIT
#include <attune/compile/clang.hpp>

#include <fstream>
#include <malloc.h>

#include "../laws/compiler.hpp"
#include "../support/cache_folder.hpp"
#include "../support/rounds.hpp"
#include "../support/sanitized.hpp"

namespace {

constexpr char const* keeps_memory =
    "sanitizers keep memory that was given back, and notes about it";

attune::clang_options quick()
{
    attune::clang_options options{.flags = {"-O1"}};
    return options;
}

bool usable()
{
    std::string const notice = attune::clang_compiler().notice();
    if (!notice.empty()) MESSAGE("skipped: " << notice);
    return notice.empty();
}

/// Bytes of this process in memory, without what malloc keeps for later.
long resident_bytes()
{
    ::malloc_trim(0);
    std::ifstream file("/proc/self/statm");
    long pages = 0;
    file >> pages >> pages;
    return pages * 4096;
}

std::size_t mapped_regions()
{
    std::ifstream maps("/proc/self/maps");
    std::size_t lines = 0;
    for (std::string line; std::getline(maps, line);)
        ++lines;
    return lines;
}

attune::kernel_source number_source()
{
    return attune::source_text("#include <cstddef>\nint number() { return NUMBER; }\n",
                               "number.cpp");
}

attune::compile_request number_variant(int number)
{
    attune::compile_request v = attune::variant_of<int()>("number");
    v.macros = {{"NUMBER", std::to_string(number)}};
    return v;
}

/// How many variants come and go.
constexpr int many = attune_test::rounds(500, 2000);

} // namespace

TEST_CASE("variants that come and go leave no mapping, and less than 2.5 KB each, behind")
{
    if (!usable()) return;
    attune::clang_compiler const compiler(quick());
    long after_100 = 0;
    std::size_t mapped = 0;
    for (int i = 0; i < many; ++i) {
        if (i == 100) after_100 = resident_bytes();
        if (i == 100) mapped = mapped_regions();
        REQUIRE(attune_laws::callable_of(compiler.compile(number_source(), number_variant(i)))
                    .as<int()>()() == i);
    }
    CHECK(mapped_regions() <= mapped + 20);
    if (is_skipped(address_sanitized || thread_sanitized, keeps_memory)) return;
    CHECK(resident_bytes() - after_100 < 2'500 * (many - 100));
}

TEST_CASE("variants from the cache that come and go leave less than 2.5 KB each behind")
{
    if (!usable()) return;
    attune_test::cache_folder const folder;
    attune::clang_options options = quick();
    options.cache = folder.options();
    attune::clang_compiler const compiler(options);
    long after_100 = 0;
    for (int i = 0; i < many; ++i) {
        if (i == 100) after_100 = resident_bytes();
        attune::compile_request const v = number_variant(i % 10);
        attune::callable const code =
            attune_laws::callable_of(compiler.compile(number_source(), v));
        REQUIRE(code.as<int()>()() == i % 10);
        REQUIRE(code.from_cache == (i >= 10));
        if (i < 10) REQUIRE(compiler.keep_winner(number_source(), v));
        REQUIRE(compiler.find_winner(number_source(), v)->as<int()>()() == i % 10);
    }
    if (is_skipped(address_sanitized || thread_sanitized, keeps_memory)) return;
    CHECK(resident_bytes() - after_100 < 2'500 * (many - 100));
}

TEST_CASE("8 threads compile hundreds of variants, with a cache and without")
{
    if (!usable()) return;
    constexpr int variants = attune_test::rounds(120, 400);
    attune_test::cache_folder const folder;
    for (bool const cached : {false, true, true}) {
        attune::clang_options options = quick();
        options.cache = folder.options();
        options.cache.enabled = cached;
        attune::clang_compiler const compiler(options);
        std::atomic<int> right = 0;
        std::vector<std::thread> threads;
        for (int t = 0; t < 8; ++t)
            threads.emplace_back([&, t] {
                for (int i = t; i < variants; i += 8) {
                    attune::compile_result const made =
                        compiler.compile(number_source(), number_variant(i));
                    auto const* const code = std::get_if<attune::callable>(&made);
                    if (code != nullptr && code->as<int()>()() == i) ++right;
                }
            });
        for (std::thread& thread : threads)
            thread.join();
        CHECK(right == variants);
    }
}
