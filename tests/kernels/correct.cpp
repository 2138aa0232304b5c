// The kernels people tune compute the right thing in every configuration that is tried.
#include <attune/compile/clang.hpp>
#include <attune/core/random.hpp>
#include <attune/tune/kernel.hpp>
#include <attune/tune/kernel/problem.hpp>

#include <doctest/doctest.h>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "../../examples/kernels/all.hpp"
#include "../support/rounds.hpp"

TEST_CASE(
    "every kernel agrees with a plain computation in double precision: default, expert, draws")
{
    attune::clang_compiler const compiler;
    kernels::for_each_kernel([&]<class Kernel> {
        CAPTURE(std::string{Kernel::name});
        Kernel problem;
        auto const kernel = Kernel::kernel();
        attune::kernel_description const& d = kernel.describe();
        attune::chain_of_trees const space =
            attune::detail::space_of_call(d, attune::detail::with_annotated_defaults(d), {});
        std::vector<attune::point> tried;
        tried.push_back(attune::detail::default_point(space).value());
        if (std::optional const expert = Kernel::expert())
            tried.push_back(attune::encode(Kernel::space, space.describe(), *expert).value());
        attune::random_engine engine{7};
        for (int i = 0; i < attune_test::rounds(1, 4); ++i)
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
    });
}
