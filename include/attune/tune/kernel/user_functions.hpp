// attune/tune/kernel/user_functions.hpp - the functions that a user declares for a kernel, without the types of its calls.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/evaluation.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/shape/call_arguments.hpp>
#include <attune/core/shape/call_shape.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/decode.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/lower.hpp>
#include <attune/declare/point.hpp>
#include <attune/measure/roofline/roofline.hpp>
#include <attune/tune/kernel/call_frame.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The work of one call.
/// @param bound      the kernel's space with the values of its inputs
/// @param at         the configuration of the call
/// @param arguments  address of the call's std::tuple of arguments
/// @param read       a mark per parameter, set where the user's function reads its value; may be
///                   null
/// Errors   attune::error: a formula has no value; exceptions of the user's function pass through
using stated_work = std::function<work(description const& bound, point const& at,
                                       void const* arguments, std::vector<bool>* read)>;

/// The two formulas of a kernel, as nodes of its space.
struct work_formulas {
    lowered_formula flops;
    lowered_formula bytes;
    bool double_precision = false;
};

/// Errors   attune::error: a formula is negative or has no value, such as a quotient by zero or a
///          whole number past 2^63
[[nodiscard]] work value_of(work_formulas const& formulas, description const& bound,
                            point const& at);

template <class T>
inline constexpr bool is_span_of_double = false;
template <class T, std::size_t Extent>
inline constexpr bool is_span_of_double<std::span<T, Extent>> =
    std::is_same_v<std::remove_cv_t<T>, double>;

/// Adds the formulas as nodes to `space`, the kernel's space.
template <class... Args, class Flops, class Bytes>
[[nodiscard]] stated_work work_by_formulas(description& space, Flops const& flops,
                                           Bytes const& bytes)
{
    constexpr bool numbers = is_number_formula<Flops>() && is_number_formula<Bytes>();
    static_assert(
        numbers, "attune: kernel.work(flops, bytes): each is a number or an expression over inputs "
                 "and parameters that yields one");
    if constexpr (numbers)
        return [formulas = work_formulas{lower_formula(space, flops, "kernel.work(...)"),
                                         lower_formula(space, bytes, "kernel.work(...)"),
                                         (is_span_of_double<Args> || ...)}](
                   description const& bound, point const& at, void const*, std::vector<bool>*) {
            return value_of(formulas, bound, at);
        };
    else
        return {};
}

/// True if f of kernel.work(f) takes only the arguments. The next trait: f takes a configuration
/// before them.
template <class F, class... Args>
inline constexpr bool is_work_of_call = std::is_invocable_r_v<work, F const&, Args const&...>;
template <class F, class... Args>
inline constexpr bool is_work_of_configuration =
    !is_work_of_call<F, Args...> &&
    std::is_invocable_r_v<work, F const&, configuration_view const&, Args const&...>;

template <class... Args, class F>
[[nodiscard]] stated_work work_by_function(F f)
{
    constexpr bool fits = is_work_of_call<F, Args...> || is_work_of_configuration<F, Args...>;
    static_assert(fits,
                  "attune: kernel.work(f): f must take the kernel's arguments, before them an "
                  "attune::configuration_view if it reads parameters, and return an attune::work; "
                  "or give two expressions, kernel.work(flops, bytes)");
    if constexpr (is_work_of_call<F, Args...>)
        return [f](description const&, point const&, void const* arguments,
                   std::vector<bool>*) -> work {
            return std::apply(f, *static_cast<std::tuple<Args...> const*>(arguments));
        };
    else if constexpr (fits)
        return [f](description const& bound, point const& at, void const* arguments,
                   std::vector<bool>* read) -> work {
            return std::apply(
                [&](Args const&... args) {
                    return f(configuration_view{bound, at, read}, args...);
                },
                *static_cast<std::tuple<Args...> const*>(arguments));
        };
    else
        return {};
}

/// Makes a call of a kernel, whose shape follows `choice`. The call owns its arrays.
using drawn_call_maker =
    std::function<keyed_call(call_draw& draw, shape_choice const& choice,
                             std::vector<std::optional<tolerance>> const& tolerances)>;

template <class T>
inline constexpr bool is_made_of_elements = is_span<T> || is_constant_view<T>;

/// A source of an argument of type `T`: a container of an array's elements, otherwise a value.
template <class T, class Made>
concept argument_source =
    (is_made_of_elements<T> && requires(Made& made) { T{made.data(), made.size()}; }) ||
    (!is_made_of_elements<T> && requires(Made& made) { static_cast<T>(made); });

