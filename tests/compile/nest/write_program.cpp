// tests/compile/nest/write_program.cpp - written programs compute what their statements say.
// SPDX-License-Identifier: MIT
#include <attune/compile/nest/write_program.hpp>

#include <attune/compile/nest/detail/nest_prelude.hpp>
#include <attune/declare/nest/loop_program.hpp>
#include <attune/space/schedule/transform.hpp>

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>

#include "../../support/nest_examples.hpp"
#include "../../support/nest_runner.hpp"

namespace {

void add_plain(support::nest_batch& batch,
               attune::nest_description const& nest,
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
