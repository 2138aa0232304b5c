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
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
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
    /// The user's check and reference, given the address of a std::tuple of arguments; may be
    /// empty.
    std::function<std::string(void const*)> check{};
    std::function<void(void const*)> reference{};
};

namespace detail {

template <class Check, class... Args>
[[nodiscard]] constexpr bool check_returns_verdict()
{
    if constexpr (std::is_invocable_v<Check const&, Args...>)
        return std::is_convertible_v<std::invoke_result_t<Check const&, Args...>, std::string> ||
               std::is_same_v<std::invoke_result_t<Check const&, Args...>, bool>;
    else
        return false;
}

template <class Check, class... Args>
inline constexpr bool is_check = check_returns_verdict<Check, Args...>();

} // namespace detail

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

    /// @param name    of the function in `source`: "sgemm", "linear::sgemm", or a template with its
    ///                arguments, "sgemm<TILE>"; also names it in reports and records
    /// @param source  C++ text that uses ATTUNE_TUNABLE(NAME, default) for every parameter that is
    ///                neither flags, nor a compiler, nor an argument in the name
    /// @param typed   the pack of attune::space(...)
    template <class Pack>
    kernel(std::string name, kernel_source source, Pack const& typed)
        : description_{name, std::move(source), {}, lower(typed), {}, {}, {}, {}}
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

    /// `f(arguments...)` decides whether a result is right, instead of a comparison with that of
    /// the default variant: it returns true, or a std::string that is empty when all is well and
    /// says what is wrong otherwise. For results that may differ and be right. It is called after a
    /// run, on copies of the call's arguments; the default variant has to pass too.
    template <class Check>
    kernel& check(Check f)
    {
        constexpr bool fits = detail::is_check<Check, Args...>;
        static_assert(fits,
                      "attune: kernel.check(f): f must take the kernel's arguments and return a "
                      "bool (right?) or a std::string (what is wrong; empty: nothing)");
        if constexpr (fits)
            description_.check = [f](void const* arguments) -> std::string {
                auto const& all = *static_cast<std::tuple<Args...> const*>(arguments);
                if constexpr (std::is_same_v<std::invoke_result_t<Check const&, Args...>, bool>)
                    return std::apply(f, all) ? "" : "the kernel's check refused the result";
                else
                    return std::apply(f, all);
            };
        return *this;
    }

    /// `f(arguments...)` writes the right result, instead of the default variant: slow and simple
    /// code, trusted. The default variant is compared with it too.
    template <class Reference>
    kernel& reference(Reference f)
    {
        constexpr bool fits = std::is_invocable_v<Reference const&, Args...>;
        static_assert(fits, "attune: kernel.reference(f): f must take the kernel's arguments");
        if constexpr (fits)
            description_.reference = [f](void const* arguments) {
                std::apply(f, *static_cast<std::tuple<Args...> const*>(arguments));
            };
        return *this;
    }

    [[nodiscard]] kernel_description const& describe() const noexcept { return description_; }

private:
    kernel_description description_;
};

} // namespace attune
