// tests/compile/system/object_key.cpp - a fingerprint of machine code that does not see names.
// SPDX-License-Identifier: MIT
#include <attune/compile/system/object_key.hpp>

#include <attune/compile/system/process.hpp>
#include <attune/core/hash.hpp>

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../../support/cache_folder.hpp"

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
    std::string const text = kernel("f", "1");
    std::string const key = key_of(text);
    auto const changed = [&](std::string const& from, std::string const& to) {
        std::string other = text;
        other.replace(other.find(from), from.size(), to);
        return key_of(other);
    };
    CHECK(changed("x < 0", "x < 1") != key);
    CHECK(changed("3, 5", "3, 6") != key);         // data
    CHECK(changed("std::sin", "std::cos") != key); // a relocation's symbol
    CHECK(changed("negative", "positive") != key); // a text
    CHECK(changed("& 3", "& 1") != key);
    CHECK(key_of(text, {"-O0"}) != key);
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
    std::string const text = "extern int f(int);\nint a = f(1);\nint b = f(2);\n";
    std::string const swapped = "extern int f(int);\nint b = f(2);\nint a = f(1);\n";
    CHECK(key_of(text) != key_of(swapped));
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
    CHECK(attune::detail::object_key("") == attune::detail::content_hash{}.add("").hex());
    CHECK(attune::detail::object_key("\x7f"
                                     "ELF") == attune::detail::content_hash{}
                                                   .add("\x7f"
                                                        "ELF")
                                                   .hex());
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
