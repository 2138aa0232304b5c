// attune/compile/system/shared_code.hpp - links, loads and unloads shared objects.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Code that the system's loader has loaded, and its owner.
struct shared_code {
    void* address{};                    ///< of attune_entry
    void* handle{};                     ///< dlopen's
    std::shared_ptr<void const> code{}; ///< null if it could not be loaded
};

/// Loads these bytes from memory, so no other process can replace them after a check. Static
/// objects are constructed here. The last copy of `code` destroys the static objects, after the end
/// of each thread of the code. The floating-point environment stays unchanged.
/// @param problem  the loader's message if the result has no code
[[nodiscard]] shared_code load_shared_code(std::string_view bytes, std::string& problem);

/// Loads a shared object from a file, which stays. A static object in it must not throw: the
/// exception would leave the system's loader locked.
/// @param bytes  content of the file
[[nodiscard]] shared_code load_shared_file(std::string const& path, std::string_view bytes,
                                           std::string& problem);

/// The reason why no shared object can be linked here; empty if `ld` or `ld.lld` is in PATH.
[[nodiscard]] std::string missing_linker();

/// Links a relocatable object of clang_compiler into a shared object, by `ld` or `ld.lld`. Links
/// the libraries of this process, and the archives that compilers add, libgcc.a and
/// libc_nonshared.a. The object exports only the entry and attune's symbol.
/// @param libraries  paths of libraries that the loader opens with it
/// @return  empty, with the reason in `problem`, if there is no linker or it failed
[[nodiscard]] std::optional<std::string>
link_shared_object(std::string_view object, std::vector<std::string> const& libraries,
                   std::string& problem);

/// Loaded libraries that code may need without a flag -l, in the order of loading: of C and C++,
/// and of flags such as -fopenmp and -fveclib. With these libraries a linker takes the same
/// versions of functions as a compiler.
[[nodiscard]] std::vector<std::string> loaded_service_libraries();

/// Writes a shared object to `folder`/`name`-`key`.so, completely or not at all.
/// @return  its path
/// Errors   attune::error if it cannot be written
[[nodiscard]] std::string write_named_object(std::string const& folder, std::string const& name,
                                             std::string const& key, std::string_view bytes);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/system/shared_code.ipp>
#endif
