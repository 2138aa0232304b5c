// tests/support/scratch_directory.hpp - a directory of its own for a test, removed at the end.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace support {

class scratch_directory {
public:
    scratch_directory()
    {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "attune_test_XXXXXX").string();
        REQUIRE(::mkdtemp(pattern.data()) != nullptr);
        path_ = pattern;
    }
    scratch_directory(scratch_directory const&) = delete;
    scratch_directory& operator=(scratch_directory const&) = delete;
    ~scratch_directory()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] std::string file(std::string const& name) const { return path_ + "/" + name; }
    [[nodiscard]] std::string const& path() const noexcept { return path_; }

private:
    std::string path_;
};

inline void write_file(std::string const& path, std::string_view text)
{
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

/// A directory with the path of a file in it: auto const [directory, path] = scratch_file("a",
/// "text");
struct scratch_file {
    explicit scratch_file(std::string const& name)
        : path(directory.file(name))
    {
    }
    scratch_file(std::string const& name, std::string_view text)
        : scratch_file(name)
    {
        write_file(path, text);
    }
    scratch_directory directory{};
    std::string path;
};

inline std::string read_file(std::string const& path)
{
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return std::move(text).str();
}

} // namespace support
