// tests/compile/identity.cpp - no code of another text is ever given: files, folders and variables change at random.
// SPDX-License-Identifier: MIT
#include <attune/compile/clang.hpp>
#include <attune/compile/system.hpp>

#include <chrono>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <thread>

#include "../support/cache_folder.hpp"
#include "../support/changing_files.hpp"
#include "../support/rounds.hpp"

using attune_test::cache_folder;
using attune_test::changing_files;
using attune_test::value_of;

namespace {

bool usable() { return attune::clang_compiler().notice().empty(); }

attune::clang_compiler clang_over(cache_folder const& folder, bool precompile = true)
{
    return attune::clang_compiler({.flags = {"-O0", "-std=c++20"},
                                   .precompile_headers = precompile,
                                   .cache = folder.options()});
}
attune::clang_compiler clang_from_nothing()
{
    attune::clang_options options{.flags = {"-O0", "-std=c++20"}};
    options.cache.enabled = false;
    return attune::clang_compiler(options);
}
attune::system_compiler system_over(cache_folder const& folder)
{
    return attune::system_compiler({.flags = {"-O0", "-std=c++20"}, .cache = folder.options()});
}

attune::kernel_source kernel_of(std::string const& text, std::string const& path = "/k.cpp")
{
    return attune::source_text(text, path);
}
attune::compile_request f() { return attune::variant_of<long()>("f"); }

/// Time enough after a change for files to be depended on.
void settle() { std::this_thread::sleep_for(std::chrono::milliseconds(40)); }

/// Another text of the same size, with the old time of change.
void rewrite_in_secret(std::string const& path, std::string const& text)
{
    struct ::stat before{};
    REQUIRE(::stat(path.c_str(), &before) == 0);
    std::ofstream(path, std::ios::binary) << text;
    timespec const times[] = {before.st_atim, before.st_mtim};
    REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
}

/// The current folder, until the end of a case.
struct in_folder {
    explicit in_folder(std::string const& path) { std::filesystem::current_path(path); }
    ~in_folder() { std::filesystem::current_path(before); }
    in_folder(in_folder const&) = delete;
    in_folder& operator=(in_folder const&) = delete;
    std::filesystem::path before = std::filesystem::current_path();
};

} // namespace

TEST_CASE("code from a cache is that of a compilation from nothing, whatever changed")
{
    if (!usable()) return;
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        cache_folder const kept;
        changing_files world(seed);
        attune::clang_compiler compiler = clang_over(kept);
        int const rounds = attune_test::rounds(24, 1000);
        for (int i = 0; i < rounds; ++i) {
            std::string changed;
            for (std::uint64_t n = world.below(3) == 0 ? 1 + world.below(2) : 0; n > 0; --n)
                changed += world.change() + "; ";
            if (world.below(4) == 0) // as in a new process
                compiler = clang_over(kept, world.below(3) != 0);
            attune::kernel_source const kernel = world.kernel(world.below(4) != 0);
            attune::compile_request const v = world.variant();
            CAPTURE(seed);
            CAPTURE(i);
            CAPTURE(changed);
            CHECK(value_of(compiler.compile(kernel, v)) ==
                  value_of(clang_from_nothing().compile(kernel, v)));
        }
    }
}

TEST_CASE("the same holds where the machine's compiler is run")
{
    if (!attune::system_compiler().missing().empty() || !usable()) return;
    cache_folder const kept;
    changing_files world(3);
    attune::system_compiler compiler = system_over(kept);
    int const rounds = attune_test::rounds(8, 300);
    for (int i = 0; i < rounds; ++i) {
        std::string changed;
        if (world.below(2) == 0) changed = world.change();
        settle();
        if (world.below(4) == 0) compiler = system_over(kept);
        attune::kernel_source const kernel = world.kernel(world.below(4) != 0);
        attune::compile_request const v = world.variant();
        CAPTURE(i);
        CAPTURE(changed);
        CHECK(value_of(compiler.compile(kernel, v)) ==
              value_of(clang_from_nothing().compile(kernel, v)));
    }
    CHECK(compiler.statistics().folder == kept.path());
}

TEST_CASE("a relative path means another file in another folder, in one process and in the next")
{
    if (!usable()) return;
    cache_folder const files;
    for (std::string const project : {"a", "b"})
        for (std::string const place : {"factor.hpp", "inc/factor.hpp"})
            (void)files.write(project + '/' + place, "inline long factor() { return " +
                                                         std::string(project == "a" ? "1" : "5") +
                                                         "; }\n");
    std::string const top = std::filesystem::path(files.path()).parent_path().string();
    attune::kernel_source beside =
        kernel_of("#include \"factor.hpp\"\nlong f() { return factor(); }\n", "k.cpp");
    attune::kernel_source apart =
        kernel_of("#include <factor.hpp>\nlong f() { return factor(); }\n", "k.cpp");
    apart.include_dirs = {"inc"};
    attune::kernel_source by_flag =
        kernel_of("#include <factor.hpp>\nlong f() { return factor(); }\n", "k.cpp");
    by_flag.flags = {"-Iinc"};
    attune::kernel_source by_macro =
        kernel_of("#include FACTOR\nlong f() { return factor(); }\n", "k.cpp");
    by_macro.flags = {"-DFACTOR=\"factor.hpp\""};
    attune::clang_compiler const one = clang_from_nothing();
    attune::clang_compiler const over = clang_over(files);
    for (attune::kernel_source const& kernel : {beside, apart, by_flag, by_macro})
        for (int round = 0; round < 2; ++round)
            for (std::string const project : {"a", "b"}) {
                in_folder const here(top + '/' + project);
                long const right = project == "a" ? 1 : 5;
                CHECK(value_of(one.compile(kernel, f())) == right);
                CHECK(value_of(over.compile(kernel, f())) == right);
                CHECK(value_of(clang_over(files).compile(kernel, f())) == right);
                CHECK(value_of(system_over(files).compile(kernel, f())) == right);
            }
}

