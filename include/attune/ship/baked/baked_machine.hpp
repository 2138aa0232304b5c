// attune/ship/baked/baked_machine.hpp - asks the processor, and chooses what serves the calls of one kernel.
// SPDX-License-Identifier: MIT-0
// tested by ship/baked.cpp
//
// The unit with a kernel's default makes it (bake/bake_text.hpp), whose symbols are local to it.
// What the program's own files call of it is part of them, down to std::array. So no function here,
// nor of the standard library, is there in the instructions that another file of the program may
// have.
#pragma once

#ifndef ATTUNE_RELEASED
#define ATTUNE_RELEASED // exceptions are not needed: core/requirements.hpp
#endif

#include <attune/core/shape/call_shape.hpp>
#include <attune/core/shape/shape_properties.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/baked/baked_table.hpp>
#include <attune/ship/baked/code_by_shape.hpp>
#include <attune/ship/baked/device_code.hpp>
#include <attune/ship/baked/instruction_level.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// What serves a call.
struct baked_choice {
    std::string_view configuration{}; ///< "TILE_M=64 TILE_N=8"
    /// "x86-64-v3"; "base": what the program was compiled for; of a device "sm_90", or "PTX sm_80".
    std::string_view instructions{};
    bool is_default = true;
    std::string_view why{};   ///< where it is the default
    std::string_view proof{}; ///< of a variant: "record", "build" or "record and build"
    /// It was not measured on such a device: tuned.predict() chose it by what its code takes. Its
    /// proof is "prediction" where it was verified nowhere: attune_bake(... UNVERIFIED).
    bool is_predicted = false;
};

namespace detail {

template <class Signature>
class baked_machine;
/// What `attune::baked` calls: for one kernel, and a limit of instruction sets. It is never freed.
template <class Result, class... Args>
class baked_machine<Result(Args...)> {
public:
    using function = Result (*)(Args...);

    baked_machine(baked_table const& table, instruction_level most)
        : shape_of_(choice_of(table))
        , table_(table)
        , most_(most)
        , level_(std::min(most, level_of(words_of_this_processor())))
        , device_(device_among(table))
    {
        std::vector<shape_word> const layout = shape::layout();
        if (!std::equal(layout.begin(), layout.end(), table.layout.begin(), table.layout.end()))
            return;
        for (baked_variant const& one : table.variants)
            properties_.emplace_back(
                layout, std::vector<std::int64_t>(one.divisors.begin(), one.divisors.end()),
                one.address_modulus);
    }
    baked_machine(baked_machine const&) = delete;
    baked_machine& operator=(baked_machine const&) = delete;

    /// The code for a call.
    [[nodiscard]] ATTUNE_ALWAYS_INLINE function code_for(Args const&... args)
    {
        key const words = shape_of_(args...);
        function const known = known_.find(words);
        return known != nullptr ? known : obtain_(*this, words, args...);
    }
    [[nodiscard]] ATTUNE_ALWAYS_INLINE baked_choice explain(Args const&... args) const
    {
        return explain_(*this, args...);
    }

    /// Whether the kernel is one of a device: then launch() or try_launch(), else code_for().
    [[nodiscard]] ATTUNE_ALWAYS_INLINE bool is_of_device() const noexcept
    {
        return launch_ != nullptr;
    }
    /// Ends the program where it cannot.
    ATTUNE_ALWAYS_INLINE void launch(void* stream, Args const&... args)
    {
        launch_(*this, stream, shape_of_(args...), args...);
    }
    [[nodiscard]] ATTUNE_ALWAYS_INLINE launch_status try_launch(void* stream, Args const&... args)
    {
        return try_launch_(*this, stream, shape_of_(args...), args...);
    }

    [[nodiscard]] bool is_for(baked_table const& table, instruction_level most) const noexcept
    {
        return &table_ == &table && most_ == most;
    }
    baked_machine* older = nullptr; ///< the next of a list

protected:
    using shape = shape_of_call<Args...>;
    using key = typename shape::key;

    struct choice {
        baked_variant const* variant = nullptr; ///< null: the default
        baked_build const* build = nullptr;
        char const* why = "";
    };

