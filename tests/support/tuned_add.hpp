// tests/support/tuned_add.hpp - a kernel with a fast variant that is wrong for some lengths.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/tune/tuned.hpp>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "accumulate.hpp"

namespace attune_test {

using add_signature = void(std::span<int const>, std::span<int>);

inline thread_local char last_code = ' '; ///< of the latest run in this thread

/// Right, and slow.
inline void usual_add(std::span<int const> x, std::span<int> y)
{
    last_code = 'u';
    idle(100'000);
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] += x[i];
}

/// Wrong for some lengths.
inline void fast_add(std::span<int const> x, std::span<int> y)
{
    last_code = 'f';
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] += x[i];
    if (y.size() % 16 == 3) y[0] = -1;
}

template <class Store = attune::memory_store>
attune::tuned<add_signature, scripted_compiler, Store> tuned_add(attune::tuning_options options,
                                                                 Store store = {})
{
    attune::kernel<add_signature> const kernel{"add", accumulate_source(), ways<usual, fast>()};
    scripted_compiler const compiler{[](attune::compile_request const& v) {
        bool is_fast = false;
        for (attune::macro_definition const& m : v.macros)
            is_fast = is_fast || (m.name == "WAY" && m.value == "1");
        return scripted_compiler::answer{reinterpret_cast<void*>(is_fast ? &fast_add : &usual_add)};
    }};
    return {kernel, compiler, std::move(store), std::move(options)};
}

struct add_data {
    std::vector<int> x = std::vector<int>(4'096, 1);
    std::vector<int> y = std::vector<int>(4'096, 1);

    /// Calls with the first `n` elements. @return  the code that ran
    template <class F>
    char call(F& add, std::size_t n)
    {
        add(std::span<int const>(x).first(n), std::span(y).first(n));
        return last_code;
    }
};

} // namespace attune_test
