// tests/kernels/scheduled.cpp - kernels compute the right thing in every configuration that is tried.
// SPDX-License-Identifier: MIT
#include <attune/compile/clang.hpp>
#include <attune/core/random.hpp>
#include <attune/tune/kernel.hpp>
#include <attune/tune/kernel/problem.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "../../examples/kernels/all.hpp"
#include "../../examples/kernels/scheduled/all_scheduled.hpp"
#include "../support/rounds.hpp"

using attune_test::rounds;

namespace {

attune::chain_of_trees space_of(attune::kernel_description const& d)
{
    return attune::detail::space_of_call(d, attune::detail::with_annotated_defaults(d), {});
}

/// Whether the default, the expert's and some random schedules give what the plain loops give.
template <class Kernel>
void check_schedules(int draws, std::uint64_t seed)
{
    CAPTURE(std::string{Kernel::name});
    attune::clang_compiler const compiler;
    Kernel problem;
    auto const kernel = Kernel::kernel();
    attune::kernel_description const& d = kernel.describe();
    attune::chain_of_trees const space = space_of(d);
    std::vector<attune::point> tried{attune::detail::default_point(space).value()};
    if (std::optional const expert = Kernel::expert())
        tried.push_back(attune::encode(Kernel::space, space.describe(), *expert).value());
    attune::random_engine engine{seed};
    for (int i = 0; i < draws; ++i)
        tried.push_back(space.sample(engine));
    std::vector<double> const expected = problem.expected();
    for (attune::point const& at : tried) {
        CAPTURE(attune::text_of(space.describe(), at));
        REQUIRE(space.contains(at));
        auto const result =
            compiler.compile(d.source, attune::detail::make_variant(d, space.describe(), at));
        auto const* const code = std::get_if<attune::callable>(&result);
        if (code == nullptr) FAIL(std::get<attune::failure>(result).log);
        problem.call(*code->template as<typename Kernel::signature>());
        CHECK(kernels::difference(problem.result(), expected, 2e-3) == "");
    }
}

/// Orders of six loops, of three axes in pairs, in which the first pair stands outside the second;
/// those that begin with a row, and all.
std::array<double, 2> counted_orders()
{
    std::array<int, 6> loops{0, 1, 2, 3, 4, 5};
    std::array<double, 2> out{};
    do {
        auto const place = [&](int loop) {
            return std::find(loops.begin(), loops.end(), loop) - loops.begin();
        };
        bool const is_concordant = std::max(place(0), place(1)) < std::min(place(2), place(3));
        if (!is_concordant) continue;
        out[0] += loops[0] < 2 ? 1 : 0;
        out[1] += 1;
    } while (std::next_permutation(loops.begin(), loops.end()));
    return out;
}

} // namespace

TEST_CASE(
    "every kernel agrees with a plain computation in double precision: default, expert, draws")
{
    kernels::for_each_kernel([]<class Kernel> { check_schedules<Kernel>(rounds(1, 4), 7); });
}

TEST_CASE("schedules of a sparse product are right")
{
    check_schedules<kernels::scheduled_spmm>(rounds(1, 8), 11);
}
TEST_CASE("schedules of a sampled product are right")
{
    check_schedules<kernels::scheduled_sddmm>(rounds(1, 8), 11);
}
TEST_CASE("schedules of a fourth-order MTTKRP are right")
{
    check_schedules<kernels::scheduled_mttkrp>(rounds(1, 8), 11);
}

TEST_CASE("schedules are more than 1e7, as many as can be counted")
{
    auto const [by_rows, all] = counted_orders();
    double const others = 13.0 * 9 * 7 * 5 * 5 * 9 * 2; // all but order and threads
    auto const count = [](attune::kernel_description const& d) {
        return static_cast<double>(space_of(d).size().value());
    };
    auto const spmm = kernels::scheduled_spmm::kernel();
    auto const sddmm = kernels::scheduled_sddmm::kernel();
    auto const mttkrp = kernels::scheduled_mttkrp::kernel();
    CHECK(count(spmm.describe()) == others * all * 2);
    CHECK(count(mttkrp.describe()) == others * all * 2);
    CHECK(count(sddmm.describe()) == others * (all + by_rows));
    CHECK(others * all > 1e7);
}

