// tests/compile/compiler.cpp - what a compiler of kernel variants must offer.
// SPDX-License-Identifier: MIT
#include <attune/compile/compiler.hpp>

#include <attune/compile/cuda_compiler.hpp>

#include <doctest/doctest.h>
#include <memory>
#include <string>

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

namespace {

/// Models the concept and promises nothing more.
class minimal_device_compiler {
public:
    minimal_device_compiler() = default;
    minimal_device_compiler(minimal_device_compiler&&) = default;

    attune::compile_result compile(attune::kernel_source const&, attune::compile_request const& v)
    {
        auto const made = std::make_shared<attune::device_variant>();
        made->code.entry = v.function;
        made->launch = v.launch;
        attune::callable code{.address = made.get(), .code = made};
        return code;
    }
    std::string identity() const { return "minimal_device_compiler 1"; }
    attune::cuda_target const& target() const { return target_; }

private:
    attune::cuda_target target_{};
};

struct target_by_value {
    attune::compile_result compile(attune::kernel_source const&, attune::compile_request const&);
    std::string identity() const;
    attune::cuda_target target() const;
};
struct target_not_const {
    attune::compile_result compile(attune::kernel_source const&, attune::compile_request const&);
    std::string identity() const;
    attune::cuda_target const& target();
};
struct target_alone {
    attune::cuda_target const& target() const;
};

} // namespace

TEST_CASE("a compiler for a device is a compiler with a target")
{
    static_assert(attune::compiler<minimal_device_compiler>);
    static_assert(attune::device_compiler<minimal_device_compiler>);
    CHECK_FALSE(attune::device_compiler<attune_test::minimal_compiler>);
    CHECK_FALSE(attune::device_compiler<target_by_value>);
    CHECK_FALSE(attune::device_compiler<target_not_const>);
    CHECK_FALSE(attune::device_compiler<target_alone>);
}

TEST_CASE("a callable for a device gives its variant while a copy of its code lives")
{
    minimal_device_compiler compiler;
    attune::compile_request v{"saxpy", "void", {}, {}};
    v.launch.block = {128, 2, 1};
    auto made = std::get<attune::callable>(compiler.compile({}, v));
    attune::callable const copy = made;
    made = {};
    CHECK(attune::device_variant_of(copy).code.entry == "saxpy");
    CHECK(attune::device_variant_of(copy).launch.threads_per_block() == 256);
}
