// attune/compile/source/source.ipp - reads kernel files and what they include.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/ahead/ahead_list.hpp>
#include <attune/compile/detail/file_text.hpp>
#include <attune/compile/source/compile_request.hpp>
#include <attune/compile/source/embedded.hpp>
#include <attune/compile/source/scan.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/error.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

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

    // The program may contain the text when the sources are not on this machine.
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
    if (kernel.generate) return parts;
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
    if (kernel.generate) hash.add("generated");
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
    generated_code out;
    if (kernel.tell)
        out = kernel.tell(space, at);
    else
        out = {.text = kernel.generate(space, at), .fallback = kernel.generate(space, standard)};
    out.print = fingerprint_of(out);
    return out;
}

ATTUNE_INLINE std::variant<kernel_source, failure>
source_at(kernel_source const& kernel, description const& space, point const& at)
{
    kernel_source out = kernel;
    if (!kernel.generate) return out;
    out.generate = nullptr;
    try {
        out.text = kernel.generate(space, at);
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
