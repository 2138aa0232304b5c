// attune/compile/system/shared_code.ipp - memfd_create(), dlopen(), and runs of the system's linker.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/detail/code_in_memory.hpp>
#include <attune/compile/detail/elf_object.hpp>
#include <attune/compile/detail/file_stamp.hpp>
#include <attune/compile/source/entry.hpp>
#include <attune/compile/system/libraries.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/compile/system/shared_code.hpp>
#include <attune/core/error.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/posix/descriptor.hpp>
#include <attune/core/posix/detail/loaded_objects.hpp>
#include <attune/core/posix/detail/quiet_writes.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/posix/replace_file.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <exception>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern "C" char** environ;

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

/// A path to the file of a descriptor. No other file ever has this path. The loader treats two
/// objects with the same path as the same object, and descriptors are reused, but inode numbers are
/// not. The path therefore contains the inode number, in binary as "/" and "./", which do not
/// change a path.
[[nodiscard]] inline std::string path_of_descriptor(int descriptor)
{
    struct ::stat status{};
    std::string path = "/proc/self/fd/";
    if (::fstat(descriptor, &status) == 0)
        for (auto number = status.st_ino; number != 0; number >>= 1)
            path += (number & 1) != 0 ? "./" : "/";
    return path + std::to_string(descriptor);
}

/// The static constructors of a shared object. attune runs them, because an exception that passed
/// the system's loader would leave the loader locked.
struct static_constructors {
    std::uintptr_t at = 0; ///< place of their addresses, relative to the object
    std::size_t count = 0;

    /// Removes the constructors from the object's list for the loader.
    [[nodiscard]] static static_constructors taken_from(std::string& bytes)
    {
        static_constructors out;
        elf_object const object(bytes);
        for (Elf64_Shdr const& section : object.sections()) {
            if (section.sh_type != SHT_DYNAMIC) continue;
            for (std::size_t i = 0; auto const one = object.entry<Elf64_Dyn>(section, i); ++i) {
                if (one->d_tag == DT_INIT_ARRAY) out.at = one->d_un.d_ptr;
                if (one->d_tag != DT_INIT_ARRAYSZ) continue;
                out.count = one->d_un.d_val / sizeof(std::uintptr_t);
                std::memset(bytes.data() + section.sh_offset + i * sizeof *one +
                                offsetof(Elf64_Dyn, d_un),
                            0, sizeof one->d_un);
            }
        }
        return out;
    }
    /// @param base  of the loaded object
    void run(std::uintptr_t base) const
    {
        char* none[] = {nullptr};
        auto const* const all = reinterpret_cast<void (*const*)(int, char**, char**)>(base + at);
        for (std::size_t i = 0; i < count; ++i)
            all[i](0, none, environ);
    }
};

/// @return  text of an exception of a static object; empty if there is none
template <class Run>
[[nodiscard]] std::string thrown_by_static_objects(Run const& run)
{
    std::string const problem(static_object_threw);
    try {
        run();
        return {};
    } catch (std::exception const& thrown) {
        return problem + ": " + thrown.what();
    } catch (...) {
        return problem + " that is no std::exception";
    }
}

/// Prevents the unloading of these libraries with the object that needs them, because their threads
/// continue to run.
inline void keep_threaded_libraries()
{
    for (char const* const threaded : {"libgomp.so.1", "libomp.so.5", "libiomp5.so"})
        (void)::dlopen(threaded, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD | RTLD_NODELETE);
}

/// Returns true for a symbol of a sanitizer that this program does not have. The loader must not
/// open code that needs it, because the sanitizer's library ends a program that opens it late.
[[nodiscard]] inline bool is_of_absent_sanitizer(std::string_view symbol)
{
    for (char const* const start : {"__asan_init", "__tsan_init", "__msan_init", "__hwasan_init"})
        if (symbol == start) return ::dlsym(RTLD_DEFAULT, start) == nullptr;
    return false;
}

/// Facts about the loading and unloading of a shared object, from its symbols.
struct shared_object_facts {
    std::optional<std::uintptr_t> owner{}; ///< place of owner_symbol, relative to the object
    bool ends_itself = false;              ///< the system's loader runs its static destructors
    unloading_facts unloading{};
    std::string problem{}; ///< why the loader must not open it here; or empty

    explicit shared_object_facts(std::string_view bytes)
    {
        elf_object const object(bytes);
        if (!object.usable()) return;
        object.for_symbols([&](std::string_view name, Elf64_Sym const& symbol) {
            if (symbol.st_shndx == SHN_UNDEF) {
                unloading.note(name);
                if (is_of_absent_sanitizer(name))
                    problem = "undefined symbol: " + std::string(name);
            } else if (name == owner_symbol) {
                owner = symbol.st_value;
            } else if (name == finalize_symbol || name == "__do_global_dtors_aux") {
                ends_itself = true; // start files of compilers have __do_global_dtors_aux
            }
        });
    }
};

/// The place of the object's first segment.
[[nodiscard]] inline std::uintptr_t base_of(void* handle)
{
    link_map* loaded = nullptr;
    return ::dlinfo(handle, RTLD_DI_LINKMAP, &loaded) == 0 && loaded != nullptr ? loaded->l_addr
                                                                                : 0;
}

/// Loads a file as load_shared_file() does.
/// @param taken  from the file
[[nodiscard]] inline shared_code load_object_file(std::string const& path, std::string_view bytes,
                                                  static_constructors const& taken,
                                                  std::string& problem);

