// tests/ship/tool/documented.cpp - the command lines of attune that help texts, README files and the guide show.
// SPDX-License-Identifier: MIT
#include <attune/compile/system/process.hpp>
#include <attune/ship/tool/tool.hpp>

#include <doctest/doctest.h>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "../../support/set_variable.hpp"
#include "../../support/source_folder.hpp"
#include "run_here.hpp"

using attune::detail::process_result;
using attune::detail::run_process;
using support::run_here;

namespace {

/// `line` up to what explains it: two blanks or a #, outside of quotes.
std::string without_comment(std::string const& line)
{
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        char const c = line[i];
        if (quote != 0) {
            if (c == quote) quote = 0;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (line.compare(i, 2, "  ") == 0 || line.compare(i, 2, " #") == 0) {
            return line.substr(0, i);
        }
    }
    return line;
}

/// Adds each line of a text, or of the code blocks of a page, that starts attune.
void add_lines(std::string const& text, bool is_page, std::set<std::string>& to)
{
    std::istringstream in(text);
    bool is_code = !is_page;
    for (std::string line; std::getline(in, line);) {
        if (is_page && line.starts_with("```")) is_code = !is_code;
        std::size_t const begin = line.find_first_not_of(' ');
        if (is_code && begin != line.npos && (is_page || begin == 2)) {
            std::string const code = line.substr(begin);
            bool const is_command = code.starts_with("attune ") ||
                                    code.find("$(attune ") != code.npos ||
                                    code.find("<(attune ") != code.npos;
            if (is_command) to.insert(without_comment(code));
        }
        // `attune watch total.attune` in a sentence; `attune watch` is a name.
        for (std::size_t at = line.find("`attune "); !is_code && at != line.npos;
             at = line.find("`attune ", at + 1)) {
            std::size_t const end = line.find('`', at + 1);
            std::string const code = line.substr(at + 1, end - at - 1);
            bool const is_form = code.find("COMMAND") != code.npos;
            if (code.find(' ', 7) != code.npos && !is_form) to.insert(code);
        }
    }
}

std::set<std::string> documented_lines()
{
    std::set<std::string> out;
    for (auto const& one : attune::detail::tool::all_commands())
        add_lines(run_here({std::string(one.name), "--help"}).out.substr(7), false, out);
    namespace files = std::filesystem;
    std::string const source = support::source_folder();
    std::vector<std::string> pages{source + "README.md", source + "examples/README.md"};
    for (auto const& entry : files::recursive_directory_iterator(source + "include"))
        if (entry.path().filename() == "README.md") pages.push_back(entry.path().string());
    for (auto const& entry : files::directory_iterator(source + "examples/guide"))
        pages.push_back(entry.path().string());
    for (std::string const& page : pages)
        add_lines(support::read_file(page), true, out);
    return out;
}

void write_program(std::string const& path, std::string const& text)
{
    support::write_file(path, "#!/bin/sh\n" + text);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

/// The files that these lines name.
void fill(support::scratch_directory const& folder, std::string const& line)
{
    std::string const store = support::sgemm_store("16");
    for (char const* const name :
         {"sgemm.attune", "a.attune", "b.attune", "own.attune", "from-night.attune", "total.attune",
          "kernels.attune", "gemm.attune"})
        support::write_file(folder.file(name), store);
    support::write_file(folder.file("table.csv"), "TILE,time_ms\n8,1.5\n16,1\n");
    support::write_file(folder.file("results.json"),
                        R"({"results": [{"configuration": {"TILE": 8}, "objectives": ["time"],
            "measurements": [{"name": "time", "value": 1.5, "unit": "ms"}]}]})");
    support::write_file(folder.file("sgemm.json"),
                        R"({"name": "sgemm", "problem": {"N": 1024}, "params": [
            {"name": "TILE", "values": [8, 16, 32, 64, 128]}], "constraints": ["TILE * 8 <= N"]})");
    bool const is_one = line.find("{TILE}") != line.npos;
    support::write_file(folder.file("space.json"),
                        is_one ? R"({"params": [{"name": "TILE", "values": [8, 16]}]})"
                               : R"({"params": [{"name": "TILE_M", "values": [8, 16, 64]},
                                                {"name": "TILE_N", "values": [4, 8]}]})");
    support::write_file(folder.file("sgemm.kernel.cpp"),
                        "#include <attune/tunable.hpp>\n"
                        "static_assert(ATTUNE_TUNABLE(TILE, 64) == 16);\n"
                        "int const order[] = ATTUNE_TUNABLE(ORDER, {1, 0});\n");
    support::write_file(folder.file("makefile"), "all:\n\t@true\n");
    write_program(folder.file("run"), "echo $(($1 + $2))\n");
    write_program(folder.file("a.out"), "echo 1\n");
    write_program(folder.file("app"), "exit 0\n");
}

/// Lines that need more than these files: a tuned program, a capture, a study, a model, another
/// compiler.
bool needs_more(std::string const& line)
{
    for (char const* const part :
         {"attune bake", "attune prepare", "attune retune", "attune status", "attune techniques",
          "attune recommend", "attune tune", "--code model.onnx"})
        if (line.find(part) != line.npos) return true;
    return false;
}

} // namespace

TEST_CASE("each command line that a help text, a README or the guide shows is run")
{
    std::set<std::string> const lines = documented_lines();
    CHECK(lines.size() > 40);
    attune_test::set_variable const programs{
        "PATH",
        std::filesystem::path(ATTUNE_PROGRAM).parent_path().string() + ':' + std::getenv("PATH")};
    attune_test::set_variable const headers{"CPATH", support::source_folder() + "include"};
    for (std::string const& line : lines) {
        CAPTURE(line);
        support::scratch_directory const folder;
        fill(folder, line);
        char const* const shell = line.find("<(") != line.npos ? "bash" : "sh";
        bool const is_watch = line.starts_with("attune watch "); // it ends at Ctrl-C alone
        process_result const got =
            run_process({shell, "-c", "cd \"$0\" && { " + line + "\n} </dev/null", folder.path()},
                        is_watch ? 2.0 : 60.0);
        INFO(got.output);
        CHECK(got.timed_out == is_watch);
        if (is_watch) {
            CHECK(attune_test::has(got.output, "sgemm N="));
            continue;
        }
        // 2: the line is wrong. 1: the answer is no. 3: a file is not what it should be.
        CHECK(got.exit_status != 2);
        CHECK((got.exit_status < 2 || (needs_more(line) && got.exit_status == 3)));
    }
}
