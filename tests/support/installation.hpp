// tests/support/installation.hpp - installed variants of the accumulate kernel, and their store.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/tune/dispatch/dispatch_table.hpp>

#include <functional>
#include <utility>
#include <variant>

#include "accumulate.hpp"
#include "timed_bench.hpp"

namespace attune_test {

using accumulate_shape =
    attune::detail::shape_of_call<std::span<double const>, std::span<double>, double>;

/// One set of installed variants with its own compiler, over a store that others share.
template <class Store>
struct installation {
    accumulate_data data{};
    scripted_compiler compiler;
    recorded_progress heard{};
    attune::detail::dispatch_table known;
    accumulate_shape shape; ///< none: where vectors lie differs from one to the next

    /// @param times  of scripted runs; null: variants run
    template <class Pack>
    installation(Store& store, Pack const& space,
                 attune::kernel_source source = accumulate_source(),
                 scripted_compiler with = accumulate_compiler(),
                 std::function<void(attune::tuning_options&)> const& change = {},
                 time_script const* times = nullptr)
        : compiler(std::move(with))
        , known(accumulate_kernel(space, std::move(source)).any_shape().describe(),
                attune::detail::make_any_compiler(compiler), attune::detail::make_any_store(store),
                changed(change, times), accumulate_shape::layout())
        , shape(attune::detail::shape_choice{.any_shape = true})
    {
    }

    void* obtain()
    {
        return known
            .obtain(
                shape(data.x, data.y, 3.0), {},
                attune::detail::make_call_frame<std::span<double const>, std::span<double>, double>(
                    {}, data.x, data.y, 3.0))
            .code.address;
    }
    /// What serves that call without another look; null: nothing yet.
    void* ready() const
    {
        auto const* const met =
            known.shapes().find(shape(data.x, const_cast<std::vector<double>&>(data.y), 3.0));
        auto const* const by = met != nullptr ? met->serves.load() : nullptr;
        return by != nullptr ? by->code.address : nullptr;
    }
    attune::decision how() const { return known.report().how; }

private:
    attune::tuning_options changed(std::function<void(attune::tuning_options&)> const& change,
                                   time_script const* times)
    {
        auto options = quick_options(heard.sink());
        if (times != nullptr) options.measuring.make_bench = timed_by(*times);
        if (change) change(options);
        return options;
    }
};

using memory_installation = installation<attune::memory_store>;

inline void* const fast_code = std::get<void*>(code_of<fast>());

/// What is in the store after a tuning over usual and fast.
inline attune::memory_store tuned_store()
{
    attune::memory_store store;
    memory_installation first{store, ways<usual, fast>()};
    (void)first.obtain();
    return store;
}

} // namespace attune_test
