// attune/remember/layers.ipp - combines the answers of several stores.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/remember/detail/line_text.hpp>
#include <attune/remember/layers.hpp>
#include <attune/remember/store.hpp>

#include <algorithm>
#include <ranges>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE layers layers::of_paths(std::string_view paths)
{
    layers out;
    while (!paths.empty()) {
        std::string_view const path = paths.substr(0, paths.find(':'));
        paths.remove_prefix(std::min(path.size() + 1, paths.size()));
        if (!path.empty()) out.push_back(std::make_shared<store>(std::string(path)));
    }
    if (out.layers_.empty())
        throw error("no store is named", "layers::of_paths", "give it paths with ':' between");
    return out;
}

ATTUNE_INLINE lookup_result layers::find(record_key const& key)
{
    lookup_result out;
    for (detail::any_store const& layer : std::views::reverse(layers_))
        out = detail::better_of(std::move(out), layer.find(key));
    return out;
}

ATTUNE_INLINE std::vector<std::string> layers::notices()
{
    std::vector<std::string> out;
    for (detail::any_store const& layer : layers_)
        for (std::string& one : layer.notices())
            out.push_back(std::move(one));
    return out;
}

ATTUNE_INLINE detail::problem_history layers::recall(detail::stored_problem const& wanted)
{
    detail::problem_history out{.problem = wanted};
    for (detail::any_store const& layer : std::views::reverse(layers_))
        detail::add_to(out, layer.recall(wanted));
    return out;
}

ATTUNE_INLINE std::vector<detail::related_problem>
layers::related(detail::stored_problem const& wanted, std::size_t most)
{
    std::vector<detail::related_problem> out;
    for (detail::any_store const& layer : layers_)
        detail::add_to(out, layer.related(wanted, most), most);
    return out;
}

ATTUNE_INLINE std::vector<detail::proven_shape> layers::proofs(detail::stored_problem const& wanted,
                                                               std::string const& code)
{
    std::vector<detail::proven_shape> out;
    for (detail::any_store const& layer : layers_)
        for (detail::proven_shape& one : layer.proofs(wanted, code))
            out.push_back(std::move(one));
    return out;
}

} // namespace attune::inline ATTUNE_ABI
