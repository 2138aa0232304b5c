// attune/tune/loop/detail/session_key.hpp - what an interrupted session may be continued under.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/hash.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/options.hpp>

#include <cstddef>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// Equal keys, comparable outcomes: the same kernel, machine and way of measuring.
[[nodiscard]] inline std::string session_key(tuning_problem const& problem,
                                             tuning_options const& options)
{
    description const& space = problem.space.describe();
    record_key const key =
        make_key(problem.kernel, space, problem.compiler.identity(), problem.compiler.target());
    content_hash hash;
    hash.add(key.kernel).add(key.source).add(key.schema).add(key.compiler).add(key.device);
    for (auto const& [name, value] : key.inputs)
        hash.add(name).add(value);
    hash.add(options.cache == cache_state::warm ? "warm" : "cold");
    hash.add(problem.kernel.check ? "checked" : "compared");
    hash.add(problem.kernel.reference ? "given reference" : "default's reference");
    if (options.as_graph) hash.add("as graph");
    if (problem.predict) hash.add("predicted");
    for (std::string const& feature : space.intermediates)
        hash.add(feature);
    std::string start;
    for (std::size_t i = 0; i < space.parameters.size(); ++i)
        start += (i > 0 ? " " : "") + space.parameters[i].name + '=' +
                 text_of(space.parameters[i], problem.default_at[i]);
    return hash.add(start).hex();
}

} // namespace attune::inline ATTUNE_ABI::detail
