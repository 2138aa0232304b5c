// attune/core/offer.hpp - what a part of the program offers to those that do not include it.
// SPDX-License-Identifier: MIT
// tested by tune/loop/time_bounds.cpp
#pragma once

#include <attune/core/version.hpp>

#include <atomic>

namespace attune::inline ATTUNE_ABI::detail {

/// A part sets it before static objects are made, by a function with [[gnu::constructor(102)]].
template <class Offer>
inline constinit std::atomic<Offer const*> offer_in_program = nullptr;

/// @param offer  outlives its use; null: no part of the program offers it
/// @return  the one before
template <class Offer>
Offer const* exchange_offer(Offer const* offer) noexcept
{
    return offer_in_program<Offer>.exchange(offer);
}

/// Null: no part of this program offers it.
template <class Offer>
[[nodiscard]] Offer const* offer_of_program() noexcept
{
    return offer_in_program<Offer>.load();
}

} // namespace attune::inline ATTUNE_ABI::detail
