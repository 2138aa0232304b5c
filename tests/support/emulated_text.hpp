// tests/support/emulated_text.hpp - a CUDA kernel's text as the emulated device's compiler takes it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/device_text.hpp>
#include <attune/compile/source/entry.hpp>
#include <attune/compile/source/source.hpp>

#include <algorithm>
#include <cstddef>
#include <regex>
#include <string>

namespace attune_test {

/// `extern __shared__ float tile[];` has no meaning on the host: it becomes a pointer, on the same
/// line.
[[nodiscard]] inline std::string without_dynamic_arrays(std::string const& text)
{
    static std::regex const declaration(
        R"((?:extern\s+(?:(?:__align__|alignas)\s*\([^)]*\)\s*)?__shared__|__shared__\s+extern)\s+)"
        R"((?:(?:__align__|alignas)\s*\([^)]*\)\s*)?([\w:][\w:\s]*?)\s+(\w+)\s*\[\s*\]\s*;)");
    std::string out;
    auto rest = text.cbegin();
    int depth = 0;
    for (std::smatch found; std::regex_search(rest, text.cend(), found, declaration);
         rest = found.suffix().first) {
        std::string const before(rest, found[0].first);
        depth += static_cast<int>(std::count(before.begin(), before.end(), '{') -
                                  std::count(before.begin(), before.end(), '}'));
        std::string const match = found.str();
        out += before +
               (depth > 0 ? "ATTUNE_EMULATED_DYNAMIC(" : "ATTUNE_EMULATED_GLOBAL_DYNAMIC(") +
               found.str(1) + ", " + found.str(2) + ");" +
               std::string(static_cast<std::size_t>(std::count(match.begin(), match.end(), '\n')),
                           '\n');
    }
    return out + std::string(rest, text.cend());
}

/// The arguments of the kernel's __launch_bounds__, where the text after it can know them: not of
/// a template. Empty: none.
[[nodiscard]] inline std::string launch_bounds(std::string const& text,
                                               attune::compile_request const& v)
{
    std::string const word = "__launch_bounds__";
    std::size_t const at = text.find(word);
    if (at == text.npos || v.function.find('<') != v.function.npos) return {};
    std::size_t const open = text.find('(', at);
    std::size_t end = open;
    for (int depth = 0; end < text.size(); ++end) {
        depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
        if (depth == 0) break;
    }
    return open < end && end < text.size() ? text.substr(open + 1, end - open - 1) : std::string{};
}

/// What follows the kernel's text: it checks the signature, unpacks arguments, and says what the
/// code takes. A kernel states its registers and spills as macros below #ifdef
/// ATTUNE_EMULATED_CUDA: `#define ATTUNE_EMULATED_REGISTERS (16 + 4 * TILE)`.
[[nodiscard]] inline std::string emulated_entry_text(attune::kernel_source const& kernel,
                                                     attune::compile_request const& v,
                                                     int architecture)
{
    attune::compile_request on_device = v;
    for (std::string& type : on_device.arguments)
        type = attune::detail::device_type(type);
    std::string text = attune::detail::entry_text(on_device, kernel.path);
    std::string sizes = std::to_string(v.arguments.size());
    std::string values;
    for (std::size_t i = 0; i < on_device.arguments.size(); ++i) {
        std::string const& type = on_device.arguments[i];
        sizes += ", sizeof(" + type + ')';
        values += (i == 0 ? "" : ", ") + ("*reinterpret_cast<attune_emulated::same<" + type) +
                  ">::type*>(arguments[" + std::to_string(i) + "])";
    }
    std::string const bounds = launch_bounds(kernel.text, v);
    text += "#define ATTUNE_EMULATED_EXPORT __attribute__((visibility(\"default\")))\n"
            "extern \"C\" {\n"
            "attune_emulated::thread_place const* attune_emulated_place;\n"
            "attune_emulated::services const* attune_emulated_machine;\n"
            "ATTUNE_EMULATED_EXPORT void attune_emulated_kernel(void** arguments)\n"
            "{ static_cast<void>(arguments); attune_entry(" +
            values +
            "); }\n"
            "ATTUNE_EMULATED_EXPORT unsigned long long attune_emulated_argument_bytes[] = {" +
            sizes +
            "};\n}\n"
            "#ifndef ATTUNE_EMULATED_REGISTERS\n#define ATTUNE_EMULATED_REGISTERS 32\n#endif\n"
            "#ifndef ATTUNE_EMULATED_SPILL_BYTES\n#define ATTUNE_EMULATED_SPILL_BYTES 0\n#endif\n"
            "constexpr long long attune_emulated_first(long long n, long long = 0, long long = 0)\n"
            "{ return n; }\n"
            "extern \"C\" {\n"
            "ATTUNE_EMULATED_EXPORT long long attune_emulated_resources[] = "
            "{ATTUNE_EMULATED_REGISTERS, ATTUNE_EMULATED_SPILL_BYTES, "
            "ATTUNE_EMULATED_SPILL_BYTES, attune_emulated_first(" +
            (bounds.empty() ? "0" : bounds) + "), " + std::to_string(architecture) + "};\n}\n";
    return text;
}

/// Everything the host's compiler is given, after the shim.
[[nodiscard]] inline std::string emulated_text(attune::kernel_source const& kernel,
                                               attune::compile_request const& v, int architecture)
{
    return "#line 1 " + attune::detail::quoted(kernel.path) + '\n' +
           without_dynamic_arrays(kernel.text) + emulated_entry_text(kernel, v, architecture);
}

} // namespace attune_test
