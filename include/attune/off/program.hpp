// attune/off/program.hpp - attune::nest in files with ATTUNE_OFF: the plain nest.
// SPDX-License-Identifier: MIT
//
// Members of options as in tune/program/program_source.hpp, without rules and processors.
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/error.hpp>
#include <attune/core/launch.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/declaration.hpp>
#include <attune/declare/nest/operators.hpp>
#include <attune/off/tuned.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace attune::inline ATTUNE_OFF_ABI {

struct program_options {
    std::optional<tolerance> within{};
    bool tune_each_size = true;
    std::optional<device_limits> device{};
};

} // namespace attune::inline ATTUNE_OFF_ABI

namespace attune::off::inline ATTUNE_ABI::detail {

template <class Declaration, class Signature = typename Declaration::signature>
class nest_program;
template <class Declaration, class... Args>
class nest_program<Declaration, void(Args...)> {
public:
    using signature = void(Args...);

    constexpr explicit nest_program(Declaration const& of)
        : declaration_(of)
    {
    }

    template <class... Each>
    [[nodiscard]] consteval auto with_arguments(Each const&...) const
    {
        using declaration =
            typename Declaration::template with_order<attune::detail::type_list<Each...>>;
        if constexpr (attune::detail::check_declaration<declaration>())
            return nest_program<declaration>(declaration(declaration_.steps()));
        else
            return *this; // gives a single error
    }

    void operator()(Args... args) const { declaration_(args...); }

    /// Errors   attune::error: sixteen other programs differ from this one in literals alone
    [[nodiscard]] attune::ATTUNE_OFF_ABI::kernel<signature>
    kernel(attune::ATTUNE_OFF_ABI::program_options const& = {}) const
    {
        using function = attune::detail::plain_function<Declaration>;
        typename function::type const plain = function::of(declaration_);
        if (plain == nullptr)
            throw error("ATTUNE_OFF: there is no function left for a program",
                        std::string(Declaration::name),
                        "let programs that differ in literals alone take them as inputs");
        attune::ATTUNE_OFF_ABI::kernel<signature> out{
            std::string(Declaration::name), attune::ATTUNE_OFF_ABI::kernel_source{}, nullptr};
        return out.fallback(plain);
    }

    /// Runs on this processor, too.
    [[nodiscard]] attune::ATTUNE_OFF_ABI::kernel<signature>
    device_kernel(attune::ATTUNE_OFF_ABI::program_options const& options = {}) const
    {
        return kernel(options);
    }

private:
    Declaration declaration_;
};

} // namespace attune::off::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_OFF_ABI {

/// A call of the tuned program is a call of its plain nest.
template <fixed_string Name, class... Statements>
[[nodiscard]] consteval auto nest(Statements const&... statements)
{
    auto const made = detail::declare_nest<Name>(statements...);
    if constexpr (std::is_same_v<decltype(made), detail::no_declaration const>)
        return made; // gives a single error
    else
        return off::detail::nest_program<std::remove_const_t<decltype(made)>>(made);
}

/// Returns a sentence: there is no text.
template <class Declaration, class Signature>
[[nodiscard]] std::string show(off::detail::nest_program<Declaration, Signature> const&,
                               std::string_view = {}, program_options const& = {})
{
    return "// " + std::string(Declaration::name) + ": the plain nest serves (ATTUNE_OFF)\n";
}

/// Returns a sentence: there is no text.
template <class Declaration, class Signature>
[[nodiscard]] std::string
show_device(off::detail::nest_program<Declaration, Signature> const& program, std::string_view = {},
            program_options const& = {})
{
    return show(program);
}

} // namespace attune::inline ATTUNE_OFF_ABI
