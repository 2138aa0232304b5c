// attune/core/version.hpp - the one place where the version is written.
// SPDX-License-Identifier: MIT-0
#pragma once

#include <attune/core/requirements.hpp>

#define ATTUNE_VERSION_MAJOR 0
#define ATTUNE_VERSION_MINOR 4
#define ATTUNE_VERSION_PATCH 0

/// The inline namespace of all of attune, v0_4 for version 0.4: two versions of attune in one
/// process share no symbol.
#define ATTUNE_ABI_NAME(major, minor) v##major##_##minor
#define ATTUNE_ABI_OF(major, minor) ATTUNE_ABI_NAME(major, minor)
#define ATTUNE_ABI ATTUNE_ABI_OF(ATTUNE_VERSION_MAJOR, ATTUNE_VERSION_MINOR)

/// That of what stands for attune's names in files with ATTUNE_OFF (off/): such a file and one
/// without it share no symbol of them.
#define ATTUNE_OFF_ABI_NAME(major, minor) off_v##major##_##minor
#define ATTUNE_OFF_ABI_OF(major, minor) ATTUNE_OFF_ABI_NAME(major, minor)
#define ATTUNE_OFF_ABI ATTUNE_OFF_ABI_OF(ATTUNE_VERSION_MAJOR, ATTUNE_VERSION_MINOR)

/// Precedes every definition in an `.ipp`. With ATTUNE_HEADER_ONLY each header includes its `.ipp`
/// and the definitions are inline; else one unit per stage compiles them (attune/unit/).
#ifdef ATTUNE_HEADER_ONLY
#define ATTUNE_INLINE inline
#else
#define ATTUNE_INLINE
#endif

namespace attune::inline ATTUNE_ABI {

/// The version of these headers, "major.minor.patch".
inline constexpr char const* version = "0.4.0";

} // namespace attune::inline ATTUNE_ABI
