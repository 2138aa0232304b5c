// attune/core/offer.hpp - offers of a part of the program to code that does not include that part.
// SPDX-License-Identifier: MIT
// tested by tune/loop/time_bounds.cpp
#pragma once

#include <attune/core/version.hpp>

#include <atomic>

namespace attune::inline ATTUNE_ABI::detail {

/// A function with [[gnu::constructor(102)]] sets this offer before static objects are made.
template <class Offer>
inline constinit std::atomic<Offer const*> offer_in_program = nullptr;

/// @param offer  outlives its use; null: no part of the program offers it
/// @return  the former offer
template <class Offer>
Offer const* exchange_offer(Offer const* offer) noexcept
{
    return offer_in_program<Offer>.exchange(offer);
}

/// Returns the offer, or null if no part of this program makes one.
template <class Offer>
[[nodiscard]] Offer const* offer_of_program() noexcept
{
    return offer_in_program<Offer>.load();
}

} // namespace attune::inline ATTUNE_ABI::detail
