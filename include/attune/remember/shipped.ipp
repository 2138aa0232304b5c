// attune/remember/shipped.ipp - reads a shipped file, and the linker section that lists embedded stores.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/embedded_file.hpp>
#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/shipped.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

// Defined by the linker; null when there is no such section.
extern "C" {
extern attune::detail::embedded_file const* const __start_attune_stores
    __attribute__((weak, visibility("hidden")));
extern attune::detail::embedded_file const* const __stop_attune_stores
    __attribute__((weak, visibility("hidden")));
}

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// The bytes of a regular file; nothing when it cannot be read.
[[nodiscard]] inline std::optional<std::string> shipped_text(std::filesystem::path const& path)
{
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed)) return {};
    std::ifstream in(path, std::ios::binary);
    std::string out{std::istreambuf_iterator<char>(in), {}};
    if (!in.good() && !in.eof()) return {};
    return out;
}

[[nodiscard]] inline memory_store read_shipped(std::string const& path)
{
    std::error_code failed;
    std::filesystem::path const program = std::filesystem::read_symlink("/proc/self/exe", failed);
    std::filesystem::path const beside = program.parent_path() / path; // an absolute path stays
    if (auto const text = shipped_text(beside)) return memory_store::from_text(*text, path);
    if (auto const text = shipped_text(path)) return memory_store::from_text(*text, path);
    memory_store out;
    out.notice("the shipped store " + path + " cannot be read: it is neither " + beside.string() +
               " nor in the current folder");
    return out;
}

} // namespace detail

ATTUNE_INLINE shipped::shipped(std::string const& path)
    : memory_store(detail::read_shipped(path))
{
}

ATTUNE_INLINE memory_store embedded_store(std::string const& name)
{
    detail::embedded_files const all{{&__start_attune_stores, &__stop_attune_stores}};
    detail::embedded_file const* const file = all.find(name);
    if (file == nullptr)
        throw error("no store '" + name + "' is embedded in this program",
                    all.names(),
                    "embed it in CMakeLists.txt: attune_embed_store(<target> " + name + ")");
    if (detail::embedded_file const* const other = all.find_other(*file))
        throw error("two stores '" + name + "' are embedded in this program",
                    std::string(file->path) + " and " + other->path,
                    "write a folder in CMakeLists.txt: attune_embed_store(<target> ../<folder>/" +
                        name + ")");
    return memory_store::from_text(std::string(file->view()), name);
}

} // namespace attune::inline ATTUNE_ABI
