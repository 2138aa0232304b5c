// tests/support/installation.hpp - installed variants of the accumulate kernel, and their store.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/tune/dispatch/dispatch_table.hpp>

#include <doctest/doctest.h>
#include <functional>
#include <ostream>
#include <utility>
#include <variant>

#include "accumulate.hpp"
#include "timed_bench.hpp"

namespace attune_test {

using accumulate_shape =
    attune::detail::shape_of_call<std::span<double const>, std::span<double>, double>;

using options_change = std::function<void(attune::tuning_options&)>;

inline options_change policy(attune::miss_policy which)
{
    return [which](attune::tuning_options& o) { o.on_miss = which; };
}

/// What a call runs, and why.
struct obtained {
    void* code;
    attune::decision how;

    bool operator==(obtained const&) const = default;
    friend std::ostream& operator<<(std::ostream& out, obtained const& o)
    {
        return out << o.code << ", decision " << static_cast<int>(o.how);
    }
};

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
                 scripted_compiler with = accumulate_compiler(), options_change const& change = {},
                 time_script const* times = nullptr)
        : compiler(std::move(with))
        , known(accumulate_kernel(space, std::move(source)).any_shape().describe(),
                attune::detail::make_any_compiler(compiler), attune::detail::make_any_store(store),
                changed(change, times), accumulate_shape::layout())
        , shape(attune::detail::shape_choice{.any_shape = true})
    {
    }

    template <class Pack>
    installation(Store& store, Pack const& space, options_change const& change,
                 time_script const* times = nullptr)
        : installation(store, space, accumulate_source(), accumulate_compiler(), change, times)
    {
    }

    void* obtain()
    {
        return known.obtain(shape(data.x, data.y, 3.0), {}, data.frame()).code.address;
    }
    obtained call()
    {
        void* const code = obtain();
        return {code, how()};
    }
    attune::tuning_report tune()
    {
        return known.tune(shape(data.x, data.y, 3.0), {}, data.frame());
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
    attune::tuning_options changed(options_change const& change, time_script const* times)
    {
        auto options = quick_options(heard.sink());
        if (times != nullptr) options.measuring.make_bench = timed_by(*times);
        if (change) change(options);
        return options;
    }
};

using memory_installation = installation<attune::memory_store>;

inline void* const fast_code = std::get<void*>(code_of<fast>());

/// What is in the store after a tuning over these ways, of which fast is one.
template <class Pack>
attune::memory_store tuned_store(Pack const& space)
{
    attune::memory_store store;
    CHECK(memory_installation{store, space}.obtain() == fast_code);
    return store;
}
inline attune::memory_store tuned_store() { return tuned_store(ways<usual, fast>()); }

/// Another version of the kernel, whose default is another one.
inline attune::kernel_source next_version() { return accumulate_source("10"); }

} // namespace attune_test
