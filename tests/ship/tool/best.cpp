// tests/ship/tool/best.cpp - what best --macros prints compiles the winner.
// SPDX-License-Identifier: MIT
#include <attune/ship/tool/detail/best.hpp>

#include <attune/attune.hpp>
#include <attune/compile/system.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/remember/store.hpp>

#include <cstdlib>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "../../support/source_folder.hpp"
#include "run_here.hpp"

using attune::detail::process_result;
using attune::detail::run_process;
using attune_test::has;
using support::ran;
using support::run_here;

namespace {

/// Declares LANES itself, and reads WIDTH as a macro. settings() says what it was compiled with.
char const* const kernel_text = R"(#include <attune/tunable.hpp>
#include <cstddef>
#include <span>
#include <string>

constexpr int LANES = ATTUNE_TUNABLE(LANES, 1);
constexpr int order[] = ATTUNE_TUNABLE(ORDER, {0, 1});
constexpr int width = ATTUNE_TUNABLE(WIDTH, 2);
#ifdef WIDTH
static_assert(WIDTH == width);
#endif
#ifndef SPEED
#define SPEED 0
#endif
#ifndef SIGNS
#define SIGNS ""
#endif

void fill(std::span<int> out)
{
    for (int volatile i = 0; i < (LANES == 1 ? 4000000 : 10); i = i + 1) {}
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = 7;
}

std::string settings()
{
    return "LANES=" + std::to_string(LANES) + " ORDER={" + std::to_string(order[0]) + ", " +
           std::to_string(order[1]) + "} WIDTH=" + std::to_string(width) +
           " FLAGS+=-DSPEED=" + std::to_string(SPEED) + SIGNS;
}
)";

char const* const main_text = R"(#include <cstdio>
#include <string>
std::string settings();
int main() { std::puts(settings().c_str()); }
)";

struct kernel_folder {
    support::scratch_directory folder{};
    std::string kernel = folder.file("fill.kernel.cpp");
    std::string store = folder.file("fill.attune");

    kernel_folder()
    {
        support::write_file(kernel, kernel_text);
        support::write_file(folder.file("main.cpp"), main_text);
    }

    /// What the program prints that `words` compile, where `reader` reads these.
    [[nodiscard]] std::string printed_by(std::string const& reader, std::string const& words) const
    {
        std::string const rest = "-std=c++20 -I" + support::source_folder() + "include " + kernel +
                                 ' ' + folder.file("main.cpp") + " -o " + folder.file("program");
        std::vector<std::string> command;
        if (reader == "sh") {
            command = {"sh", "-c", "eval \"c++ $0 " + rest + '"', words};
        } else if (reader == "make") {
            support::write_file(folder.file("makefile"),
                                "FLAGS = " + words + "\nall:\n\tc++ $(FLAGS) " + rest + '\n');
            command = {"make", "-f", folder.file("makefile")};
        } else {
            support::write_file(folder.file("build.cmake"),
                                "set(flags " + words + ")\nexecute_process(COMMAND c++ ${flags} " +
                                    rest + " COMMAND_ERROR_IS_FATAL ANY)\n");
            command = {"cmake", "-P", folder.file("build.cmake")};
        }
        process_result const compiled = run_process(command, 120.0);
        CHECK_MESSAGE(compiled.succeeded(), compiled.output);
        return run_process({folder.file("program")}, 10.0).output;
    }
};

inline constexpr auto lanes = attune::ordinal<"LANES">(attune::values(1, 4));
inline constexpr auto order = attune::permutation<"ORDER", 2>();
inline constexpr auto width = attune::ordinal<"WIDTH">(attune::values(2, 8));
inline constexpr auto speed = attune::flags<"FLAGS">("-DSPEED=1", "-DSPEED=2");

} // namespace

