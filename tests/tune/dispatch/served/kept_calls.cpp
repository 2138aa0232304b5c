// tests/tune/dispatch/served/kept_calls.cpp - what a tuned leaves in its store is what its report said.
// SPDX-License-Identifier: MIT
#include <attune/remember/layers.hpp>
#include <attune/remember/lines/store_content.hpp>
#include <attune/remember/shipped.hpp>
#include <attune/remember/store.hpp>
#include <attune/tune/dispatch/served/served_inputs.hpp>
#include <attune/tune/tuned.hpp>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <new>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "../../../support/open_files.hpp"
#include "../../../support/scratch_directory.hpp"
#include "../../../support/set_variable.hpp"
#include "../../../support/texts.hpp"
#include "../../../support/tuned_add.hpp"

using namespace attune_test;
using attune::detail::dispatched_kernel;
using attune::detail::kept_calls;
using attune::detail::listed_problem;
using attune::detail::problem_calls;
using attune::detail::store_content;
using attune::detail::stored_problem;

namespace {

/// The lines of a store that hold counts of calls. Calls write other lines too: verified shapes.
std::string calls_lines(std::string const& path)
{
    std::istringstream all(support::read_file(path));
    std::string out;
    for (std::string line; std::getline(all, line);)
        if (attune_test::has(line, R"("calls":[)")) out += line + '\n';
    return out;
}

std::vector<listed_problem> problems_in(std::string const& path)
{
    return store_content::of_file(path).problems(99, true);
}

/// The sentence of the only problem.
std::string text_in(std::string const& path)
{
    auto const listed = problems_in(path);
    REQUIRE(listed.size() == 1);
    return listed[0].calls.coverage.text();
}

using stored_add = attune::tuned<add_signature, scripted_compiler, attune::store>;

stored_add add_with(std::string const& path, attune::tuning_options options = quick_options())
{
    return tuned_add(std::move(options), attune::store(path));
}

/// Calls of which one length stays with the default.
void call_often(stored_add& add)
{
    add_data of;
    for (std::size_t i = 0; i < 40; ++i)
        of.call(add, i % 4 == 3 ? 515 : 1'024);
}

/// A store with the winner of `add`, without calls.
void tune_into(std::string const& path)
{
    stored_add add = add_with(path);
    add_data of;
    static_cast<void>(
        add.tune(std::span<int const>(of.x).first(1'024), std::span(of.y).first(1'024)));
    REQUIRE(add.report().how == attune::decision::tuned);
}

/// One subject, one problem or several, and the calls that were written.
struct counted_kernel {
    dispatched_kernel const subject{
        .kernel = attune::kernel<add_signature>{"add", accumulate_source(), ways<usual, fast>()}
                      .describe(),
        .compiler = {},
        .options = {},
        .layout = std::vector<attune::detail::shape_word>(3),
        .find_device = {}};
    std::vector<problem_calls> written{};
    int writes = 0;

    attune::detail::any_store store()
    {
        attune::detail::any_store out;
        out.count = [this](std::vector<problem_calls> const& all) {
            written = all;
            ++writes;
        };
        return out;
    }
    static stored_problem problem(int size)
    {
        stored_problem out;
        out.key.kernel = "add";
        out.key.inputs = {{"N", std::to_string(size)}};
        return out;
    }
};

kept_calls* in_handler = nullptr;
attune::detail::shape_register* shapes_in_handler = nullptr;

} // namespace

TEST_CASE("what the store says of the calls is what the report said")
{
    auto const [folder, path] = support::scratch_file("s");
    std::string said;
    {
        stored_add add = add_with(path);
        call_often(add);
        said = add.report().coverage.text();
    }
    CHECK(has(said, " of 40 calls and "));
    CHECK(has(said, "the variant is wrong where"));
    CHECK(text_in(path) == said);
}

TEST_CASE("the calls of later objects of the process are added")
{
    auto const [folder, path] = support::scratch_file("s");
    std::uint64_t by_winner = 0;
    for (std::uint64_t i = 1; i <= 3; ++i) {
        {
            stored_add add = add_with(path);
            call_often(add);
            by_winner += add.report().coverage.by_winner;
        }
        auto const listed = problems_in(path);
        REQUIRE(listed.size() == 1);
        CHECK(listed[0].calls.coverage.calls == 40 * i);
        CHECK(listed[0].calls.coverage.by_winner == by_winner);
        CHECK(by_winner > 20 * i);
    }
}

TEST_CASE("processes that end at once lose no call")
{
    auto const [folder, path] = support::scratch_file("s");
    tune_into(path);
    std::vector<::pid_t> children;
    for (int i = 0; i < 4; ++i)
        children.push_back(fork_child([&] {
            stored_add add = add_with(path);
            call_often(add);
        }));
    for (::pid_t const child : children)
        CHECK(status_of(child) == 0);
    auto const listed = problems_in(path);
    REQUIRE(listed.size() == 1);
    CHECK(listed[0].calls.coverage.calls == 160);
}

TEST_CASE("an object that was moved from leaves nothing, and one without calls neither")
{
    auto const [folder, path] = support::scratch_file("s");
    tune_into(path);
    std::string const before = calls_lines(path);
    {
        stored_add unused = add_with(path);
    }
    CHECK(calls_lines(path) == before);
    {
        stored_add first = add_with(path);
        call_often(first);
        stored_add const second = std::move(first);
    }
    auto const listed = problems_in(path);
    REQUIRE(listed.size() == 1);
    CHECK(listed[0].calls.coverage.calls == 40);
}

TEST_CASE("lookup_only, a forced configuration and a first store that is shipped write nothing")
{
    auto const [folder, path] = support::scratch_file("s");
    tune_into(path);
    std::string const before = calls_lines(path);
    {
        attune::tuning_options options = quick_options();
        options.on_miss = attune::miss_policy::lookup_only;
        stored_add add = add_with(path, options);
        call_often(add);
    }
    CHECK(calls_lines(path) == before);
    {
        set_variable const mode("ATTUNE_MODE", "lookup_only");
        stored_add add = add_with(path);
        call_often(add);
    }
    CHECK(calls_lines(path) == before);
    {
        set_variable const forced("ATTUNE_FORCE", "WAY=1");
        stored_add add = add_with(path);
        call_often(add);
    }
    CHECK(calls_lines(path) == before);
    {
        auto add =
            tuned_add(quick_options(), attune::layers{attune::shipped(path), attune::store(path)});
        add_data of;
        of.call(add, 1'024);
        CHECK(add.report().coverage.calls == 1);
    }
    CHECK(calls_lines(path) == before);
}

TEST_CASE("a store that nothing was written to is not made at the end")
{
    auto const [folder, path] = support::scratch_file("s");
    attune::tuning_options options = quick_options();
    options.limits.evaluations = 0; // nothing to spend
    {
        stored_add add = add_with(path, options);
        call_often(add);
        CHECK(add.report().coverage.by_winner == 0);
    }
    CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a child of a fork leaves nothing of an object that its parent made")
{
    auto const [folder, path] = support::scratch_file("s");
    std::optional<stored_add> add(add_with(path));
    call_often(*add);
    std::string const before = calls_lines(path);
    CHECK(status_of(fork_child([&] {
              call_often(*add);
              add.reset();
          })) == 0);
    CHECK(calls_lines(path) == before);
    std::string const said = add->report().coverage.text();
    add.reset();
    CHECK(text_in(path) == said);
}

TEST_CASE("exit() leaves the calls of a static object, _exit() does not")
{
    auto const [folder, path] = support::scratch_file("s");
    tune_into(path);
    std::string const before = calls_lines(path);
    int by_winner = 0; // of the child, which exits with this number
    for (bool const is_quick : {true, false}) {
        int const status = status_of(fork_child([&, file = path] {
            static stored_add add = add_with(file);
            call_often(add);
            int const count = static_cast<int>(add.report().coverage.by_winner);
            if (is_quick) ::_exit(count);
            std::exit(count);
        }));
        REQUIRE(WIFEXITED(status));
        by_winner = WEXITSTATUS(status);
        CHECK(by_winner > 20);
        if (is_quick) CHECK(calls_lines(path) == before);
    }
    auto const listed = problems_in(path);
    REQUIRE(listed.size() == 1);
    CHECK(listed[0].calls.coverage.calls == 40);
    CHECK(listed[0].calls.coverage.by_winner == static_cast<std::uint64_t>(by_winner));
}

TEST_CASE("each set of bound inputs is a problem of its own")
{
    static constexpr auto n = attune::input<"N", int>();
    static constexpr auto way = attune::ordinal<"WAY">(attune::values(0, 1));
    using sized = void(std::span<int const>, std::span<int>, int);
    auto const [folder, path] = support::scratch_file("s");
    attune::kernel<sized> kernel{"sized", accumulate_source(),
                                 attune::space(way).where(n + way >= 0)};
    kernel.bind<2>(n);
    scripted_compiler const compiler{[](attune::compile_request const& v) {
        bool is_fast = false;
        for (attune::macro_definition const& m : v.macros)
            is_fast = is_fast || (m.name == "WAY" && m.value == "1");
        using code = void (*)(std::span<int const>, std::span<int>, int);
        code const usual_way = [](std::span<int const> x, std::span<int> y, int) {
            usual_add(x, y);
        };
        code const fast_way = [](std::span<int const> x, std::span<int> y, int) { fast_add(x, y); };
        return scripted_compiler::answer{reinterpret_cast<void*>(is_fast ? fast_way : usual_way)};
    }};
    std::uint64_t calls = 0;
    {
        attune::tuned tuned{kernel, compiler, attune::store(path), quick_options()};
        add_data of;
        for (int const size : {1'024, 512, 1'024, 512, 1'024, 1'024})
            tuned(std::span<int const>(of.x).first(static_cast<std::size_t>(size)),
                  std::span(of.y).first(static_cast<std::size_t>(size)), size);
        calls = tuned.report().coverage.calls;
    }
    CHECK(calls == 6);
    auto const listed = problems_in(path);
    REQUIRE(listed.size() == 2);
    for (listed_problem const& one : listed)
        CHECK(one.calls.coverage.calls == (one.problem.key.inputs[0].second == "512" ? 2 : 4));
}

TEST_CASE("problems get numbers, equal ones the same; beyond 1,024 none")
{
    counted_kernel of;
    kept_calls kept(of.subject, of.store());
    CHECK(kept.number_of(of.problem(1)) == 1);
    CHECK(kept.number_of(of.problem(2)) == 2);
    CHECK(kept.number_of(of.problem(1)) == 1);
    for (int i = 3; i <= 1'024; ++i)
        CHECK(kept.number_of(of.problem(i)) == static_cast<std::uint32_t>(i));
    CHECK(kept.number_of(of.problem(2'000)) == 0);
    CHECK(kept.number_of(of.problem(7)) == 7);
}

TEST_CASE("of many problems, the 16 with the most calls are written, by one write")
{
    counted_kernel of;
    kept_calls kept(of.subject, of.store());
    attune::detail::shape_register shapes;
    attune::detail::installed_variant const code{};
    for (std::int64_t i = 1; i <= 40; ++i) {
        std::int64_t const key[] = {i, 0, 0};
        auto* const shape = shapes.meet(key).shape;
        std::uint32_t const number = kept.number_of(of.problem(static_cast<int>(i)));
        for (std::int64_t call = 0; call < i; ++call)
            shapes.count({shape, &code, number}, code, attune::detail::untimed);
    }
    kept.write(shapes);
    CHECK(of.writes == 1);
    REQUIRE(of.written.size() == 16);
    for (std::size_t i = 0; i < 16; ++i) {
        CHECK(of.written[i].calls.coverage.calls == 40 - i);
        CHECK(of.written[i].problem.key.inputs[0].second == std::to_string(40 - i));
        CHECK(of.written[i].calls.from_s <= of.written[i].calls.to_s);
    }
}

TEST_CASE("all calls are of the only problem; of several, calls of unknown inputs are left out")
{
    counted_kernel of;
    kept_calls kept(of.subject, of.store());
    attune::detail::shape_register shapes;
    attune::detail::installed_variant const code{};
    std::int64_t const key[] = {1, 0, 0}, other[] = {2, 0, 0};
    kept.write(shapes);
    CHECK(of.writes == 0);
    shapes.count({shapes.meet(key).shape, &code, kept.number_of(of.problem(1))}, code, 1);
    shapes.count({shapes.meet(other).shape, nullptr, 0}, code, 1);
    shapes.count({}, code, 1);
    kept.write(shapes);
    REQUIRE(of.written.size() == 1);
    CHECK(of.written[0].calls.coverage.calls == 3);
    CHECK(of.written[0].calls.coverage.by_winner == 1);
    CHECK(of.written[0].calls.coverage.rest.size() == 2);
    CHECK(kept.number_of(of.problem(2)) == 2);
    kept.write(shapes);
    REQUIRE(of.written.size() == 1);
    CHECK(of.written[0].calls.coverage.calls == 1);
}

TEST_CASE("a signal handler writes nothing, and a store that throws does no harm")
{
    counted_kernel of;
    kept_calls kept(of.subject, of.store());
    attune::detail::shape_register shapes;
    attune::detail::installed_variant const code{};
    std::int64_t const key[] = {1, 0, 0};
    shapes.count({shapes.meet(key).shape, &code, kept.number_of(of.problem(1))}, code, 1);
    in_handler = &kept;
    shapes_in_handler = &shapes;
    auto const before = std::signal(SIGUSR1, [](int) { in_handler->write(*shapes_in_handler); });
    std::raise(SIGUSR1);
    std::signal(SIGUSR1, before);
    CHECK(of.writes == 0);
    kept.write(shapes);
    CHECK(of.writes == 1);
    attune::detail::any_store bad;
    bad.count = [](std::vector<problem_calls> const&) { throw std::bad_alloc(); };
    kept_calls other(of.subject, bad);
    CHECK(other.number_of(of.problem(1)) == 1);
    other.write(shapes);
    attune::detail::any_store const none;
    CHECK_FALSE(kept_calls(of.subject, none).is_on());
}
