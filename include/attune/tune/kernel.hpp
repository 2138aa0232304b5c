// attune/tune/kernel.hpp - a function to be tuned: its name, its source, its space.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> compile -> measure -> remember, closed by tune
// In       what the user declares about one kernel
// Out      the value that `tuned` works on
// Source   own
// Depends  std only; Boost.Hana through pack.hpp
// Tests    tests/tune/kernel.cpp
#pragma once

#include <attune/compile/signature.hpp>
#include <attune/compile/source.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/lower.hpp>
#include <attune/measure/buffer.hpp>
#include <attune/tune/call_frame.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune {

/// An input of the space and the argument of the call that gives its value.
struct input_argument {
    std::string input;
    std::size_t position = 0;
};

/// What is known of a kernel once its types are gone.
struct kernel_description {
    std::string name;
    kernel_source source;
    variant signature; ///< function and types; no macros yet
    description space; ///< as lowered: inputs without values
    std::vector<input_argument> inputs;
    std::vector<std::optional<tolerance>> tolerances; ///< by argument; empty: the default
};

template <class Signature>
class kernel;

/// A kernel `void(Args...)`. Arguments are spans of plain data (const: only read) and numbers.
///
/// Example   attune::kernel<void(std::span<float const>, std::span<float>, int)>
///               scale{"scale", attune::source_file("scale.kernel.cpp"), space};
template <class Result, class... Args>
class kernel<Result(Args...)> {
public:
    using signature = Result(Args...);

    /// @param name    of the function in `source`; also names it in reports and records
    /// @param source  C++ text that uses ATTUNE_TUNABLE(NAME, default) for every parameter
    /// @param typed   the pack of attune::space(...)
    template <class Pack>
    kernel(std::string name, kernel_source source, Pack const& typed)
        : description_{name, std::move(source), {}, lower(typed), {}, {}}
    {
        constexpr bool returns_nothing = std::is_void_v<Result>;
        static_assert(returns_nothing,
                      "attune: a kernel returns void; let it write its result to a std::span");
        constexpr bool restorable = (detail::is_kernel_argument<Args>() && ...);
        static_assert(restorable,
                      "attune: the arguments of a kernel are std::span over plain data and numbers "
                      "by value: only these can be restored after a trial run");
        if constexpr (returns_nothing && restorable)
            description_.signature = variant_of<signature>(std::move(name));
    }

    /// The input takes its value from argument `Position` (0-based) of every call.
    template <std::size_t Position, fixed_string Name, class T>
    kernel& bind(input_parameter<Name, T> const&)
    {
        constexpr bool exists = Position < sizeof...(Args);
        static_assert(exists, "attune: kernel.bind<i>(input): the kernel has fewer arguments");
        if constexpr (exists) {
            using argument = std::tuple_element_t<Position, std::tuple<Args...>>;
            constexpr bool is_number = std::is_arithmetic_v<argument>;
            static_assert(is_number, "attune: kernel.bind<i>(input): argument i is not a number");
            description_.inputs.push_back({std::string(Name.view()), Position});
        }
        return *this;
    }

    /// How far elements of argument `Position` may differ from the default variant's output.
    template <std::size_t Position>
    kernel& tolerate(tolerance allowed)
    {
        constexpr bool exists = Position < sizeof...(Args);
        static_assert(exists, "attune: kernel.tolerate<i>(...): the kernel has fewer arguments");
        description_.tolerances.resize(sizeof...(Args));
        description_.tolerances[Position] = allowed;
        return *this;
    }

    [[nodiscard]] kernel_description const& describe() const noexcept { return description_; }

private:
    kernel_description description_;
};

} // namespace attune
