// attune/ship/baked.hpp - a kernel of a release that starts tuned: the only header of attune that it includes.
// SPDX-License-Identifier: MIT-0
// Bench    bench/ship/baked.cpp
//
// The standard library alone: no tuner, no compiler, no file, no exceptions, no run-time type
// information. The licence of this header, and of all that it includes, asks for no notice.
#pragma once

#ifndef ATTUNE_RELEASED
#define ATTUNE_RELEASED // exceptions are not needed: core/requirements.hpp
#endif

#include <attune/core/fixed_string.hpp>
#include <attune/core/shape/call_shape.hpp>
#include <attune/core/shape/shape_properties.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/baked/baked_table.hpp>
#include <attune/ship/baked/code_by_shape.hpp>
#include <attune/ship/baked/instruction_level.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The name of a kernel for `baked`.
template <fixed_string Name>
inline constexpr detail::baked_name<Name> baked_kernel{};

/// What serves a call.
struct baked_choice {
    std::string_view configuration{}; ///< "TILE_M=64 TILE_N=8"
    std::string_view instructions{};  ///< "x86-64-v3"; "base": what the program was compiled for
    bool is_default = true;
    std::string_view why{};   ///< where it is the default
    std::string_view proof{}; ///< of a variant: "record", "build" or "record and build"
};

template <class Signature>
class baked;
/// Calls the variants that attune_bake(target KERNEL file STORE file) compiled into the program.
///
/// The processor is asked once, by CPUID, which variants it can run; none is touched that it
/// cannot. Inputs choose among the winners. A variant serves the shapes of calls for which the
/// store, or the build of the program (attune_bake(... SHAPES ...)), says that it was verified, and
/// shapes that have every property of such (see shape_properties); the default serves all others.
/// Any number of threads may call.
///
/// The files of a program that include this are compiled for the oldest processor that it is for:
/// they choose. Other objects of static storage may call it from when it is constructed.
///
/// A kernel of another name or type is an error of the linker, which names
/// attune::...::baked_table_of<"name", type>.
///
/// Cost     as a call of attune::tuned: 5 ns more than the function; the first call of a shape
///          microseconds
/// Example  attune::baked<void(std::span<float const>, std::span<float>, int)> scale{
///              attune::baked_kernel<"scale">};
///          scale(x, y, n);
template <class Result, class... Args>
class baked<Result(Args...)> {
public:
    /// @param most  an instruction set that is not exceeded: "x86-64-v2", or "base"; empty: none
    template <fixed_string Name>
    explicit baked(detail::baked_name<Name>, std::string_view most = {})
        : baked(detail::baked_table_of<Name, Result(Args...)>(), most)
    {
    }

    baked(baked const&) = delete; // a call may come at any time
    baked& operator=(baked const&) = delete;

    /// One call of the kernel on these arguments.
    Result operator()(Args... args) const
    {
        typename shape::key const key = shape_of_(args...);
        function served = known_.find(key);
        if (served == nullptr) served = obtain(key, args...);
        return served(args...);
    }

    /// What serves such a call. The arrays are not read.
    [[nodiscard]] baked_choice explain(Args... args) const
    {
        choice const found = choose(shape_of_(args...), args...);
        baked_choice out{.configuration = table_.configuration,
                         .instructions = detail::instruction_level_names[0],
                         .why = found.why};
        if (found.variant == nullptr) return out;
        out.configuration = found.variant->configuration;
        out.instructions =
            detail::instruction_level_names[static_cast<std::size_t>(found.build->level)];
        out.is_default = false;
        out.proof = detail::baked_proof_names[static_cast<std::size_t>(found.build->proof)];
        return out;
    }

private:
    using function = Result (*)(Args...);
    using shape = detail::shape_of_call<Args...>;

    struct choice {
        detail::baked_variant const* variant = nullptr; ///< null: the default
        detail::baked_build const* build = nullptr;
        std::string_view why{};
    };

    baked(detail::baked_table const& table, std::string_view most)
        : table_(table)
        , shape_of_(choice_of(table))
        , level_(level_up_to(most))
        , device_(&device_among(table))
    {
        std::vector<detail::shape_word> const layout = shape::layout();
        is_same_layout_ =
            std::equal(layout.begin(), layout.end(), table.layout.begin(), table.layout.end());
    }