TEST_CASE("files that are read behind the preprocessor count")
{
    if (!usable()) return;
    cache_folder const files;
    std::string const table = files.write("table.bin", "3");
    std::string const flags = files.write("flags.rsp", "-DFLAG=4 '-DOTHER= 1'");
    std::string const in = "\"" + table + "\"";
    attune::kernel_source kernel =
        kernel_of("asm(\".pushsection .rodata\\ntable_of_bytes: .incbin \\\"" + table +
                      "\\\"\\n.popsection\");\n"
                      "extern \"C\" __attribute__((visibility(\"hidden\"))) unsigned char const "
                      "table_of_bytes[];\n"
                      "long f() { return 10 * (table_of_bytes[0] - '0') + FLAG + OTHER; }\n",
                  "/k.cpp");
    kernel.flags = {"@" + flags};
    auto const both = [&](long right) {
        for (int i = 0; i < 2; ++i) {
            CHECK(value_of(clang_over(files).compile(kernel, f())) == right);
            CHECK(value_of(system_over(files).compile(kernel, f())) == right);
        }
    };
    both(35);
    rewrite_in_secret(table, "7");
    settle();
    both(75);
    rewrite_in_secret(flags, "-DFLAG=1 '-DOTHER= 1'");
    settle();
    both(72);
}

TEST_CASE("an archive that is linked counts, and so does one that hides it")
{
    if (!attune::system_compiler().missing().empty()) return;
    cache_folder const files;
    auto const archive = [&](std::string const& folder, int value) {
        std::string const source = files.write(
            folder + "/s.c", "int stat_value(void) { return " + std::to_string(value) + "; }\n");
        std::string const place = std::filesystem::path(source).parent_path().string();
        REQUIRE(std::system(("cd '" + place +
                             "' && rm -f libstatic_of_test.a && cc -fPIC -c s.c -o s.o"
                             " && ar rc libstatic_of_test.a s.o && rm s.o")
                                .c_str()) == 0);
        settle();
        return place;
    };
    std::string const late = archive("late", 1);
    std::string const early =
        std::filesystem::path(files.write("early/x", "")).parent_path().string();
    attune::kernel_source kernel =
        kernel_of("extern \"C\" int stat_value();\nlong f() { return stat_value(); }\n", "/k.cpp");
    kernel.flags = {"-L" + early, "-L" + late, "-lstatic_of_test"};
    auto const value = [&] { return value_of(system_over(files).compile(kernel, f())); };
    CHECK(value() == 1);
    CHECK(value() == 1);
    (void)archive("late", 2);
    CHECK(value() == 2);
    (void)archive("early", 3);
    CHECK(value() == 3);
}

TEST_CASE("a winner of a library that another one hides now is not served")
{
    if (!usable()) return;
    cache_folder const files;
    auto const library = [&](std::string const& folder, int value) {
        std::string const source = files.write(
            folder + "/s.c", "int shared_value(void) { return " + std::to_string(value) + "; }\n");
        std::string const place = std::filesystem::path(source).parent_path().string();
        REQUIRE(std::system(("cd '" + place + "' && cc -fPIC -shared s.c -o libshared_of_test.so")
                                .c_str()) == 0);
        settle();
        return place;
    };
    std::string const late = library("late", 1);
    std::string const early =
        std::filesystem::path(files.write("early/x", "")).parent_path().string();
    attune::kernel_source kernel = kernel_of(
        "extern \"C\" int shared_value();\nlong f() { return shared_value(); }\n", "/k.cpp");
    kernel.flags = {"-L" + early, "-L" + late, "-lshared_of_test"};
    attune::clang_compiler const compiler = clang_over(files);
    CHECK(value_of(compiler.compile(kernel, f())) == 1);
    REQUIRE(compiler.keep_winner(kernel, f()));
    CHECK(clang_over(files).find_winner(kernel, f()).has_value());
    (void)library("early", 2);
    CHECK_FALSE(clang_over(files).find_winner(kernel, f()).has_value());
}

