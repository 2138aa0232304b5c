// attune/compile/source/entry.hpp - the text that is appended to a kernel file to make it callable.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/compile_request.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/fixed_string.hpp>
#include <attune/core/version.hpp>

#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI {

/// The symbol that a loader looks up: C linkage, with the kernel's signature. It calls the kernel
/// with a stack that begins at a multiple of 64 bytes, so that arrays in the kernel's frame lie the
/// same way to cache lines in each call. Otherwise a time belongs to the frames above the call: one
/// binary of a convolution took 1.3 or 2.7 ms (clang++-19 -O3, AVX-512), by 16 bytes of the stack.
inline constexpr char const* entry_symbol = "attune_entry";

namespace detail {

/// The content of <attune/tunable.hpp> while attune compiles a kernel, whether or not attune's
/// headers are installed.
inline constexpr char const* tunable_overlay =
    "#pragma once\n#define ATTUNE_TUNABLE(name, ...) ATTUNE_VALUE_##name\n";

/// `text` as a C++ string literal, which is also the form of a name in a `#line` directive.
[[nodiscard]] inline std::string quoted(std::string_view text)
{
    std::string out = "\"";
    for (char const c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += (c == '\n') ? ' ' : c;
    }
    return out + '"';
}

/// The text to append. A kernel that is missing or has other types gives one sentence as compile
/// error, at "attune entry of <path>".
///
/// To tell a missing function from one with other types, the text adds a function of that name in a
/// namespace with a using-directive. `::name` finds it only if the global namespace has none, and
/// its parameter type is known nowhere else.
[[nodiscard]] inline std::string entry_text(compile_request const& v, std::string_view path)
{
    std::string const signature = signature_text(v);
    std::string const name = "::" + v.function;
    bool const can_probe = is_identifier(v.function);
    auto const castable = [](std::string const& type) {
        return "sizeof(attune_entry_check::castable< " + type + " >(nullptr)) == 1";
    };

    std::string text = "\n#line 1 " + detail::quoted("attune entry of " + std::string(path)) + "\n";
    if (signature.find("std::span") != std::string::npos) text += "#include <span>\n";
    if (signature.find("std::byte") != std::string::npos) text += "#include <cstddef>\n";
    text += v.declarations;
    if (can_probe)
        text += "namespace attune_entry_probe { struct nobody; void " + v.function +
                "(nobody*); }\nusing namespace attune_entry_probe;\n";
    text += "namespace attune_entry_check {\n"
            "template <class F> char castable(decltype(static_cast<F*>(&" +
            name +
            "))*);\n"
            "template <class F> char (&castable(...))[2];\n"
            "}\n";
    if (can_probe)
        text += "static_assert(!(" + castable("void(attune_entry_probe::nobody*)") + "), " +
                detail::quoted("attune: kernel '" + v.function + "' is not defined in " +
                               std::string(path) + "; the program declares it as " + signature) +
                ");\n";
    std::string const matches = castable(signature);
    text +=
        "static_assert(" +
        (can_probe ? castable("void(attune_entry_probe::nobody*)") + " || " + matches : matches) +
        ", " +
        detail::quoted("attune: kernel '" + v.function + "' is declared in the program as " +
                       signature + ", but the kernel file defines it otherwise") +
        ");\n";

    std::string parameters;
    std::string arguments;
    for (std::size_t i = 0; i < v.arguments.size(); ++i) {
        std::string const argument = "attune_argument_" + std::to_string(i);
        parameters += (i == 0 ? "" : ", ") + v.arguments[i] + ' ' + argument;
        arguments += (i == 0 ? "" : ", ") + argument;
    }
    text += "extern \"C\" __attribute__((visibility(\"default\"))) " + v.result + ' ' +
            entry_symbol + '(' + parameters +
            ")\n{ alignas(64) char attune_frame; __asm__ volatile(\"\" : : \"r\"(&attune_frame) : "
            "\"memory\");\n  return static_cast<" +
            v.result + " (*)(";
    for (std::size_t i = 0; i < v.arguments.size(); ++i)
        text += (i == 0 ? "" : ", ") + v.arguments[i];
    return text + ")>(&" + name + ")(" + arguments + "); }\n";
}

} // namespace detail

/// The whole text for a compiler; the macros are flags (see macro_flags).
[[nodiscard]] inline std::string translation_unit(kernel_source const& kernel,
                                                  compile_request const& v)
{
    return kernel.text + detail::entry_text(v, kernel.path);
}

} // namespace attune::inline ATTUNE_ABI
