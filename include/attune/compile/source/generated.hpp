// attune/compile/source/generated.hpp - kernels whose text a function writes for each configuration.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/source.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/decode.hpp>
#include <attune/declare/lower.hpp>

#include <string>
#include <type_traits>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Errors   attune::error: values of `bound` are not of the types that `declared` says
void require_parameters_of(description const& declared, description const& bound);

} // namespace detail

/// A kernel whose text `f(config)` writes: for kernels that templates and macros cannot express,
/// and for generators that exist. The text defines the function that attune::kernel names, with its
/// types. Parameters are no macros in it; flags, compilers and the launch are chosen as ever, and
/// variants are compared with the default, for which every parameter needs with_default().
///
/// @param typed    the pack of attune::space(...)
/// @param f        (config const&) -> std::string: the text, from the configuration alone. It is
///                 called wherever a configuration is compiled or its code is looked for, maybe by
///                 several threads at once. What it throws is the failure of that configuration;
///                 for the default it is an attune::error.
/// @param name     the file name in messages: "dot.cpp"; its folder is searched for quoted includes
/// @param revision to be changed with what `f` writes: records of another revision do not serve. Where
///                 variants use several threads without a flag such as -fopenmp, the revision
///                 names the library: "2, with std::thread" (pthread, std::async, tbb ...)
/// Example   attune::generated_source(space, [](auto const& config) {
///               return "float x[" + std::to_string(config[size]) + "];\nvoid clear() { ... }";
///           }, "clear.cpp", "1")
template <class Pack, class F>
[[nodiscard]] kernel_source generated_source(Pack const& typed, F f, std::string name,
                                             std::string revision)
{
    using config_type = typename Pack::config_type;
    constexpr bool writes = std::is_invocable_r_v<std::string, F const&, config_type const&>;
    static_assert(
        writes, "attune::generated_source(space, f, name, revision): f must take a configuration, "
                "f(auto const& config), be const, and return its text as a std::string");
    kernel_source out{std::move(revision), std::move(name)};
    if constexpr (writes)
        out.generate = [typed, declared = lower(typed), f = std::move(f)](description const& bound,
                                                                          point const& at) {
            detail::require_parameters_of(declared, bound);
            return std::string(f(decode(typed, bound, at)));
        };
    return out;
}

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/source/generated.ipp>
#endif
