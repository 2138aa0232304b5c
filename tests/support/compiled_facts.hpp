// tests/support/compiled_facts.hpp - what clang_compiler proves of a kernel's text.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/clang.hpp>
#include <attune/compile/source/signature.hpp>

#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <vector>

#include "../laws/compiler.hpp"

namespace attune_test {

/// Whether there is a Clang that lets facts be proven: from 19 on.
inline bool can_prove()
{
    std::string const identity = attune::clang_compiler().identity();
    bool const is_new = identity.starts_with("clang 19") || identity.starts_with("clang 2");
    if (!is_new) MESSAGE("skipped: " << identity << " proves nothing");
    return is_new;
}

using plain_kernel = void(float const*, float*, int);

/// What stands in a plain_kernel f(x, y, n), and before it.
struct kernel_body {
    char const* name;
    char const* body;
    char const* before = "";
};

/// @param text  of a kernel `f`
template <class Signature = plain_kernel>
attune::code_facts facts_of(std::string text, std::vector<std::string> flags = {})
{
    attune::clang_options options;
    options.cache.enabled = false;
    attune::clang_compiler const compiler(options);
    attune::kernel_source source = attune::source_text(std::move(text), "f.kernel.cpp");
    source.flags = std::move(flags);
    return attune_laws::callable_of(compiler.compile(source, attune::variant_of<Signature>("f")))
        .facts;
}

} // namespace attune_test
