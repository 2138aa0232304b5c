// tests/support/second_time.hpp - a compiler that hands out what another one compiled before.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/compiler.hpp>
#include <attune/compile/source/source.hpp>

#include <doctest/doctest.h>
#include <string>
#include <variant>

namespace attune_test {

/// Both over one cache: what the first compiles, the second must find there.
template <class Compiler>
struct second_time {
    Compiler first;
    Compiler second;

    attune::compile_result compile(attune::kernel_source const& kernel,
                                   attune::compile_request const& v)
    {
        bool const good = std::holds_alternative<attune::callable>(first.compile(kernel, v));
        attune::compile_result result = second.compile(kernel, v);
        if (good) CHECK(std::get<attune::callable>(result).from_cache);
        return result;
    }
    std::string identity() const { return second.identity(); }
};
/// Clang 16 does not deduce the arguments of an aggregate.
template <class Compiler>
second_time(Compiler, Compiler) -> second_time<Compiler>;

} // namespace attune_test
