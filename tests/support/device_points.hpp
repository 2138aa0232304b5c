// tests/support/device_points.hpp - configurations of a GPU kernel that tests go through.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/cuda/code.hpp>
#include <attune/search/optimizer.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/device/cuda/cuda_device.hpp>
#include <attune/tune/kernel.hpp>
#include <attune/tune/kernel/problem.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune_test {

/// Values of the inputs, taken from the whole numbers of a call.
template <class... Args>
std::vector<attune::input_value> inputs_of(attune::kernel_description const& d, Args const&... all)
{
    std::vector<attune::input_value> out;
    std::size_t position = 0;
    auto const look = [&](auto const& argument) {
        if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(argument)>>)
            for (attune::detail::input_argument const& input : d.inputs)
                if (input.position == position)
                    out.emplace_back(input.input, attune::number::of(std::int64_t{argument}));
        ++position;
    };
    (look(all), ...);
    return out;
}

/// The space of the tested problem, the default in front, the expert's choice, then draws.
template <class Kernel>
std::pair<attune::chain_of_trees, std::vector<attune::point>>
points_to_try(attune::kernel_description const& d, attune::device_limits const& limits, int draws)
{
    std::vector<attune::input_value> inputs;
    Kernel problem(Kernel::tested_size);
    problem.call([&](auto&&... arguments) { inputs = inputs_of(d, arguments...); });
    attune::cuda_target target;
    target.limits = limits;
    attune::detail::cuda_device const device{target};
    attune::chain_of_trees space = attune::detail::space_of_call(
        d, attune::detail::with_annotated_defaults(d), inputs, &device);
    std::vector<attune::point> out{attune::detail::default_point(space).value()};
    if (std::optional const expert = Kernel::expert())
        out.push_back(attune::encode(Kernel::space, space.describe(), *expert).value());
    attune::random_engine engine{11};
    for (int i = 0; i < draws; ++i)
        out.push_back(space.sample(engine));
    return {std::move(space), std::move(out)};
}

} // namespace attune_test
