// attune/compile/compiler.ipp - the defaults for optional parts that a compiler lacks.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/compiler.hpp>
#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE any_compiler::any_compiler()
    : notice([] { return std::string{}; })
    , code_quantities([] { return std::vector<std::string_view>{}; })
    , find_winner(
          [](kernel_source const&, compile_request const&) { return std::optional<callable>{}; })
    , keep_winner([](kernel_source const&, compile_request const&) { return false; })
{
}
ATTUNE_INLINE any_compiler::any_compiler(std::function<compile_function> compile_it,
                                         std::function<std::string()> name_it)
    : any_compiler()
{
    compile = std::move(compile_it);
    identity = std::move(name_it);
}

} // namespace attune::inline ATTUNE_ABI::detail
