// attune/tune/kernel/user_functions.hpp - a user's function of a kernel's call, without the call's types.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/kernel/call_frame.hpp>

#include <concepts>
#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// What `F` returns for the arguments of a call and, after them, for what the kernel returned.
template <class F, class Result, class... Args>
struct on_result : std::invoke_result<F const&, host_argument<Args>..., Result const&> {};
template <class F, class... Args>
struct on_result<F, void, Args...> : std::invoke_result<F const&, host_argument<Args>...> {};

/// kernel.check(f) takes `F`.
template <class F, class Result, class... Args>
concept result_check =
    requires { typename on_result<F, Result, Args...>::type; } &&
    (std::convertible_to<typename on_result<F, Result, Args...>::type, std::string> ||
     std::same_as<typename on_result<F, Result, Args...>::type, bool>);

/// kernel.check_error(most, f) takes `F`.
template <class F, class Result, class... Args>
concept error_measure = requires { typename on_result<F, Result, Args...>::type; } &&
                        std::floating_point<typename on_result<F, Result, Args...>::type>;

/// What is said of a result whose check has just thrown. @pre  an exception is being handled
[[nodiscard]] inline std::string refusal_of_exception()
{
    return "the kernel's check threw: " + text_of_exception();
}

/// What kernel.check_error(most, f) says of an error; empty: nothing. NaN is wrong.
[[nodiscard]] inline std::string refusal_of_error(double error, double most)
{
    if (error <= most) return {};
    return "the error is " + (error != error ? "NaN" : formatted("%.6g", error)) +
           ", its bound at most " + formatted("%.6g", most);
}

/// Calls `f` as on_result says. @param of  a `Call`, which is a host_call
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

/// The check of kernel.check(f): the reason why a result is wrong; empty: it is right.
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

/// The same for kernel.check_error(most, f).
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

/// Calls `f` with the arguments of a `Call`; what it returns becomes the call's result.
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
