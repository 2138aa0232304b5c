// attune/compile/system/shared_code.hpp - a shared object in memory, into this process and out again.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Code that the system's loader has loaded.
struct shared_code {
    void* address{};                    ///< of attune_entry
    std::shared_ptr<void const> code{}; ///< null when it could not be loaded
};

/// Loads exactly these bytes: no other process can exchange them between a check and the loading.
/// Static objects are made before this returns and destroyed when the handle goes.
/// @param problem  what the loader said when the result has no code
[[nodiscard]] shared_code load_shared_code(std::string_view bytes, std::string& problem);

/// Loads a shared object that link_shared_object() made, from a file that stays.
[[nodiscard]] shared_code load_shared_file(std::string const& path, std::string& problem);

/// Makes a shared object of a relocatable one that clang_compiler made, by `ld` or `ld.lld`. It
/// exports nothing but its entry.
/// @param libraries  paths of those that the loader is to open with it
/// @return  nothing, with the reason in `problem`, when there is no linker or it failed
[[nodiscard]] std::optional<std::string> link_shared_object(
    std::string_view object, std::vector<std::string> const& libraries, std::string& problem);

/// Puts a shared object where it stays: `folder`/`name`-`key`.so, complete or not at all.
/// @return  its path
/// Errors   attune::error when it cannot be written
[[nodiscard]] std::string write_named_object(std::string const& folder,
                                             std::string const& name,
                                             std::string const& key,
                                             std::string_view bytes);

/// Loads a shared object. What it brought along that has threads of its own stays for good: they go
/// on running when the object is unloaded.
/// @return its handle, or null with dlerror's text in `problem`
[[nodiscard]] void* open_object(std::string const& path, std::string& problem);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/system/shared_code.ipp>
#endif
