// tests/compile/clang_cache.cpp - clang_compiler over the object cache, and its winners.
// SPDX-License-Identifier: MIT
#include <attune/compile/clang.hpp>
#include <attune/compile/system/process.hpp>

#include <chrono>
#include <filesystem>
#include <optional>

#include "../laws/compiler.hpp"
#include "../support/cache_folder.hpp"
#include "../support/rounds.hpp"
#include "../support/second_time.hpp"

using attune_laws::callable_of;
using attune_laws::scaled_sum_of_1_2_3;
using attune_laws::scaled_sum_source;
using attune_laws::scaled_sum_variant;
using attune_test::cache_folder;
using attune_test::second_time;

namespace {

bool usable()
{
    std::string const notice = attune::clang_compiler().notice();
    if (!notice.empty()) MESSAGE("skipped: " << notice);
    return notice.empty();
}

attune::clang_compiler over(cache_folder const& folder)
{
    return attune::clang_compiler({.cache = folder.options()});
}

/// Hands out shared objects.
struct winners {
    attune::clang_compiler first;
    attune::clang_compiler second;

    explicit winners(cache_folder const& folder)
        : first(over(folder))
        , second(over(folder))
    {
    }
    attune::compile_result compile(attune::kernel_source const& kernel,
                                   attune::compile_request const& v)
    {
        attune::compile_result result = first.compile(kernel, v);
        if (!std::holds_alternative<attune::callable>(result)) return result;
        std::string const key = std::get<attune::callable>(result).object_key;
        result = attune::failure{}; // unloads it
        CHECK(first.keep_winner(kernel, v));
        std::optional<attune::callable> found = second.find_winner(kernel, v);
        if (!found) return attune::failure{attune::failure_stage::load, "not found", {}};
        CHECK(found->from_cache);
        CHECK(found->object_key == key);
        return *found;
    }
    std::string identity() const { return second.identity(); }
};

} // namespace

TEST_CASE("code from the cache keeps the laws of a compiler")
{
    cache_folder const folder;
    if (usable())
        attune_laws::compiler_laws([&] { return second_time{over(folder), over(folder)}; });
}

TEST_CASE("code from the cache keeps the laws of a C++ compiler")
{
    cache_folder const folder;
    if (usable())
        attune_laws::cpp_compiler_laws([&] { return second_time{over(folder), over(folder)}; });
}

TEST_CASE("winners keep the laws of a compiler")
{
    cache_folder const folder;
    if (usable()) attune_laws::compiler_laws([&] { return winners(folder); });
}

TEST_CASE("winners keep the laws of a C++ compiler")
{
    cache_folder const folder;
    if (usable()) attune_laws::cpp_compiler_laws([&] { return winners(folder); });
}

TEST_CASE("what was compiled once is not compiled again, and is the same code")
{
    if (!usable()) return;
    cache_folder const folder;
    attune::clang_compiler const first = over(folder);
    attune::callable const made =
        callable_of(first.compile(scaled_sum_source(), scaled_sum_variant("2")));
    CHECK_FALSE(made.from_cache);
    CHECK(first.statistics().misses == 1);
    CHECK(first.statistics().hits == 0);
    attune::clang_compiler const second = over(folder);
    attune::callable const again =
        callable_of(second.compile(scaled_sum_source(), scaled_sum_variant("2")));
    CHECK(again.from_cache);
    CHECK(again.object_key == made.object_key);
    CHECK(again.compiler == made.compiler);
    CHECK(scaled_sum_of_1_2_3(again) == 12.0);
    CHECK(second.statistics().hits == 1);
    CHECK(second.statistics().misses == 0);
}

