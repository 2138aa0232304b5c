// attune/compile/detail/load_failure.hpp - a loader's message as a failure, with demangled names.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <array>
#include <cstdlib>
#include <cxxabi.h>
#include <string>
#include <string_view>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// "helper(int)" for "_Z6helperi"; returns other names unchanged.
[[nodiscard]] inline std::string demangled(std::string const& symbol)
{
    int status = 0;
    char* const text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
    std::string result = (status == 0 && text != nullptr) ? text : symbol;
    std::free(text);
    return result;
}

/// A loader's message begins with this text if a constructor threw. attune does not load such code
/// again.
inline constexpr std::string_view static_object_threw =
    "a static object of the kernel threw an exception";

/// The first symbol that the message reports as missing; empty if there is none.
[[nodiscard]] inline std::string missing_symbol(std::string_view message)
{
    for (std::string_view const sign :
         {std::string_view("undefined symbol: "), std::string_view("Symbols not found: [ ")}) {
        std::size_t const at = message.find(sign);
        if (at == std::string_view::npos) continue;
        std::string_view const rest = message.substr(at + sign.size());
        return std::string(rest.substr(0, rest.find_first_of(" ,]\n")));
    }
    return {};
}

/// Possible causes of a missing symbol, and remedies.
[[nodiscard]] inline std::string missing_symbol_advice(std::string_view symbol)
{
    constexpr std::array<std::array<char const*, 2>, 4> sanitizers{{{"__asan_", "address"},
                                                                    {"__tsan_", "thread"},
                                                                    {"__msan_", "memory"},
                                                                    {"__hwasan_", "hwaddress"}}};
    for (auto const& [start, flag] : sanitizers)
        if (symbol.starts_with(start))
            return std::string("code that was compiled with -fsanitize=") + flag +
                   " runs only in a program that was linked with this flag";
    for (char const* const start : {"__ubsan_", "llvm_gc", "__llvm_prof"})
        if (symbol.starts_with(start))
            return "the library of a flag such as -fsanitize=undefined or --coverage has it, which "
                   "system_compiler can link";
    if (symbol.starts_with("__kmpc_") || symbol.starts_with("omp_"))
        return "LLVM's OpenMP library libomp.so.5 was not found (Debian: apt install libomp5-19)";
    if (symbol.starts_with("_ZGV"))
        return "the vector mathematics of glibc, libmvec.so.1, was not found";
    return "neither the program's exported symbols nor its libraries have it";
}

/// @param before  written before the advice
[[nodiscard]] inline failure load_failure(std::string message, std::string const& before = {})
{
    std::string const symbol = missing_symbol(message);
    failure f{failure_stage::load, {}, {}};
    if (symbol.empty())
        f.reason = message.substr(0, message.find('\n'));
    else
        f.reason = "undefined symbol: " + demangled(symbol) + " (" + before +
                   missing_symbol_advice(symbol) + ')';
    f.log = std::move(message);
    return f;
}

} // namespace attune::inline ATTUNE_ABI::detail
