// tests/support/needs_opencl.hpp - for tests of what needs an OpenCL platform; PoCL is one on every processor.
// SPDX-License-Identifier: MIT
//
// A case begins with `if (!attune_test::has_opencl()) return;`: it is skipped with the reason, or
// fails if ATTUNE_TEST_NEEDS_OPENCL is set, as cmake/test.sh does.
#pragma once

#include <attune/compile/opencl.hpp>
#include <attune/core/error.hpp>

#include <cstdlib>
#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace attune_test {

/// A compiler that keeps nothing.
inline attune::opencl_compiler opencl_here(attune::opencl_options options = {})
{
    options.cache.enabled = false;
    return attune::opencl_compiler(std::move(options));
}

/// False, with a message or a failure, where no platform is installed.
inline bool has_opencl()
{
    static std::string const why = opencl_here().missing();
    if (!why.empty() && std::getenv("ATTUNE_TEST_NEEDS_OPENCL") != nullptr)
        FAIL_CHECK("no OpenCL: " << why);
    else if (!why.empty())
        MESSAGE("skipped: no OpenCL: " << why);
    return why.empty();
}

/// y[i] = FACTOR * x[i] + y[i] for i < n.
inline constexpr char const* scaled_sum_text = R"cl(
kernel void scaled_sum(global float const* x, global float* y, int n)
{
    int const i = get_global_id(0);
    if (i < n) y[i] = FACTOR * x[i] + y[i];
}
)cl";

inline attune::kernel_source opencl_source(std::string text, std::string path = "test.cl")
{
    return attune::kernel_source{std::move(text), std::move(path)};
}

inline attune::compile_request opencl_request(std::string function,
                                              std::vector<std::string> arguments,
                                              std::vector<attune::macro_definition> macros = {})
{
    attune::compile_request out;
    out.function = std::move(function);
    out.arguments = std::move(arguments);
    out.macros = std::move(macros);
    return out;
}

inline attune::callable opencl_callable(attune::compile_result const& result)
{
    if (auto const* const failed = std::get_if<attune::failure>(&result))
        FAIL("did not compile: " << failed->reason << "\n" << failed->log);
    return std::get<attune::callable>(result);
}

inline attune::failure opencl_failure(attune::compile_result const& result)
{
    REQUIRE(std::holds_alternative<attune::failure>(result));
    return std::get<attune::failure>(result);
}

} // namespace attune_test
