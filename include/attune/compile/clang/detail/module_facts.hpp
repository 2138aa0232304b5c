// attune/compile/clang/detail/module_facts.hpp - the files of the module and its LLVM, and its processor.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/clang/abi.hpp>
#include <attune/compile/clang/detail/server_frames.hpp>
#include <attune/compile/detail/file_stamp.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/version.hpp>

#include <clang/CodeGen/BackendUtil.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/TargetSelect.h>
#if LLVM_VERSION_MAJOR >= 17
#include <llvm/TargetParser/Host.h>
#else
#include <llvm/Support/Host.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Returns the path of the library that contains a function; empty if the loader does not report
/// it.
[[nodiscard]] inline std::string library_of(void* function)
{
    Dl_info found{};
    bool const is_known = ::dladdr(function, &found) != 0 && found.dli_fname != nullptr;
    return is_known ? found.dli_fname : "";
}

/// Returns the path for clang's driver as its executable. The file may be absent: the driver
/// derives the place of clang's own headers, `../lib/clang/<major>/include`, from the path.
[[nodiscard]] inline std::string clang_executable()
{
    std::string const major = std::to_string(LLVM_VERSION_MAJOR);
    std::vector<std::string> prefixes;
#ifdef ATTUNE_LLVM_PREFIX
    prefixes.emplace_back(ATTUNE_LLVM_PREFIX);
#endif
    std::string const library = library_of(reinterpret_cast<void*>(&clang::EmitBackendOutput));
    std::string const folder = library.substr(0, std::min(library.rfind('/'), library.size()));
    if (folder.ends_with("/lib")) prefixes.push_back(folder.substr(0, folder.size() - 4));
    prefixes.insert(prefixes.end(), {"/usr/lib/llvm-" + major, "/usr/local", "/usr"});
    for (std::string const& prefix : prefixes)
        if (llvm::sys::fs::exists(prefix + "/lib/clang/" + major + "/include/stddef.h"))
            return prefix + "/bin/clang++";
    return prefixes.front() + "/bin/clang++";
}

[[nodiscard]] inline std::string processor_text()
{
    std::vector<std::string> enabled;
#if LLVM_VERSION_MAJOR >= 19
    llvm::StringMap<bool> const features = llvm::sys::getHostCPUFeatures();
#else
    llvm::StringMap<bool> features;
    llvm::sys::getHostCPUFeatures(features);
#endif
    for (auto const& feature : features)
        if (feature.getValue()) enabled.push_back(feature.getKey().str());
    std::sort(enabled.begin(), enabled.end());
    content_hash hash;
    for (std::string const& name : enabled)
        hash.add(name);
    return "cpu=" + llvm::sys::getHostCPUName().str() + " features=" + hash.hex().substr(0, 16);
}

/// Returns the libraries that contain Clang and LLVM, each followed by a line end.
[[nodiscard]] inline std::string toolchain_files()
{
    std::string files;
    for (void* const inside : {reinterpret_cast<void*>(&llvm::sys::getHostCPUName),
                               reinterpret_cast<void*>(&clang::EmitBackendOutput)})
        if (std::string const path = library_of(inside); !path.empty()) files += path + '\n';
    return files;
}

[[nodiscard]] inline std::string module_file()
{
    std::error_code no_throw;
    return std::filesystem::absolute(library_of(reinterpret_cast<void*>(&attune_clang_module)),
                                     no_throw)
        .string();
}

/// Returns a key that changes with the module's file and the files of Clang and LLVM. Computes it
/// once, because a new file may later replace a loaded one.
[[nodiscard]] inline std::string const& loaded_files_key()
{
    static std::string const made = [] {
        content_hash key;
        key.add(std::to_string(attune_clang_abi_version));
        std::string const all = module_file() + '\n' + toolchain_files();
        for (llvm::StringRef rest = all; !rest.empty();) {
            auto const [path, others] = rest.split('\n');
            rest = others;
            file_stamp const stamp = stamp_of(path.str()).value_or(file_stamp{});
            for (std::int64_t const n :
                 {stamp.bytes, stamp.modified_ns, stamp.changed_ns, stamp.number})
                key.add(std::to_string(n));
        }
        return key.hex();
    }();
    return made;
}

[[nodiscard]] inline server_greeting greeting_of(std::string const& processor)
{
    server_greeting out;
    std::strncpy(out.files, loaded_files_key().c_str(), sizeof out.files - 1);
    std::strncpy(out.version, LLVM_VERSION_STRING, sizeof out.version - 1);
    std::strncpy(out.processor, processor.c_str(), sizeof out.processor - 1);
    return out;
}

/// Returns true if LLVM can compile for this machine.
[[nodiscard]] inline bool has_native_target()
{
    static bool const has_target = [] {
        return !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter() &&
               !llvm::InitializeNativeTargetAsmParser();
    }();
    return has_target;
}

} // namespace attune::inline ATTUNE_ABI::detail
