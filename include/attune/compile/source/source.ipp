// attune/compile/source/source.ipp - reads kernel files and their includes.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/ahead/ahead_unit.hpp>
#include <attune/compile/detail/file_stamp.hpp>
#include <attune/compile/source/scan.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/error.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>

namespace attune::inline ATTUNE_ABI {

namespace detail {

ATTUNE_INLINE std::string signature_text(compile_request const& v)
{
    std::string text = v.result + '(';
    for (std::size_t i = 0; i < v.arguments.size(); ++i)
        text += (i == 0 ? "" : ", ") + v.arguments[i];
    return text + ')';
}

ATTUNE_INLINE std::vector<std::pair<std::string, std::string>>
macros_defined(compile_request const& v)
{
    std::vector<std::pair<std::string, std::string>> out;
    for (macro_definition const& macro : v.macros) {
        if (!macro.is_own_name) out.emplace_back(macro.name, macro.value);
        out.emplace_back(std::string(value_prefix) + macro.name, macro.value);
    }
    return out;
}

} // namespace detail

ATTUNE_INLINE std::vector<std::string> macro_flags(compile_request const& v)
{
    std::vector<std::string> flags;
    for (auto const& [name, value] : detail::macros_defined(v))
        flags.push_back("-D" + name + '=' + value);
    return flags;
}

namespace detail {

ATTUNE_INLINE std::string file_name_of(compile_request const& v)
{
    std::string name = v.function;
    for (macro_definition const& macro : v.macros)
        name += '.' + macro.name + '=' + macro.value;
    std::string out;
    for (char const c : name) {
        bool const plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') ||
                           std::string_view("._=-+,").find(c) != std::string_view::npos;
        if (c != ' ') out += plain ? c : '_';
    }
    return out.substr(0, 150);
}

ATTUNE_INLINE std::vector<std::string> split_flags(std::string_view text)
{
    std::vector<std::string> flags;
    for (;;) {
        std::size_t const begin = text.find_first_not_of(" \t\n");
        if (begin == std::string_view::npos) return flags;
        text.remove_prefix(begin);
        std::size_t const end = text.find_first_of(" \t\n");
        flags.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) return flags;
        text.remove_prefix(end);
    }
}

[[nodiscard]] inline std::vector<std::string> words_of_response(std::string_view text)
{
    std::vector<std::string> out;
    std::string word;
    bool is_open = false;
    char quote = '\0';
    for (std::size_t i = 0; i <= text.size(); ++i) {
        char const c = i < text.size() ? text[i] : ' ';
        bool const is_blank = std::string_view(" \t\n\r\f\v").find(c) != std::string_view::npos;
        if (i == text.size() || (is_blank && quote == '\0')) {
            if (is_open) out.push_back(std::move(word));
            word.clear();
            is_open = false;
            continue;
        }
        is_open = true;
        if (c == '\\' && i + 1 < text.size())
            word += text[++i];
        else if (quote != '\0' ? c == quote : c == '"' || c == '\'')
            quote = quote != '\0' ? '\0' : c;
        else
            word += c;
    }
    return out;
}

/// @param depth  depth of files in files; the limit of depth ends a file that names itself
inline void expand_flag(std::string const& flag, int depth, std::vector<std::string>& out)
{
    constexpr int deepest = 16;
    std::optional<std::string> const text =
        flag.starts_with('@') && depth < deepest ? file_text(flag.substr(1)) : std::nullopt;
    if (!text) return out.push_back(flag);
    for (std::string const& word : words_of_response(*text))
        expand_flag(word, depth + 1, out);
}

ATTUNE_INLINE std::vector<std::string> expanded_flags(std::vector<std::string> const& flags)
{
    std::vector<std::string> out;
    for (std::string const& flag : flags)
        expand_flag(flag, 0, out);
    return out;
}

ATTUNE_INLINE std::string joined(std::vector<std::string> const& parts)
{
    std::string text;
    for (std::string const& part : parts)
        text += ' ' + part;
    return text;
}

ATTUNE_INLINE embedded_file const* embedded_from(embedded_files const& files,
                                                 std::string const& path)
{
    for (embedded_file const* const kernel : files)
        if (path == kernel->path) return kernel;
    return nullptr;
}

ATTUNE_INLINE embedded_file const& embedded_under(embedded_files const& files,
                                                  std::string const& name)
{
    embedded_file const* const kernel = files.find(name);
    if (kernel == nullptr)
        throw error("no kernel '" + name + "' is embedded in this program", files.names(),
                    "embed it in CMakeLists.txt: attune_embed_kernel(<target> " + name + ")");
    if (embedded_file const* const other = files.find_other(*kernel))
        throw error("two kernels '" + name + "' are embedded in this program",
                    std::string(kernel->path) + " and " + other->path,
                    "let attune::source_file find each beside its own source file, or write a "
                    "folder in CMakeLists.txt: attune_embed_kernel(<target> ../<folder>/" +
                        name + ")");
    return *kernel;
}

ATTUNE_INLINE bool is_embedded(embedded_files const& files, char const* path, std::string_view text)
{
    for (embedded_file const* const kernel : files)
        if (std::string_view(kernel->path) == path && text == kernel->view()) return true;
    return false;
}

[[nodiscard]] inline kernel_source source_of(embedded_file const& kernel)
{
    return {std::string(kernel.view()), kernel.path};
}

} // namespace detail

