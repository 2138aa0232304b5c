// bench/support/scratch_folder.hpp - a folder of its own for a benchmark, removed at the end.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace bench {

class scratch_folder {
public:
    /// Errors   std::runtime_error: nothing can be written in `parent`
    explicit scratch_folder(std::string const& parent)
        : path_(parent + "/attune_bench_XXXXXX")
    {
        if (::mkdtemp(path_.data()) == nullptr)
            throw std::runtime_error(parent + ": cannot be written");
    }
    scratch_folder(scratch_folder const&) = delete;
    scratch_folder& operator=(scratch_folder const&) = delete;
    ~scratch_folder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] std::string const& path() const noexcept { return path_; }

private:
    std::string path_;
};

} // namespace bench
