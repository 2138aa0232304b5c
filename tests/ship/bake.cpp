// tests/ship/bake.cpp - what a store says becomes source files, all or none.
// SPDX-License-Identifier: MIT
#include <attune/ship/bake.hpp>

#include <attune/compile/source/source.hpp>
#include <attune/core/error.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/remember/problem/call_facts.hpp>
#include <attune/ship/bake/bake_plan.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <sys/resource.h>
#include <tuple>
#include <utility>
#include <vector>

#include "../support/scratch_directory.hpp"
#include "../support/texts.hpp"

using attune::detail::bake;
using attune::detail::bake_request;
using attune::detail::call_facts;
using attune::detail::shape_part;
using attune_test::has;

namespace {

constexpr char const* kernel_text =
    "#include <attune/tunable.hpp>\n"
    "void fill(float* x, int n)\n"
    "{ for (int i = 0; i < n; ++i) x[i] = ATTUNE_TUNABLE(TILE, 4); }\n";

/// A folder with a kernel file and a store, in which two sizes were tuned.
struct example {
    support::scratch_directory folder{};
    attune::memory_store store{};
    call_facts facts{.layout = {{shape_part::number, 1}, {shape_part::places, 1}},
                     .inputs = {{"N", 1}},
                     .flags = {"FLAGS"},
                     .source_flags = {"-DONE=1"}};
    bool tells_facts = true;
    char const* isa = "x86-64-v4";
    std::string text = kernel_text;

    example() { support::write_file(folder.file("fill.kernel.cpp"), kernel_text); }

    [[nodiscard]] attune::record won(int n, char const* tile, double best_s) const
    {
        attune::kernel_source source = attune::source_text(text, folder.file("fill.kernel.cpp"));
        if (tells_facts) source.flags = facts.source_flags;
        attune::record out;
        out.key = {.kernel = "fill",
                   .source = attune::detail::source_fingerprint(source),
                   .schema = "s",
                   .compiler = "clang 19",
                   .device = "AMD EPYC (25.17.1)",
                   .inputs = {{"N", std::to_string(n)}},
                   .signature = "f"};
        out.configuration = {{"TILE", tile}, {"FLAGS", "-O2 -mavx2 -mprefer-vector-width=512"}};
        out.best_s = best_s;
        out.default_s = 1.0;
        out.shape = std::to_string(n) + " 0";
        out.code = std::string("code ") + tile;
        out.default_code = "code 4";
        out.evaluations = 10;
        return out;
    }
    void add(attune::record const& r)
    {
        attune::detail::stored_problem problem = attune::detail::problem_of(r);
        problem.facts = {{"isa", isa}, {"vendor", "AuthenticAMD"}};
        if (tells_facts)
            for (auto const& fact : facts_texts(facts))
                problem.facts.push_back(fact);
        store.note(problem, {.values = attune::detail::values_of(r.configuration), .code = r.code});
        store.add(r);
    }
    std::vector<std::string> bake_it(bake_request more = {}, std::string* table = nullptr)
    {
        support::write_file(folder.file("s.attune"), store.text());
        bake_request request = std::move(more);
        if (request.store.empty()) request.store = folder.file("s.attune");
        if (request.kernel_file.empty()) request.kernel_file = folder.file("fill.kernel.cpp");
        if (request.folder.empty()) request.folder = folder.file("out");
        if (request.stem.empty()) request.stem = "fill";
        return bake(request, table);
    }
    [[nodiscard]] std::string written(char const* name) const
    {
        return support::read_file(folder.file("out/" + std::string(name)));
    }
    [[nodiscard]] bool has_written() const { return std::filesystem::exists(folder.file("out")); }
};

/// Bakes a store of a processor of x86-64-v3 twice; between, `found` is what a program verified.
struct verified_example : example {
    std::vector<std::string> told{};

    verified_example()
    {
        isa = "x86-64-v3";
        add(won(64, "8", 0.5));
        add(won(1024, "16", 0.25));
        request.levels = {"base", "x86-64-v3", "x86-64-v4"};
        request.shapes = {"KNOWN", "4096"};
        told = bake_it(request);
    }
    [[nodiscard]] std::string mark() const
    {
        std::string const check = written("fill_check.cpp");
        return check.substr(check.rfind("{}, \"") + 5, 32);
    }
    std::string table_with(std::string const& found)
    {
        support::write_file(folder.file("found"), "attune_checked " + mark() + '\n' + found);
        bake_request second = request;
        second.checked = folder.file("found");
        told = bake_it(second);
        return written("fill_table.cpp");
    }

