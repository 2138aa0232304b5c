// attune/compile/any_compiler.hpp - any compiler as one value.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/compiler.hpp>
#include <attune/compile/device_compiler.hpp>
#include <attune/core/version.hpp>

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace attune::inline ATTUNE_ABI {

// Of the stages that run code.
class device_target;
class bench;
struct tuning_options;
struct tuning_problem;

/// The optional part of a compiler: it keeps the code of winners for later processes.
/// keep_winner() puts the code of a variant, compiled before, where find_winner() finds it in less
/// time than compiling takes; false: it could not. find_winner() gives nothing where nothing was
/// kept, or where it does not fit any more. Neither throws for what is on the disk.
template <class C>
concept remembering_compiler =
    compiler<C> && requires(C& c, kernel_source const& kernel, compile_request const& v) {
        { c.find_winner(kernel, v) } -> std::convertible_to<std::optional<callable>>;
        { c.keep_winner(kernel, v) } -> std::convertible_to<bool>;
    };

/// The other optional part: notice() is a sentence that the user should read, such as which
/// compiler serves in place of the one asked for; empty: there is none.
template <class C>
concept noticing_compiler = compiler<C> && requires(C& c) {
    { c.notice() } -> std::convertible_to<std::string>;
};

/// Any compiler, with what it leaves out filled in: no notice, nothing kept, no device.
struct any_compiler {
    std::function<compile_result(kernel_source const&, compile_request const&)> compile;
    std::function<std::string()> identity;
    std::function<std::string()> notice = [] { return std::string{}; };
    std::function<std::optional<callable>(kernel_source const&, compile_request const&)>
        find_winner =
            [](kernel_source const&, compile_request const&) { return std::optional<callable>{}; };
    std::function<bool(kernel_source const&, compile_request const&)> keep_winner =
        [](kernel_source const&, compile_request const&) { return false; };
    /// Of a device_compiler; empty: it makes code for this processor. Looked for at a call, not
    /// before: a program may run where there is no device. Errors  those of the compiler's target()
    std::function<std::shared_ptr<device_target const>()> find_target{};
    /// Where its code is run and timed, in place of this processor and the target; empty: there.
    /// For tests, which script times.
    std::function<std::unique_ptr<bench>(tuning_problem const&, tuning_options const&)>
        make_bench{};

    /// Null: this processor. It refers to the compiler, which outlives it.
    [[nodiscard]] std::shared_ptr<device_target const> target() const
    {
        return find_target ? find_target() : nullptr;
    }
};

namespace detail {

/// @param held  a pointer to the compiler, owning or not
template <class Compiler, class Pointer>
[[nodiscard]] any_compiler erase_compiler(Pointer held)
{
    any_compiler out;
    out.compile = [held](kernel_source const& k, compile_request const& v) {
        return held->compile(k, v);
    };
    out.identity = [held] { return std::string{std::as_const(*held).identity()}; };
    if constexpr (noticing_compiler<Compiler>)
        out.notice = [held] { return std::string{held->notice()}; };
    if constexpr (remembering_compiler<Compiler>) {
        out.find_winner = [held](kernel_source const& k, compile_request const& v) {
            return std::optional<callable>{held->find_winner(k, v)};
        };
        out.keep_winner = [held](kernel_source const& k, compile_request const& v) {
            return static_cast<bool>(held->keep_winner(k, v));
        };
    }
    return out;
}

} // namespace detail

/// @param held  refers to the compiler; must outlive the result
template <class Compiler>
[[nodiscard]] any_compiler make_any_compiler(Compiler& held)
{
    any_compiler out = detail::erase_compiler<Compiler>(&held);
    // make_device_target() is declared beside the device: see tune/device/devices.hpp.
    if constexpr (device_compiler<Compiler>)
        out.find_target = [&held] { return make_device_target(std::as_const(held).target()); };
    return out;
}

/// Shares the compiler: one for this processor.
template <class Compiler>
[[nodiscard]] any_compiler share_compiler(Compiler held)
{
    return detail::erase_compiler<Compiler>(std::make_shared<Compiler>(std::move(held)));
}

} // namespace attune::inline ATTUNE_ABI
