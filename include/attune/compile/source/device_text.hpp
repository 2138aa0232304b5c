// attune/compile/source/device_text.hpp - the text of a kernel file for a device's compiler.
// SPDX-License-Identifier: MIT
// Source   NVRTC user guide, precompiled headers: text before `#pragma nv_hdrstop` is parsed once if
//          it is unchanged, and must contain no `#line`
#pragma once

#include <attune/compile/source/entry.hpp>
#include <attune/compile/source/scan.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The type in a kernel file for a type that the program declares. Arrays of float become "float
/// const*": std::span<float const>, attune::device_span<float const>, float const*. NVRTC lacks
/// std::byte, which becomes "unsigned char". std::complex<float> becomes "float2", and _Float16
/// "__half".
[[nodiscard]] inline std::string device_type(std::string_view type)
{
    std::string text(type);
    for (std::string_view const span : {"std::span<", "attune::device_span<"})
        if (type.starts_with(span) && type.ends_with('>')) {
            std::size_t end = text.size() - 1;
            std::size_t depth = 0;
            for (std::size_t at = span.size(); at < end; ++at) { // a comma precedes the extent
                if (text[at] == '<') ++depth;
                if (text[at] == '>') --depth;
                if (text[at] == ',' && depth == 0) end = at;
            }
            text = text.substr(span.size(), end - span.size()) + '*';
        }
    constexpr std::string_view there[][2] = {{"std::byte", "unsigned char"},
                                             {"std::complex<float>", "float2"},
                                             {"std::complex<double>", "double2"},
                                             {"_Float16", "__half"},
                                             {"__bf16", "__nv_bfloat16"}};
    for (auto const& [here, name] : there)
        for (std::size_t at = 0; (at = text.find(here, at)) != text.npos; at += name.size())
            text.replace(at, here.size(), name);
    return text;
}

/// The declarations that types need, without standard headers, which NVRTC lacks.
[[nodiscard]] inline std::string device_declarations(std::string_view lines)
{
    std::string out;
    while (!lines.empty()) {
        std::string_view const line = lines.substr(0, lines.find('\n') + 1);
        lines.remove_prefix(line.size());
        if (line != "#include <complex>\n" && line != "#include <array>\n") out += line;
    }
    return out;
}

/// The signature that the kernel file must define: "void(float const*, float*, int)".
[[nodiscard]] inline std::string device_signature(compile_request const& v)
{
    compile_request as_defined = v;
    for (std::string& type : as_defined.arguments)
        type = device_type(type);
    return signature_text(as_defined);
}

/// Returns true if the code mentions one of the macros. Comments and literals do not count: "of any
/// KIND" in a licence text is no use of a parameter KIND.
[[nodiscard]] inline bool mentions(std::string_view text,
                                   std::vector<macro_definition> const& macros)
{
    auto const is_somewhere = [text](macro_definition const& macro) {
        return text.find(macro.name) != text.npos;
    };
    if (std::none_of(macros.begin(), macros.end(), is_somewhere)) return false;
    if (text.find("_Pragma") != text.npos) return true; // a literal there is code
    code_cursor cursor(text);
    while (!cursor.at_end()) {
        if (!code_cursor::is_word(cursor.peek())) {
            cursor.step();
            continue;
        }
        std::string_view const word = cursor.word();
        for (macro_definition const& macro : macros)
            if (word == macro.name) return true;
    }
    return false;
}

/// The file of an `#include`: "x.h" (with quotes), <x.h>, or a macro's name.
[[nodiscard]] inline std::string include_name(std::string_view directive)
{
    std::size_t const word = directive.find("include");
    if (word == directive.npos) return {};
    std::size_t const open = directive.find_first_not_of(" \t", word + 7);
    if (open == directive.npos) return {};
    if (directive[open] != '"' && directive[open] != '<')
        return std::string(directive.substr(open));
    std::size_t const close = directive.find(directive[open] == '"' ? '"' : '>', open + 1);
    return std::string(directive.substr(open, close == directive.npos ? close : close - open + 1));
}

struct header_prefix {
    std::size_t end = 0;   ///< byte offset of the next line, outside of every `#if`
    std::size_t line = 1;  ///< number of that line
    bool includes = false; ///< true: the directives include a header
};

