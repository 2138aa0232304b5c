// bench/support/spawned_compiler.hpp - how long the compiler of this build takes for a file.
// SPDX-License-Identifier: MIT
//
// bench/CMakeLists.txt defines ATTUNE_BENCH_COMPILER and the include folders for the programs that
// use it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <spawn.h>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace bench {

/// The include folders that CMake joined by ':', searched last, as system folders are.
inline void add_folders(std::vector<std::string>& arguments, std::string_view joined)
{
    while (!joined.empty()) {
        std::size_t const end = std::min(joined.find(':'), joined.size());
        arguments.emplace_back("-idirafter");
        arguments.emplace_back(joined.substr(0, end));
        joined.remove_prefix(std::min(end + 1, joined.size()));
    }
}

/// What a process and its children used; exits when it fails.
inline rusage spawned(std::vector<std::string> words)
{
    std::vector<char*> arguments;
    for (std::string& word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);

    pid_t child = 0;
    int status = 0;
    rusage usage{};
    if (::posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0 ||
        ::wait4(child, &status, 0, &usage) != child || status != 0) {
        std::fprintf(stderr, "%s failed on %s\n", words[0].c_str(), words.back().c_str());
        std::exit(1);
    }
    return usage;
}

/// User and system time.
[[nodiscard]] inline double processor_s(rusage const& usage)
{
    auto const seconds = [](timeval const& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Processor seconds of one compiler process and its children; exits when it fails.
/// @param flags  what to do with the file
inline double compile_s(std::string const& file, std::vector<std::string> const& flags)
{
    std::vector<std::string> words{ATTUNE_BENCH_COMPILER, "-std=c++20", "-I", ATTUNE_BENCH_INCLUDE};
    words.insert(words.end(), flags.begin(), flags.end());
    add_folders(words, ATTUNE_BENCH_EIGEN);
    add_folders(words, ATTUNE_BENCH_BOOST);
    words.push_back(file);
    return processor_s(spawned(std::move(words)));
}

/// Writes `text` to a new temporary file and returns its path.
[[nodiscard]] inline std::string write_temporary(std::string_view text)
{
    char const* const folder = std::getenv("TMPDIR");
    std::string path = std::string(folder != nullptr ? folder : P_tmpdir) + "/attune_XXXXXX.cpp";
    int const file = ::mkstemps(path.data(), 4);
    if (file < 0 || ::write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
        std::fprintf(stderr, "cannot write %s\n", path.c_str());
        std::exit(1);
    }
    ::close(file);
    return path;
}

} // namespace bench
