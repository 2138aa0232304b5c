// attune/compile/compiler_choice.hpp - a compiler that forwards each variant to one of several.
// SPDX-License-Identifier: MIT
#pragma once

#ifdef ATTUNE_OFF
#include <attune/off/tuned.hpp>
#else
#include <attune/compile/compiler.hpp>
#include <attune/core/error.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A compiler, and its value of a compilers<"X">(...) parameter.
class named_compiler {
public:
    template <class C>
    named_compiler(std::string name, C held)
        : name_(std::move(name))
    {
        if constexpr (detail::require_compiler<C>())
            held_ = detail::share_compiler(std::move(held));
    }

    [[nodiscard]] std::string const& name() const noexcept { return name_; }
    [[nodiscard]] detail::any_compiler const& held() const noexcept { return held_; }

private:
    std::string name_;
    detail::any_compiler held_{};
};

/// Models `compiler`. Compiles each variant with the compiler in variant.compiler; without a name,
/// with the first. Cheap to copy; copies share the compilers.
///
/// Example   inline constexpr auto cxx = attune::compilers<"CXX">("clang", "g++");
///           attune::tuned fast{kernel, attune::compiler_choice{
///               {"clang", attune::clang_compiler{}},
///               {"g++", attune::system_compiler{{.command = "g++"}}}}};
class compiler_choice {
public:
    /// Errors   attune::error: no compilers, or two with the same name
    compiler_choice(std::initializer_list<named_compiler> compilers)
        : compilers_(compilers)
    {
        if (compilers_.empty())
            throw error("a compiler_choice without compilers", {}, "give it one at least");
        for (std::size_t i = 0; i < compilers_.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (compilers_[i].name() == compilers_[j].name())
                    throw error("two compilers of a compiler_choice have one name",
                                compilers_[i].name(),
                                "the names are the values of attune::compilers<\"X\">(...)");
    }

    /// Errors   attune::error: the variant names an unknown compiler
    [[nodiscard]] compile_result compile(kernel_source const& kernel,
                                         compile_request const& v) const
    {
        compile_result made = chosen(v).held().compile(kernel, v);
        if (auto* const code = std::get_if<callable>(&made))
            code->compiler = identity() + "; used: " + code->compiler;
        return made;
    }
    /// find_winner() of the chosen compiler; empty if that compiler keeps nothing.
    /// Errors   as compile()
    [[nodiscard]] std::optional<callable> find_winner(kernel_source const& kernel,
                                                      compile_request const& v) const
    {
        return chosen(v).held().find_winner(kernel, v);
    }
    bool keep_winner(kernel_source const& kernel, compile_request const& v) const
    {
        return chosen(v).held().keep_winner(kernel, v);
    }

    /// "clang: clang 19.1.7 -O3 ...; g++: g++ (Debian 12.2.0-14) 12.2.0 -O3 ..."
    [[nodiscard]] std::string identity() const { return joined(&detail::any_compiler::identity); }
    /// The quantities that all of its compilers give.
    [[nodiscard]] std::vector<std::string_view> code_quantities() const
    {
        std::vector<std::string_view> out = compilers_.front().held().code_quantities();
        for (named_compiler const& one : compilers_) {
            std::vector<std::string_view> const given = one.held().code_quantities();
            std::erase_if(out, [&](std::string_view name) {
                return std::find(given.begin(), given.end(), name) == given.end();
            });
        }
        return out;
    }
    /// The notices of its compilers; may be empty.
    [[nodiscard]] std::string notice() const { return joined(&detail::any_compiler::notice); }

private:
    [[nodiscard]] named_compiler const& chosen(compile_request const& v) const
    {
        if (v.compiler.empty()) return compilers_.front();
        std::string names;
        for (named_compiler const& candidate : compilers_) {
            if (candidate.name() == v.compiler) return candidate;
            names += (names.empty() ? "" : ", ") + candidate.name();
        }
        throw error("the variant names a compiler that the compiler_choice does not have",
                    v.compiler + "; it has " + names,
                    "use the same names in attune::compilers<\"X\">(...) and compiler_choice");
    }

    [[nodiscard]] std::string
    joined(std::function<std::string()> detail::any_compiler::* said) const
    {
        std::string text;
        for (named_compiler const& each : compilers_)
            if (std::string const one = (each.held().*said)(); !one.empty())
                text += (text.empty() ? "" : "; ") + each.name() + ": " + one;
        return text;
    }

    std::vector<named_compiler> compilers_;
};

} // namespace attune::inline ATTUNE_ABI
#endif // ATTUNE_OFF
