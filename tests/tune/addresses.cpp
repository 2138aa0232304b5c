// tests/tune/addresses.cpp - where the compiler proves that addresses do not matter, the winner serves at all of them.
// SPDX-License-Identifier: MIT
#include <attune/compile/clang.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/tune/tuned.hpp>

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../support/accumulate.hpp"
#include "../support/compiled_facts.hpp"
#include "../support/shared_store.hpp"
#include "../support/texts.hpp"

using namespace attune_test;

namespace {

using axpy_signature = void(std::span<float const>, std::span<float>, int);
inline constexpr auto step = attune::ordinal<"STEP">(attune::values(1, 8));

/// y += 2 x, where the loop of STEP 1 waits for each element.
/// @param by_default, by_winner  statements before the loop
attune::kernel<axpy_signature> slow_axpy(std::string const& by_default,
                                         std::string const& by_winner)
{
    return {
        "axpy",
        attune::source_text("#include <attune/tunable.hpp>\n#include <cstddef>\n"
                            "#include <cstdint>\n#include <span>\n"
                            "constexpr int step = ATTUNE_TUNABLE(STEP, 1);\n"
                            "typedef float block __attribute__((vector_size(32)));\n"
                            "void axpy(std::span<float const> xs, std::span<float> ys, int n)\n"
                            "{\n    float const* x = xs.data();\n    float* y = ys.data();\n"
                            "    if constexpr (step == 1) {\n" +
                                by_default +
                                "        for (int i = 0; i < n; ++i) {\n"
                                "            for (int k = 0; k < 40; ++k) __asm__ volatile(\"\");\n"
                                "            y[i] += 2 * x[i];\n        }\n"
                                "    } else {\n" +
                                by_winner +
                                "        for (int i = 0; i < n; ++i) y[i] += 2 * x[i];\n"
                                "    }\n}\n",
                            "axpy.kernel.cpp"),
        attune::space(step)};
}

using tuned_axpy = attune::tuned<axpy_signature, attune::clang_compiler, shared_store>;

tuned_axpy axpy_of(attune::kernel<axpy_signature> kernel, shared_store const& store)
{
    return {std::move(kernel), attune::clang_compiler{}, store, quick_options()};
}

/// Two arrays that may lie at each multiple of 4 bytes.
struct placed_arrays {
    static constexpr std::size_t n = 65'536;
    std::vector<float> x = std::vector<float>(n + 32, 1.5f);
    std::vector<float> y = std::vector<float>(n + 32);

    static float* at(std::vector<float>& of, std::size_t floats)
    {
        auto const first = reinterpret_cast<std::uintptr_t>(of.data());
        return of.data() + (64 - first % 64) % 64 / sizeof(float) + floats;
    }
    /// Whether the result is right.
    bool call(tuned_axpy& f, std::size_t x_at, std::size_t y_at)
    {
        y.assign(y.size(), 1);
        std::span<float> const result(at(y, y_at), n);
        f(std::span<float const>(at(x, x_at), n), result, static_cast<int>(n));
        bool out = true;
        for (float const v : result)
            out = out && v == 4;
        return out;
    }
};

bool winner_serves(tuned_axpy const& f)
{
    return f.report().serving.starts_with("the variant serves");
}

} // namespace

TEST_CASE("what is right at one address serves at all where no access assumes an alignment")
{
    if (!can_prove()) return;
    shared_store const store;
    placed_arrays arrays;
    {
        tuned_axpy f = axpy_of(slow_axpy("", ""), store);
        CHECK(arrays.call(f, 0, 0));
        REQUIRE(f.report().how == attune::decision::tuned);
        CHECK(f.report().address_modulus == 4);
        for (std::size_t x = 0; x < 16; x += 4)
            for (std::size_t y = 0; y < 16; y += 4) {
                CHECK(arrays.call(f, x, y));
                CHECK((x + y == 0 || winner_serves(f)));
            }
        CHECK(arrays.call(f, 3, 1));
        CHECK(winner_serves(f));
        CHECK(has(f.report().serving, "addresses: proven irrelevant by the compiler"));
        CHECK(f.report().shapes.by_default == 0);
        CHECK(f.report().shapes.wrong == 0);
    }
    // In the next process as well.
    tuned_axpy f = axpy_of(slow_axpy("", ""), store);
    CHECK(arrays.call(f, 4, 8));
    REQUIRE(f.report().how == attune::decision::remembered);
    CHECK(f.report().address_modulus == 4);
    for (std::size_t x = 0; x < 16; x += 4)
        CHECK(arrays.call(f, x, 12));
    CHECK(winner_serves(f));
}

TEST_CASE("code that assumes 32 bytes serves at multiples of 32, and never elsewhere")
{
    if (!can_prove()) return;
    shared_store const store;
    placed_arrays arrays;
    tuned_axpy f = axpy_of(slow_axpy("", "for (; n >= 8; n -= 8, x += 8, y += 8)\n"
                                         "    *reinterpret_cast<block*>(y) +=\n"
                                         "        2 * *reinterpret_cast<block const*>(x);\n"),
                           store);
    CHECK(arrays.call(f, 0, 0));
    REQUIRE(f.report().how == attune::decision::tuned);
    CHECK(f.report().address_modulus == 32);
    for (auto const [x, y] : {std::pair<std::size_t, std::size_t>{8, 0}, {0, 8}, {8, 8}}) {
        CHECK(arrays.call(f, x, y));
        CHECK(winner_serves(f));
    }
    for (int round = 0; round < 3; ++round)
        for (std::size_t x = 0; x < 16; x += 4)
            for (std::size_t y = 0; y < 16; y += 4)
                CHECK(arrays.call(f, x, y)); // else it had crashed, or was wrong
}

TEST_CASE("code that looks at an address is verified for each, though it assumes nothing")
{
    if (!can_prove()) return;
    char const* const wrong = "if (reinterpret_cast<std::uintptr_t>(x) % 64 == 16) y[0] += 1;\n";
    for (bool const is_default : {false, true}) {
        placed_arrays arrays;
        tuned_axpy f = axpy_of(is_default ? slow_axpy("if (n < 0) y[0] = static_cast<float>("
                                                      "reinterpret_cast<std::uintptr_t>(x));\n",
                                                      "")
                                          : slow_axpy("", wrong),
                               {});
        CHECK(arrays.call(f, 0, 0));
        REQUIRE(f.report().how == attune::decision::tuned);
        CHECK(f.report().address_modulus == 64);
        CHECK(!has(f.report().serving, "addresses:"));
        for (int round = 0; round < 2; ++round)
            for (std::size_t x = 0; x < 16; x += 4)
                CHECK(arrays.call(f, x, 0));
        CHECK(f.report().shapes.wrong == (is_default ? 0 : 1));
    }
}