ATTUNE_INLINE shared_code load_shared_code(std::string_view bytes, std::string& problem)
{
    std::string own(bytes);
    auto const taken = static_constructors::taken_from(own);
    descriptor const file = file_in_memory(own);
    if (!file) {
        problem = "no file in memory can be made: " + std::generic_category().message(errno);
        return {};
    }
    return load_object_file(path_of_descriptor(file.get()), bytes, taken, problem);
}

ATTUNE_INLINE shared_code load_shared_file(std::string const& path, std::string_view bytes,
                                           std::string& problem)
{
    return load_object_file(path, bytes, {}, problem);
}

inline shared_code load_object_file(std::string const& path, std::string_view bytes,
                                    static_constructors const& taken, std::string& problem)
{
    shared_object_facts const facts(bytes);
    problem = facts.problem;
    if (!problem.empty()) return {};
    kept_float_environment const kept;
    code_in_memory code;
    if (facts.unloading.starts_any) code.threads = thread_ids();
    void* const handle = [&] {
        fork_delay const whole; // a child could not repair a half open library
        return ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    }();
    if (handle == nullptr) {
        char const* const text = ::dlerror();
        problem = text != nullptr ? text : "dlopen failed";
        return {};
    }
    keep_threaded_libraries();
    std::uintptr_t const base = base_of(handle);
    if (facts.owner && base != 0)
        code.end = [owner = base + *facts.owner] {
            abi::__cxa_finalize(reinterpret_cast<void*>(owner));
        };
    code.unmap = [handle] { ::dlclose(handle); };
    code.unmap_ends = facts.ends_itself;
    code.facts = facts.unloading;
    shared_code made;
    made.handle = handle;
    made.code = owner_of(std::move(code));
    problem = thrown_by_static_objects([&] {
        if (base != 0) taken.run(base);
    });
    if (!problem.empty()) return {};
    made.address = ::dlsym(handle, entry_symbol);
    if (made.address == nullptr)
        problem = "the compiled object has no symbol '" + std::string(entry_symbol) + "'";
    else if (void* const initialize = ::dlsym(handle, initialize_symbol))
        problem = thrown_by_static_objects(reinterpret_cast<void (*)()>(initialize));
    return problem.empty() ? made : shared_code{};
}

ATTUNE_INLINE std::vector<std::string> loaded_service_libraries()
{
    std::vector<std::string> found;
    any_loaded([&found](dl_phdr_info const& library) {
        std::string_view const path = library.dlpi_name;
        std::string_view const file = path.substr(std::min(path.rfind('/'), path.size()));
        constexpr std::array<std::string_view, 12> services{
            "/libomp.so",   "/libiomp5.so", "/libmvec.so",    "/libstdc++.so",
            "/libgcc_s.so", "/libm.so",     "/libpthread.so", "/librt.so",
            "/libdl.so",    "/libc.so",     "/libc++",        "/ld-linux"};
        if (std::any_of(services.begin(), services.end(),
                        [&](std::string_view start) { return file.starts_with(start); }))
            found.emplace_back(path);
        return false;
    });
    return found;
}

/// The archives that compilers add to every link, with symbols that the shared libraries lack. The
/// first has __cpu_model and arithmetic, the second atexit() and pthread_atfork().
[[nodiscard]] inline std::vector<std::string> runtime_archives()
{
    std::vector<std::string> out;
    std::vector<std::string> const folders = library_folders();
    for (char const* const name : {"/libgcc.a", "/libc_nonshared.a"})
        for (std::string const& folder : folders)
            if (::access((folder + name).c_str(), R_OK) == 0) {
                out.push_back(folder + name);
                break;
            }
    return out;
}

[[nodiscard]] inline std::string linker_here()
{
    std::string const usual = find_program("ld");
    return usual.empty() ? find_program("ld.lld") : usual;
}

ATTUNE_INLINE std::string missing_linker()
{
    return linker_here().empty() ? "neither ld nor ld.lld is in PATH; install one (Debian: apt "
                                   "install binutils), which system_compiler needs as well"
                                 : std::string();
}

ATTUNE_INLINE std::optional<std::string>
link_shared_object(std::string_view object, std::vector<std::string> const& libraries,
                   std::string& problem)
{
    problem = missing_linker();
    if (!problem.empty()) return {};
    std::string const linker = linker_here();
    temporary_folder const folder;
    std::string const in = folder.write("variant.o", std::string(object));
    std::string const exports =
        folder.write("exports", std::string("{ global: ") + entry_symbol + "; " +
                                    initialize_symbol + "; local: *; };\n");
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
    for (std::string& archive : runtime_archives())
        command.push_back(std::move(archive));
    process_result const run = run_process(command, 60.0, folder.path());
    std::optional<std::string> made = file_text(out);
    if (run.succeeded() && made) return made;
    problem = "the linker '" + linker + "' failed: " + run.output;
    return {};
}

ATTUNE_INLINE std::string write_named_object(std::string const& folder, std::string const& name,
                                             std::string const& key, std::string_view bytes)
{
    std::filesystem::path const path =
        std::filesystem::path(folder) / (name + '-' + key.substr(0, 12) + ".so");
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    try {
        replace_file(path.string(), bytes);
    } catch (error const& e) {
        throw error("cannot write compiled code for the debugger: " + e.what_alone(), path.string(),
                    "set debug_folder to a folder that this program may write to");
    }
    return std::filesystem::absolute(path, failed).string();
}

} // namespace attune::inline ATTUNE_ABI::detail