    [[nodiscard]] static detail::shape_choice choice_of(detail::baked_table const& table)
    {
        detail::shape_choice out{.any_shape = table.any_shape};
        out.ignored.resize(sizeof...(Args));
        out.bound.resize(sizeof...(Args));
        for (std::size_t const i : table.ignored)
            if (i < sizeof...(Args)) out.ignored[i] = true;
        for (std::size_t const i : table.inputs)
            if (i < sizeof...(Args)) out.bound[i] = true;
        return out;
    }
    [[nodiscard]] static detail::instruction_level level_up_to(std::string_view most) noexcept
    {
        detail::instruction_level const mine = level_of(detail::this_processor());
        for (std::size_t i = 0; i < detail::instruction_level_names.size(); ++i)
            if (detail::instruction_level_names[i] == most)
                return std::min(mine, static_cast<detail::instruction_level>(i));
        return most.empty() ? mine : detail::instruction_level::base;
    }
    /// The same model, else the same vendor, else the first.
    [[nodiscard]] static detail::baked_device const&
    device_among(detail::baked_table const& table) noexcept
    {
        detail::processor_words const& mine = detail::this_processor();
        detail::baked_device const* best = table.devices.begin();
        int best_fit = 0;
        for (detail::baked_device const& one : table.devices) {
            bool const is_same_vendor = std::strcmp(one.vendor, mine.vendor.data()) == 0;
            bool const is_same_model = one.family == mine.family && one.model == mine.model;
            int const fit = !is_same_vendor ? 0 : is_same_model ? 2 : 1;
            if (fit > best_fit) {
                best = &one;
                best_fit = fit;
            }
        }
        return *best;
    }

    /// The values of the inputs, as the tree compares them.
    [[nodiscard]] double input_at(std::size_t input, Args const&... args) const noexcept
    {
        double out = 0;
        std::size_t position = 0;
        auto const look = [&](auto const& argument) {
            if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(argument)>>)
                if (position == table_.inputs[input]) out = static_cast<double>(argument);
            ++position;
        };
        (look(args), ...);
        return out;
    }

    [[nodiscard]] choice choose(typename shape::key const& key, Args const&... args) const
    {
        std::int32_t const at = detail::choice_in(
            device_->tree.begin(), [&](std::size_t input) { return input_at(input, args...); });
        if (at == detail::baked_node::none) return {.why = "nothing faster was found"};
        detail::baked_variant const& variant = table_.variants[static_cast<std::size_t>(at)];
        bool can_run = false;
        if (is_same_layout_) {
            detail::shape_properties const counted(
                shape::layout(), {variant.divisors.begin(), variant.divisors.end()});
            std::vector<std::uint64_t> const properties = counted.of(key);
            for (detail::baked_build const& build : variant.builds) {
                if (build.level > level_) continue;
                can_run = true;
                if (is_proven(build, counted.layout(), key, properties))
                    return {.variant = &variant, .build = &build};
            }
            if (!can_run && variant.builds.count > 0)
                return {.why = "the variant needs instructions that this processor does not have"};
        }
        return {.why = "no shape like this one was verified"};
    }

    [[nodiscard]] static bool is_proven(detail::baked_build const& build,
                                        std::vector<detail::shape_word> const& layout,
                                        typename shape::key const& key,
                                        std::vector<std::uint64_t> const& properties)
    {
        for (std::size_t i = 0; i < key.size(); ++i)
            if (detail::is_size(layout[i].part) && key[i] > build.largest[i]) return false;
        return std::all_of(properties.begin(), properties.end(), [&](std::uint64_t property) {
            return std::binary_search(build.proven.begin(), build.proven.end(), property);
        });
    }

    [[nodiscard]] function obtain(typename shape::key const& key, Args const&... args) const
    {
        choice const found = choose(key, args...);
        detail::baked_code const code =
            found.variant != nullptr ? found.build->address() : table_.fallback();
        function const served = reinterpret_cast<function>(code);
        known_.keep(key, served);
        return served;
    }

    detail::baked_table const& table_;
    shape shape_of_;
    detail::instruction_level level_;
    detail::baked_device const* device_;
    bool is_same_layout_ = false;
    mutable detail::code_by_shape<shape::size, function> known_{};
};

} // namespace attune::inline ATTUNE_ABI
