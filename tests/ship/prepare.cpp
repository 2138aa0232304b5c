// tests/ship/prepare.cpp - what was compiled for other processors is loaded where there is no compiler.
// SPDX-License-Identifier: MIT
#include <attune/compile/system.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/core/error.hpp>
#include <attune/remember/shipped.hpp>
#include <attune/remember/store.hpp>
#include <attune/ship/baked/instruction_level.hpp>
#include <attune/ship/prepared_compiler.hpp>
#include <attune/tune/tuned.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <filesystem>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "../support/scratch_directory.hpp"
#include "../support/texts.hpp"

using attune::detail::prepare;
using attune::detail::prepare_request;
using attune_test::error_of;
using attune_test::has;

namespace {

constexpr char const* kernel_text =
    "#include <attune/tunable.hpp>\n"
    "#include <span>\n"
    "void scale(std::span<float> x, int n) noexcept\n"
    "{ constexpr int step = ATTUNE_TUNABLE(STEP, 1); int i = 0;\n"
    "  if constexpr (step > 1) for (; i + step <= n; i += step) for (int k = 0; k < step; ++k) x[i "
    "+ k] *= 2;\n"
    "  for (; i < n; ++i)\n"
    "    if constexpr (step == 1) { float volatile y = x[i]; y = y * 2; y = y + 0; x[i] = y; }\n"
    "    else x[i] *= 2; }\n";

void scale_by_default(std::span<float> x, int n) noexcept
{
    for (int i = 0; i < n; ++i)
        x[static_cast<std::size_t>(i)] *= 2;
}

constexpr auto step = attune::ordinal<"STEP">(attune::values(1, 64));
constexpr auto space = attune::space(step);
constexpr auto size = attune::input<"N", int>();
using scale_kernel = attune::kernel<void(std::span<float>, int)>;

/// A folder with a kernel and a store, in which a step of 64 won: a step of 1 goes through memory
/// for each number, so that no noise makes it the winner.
struct example {
    support::scratch_directory folder{};
    std::string const store = folder.file("s.attune");
    std::vector<float> x = std::vector<float>(1 << 20, 1.0f);

    example()
    {
        support::write_file(folder.file("scale.kernel.cpp"), kernel_text);
        attune::tuning_options options{.limits = {.evaluations = 2, .seconds = 30}};
        attune::tuned subject{kernel(), attune::system_compiler{}, attune::store{store}, options};
        subject(x, 1 << 20);
    }
    [[nodiscard]] scale_kernel kernel() const
    {
        scale_kernel out{"scale", attune::source_file(folder.file("scale.kernel.cpp")), space};
        out.bind<1>(size).fallback(&scale_by_default);
        return out;
    }
    [[nodiscard]] prepare_request request(std::vector<std::string> levels) const
    {
        return {.store = store,
                .kernel_file = folder.file("scale.kernel.cpp"),
                .levels = std::move(levels),
                .folder = folder.file("code")};
    }
};

example& the_example()
{
    static example one;
    return one;
}

[[nodiscard]] std::string instructions_of(std::string const& folder, char const* level,
                                          std::string const& disassembler = "objdump")
{
    std::string out;
    for (auto const& one : std::filesystem::directory_iterator(folder))
        if (has(one.path().string(), level))
            out +=
                attune::detail::run_process({disassembler, "-d", one.path().string()}, 60.0).output;
    return out;
}

} // namespace

TEST_CASE("winners and the default are compiled for other instruction sets, and loaded without a "
          "compiler")
{
    example& subject = the_example();
#ifdef __x86_64__
    auto const said = prepare(subject.request({"x86-64-v4", "x86-64-v2"}));
    REQUIRE_FALSE(said.empty());
    CHECK(has(said.back(), "configurations for x86_64 x86-64-v4, by "));
    std::string const code = subject.folder.file("code");
    if (!attune::detail::find_program("objdump").empty()) {
        CHECK(has(instructions_of(code, "x86-64-v4"), "ymm"));
        CHECK(has(instructions_of(code, "x86-64-v2"), "xmm"));
        CHECK_FALSE(has(instructions_of(code, "x86-64-v2"), "ymm"));
    }
    if (attune::detail::level_of(attune::detail::words_of_this_processor()) <
        attune::detail::instruction_level::x86_64_v2) {
        MESSAGE("skipped: this processor has less than x86-64-v2");
        return;
    }
    attune::prepared_compiler const compiler{code, "x86-64-v3"};
    CHECK(has(compiler.identity(), "prepared for x86_64 x86-64-v3 by "));
    attune::compile_request wanted = attune::variant_of<void(std::span<float>, int)>("scale");
    wanted.macros = {{"STEP", "1"}};
    auto const kernel = attune::source_file(subject.folder.file("scale.kernel.cpp"));
    auto const made = compiler.compile(kernel, wanted);
    std::vector<float> y(100, 1.5f);
    std::get<attune::callable>(made).as<void(std::span<float>, int)>()(y, 100);
    CHECK(y == std::vector<float>(100, 3.0f));
    wanted.macros = {{"STEP", "32"}};
    auto const other = compiler.compile(kernel, wanted);
    CHECK(has(std::get<attune::failure>(other).reason, "is not prepared in"));
#endif
}

