// attune/off/compilers_and_stores.hpp - what `tuned` is given beside a kernel, in files with ATTUNE_OFF: names.
// SPDX-License-Identifier: MIT
// tested by off/tuned.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_OFF_ABI {

struct cache_options {
    bool enabled = true;
    std::string folder{};
    std::uint64_t limit_bytes = 0;
};

struct system_options {
    std::string command{};
    std::vector<std::string> flags{};
    double limit_s = 0;
    cache_options cache{};
    std::string debug_folder{};
};

struct clang_options {
    std::vector<std::string> flags{};
    std::string module{};
    bool precompile_headers = true;
    bool separate_process = true;
    double limit_s = 0;
    bool fallback = true;
    system_options system{};
    cache_options cache{};
    std::string debug_folder{};
};

/// Compiles nothing.
class system_compiler {
public:
    explicit system_compiler(system_options const& = {}) {}
};
/// Compiles nothing.
class clang_compiler {
public:
    explicit clang_compiler(clang_options const& = {}) {}
};
/// Loads nothing.
class prepared_compiler {
public:
    explicit prepared_compiler(std::string_view, std::string_view = {}) {}
};

struct named_compiler {
    template <class Compiler>
    named_compiler(std::string_view, Compiler const&)
    {
    }
};
/// Compiles nothing.
class compiler_choice {
public:
    compiler_choice(std::initializer_list<named_compiler>) {}
};

class memory_store {
public:
    memory_store() noexcept {}
    [[nodiscard]] static memory_store from_text(std::string_view) { return memory_store(); }
};
/// Opens no file.
class store {
public:
    explicit store(std::string_view) {}
};
/// Opens no file.
class shipped {
public:
    explicit shipped(std::string_view) {}
};
[[nodiscard]] inline memory_store embedded_store(std::string_view) { return {}; }
class layers {
public:
    template <class... Stores>
    explicit layers(Stores const&...)
    {
    }
};

} // namespace attune::inline ATTUNE_OFF_ABI
