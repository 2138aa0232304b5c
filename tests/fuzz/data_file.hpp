// tests/fuzz/data_file.hpp : a file that holds what a fuzzer has made.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace fuzz {

/// In memory, so that a hundred thousand contents a minute cost no disk.
class data_file {
public:
    data_file()
        : descriptor_(::memfd_create("fuzz", 0))
    {
        if (descriptor_ < 0) std::abort();
    }

    [[nodiscard]] std::string path() const
    {
        return "/proc/self/fd/" + std::to_string(descriptor_);
    }
    void hold(std::string_view text) const
    {
        if (::ftruncate(descriptor_, 0) != 0 ||
            ::pwrite(descriptor_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
            std::abort();
    }

private:
    int descriptor_;
};

} // namespace fuzz