ATTUNE_INLINE kernel_source source_file(std::string const& path, std::source_location const& caller)
{
    std::filesystem::path const wanted(path);
    std::vector<std::filesystem::path> places;
    if (wanted.is_relative())
        places.push_back(
            (std::filesystem::path(caller.file_name()).parent_path() / wanted).lexically_normal());
    if (std::find(places.begin(), places.end(), wanted) == places.end()) places.push_back(wanted);

    // The program may contain the text if the sources are not on this machine.
    detail::embedded_files const files = detail::linked_with_caller().files;
    std::string tried;
    for (std::filesystem::path const& place : places) {
        if (std::optional<std::string> text = detail::file_text(place))
            return {std::move(*text), place.string()};
        std::error_code no_throw;
        std::filesystem::path const full = std::filesystem::absolute(place, no_throw);
        if (detail::embedded_file const* const kernel =
                detail::embedded_from(files, place.string()))
            return detail::source_of(*kernel);
        tried += (tried.empty() ? "" : ", then ") + (no_throw ? place : full).string();
    }
    throw error("kernel file '" + path + "' not found or not readable", "looked at " + tried,
                "put the file beside '" + std::string(caller.file_name()) +
                    "', or give its absolute path, or pass its text to attune::source_text");
}

ATTUNE_INLINE kernel_source source_text(std::string text, std::string name)
{
    return {std::move(text), std::move(name)};
}

ATTUNE_INLINE kernel_source embedded_source(std::string const& name)
{
    return detail::source_of(detail::embedded_under(detail::linked_with_caller().files, name));
}

namespace detail {

ATTUNE_INLINE std::vector<source_part> source_parts(kernel_source const& kernel)
{
    namespace fs = std::filesystem;
    std::vector<source_part> parts{{kernel.path, kernel.text}};
    if (kernel.generator) return parts;
    std::vector<std::string> seen{fs::path(kernel.path).lexically_normal().string()};
    for (std::size_t i = 0; i < parts.size(); ++i) {
        fs::path const folder = fs::path(parts[i].path).parent_path();
        for (std::string const& name : quoted_includes(parts[i].text)) {
            std::vector<fs::path> places{(folder / name).lexically_normal()};
            for (std::string const& dir : kernel.include_dirs)
                places.push_back((fs::path(dir) / name).lexically_normal());
            for (fs::path const& place : places) {
                std::optional<std::string> text = file_text(place);
                if (!text) continue;
                if (std::find(seen.begin(), seen.end(), place.string()) == seen.end()) {
                    seen.push_back(place.string());
                    parts.push_back({place.string(), std::move(*text)});
                }
                break;
            }
        }
    }
    return parts;
}

ATTUNE_INLINE std::string source_fingerprint(kernel_source const& kernel)
{
    content_hash hash;
    for (source_part const& part : source_parts(kernel))
        hash.add(part.text);
    if (kernel.generator) hash.add("generated");
    hash.add("flags");
    for (std::string const& flag : expanded_flags(kernel.flags))
        hash.add(flag);
    return hash.hex();
}

ATTUNE_INLINE std::string fingerprint_of(generated_code const& code)
{
    return content_hash().add(code.shared).add(code.text).add(code.fallback).hex();
}

ATTUNE_INLINE generated_code code_to_keep(kernel_source const& kernel, description const& space,
                                          point const& at, point const& standard)
{
    generated_code out = kernel.generator->code_at(space, at, standard);
    out.print = fingerprint_of(out);
    return out;
}

ATTUNE_INLINE std::optional<guard_configuration> declared_guard(kernel_source const& kernel)
{
    return kernel.generator ? kernel.generator->guard() : std::nullopt;
}

ATTUNE_INLINE std::variant<kernel_source, failure>
source_at(kernel_source const& kernel, description const& space, point const& at)
{
    kernel_source out = kernel;
    if (!kernel.generator) return out;
    out.generator = nullptr;
    try {
        out.text = kernel.generator->text_at(space, at);
    } catch (...) {
        std::string all = text_of_exception();
        std::size_t const end = all.find('\n');
        failure why{failure_stage::compile,
                    "the generator of " + kernel.path + " threw: " + all.substr(0, end)};
        if (end != std::string::npos) why.log = std::move(all);
        return why;
    }
    return out;
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
