// tests/compile/nest/write_device_program.cpp - what the CUDA text of a program has.
// SPDX-License-Identifier: MIT
//
// tests/tune/device_programs.cpp runs the text in random configurations.
#include <attune/compile/nest/write_device_program.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <string>

#include "../../support/nest_examples.hpp"

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
    CHECK(has(text_of(p), "extern \"C\" __global__ void __launch_bounds__(256) matmul(float const* "
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
    CHECK(has(text_of(p), "tile_of_0_[8][36];"));
    p.stages = 2;
    CHECK(has(text_of(p), "tile_of_1_*>(memory_ + 2304); // 2"));
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
    CHECK(has(text, "tile_of_0_[64][40];")); // A runs along the depth
    CHECK(has(text, "tile_of_1_[32][40];")); // B along the columns: loaded transposed
    CHECK(has(text, "load_matrices_<false>(of_rows_[half_][i_], &tile_0_"));
    CHECK(has(text, "load_matrices_<true>(of_columns_[half_][j_], &tile_1_"));
    // Bytes are not transposed by a load: both have lines along the depth.
    p.nest = support::batched_int8(1, 64, 48, 64);
    p.rows = {1};
    p.columns = {2};
    p.depth = {3};
    p.tensor_depth = 32;
    p.padding = 16;
    CHECK(has(text_of(p), "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"));
    CHECK(has(text_of(p), "tile_of_1_[32][48];"));
    CHECK(has(text_of(p), "load_matrices_<false>(of_columns_[half_][j_], &tile_1_"));
}

TEST_CASE("from three stages on tiles are copied asynchronously, where they lie as in memory")
{
    attune::device_program p = product(64);
    CHECK_FALSE(has(text_of(p), "cp.async"));
    p.stages = 3;
    std::string const text = text_of(p);
    CHECK(has(text, "cp.async"));
    CHECK(has(text, "copy_async_<4>(&tile_0_")); // A runs along the depth, its tile does not
    CHECK(has(text, "copy_async_<16>(&tile_1_"));
    CHECK(has(text, "wait_copies_<1>();")); // of two tiles on their way, the older one
    CHECK_FALSE(has(text, "held_0_"));
    p.padding = 1; // lines of B in shared memory begin at multiples of 4 bytes
    CHECK_FALSE(has(text_of(p), "copy_async_<16>"));
    CHECK(has(text_of(p), "copy_async_<4>(&tile_1_"));
}

TEST_CASE("rows that are lines are loaded and stored in vectors, and have no shared memory")
{
    attune::device_program p;
    p.nest = support::softmax(5, 64);
    p.form = attune::device_form::rows;
    p.rows = {0};
    p.lanes = 8;
    p.groups = 4;
    CHECK(has(text_of(p), "memory_[]"));
    // An access to each of the matrices: x, e and y.
    p.line = 64;
    p.vector = 4;
    for (attune::nest_statement const& s : p.nest.statements)
        if (s.spatial_count == 2) p.lines.push_back(s.target);
    for (attune::nest_access const& access : p.nest.accesses)
        if (p.nest.arrays[access.array].role == attune::nest_role::read) {
            p.lines.push_back(access);
            break;
        }
    CHECK(p.kept_by_lane() == 8);
    std::string const text = text_of(p);
    CHECK_FALSE(has(text, "memory_[]"));
    for (attune::nest_access const& line : p.lines)
        CHECK(has(text, p.nest.arrays[line.array].name + "_line_[2];"));
    CHECK(has(text, "*reinterpret_cast<pack_<float, 4> const*>(&"));
    CHECK(has(text, "*reinterpret_cast<pack_<float, 4>*>(&"));
}

TEST_CASE("numbers of 64 bits count what 32 bits cannot")
{
    attune::device_program p = product(64);
    CHECK(has(text_of(p), "typedef int index_;"));
    p.nest = support::matmul(1 << 16, 1 << 16, 64);
    CHECK(has(text_of(p), "typedef long long index_;"));
    // Constant indices are such numbers: the place of B[5][j] is no product of two of 32 bits.
    p.nest.accesses[1].at[0] = {{}, 5};
    CHECK(has(text_of(p), "static_cast<index_>(5)"));
    CHECK_FALSE(has(text_of(p), "(5) * 65536"));
}
