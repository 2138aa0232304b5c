// attune/declare/nest/element_bounds.hpp - whether the elements that a program mentions are in their arrays.
// SPDX-License-Identifier: MIT
// tested by declare/nest/evaluate.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/nest_call.hpp>
#include <attune/declare/nest/nest_refusal.hpp>
#include <attune/declare/nest/outline.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>

namespace attune::inline ATTUNE_ABI::detail {

/// Where an index may go: least and largest value.
struct index_range {
    std::int64_t least = 0;
    std::int64_t largest = 0;
};

/// The elements of arrays that a program reads or writes.
template <class Declaration>
class element_bounds {
    static constexpr auto const& outline = Declaration::outline;

public:
    /// Whether an index of `of` leaves an array of constant extents, along axes of constant
    /// extents.
    template <class Array, bool Padded, class... Index>
    [[nodiscard]] static constexpr bool leaves(element_of_array<Array, Padded, Index...> const& of)
    {
        if constexpr (Padded) return false;
        bool out = false;
        std::size_t d = 0;
        auto const see = [&](auto const& index) {
            outline_extent const extent = outline.arrays[outline.array(Array::name)].extents[d++];
            if (!extent.is_constant() || !is_constant_index(index)) return;
            index_range const range = range_of(index, [](std::string_view axis) {
                return outline.axes[outline.axis(axis)].extent.value;
            });
            out = out || range.least < 0 || range.largest >= extent.value;
        };
        std::apply([&](Index const&... each) { (see(each), ...); }, of.at);
        return out;
    }

    /// Errors   attune::error: an index of `of` leaves its array in this call
    template <class Array, bool Padded, class... Index>
    static void check(nest_call<Declaration> const& call,
                      element_of_array<Array, Padded, Index...> const& of)
    {
        if constexpr (!Padded) {
            auto const extent = [&](std::string_view axis) {
                return call.extent(outline.axes[outline.axis(axis)].extent);
            };
            bool runs = true;
            std::size_t d = 0;
            auto const runs_all = [&](auto const& index) {
                std::apply([&]<class... T>(
                               T const&...) { ((runs = runs && extent(T::axis::name) > 0), ...); },
                           as_affine(index).terms);
            };
            auto const see = [&](auto const& index) {
                std::int64_t const n =
                    call.extent(outline.arrays[outline.array(Array::name)].extents[d++]);
                index_range const range = range_of(index, extent);
                if (range.least < 0 || range.largest >= n)
                    refuse_index(Declaration::name,
                                 Array::name,
                                 d,
                                 range.least < 0 ? range.least : range.largest,
                                 n);
            };
            std::apply(
                [&](Index const&... each) {
                    (runs_all(each), ...);
                    if (runs) (see(each), ...);
                },
                of.at);
        }
    }

private:
    /// @param extent  of an axis; nothing where it is 0
    template <class Index, class Extent>
    [[nodiscard]] static constexpr index_range range_of(Index const& index, Extent const& extent)
    {
        auto const sum = as_affine(index);
        index_range out{sum.offset, sum.offset};
        outline_list<outline.axis_count, std::int64_t> factors{}; // an axis may be there twice
        std::apply(
            [&]<class... T>(T const&... term) {
                ((factors[outline.axis(T::axis::name)] += term.factor), ...);
            },
            sum.terms);
        for (std::size_t i = 0; i < outline.axis_count; ++i)
            if (factors[i] != 0)
                (factors[i] < 0 ? out.least : out.largest) +=
                    factors[i] * (extent(outline.axes[i].name) - 1);
        return out;
    }
    template <class Index>
    [[nodiscard]] static constexpr bool is_constant_index(Index const& index)
    {
        return std::apply(
            []<class... T>(T const&...) {
                return (outline.axes[outline.axis(T::axis::name)].extent.is_constant() && ...);
            },
            as_affine(index).terms);
    }
};

} // namespace attune::inline ATTUNE_ABI::detail
