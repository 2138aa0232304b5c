// attune/compile/system/shared_code.ipp - memfd_create(), dlopen(), and runs of the system's linker.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/detail/file_text.hpp>
#include <attune/compile/detail/object_symbols.hpp>
#include <attune/compile/source/entry.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/compile/system/shared_code.hpp>
#include <attune/core/posix/descriptor.hpp>
#include <attune/core/posix/detail/quiet_writes.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>

#include <cxxabi.h>
#include <dlfcn.h>
#include <exception>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

/// A file in memory without a name.
[[nodiscard]] inline descriptor file_in_memory(std::string_view bytes)
{
    quiet_writes const quiet;
    descriptor file(::memfd_create("attune", MFD_CLOEXEC));
    while (file && !bytes.empty()) {
        ssize_t const written = ::write(file.get(), bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return descriptor();
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return file;
}

/// A path to the file of a descriptor that no other file has had or will have. The loader treats
/// two objects with one path as the same, and descriptors are reused, but inode numbers are not; so
/// the path contains the inode number, written in binary as "/" and "./", which do not change a
/// path.
[[nodiscard]] inline std::string path_of_descriptor(int descriptor)
{
    struct ::stat status{};
    std::string path = "/proc/self/fd/";
    if (::fstat(descriptor, &status) == 0)
        for (auto number = status.st_ino; number != 0; number >>= 1)
            path += (number & 1) != 0 ? "./" : "/";
    return path + std::to_string(descriptor);
}

/// @return  what a static object threw; empty when nothing was thrown
[[nodiscard]] inline std::string run_initialize(void* initialize)
{
    std::string const problem = "a static object of the kernel threw an exception";
    try {
        reinterpret_cast<void (*)()>(initialize)();
        return {};
    } catch (std::exception const& thrown) {
        return problem + ": " + thrown.what();
    } catch (...) {
        return problem + " that is no std::exception";
    }
}

/// Prevents that these libraries are unloaded with the object that needs them, because their
/// threads continue to run.
inline void keep_threaded_libraries()
{
    for (char const* const threaded : {"libgomp.so.1", "libomp.so.5", "libiomp5.so"})
        (void)::dlopen(threaded, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD | RTLD_NODELETE);
}

/// Loads a shared object. Libraries with threads of their own that it depends on are never
/// unloaded, because their threads continue to run.
/// @return  its handle; null, with dlerror's text in `problem`, on failure
[[nodiscard]] inline void* open_object(std::string const& path, std::string& problem)
{
    void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        char const* const text = ::dlerror();
        problem = text != nullptr ? text : "dlopen failed";
    }
    if (handle != nullptr) keep_threaded_libraries();
    return handle;
}

ATTUNE_INLINE shared_code load_shared_code(std::string_view bytes, std::string& problem)
{
    descriptor const file = file_in_memory(bytes);
    if (!file) {
        problem = "no file in memory can be made: " + std::generic_category().message(errno);
        return {};
    }
    return load_shared_file(path_of_descriptor(file.get()), problem);
}

ATTUNE_INLINE shared_code load_shared_file(std::string const& path, std::string& problem)
{
    void* const handle = open_object(path, problem);
    if (handle == nullptr) return {};
    shared_code made;
    made.code = std::shared_ptr<void const>(handle, [](void const* code) {
        if (program_is_ending()) return; // another thread may run the code
        void* const opened = const_cast<void*>(code);
        // The object has no start files of the compiler, which would do this.
        if (void* const owner = ::dlsym(opened, owner_symbol)) abi::__cxa_finalize(owner);
        ::dlclose(opened);
    });
    made.address = ::dlsym(handle, entry_symbol);
    if (made.address == nullptr)
        problem = "the compiled object has no symbol '" + std::string(entry_symbol) + "'";
    else if (void* const initialize = ::dlsym(handle, initialize_symbol))
        problem = run_initialize(initialize);
    return problem.empty() ? made : shared_code{};
}

/// Loaded libraries that flags such as -fopenmp and -fveclib need, in the order in which they were
/// loaded.
[[nodiscard]] inline std::vector<std::string> loaded_service_libraries()
{
    std::vector<std::string> found;
    ::dl_iterate_phdr(
        [](dl_phdr_info* library, std::size_t, void* list) {
            std::string const path = library->dlpi_name;
            for (std::string_view const name : {"/libomp.so", "/libiomp5.so", "/libmvec.so"})
                if (path.find(name) != std::string::npos)
                    static_cast<std::vector<std::string>*>(list)->push_back(path);
            return 0;
        },
        &found);
    return found;
}

ATTUNE_INLINE std::optional<std::string> link_shared_object(
    std::string_view object, std::vector<std::string> const& libraries, std::string& problem)
{
    std::string linker = find_program("ld");
    if (linker.empty()) linker = find_program("ld.lld");
    if (linker.empty()) {
        problem = "neither ld nor ld.lld is in PATH";
        return {};
    }
    temporary_folder const folder;
    std::string const in = folder.write("variant.o", std::string(object));
    std::string const exports =
        folder.write("exports",
                     std::string("{ global: ") + entry_symbol + "; " + initialize_symbol + "; " +
                         owner_symbol + "; local: *; };\n");
    std::string const out = folder.path() + "/variant.so";
    std::vector<std::string> command{linker,
                                     "-shared",
                                     "-Bsymbolic",
                                     "--eh-frame-hdr",
                                     "--hash-style=gnu",
                                     "--build-id=none",
                                     "-znow",
                                     "-znoexecstack",
                                     "-znoseparate-code",
                                     "--version-script=" + exports,
                                     "-o",
                                     out,
                                     in,
                                     "--as-needed"};
    std::vector<std::string> all = libraries;
    for (std::string& service : loaded_service_libraries())
        all.push_back(std::move(service));
    for (std::string const& library : all) {
        command.push_back("-rpath=" + folder_of(library));
        command.push_back(library);
    }
    process_result const run = run_process(command, 60.0, folder.path());
    std::optional<std::string> made = file_text(out);
    if (run.succeeded() && made) return made;
    problem = "the linker '" + linker + "' failed: " + run.output;
    return {};
}

ATTUNE_INLINE std::string write_named_object(std::string const& folder,
                                             std::string const& name,
                                             std::string const& key,
                                             std::string_view bytes)
{
    std::filesystem::path const path =
        std::filesystem::path(folder) / (name + '-' + key.substr(0, 12) + ".so");
    std::filesystem::path const unfinished =
        path.string() + '.' + std::to_string(::getpid()) + ".part";
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    quiet_writes const quiet;
    std::ofstream file(unfinished, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (file) std::filesystem::rename(unfinished, path, failed);
    if (!file || failed)
        throw error("cannot write compiled code for the debugger",
                    path.string(),
                    "set debug_folder to a folder that this program may write to");
    return std::filesystem::absolute(path, failed).string();
}

} // namespace attune::inline ATTUNE_ABI::detail
