// tests/compile/nest/device/write_device_program.cpp - what the CUDA text of a program has.
// SPDX-License-Identifier: MIT
//
// tests/tune/device_programs.cpp runs the text in random configurations.
#include <attune/compile/nest/device/write_device_program.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <string>

#include "../../../support/nest_examples.hpp"

namespace {

/// C = A B in tiles of 32 x 16, by hand.
attune::device_program product(std::int64_t k)
{
    attune::device_program p;
    p.nest = support::matmul(64, 48, k);
    p.form = attune::device_form::tiles;
    p.rows = {0};
    p.columns = {1};
    p.depth = {2};
    p.operands = {{0, true, true, true}, {1, false, false, true}};
    p.block_rows = 32;
    p.thread_rows = 2;
    p.vector = 4;
    return p;
}

std::string text_of(attune::device_program const& p)
{
    return attune::write_device_program(p, attune::device_arguments_of(p.nest));
}

bool has(std::string const& text, std::string const& part) { return text.find(part) != text.npos; }

} // namespace

TEST_CASE(
    "the kernel has the program's name, its arguments, and as many threads as it is launched with")
{
    attune::device_program const p = product(64);
    CHECK(p.threads() == 16 * 16);
    CHECK(has(text_of(p),
              "extern \"C\" __global__ void __launch_bounds__(256) matmul(float const* "
              "__restrict__ A, float const* __restrict__ B, float* __restrict__ C)"));
}

TEST_CASE("loads are wide where lines can be cut in vectors, and padding is behind each line")
{
    attune::device_program p = product(64);
    CHECK(has(text_of(p), "pack_<float, 4> const*>(&A["));
    CHECK(has(text_of(p), "pack_<float, 4> const*>(&B["));
    p = product(63); // lines of A have 63 numbers
    CHECK_FALSE(has(text_of(p), "pack_<float, 4> const*>(&A["));
    CHECK(has(text_of(p), "pack_<float, 4> const*>(&B["));
    p = product(62); // halves of them are whole vectors
    CHECK(has(text_of(p), "pack_<float, 2> const*>(&A["));
    p = product(64);
    p.block_depth = 2; // no more of a line of A is in a block
    CHECK(has(text_of(p), "pack_<float, 2> const*>(&A["));
    CHECK(has(text_of(p), "pack_<float, 4> const*>(&B["));
    p = product(63);
    p.padding = 4;
    CHECK(has(text_of(p), "tile_0_[1][8][36]"));
    p.is_double_buffered = true;
    CHECK(has(text_of(p), "tile_0_[2][8][36]"));
}

TEST_CASE("the last step of the depth is cut off where its terms are not 0")
{
    attune::device_program p = product(64);
    CHECK_FALSE(has(text_of(p), "if (depths_ - from_ <= step_) break;"));
    p.has_exact_depth = true;
    CHECK(has(text_of(p), "if (depths_ - from_ <= step_) break;"));
}

TEST_CASE("numbers of 16 bits have a structure in the text, and arguments the type of CUDA")
{
    using enum attune::element_type;
    attune::device_program p = product(64);
    p.nest = support::with_elements(p.nest, f16, bf16);
    std::string const text = text_of(p);
    CHECK(has(text, "__half const* __restrict__ A_given_, __half const* __restrict__ B_given_"));
    CHECK(has(text, "__nv_bfloat16* __restrict__ C_given_"));
    CHECK(has(text, "f16_ const* const A = reinterpret_cast<f16_ const*>(A_given_);"));
    CHECK(has(text, "static_cast<bf16_>(sum_[i_][j_])"));
    CHECK_FALSE(has(text, "mma.sync"));
    CHECK_FALSE(has(text, "_Float16"));
    CHECK_FALSE(has(text_of(product(64)), "f16_"));
}

TEST_CASE("with tensor cores warps multiply tiles whose lines are as memory has them")
{
    using enum attune::element_type;
    attune::device_program p = product(64);
    p.nest = support::with_elements(p.nest, f16, f32);
    p.uses_tensor_cores = true;
    p.tensor_depth = 16;
    p.block_rows = 64;
    p.block_columns = 32;
    p.block_depth = 32;
    p.thread_rows = 4;    // 32 rows of a warp
    p.thread_columns = 4; // 16 columns
    p.padding = 8;
    CHECK(p.threads() == 32 * 2 * 2);
    std::string const text = text_of(p);
    CHECK(has(text, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"));
    CHECK(has(text, "int const warp_row_ = thread_ / 32 / 2 * 32;"));
    CHECK(has(text, "int const warp_column_ = thread_ / 32 % 2 * 16;"));
    CHECK(has(text, "tile_0_[1][64][40]")); // A runs along the depth
    CHECK(has(text, "tile_1_[1][32][40]")); // B along the columns: loaded transposed
    CHECK(has(text, "load_matrices_<false>(of_rows_[i_], &tile_0_"));
    CHECK(has(text, "load_matrices_<true>(of_columns_, &tile_1_"));
    // Bytes are not transposed by a load: both have lines along the depth.
    p.nest = support::batched_int8(1, 64, 48, 64);
    p.rows = {1};
    p.columns = {2};
    p.depth = {3};
    p.tensor_depth = 32;
    p.padding = 16;
    CHECK(has(text_of(p), "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"));
    CHECK(has(text_of(p), "tile_1_[1][32][48]"));
    CHECK(has(text_of(p), "load_matrices_<false>(of_columns_, &tile_1_"));
}

TEST_CASE("numbers of 64 bits count what 32 bits cannot")
{
    attune::device_program p = product(64);
    CHECK(has(text_of(p), "typedef int index_;"));
    p.nest = support::matmul(1 << 16, 1 << 16, 64);
    CHECK(has(text_of(p), "typedef long long index_;"));
}
