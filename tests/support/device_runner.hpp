// tests/support/device_runner.hpp - a program's CUDA text on the emulated device, beside the interpreter.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/nest/write_device_program.hpp>
#include <attune/core/error.hpp>
#include <attune/core/launch.hpp>
#include <attune/core/random.hpp>
#include <attune/cuda/code.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/schedule/device/device_space.hpp>
#include <attune/tune/kernel/launch_declaration.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <doctest/doctest.h>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "emulated_compiler.hpp"
#include "emulated_device.hpp"
#include "nest_runner.hpp"

namespace support {

/// The device space of a nest, for values of its inputs.
struct device_subject_of {
    device_subject_of(attune::nest_description const& nest, std::vector<std::int64_t> const& inputs,
                      std::optional<attune::device_limits> const& device = {})
        : derived(nest, device)
        , bound(bound_to(derived.describe(), nest, inputs))
        , space(bound)
    {
        launch.grid[0] = derived.blocks();
        launch.block[0] = derived.threads();
        launch.shared_bytes = derived.shared_bytes();
    }

    static attune::description bound_to(attune::description const& d,
                                        attune::nest_description const& nest,
                                        std::vector<std::int64_t> const& inputs)
    {
        std::vector<attune::input_value> values;
        for (std::size_t i = 0; i < nest.inputs.size(); ++i)
            if (d.find_input(nest.inputs[i].name) != attune::no_index)
                values.emplace_back(nest.inputs[i].name, attune::number::of(inputs[i]));
        return attune::bind_inputs(d, values);
    }

    [[nodiscard]] attune::kernel_source source(attune::nest_description const& nest,
                                               attune::point const& at) const
    {
        return attune::source_text(
            attune::write_device_program(derived.schedule(at), attune::device_arguments_of(nest)),
            nest.name + ".cu");
    }
    [[nodiscard]] attune::compile_request request(attune::nest_description const& nest,
                                                  attune::point const& at) const
    {
        attune::compile_request v;
        v.function = nest.name;
        v.arguments = attune::device_arguments_of(nest).types;
        v.launch = attune::geometry_at(launch, bound, at);
        return v;
    }

    /// The defaults.
    [[nodiscard]] attune::point standard() const
    {
        attune::point out;
        for (attune::parameter_description const& p : bound.parameters)
            out.push_back(attune::coordinate_of(p, p.default_text.value()).value());
        return out;
    }
    [[nodiscard]] std::string text(attune::point const& at) const
    {
        return attune::text_of(space.describe(), at);
    }

