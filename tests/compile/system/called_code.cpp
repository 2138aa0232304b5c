// tests/compile/system/called_code.cpp - the key of code changes with the libraries that it calls.
// SPDX-License-Identifier: MIT
#include <attune/compile/clang.hpp>
#include <attune/compile/compiler.hpp>
#include <attune/compile/source/signature.hpp>
#include <attune/compile/system.hpp>
#include <attune/compile/system/libraries.hpp>
#include <attune/compile/system/process.hpp>

#include <chrono>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "../../support/cache_folder.hpp"
#include "../../support/child_status.hpp"

using attune::detail::key_with_callees;
using attune_test::text_of_child;

namespace {

std::string const plain(32, 'a');

/// libouter_of_test.so calls libinner_of_test.so; both in one folder.
struct libraries {
    attune_test::cache_folder files{};
    std::string folder{};
    std::string flags{};

    explicit libraries(std::string more = {})
        : flags(std::move(more))
    {
        folder = std::filesystem::path(files.write("lib/x", "")).parent_path().string();
        make_inner(1);
        (void)files.write("lib/outer.c", "int inner(void); int outer(void) { return inner(); }\n");
        run("cc -O1 -shared -fPIC " + flags +
            " outer.c -o libouter_of_test.so -L. -linner_of_test "
            "-Wl,-rpath,'" +
            folder + "'");
    }
    void make_inner(int value) const
    {
        (void)files.write("lib/inner.c",
                          "int inner(void) { return " + std::to_string(value) + "; }\n");
        run("cc -O1 -shared -fPIC " + flags + " inner.c -o libinner_of_test.so");
    }
    void run(std::string const& command) const
    {
        REQUIRE(std::system(("cd '" + folder + "' && " + command).c_str()) == 0);
        std::this_thread::sleep_for(std::chrono::milliseconds(40)); // then it can be depended on
    }
    [[nodiscard]] attune::kernel_source kernel() const
    {
        attune::kernel_source out = attune::source_text(
            "extern \"C\" int outer();\nlong f() { return outer(); }\n", "/k.cpp");
        out.flags = {"-L" + folder, "-louter_of_test"};
        return out;
    }
};

/// "<value> <key>" of the kernel, compiled or taken from the cache.
template <class Compiler>
std::string value_and_key(Compiler const& compiler, attune::kernel_source const& kernel)
{
    attune::compile_request const v = attune::variant_of<long()>("f");
    attune::compile_result const made = compiler.compile(kernel, v);
    if (auto const* const why = std::get_if<attune::failure>(&made)) return why->reason;
    auto const& code = std::get<attune::callable>(made);
    std::string out = std::to_string(code.template as<long()>()()) + ' ' + code.object_key;
    (void)compiler.keep_winner(kernel, v);
    std::optional<attune::callable> const winner = compiler.find_winner(kernel, v);
    CHECK(winner.has_value());
    if (winner && winner->object_key != code.object_key) out += " another one of the winner";
    return out;
}

} // namespace

TEST_CASE("code that takes nothing from outside keeps its key, other code has one of its own")
{
    CHECK(key_with_callees(plain, {}, {}) == plain);
    CHECK(key_with_callees(plain, {"there_is_no_such_function_of_test"}, {}) == plain);
    std::string const of_c = key_with_callees(plain, {"strlen"}, {});
    CHECK(of_c != plain);
    CHECK(of_c.size() == 32);
    CHECK(of_c == key_with_callees(plain, {"memcpy", "strlen"}, {}));
    CHECK(of_c != key_with_callees(std::string(32, 'b'), {"strlen"}, {}));
}

TEST_CASE("the key changes with a library, and with one that it needs, in either compiler")
{
    if (!attune::system_compiler().missing().empty()) return;
    for (std::string const flags : {"", "-Wl,--build-id=none"}) {
        libraries const made(flags);
        attune::clang_options by_clang{.cache = made.files.options()};
        attune::system_options by_system{.cache = made.files.options()};
        auto const both = [&] {
            std::string out = text_of_child(
                [&] { return value_and_key(attune::clang_compiler(by_clang), made.kernel()); });
            return out + ' ' + text_of_child([&] {
                       return value_and_key(attune::system_compiler(by_system), made.kernel());
                   });
        };
        std::string const first = both();
        CHECK(both() == first);
        CHECK(first.find("another") == first.npos);
        made.make_inner(2);
        std::string const second = both();
        auto const words = [](std::string const& text) {
            std::istringstream in(text);
            std::vector<std::string> out;
            for (std::string word; in >> word;)
                out.push_back(word);
            return out;
        };
        REQUIRE(words(first).size() == 4);
        REQUIRE(words(second).size() == 4);
        CHECK(words(first)[0] == "1");
        CHECK(words(second)[0] == "2");
        for (std::size_t i = 0; i < 4; ++i)
            CHECK(words(first)[i] != words(second)[i]);
    }
}

TEST_CASE("names that code takes from outside are those of its symbol table")
{
    if (!attune::system_compiler().missing().empty()) return;
    attune_test::cache_folder const files;
    std::string const source = files.write(
        "s.c",
        "#include <math.h>\nint other(int); int f(int n) { return other(n) + (int)sin(n); }\n");
    std::string const folder = std::filesystem::path(source).parent_path().string();
    REQUIRE(
        std::system(("cd '" + folder + "' && cc -fPIC -c s.c -o s.o && cc -shared s.o -o s.so -lm")
                        .c_str()) == 0);
    std::vector<std::string> const expected{"other", "sin"};
    CHECK(attune::detail::outside_names(attune_test::text_of(folder + "/s.o")) == expected);
    CHECK(attune::detail::outside_names(attune_test::text_of(folder + "/s.so")) == expected);
    CHECK(attune::detail::outside_names("no object").empty());
}