    bake_request request{};
};

} // namespace

TEST_CASE("a table says which code of a release is proven, up to which sizes, and which is not")
{
    verified_example subject;
    std::string table;
    attune::detail::bake_request first = subject.request;
    CHECK(subject.bake_it(first, &table).size() == subject.told.size());
    CHECK(table.empty()); // the second time proves more
    subject.table_with("right 0 x86-64-v4 4096 0\n");
    attune::detail::bake_request second = subject.request;
    second.checked = subject.folder.file("found");
    static_cast<void>(subject.bake_it(second, &table));
    CHECK(table.starts_with("fill "));
    CHECK(has(table, "CODE FOR   PROVEN BY  VERIFIED UP TO\nTILE=8 "));
    CHECK(has(table, "  base       record     argument 1: 64\n"));
    CHECK(has(table, "  x86-64-v4  build      argument 1: 4096\nTILE=16 "));
    CHECK(has(table, "  base       record     argument 1: 1024\n"));
    CHECK(has(table, "  x86-64-v4  nothing    no call\ndefault TILE=4 "));
    CHECK(table.ends_with("all other calls\n"));
}

TEST_CASE("each winner is compiled with its macros and flags, for each instruction set")
{
    example subject;
    subject.add(subject.won(64, "8", 0.5));
    subject.add(subject.won(1024, "16", 0.25));
    auto const said = subject.bake_it({.levels = {"x86-64-v3", "base"}, .compiler = "GNU 12"});
    CHECK(has(subject.written("fill_0_base.cpp"), "#define TILE 8\n"));
    CHECK(has(subject.written("fill_0_x86-64-v3.cpp"), "#define ATTUNE_VALUE_TILE 8\n"));
    CHECK(has(subject.written("fill_1_base.cpp"), "#define TILE 16\n"));
    CHECK_FALSE(has(subject.written("fill_0_base.cpp"), "FLAGS"));
    CHECK(subject.written("fill_0.flags") ==
          "\"-DONE=1\"\n\"-O2\"\n\"-mprefer-vector-width=512\"\n");
    CHECK(has(subject.written("fill_default.cpp"), "baked_table_of<\"fill\""));
    CHECK_FALSE(has(subject.written("fill_default.cpp"), "#define"));
    CHECK(has(subject.written("fill_2_base.cpp"), "Not needed"));
    std::string const table = subject.written("fill_table.cpp");
    CHECK(has(table, "TILE=8"));
    CHECK(has(table, "\"AuthenticAMD\", 25, 17, tree_0"));
    REQUIRE(said.size() == 2);
    CHECK(has(said[0], "-mavx2"));
    CHECK(has(said[1], "tuned with clang 19, baked with GNU 12"));
}

TEST_CASE("values of the latest objective decide what is baked, by their direction")
{
    example subject;
    attune::record by_time = subject.won(64, "32", 0.1);
    by_time.when = "2026-01-01T00:00:00Z";
    subject.add(by_time);
    for (int const n : {64, 1024}) {
        attune::record best = subject.won(n, n == 64 ? "8" : "16", 4);
        best.when = "2026-01-02T00:00:00Z";
        best.key.setting = {{"measured", "objective"}, {"better", "higher"}, {"unit", "GFLOP/s"}};
        subject.add(best);
    }
    auto const said = subject.bake_it({.levels = {"base"}});
    CHECK(has(subject.written("fill_0_base.cpp"), "#define TILE 8\n"));
    CHECK(has(subject.written("fill_1_base.cpp"), "#define TILE 16\n"));
    CHECK(std::count(said.begin(), said.end(),
                     "1 winners are left out: the latest tuning had another objective") == 1);
}

TEST_CASE("what was proven of addresses is baked where each compiler compiles the same text")
{
    for (char const* const before :
         {"", "#include <cmath>\n# define ONE 1\n", "#ifdef __AVX2__\n#define ONE 1\n#endif\n",
          "  #  if 1\n#endif\n", "#include <immintrin.h>\n", "#include \"own.hpp\"\n"}) {
        CAPTURE(std::string(before));
        example subject;
        support::write_file(subject.folder.file("own.hpp"), "");
        subject.text = before + subject.text;
        support::write_file(subject.folder.file("fill.kernel.cpp"), subject.text);
        for (std::uint32_t const bytes : {4u, 64u}) {
            attune::record won = subject.won(bytes == 4 ? 64 : 128, bytes == 4 ? "8" : "16", 0.5);
            won.address_modulus = bytes;
            subject.add(won);
        }
        subject.bake_it({.levels = {"base"}});
        std::string const table = subject.written("fill_table.cpp");
        bool const is_one_text = !has(before, "if") && !has(before, ".h");
        CHECK(has(table, ", {}, 4}") == is_one_text);
    }
}