    [[nodiscard]] static shape_choice choice_of(baked_table const& table)
    {
        shape_choice out{.any_shape = table.any_shape, .any_alignment = table.any_alignment};
        if (table.variants.count > 0) out.modulus = 1;
        for (baked_variant const& one : table.variants)
            out.modulus = one.address_modulus > out.modulus ? one.address_modulus : out.modulus;
        out.ignored.resize(sizeof...(Args));
        out.bound.resize(sizeof...(Args));
        for (std::size_t const i : table.ignored)
            if (i < sizeof...(Args)) out.ignored[i] = true;
        for (std::size_t const i : table.inputs)
            if (i < sizeof...(Args)) out.bound[i] = true;
        return out;
    }
    /// The same model, else the same vendor, else the first.
    [[nodiscard]] static baked_device const& device_among(baked_table const& table) noexcept
    {
        processor_words const& mine = words_of_this_processor();
        baked_device const* best = table.devices.begin();
        int best_fit = 0;
        for (baked_device const& one : table.devices) {
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

    [[nodiscard]] choice choose(key const& words, Args const&... args) const
    {
        return choose_among(
            device_, [&](baked_build const& build) { return build.level <= level_; }, words,
            args...);
    }
    /// @param can_run_it  whether there are the instructions of a build
    template <class CanRun>
    [[nodiscard]] choice choose_among(baked_device const& device, CanRun const& can_run_it,
                                      key const& words, Args const&... args) const
    {
        std::int32_t const at = choice_in(
            device.tree.begin(), [&](std::size_t input) { return input_at(input, args...); });
        if (at == baked_node::none) return {.why = "nothing faster was found"};
        auto const place = static_cast<std::size_t>(at);
        baked_variant const& variant = table_.variants[place];
        bool can_run = false;
        if (place < properties_.size()) {
            for (baked_build const& build : variant.builds) {
                if (!can_run_it(build)) continue;
                can_run = true;
                if (is_proven(build, properties_[place], words))
                    return {.variant = &variant, .build = &build};
            }
            if (!can_run && variant.builds.count > 0)
                return {.why = "the variant needs instructions that this processor does not have"};
        }
        return {.why = "no shape like this one was verified"};
    }

    [[nodiscard]] static bool is_proven(baked_build const& build, shape_properties const& counted,
                                        key const& words)
    {
        if (build.proof == baked_proof::prediction) return true;
        for (std::size_t i = 0; i < words.size(); ++i)
            if (is_size(counted.layout()[i].part) && words[i] > build.largest[i]) return false;
        return counted.all_of(words, [&](std::uint64_t property) {
            return std::binary_search(build.proven.begin(), build.proven.end(), property);
        });
    }

    static function obtain(baked_machine& machine, key const& words, Args const&... args)
    {
        if (function const late = machine.known_.find_late(words)) return late;
        choice const found = machine.choose(words, args...);
        baked_code const code =
            found.variant != nullptr ? found.build->address() : machine.table_.fallback();
        function const served = reinterpret_cast<function>(code);
        machine.known_.keep(words, served);
        return served;
    }
    static baked_choice explain_call(baked_machine const& machine, Args const&... args)
    {
        choice const found = machine.choose(machine.shape_of_(args...), args...);
        baked_choice out{.configuration = machine.table_.configuration,
                         .instructions = instruction_level_names[0],
                         .why = found.why};
        if (found.variant == nullptr) return out;
        out.configuration = found.variant->configuration;
        out.instructions = instruction_level_names[static_cast<std::size_t>(found.build->level)];
        out.is_default = false;
        out.proof = baked_proof_names[static_cast<std::size_t>(found.build->proof)];
        return out;
    }

    // Read by the program's files: nothing that changes with their macros, as std::vector does.
    shape shape_of_;
    code_by_shape<shape::size, function> known_{};
    function (*obtain_)(baked_machine&, key const&, Args const&...) = &obtain;
    baked_choice (*explain_)(baked_machine const&, Args const&...) = &explain_call;
    // Null: it is of this processor. See device_machine.hpp.
    void (*launch_)(baked_machine&, void* stream, key const&, Args const&...) = nullptr;
    launch_status (*try_launch_)(baked_machine&, void* stream, key const&,
                                 Args const&...) = nullptr;
    // Not read by them.
    baked_table const& table_;
    instruction_level most_;
    instruction_level level_;
    baked_device const& device_;
    std::vector<shape_properties> properties_{}; ///< by variant; empty: another layout
};

/// Those of a signature that were made.
/// @tparam Machine  a baked_machine<Signature>, or derived from it
template <class Signature, class Machine = baked_machine<Signature>>
class baked_machines {
public:
    constexpr baked_machines() = default;

    /// It is made at the first call, and by two threads at once twice, which does no harm.
    [[nodiscard]] baked_machine<Signature>* of(baked_table const& table,
                                               instruction_level most) noexcept
    {
        auto* one = newest_.load(std::memory_order_acquire);
        while (one != nullptr && !one->is_for(table, most))
            one = one->older;
        if (one != nullptr) return one;
        one = new Machine(table, most);
        one->older = newest_.load(std::memory_order_relaxed);
        while (!newest_.compare_exchange_weak(one->older, one, std::memory_order_acq_rel)) {
        }
        return one;
    }

private:
    std::atomic<baked_machine<Signature>*> newest_{nullptr};
};

/// For tables without a machine of their own, as 0.4 wrote them at first.
template <class Signature>
[[nodiscard]] void* made_baked_machine(baked_table const& table, instruction_level most) noexcept
{
    static constinit baked_machines<Signature> all;
    return all.of(table, most);
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
