// attune/remember/shipped.hpp - the stores of a release, as a file or in the program.
// SPDX-License-Identifier: MIT
#pragma once

#ifdef ATTUNE_OFF
#include <attune/off/tuned.hpp>
#else
#include <attune/core/version.hpp>
#include <attune/remember/memory_store.hpp>

#include <string>

namespace attune::inline ATTUNE_ABI {

/// A store shipped with the program. The file is read once, and never written, locked or created.
/// Added records last as long as this object. Models `record_store`.
/// Example  attune::tuned sgemm{kernel,
///                              compiler,
///                              attune::layers{attune::store{"mine.attune"},
///                                             attune::shipped{"sgemm.attune"}}};
class shipped : public memory_store {
public:
    /// @param path  absolute, or relative to the folder of the running program, or else to the
    ///              current folder
    /// Errors   none for the state of the file; a notice reports a missing file, with the searched
    ///          places
    explicit shipped(std::string const& path);
};

/// The store that attune_embed_store(target file) put into this program; like `shipped`, without a
/// file.
/// @param name  as in the call of attune_embed_store
/// Errors   attune::error that lists the embedded names, or two files that were embedded with this
///          name. A program and each of its shared libraries find only their own stores
[[nodiscard, gnu::visibility("hidden")]] memory_store embedded_store(std::string const& name);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/shipped.ipp>
#endif
#endif // ATTUNE_OFF