/// The leading directives of a kernel file, up to the first that depends on a macro.
/// @param depends  (include_name) -> bool: true if that file, or one it includes, uses a macro
template <class Depends>
[[nodiscard]] header_prefix prefix_of(std::string_view text,
                                      std::vector<macro_definition> const& macros, Depends depends)
{
    header_prefix found;
    bool includes = false;
    std::size_t open_conditions = 0;
    code_cursor cursor(text);
    for (;;) {
        cursor.skip_spaces();
        if (cursor.peek() != '#') return found;
        std::size_t const begin = cursor.position();
        cursor.step();
        cursor.skip_blanks();
        std::string_view const word = cursor.word();
        while (!cursor.at_end() && cursor.peek() != '\n')
            cursor.step();
        std::string_view const directive = text.substr(begin, cursor.position() - begin);
        if (mentions(directive, macros) || word == "line") return found;
        if (word == "include") {
            if (depends(include_name(directive))) return found;
            includes = includes || directive.find("attune/tunable.hpp") == directive.npos;
        }
        if (word.starts_with("if")) ++open_conditions;
        if (word == "endif" && open_conditions > 0) --open_conditions;
        if (cursor.at_end()) return found; // the file has only directives
        if (open_conditions == 0) found = {cursor.position() + 1, cursor.line() + 1, includes};
        cursor.step();
    }
}

/// The file name in messages about the appended text.
[[nodiscard]] inline std::string device_entry_name(std::string_view path)
{
    return "attune entry of " + std::string(path);
}

/// The check of the signature. device_entry_problem() explains its errors.
[[nodiscard]] inline std::string device_entry_text(compile_request const& v, std::string_view path)
{
    std::string const name = "::" + v.function;
    std::string const castable =
        "sizeof(attune_entry_check::castable< " + device_signature(v) + " >(nullptr)) == 1";
    return "\n#line 1 " + detail::quoted(device_entry_name(path)) + '\n' +
           device_declarations(v.declarations) +
           "namespace attune_entry_check {\n"
           "template <class F> __device__ char castable(decltype(static_cast<F*>(&" +
           name +
           "))*);\n"
           "template <class F> __device__ char (&castable(...))[2];\n"
           "template <bool Same> struct defined_as { template <class F> struct type {}; };\n"
           "template <> struct defined_as<false> {\n"
           "template <class Is> struct type { static_assert(sizeof(Is) == 0, \"\"); };\n"
           "};\n"
           "}\n"
           "static_assert(sizeof(attune_entry_check::defined_as<" +
           castable + ">::type<decltype(&" + name + ")>) > 0, \"\");\n";
}

/// The whole text for the compiler. Messages have the kernel's path and line numbers, if the text
/// is compiled under that path.
[[nodiscard]] inline std::string device_text(kernel_source const& kernel, compile_request const& v,
                                             header_prefix const& prefix, bool stop)
{
    std::string text = kernel.text.substr(0, prefix.end);
    if (stop) text += "#pragma nv_hdrstop\n";
    for (auto const& [name, value] : macros_defined(v))
        text += "#define " + name + ' ' + value + '\n';
    text += "#line " + std::to_string(prefix.line) + ' ' + detail::quoted(kernel.path) + '\n';
    return text + kernel.text.substr(prefix.end) + device_entry_text(v, kernel.path);
}

/// Explains an error of the signature check or of the lookup of the kernel's name.
/// @return  a sentence; empty if the log has no such error
[[nodiscard]] inline std::string
device_entry_problem(std::string_view log, kernel_source const& kernel, compile_request const& v)
{
    std::string const place = device_entry_name(kernel.path);
    std::string const kernel_name = "attune: kernel '" + v.function + '\'';
    std::string const declared = signature_text(v);
    std::string const wanted = device_signature(v);
    std::string const needed =
        declared == wanted ? declared : declared + ", that is as " + wanted + " on the device";
    std::string_view const sign = "[with Is="; // of the line "detected during instantiation"
    if (log.find("address of a non-__global__ function") != log.npos)
        return kernel_name + " of " + kernel.path + " is no __global__ function";
    while (!log.empty()) {
        std::string_view const line = log.substr(0, log.find('\n'));
        log.remove_prefix(std::min(line.size() + 1, log.size()));
        std::size_t const error = line.find(": error: ");
        if (error == line.npos || (!line.starts_with(place) && !line.starts_with("__nv_name_map")))
            continue;
        std::string_view const message = line.substr(error + 9);
        std::size_t const type = log.find(sign);
        std::size_t const end = log.find("]\"", std::min(type, log.size()));
        if (message.starts_with("static assertion") && type != log.npos && end != log.npos) {
            std::string is(log.substr(type + sign.size(), end - type - sign.size()));
            if (std::size_t const star = is.find("(*)"); star != is.npos) is.erase(star, 3);
            return kernel_name + " is declared in the program as " + needed + ", but " +
                   kernel.path + " defines it as " + is;
        }
        bool const missing =
            message.find("undefined") != message.npos || message.find("has no ") != message.npos;
        return kernel_name + (missing ? " is not defined in " : " cannot be made from ") +
               kernel.path + "; the program declares it as " + needed + " (" +
               std::string(message) + ')';
    }
    return {};
}

} // namespace attune::inline ATTUNE_ABI::detail