TEST_CASE("a tuning's winner is compiled by best --macros, and stands beside the user's own code")
{
    kernel_folder const at;
    attune::kernel<void(std::span<int>)> kernel{"fill", attune::source_file(at.kernel),
                                                attune::space(lanes, order, width, speed)};
    kernel.baseline([](std::span<int> out) {
        for (int& one : out)
            one = 7;
    });
    attune::tuning_options options;
    options.limits.evaluations = 3;
    options.progress = attune::silent_progress();
    attune::tuned fill{kernel, attune::system_compiler{}, attune::store{at.store}, options};
    std::vector<int> out(64);
    fill(out);
    REQUIRE(fill.report().how == attune::decision::tuned);
    std::string words = run_here({"best", at.store, "--macros"}).out;
    words.pop_back(); // its line end
    CHECK(has(words, "-DATTUNE_COMPILES_VARIANT=2 "));
    CHECK_FALSE(has(words, "-DLANES=")); // the file declares it
    CHECK(at.printed_by("sh", words) == fill.report().configuration + '\n');

    REQUIRE(fill.report().baseline.has_value());
    double const own_s = fill.report().baseline->time.value;
    CHECK(has(run_here({"explain", at.store}).out,
              "  your own  " + attune::text_of_quantity(own_s, true)));
    CHECK(nlohmann::json::parse(run_here({"best", at.store, "--json"}).out)["best"]["baseline_s"] ==
          own_s);
    std::string const page = at.folder.file("fill.html");
    CHECK(run_here({"report", at.store, "-o", page}).code == 0);
    CHECK(has(support::read_file(page), " than your own code: "));
    CHECK(has(support::read_file(page), "<th scope=\"col\">your own</th>"));
}

TEST_CASE("the words of best --macros are quoted for a shell, a makefile and CMake")
{
    kernel_folder const at;
    std::string const signs = "a;b#c$d 'e' ${f} \\\\ %";
    attune::memory_store store;
    attune::record winner = support::sgemm_winner(512);
    winner.configuration = {
        {"LANES", "4"}, {"ORDER", "{1, 0}"}, {"WIDTH", "8"}, {"FLAGS", "-DSPEED=2 -O1"}};
    auto problem = attune::detail::problem_of(winner);
    problem.facts = attune::detail::facts_texts({.flags = {"FLAGS"},
                                                 .source_flags = {"-DSIGNS=\"" + signs + "\""},
                                                 .own_names = {"LANES"}});
    store.note(problem, {{"4", "{1, 0}", "8", "-DSPEED=2 -O1"}, attune::measurement::exact(1), ""});
    store.add(winner);
    support::write_file(at.store, store.text());
    for (std::string const reader : {"sh", "make", "cmake"}) {
        CAPTURE(reader);
        ran const best = run_here({"best", at.store, "--macros", "--for", reader});
        CHECK(best.code == 0);
        CHECK(at.printed_by(reader, best.out.substr(0, best.out.size() - 1)) ==
              "LANES=4 ORDER={1, 0} WIDTH=8 FLAGS+=-DSPEED=2a;b#c$d 'e' ${f} \\ %\n");
    }
    // In a recipe too, where make removes no backslash.
    std::string const words = run_here({"best", at.store, "--macros", "--for", "make"}).out;
    support::write_file(at.folder.file("makefile"), "all:\n\t@printf '%s\\n' " + words);
    process_result const printed = run_process({"make", "-f", at.folder.file("makefile")}, 60.0);
    CHECK_MESSAGE(has(printed.output, "-DSIGNS=\"a;b#c$d 'e'"), printed.output);
    winner.configuration = {{"ORDER", "a\\"}};
    attune::memory_store odd;
    odd.add(winner);
    support::write_file(at.folder.file("odd"), odd.text());
    ran const none = run_here({"best", at.folder.file("odd"), "--macros", "--for", "cmake"});
    CHECK(none.code == 3);
    CHECK(has(none.err, "ends in a backslash"));
    CHECK(run_here({"best", at.folder.file("odd"), "--macros", "--for", "make"}).code == 0);
    // A store without facts does not say what a flag is.
    winner.configuration = {{"WIDTH", "-8"}, {"FLAGS", "-mprefer-vector-width=512"}};
    attune::memory_store older;
    older.add(winner);
    support::write_file(at.folder.file("older"), older.text());
    ran const doubtful = run_here({"best", at.folder.file("older"), "--macros"});
    CHECK(doubtful.err ==
          "attune: best: the store does not say which parameters are flags; FLAGS is "
          "a macro here. If it is a flag, add -mprefer-vector-width=512\n");
    CHECK(doubtful.code == 0);
    CHECK(run_here({"best", at.store, "--macros"}).out ==
          run_here({"best", at.store, "--macros", "--for=sh"}).out);
    CHECK(run_here({"best", at.store, "--macros", "--for", "bash"}).code == 2);
    CHECK(run_here({"best", at.store, "--for", "make"}).code == 2);
}

