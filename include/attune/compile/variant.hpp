// attune/compile/variant.hpp - one configuration as a compiler sees it: an entry and its macros.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> [compile] -> measure -> remember
// In       the kernel's function, its types as C++ text, the value of every parameter as text
// Out      a plain value; with a kernel_source it determines the code
// Source   own
// Depends  std only
// Tests    tests/compile/variant.cpp
#pragma once

#include <string>
#include <vector>

namespace attune {

/// `#define name value`
struct macro_definition {
    std::string name;
    std::string value;

    friend bool operator==(macro_definition const&, macro_definition const&) = default;
};

/// What is compiled: `result function(arguments...)` under `macros`.
struct variant {
    std::string function;               ///< "sgemm", "linear::sgemm" or "sgemm<4>"
    std::string result = "void";        ///< C++ text of the result's type
    std::vector<std::string> arguments; ///< C++ text of each argument's type, in order
    std::vector<macro_definition> macros;

    friend bool operator==(variant const&, variant const&) = default;
};

/// The signature as a sentence shows it: "void(std::span<float const>, int)".
[[nodiscard]] inline std::string signature_text(variant const& v)
{
    std::string text = v.result + '(';
    for (std::size_t i = 0; i < v.arguments.size(); ++i)
        text += (i == 0 ? "" : ", ") + v.arguments[i];
    return text + ')';
}

/// What <attune/tunable.hpp> tests to see that attune compiles the file.
inline constexpr char const* variant_flag = "-DATTUNE_COMPILES_VARIANT=1";

/// The macros as compiler arguments: "-DTILE_M=64", ...
[[nodiscard]] inline std::vector<std::string> macro_flags(variant const& v)
{
    std::vector<std::string> flags;
    for (macro_definition const& macro : v.macros)
        flags.push_back("-D" + macro.name + '=' + macro.value);
    return flags;
}

} // namespace attune
