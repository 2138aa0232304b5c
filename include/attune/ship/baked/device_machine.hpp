// attune/ship/baked/device_machine.hpp - chooses code for the calls of a kernel for GPUs, and launches it.
// SPDX-License-Identifier: MIT-0
#pragma once

#ifndef ATTUNE_RELEASED
#define ATTUNE_RELEASED // exceptions are not needed: core/version.hpp
#endif

#include <attune/core/version.hpp>
#include <attune/ship/baked/baked_machine.hpp>
#include <attune/ship/baked/baked_table.hpp>
#include <attune/ship/baked/device_launch.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// The form of an argument for a device: the address of an array, or the value.
template <class T>
[[nodiscard]] auto passed_to_device(T const& argument) noexcept
{
    if constexpr (is_device_span<T>)
        return argument.data();
    else
        return argument;
}

template <class Signature>
class device_machine;
/// A baked_machine whose calls are launches. The unit of the table makes it.
template <class... Args>
class device_machine<void(Args...)> : public baked_machine<void(Args...)> {
public:
    device_machine(baked_table const& table, instruction_level most)
        : base(table, most)
    {
        this->launch_ = &launch_or_end;
        this->try_launch_ = &launch_call;
        this->explain_ = &explain_launch;
    }

private:
    using base = baked_machine<void(Args...)>;
    using key = typename base::key;
    /// The last word is a number for the context.
    using known_key = std::array<std::int64_t, std::tuple_size_v<key> + 1>;
    using numbers = std::array<launch_number, sizeof...(Args) + 1>;

    struct device_choice {
        typename base::choice found{};
        baked_image const* image = nullptr; ///< null: no image fits
        bool is_predicted = false;
    };

    [[nodiscard]] numbers inputs_of(Args const&... args) const
    {
        numbers out{};
        std::size_t position = 0;
        auto const look = [&](auto const& argument) {
            using T = std::remove_cvref_t<decltype(argument)>;
            for (std::size_t i = 0; i < this->table_.inputs.count && i < out.size(); ++i) {
                if (this->table_.inputs[i] != position) continue;
                if constexpr (std::is_floating_point_v<T>)
                    out[i] = formula::real(static_cast<double>(argument));
                else if constexpr (std::is_integral_v<T>)
                    out[i] = formula::integer(static_cast<std::int64_t>(argument));
            }
            ++position;
        };
        (look(args), ...);
        return out;
    }

    [[nodiscard]] device_choice choose_for(launching::device_facts const& mine, key const& words,
                                           Args const&... args) const
    {
        baked_device const& device = launching::device_among(this->table_, mine);
        device_choice out;
        out.found = this->choose_among(
            device,
            [&](baked_build const& build) {
                return build.image != nullptr &&
                       launching::can_run(*build.image, mine.architecture);
            },
            words, args...);
        out.is_predicted = out.found.variant != nullptr && device.is_predicted;
        out.image = out.found.variant != nullptr
                        ? out.found.build->image
                        : launching::default_for(*this->table_.launcher, mine.architecture);
        return out;
    }

    /// The image that serves such calls in the calling thread's context, or null.
    [[nodiscard]] loaded_image const* obtain_image(launch_status& status, key const& words,
                                                   Args const&... args) const
    {
        launching::driver const& d = launching::the_driver();
        if (!d.why.empty()) {
            status.why = d.why;
            return nullptr;
        }
        launching::inside_context const inside(d);
        if (inside.context == nullptr) {
            status.why = "there is no CUDA context, and device 0 gives none";
            return nullptr;
        }
        launching::device_facts const mine = launching::facts_of_current(d);
        baked_launcher const& by = *this->table_.launcher;
        device_choice const chosen = choose_for(mine, words, args...);
        if (chosen.image == nullptr) {
            status.why = "the program has no code for this device, " + mine.name +
                         "; it was built for " + launching::list_of_architectures(by);
            return nullptr;
        }
        auto const* const read = chosen.found.variant != nullptr
                                     ? chosen.found.variant->numbers.begin()
                                     : by.default_numbers;
        loaded_image const* const out = launching::load(d, inside, *chosen.image, read, status);
        if (out != nullptr || status.error != 209) return out;
        // No binary for this device, for example a Tegra, to which the rule does not apply.
        baked_image const* const ptx = launching::default_for(by, mine.architecture, true);
        if (ptx == nullptr || ptx == chosen.image) return nullptr;
        status = {};
        return launching::load(d, inside, *ptx, by.default_numbers, status);
    }

    static launch_status launch_call(base& machine, void* stream, key const& words,
                                     Args const&... args)
    {
        auto& self = static_cast<device_machine&>(machine);
        known_key known{};
        std::copy(words.begin(), words.end(), known.begin());
        known.back() = launching::here();
        loaded_image const* by = self.loaded_.find(known);
        if (by == nullptr) by = self.loaded_.find_late(known);
        if (by == nullptr) {
            launch_status status;
            by = self.obtain_image(status, words, args...);
            if (by == nullptr) return status;
            self.loaded_.keep(known, by);
        }
        std::tuple<decltype(passed_to_device(std::declval<Args const&>()))...> values{
            passed_to_device(args)...};
        std::array<void*, sizeof...(Args) + 1> addresses{};
        std::apply(
            [&](auto&... value) {
                std::size_t i = 0;
                ((addresses[i++] = const_cast<void*>(static_cast<void const volatile*>(&value))),
                 ...);
            },
            values);
        numbers const inputs = self.inputs_of(args...);
        return launching::launch(*self.table_.launcher, *by, inputs.data(), known.back() != 0,
                                 stream, addresses.data());
    }
    static void launch_or_end(base& machine, void* stream, key const& words, Args const&... args)
    {
        if (launch_status const status = launch_call(machine, stream, words, args...); !status)
            launching::give_up(static_cast<device_machine&>(machine).table_, status);
    }

    static baked_choice explain_launch(base const& machine, Args const&... args)
    {
        auto const& self = static_cast<device_machine const&>(machine);
        baked_choice out{.configuration = self.table_.configuration,
                         .instructions = "",
                         .why = "there is no CUDA driver, or no context"};
        launching::driver const& d = launching::the_driver();
        if (!d.why.empty()) return out;
        launching::inside_context const inside(d);
        if (inside.context == nullptr) return out;
        device_choice const chosen =
            self.choose_for(launching::facts_of_current(d), self.shape_of_(args...), args...);
        out.why = chosen.found.why;
        if (chosen.image == nullptr) {
            out.why = "the program has no code for this device";
            return out;
        }
        out.instructions = chosen.image->name;
        if (chosen.found.variant == nullptr) return out;
        out.configuration = chosen.found.variant->configuration;
        out.is_default = false;
        out.proof = baked_proof_names[static_cast<std::size_t>(chosen.found.build->proof)];
        out.is_predicted = chosen.is_predicted;
        return out;
    }

    code_by_shape<std::tuple_size_v<known_key>, loaded_image const*> loaded_{};
};

/// For the function in a table, in a separate unit.
template <class Signature>
using device_machines = baked_machines<Signature, device_machine<Signature>>;

} // namespace attune::inline ATTUNE_ABI::detail
