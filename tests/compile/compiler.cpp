// tests/compile/compiler.cpp - what a compiler of kernel variants must offer.
// SPDX-License-Identifier: MIT
#include <attune/compile/compiler.hpp>

#include "../laws/compiler.hpp"
#include "../support/minimal_compiler.hpp"

TEST_CASE("the archetype keeps the laws of a compiler")
{
    attune_laws::compiler_laws([] { return attune_test::minimal_compiler(); });
}

TEST_CASE("a type without compile() or identity() is no compiler")
{
    struct nothing {};
    struct throws_results {
        attune::callable compile(attune::kernel_source const&, attune::compile_request const&);
        std::string identity() const;
    };
    CHECK_FALSE(attune::compiler<nothing>);
    CHECK_FALSE(attune::compiler<throws_results>);
    CHECK(attune::compiler<attune_test::minimal_compiler>);
    CHECK(attune::detail::require_compiler<attune_test::minimal_compiler>());
}