TEST_CASE("a compiler for AArch64 prepares objects with SVE, without the flags of x86")
{
    std::string const compiler =
        attune::detail::machine_of_program() == "aarch64" ? "c++" : "aarch64-linux-gnu-g++";
    if (attune::detail::find_program(compiler).empty()) {
        MESSAGE("skipped: there is no aarch64-linux-gnu-g++");
        return;
    }
    example& subject = the_example();
    prepare_request asked = subject.request({"base", "armv8.2-a+sve"});
    asked.command = compiler;
    asked.folder = subject.folder.file("arm");
    auto const said = prepare(asked);
    CHECK(has(said.back(), "configurations for aarch64 armv8.2-a+sve, by "));
    std::size_t objects = 0;
    for (auto const& one : std::filesystem::directory_iterator(asked.folder)) {
        if (one.path().extension() != ".so") continue;
        ++objects;
        CHECK(attune::detail::machine_of_object(
                  attune::detail::bytes_of_file(one.path().string()).value()) == "aarch64");
    }
    CHECK(objects >= 4); // the default and a winner, twice
    std::string const disassembler = compiler == "c++" ? "objdump" : "aarch64-linux-gnu-objdump";
    if (attune::detail::find_program(disassembler).empty()) return;
    CHECK(has(instructions_of(asked.folder, "armv8.2-a+sve", disassembler), "whilelo"));
    CHECK_FALSE(has(instructions_of(asked.folder, "aarch64.base", disassembler), "whilelo"));
}

TEST_CASE("with a shipped store and no compiler, what won elsewhere serves once it was verified")
{
    example& subject = the_example();
    static_cast<void>(prepare(subject.request({"base"})));
    attune::tuning_options options{.on_miss = attune::miss_policy::lookup_only};
    attune::tuned release{subject.kernel(), attune::prepared_compiler{subject.folder.file("code")},
                          attune::shipped{subject.store}, options};
    auto const known = release.explain(subject.x, 1 << 20);
    CHECK(has(known.configuration, "STEP="));
    CHECK(known.how != attune::choice_match::exact);
    for (int call = 0; call < 3; ++call)
        release(subject.x, 1 << 20);
    CHECK(release.explain(subject.x, 1 << 20).serves);
}

TEST_CASE("what cannot be prepared is one sentence, and nothing is written")
{
    example& subject = the_example();
    auto const refused = [&](prepare_request const& asked) {
        return error_of([&] { static_cast<void>(prepare(asked)); });
    };
    prepare_request asked = subject.request({"x86-64-v9"});
    asked.folder = subject.folder.file("none");
    CHECK(has(refused(asked), "there is no instruction set of this name"));
    asked.levels = {"base"};
    asked.command = "no-such-compiler";
    CHECK(has(refused(asked), "the compiler was not found"));
    asked.command = "false";
    CHECK(has(refused(asked), "cannot compile the kernel for base"));
    asked.command = "c++";
    asked.store = subject.folder.file("x.attune");
    CHECK(has(refused(asked), "the store cannot be read"));
    CHECK_FALSE(std::filesystem::exists(asked.folder));
    if (!attune::detail::find_program("aarch64-linux-gnu-g++").empty()) {
        asked = subject.request({"x86-64-v4"});
        asked.folder = subject.folder.file("none");
        asked.command = "aarch64-linux-gnu-g++";
        CHECK(has(refused(asked), "cannot compile the kernel for x86-64-v4"));
        CHECK_FALSE(std::filesystem::exists(asked.folder));
        asked.levels = {"base"};
        asked.folder = subject.folder.file("arm");
        auto const said = prepare(asked);
        CHECK(has(said.back(), "configurations for aarch64 base"));
    }
    attune::prepared_compiler const nothing{subject.folder.file("none")};
    CHECK(has(error_of([&] { static_cast<void>(nothing.identity()); }),
              "nothing was prepared for processors such as this one"));
}
