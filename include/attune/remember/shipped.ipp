// attune/remember/shipped.ipp - reads a shipped file, and the linker section of embedded stores.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/embedded_file.hpp>
#include <attune/core/error.hpp>
#include <attune/remember/detail/store_file.hpp>
#include <attune/remember/shipped.hpp>

#include <filesystem>
#include <optional>
#include <system_error>

// The linker defines them; null if there is no such section.
extern "C" {
extern attune::detail::embedded_file const* const __start_attune_stores
    __attribute__((weak, visibility("hidden")));
extern attune::detail::embedded_file const* const __stop_attune_stores
    __attribute__((weak, visibility("hidden")));
}

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// The place and the text of a shipped store.
struct shipped_text {
    std::string text{};
    std::string
        by_others{}; ///< the reason why another user could have written it; empty if none could
};

/// Empty if it cannot be read.
[[nodiscard]] inline std::optional<shipped_text> read_shipped(std::filesystem::path const& path)
{
    store_file const file = store_file::open_to_read(path.string());
    shipped_text out;
    if (!file.usable() || !file.read_all(out.text)) return {};
    out.by_others = file.by_others();
    return out;
}

} // namespace detail

ATTUNE_INLINE shipped::shipped(std::string const& path)
{
    std::error_code failed;
    std::filesystem::path const program = std::filesystem::read_symlink("/proc/self/exe", failed);
    std::filesystem::path const beside =
        program.parent_path() / path; // an absolute path stays absolute
    auto found = detail::read_shipped(beside);
    if (!found) found = detail::read_shipped(path);
    if (!found) {
        notice("the shipped store " + path + " cannot be read: it is neither " + beside.string() +
               " nor in the current folder");
        return;
    }
    memory_store::operator=(from_text(found->text, path));
    if (!found->by_others.empty()) disbelieve(path, found->by_others);
}

ATTUNE_INLINE memory_store embedded_store(std::string const& name)
{
    detail::embedded_files const all{{&__start_attune_stores, &__stop_attune_stores}};
    detail::embedded_file const* const file = all.find(name);
    if (file == nullptr)
        throw error("no store '" + name + "' is embedded in this program", all.names(),
                    "embed it in CMakeLists.txt: attune_embed_store(<target> " + name + ")");
    if (detail::embedded_file const* const other = all.find_other(*file))
        throw error("two stores '" + name + "' are embedded in this program",
                    std::string(file->path) + " and " + other->path,
                    "write a folder in CMakeLists.txt: attune_embed_store(<target> ../<folder>/" +
                        name + ")");
    return memory_store::from_text(std::string(file->view()), name);
}

} // namespace attune::inline ATTUNE_ABI