TEST_CASE("a default that won, and one that was wrong for a shape, leave the default alone")
{
    example subject;
    subject.add(subject.won(64, "4", 1.0));
    attune::record const wrong = subject.won(1024, "16", 0.25);
    subject.add(wrong);
    subject.store.prove(attune::detail::problem_of(wrong), {"code 16", {99, 512, 0}, false});
    auto const said = subject.bake_it();
    CHECK(has(subject.written("fill_0_base.cpp"), "Not needed"));
    CHECK(said.size() == 3);
    CHECK(has(said[1], "it was wrong for a shape"));
}

TEST_CASE("no flag of the kernel file asks for instructions that a processor may lack")
{
    example subject;
    subject.facts.source_flags = {"-DONE=1", "-march=native", "-mavx512f", "-msve-vector-bits=512"};
    subject.add(subject.won(64, "8", 0.5));
    auto const said = subject.bake_it();
    CHECK(subject.written("fill_default.flags") == "\"-DONE=1\"\n");
    CHECK(subject.written("fill_0.flags") ==
          "\"-DONE=1\"\n\"-O2\"\n\"-mprefer-vector-width=512\"\n");
    CHECK(std::count_if(said.begin(), said.end(), [](std::string const& one) {
              return has(one, "of the kernel file is left out");
          }) == 3);
    CHECK(std::count_if(said.begin(), said.end(), [](std::string const& one) {
              return has(one, "a release has no code for one length of SVE");
          }) == 1);
}

TEST_CASE("flags for x86 are left out of a release for another machine, with a sentence")
{
    example subject;
    subject.add(subject.won(64, "8", 0.5));
    auto const said = subject.bake_it({.machine = "aarch64"});
    CHECK(subject.written("fill_0.flags") == "\"-DONE=1\"\n\"-O2\"\n");
    REQUIRE(said.size() == 2);
    CHECK(has(said[1], "fill: -mprefer-vector-width=512 is for x86, and left out for aarch64"));
    subject.bake_it({.machine = "x86_64"});
    CHECK(has(subject.written("fill_0.flags"), "-mprefer-vector-width=512"));
    subject.bake_it({.levels = {"base", "armv8.2-a+sve"}}); // the levels name the machine
    CHECK(subject.written("fill_0.flags") == "\"-DONE=1\"\n\"-O2\"\n");
    subject.bake_it({.levels = {"base", "x86-64-v3"}});
    CHECK(has(subject.written("fill_0.flags"), "-mprefer-vector-width=512"));
}

TEST_CASE("a flag is left out only where the machine's compiler does not have it")
{
    using attune::detail::is_foreign_flag;
    for (char const* const of_x86 :
         {"-mprefer-vector-width=512", "-mno-avx", "-mno-avx512f", "-mno-sse4.2", "-mno-fma",
          "-mno-vzeroupper", "-mno-bmi2", "-mno-red-zone", "-mrecip"}) {
        CAPTURE(of_x86);
        CHECK(is_foreign_flag(of_x86, "aarch64"));
        CHECK(is_foreign_flag(of_x86, "riscv64"));
        CHECK_FALSE(is_foreign_flag(of_x86, "x86_64"));
    }
    for (char const* const of_arm : {"-mno-outline-atomics", "-mno-low-precision-sqrt"}) {
        CAPTURE(of_arm);
        CHECK(is_foreign_flag(of_arm, "x86_64"));
        CHECK_FALSE(is_foreign_flag(of_arm, "aarch64"));
        CHECK_FALSE(is_foreign_flag(of_arm, "arm64"));
    }
    for (char const* const machine : {"x86_64", "aarch64"})
        for (char const* const of_both : {"-O2", "-mcmodel=large", "-mno-omit-leaf-frame-pointer",
                                          "-mno-unaligned-access", "-mllvm"})
            CHECK_FALSE(is_foreign_flag(of_both, machine));
}

