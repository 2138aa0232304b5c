// One kernel file for a processor and a device: the example's saxpy, from one declaration, by two
// compilers, remembered in one store.
#include <attune/compile/clang.hpp>
#include <attune/remember/store.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/tuned.hpp>

#include <doctest/doctest.h>
#include <string>
#include <variant>
#include <vector>

#include "../support/device_points.hpp"
#include "../support/emulated_compiler.hpp"
#include "../support/example_kernels.hpp"
#include "../support/scratch_directory.hpp"
#include "../support/set_variable.hpp"

namespace {

using attune_test::example_saxpy;

attune::tuning_options short_tuning()
{
    return {.limits = {.evaluations = 6, .seconds = 120}, .progress = attune::silent_progress()};
}

/// A first call by a program that has only the store in common with others.
/// @return  how it found its configuration
attune::decision first_call(auto const& compiler, std::string const& path)
{
    example_saxpy problem(example_saxpy::tested_size);
    std::vector<double> const expected = problem.expected();
    attune::tuned saxpy{example_saxpy::kernel(), compiler, attune::store{path}, short_tuning()};
    problem.call(saxpy);
    CHECK(kernels::difference(problem.result(), expected, example_saxpy::tolerance) == "");
    return saxpy.report().how;
}

} // namespace

TEST_CASE("the same kernel file for CPU and GPU: one declaration, two compilers, one store")
{
    support::scratch_directory const folder;
    std::string const path = folder.file("saxpy.attune");
    attune::clang_compiler const clang;
    attune_test::emulated_compiler const device({.driver = ATTUNE_EMULATED_CUDA});
    using enum attune::decision;

    CHECK(first_call(clang, path) != remembered);
    CHECK(first_call(device, path) != remembered); // what a processor found says nothing here
    CHECK(first_call(clang, path) == remembered);
    CHECK(first_call(device, path) == remembered);

    // A device of another name has a record of its own.
    attune_test::set_variable const name("ATTUNE_EMULATED_NAME", "Another");
    attune_test::emulated_compiler const another({.driver = ATTUNE_EMULATED_CUDA});
    CHECK(first_call(another, path) != remembered);
    CHECK(first_call(clang, path) == remembered);
}

TEST_CASE("the processor's half is right for every VEC, also where elements are left over")
{
    attune::clang_compiler const compiler;
    auto const kernel = example_saxpy::kernel();
    attune::kernel_description const& d = kernel.describe();
    for (int const vec : {1, 2, 4, 8, 16}) {
        CAPTURE(vec);
        example_saxpy problem(1003);
        std::vector<attune::input_value> inputs;
        problem.call([&](auto&&... args) { inputs = attune_test::inputs_of(d, args...); });
        attune::chain_of_trees const space =
            attune::detail::space_of_call(d, attune::detail::with_annotated_defaults(d), inputs);
        attune::point const at =
            attune::encode(example_saxpy::space, space.describe(), example_saxpy::config{128, vec})
                .value();
        auto const result =
            compiler.compile(d.source, attune::detail::make_variant(d, space.describe(), at));
        auto const* const code = std::get_if<attune::callable>(&result);
        if (code == nullptr) FAIL(std::get<attune::failure>(result).log);
        std::vector<double> const expected = problem.expected();
        problem.call(*code->as<example_saxpy::signature>());
        CHECK(kernels::difference(problem.result(), expected, example_saxpy::tolerance) == "");
    }
}