TEST_CASE("decisions of a chain of filters are right, or take more memory than there is")
{
    attune::clang_compiler const compiler;
    kernels::filter_chain problem;
    auto const kernel = kernels::filter_chain::kernel();
    attune::kernel_description const& d = kernel.describe();
    attune::chain_of_trees const space = space_of(d);
    CHECK(d.space.constraints.empty());
    CHECK(static_cast<double>(space.size().value()) == 5.0 * (1 << 17));
    std::vector<double> const expected = problem.expected();
    attune::random_engine engine{5};
    int failed = 0;
    for (int i = 0; i < 24; ++i) {
        attune::point const at =
            i == 0 ? attune::detail::default_point(space).value() : space.sample(engine);
        CAPTURE(attune::text_of(space.describe(), at));
        // A stage reads the block and seven samples more for itself and each one fused behind it.
        int const block = 256 << at[0].index;
        std::array<bool, 3> const fused{at[16].index == 1, at[17].index == 1, false};
        int bytes = 0;
        for (std::size_t s = 0; s < 3; ++s) {
            int behind = 0;
            for (std::size_t other = s; fused[other]; ++other)
                ++behind;
            int const kept = (at[1 + s].index == 1 ? 1 : 0) + (fused[s] ? 1 : 0);
            bytes += 4 * (block + 7 * (1 + behind)) * kept;
        }
        auto const result =
            compiler.compile(d.source, attune::detail::make_variant(d, space.describe(), at));
        auto const* const code = std::get_if<attune::callable>(&result);
        CHECK((code != nullptr) == (bytes <= 24 * 1024));
        if (code == nullptr) {
            ++failed;
            continue;
        }
        std::fill(problem.out.begin(), problem.out.end(), 0.0f);
        problem.call(*code->as<kernels::filter_chain::signature>());
        CHECK(kernels::difference(problem.result(), expected, 2e-3) == "");
    }
    CHECK(failed > 0);
    CHECK(failed < 20);
}

TEST_CASE("known arrays keep their shape: rows as full, extents in proportion")
{
    for (kernels::known_matrix const& known : kernels::known_matrices) {
        CAPTURE(std::string(known.name));
        kernels::csr_matrix const a = kernels::make_known_matrix(known.name, 40'000, 1);
        double const entries = static_cast<double>(a.value.size());
        double const per_row = static_cast<double>(known.entries) / known.rows;
        double const columns_per_row = static_cast<double>(known.columns) / known.rows;
        CHECK(entries > 40'000 / 3.0);
        CHECK(entries < 40'000 * 3.0);
        // Rows are as full, or the density is the same.
        bool const is_uniform = known.how == kernels::pattern::uniform;
        double const wanted = is_uniform ? per_row * a.columns / known.columns : per_row;
        CHECK(entries / a.rows > wanted / 3);
        CHECK(entries / a.rows < wanted * 3);
        CHECK(static_cast<double>(a.columns) / a.rows ==
              doctest::Approx(columns_per_row).epsilon(0.01));
    }
    for (kernels::known_tensor<4> const& known : kernels::known_tensors) {
        CAPTURE(std::string(known.name));
        kernels::slice_tensor const b = kernels::make_known_tensor(known.name, 40'000, 1);
        CHECK(b.value.size() > 20'000); // entries at one place are added up
        CHECK(b.value.size() <= 40'000);
        CHECK(b.start.size() == static_cast<std::size_t>(b.extent[0]) + 1);
        CHECK(b.start.back() == static_cast<int>(b.value.size()));
        CHECK(std::is_sorted(b.start.begin(), b.start.end()));
        for (std::size_t axis = 0; axis < 3; ++axis)
            CHECK(*std::max_element(b.at[axis].begin(), b.at[axis].end()) < b.extent[axis + 1]);
        double const first = static_cast<double>(known.extent[0]) / b.extent[0];
        double const third = static_cast<double>(known.extent[2]) / b.extent[2];
        CHECK(first == doctest::Approx(third).epsilon(0.1));
    }
    CHECK_THROWS_AS(static_cast<void>(kernels::make_known_matrix("none", 10, 1)),
                    std::runtime_error);
    CHECK_THROWS_AS(static_cast<void>(kernels::make_known_tensor("none", 10, 1)),
                    std::runtime_error);
}

TEST_CASE("known arrays are made again by the same seed, and not by another")
{
    CHECK(kernels::make_known_tensor("uber", 5'000, 3).value ==
          kernels::make_known_tensor("uber", 5'000, 3).value);
    CHECK(kernels::make_known_tensor("uber", 5'000, 3).value !=
          kernels::make_known_tensor("uber", 5'000, 4).value);
}
