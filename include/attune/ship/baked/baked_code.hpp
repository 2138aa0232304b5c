// attune/ship/baked/baked_code.hpp - the unit of a variant describes its function.
// SPDX-License-Identifier: MIT-0
// tested by ship/baked.cpp
#pragma once

#ifndef ATTUNE_RELEASED
#define ATTUNE_RELEASED // exceptions are not needed: core/version.hpp
#endif

#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// A function of the kernel's type, which the caller casts back to it.
using baked_code = void (*)();

/// The type of a function, from a pointer to it.
template <class Pointer>
struct baked_function;
template <class Result, class... Args>
struct baked_function<Result (*)(Args...)> {
    using type = Result(Args...);
};
template <class Result, class... Args>
struct baked_function<Result (*)(Args...) noexcept> {
    using type = Result(Args...);
};

} // namespace attune::inline ATTUNE_ABI::detail
