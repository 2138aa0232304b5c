// attune/compile/source/entry.hpp - the text that makes a kernel file callable, put after its own text.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/source.hpp>
#include <attune/compile/source/variant.hpp>
#include <attune/core/fixed_string.hpp>
#include <attune/core/version.hpp>

#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI {

/// The symbol a loader looks up: C linkage, the kernel's own signature.
inline constexpr char const* entry_symbol = "attune_entry";

/// What `#include <attune/tunable.hpp>` reads while attune compiles a kernel, wherever (and whether
/// or not) attune's headers are installed.
inline constexpr char const* tunable_overlay =
    "#pragma once\n#define ATTUNE_TUNABLE(name, ...) ATTUNE_VALUE_##name\n";

namespace detail {

/// `text` between quotes, as a C++ literal and as the name in a `#line` directive.
[[nodiscard]] inline std::string quoted(std::string_view text)
{
    std::string out = "\"";
    for (char const c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += (c == '\n') ? ' ' : c;
    }
    return out + '"';
}

} // namespace detail

/// The text that follows the kernel's own. A kernel that is missing or has other types is one
/// sentence of the compiler, at "attune entry of <path>".
///
/// How a missing function is told from a wrong one: `::name` finds declarations of the global
/// namespace first, and only if there are none those of the namespaces it uses. One of these holds
/// a function of that name that takes a type nobody else can name.
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
            entry_symbol + '(' + parameters + ")\n{ return static_cast<" + v.result + " (*)(";
    for (std::size_t i = 0; i < v.arguments.size(); ++i)
        text += (i == 0 ? "" : ", ") + v.arguments[i];
    return text + ")>(&" + name + ")(" + arguments + "); }\n";
}

/// The whole text a compiler is given, less the macros (see macro_flags).
[[nodiscard]] inline std::string translation_unit(kernel_source const& kernel,
                                                  compile_request const& v)
{
    return kernel.text + entry_text(v, kernel.path);
}

} // namespace attune::inline ATTUNE_ABI