TEST_CASE("spills and vector instructions of the code are counted, and the cache keeps them")
{
    if (!usable()) return;
    cache_folder const folder;
    // LIVE sums stay in registers across the loop: a processor has 32 of doubles at most.
    attune::kernel_source const sums = attune::source_text(
        "double sums(double const* x, int n)\n{\n    double s[LIVE];\n"
        "#pragma clang loop unroll(full)\n"
        "    for (int i = 0; i < LIVE; ++i) s[i] = x[i];\n"
        "    for (int k = 0; k < n; ++k) {\n"
        "#pragma clang loop unroll(full)\n"
        "        for (int i = 0; i < LIVE; ++i) {\n"
        "            s[i] = s[i] * s[(i + 7) % LIVE] + 1;\n"
        "            asm volatile(\"\" : : : \"memory\");\n        }\n    }\n"
        "    double out = 0;\n#pragma clang loop unroll(full)\n"
        "    for (int i = 0; i < LIVE; ++i) out = out * x[i] + s[i];\n    return out;\n}\n",
        "sums.cpp");
    attune::kernel_source const saxpy = attune::source_text(
        "void saxpy(float a, float const* x, float* y, int n)\n{\n"
        "#if !VECTORS\n#pragma clang loop vectorize(disable) interleave(disable)\n#endif\n"
        "    for (int i = 0; i < n; ++i) y[i] += a * x[i];\n}\n",
        "saxpy.cpp");
    auto const size_of = [&](attune::kernel_source const& kernel, attune::compile_request v,
                             std::string const& flag, std::vector<std::string> const& more = {}) {
        v.flags = {flag};
        v.flags.insert(v.flags.end(), more.begin(), more.end());
        attune::callable const made = callable_of(over(folder).compile(kernel, v));
        attune::callable const again = callable_of(over(folder).compile(kernel, v));
        CHECK_FALSE(made.from_cache);
        CHECK(again.from_cache);
        CHECK(again.size.spills == made.size.spills);
        CHECK(again.size.vector_instructions == made.size.vector_instructions);
        CHECK(again.size.stack_bytes == made.size.stack_bytes);
        return made.size;
    };
    auto const of_sums = attune::variant_of<double(double const*, int)>("sums");
    std::vector<std::string> const scalar{"-fno-vectorize", "-fno-slp-vectorize"};
    attune::code_size const few = size_of(sums, of_sums, "-DLIVE=4", scalar);
    attune::code_size const many = size_of(sums, of_sums, "-DLIVE=40", scalar);
    CHECK(few.spills == 0);
    CHECK(few.vector_instructions == 0);
    CHECK(many.spills.value() >= 40 - 32); // each sum without a register is stored at least once
    CHECK(many.vector_instructions == 0);
    CHECK(many.stack_bytes.value() >= 8 * (40 - 32));
    CHECK_FALSE(size_of(sums, of_sums, "-DLIVE=5", {"-O0"}).spills);
    auto const of_saxpy = attune::variant_of<void(float, float const*, float*, int)>("saxpy");
    CHECK(size_of(saxpy, of_saxpy, "-DVECTORS=1").vector_instructions.value() >= 3);
    CHECK(size_of(saxpy, of_saxpy, "-DVECTORS=0").vector_instructions == 0);
}

TEST_CASE("another flag, macro or text is compiled anew")
{
    if (!usable()) return;
    cache_folder const folder;
    attune::clang_options options{.cache = folder.options()};
    attune::kernel_source kernel = scaled_sum_source();
    std::string factor = "2";
    SUBCASE("flag of the compiler") { options.flags = {"-O1", "-std=c++20"}; }
    SUBCASE("flag of the kernel") { kernel.flags = {"-ffast-math"}; }
    SUBCASE("macro") { factor = "3"; }
    SUBCASE("text") { kernel.text += "// more\n"; }
    (void)callable_of(over(folder).compile(scaled_sum_source(), scaled_sum_variant("2")));
    attune::clang_compiler const other(options);
    CHECK_FALSE(callable_of(other.compile(kernel, scaled_sum_variant(factor))).from_cache);
    CHECK(callable_of(other.compile(kernel, scaled_sum_variant(factor))).from_cache);
}

