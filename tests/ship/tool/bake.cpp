// tests/ship/tool/bake.cpp - attune bake: what it writes, and what it refuses. tests/baked/by_hand.cmake compiles it.
// SPDX-License-Identifier: MIT
#include <attune/remember/problem/call_facts.hpp>
#include <attune/ship/bake/bake_text.hpp>

#include <doctest/doctest.h>
#include <filesystem>
#include <string>

#include "run_here.hpp"

using attune_test::has;
using support::ran;
using support::run_here;

namespace {

/// A store of a kernel file, both in a folder with a space.
struct example {
    support::scratch_directory folder{};
    std::string const home = folder.file("a b");
    std::string const kernel = home + "/fill.kernel.cpp";
    std::string const store = home + "/s.attune";
    std::string const out = home + "/it's baked";

    example()
    {
        std::filesystem::create_directories(home);
        support::write_file(kernel,
                            "#include <attune/tunable.hpp>\n"
                            "void fill(float* x, int n)\n{\n"
                            "    for (int i = 0; i < n; ++i) x[i] = ATTUNE_TUNABLE(TILE, 4);\n}\n");
        attune::record one;
        one.key = {"fill", attune::detail::source_fingerprint(attune::source_file(kernel)),
                   "s",    "clang 19",
                   "cpu",  {{"N", "64"}}};
        one.configuration = {{"TILE", "8"}};
        one.best_s = 1;
        one.default_s = 2;
        one.shape = "64 0";
        one.code = "c0de";
        attune::detail::stored_problem problem = attune::detail::problem_of(one);
        problem.facts = {{"isa", "x86-64-v3"}};
        for (auto const& fact : facts_texts(
                 attune::detail::call_facts{.layout = {{attune::detail::shape_part::number, 1},
                                                       {attune::detail::shape_part::places, 1}},
                                            .inputs = {{"N", 1}}}))
            problem.facts.push_back(fact);
        attune::memory_store all;
        all.note(problem, {.values = {"8"}, .code = one.code});
        all.add(one);
        support::write_file(store, all.text());
    }
};

} // namespace

TEST_CASE("attune bake writes what a script compiles, and says how")
{
    example subject;
    ran const done =
        run_here({"bake", subject.store, subject.kernel, "-o", subject.out, "--level", "base",
                  "--level", "x86-64-v3", "--level", "x86-64-v4", "--include", subject.home});
    CHECK(done.code == 0);
    CHECK(has(done.out, "sh " + subject.out + "/fill_kernel.sh"));
    CHECK(has(done.err, "code for x86-64-v4 does not serve")); // the tuning had no such processor
    std::string const script = support::read_file(subject.out + "/fill_kernel.sh");
    CHECK(has(script, "\nunit fill_kernel_default @fill_kernel_default.flags\n"));
    CHECK(has(script, "\nunit fill_kernel_0_base @fill_kernel_0.flags\n"));
    CHECK(has(script, "unit fill_kernel_0_x86-64-v3 @fill_kernel_0.flags -march=x86-64-v3\n"));
    CHECK(has(script, " -I'" + subject.home + "'"));
    CHECK_FALSE(has(script, "x86-64-v4"));
    CHECK(std::filesystem::exists(subject.out + "/fill_kernel_0_x86-64-v3.cpp"));
    CHECK_FALSE(std::filesystem::exists(subject.out + "/fill_kernel_0_x86-64-v4.cpp"));
    CHECK_FALSE(std::filesystem::exists(subject.out + "/fill_kernel_1.flags"));
}

TEST_CASE("attune bake refuses what it cannot bake, and writes nothing")
{
    example subject;
    auto const refused = [&](std::vector<std::string> given, int code, char const* why) {
        given.insert(given.end(), {"-o", subject.out});
        ran const done = run_here(given);
        CHECK(done.code == code);
        CHECK_MESSAGE(has(done.err, why), done.err);
        CHECK(done.out.empty());
        CHECK_FALSE(std::filesystem::exists(subject.out));
    };
    refused({"bake"}, 2, "STORE");
    refused({"bake", subject.store}, 3, "no result of a generated kernel");
    refused({"bake", subject.home + "/none", subject.kernel}, 3, "the store cannot be read");
    refused({"bake", subject.store, "/nowhere/f.cpp"}, 3, "not found");
    refused({"bake", subject.store, subject.kernel, "--level", "x86-64-v9"}, 3,
            "no instruction set");
    refused({"bake", subject.store, subject.kernel, "--sm", "91"}, 3,
            "no architecture of this name");
    refused({"bake", subject.store, subject.kernel, "--sm", "90"}, 3, "no winner on a device");
    refused({"bake", subject.store, subject.kernel, "--kernel", "g"}, 3,
            "no result of this kernel");
    support::write_file(subject.kernel, "void fill(float*, int) {}\n");
    refused({"bake", subject.store, subject.kernel}, 3, "no result of this kernel file");
}