/// Errors   attune::error: `T` fixes another number of elements
template <class T, class Made>
    requires argument_source<T, Made>
[[nodiscard]] T argument_of(Made& made)
{
    if constexpr (is_span<T>)
        if constexpr (T::extent != std::dynamic_extent)
            if (made.size() != T::extent)
                throw error(
                    "kernel.calls(f): an array has another number of elements than its type", {},
                    "give a std::span<T, " + std::to_string(T::extent) + "> as many elements");
    if constexpr (is_made_of_elements<T>)
        return T{made.data(), made.size()};
    else
        return static_cast<T>(made);
}

template <class F, class... Args>
[[nodiscard]] consteval bool makes_arguments()
{
    if constexpr (!std::is_invocable_v<F const&, call_draw&>)
        return false;
    else {
        using made = std::remove_cvref_t<std::invoke_result_t<F const&, call_draw&>>;
        if constexpr (requires { std::tuple_size<made>::value; }) {
            if constexpr (std::tuple_size_v<made> == sizeof...(Args))
                return []<std::size_t... At>(std::index_sequence<At...>) {
                    return (argument_source<Args, std::tuple_element_t<At, made>> && ...);
                }(std::index_sequence_for<Args...>{});
            else
                return false;
        } else
            return false;
    }
}

/// @param f  see kernel.calls()
template <class Result, class... Args, class F>
[[nodiscard]] drawn_call_maker make_call_maker(F f)
{
    return [f = std::move(f)](call_draw& draw, shape_choice const& choice,
                              std::vector<std::optional<tolerance>> const& tolerances) {
        auto const held = std::make_shared<decltype(f(draw))>(f(draw));
        keyed_call out;
        auto const make = [&]<std::size_t... At>(std::index_sequence<At...>) {
            auto const of = [&](Args const&... args) {
                auto const key = shape_of_call<Args...>{choice}(args...);
                out.shape.assign(key.begin(), key.end());
                out.frame = make_frame_of<Result, Args...>(tolerances, args...);
            };
            of(argument_of<Args>(std::get<At>(*held))...);
        };
        make(std::index_sequence_for<Args...>{});
        out.frame.result =
            std::make_shared<std::pair<std::shared_ptr<void>, std::shared_ptr<void>>>(
                out.frame.result, held);
        return out;
    };
}

/// Maps the values of an input to buckets: kernel.bucket<i>(f).
struct input_bucket {
    std::size_t position = 0; ///< of the argument
    std::function<number(number const&)> of{};
};

/// @param f  takes and returns the argument's type
template <class Argument, class F>
[[nodiscard]] input_bucket make_input_bucket(std::size_t position, F f)
{
    return {position, [f = std::move(f)](number const& value) {
                if constexpr (std::is_floating_point_v<Argument>)
                    return number::of(
                        static_cast<double>(f(static_cast<Argument>(value.as_real()))));
                else
                    return number::of(
                        static_cast<std::int64_t>(f(static_cast<Argument>(value.integer))));
            }};
}

/// The lengths of a kernel's arrays, as functions of the whole numbers of a call.
struct declared_lengths {
    /// Functions of a call's numbers by argument, one per argument; empty: not declared.
    std::vector<std::function<std::int64_t(std::span<std::int64_t const>)>> of{};
    /// Returns the whole numbers of a call, by argument, 0 for others. Takes the address of a
    /// std::tuple, like kernel_description::check.
    std::function<std::vector<std::int64_t>(void const*)> numbers{};

    [[nodiscard]] bool says(std::size_t argument) const
    {
        return argument < of.size() && of[argument] != nullptr;
    }
};

/// @param arguments  each a host_argument
template <class... T>
[[nodiscard]] std::vector<std::int64_t> numbers_among(T const&... arguments)
{
    auto const number = []<class A>(A const& one) -> std::int64_t {
        if constexpr (std::is_integral_v<A>)
            return static_cast<std::int64_t>(one);
        else
            return 0;
    };
    return {number(arguments)...};
}

/// The whole numbers of a call, by argument; empty if no lengths are declared.
[[nodiscard]] std::vector<std::int64_t> numbers_of(declared_lengths const& lengths,
                                                   call_frame const& frame);

/// Errors   attune::error naming the argument: an array is shorter than declared
void require_lengths(std::string const& kernel, declared_lengths const& lengths,
                     call_frame const& frame);

