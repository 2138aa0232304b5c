// tests/support/cache_folder.hpp - a cache of a test's own, and what is in it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/cache/object_cache.hpp>
#include <attune/compile/system/process.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace attune_test {

/// A folder that goes with everything in it.
class cache_folder {
public:
    [[nodiscard]] std::string path() const { return scratch_.path() + "/cache"; }
    [[nodiscard]] attune::cache_options options(std::uint64_t limit_bytes = 1 << 30) const
    {
        return {true, path(), limit_bytes};
    }
    /// A file beside the cache, and time enough after it to be depended on.
    std::string write(std::string const& name, std::string const& text) const
    {
        std::string const full = scratch_.write(name, text);
        std::this_thread::sleep_for(std::chrono::milliseconds(40));
        return full;
    }

    /// Every entry, in no order.
    [[nodiscard]] std::vector<std::filesystem::path> files() const
    {
        std::vector<std::filesystem::path> found;
        for (auto const& entry : std::filesystem::recursive_directory_iterator(path()))
            if (entry.is_regular_file() && entry.path().parent_path() != path())
                found.push_back(entry.path());
        return found;
    }

private:
    attune::detail::temporary_folder scratch_{};
};

[[nodiscard]] inline std::string text_of(std::filesystem::path const& file)
{
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return std::move(text).str();
}

inline void replace_text(std::filesystem::path const& file, std::string const& text)
{
    std::ofstream(file, std::ios::binary) << text;
}

} // namespace attune_test