    attune::device_space derived;
    attune::description bound;
    attune::chain_of_trees space;
    attune::launch_declaration launch;
};

/// Whether results have no rounding but that of the result itself, as inputs are multiples of 0.25
/// and at most 1: elements, converted or not, and sums of products of two of them.
inline bool is_exact(attune::nest_description const& nest)
{
    if (nest.statements.size() != 1) return false;
    attune::nest_statement const& only = nest.statements.front();
    if (only.combine != attune::reduction::none && only.combine != attune::reduction::sum)
        return false;
    attune::nest_node const& value = nest.nodes[only.value];
    auto const is_element = [&](std::uint32_t node) {
        return node != attune::no_index && nest.nodes[node].code == attune::nest_op::access;
    };
    return is_element(only.value) || (value.code == attune::nest_op::multiply &&
                                      is_element(value.first) && is_element(value.second));
}

/// The same bits, but for those of NaN.
inline bool is_same(nest_number a, nest_number b, attune::element_type type)
{
    if (!is_real(type)) return a.whole == b.whole;
    if (std::isnan(a.real) || std::isnan(b.real)) return std::isnan(a.real) == std::isnan(b.real);
    return a.real == b.real && std::signbit(a.real) == std::signbit(b.real);
}

/// Equal, but for roundings of sums in another order.
inline bool is_near(nest_number a, nest_number b, attune::element_type type)
{
    if (!is_real(type)) return a.whole == b.whole;
    if (std::isnan(a.real) || std::isnan(b.real)) return std::isnan(a.real) == std::isnan(b.real);
    if (std::isinf(a.real) || std::isinf(b.real)) return a.real == b.real;
    // Sums that differ in their last bits may be rounded to neighbours.
    double const within = type == attune::element_type::bf16  ? 0x1p-7
                          : type == attune::element_type::f16 ? 0x1p-10
                                                              : 2e-4;
    return std::fabs(a.real - b.real) <= within * (1 + std::fabs(b.real));
}

/// One launch in one configuration. Where is_exact() results are compared bit by bit.
/// @param given  the numbers of all arrays of real numbers, again and again; empty: multiples of
///               0.25 from -1 to 1, by `seed`
/// @return       what is wrong; empty: nothing
inline std::string device_difference(attune_test::emulated_compiler const& compiler,
                                     attune::nest_description const& nest,
                                     std::vector<std::int64_t> const& inputs,
                                     device_subject_of const& subject, attune::point const& at,
                                     unsigned seed, std::vector<double> const& given = {})
{
    using attune::detail::cuda::device_pointer;
    auto const made = compiler.compile(subject.source(nest, at), subject.request(nest, at));
    if (auto const* const failed = std::get_if<attune::failure>(&made))
        return failed->reason + '\n' + failed->log;
    attune::device_variant const& what =
        attune::device_variant_of(std::get<attune::callable>(made));
    nest_interpreter meaning(nest, inputs);
    attune::random_engine draw(seed);
    std::vector<nest_bytes> held;
    std::vector<std::size_t> which;
    for (std::size_t a = 0; a < nest.arrays.size(); ++a) {
        if (nest.arrays[a].role == attune::nest_role::temporary) continue;
        for (nest_number& one : meaning.arrays[a]) {
            auto const drawn = static_cast<std::int64_t>(attune::uniform_below(draw, 9)) - 4;
            one = is_real(nest.arrays[a].element)
                      ? nest_number{0, 0.25 * static_cast<double>(drawn)}
                      : nest_rounded({drawn, 0}, false, nest.arrays[a].element);
        }
        if (is_real(nest.arrays[a].element) && !given.empty())
            for (std::size_t i = 0; i < meaning.arrays[a].size(); ++i)
                meaning.arrays[a][i] =
                    nest_rounded({0, given[i % given.size()]}, true, nest.arrays[a].element);
        held.emplace_back(meaning.arrays[a], nest.arrays[a].element, meaning.arrays[a].size(),
                          std::size_t{0});
        which.push_back(a);
    }
    meaning.run();
    bool const exact = is_exact(nest);
    attune_test::emulated_device device(ATTUNE_EMULATED_CUDA);
    auto const bytes_of = [&](std::size_t n) {
        return meaning.arrays[which[n]].size() *
               attune::detail::element_bytes(nest.arrays[which[n]].element);
    };
    std::vector<device_pointer> there(held.size());
    for (std::size_t n = 0; n < held.size(); ++n) {
        REQUIRE(device.driver->memory_allocate(&there[n], std::max<std::size_t>(bytes_of(n), 1)) ==
                0);
        if (bytes_of(n) > 0)
            REQUIRE(device.driver->copy_to_device(there[n], held[n].data(), bytes_of(n)) == 0);
    }
    std::vector<std::int64_t> numbers(inputs.size());
    std::vector<void*> addresses;
    for (device_pointer& one : there)
        addresses.push_back(&one);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        // Little endian: the low bytes are the number in a narrower type.
        double const real = static_cast<double>(inputs[i]);
        float const single = static_cast<float>(inputs[i]);
        numbers[i] = inputs[i];
        if (nest.inputs[i].type == attune::element_type::f64)
            std::memcpy(&numbers[i], &real, sizeof real);
        if (nest.inputs[i].type == attune::element_type::f32)
            std::memcpy(&numbers[i], &single, sizeof single);
        addresses.push_back(&numbers[i]);
    }
    auto loaded = attune::detail::cuda::loaded_code::load(device.driver, what);
    if (auto const* const failed = std::get_if<attune::failure>(&loaded)) return failed->reason;
    auto result =
        std::get<attune::detail::cuda::loaded_code>(loaded).launch(addresses.data(), nullptr);
    if (result == 0) result = device.driver->context_synchronize();
    if (result != 0) return attune::detail::cuda::text_of(*device.driver, result);
    for (std::size_t n = 0; n < held.size(); ++n) {
        attune::nest_array const& array = nest.arrays[which[n]];
        if (bytes_of(n) > 0)
            REQUIRE(device.driver->copy_to_host(held[n].data(), there[n], bytes_of(n)) == 0);
        for (std::size_t i = 0; i < meaning.arrays[which[n]].size(); ++i) {
            nest_number const got = held[n].get(i);
            nest_number const want = meaning.arrays[which[n]][i];
            if (!(exact ? is_same(got, want, array.element) : is_near(got, want, array.element)))
                return array.name + '[' + std::to_string(i) + "] = " +
                       std::to_string(is_real(array.element) ? got.real
                                                             : static_cast<double>(got.whole)) +
                       ", not " +
                       std::to_string(is_real(array.element) ? want.real
                                                             : static_cast<double>(want.whole));
        }
    }
    return {};
}

/// A program, and the values of its inputs.
struct nest_example {
    attune::nest_description nest;
    std::vector<std::int64_t> inputs{};
};

/// Of how many configurations the code can be launched.
struct launch_count {
    int sampled = 0;
    int failed = 0;
    int spilling = 0;
    std::string first{}; ///< what is said of the first that cannot

    void add(attune::device_limits const& limits, attune::compile_result const& made,
             std::string const& name)
    {
        std::string said;
        if (auto const* const none = std::get_if<attune::failure>(&made)) {
            said = none->reason + '\n' + none->log;
        } else {
            attune::device_variant const& what =
                attune::device_variant_of(std::get<attune::callable>(made));
            said = attune::detail::launch_objection(limits, what.code.resources, what.launch);
            spilling += what.code.resources.spill_bytes > 0 ? 1 : 0;
        }
        ++sampled;
        failed += said.empty() ? 0 : 1;
        if (first.empty() && !said.empty()) first = name + ": " + said;
    }
    void check() const
    {
        MESSAGE("of " << sampled << " configurations " << failed
                      << " have no code that can be launched, " << spilling << " spill");
        CAPTURE(first);
        CHECK(failed * 20 <= sampled);
    }
};

} // namespace support
