// tests/compile/system/object_key.cpp - a fingerprint of machine code that does not see names.
// SPDX-License-Identifier: MIT
#include <attune/compile/system/object_key.hpp>

#include <attune/compile/system/process.hpp>
#include <attune/core/hash.hpp>

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

/// What `c++` makes of a text; empty when there is no compiler.
std::string object_of(std::string const& text, std::vector<std::string> const& flags = {},
                      std::string const& file = "kernel.cpp")
{
    attune::detail::temporary_folder const folder;
    std::string const source = folder.write(file, text);
    std::string const object = folder.path() + "/kernel.o";
    std::vector<std::string> command{"c++", "-std=c++20", "-O2", "-fPIC"};
    command.insert(command.end(), flags.begin(), flags.end());
    command.insert(command.end(), {"-c", "-o", object, source});
    if (!attune::detail::run_process(command, 60.0).succeeded()) return {};
    return attune_test::text_of(object);
}

std::string key_of(std::string const& text, std::vector<std::string> const& flags = {},
                   std::string const& file = "kernel.cpp")
{
    std::string const object = object_of(text, flags, file);
    REQUIRE(!object.empty());
    return attune::detail::object_key(object);
}

bool has_compiler()
{
    bool const found = !attune::detail::find_program("c++").empty();
    if (!found) MESSAGE("skipped: no c++ in PATH");
    return found;
}

/// A kernel `name`<TILE> behind its entry, with a table, a call to the outside and an exception.
std::string kernel(std::string const& name, std::string const& tile, std::string const& body = "")
{
    return "#include <cmath>\n#include <stdexcept>\n"
           "template <int Tile> __attribute__((noinline)) double " +
           name +
           "(double x)\n{\n"
           "    static double const table[4] = {1, 2, 3, 5};\n" +
           body +
           "    if (x < 0) throw std::runtime_error(\"negative\");\n"
           "    return std::sin(x) * table[int(x) & 3];\n}\n"
           "extern \"C\" double attune_entry(double x) { return " +
           name + "<" + tile + ">(x); }\n";
}

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

TEST_CASE("one text has one key")
{
    if (!has_compiler()) return;
    CHECK(key_of(kernel("f", "1")) == key_of(kernel("f", "1")));
    CHECK(key_of(kernel("f", "1")).size() == 32);
}

TEST_CASE("names do not count: of functions, of template arguments, of the file")
{
    if (!has_compiler()) return;
    std::string const key = key_of(kernel("f", "1"));
    CHECK(key_of(kernel("another_name", "1")) == key);
    CHECK(key_of(kernel("f", "12345")) == key); // Tile is not used
    CHECK(key_of(kernel("f", "1"), {}, "other.cpp") == key);
    CHECK(key_of(kernel("f", "TILE"), {"-DTILE=1"}) == key);
    CHECK(key_of(kernel("f", "1", "    double const folded = 3 * 4; (void)folded;\n")) == key);
}

TEST_CASE("debug information does not count")
{
    if (!has_compiler()) return;
    std::string const key = key_of(kernel("f", "1"));
    CHECK(key_of(kernel("f", "1"), {"-g"}) == key);
    CHECK(key_of(kernel("f", "1"), {"-g3", "-DUNUSED=2"}) == key);
    CHECK(key_of(kernel("g", "TILE"), {"-g3", "-DTILE=64"}, "other.cpp") == key);
}

TEST_CASE("code, data and symbols from outside count")
{
    if (!has_compiler()) return;
    std::string const source = kernel("f", "1");
    std::string const key = key_of(source);
    auto const changed = [&](std::string const& from, std::string const& to) {
        std::string other = source;
        other.replace(other.find(from), from.size(), to);
        return key_of(other);
    };
    CHECK(changed("x < 0", "x < 1") != key);
    CHECK(changed("3, 5", "3, 6") != key);         // data
    CHECK(changed("std::sin", "std::cos") != key); // a relocation's symbol
    CHECK(changed("negative", "positive") != key); // a text
    CHECK(changed("& 3", "& 1") != key);
    CHECK(key_of(source, {"-O0"}) != key);
}

TEST_CASE("which of two functions is the entry counts")
{
    if (!has_compiler()) return;
    std::string const entry = "extern \"C\" int attune_entry() { return 1; }\n";
    std::string const other = "extern \"C\" int other() { return 2; }\n";
    std::string const swapped_entry = "extern \"C\" int other() { return 1; }\n";
    std::string const swapped_other = "extern \"C\" int attune_entry() { return 2; }\n";
    CHECK(key_of(entry + other) != key_of(swapped_entry + swapped_other));
}

TEST_CASE("which static object is made first counts")
{
    if (!has_compiler()) return;
    std::string const source = "extern int f(int);\nint a = f(1);\nint b = f(2);\n";
    std::string const swapped = "extern int f(int);\nint b = f(2);\nint a = f(1);\n";
    CHECK(key_of(source) != key_of(swapped));
}

TEST_CASE("a shared object and its relocatable object have keys of their own")
{
    if (!has_compiler()) return;
    attune::detail::temporary_folder const folder;
    std::string const source = folder.write("kernel.cpp", kernel("f", "1"));
    auto const linked = [&](std::vector<std::string> const& flags) {
        std::string const object = folder.path() + "/kernel.so";
        std::vector<std::string> command{
            "c++", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-Wl,--build-id=none"};
        command.insert(command.end(), flags.begin(), flags.end());
        command.insert(command.end(), {"-o", object, source});
        REQUIRE(attune::detail::run_process(command, 60.0).succeeded());
        return attune::detail::object_key(attune_test::text_of(object));
    };
    std::string const key = linked({});
    CHECK(linked({}) == key);
    CHECK(linked({"-g"}) == key);
    CHECK(linked({"-O0"}) != key);
    CHECK(key_of(kernel("f", "1")) != key);
}

TEST_CASE("bytes that are no object are hashed as they are")
{
    for (std::string const& bytes : {std::string(), std::string("\x7f") + "ELF"})
        CHECK(attune::detail::object_key(bytes) == attune::detail::content_hash{}.add(bytes).hex());
    CHECK(attune::detail::object_key("text") != attune::detail::object_key("tex"));
}

TEST_CASE("a damaged object has some key, and is not read past its end")
{
    if (!has_compiler()) return;
    std::string const whole = object_of(kernel("f", "1"));
    std::string const key = attune::detail::object_key(whole);
    for (std::size_t size = 0; size < whole.size(); size += 7)
        CHECK(attune::detail::object_key(std::string(whole.data(), size)) != key);
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string flipped = whole;
        for (char const bits : {'\x01', '\x80', '\xff'}) {
            flipped[at] = static_cast<char>(whole[at] ^ bits);
            (void)attune::detail::object_key(flipped);
        }
    }
}

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
