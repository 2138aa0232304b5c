// bench/tune/program_arguments.hpp - the arguments of a call of a layer: arrays of random numbers, and its extents.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/constant_array.hpp>
#include <attune/declare/nest/nest_description.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "../support/page_allocator.hpp"

namespace bench {

/// Arrays begin with a page. Numbers lie between -0.5 and 0.5.
template <class Signature, class Element = float>
class program_arguments;
template <class... Args, class Element>
class program_arguments<void(Args...), Element> {
public:
    /// @param inputs  the values of its extents
    program_arguments(attune::nest_description const& nest, std::span<int const> inputs)
        : inputs_(inputs.begin(), inputs.end())
    {
        std::uint64_t state = 1;
        for (attune::nest_array const& array : nest.arrays) {
            if (array.role == attune::nest_role::temporary) continue;
            std::size_t count = 1;
            for (attune::nest_extent const& extent : array.extents)
                count *= extent.input == attune::no_index
                             ? static_cast<std::size_t>(extent.constant)
                             : static_cast<std::size_t>(inputs[extent.input]);
            page_vector<Element>& made = arrays_.emplace_back(count);
            for (Element& x : made) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                x = static_cast<Element>(state >> 40) * static_cast<Element>(0x1p-24) -
                    static_cast<Element>(0.5);
            }
            constants_.emplace_back();
            if (array.is_constant)
                constants_.back() = attune::constant_array<Element>(std::span<Element const>(made));
        }
    }

    /// One call: arrays come before inputs.
    template <class F>
    void call(F&& f)
    {
        [&]<std::size_t... At>(std::index_sequence<At...>) {
            f(one<At, Args>()...);
        }(std::index_sequence_for<Args...>{});
    }

    [[nodiscard]] page_vector<Element>& array(std::size_t at) { return arrays_.at(at); }
    /// What a layer writes: its last array.
    [[nodiscard]] page_vector<Element>& result() { return arrays_.back(); }

private:
    template <std::size_t At, class Argument>
    [[nodiscard]] Argument one()
    {
        if constexpr (std::is_arithmetic_v<Argument>)
            return static_cast<Argument>(inputs_.at(At - arrays_.size()));
        else if constexpr (std::is_same_v<Argument, attune::constant_view<Element>>)
            return constants_.at(At);
        else
            return Argument(arrays_.at(At));
    }

    std::vector<page_vector<Element>> arrays_;
    std::vector<attune::constant_array<Element>> constants_; ///< of arrays that are constant
    std::vector<int> inputs_;
};

} // namespace bench