TEST_CASE("a header that was written while it was read is not trusted")
{
    if (!usable()) return;
    cache_folder const folder;
    std::string const header = folder.write("number.hpp", "inline int number() { return 4; }\n");
    // As if it were written while it is read, however slow this machine is.
    std::filesystem::last_write_time(header, std::filesystem::file_time_type::clock::now() +
                                                 std::chrono::hours{1});
    attune::kernel_source const kernel =
        attune::source_text("#include \"" + header + "\"\nint f() { return number(); }\n", "f.cpp");
    for (int i = 0; i < 2; ++i) {
        attune::callable const made =
            callable_of(over(folder).compile(kernel, attune::variant_of<int()>("f")));
        CHECK(made.as<int()>()() == 4);
        CHECK_FALSE(made.from_cache);
    }
}

TEST_CASE("damaged files lead to another compilation, never to other code")
{
    if (!usable()) return;
    cache_folder const folder;
    (void)callable_of(over(folder).compile(scaled_sum_source(), scaled_sum_variant("2")));
    REQUIRE(over(folder).keep_winner(scaled_sum_source(), scaled_sum_variant("2")));
    std::size_t const rounds = attune_test::rounds(10, 40);
    for (std::size_t round = 0; round < rounds; ++round)
        for (std::filesystem::path const& file : folder.files()) {
            std::string text = attune_test::text_of(file);
            std::size_t const at = round * text.size() / rounds;
            if (round % 2 == 0)
                text.resize(at);
            else
                text[at] = static_cast<char>(text[at] ^ 4);
            attune_test::replace_text(file, text);
            attune::clang_compiler const compiler = over(folder);
            auto const winner = compiler.find_winner(scaled_sum_source(), scaled_sum_variant("2"));
            if (winner) CHECK(scaled_sum_of_1_2_3(*winner) == 12.0);
            CHECK(scaled_sum_of_1_2_3(callable_of(
                      compiler.compile(scaled_sum_source(), scaled_sum_variant("2")))) == 12.0);
            (void)compiler.keep_winner(scaled_sum_source(), scaled_sum_variant("2"));
        }
}

TEST_CASE("without a cache nothing is kept")
{
    if (!usable()) return;
    cache_folder const folder;
    attune::clang_options options{.cache = folder.options()};
    options.cache.enabled = false;
    attune::clang_compiler const compiler(options);
    for (int i = 0; i < 2; ++i)
        CHECK_FALSE(
            callable_of(compiler.compile(scaled_sum_source(), scaled_sum_variant("2"))).from_cache);
    CHECK_FALSE(compiler.keep_winner(scaled_sum_source(), scaled_sum_variant("2")));
    CHECK_FALSE(compiler.find_winner(scaled_sum_source(), scaled_sum_variant("2")));
    CHECK_FALSE(compiler.statistics().off_because.empty());
}

TEST_CASE("a winner brings the library of OpenMP along")
{
    if (!usable()) return;
    cache_folder const folder;
    attune::clang_compiler const compiler = over(folder);
    attune::kernel_source kernel =
        attune::source_text("int sum(int n)\n{\n    int total = 0;\n"
                            "#pragma omp parallel for reduction(+ : total) num_threads(2)\n"
                            "    for (int i = 1; i <= n; ++i) total += i;\n    return total;\n}\n",
                            "sum.cpp");
    kernel.flags = {"-fopenmp"};
    attune::compile_request const v = attune::variant_of<int(int)>("sum");
    attune::compile_result const made = compiler.compile(kernel, v);
    if (auto const* const failed = std::get_if<attune::failure>(&made)) {
        MESSAGE("skipped: " << failed->reason);
        return;
    }
    CHECK(callable_of(made).as<int(int)>()(100) == 5050);
    REQUIRE(compiler.keep_winner(kernel, v));
    auto const winner = compiler.find_winner(kernel, v);
    REQUIRE(winner.has_value());
    CHECK(winner->as<int(int)>()(100) == 5050);
}