TEST_CASE(
    "flags that Clang alone knows are left out for GCC, and a compiler of one release is the same")
{
    auto const flags_for = [](char const* compiler) {
        example subject;
        attune::record one = subject.won(64, "8", 0.5);
        one.configuration[1].second =
            "-O2 -mllvm -inline-threshold=500 -fno-slp-vectorize -Rpass=.*";
        one.key.compiler = "clang 19.1.7 -O3 -march=native";
        subject.add(one);
        auto const said = subject.bake_it({.compiler = compiler});
        return std::pair(subject.written("fill_0.flags"), said);
    };
    auto const [by_gcc, said] = flags_for("GNU 12.2.0");
    CHECK(by_gcc == "\"-DONE=1\"\n\"-O2\"\n");
    REQUIRE(said.size() == 2);
    CHECK(has(said[0], "-mllvm -inline-threshold=500, -fno-slp-vectorize, -Rpass=.*"));
    CHECK(has(said[1], "baked with GNU 12.2.0"));
    auto const [by_clang, nothing] = flags_for("Clang 19.1.1");
    CHECK(has(by_clang, "-inline-threshold=500"));
    CHECK(nothing.empty());
    CHECK(flags_for("Clang 18.1.8").second.size() == 1);
}

TEST_CASE("a file that is as it should be is not written again")
{
    example subject;
    subject.add(subject.won(64, "8", 0.5));
    subject.bake_it();
    auto const long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
    std::filesystem::last_write_time(subject.folder.file("out/fill_0_base.cpp"), long_ago);
    support::write_file(subject.folder.file("out/fill_table.cpp"), "");
    subject.bake_it();
    CHECK(std::filesystem::last_write_time(subject.folder.file("out/fill_0_base.cpp")) == long_ago);
    CHECK(has(subject.written("fill_table.cpp"), "TILE=8"));
}

TEST_CASE(
    "two winners that differ in a flag that is left out are one variant, with the proofs of both")
{
    example subject;
    attune::record first = subject.won(64, "8", 0.5);
    first.configuration[1].second = "-O2 -mavx2";
    attune::record second = subject.won(1024, "8", 0.25);
    second.configuration[1].second = "-O2 -march=native";
    subject.add(first);
    subject.add(second);
    auto const said = subject.bake_it({.levels = {"base"}});
    std::string const table = subject.written("fill_table.cpp");
    CHECK(has(table, "fill_0_base"));
    CHECK_FALSE(has(table, "fill_1_base"));
    CHECK(has(table, "largest_0_0[] = {\n    1024, 0,\n};"));
}

