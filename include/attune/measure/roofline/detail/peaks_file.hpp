// attune/measure/roofline/detail/peaks_file.hpp - appends to a file of measured peaks.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/checked_open.hpp>
#include <attune/core/posix/detail/quiet_writes.hpp>
#include <attune/core/version.hpp>

#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

/// Creates a missing file, but none at the end of a link. Peaks that cannot be written are measured
/// again by the next program.
inline void append_peaks(std::string const& path, std::string const& line)
{
    quiet_writes const quiet;
    checked_file const to = open_checked(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (to.file.is_open()) static_cast<void>(!::write(to.file.get(), line.data(), line.size()));
}

} // namespace attune::inline ATTUNE_ABI::detail
