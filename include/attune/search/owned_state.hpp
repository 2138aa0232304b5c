// attune/search/owned_state.hpp - owns the data of a class, whose type only the .ipp file has.
// SPDX-License-Identifier: MIT
// tested by search/random.cpp
#pragma once

#include <attune/core/version.hpp>

#include <memory>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// Movable. The class that has it needs no destructor.
template <class State>
using owned_state = std::unique_ptr<State, void (*)(State*)>;

/// @tparam Made  `State` or a class derived from it
template <class State, class Made = State, class... Args>
[[nodiscard]] owned_state<State> make_state(Args&&... args)
{
    return {new Made(std::forward<Args>(args)...), [](State* held) { delete held; }};
}

} // namespace attune::inline ATTUNE_ABI::detail