TEST_CASE("where one file cannot be written, none is")
{
    example subject;
    subject.add(subject.won(64, "8", 0.5));
    std::filesystem::create_directories(subject.folder.file("out/fill_default.flags"));
    std::string const why = attune_test::error_of([&] { static_cast<void>(subject.bake_it()); });
    CHECK(has(why, "fill_default.flags"));
    CHECK_FALSE(std::filesystem::exists(subject.folder.file("out/fill_table.cpp")));
    CHECK(std::distance(std::filesystem::directory_iterator(subject.folder.file("out")), {}) == 1);
    support::write_file(subject.folder.file("file"), "");
    bake_request too_large{.folder = subject.folder.file("new")};
    ::rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    support::write_file(subject.folder.file("s.attune"), subject.store.text());
    too_large.store = subject.folder.file("s.attune");
    too_large.kernel_file = subject.folder.file("fill.kernel.cpp");
    too_large.stem = "fill";
    ::rlimit const few{1'000, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &few) == 0);
    CHECK_THROWS_WITH_AS(static_cast<void>(bake(too_large)), doctest::Contains("File too large"),
                         attune::error);
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK_FALSE(std::filesystem::exists(too_large.folder));
    bake_request into_a_file{.folder = subject.folder.file("file/out")};
    CHECK_THROWS_WITH_AS(static_cast<void>(subject.bake_it(into_a_file)),
                         doctest::Contains("cannot be made"), attune::error);
}

TEST_CASE("a header of the kernel is a dependency of what is baked")
{
    example subject;
    std::string const text = "#include \"tile.hpp\"\n" + std::string(kernel_text);
    support::write_file(subject.folder.file("tile.hpp"), "// nothing\n");
    support::write_file(subject.folder.file("fill.kernel.cpp"), text);
    attune::record one = subject.won(64, "8", 0.5);
    attune::kernel_source source =
        attune::source_text(text, subject.folder.file("fill.kernel.cpp"));
    source.flags = {"-DONE=1"};
    one.key.source = attune::detail::source_fingerprint(source);
    subject.add(one);
    std::string const rule = subject.folder.file("rule.d");
    subject.bake_it({.depfile = rule});
    std::string const written = support::read_file(rule);
    CHECK(written.starts_with(subject.folder.file("out/fill_table.cpp") + ':'));
    CHECK(has(written, (' ' + subject.folder.file("fill.kernel.cpp")).c_str()));
    CHECK(has(written, (' ' + subject.folder.file("tile.hpp")).c_str()));
}

TEST_CASE("of several sets of flags the one that was tuned last is baked, whatever its letters")
{
    for (bool const is_first_later : {false, true}) {
        example subject;
        for (char const* const mode : {"-DMODE=1", "-DMODE=2"}) {
            subject.facts.source_flags = {mode};
            attune::record one = subject.won(64, mode[7] == '1' ? "8" : "16", 0.5);
            one.when = is_first_later == (mode[7] == '1') ? "2026-02-01" : "2026-01-01";
            subject.add(one);
        }
        auto const said = subject.bake_it();
        CHECK(has(subject.written("fill_default.flags"), is_first_later ? "MODE=1" : "MODE=2"));
        CHECK(has(subject.written("fill_0_base.cpp"), is_first_later ? "TILE 8" : "TILE 16"));
        CHECK(has(said[0], "2 sets of flags"));
    }
}

TEST_CASE("what was wrong while tuning is not baked, and what crashed at a size not chosen for it")
{
    auto const baked_after = [](attune::failure_stage stage) {
        example subject;
        attune::record const large = subject.won(1024, "16", 0.25);
        subject.add(large);
        attune::record const small = subject.won(64, "4", 1.0); // the default won here
        subject.add(small);
        subject.store.note(attune::detail::problem_of(small),
                           {.values = attune::detail::values_of(large.configuration),
                            .result = attune::failure{stage, "so it was"}});
        subject.bake_it();
        return std::pair(subject.written("fill_0_base.cpp"), subject.written("fill_table.cpp"));
    };
    CHECK(has(baked_after(attune::failure_stage::verify).first, "Not needed"));
    auto const [variant, table] = baked_after(attune::failure_stage::crash);
    CHECK(has(variant, "#define TILE 16\n"));
    // The tree parts 64 from 1024 at their geometric mean; below it the default runs.
    CHECK(has(table, "{0, 0x1p+8, 1, 2}, {-1, 0x0p+0, -1, -1}, {-1, 0x0p+0, 0, -1}"));
}

TEST_CASE("code for instructions that the tuning did not have does not serve unverified")
{
    example subject;
    subject.isa = "x86-64-v3";
    subject.add(subject.won(64, "8", 0.5));
    auto const said = subject.bake_it({.levels = {"base", "x86-64-v3", "x86-64-v4"}});
    std::string const table = subject.written("fill_table.cpp");
    CHECK(has(table, "// x86-64-v3: the store proves it"));
    CHECK(has(table, "baked_proof::record"));
    CHECK_FALSE(has(table, "x86-64-v4"));
    CHECK(has(subject.written("fill_0_x86-64-v4.cpp"), "Not needed"));
    CHECK(has(said.back(), "fill: code for x86-64-v4 does not serve where it was never run"));
}

TEST_CASE("a store of two architectures proves code for each of them")
{
    example subject;
    subject.isa = "x86-64-v4";
    subject.add(subject.won(64, "8", 0.5));
    subject.isa = "armv8.2-a+fp16";
    attune::record arm = subject.won(64, "8", 0.5);
    arm.key.device = "Arm Neoverse-N1 (65.3084.3.1)";
    subject.add(arm);
    std::string table;
    subject.bake_it({.levels = {"base", "x86-64-v3", "x86-64-v4"}}, &table);
    for (char const* const level : {"base     ", "x86-64-v3", "x86-64-v4"})
        CHECK_MESSAGE(has(table, std::string(level) + "  record "), table);
    auto const said = subject.bake_it(
        {.levels = {"armv8.1-a", "armv8.2-a+fp16", "armv8.2-a+sve"}, .machine = "aarch64"}, &table);
    for (char const* const level : {"armv8.1-a     ", "armv8.2-a+fp16"})
        CHECK_MESSAGE(has(table, std::string(level) + "  record "), table);
    CHECK(has(said.back(), "code for armv8.2-a+sve does not serve where it was never run"));
}

TEST_CASE("what a build verifies serves, also for instructions that the tuning did not have")
{
    verified_example subject;
    CHECK_FALSE(std::filesystem::exists(subject.folder.file("out/fill_table.cpp")));
    CHECK(has(subject.written("fill_unproven.cpp"), "x86_64_v4"));
    std::string const check = subject.written("fill_check.cpp");
    CHECK(has(check, "attune_check_shapes[] = {\n    64, 0, 1024, 0, 4096, -1,\n};"));
    CHECK(has(check, "check_main<attune_baked_type>"));
    std::string const table =
        subject.table_with("right 0 x86-64-v4 64 0\nright 0 x86-64-v3 4096 0\nsaid so it is\n");
    CHECK(has(table, "// x86-64-v4: this build verified it for 1 shapes\n"));
    CHECK(has(table, "// x86-64-v3: this build verified it for 1 shapes, the store proves it for"));
    CHECK(has(table, "// base: the store proves it\n"));
    CHECK(has(table, "4096")); // the largest size
    CHECK(std::count(subject.told.begin(), subject.told.end(), "fill: so it is") == 1);
}

TEST_CASE("a variant that a build finds wrong does not serve, for any instruction set")
{
    verified_example subject;
    std::string const table = subject.table_with(
        "right 0 x86-64-v3 64 0\nwrong 0 x86-64-v4 argument 1 is 64 (wrong result: 3)\n");
    CHECK_FALSE(has(table, "fill_0_"));
    CHECK(has(table, "fill_1_base"));
    CHECK(has(subject.told[0], "TILE=8"));
    CHECK(has(subject.told[0],
              "does not serve: this build found it wrong, for x86-64-v4: argument 1 is 64"));
}

TEST_CASE("what a build verified is refused where it is damaged or of other variants")
{
    verified_example subject;
    for (char const* const found :
         {"right 0 base 64 x\n", "right x base 64 0\n", "nonsense\n", "right 0 base 64  0\n"})
        CHECK_THROWS_WITH_AS(subject.table_with(found), doctest::Contains("cannot be read"),
                             attune::error);
    subject.add(subject.won(256, "32", 0.5));
    CHECK_THROWS_WITH_AS(subject.table_with(""), doctest::Contains("other variants"),
                         attune::error);
    CHECK_FALSE(std::filesystem::exists(subject.folder.file("out/fill_table.cpp")));
}

TEST_CASE("shapes are texts, lines of files, or those of the store")
{
    example subject;
    subject.add(subject.won(64, "8", 0.5));
    support::write_file(subject.folder.file("shapes"), "# sizes\n 128 # often\n\n7\r\n");
    subject.bake_it({.shapes = {"32", subject.folder.file("shapes"), "32"}});
    CHECK(has(subject.written("fill_check.cpp"), "{\n    7, -1, 32, -1, 128, -1,\n}"));
    std::filesystem::remove_all(subject.folder.file("out"));
    for (char const* const wrong :
         {"", "1 2", "x", "1.5", "/nowhere/shapes", "99999999999999999999"})
        CHECK_THROWS_WITH_AS(subject.bake_it({.shapes = {wrong}}),
                             doctest::Contains("is no shape of a call of fill"), attune::error);
    subject.facts.is_checked = true;
    subject.add(subject.won(128, "8", 0.5));
    auto const said = subject.bake_it({.shapes = {"KNOWN"}});
    CHECK(has(said.back(), "a check of its own"));
    CHECK_FALSE(has(subject.written("fill_check.cpp"), "attune_check_shapes[]"));
    std::filesystem::remove_all(subject.folder.file("out"));
    subject.facts.any_shape = true;
    subject.add(subject.won(256, "8", 0.5));
    CHECK_THROWS_WITH_AS(subject.bake_it({.shapes = {"KNOWN"}}), doctest::Contains("whole shapes"),
                         attune::error);
    CHECK_FALSE(subject.has_written());
}

TEST_CASE("a winner whose space reads figures of the machine is baked as any other")
{
    example subject;
    for (auto const& [n, tile, best_s] : {std::tuple(64, "8", 0.5), std::tuple(1024, "16", 0.25)}) {
        attune::record won = subject.won(n, tile, best_s);
        won.key.inputs.emplace_back("machine.l2_bytes", "1048576");
        subject.add(won);
    }
    (void)subject.bake_it({.levels = {"base"}, .compiler = "GNU 12"});
    CHECK(has(subject.written("fill_0_base.cpp"), "#define TILE 8\n"));
    CHECK(has(subject.written("fill_1_base.cpp"), "#define TILE 16\n"));
}

TEST_CASE("winners of several sizes that are bound to no input are chosen by words of the shape")
{
    example subject;
    subject.facts.inputs.clear();
    attune::record first = subject.won(64, "8", 0.5);
    first.key.inputs.clear();
    subject.add(first);
    attune::record further = subject.won(1024, "16", 0.25);
    further.key.inputs = {{"argument 1", "1024"}};
    subject.add(further);
    std::vector<std::string> const said =
        subject.bake_it({.levels = {"base"}, .compiler = "GNU 12"});
    CHECK(std::none_of(said.begin(), said.end(),
                       [](auto const& one) { return has(one, "winners are left out"); }));
    CHECK(has(subject.written("fill_0_base.cpp"), "#define TILE 8\n"));
    CHECK(has(subject.written("fill_1_base.cpp"), "#define TILE 16\n"));
    // The sizes meet at 256, halfway between 64 and 1,024 in octaves; word 0 is the number.
    CHECK(has(subject.written("fill_table.cpp"),
              "tree_0[] = {\n    {0, 0x1p+8, 1, 2}, {-1, 0x0p+0, 0, -1}, {-1, 0x0p+0, 1, -1},\n"));
}

TEST_CASE("a winner of several sizes whose own shape is damaged does not decide the sizes")
{
    for (bool const has_others : {true, false}) {
        example subject;
        subject.facts.inputs.clear();
        attune::record damaged = subject.won(64, "8", 0.5);
        damaged.key.inputs = {{"argument 1", "64"}};
        damaged.shape = "7";
        subject.add(damaged);
        attune::record further = subject.won(1024, "16", 0.25);
        further.key.inputs = {{"argument 1", "1024"}};
        if (has_others) subject.add(further);
        std::vector<std::string> const said =
            subject.bake_it({.levels = {"base"}, .compiler = "GNU 12"});
        if (has_others) CHECK(has(subject.written("fill_0_base.cpp"), "#define TILE 16\n"));
    }
}

TEST_CASE("a kernel whose text the program generates is refused by a sentence of its own")
{
    example subject;
    attune::record generated = subject.won(64, "8", 0.5);
    generated.key.source = "of no file";
    subject.add(generated);
    CHECK_THROWS_WITH_AS(subject.bake_it(),
                         doctest::Contains("the store has no result of this kernel file"),
                         attune::error);
    subject.facts.is_generated = true;
    generated.key.inputs = {{"N", "128"}};
    subject.add(generated);
    CHECK_THROWS_WITH_AS(subject.bake_it(),
                         doctest::Contains("the text of the kernel was generated"), attune::error);
    CHECK_FALSE(subject.has_written());
    subject.facts.is_generated = false;
    subject.add(subject.won(64, "8", 0.5)); // of the file
    (void)subject.bake_it();
    CHECK(subject.has_written());
}

TEST_CASE("what was generated is baked from the text that the store has")
{
    example subject;
    subject.facts.is_generated = true;
    subject.isa = "x86-64-v3";
    auto const generated = [&](int n, char const* tile) {
        attune::record out = subject.won(n, tile, 0.5);
        out.key.source = "of no file";
        out.generated = {.shared = "// both <>&\n",
                         .text = std::string("void fill(float*, int) { /* ") + tile + " */ }\n",
                         .fallback = "void fill(float*, int) { /* default */ }\n"};
        out.generated.print = attune::detail::fingerprint_of(out.generated);
        return out;
    };
    auto const bake_here = [&](bake_request more = {}) {
        support::write_file(subject.folder.file("s.attune"), subject.store.text());
        more.store = subject.folder.file("s.attune");
        more.folder = subject.folder.file("out");
        more.stem = "fill";
        more.depfile = subject.folder.file("fill.d");
        return bake(more);
    };
    auto const refused = [&](char const* why, bake_request const& more = {}) {
        CHECK_THROWS_WITH_AS(bake_here(more), doctest::Contains(why), attune::error);
        CHECK_FALSE(subject.has_written());
    };
    attune::record other = subject.won(64, "8", 0.5);
    other.key.kernel = "of_a_file";
    subject.facts.is_generated = false;
    subject.add(other);
    refused("no result of a generated kernel");
    subject.facts.is_generated = true;
    attune::record without = generated(64, "8");
    without.generated = {};
    subject.add(without);
    refused("does not have the text of what was generated");
    subject.add(generated(128, "8"));
    subject.add(generated(256, "16"));
    subject.add(generated(512, "4")); // its code is the default's
    refused("for processors alone", {.architectures = {90}});
    refused("no result of a generated kernel called g", {.kernel = "g"});
    auto const said = bake_here({.levels = {"base", "x86-64-v3"}});
    CHECK(has(said.at(0), "1 winners are left out: the store does not have their text"));
    CHECK(has(subject.written("fill_0_base.cpp"),
              "// both <>&\nvoid fill(float*, int) { /* 8 */ }\n"));
    CHECK(has(subject.written("fill_1_x86-64-v3.cpp"), "/* 16 */"));
    CHECK_FALSE(has(subject.written("fill_1_x86-64-v3.cpp"), "TILE"));
    CHECK(has(subject.written("fill_2_base.cpp"), "Not needed"));
    CHECK(has(subject.written("fill_default.cpp"),
              "// both <>&\nvoid fill(float*, int) { /* default */ }\n"));
    CHECK_FALSE(has(subject.written("fill_default.cpp"), "#include \""));
    CHECK(has(subject.written("fill_0.flags"), "\"-DONE=1\""));
    CHECK(has(subject.written("fill_table.cpp"), "\"the default\""));
    CHECK(support::read_file(subject.folder.file("fill.d")).ends_with("fill_table.cpp:\n"));
    std::filesystem::remove_all(subject.folder.file("out"));
    attune::record plain = generated(1024, "4"); // the default won over the plain nest
    plain.generated.is_plain = true;
    plain.when = "9";
    subject.add(plain);
    static_cast<void>(bake_here());
    CHECK(has(subject.written("fill_table.cpp"), "\"the plain nest\""));
    CHECK(has(subject.written("fill_table.cpp"), "TILE=4"));
    std::filesystem::remove_all(subject.folder.file("out"));
    attune::record changed = generated(2048, "32");
    changed.generated.text += "// by hand\n";
    subject.add(changed);
    refused("the text of a winner is not what was tuned");
    attune::record second = generated(64, "8");
    second.key.kernel = "g";
    subject.add(second);
    refused("the store has several generated kernels");
}

TEST_CASE("what cannot be baked is one sentence, and nothing is written")
{
    example subject;
    auto const refused = [&](bake_request const& request, char const* why) {
        std::string const text = attune_test::error_of([&] { subject.bake_it(request); });
        CHECK_MESSAGE(has(text, why), text);
        CHECK_FALSE(subject.has_written());
    };
    refused({}, "the store has no winner");
    refused({.store = "/nowhere/s.attune"}, "the store cannot be read");
    subject.add(subject.won(64, "8", 0.5));
    refused({.levels = {"x86-64-v9"}}, "there is no instruction set of this name");
    refused({.levels = {"base", "x86-64-v3", "armv9-a"}}, "of two architectures");
    refused({.levels = {"armv8.2-a+sve"}, .machine = "x86_64"},
            "the release's machine does not have this instruction set");
    refused({.levels = {"x86-64-v3"}, .machine = "riscv64"},
            "the release's machine does not have this instruction set");
    refused({.kernel = "other"}, "the store has no result of this kernel file");
    refused({.kernel_file = "/nowhere/f.cpp"}, "not found");
    refused({.stem = "1 x"}, "is no identifier");
    support::write_file(subject.folder.file("a\"b.cpp"), kernel_text);
    refused({.kernel_file = subject.folder.file("a\"b.cpp")}, "cannot be written into a source");
    support::write_file(subject.folder.file("other.cpp"), "void fill(float*, int) {}\n");
    refused({.kernel_file = subject.folder.file("other.cpp")},
            "the store has no result of this kernel file");
    attune::record other = subject.won(64, "8", 0.5);
    other.key.kernel = "more";
    subject.add(other);
    refused({}, "several kernels of this file");
    for (auto const& [name, value] :
         attune::named_texts{{"TI LE", "8"}, {"TILE", "8\n#error"}, {"TILE", "8\\"}}) {
        example damaged;
        attune::record one = damaged.won(64, "8", 0.5);
        one.configuration[0] = {name, value};
        damaged.add(one);
        CHECK_THROWS_WITH_AS(damaged.bake_it(), doctest::Contains("that no source can have"),
                             attune::error);
        CHECK_FALSE(damaged.has_written());
    }
    example old;
    old.tells_facts = false;
    old.add(old.won(64, "8", 0.5));
    CHECK_THROWS_WITH_AS(old.bake_it(), doctest::Contains("does not say how calls"), attune::error);
    CHECK_FALSE(old.has_written());
}

TEST_CASE("the program refuses what it does not know, with a sentence and 1")
{
    for (std::vector<char const*> const& words : std::vector<std::vector<char const*>>{
             {"--nonsense", "1"}, {"--variants", "1000000000"}, {"--store"}, {}})
        CHECK(attune::detail::bake_main(words) == 1);
}