/// The result type of `F` for the arguments of a call and then its return value, if there is one.
template <class F, class Result, class... Args>
struct on_result : std::invoke_result<F const&, host_argument<Args>..., Result const&> {};
template <class F, class... Args>
struct on_result<F, void, Args...> : std::invoke_result<F const&, host_argument<Args>...> {};

/// True if kernel.check(f) accepts an `F`.
template <class F, class Result, class... Args>
concept result_check =
    requires { typename on_result<F, Result, Args...>::type; } &&
    (std::convertible_to<typename on_result<F, Result, Args...>::type, std::string> ||
     std::same_as<typename on_result<F, Result, Args...>::type, bool>);

/// True if kernel.check_error(most, f) accepts an `F`.
template <class F, class Result, class... Args>
concept error_measure = requires { typename on_result<F, Result, Args...>::type; } &&
                        std::floating_point<typename on_result<F, Result, Args...>::type>;

/// Returns the refusal of a result whose check has just thrown. @pre  an exception is being handled
[[nodiscard]] inline std::string refusal_of_exception()
{
    return "the kernel's check threw: " + text_of_exception();
}

/// Returns the refusal of kernel.check_error(most, f); empty: the result is right. NaN is wrong.
[[nodiscard]] inline std::string refusal_of_error(double error, double most)
{
    if (error <= most) return {};
    return "the error is " + (error != error ? "NaN" : formatted("%.6g", error)) +
           ", its bound at most " + formatted("%.6g", most);
}

/// Calls `f` with the arguments of on_result. @param of  a `Call`, which is a host_call
template <class Call, class F>
auto call_on_result(F const& f, void const* of)
{
    auto const& call = *static_cast<Call const*>(of);
    hosts_float_environment const of_host;
    return std::apply(
        [&](auto const&... all) {
            if constexpr (std::is_void_v<std::remove_pointer_t<decltype(call.result)>>)
                return f(all...);
            else
                return f(all..., std::as_const(*call.result));
        },
        call.arguments);
}

/// The function of kernel.objective(unit, goal, f), with the meaning of its values.
struct stated_objective {
    problem_objective of;
    /// Takes the address of a std::tuple of arguments, like kernel_description::check.
    std::function<double(metered_call const&, void const*)> value;
    bool needs_joules = false; ///< false: the call has no joules
};

/// The function of kernel.objective() as a function of a kernel's arguments and result.
/// @tparam Run  measured_call or metered_call
template <class F, class Run>
using objective_of_call =
    decltype(std::bind_front(std::cref(std::declval<F const&>()), std::declval<Run const&>()));

template <class Run, class Call, class F>
[[nodiscard]] stated_objective make_objective(problem_objective of, F f)
{
    auto value = [f](metered_call const& run, void const* arguments) -> double {
        Run given{.seconds = run.seconds};
        if constexpr (std::is_same_v<Run, metered_call>) given.joules = run.joules;
        return call_on_result<Call>(std::bind_front(std::cref(f), given), arguments);
    };
    return {std::move(of), std::move(value), std::is_same_v<Run, metered_call>};
}

/// Makes the check of kernel.check(f): it returns why a result is wrong; empty: it is right.
template <class Call, class F>
[[nodiscard]] std::function<std::string(void const*)> make_check(F f)
{
    return [f](void const* of) -> std::string {
        try {
            auto const answer = call_on_result<Call>(f, of);
            if constexpr (std::is_same_v<std::remove_const_t<decltype(answer)>, bool>)
                return answer ? "" : "the kernel's check refused the result";
            else
                return answer;
        } catch (...) {
            return refusal_of_exception();
        }
    };
}

/// Makes the check of kernel.check_error(most, f).
[[nodiscard]] inline std::function<std::string(void const*)>
make_error_check(std::function<double(void const*)> error, double most)
{
    return [error = std::move(error), most](void const* of) -> std::string {
        try {
            return refusal_of_error(error(of), most);
        } catch (...) {
            return refusal_of_exception();
        }
    };
}

/// Calls `f` with the arguments of a `Call`; the return value of `f` becomes the call's result.
template <class Call, class F>
[[nodiscard]] std::function<void(void const*)> make_result(F f)
{
    return [f](void const* of) {
        auto const& call = *static_cast<Call const*>(of);
        hosts_float_environment const of_host;
        if constexpr (std::is_void_v<std::remove_pointer_t<decltype(call.result)>>)
            std::apply(f, call.arguments);
        else
            *call.result = std::apply(f, call.arguments);
    };
}

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/kernel/user_functions.ipp>
#endif
