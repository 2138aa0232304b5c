// attune/ship/baked/device_calls.hpp - chooses code for the calls of a kernel for devices, and launches it.
// SPDX-License-Identifier: MIT-0
// tested by ship/baked/device_machine.cpp
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

template <class Signature, class Site>
class launching_machine;
/// A baked_machine whose calls are launches. The unit of the table makes it.
/// @tparam Site  cuda_site or opencl_site
template <class... Args, class Site>
class launching_machine<void(Args...), Site> : public baked_machine<void(Args...)> {
public:
    launching_machine(baked_table const& table, instruction_level most)
        : base(table, most)
    {
        this->launch_ = &launch_or_end;
        this->try_launch_ = &launch_call;
        this->explain_ = &explain_launch;
    }

private:
    using base = baked_machine<void(Args...)>;
    using key = typename base::key;
    /// The last word is the site's number.
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
                return build.image != nullptr && Site::can_run(*build.image, mine);
            },
            words, args...);
        out.is_predicted = out.found.variant != nullptr && device.is_predicted;
        out.image = out.found.variant != nullptr
                        ? out.found.build->image
                        : launching::default_for<Site>(*this->table_.launcher, mine);
        return out;
    }

    /// The image that serves such calls at a site, or null.
    [[nodiscard]] loaded_image const* obtain_image(Site& site, launch_status& status,
                                                   key const& words, Args const&... args) const
    {
        status.why = site.enter();
        if (!status) return nullptr;
        launching::device_facts const mine = site.facts();
        baked_launcher const& by = *this->table_.launcher;
        device_choice const chosen = choose_for(mine, words, args...);
        if (chosen.image == nullptr) {
            status.why = "the program has no code for this device, " + mine.name +
                         "; it was built for " + launching::list_of_images(by);
            return nullptr;
        }
        auto const* const read = chosen.found.variant != nullptr
                                     ? chosen.found.variant->numbers.begin()
                                     : by.default_numbers;
        loaded_image const* const out = site.load(*chosen.image, read, status);
        if (out != nullptr || !Site::is_foreign_binary(status.error)) return out;
        baked_image const* const text = launching::default_for<Site>(by, mine, true);
        if (text == nullptr || text == chosen.image) return nullptr;
        status = {};
        return site.load(*text, by.default_numbers, status);
    }

    /// The first array of a call, or null.
    [[nodiscard]] static void const* first_array(Args const&... args) noexcept
    {
        void const* out = nullptr;
        auto const look = [&](auto const& argument) {
            using T = std::remove_cvref_t<decltype(argument)>;
            if constexpr (is_device_array<T>)
                if (out == nullptr) out = passed_to_device(argument);
        };
        (look(args), ...);
        return out;
    }

    /// The words of a call's shape. For handles of arrays: as if each handle were an address far
    /// from the others.
    [[nodiscard]] key words_of(key const& given, Args const&... args) const
    {
        if constexpr (Site::has_handles) {
            std::array<void const*, sizeof...(Args) + 1> handles{};
            std::size_t count = 0;
            std::tuple<Args...> const all{with_own_address(args, handles, count)...};
            return std::apply([this](auto const&... one) { return this->shape_of_(one...); }, all);
        } else
            return given;
    }
    template <class T, std::size_t Most>
    [[nodiscard]] static T
    with_own_address(T const& argument, std::array<void const*, Most>& handles, std::size_t& count)
    {
        if constexpr (is_device_array<T>) {
            constexpr std::size_t far = 8 * sizeof(std::uintptr_t) - 20;
            handles[count] = passed_to_device(argument);
            auto const first = std::find(handles.begin(), handles.end(), handles[count++]);
            auto const number = static_cast<std::uintptr_t>(first - handles.begin()) + 1;
            auto* const at = reinterpret_cast<element_of<T>*>(number << far);
            if constexpr (is_device_span<T>)
                return {at, argument.size()};
            else
                return at;
        } else
            return argument;
    }

    static launch_status launch_call(base& machine, void* stream, key const& given,
                                     Args const&... args)
    {
        auto& self = static_cast<launching_machine&>(machine);
        Site site(stream, first_array(args...));
        key const words = self.words_of(given, args...);
        known_key known{};
        std::copy(words.begin(), words.end(), known.begin());
        known.back() = site.number();
        loaded_image const* by = self.loaded_.find(known);
        if (by == nullptr) by = self.loaded_.find_late(known);
        if (by == nullptr) {
            launch_status status;
            by = self.obtain_image(site, status, words, args...);
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
        static constexpr std::array<passed_form, sizeof...(Args) + 1> forms{passed_form{
            sizeof(passed_to_device(std::declval<Args const&>())), is_device_array<Args>}...};
        numbers const inputs = self.inputs_of(args...);
        baked_launcher const& launcher = *self.table_.launcher;
        baked_geometry g;
        launcher.geometry(inputs.data(), by->numbers, g);
        if (!launching::is_possible(g))
            return {"no device launches this: " + launching::text_of(g), 0};
        return site.start(*by, g, launcher.is_cooperative, addresses.data(), forms.data(),
                          sizeof...(Args));
    }
    static void launch_or_end(base& machine, void* stream, key const& words, Args const&... args)
    {
        if (launch_status const status = launch_call(machine, stream, words, args...); !status)
            launching::give_up(static_cast<launching_machine&>(machine).table_, status);
    }

    static baked_choice explain_launch(base const& machine, Args const&... args)
    {
        auto const& self = static_cast<launching_machine const&>(machine);
        baked_choice out{
            .configuration = self.table_.configuration, .instructions = "", .why = Site::absent};
        Site site(nullptr, first_array(args...));
        if (!site.enter().empty()) return out;
        key const words = self.words_of(self.shape_of_(args...), args...);
        device_choice const chosen = self.choose_for(site.facts(), words, args...);
        out.why =
            chosen.found.answer == baked_answer::unsupported ? Site::unsupported : chosen.found.why;
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
template <class Signature, class Site>
using launching_machines = baked_machines<Signature, launching_machine<Signature, Site>>;

} // namespace attune::inline ATTUNE_ABI::detail
