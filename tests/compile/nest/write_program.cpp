// tests/compile/nest/write_program.cpp - written programs compute what their statements say.
// SPDX-License-Identifier: MIT
#include <attune/compile/nest/write_program.hpp>

#include <attune/compile/nest/detail/nest_prelude.hpp>
#include <attune/declare/nest/loop_program.hpp>

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

TEST_CASE("a program's text stands alone and names its arguments")
{
    std::string const text = attune::write_program(attune::plain_program(support::matmul(2, 3, 4)));
    CHECK(
        text.find("extern \"C\" void matmul(float const* __restrict A, float const* __restrict B, "
                  "float* __restrict C)") != std::string::npos);
    CHECK(text.find("#include") == std::string::npos);
}
