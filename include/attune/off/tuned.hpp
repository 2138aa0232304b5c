// attune/off/tuned.hpp - attune::tuned in files with ATTUNE_OFF: a call of the kernel's default, and nothing else.
// SPDX-License-Identifier: MIT
//
// All of off/, which attune/attune.hpp and attune/tune/tuned.hpp then stand for. Spaces and their
// parameters are those of declare/; nothing of the tuner is included, and nothing of attune's is
// linked. The names are in a namespace of their own for the linker, so that files with ATTUNE_OFF
// and without it may be in one program.
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/kernel_type.hpp>
#include <attune/core/matrix_view.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/pack.hpp>
#include <attune/off/compilers_and_stores.hpp>
#include <attune/off/kernel.hpp>
#include <attune/off/options.hpp>
#include <attune/off/report.hpp>
#include <attune/off/together.hpp>

#include <initializer_list>
#include <string>
#include <tuple>

namespace attune::inline ATTUNE_OFF_ABI {

template <class Signature, class Compiler, class Store>
class tuned;

/// Calls the function of kernel.fallback(f), else that which attune_add_kernel(target file)
/// compiled into the program, through a pointer. Nothing is opened, compiled, tuned, verified or
/// written.
///
/// Errors   attune::error at construction: the program contains no default of this kernel
template <class Result, class... Args, class Compiler, class Store>
class tuned<Result(Args...), Compiler, Store> {
public:
    tuned(kernel<Result(Args...)> const& k, Compiler const&, Store const&,
          tuning_options const& = {})
        : name_(k.name())
        , default_(k.default_function())
    {
    }
    tuned(kernel<Result(Args...)> const& k, Compiler const&, tuning_options const& = {})
        : name_(k.name())
        , default_(k.default_function())
    {
    }

    Result operator()(Args... args) const { return default_(args...); }

    tuning_report tune(Args...) const { return report(); }
    tuning_report predict(Args...) const { return report(); }
    void prepare(std::initializer_list<std::tuple<Args...>>) const {}
    [[nodiscard]] bool is_tuned(Args...) const noexcept { return true; }
    [[nodiscard]] known_choice explain(Args...) const
    {
        return {.kernel = name_, .why = "ATTUNE_OFF: the default", .serves = true};
    }
    void wait() const noexcept {}
    [[nodiscard]] tuning_report report() const
    {
        return {.kernel = name_,
                .reason = "ATTUNE_OFF",
                .serving = name_ + ": the default serves, nothing is tuned (ATTUNE_OFF)"};
    }

private:
    std::string name_;
    Result (*default_)(Args...);
};

template <class Signature, class Compiler, class... Rest>
tuned(kernel<Signature> const&, Compiler, Rest...) -> tuned<Signature, Compiler>;
template <class Signature, class Compiler>
tuned(kernel<Signature> const&, Compiler, tuning_options) -> tuned<Signature, Compiler>;
template <class Signature, class Compiler, class Store>
tuned(kernel<Signature> const&, Compiler, Store) -> tuned<Signature, Compiler, Store>;
template <class Signature, class Compiler, class Store>
tuned(kernel<Signature> const&, Compiler, Store, tuning_options)
    -> tuned<Signature, Compiler, Store>;

} // namespace attune::inline ATTUNE_OFF_ABI
