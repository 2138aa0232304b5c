// tests/compile/system/shared_code.cpp - a shared object in memory, into this process and out again.
// SPDX-License-Identifier: MIT
#include <attune/compile/system/shared_code.hpp>

#include <attune/compile/system/process.hpp>

#include <cstdlib>
#include <doctest/doctest.h>
#include <string>
#include <thread>
#include <vector>

#include "../../support/cache_folder.hpp"
#include "../../support/set_variable.hpp"

namespace {

/// What the machine's compiler makes of a text; empty when there is none.
std::string compiled(std::string const& text, bool shared)
{
    attune::detail::temporary_folder const folder;
    std::string const source = folder.write("f.cpp", text);
    std::string const object = folder.path() + "/f.o";
    auto const run = attune::detail::run_process(
        {"c++", "-O1", "-fPIC", shared ? "-shared" : "-c", "-o", object, source}, 60.0);
    return run.succeeded() ? attune_test::text_of(object) : std::string{};
}

std::string number_text(int number)
{
    return "extern \"C\" int attune_entry() { return " + std::to_string(number) + "; }\n";
}

int call(attune::detail::shared_code const& loaded)
{
    return reinterpret_cast<int (*)()>(loaded.address)();
}

bool usable()
{
    bool const found =
        !attune::detail::find_program("c++").empty() && !attune::detail::find_program("ld").empty();
    if (!found) MESSAGE("skipped: no c++ or no ld in PATH");
    return found;
}

} // namespace

TEST_CASE("a relocatable object is linked, loaded and called")
{
    if (!usable()) return;
    std::string problem;
    auto const object =
        attune::detail::link_shared_object(compiled(number_text(7), false), {}, problem);
    REQUIRE_MESSAGE(object.has_value(), problem);
    auto const loaded = attune::detail::load_shared_code(*object, problem);
    REQUIRE_MESSAGE(loaded.code != nullptr, problem);
    CHECK(call(loaded) == 7);
}

TEST_CASE("objects that are loaded at once and one after the other are not confused")
{
    if (!usable()) return;
    std::string problem;
    std::vector<attune::detail::shared_code> kept;
    for (int number = 0; number < 5; ++number) {
        std::string const object = compiled(number_text(number), true);
        for (int again = 0; again < 3; ++again) {
            auto const loaded = attune::detail::load_shared_code(object, problem);
            REQUIRE_MESSAGE(loaded.code != nullptr, problem);
            CHECK(call(loaded) == number);
        }
        kept.push_back(attune::detail::load_shared_code(object, problem));
    }
    for (int number = 0; number < 5; ++number)
        CHECK(call(kept[static_cast<std::size_t>(number)]) == number);
}

TEST_CASE("what cannot be loaded or linked says why")
{
    if (!usable()) return;
    std::string problem;
    CHECK(attune::detail::load_shared_code("no object at all", problem).code == nullptr);
    CHECK(!problem.empty());
    problem.clear();
    CHECK(attune::detail::load_shared_code(compiled("int other;\n", true), problem).code ==
          nullptr);
    CHECK(problem.find("attune_entry") != std::string::npos);
    problem.clear();
    std::string const missing =
        "int not_there();\nextern \"C\" int attune_entry() { return not_there(); }\n";
    CHECK(attune::detail::load_shared_code(compiled(missing, true), problem).code == nullptr);
    CHECK(problem.find("not_there") != std::string::npos);
    problem.clear();
    CHECK_FALSE(attune::detail::link_shared_object("no object at all", {}, problem).has_value());
    CHECK(problem.find("the linker") == 0);
}

TEST_CASE("a static object whose constructor throws is a problem, and leaves the loader usable")
{
    if (!usable()) return;
    std::string const object = compiled(
        "#include <stdexcept>\n#include <stdlib.h>\n#include <string>\n"
        "static void note(char c)\n{\n    std::string all(getenv(\"ATTUNE_TEST_TALE\"));\n"
        "    setenv(\"ATTUNE_TEST_TALE\", (all + c).c_str(), 1);\n}\n"
        "static struct first { first() { note('a'); } ~first() { note('b'); } } one;\n"
        "static struct second { second() { note('c'); throw std::runtime_error(\"no\"); } } "
        "two;\nextern \"C\" int attune_entry() { return &one != nullptr; }\n",
        true);
    attune_test::set_variable const begun("ATTUNE_TEST_TALE", "");
    std::string problem;
    CHECK(attune::detail::load_shared_code(object, problem).code == nullptr);
    CHECK(problem == "a static object of the kernel threw an exception: no");
    CHECK(std::string(::getenv("ATTUNE_TEST_TALE")) == "acb");
    std::string const other = compiled(number_text(7), true);
    int got = 0;
    std::thread([&] {
        std::string none;
        got = call(attune::detail::load_shared_code(other, none));
    }).join();
    CHECK(got == 7);
}

TEST_CASE("the loading leaves no file and no descriptor behind")
{
    if (!usable()) return;
    auto const descriptors = [] {
        auto const list = std::filesystem::directory_iterator("/proc/self/fd");
        return std::distance(begin(list), end(list));
    };
    std::string const object = compiled(number_text(7), true);
    std::string problem;
    auto const before = descriptors();
    auto const loaded = attune::detail::load_shared_code(object, problem); // while it is loaded
    CHECK(loaded.code != nullptr);
    CHECK(descriptors() == before);
}
