// attune/tune/kernel/thread_use.ipp - looks for words of threads, and at what limits them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/environment.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/turns/place_turn.hpp>
#include <attune/tune/kernel/thread_use.hpp>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline bool mentions_threads(std::string_view text)
{
    constexpr std::string_view words[] = {
        "omp.h",       "pragma omp",   "-fopenmp",   "-qopenmp",       "pthread",
        "std::thread", "std::jthread", "std::async", "std::execution", "tbb"};
    return std::any_of(std::begin(words), std::end(words), [&](std::string_view word) {
        return text.find(word) != std::string_view::npos;
    });
}

ATTUNE_INLINE bool may_use_threads(kernel_source const& kernel, std::string const& compiler)
{
    return mentions_threads(kernel.text) || mentions_threads(compiler) ||
           std::any_of(kernel.flags.begin(), kernel.flags.end(),
                       [](std::string const& flag) { return mentions_threads(flag); });
}

/// The number at the beginning of a variable; 0: there is none.
[[nodiscard]] inline std::size_t number_in_variable(char const* name)
{
    std::string const text = environment_variable(name);
    std::size_t const first = std::min(text.find_first_not_of(" \t"), text.size());
    std::size_t out = 0;
    auto const read = std::from_chars(text.data() + first, text.data() + text.size(), out);
    return read.ec == std::errc{} ? out : 0;
}

[[nodiscard]] inline std::size_t processors_of_machine() noexcept
{
    return static_cast<std::size_t>(std::max(::sysconf(_SC_NPROCESSORS_ONLN), 1L));
}

ATTUNE_INLINE std::size_t usable_threads()
{
    std::size_t out = number_in_variable("OMP_NUM_THREADS");
    if (out == 0) out = processors_of_this_thread().size();
    if (out == 0) out = processors_of_machine();
    std::size_t const limit = number_in_variable("OMP_THREAD_LIMIT");
    return limit == 0 ? out : std::min(out, limit);
}

ATTUNE_INLINE std::string threads_setting(kernel_source const& kernel, std::string const& compiler)
{
    if (!may_use_threads(kernel, compiler)) return {};
    std::size_t const usable = usable_threads();
    return usable == processors_of_machine() ? std::string() : std::to_string(usable);
}

} // namespace attune::inline ATTUNE_ABI::detail