TEST_CASE("of problems with other units, directions or limits, --setting selects one")
{
    support::scratch_directory const folder;
    std::string const store = folder.file("s"), space = folder.file("space.json");
    support::write_file(space, R"({"name": "k", "params": [{"name": "A", "values": [1, 2, 3]}]})");
    auto const minimize = [&](std::vector<std::string> options) {
        std::vector<std::string> all{"minimize", space, "--store", store};
        all.insert(all.end(), options.begin(), options.end());
        all.insert(all.end(), {"--", "echo", "{A}"});
        REQUIRE(run_here(all).code == 0);
    };
    minimize({});
    minimize({"--maximize", "--unit", "GFLOP/s"});
    minimize({"--unit", "J"});
    minimize({"--evaluations", "2", "--unit", "J", "--timeout", "9"});
    ran const several = run_here({"best", store});
    CHECK(several.code == 2);
    CHECK(has(several.err, "4 problems are meant"));
    for (char const* const option :
         {"--setting unit= ", "--setting unit=GFLOP/s", "--setting unit=J", "--setting timeout=9"})
        CHECK_MESSAGE(has(several.err + ' ', option), several.err);
    CHECK(!has(several.err, "source=")); // all are of one program
    CHECK(!has(several.err, "--kernel "));
    auto const best = [&](std::vector<std::string> const& settings) {
        std::vector<std::string> all{"best", store};
        for (std::string const& one : settings)
            all.insert(all.end(), {"--setting", one});
        return run_here(all);
    };
    CHECK(best({"better=higher"}).out == "A=3\n");
    CHECK(best({"unit=GFLOP/s"}).out == "A=3\n");
    CHECK(best({"unit="}).out == "A=1\n");
    CHECK(best({"unit=J", "timeout=9"}).code == 0);
    CHECK(best({"unit=J", "timeout="}).out == "A=1\n");
    CHECK(best({"unit=J"}).code == 2);
    ran const none = best({"unit=W"});
    CHECK(none.code == 1);
    CHECK(has(none.err, "--setting unit=GFLOP/s or --setting unit=J"));
    CHECK(has(best({"colour=red"}).err, "--setting better=higher or --setting better=lower"));
    CHECK(best({"unit"}).code == 2);
    ran const shown = run_here({"show", store, "--setting", "unit=J"});
    CHECK(has(shown.out, "SETTING"));
    CHECK(has(shown.out, "timeout=9 unit=J"));
    CHECK(!has(shown.out, "GFLOP/s"));
    CHECK(has(run_here({"explain", store, "--setting", "better=higher"}).out, "best      A=3"));
    CHECK(
        has(run_here({"export", store, "-f", "csv", "--setting", "better=higher"}).out, "GFLOP/s"));
    // What else keeps problems apart can be said too.
    attune::memory_store two;
    for (char const* const compiler : {"gcc 12 -O3", "clang 19 -O3"}) {
        attune::record one = support::sgemm_winner(512, compiler[0] == 'g' ? "8" : "16");
        one.key.compiler = compiler;
        two.add(one);
    }
    support::write_file(store, two.text());
    ran const compilers = run_here({"best", store});
    CHECK_MESSAGE(has(compilers.err,
                      "; say which by --setting 'compiler=clang 19 -O3' or --setting "
                      "'compiler=gcc 12 -O3'; --all"),
                  compilers.err);
    CHECK(best({"compiler=gcc 12 -O3"}).out == "TILE=8 'ORDER={0, 1}'\n");
    CHECK(!has(run_here({"show", store}).out, "SETTING"));
}