TEST_CASE("a kernel or a macro that holds the time of the compilation is compiled every time")
{
    if (!usable()) return;
    cache_folder const files;
    attune::kernel_source macro = kernel_of("long f() { return sizeof(WHEN); }\n");
    macro.flags = {"-DWHEN=__TIME__"};
    for (attune::kernel_source const& kernel :
         {macro, kernel_of("long f() { return sizeof(__TIME__); }\n")})
        for (int i = 0; i < 2; ++i)
            for (auto const& made :
                 {clang_over(files).compile(kernel, f()), system_over(files).compile(kernel, f())})
                CHECK_FALSE(std::get<attune::callable>(made).from_cache);
}

TEST_CASE("a header that appears where a folder or a link had its name hides another one")
{
    if (!usable()) return;
    for (bool const is_link : {false, true}) {
        CAPTURE(is_link);
        cache_folder const files;
        std::string const header =
            files.write("late/number.hpp", "inline long number() { return 1; }\n");
        std::string const late = std::filesystem::path(header).parent_path().string();
        std::string const top = late.substr(0, late.rfind('/'));
        std::string const early = top + "/early/number.hpp";
        std::filesystem::create_directories(is_link ? top + "/early" : early);
        if (is_link) {
            std::filesystem::create_symlink("../elsewhere/number.hpp", early);
            (void)files.write("elsewhere/other.hpp", "");
        }
        settle();
        attune::kernel_source kernel =
            kernel_of("#include <number.hpp>\nlong f() { return number(); }\n");
        kernel.include_dirs = {top + "/early", late};
        auto const both_give = [&](long right) {
            CHECK(value_of(clang_over(files).compile(kernel, f())) == right);
            CHECK(value_of(system_over(files).compile(kernel, f())) == right);
        };
        both_give(1);
        if (!is_link) std::filesystem::remove(early);
        (void)files.write(is_link ? "elsewhere/number.hpp" : "early/number.hpp",
                          "inline long number() { return 2; }\n");
        both_give(2);
    }
}

TEST_CASE("a file that is looked for and not read counts")
{
    if (!attune::system_compiler().missing().empty() || !usable()) return;
    cache_folder const files;
    std::string const once = "#pragma once\n#undef V\n#define V 1\n";
    (void)files.write("one.hpp", once);
    std::string const twin = files.write("two.hpp", once); // g++ does not read it
    std::string const option = files.write("option/is_there.hpp", "");
    std::string const top = std::filesystem::path(twin).parent_path().string();
    attune::kernel_source kernel = kernel_of("#include \"one.hpp\"\n#undef V\n#define V 2\n"
                                             "#include \"two.hpp\"\n"
                                             "#if __has_include(<option/is_there.hpp>)\n"
                                             "long f() { return V; }\n#else\n"
                                             "long f() { return 10 + V; }\n#endif\n",
                                             top + "/k.cpp");
    kernel.include_dirs = {top};
    auto const agrees = [&] {
        long const right = value_of(clang_from_nothing().compile(kernel, f()));
        CHECK(value_of(clang_over(files).compile(kernel, f())) == right);
        attune::system_options options{.flags = {"-O0", "-std=c++20"}};
        options.cache.enabled = false;
        CHECK(value_of(system_over(files).compile(kernel, f())) ==
              value_of(attune::system_compiler(options).compile(kernel, f())));
    };
    agrees();
    std::filesystem::rename(option, option + ".away");
    settle();
    agrees();
    std::filesystem::rename(option + ".away", option);
    settle();
    agrees();
    (void)files.write("two.hpp", "#pragma once\n#undef V\n#define V 3\n");
    agrees();
}

TEST_CASE("code that reads nothing that changes comes from the cache")
{
    if (!attune::system_compiler().missing().empty() || !usable()) return;
    cache_folder const files;
    std::string const header =
        files.write("n.hpp", "#include <vector>\ninline long n() { return 3; }\n");
    attune::kernel_source const kernel =
        kernel_of("#include <algorithm>\n#include \"n.hpp\"\nlong f() { return n(); }\n",
                  std::filesystem::path(header).parent_path().string() + "/k.cpp");
    for (bool const again : {false, true})
        for (auto const& made :
             {clang_over(files).compile(kernel, f()), system_over(files).compile(kernel, f())})
            CHECK(std::get<attune::callable>(made).from_cache == again);
}

TEST_CASE("a header beside the kernel hides one of a folder that a flag names, by both compilers")
{
    if (!attune::system_compiler().missing().empty() || !usable()) return;
    cache_folder const files;
    std::string const hidden = files.write("quoted/n.hpp", "inline long n() { return 1; }\n");
    std::string const header = files.write("n.hpp", "inline long n() { return 2; }\n");
    attune::kernel_source kernel =
        kernel_of("#include \"n.hpp\"\nlong f() { return n(); }\n",
                  std::filesystem::path(header).parent_path().string() + "/k.cpp");
    kernel.flags = {"-iquote", std::filesystem::path(hidden).parent_path().string()};
    auto const both_give = [&](long right) {
        CHECK(value_of(clang_over(files).compile(kernel, f())) == right);
        CHECK(value_of(system_over(files).compile(kernel, f())) == right);
    };
    both_give(2);
    std::filesystem::remove(header);
    settle();
    both_give(1);
}
