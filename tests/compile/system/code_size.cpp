// tests/compile/system/code_size.cpp - sizes of functions and frames, beside what binutils and Clang say.
// SPDX-License-Identifier: MIT
#include <attune/compile/system/code_size.hpp>

#include <attune/compile/system/process.hpp>

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <sstream>
#include <string>
#include <vector>

#include "../../support/cache_folder.hpp"

using attune::code_size;
using attune::detail::size_of_code;

namespace {

std::string const text = "static int table[3];\n"
                         "int few(int x) { return x + 1; }\n"
                         "double many(double const* x, int n)\n{\n    double s = 0;\n"
                         "    for (int i = 0; i < n; ++i)\n"
                         "        s = s * x[i] + x[n - i] / (s + i) + table[i % 3];\n"
                         "    return s;\n}\n"
                         "extern \"C\" int attune_entry(int n)\n{\n"
                         "    volatile char room[ROOM];\n    room[n] = 1;\n"
                         "    return few(room[n]);\n}\n";

/// A program of the list that exists; empty, with a message, when none does.
std::string program_of(std::vector<std::string> const& names)
{
    for (std::string const& name : names)
        if (!attune::detail::find_program(name).empty()) return name;
    MESSAGE("skipped: none of " << names.front() << " and the like is in PATH");
    return {};
}
std::string clang()
{
    return program_of({"clang++-19", "clang++-18", "clang++-17", "clang++-16", "clang++"});
}

struct built {
    std::string object;        ///< bytes
    std::uint64_t largest = 0; ///< bytes of the largest function, as `nm` says
};

built build(std::string const& compiler, std::vector<std::string> const& flags, int room = 4096)
{
    attune::detail::temporary_folder const folder;
    std::string const source = folder.write("kernel.cpp", text);
    std::string const object = folder.path() + "/kernel.o";
    std::vector<std::string> command{compiler, "-O2", "-fPIC", "-DROOM=" + std::to_string(room)};
    command.insert(command.end(), flags.begin(), flags.end());
    command.insert(command.end(), {"-o", object, source});
    REQUIRE(attune::detail::run_process(command, 60.0).succeeded());
    built out{attune_test::text_of(object)};
    auto const said = attune::detail::run_process({"nm", "-S", "--defined-only", object}, 60.0);
    std::istringstream lines(said.output);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::uint64_t place = 0;
        std::uint64_t size = 0;
        char kind = 0;
        if (words >> std::hex >> place >> size >> kind && (kind == 'T' || kind == 't'))
            out.largest = std::max(out.largest, size);
    }
    return out;
}

} // namespace

TEST_CASE("the size of code is that of the largest function, as nm says")
{
    if (program_of({"nm"}).empty()) return;
    for (std::string const& compiler : {program_of({"g++"}), clang()}) {
        if (compiler.empty()) continue;
        for (char const* const form : {"-c", "-shared"}) {
            CAPTURE(compiler);
            CAPTURE(form);
            built const made = build(compiler, {form});
            REQUIRE(made.largest > 0);
            CHECK(size_of_code(made.object).code_bytes == static_cast<std::int64_t>(made.largest));
        }
        // Without symbols, the exported functions are left.
        CHECK(size_of_code(build(compiler, {"-shared", "-s"}).object).code_bytes.value() > 0);
    }
}

TEST_CASE("a frame is known where Clang wrote it, and grows by what an array grows")
{
    std::string const compiler = clang();
    if (compiler.empty()) return;
    for (char const* const form : {"-c", "-shared"}) {
        auto const frame = [&](int room) {
            return size_of_code(
                       build(compiler, {form, attune::detail::frame_sizes_flag}, room).object)
                .stack_bytes.value();
        };
        CHECK(frame(4096) >= 4096 - 128); // the ABI lends a leaf 128 bytes below the stack
        CHECK(frame(4096) < 4096 + 256);
        CHECK(frame(65536) - frame(4096) == 65536 - 4096);
        CHECK_FALSE(size_of_code(build(compiler, {form}).object).stack_bytes);
    }
    std::string const grows = "-DROOM=n+9"; // at run time: such a frame has no size
    CHECK_FALSE(
        size_of_code(
            build(compiler, {"-c", attune::detail::frame_sizes_flag, "-UROOM", grows}).object)
            .stack_bytes);
}

TEST_CASE("what is no object, or is cut off, tells nothing that is not there")
{
    code_size const nothing = size_of_code("no object");
    CHECK_FALSE(nothing.code_bytes);
    CHECK_FALSE(nothing.stack_bytes);
    CHECK_FALSE(size_of_code("").code_bytes);
    std::string const compiler = clang();
    if (compiler.empty()) return;
    std::string const object = build(compiler, {"-c", attune::detail::frame_sizes_flag}).object;
    code_size const whole = size_of_code(object);
    for (std::size_t kept = 0; kept < object.size(); kept += 7) {
        code_size const part = size_of_code(std::string_view(object).substr(0, kept));
        CHECK((!part.code_bytes || *part.code_bytes <= *whole.code_bytes));
        CHECK((!part.stack_bytes || *part.stack_bytes <= *whole.stack_bytes));
    }
}
