// tests/compile/nest/write_program.cpp - written programs compute what their statements say.
// SPDX-License-Identifier: MIT
#include <attune/compile/nest/write_program.hpp>

#include <attune/compile/nest/detail/nest_prelude.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/core/error.hpp>
#include <attune/declare/nest/loop_program.hpp>
#include <attune/space/schedule/transform.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <iterator>
#include <string>

#include "../../support/nest_examples.hpp"
#include "../../support/nest_runner.hpp"

namespace {

void add_plain(support::nest_batch& batch, attune::nest_description const& nest,
               std::vector<std::int64_t> inputs = {})
{
    batch.add(attune::plain_program(nest), nest, std::move(inputs));
}

/// The loop variables in order, with a '!' behind those whose loop the compiler may not unroll and
/// a
/// '*' behind those whose loop it must unroll.
std::string loops_of(attune::loop_program const& program)
{
    std::string const text = attune::write_program(program, {.has_prelude = false});
    std::string out;
    std::string before;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t const end = text.find('\n', at);
        std::size_t const begin = std::min(text.find_first_not_of(' ', at), end);
        std::string const line = text.substr(begin, end - begin);
        if (line.starts_with("for (long ")) {
            out += (out.empty() ? "" : " ") + line.substr(10, line.find(' ', 10) - 10);
            if (before == "VEC_NO_UNROLL") out += '!';
            if (before.starts_with("VEC_UNROLL")) out += '*';
        }
        before = line;
        at = end + 1;
    }
    return out;
}

/// A softmax of rows whose result is stored in vectors, past the caches.
attune::loop_program streamed_softmax(std::int64_t rows, std::int64_t columns, std::int64_t lanes,
                                      std::uint32_t copies)
{
    attune::loop_program program = attune::plain_program(support::softmax(rows, columns));
    auto const last = static_cast<std::uint32_t>(program.loops.size() - 1);
    attune::vectorize(program, attune::split_loop(program, last, lanes));
    if (copies > 0) attune::unroll(program, last, copies);
    attune::stream_stores(program, static_cast<std::uint32_t>(program.blocks.size() - 1));
    return program;
}

} // namespace

TEST_CASE("the loops as stated compute what the statements say")
{
    if (support::nest_batch::compiler().empty()) {
        MESSAGE("skipped: there is no C++ compiler");
        return;
    }
    support::nest_batch batch;
    add_plain(batch, support::matmul(5, 7, 3));
    add_plain(batch, support::matmul(5, 7, 3, true));
    add_plain(batch, support::matmul_of_inputs(), {4, 6, 9});
    add_plain(batch, support::batched_int8(2, 3, 5, 7));
    add_plain(batch, support::convolution(9, 3, 4, 3, 2, 1));
    add_plain(batch, support::depthwise(6, 5));
    add_plain(batch, support::dense_gelu(4, 9, 5));
    add_plain(batch, support::softmax(3, 11));
    add_plain(batch, support::argmax(4, 9));
    CHECK(batch.run() == "");
}

TEST_CASE("names of arrays and axes that locals have, too, get a number in the text")
{
    if (support::nest_batch::compiler().empty()) {
        MESSAGE("skipped: there is no C++ compiler");
        return;
    }
    support::nest_batch batch;
    add_plain(batch, support::with_names(support::matmul(5, 7, 3), {"vec", "lane", "C_"}, {"i_"}));
    // `C` is a temporary, whose memory has a name; A has a row stride.
    attune::nest_description bias =
        support::with_names(support::dense_gelu(4, 9, 5), {"A", "A_stride", "C", "C_memory"});
    bias.arrays[0].has_row_stride = true;
    add_plain(batch, bias);
    add_plain(batch, support::with_names(support::argmax(4, 9), {"to_value_at", "to"}));
    add_plain(batch, support::with_names(support::softmax(3, 11), {"x_", "x_0", "x_1"}, {"x_2"}));
    CHECK(batch.run() == "");
    std::string const text = attune::write_program(attune::plain_program(
        support::with_names(support::softmax(3, 11), {"x_", "x_0", "x_1"}, {"x_2"})));
    CHECK(text.find("softmax(float const* __restrict x_3, ") != text.npos);
}

TEST_CASE("a program's text stands alone and names its arguments")
{
    std::string const text = attune::write_program(attune::plain_program(support::matmul(2, 3, 4)));
    CHECK(
        text.find("extern \"C\" void matmul(float const* __restrict A, float const* __restrict B, "
                  "float* __restrict C)") != std::string::npos);
    CHECK(text.find("#include") == std::string::npos);
}

