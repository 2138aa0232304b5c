// attune/space/files/detail/unpacked_file.hpp - the text of a file that may be packed.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/environment.hpp>
#include <attune/core/error.hpp>
#include <attune/core/posix/descriptor.hpp>
#include <attune/core/posix/spawn.hpp>
#include <attune/core/version.hpp>

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// All that can be read from `from`; nothing after a failure, as for a folder.
[[nodiscard]] inline std::optional<std::string> text_read_from(descriptor const& from)
{
    std::string out;
    std::array<char, 65536> block{};
    for (;;) {
        ssize_t const got = ::read(from.get(), block.data(), block.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return std::nullopt;
        if (got == 0) return out;
        out.append(block.data(), static_cast<std::size_t>(got));
    }
}

/// The text of the file at `path`; unpacked by gzip if the name ends in .gz.
/// Errors  attune::error when it cannot be opened, read or unpacked
[[nodiscard]] inline std::string unpacked_file(std::string const& path)
{
    descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) throw error("file cannot be read", path, "check that it exists and is readable");
    if (!path.ends_with(".gz")) {
        std::optional<std::string> text = text_read_from(file);
        if (!text) throw error("file cannot be read", path, "check that it is a file, no folder");
        return *std::move(text);
    }
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw error("no pipe for the unpacked text", path, "check the limit on open files");
    descriptor out(ends[0]);
    descriptor in(ends[1]);
    spawn_request request;
    request.path =
        "/bin/sh"; // finds gzip in PATH; the file is its input, so that no name is quoted
    request.arguments = {"sh", "-c", "exec gzip -dc"};
    request.environment = environment_of_children();
    request.files = {{0, file.get()}, {1, in.get()}, {2, -1}};
    spawn_outcome const started = spawn(std::move(request));
    in.close();
    std::optional<std::string> text;
    if (started.process > 0) text = text_read_from(out);
    out.close(); // after a failure to read, gzip ends instead of waiting for a reader
    int status = started.process > 0 ? 0 : -1;
    while (started.process > 0 && ::waitpid(started.process, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0 || !text)
        throw error("file cannot be unpacked", path, "check that gzip is installed and unpacks it");
    return *std::move(text);
}

} // namespace attune::inline ATTUNE_ABI::detail
