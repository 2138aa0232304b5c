// tests/space/schedule/product_model.cpp - counts of a product's loops, by counting.
// SPDX-License-Identifier: MIT
#include <attune/space/schedule/detail/product_model.hpp>

#include <attune/core/random.hpp>
#include <attune/space/schedule/detail/product_parameters.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <vector>

#include "../../support/nest_examples.hpp"

namespace {

attune::processor_shape avx512() { return {.vector_bytes = 64, .vector_registers = 32}; }

attune::rule_subject subject_of(attune::nest_description const& nest)
{
    attune::rule_subject out{&nest, {}, avx512(), {}};
    for (std::uint32_t s = 0; s < nest.statements.size(); ++s)
        out.statements.push_back(s);
    return out;
}

/// The most rows, `stride` bytes apart, of which no set of the first cache holds more than its
/// ways.
std::int64_t rows_that_stay(std::int64_t stride)
{
    std::map<std::int64_t, std::int64_t> in_set;
    for (std::int64_t rows = 1; rows <= 4096; ++rows)
        if (++in_set[(rows - 1) * stride / 64 % 64] > avx512().l1_bytes / 4096) return rows - 1;
    return 4096;
}

} // namespace

TEST_CASE("rows far apart share sets of the first cache")
{
    for (std::int64_t const depth : {16, 64, 512, 768, 1024, 1040, 4096}) {
        auto const nest = support::matmul(64, 64, depth);
        attune::detail::product_model const model(subject_of(nest));
        CHECK(model.most_direct_rows(0) == rows_that_stay(4 * depth));
        CHECK(model.most_direct_rows(1) > 4096); // B has no rows of the tile
    }
    // Rows that are an input apart: as if they were 4 KiB apart.
    auto const nest = support::matmul_of_inputs();
    attune::detail::product_model const of_inputs(subject_of(nest));
    CHECK(of_inputs.most_direct_rows(0) == rows_that_stay(4096));
}

TEST_CASE("multiply-adds are counted with those of tails")
{
    auto const nest = support::matmul(29, 45, 70);
    attune::detail::product_model const model(subject_of(nest));
    attune::detail::product_choice at;
    at.rows = 6;
    at.vectors = 2;
    at.depth = 70;
    at.unroll = 1;
    at.forms = {attune::detail::read_form::direct, attune::detail::read_form::direct};
    double steps = 0; // one vector each, four at least; and one jump
    for (int i = 0; i < 29; i += 6)
        for (int j = 0; j < 45; j += 32) {
            int const rows = i + 6 <= 29 ? 6 : 29 - i;
            int const vectors = j + 32 <= 45 ? 2 : (45 - j + 15) / 16;
            int const step = rows * vectors;
            steps += 70 * (1 + (step < 4 ? 4 : step));
        }
    CHECK(model.counts(at).multiply_cycles == doctest::Approx(steps));
}

TEST_CASE("what fits into a cache is read once, and what does not once per tile")
{
    auto const nest = support::matmul(64, 64, 64); // 16 KiB each
    attune::detail::product_choice at;
    at.rows = 8;
    at.vectors = 2;
    at.depth = 64;
    at.row_tiles = 8;
    at.column_tiles = 2;
    at.forms = {attune::detail::read_form::direct, attune::detail::read_form::direct};
    attune::rule_subject subject = subject_of(nest);
    subject.processor.l1_bytes = 1 << 20;
    CHECK(attune::detail::product_model(subject).counts(at).l1_lines == 0);
    // A tile's part fits: rows of A, 2 KiB, and columns of B, 8 KiB, which stay for all rows.
    subject.processor.l1_bytes = 16 * 1024;
    double const a = 2 * 64 * 64 * 4 / 64.0; // once for each of two groups of columns
    double const b = 64 * 64 * 4 / 64.0;     // once
    double const c = 2 * 64 * 64 * 4 / 64.0; // read and written
    CHECK(attune::detail::product_model(subject).counts(at).l1_lines == doctest::Approx(a + b + c));
}

TEST_CASE("the preferred configuration is expected to be faster than any of 300 random ones")
{
    for (auto const& nest :
         {support::matmul(512, 512, 512), support::matmul(1024, 1024, 1024),
          support::convolution(56, 64, 64, 3, 1, 1), support::convolution(14, 256, 1024, 1, 1, 0),
          support::depthwise(112, 32), support::dense_gelu(128, 3072, 768)}) {
        attune::detail::product_parameters const all(subject_of(nest));
        auto const chosen = all.choice(all.preferred());
        CHECK(all.allows(chosen));
        double const least = all.model().cycles(chosen);
        attune::random_engine draw(5);
        for (int i = 0; i < 300;) {
            std::vector<std::uint32_t> places;
            for (auto const& of : all.all())
                places.push_back(
                    static_cast<std::uint32_t>(attune::uniform_below(draw, of.count())));
            auto other = all.choice(places);
            if (!all.allows(other)) continue;
            other.unroll = chosen.unroll; // not chosen by the model
            CHECK(all.model().cycles(other) >= least);
            ++i;
        }
    }
}