TEST_CASE(
    "the compiler may unroll loops with few steps in all, and none around a loop that stays one")
{
    CHECK(loops_of(attune::plain_program(support::matmul(2, 2, 4))) == "i_0 j_0 k_0");
    CHECK(loops_of(attune::plain_program(support::matmul(3, 2, 16))) == "i_0! j_0 k_0");
    CHECK(loops_of(attune::plain_program(support::matmul(3, 2, 17))) == "i_0! j_0! k_0");
    CHECK(loops_of(attune::plain_program(support::matmul(9, 2, 9))) == "i_0! j_0 k_0");
    CHECK(loops_of(attune::plain_program(support::matmul_of_inputs())) == "i_0! j_0! k_0");
    attune::loop_program program = attune::plain_program(support::matmul(2, 2, 16));
    auto const k = static_cast<std::uint32_t>(program.loops.size() - 1);
    attune::unroll(program, k, 4);
    CHECK(loops_of(program) == "i_0! j_0! k_0*"); // 4 steps of 4 are a loop
    attune::unroll(program, k, 16);
    CHECK(loops_of(program) == "i_0! j_0 k_0*");
    program = attune::plain_program(support::matmul(2, 64, 2));
    auto const j = static_cast<std::uint32_t>(program.loops.size() - 2);
    attune::unroll(program, k);
    CHECK(loops_of(program) == "i_0! j_0! k_0*"); // around a tile
    CHECK(program.loops[j].kind == attune::loop_kind::serial);
}

TEST_CASE("results that are stored past the caches are right for all extents, by every compiler")
{
    support::nest_batch batch;
    for (std::int64_t const lanes : {2, 4, 16, 64})
        for (std::int64_t const columns : {1, 2, 15, 16, 17, 48, 64, 65, 131})
            batch.add(streamed_softmax(3, columns, lanes, columns % 2 == 0 ? 2 : 0),
                      support::softmax(3, columns));
    int ran = 0;
    for (char const* const by : {"clang++-19", "clang++", "g++"}) {
        if (attune::detail::find_program(by).empty()) continue;
        ++ran;
        CHECK(batch.run({"-O2", "-march=native", "-w"}, by) == "");
    }
    if (ran == 0) MESSAGE("skipped: there is no C++ compiler");
}

TEST_CASE("what is stored past the caches does not depend on where arrays begin")
{
    std::string const by = support::nest_batch::compiler();
    if (by.empty()) {
        MESSAGE("skipped: there is no C++ compiler");
        return;
    }
    constexpr std::size_t count = 5 * 67;
    attune::detail::temporary_folder const folder;
    std::string text = attune::write_program(streamed_softmax(5, 67, 16, 2));
    CHECK(text.find("vec::stream(Y") != std::string::npos);
    CHECK(text.find("vec::end_stream();") != std::string::npos);
    attune::loop_program plain = streamed_softmax(5, 67, 16, 2);
    plain.blocks.back().is_streamed = false;
    text += attune::write_program(plain, {.function = "cached", .has_prelude = false});
    std::string const object = folder.path() + "/streams.so";
    auto const done =
        attune::detail::run_process({by, "-std=c++17", "-O2", "-march=native", "-w", "-shared",
                                     "-fPIC", folder.write("streams.cpp", text), "-o", object},
                                    60);
    REQUIRE_MESSAGE(done.succeeded(), done.output);
    void* const library = ::dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library != nullptr);
    using function = void(float const*, float*);
    auto* const streamed = reinterpret_cast<function*>(::dlsym(library, "softmax"));
    auto* const cached = reinterpret_cast<function*>(::dlsym(library, "cached"));
    REQUIRE((streamed != nullptr));
    REQUIRE((cached != nullptr));
    alignas(64) static float x[count];
    alignas(64) static float y[count + 64];
    alignas(64) static float want[count];
    for (std::size_t i = 0; i < count; ++i)
        x[i] = static_cast<float>(i * 37 % 101) / 16 - 3;
    cached(x, want);
    for (std::size_t offset = 0; offset <= 16; ++offset) { // a cache line is 16 floats
        std::fill(std::begin(y), std::end(y), -1.0f);
        streamed(x, y + offset);
        CHECK(std::equal(want, want + count, y + offset));
        CHECK(std::all_of(y, y + offset, [](float v) { return v == -1.0f; }));
        CHECK(std::all_of(y + offset + count, std::end(y), [](float v) { return v == -1.0f; }));
    }
    ::dlclose(library);
}

TEST_CASE("threads make what they stored past the caches visible before they end")
{
    attune::loop_program program = streamed_softmax(4, 32, 16, 0);
    attune::parallelize(program, static_cast<std::uint32_t>(program.loops.size() - 3));
    std::string const text = attune::write_program(program, {.has_prelude = false});
    std::size_t const loop = text.find("#pragma omp parallel for");
    std::size_t const store = text.find("vec::stream(");
    std::size_t const end = text.find("vec::end_stream();");
    REQUIRE(loop != std::string::npos);
    CHECK(loop < store);
    CHECK(store < end);
    CHECK(end < text.find("    }\n", end)); // before the parallel loop's end
    CHECK(text.find("vec::end_stream();", end + 1) != std::string::npos); // and the function's
}

TEST_CASE("only results that are computed once are stored past the caches")
{
    attune::loop_program program = attune::plain_program(support::softmax(3, 5));
    for (std::uint32_t const block : {0U, 1U, 2U}) // a maximum, a temporary, a sum
        CHECK_THROWS_AS(attune::stream_stores(program, block), attune::error);
    attune::stream_stores(program, 3);
    CHECK(program.blocks[3].is_streamed);
}
