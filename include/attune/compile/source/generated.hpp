// attune/compile/source/generated.hpp - kernels whose text a function writes for each configuration.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/source.hpp>
#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/decode.hpp>
#include <attune/declare/lower.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Errors   attune::error: values of `bound` have other types than those in `declared`
inline void require_parameters_of(description const& declared, description const& bound)
{
    bool same = declared.parameters.size() == bound.parameters.size();
    for (std::size_t i = 0; same && i < bound.parameters.size(); ++i) {
        parameter_description const& mine = declared.parameters[i];
        parameter_description const& given = bound.parameters[i];
        same = mine.name == given.name && mine.kind == given.kind && mine.type == given.type &&
               mine.parts == given.parts;
    }
    if (!same)
        throw error("the space of generated_source has other parameters than that of the kernel",
                    "", "pass the same space to generated_source and to attune::kernel");
}

} // namespace detail

/// A kernel whose text `f(config)` writes: for kernels that templates and macros cannot express,
/// and for existing generators. The text defines the function that attune::kernel names, with its
/// types. Parameters are no macros in it. Flags, compilers and the launch are chosen as usual.
/// Variants are compared with the default, for which every parameter needs with_default().
///
/// @param typed    the pack of attune::space(...)
/// @param f        (config const&) -> std::string: writes the text, from the configuration alone.
///                 attune calls it for each compilation of a configuration and for each search for
///                 its code, perhaps on several threads. An exception is the failure of that
///                 configuration; for the default it is an attune::error.
/// @param name     the file name in messages: "dot.cpp"; its folder is searched for quoted includes
/// @param revision must change with the output of `f`: records of another revision are not used. If
///                 variants use several threads without a flag such as -fopenmp, the revision names
///                 the library: "2, with std::thread" (pthread, std::async, tbb ...)
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
        out.generator = detail::generator_from([typed, declared = lower(typed), f = std::move(f)](
                                                   description const& bound, point const& at) {
            detail::require_parameters_of(declared, bound);
            return std::string(f(decode(typed, bound, at)));
        });
    return out;
}

} // namespace attune::inline ATTUNE_ABI
