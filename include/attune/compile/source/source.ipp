// attune/compile/source/source.ipp - reads kernel files and what they include.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/embedded.ipp>
#include <attune/compile/source/scan.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/error.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

[[nodiscard]] inline std::optional<std::string> text_of_file(std::filesystem::path const& path)
{
    std::error_code no_throw;
    if (!std::filesystem::is_regular_file(path, no_throw)) return std::nullopt;
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    std::ostringstream text;
    text << file.rdbuf();
    return std::move(text).str();
}

} // namespace detail

kernel_source source_file(std::string const& path, std::source_location const& caller)
{
    std::filesystem::path const wanted(path);
    std::vector<std::filesystem::path> places;
    if (wanted.is_relative())
        places.push_back(
            (std::filesystem::path(caller.file_name()).parent_path() / wanted).lexically_normal());
    if (std::find(places.begin(), places.end(), wanted) == places.end()) places.push_back(wanted);

    std::string tried;
    for (std::filesystem::path const& place : places) {
        if (std::optional<std::string> text = detail::text_of_file(place))
            return {std::move(*text), place.string()};
        std::error_code no_throw;
        std::filesystem::path const full = std::filesystem::absolute(place, no_throw);
        // Where the sources are not, the program may have the text itself.
        if (embedded_kernel const* const kernel = detail::embedded_from(place.string()))
            return {std::string(reinterpret_cast<char const*>(kernel->text), kernel->size),
                    kernel->path};
        tried += (tried.empty() ? "" : ", then ") + (no_throw ? place : full).string();
    }
    throw error("kernel file '" + path + "' not found or not readable",
                "looked at " + tried,
                "put the file beside '" + std::string(caller.file_name()) +
                    "', or give its absolute path, or pass its text to attune::source_text");
}

kernel_source source_text(std::string text, std::string name)
{
    return {std::move(text), std::move(name)};
}

std::vector<source_part> source_parts(kernel_source const& kernel)
{
    namespace fs = std::filesystem;
    std::vector<source_part> parts{{kernel.path, kernel.text}};
    std::vector<std::string> seen{fs::path(kernel.path).lexically_normal().string()};
    for (std::size_t i = 0; i < parts.size(); ++i) {
        fs::path const folder = fs::path(parts[i].path).parent_path();
        for (std::string const& name : detail::quoted_includes(parts[i].text)) {
            std::vector<fs::path> places{(folder / name).lexically_normal()};
            for (std::string const& dir : kernel.include_dirs)
                places.push_back((fs::path(dir) / name).lexically_normal());
            for (fs::path const& place : places) {
                std::optional<std::string> text = detail::text_of_file(place);
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

std::string source_fingerprint(kernel_source const& kernel)
{
    content_hash hash;
    for (source_part const& part : source_parts(kernel))
        hash.add(part.text);
    hash.add("flags");
    for (std::string const& flag : kernel.flags)
        hash.add(flag);
    return hash.hex();
}

} // namespace attune::inline ATTUNE_ABI
