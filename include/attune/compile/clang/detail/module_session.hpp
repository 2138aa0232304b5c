// attune/compile/clang/detail/module_session.hpp - finds, opens and identifies the Clang module; keeps parsed headers.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/cache/object_cache.hpp>
#include <attune/compile/clang/abi.hpp>
#include <attune/compile/clang/detail/memory_room.hpp>
#include <attune/compile/detail/file_stamp.hpp>
#include <attune/core/environment.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/posix/machine_figures.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The attune_clang_keeper of one call of the module's compile(). No function throws.
class headers_keeper {
public:
    /// @param facts     identifies the module: only the same module can read its parsed headers
    /// @param began_ns  start of the call, ns of the system clock
    headers_keeper(object_cache const& cache, std::string facts, std::int64_t began_ns)
        : cache_(cache)
        , facts_(std::move(facts))
        , began_ns_(began_ns)
    {
    }
    headers_keeper(headers_keeper const&) = delete;
    headers_keeper& operator=(headers_keeper const&) = delete;

    [[nodiscard]] attune_clang_keeper const* functions() const noexcept { return &functions_; }

private:
    [[nodiscard]] std::string key_of(char const* key) const
    {
        return content_hash{}.add("parsed headers").add(facts_).add(key).hex();
    }
    static unsigned char const* find(void* self, char const* key, unsigned long* size)
    {
        try {
            auto& keeper = *static_cast<headers_keeper*>(self);
            keeper.found_ = keeper.cache_.look(keeper.key_of(key));
            if (!keeper.found_) return nullptr;
            *size = keeper.found_->bytes.size();
            return reinterpret_cast<unsigned char const*>(keeper.found_->bytes.data());
        } catch (...) {
            return nullptr;
        }
    }
    static void keep(void* self, char const* key, unsigned char const* bytes, unsigned long size,
                     char const* const* read, unsigned long read_count, char const* const* missed,
                     unsigned long missed_count)
    {
        try {
            auto const& keeper = *static_cast<headers_keeper*>(self);
            cache_inputs inputs;
            inputs.read.assign(read, read + read_count);
            inputs.missed.assign(missed, missed + missed_count);
            inputs.began_ns = keeper.began_ns_;
            (void)keeper.cache_.add(keeper.key_of(key),
                                    {reinterpret_cast<char const*>(bytes), size}, inputs);
        } catch (...) {
            return; // the next process parses the headers again
        }
    }

    object_cache const& cache_;
    std::string facts_;
    std::int64_t began_ns_;
    std::optional<cached_bytes> found_{};
    attune_clang_keeper functions_{this, &find, &keep};
};

/// The opened module with one session. Every callable shares it, so code outlives the compiler. The
/// module is never unloaded, because LLVM does not support that.
struct clang_session {
    attune_clang_functions const* functions{};
    void* session{};

    clang_session() = default;
    clang_session(clang_session const&) = delete;
    clang_session& operator=(clang_session const&) = delete;
    ~clang_session()
    {
        // LLVM's static objects may already be destroyed.
        if (session != nullptr && !program_is_ending()) functions->close_session(session);
    }
};

/// Returns the folders to search for the module. The first is the folder of the program or shared
/// object with this code. The loader's folders for that file follow (run path, LD_LIBRARY_PATH, the
/// system's).
[[nodiscard]] inline std::vector<std::string> loader_folders()
{
    static char const here = 0;
    std::vector<std::string> folders;
    Dl_info object{};
    void* self = nullptr;
    if (::dladdr(&here, &object) != 0 && object.dli_fname != nullptr)
        self = ::dlopen(object.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    std::error_code no_throw;
    std::filesystem::path own = object.dli_fname != nullptr ? object.dli_fname : "";
    if (self == nullptr) { // an executable cannot be opened by its name
        own = std::filesystem::read_symlink("/proc/self/exe", no_throw);
        self = ::dlopen(nullptr, RTLD_LAZY | RTLD_NOLOAD);
    }
    if (own.has_parent_path()) folders.push_back(own.parent_path().string());
    if (self == nullptr) return folders;
    Dl_serinfo size{};
    if (::dlinfo(self, RTLD_DI_SERINFOSIZE, &size) == 0) {
        auto const bytes =
            std::make_unique<std::max_align_t[]>(size.dls_size / sizeof(std::max_align_t) + 1);
        auto* const list = reinterpret_cast<Dl_serinfo*>(bytes.get());
        list->dls_size = size.dls_size;
        list->dls_cnt = size.dls_cnt;
        if (::dlinfo(self, RTLD_DI_SERINFO, list) == 0)
            for (unsigned i = 0; i < list->dls_cnt; ++i)
                if (char const* const name = list->dls_serpath[i].dls_name; name[0] == '/')
                    folders.emplace_back(name);
    }
    ::dlclose(self);
    return folders;
}

[[nodiscard]] inline std::vector<std::string> clang_module_places(std::string const& wanted)
{
    // LLVM and Clang read many environment variables: CPATH, CCC_OVERRIDE_OPTIONS, ...
    if (is_privileged_start()) return {};
    if (!wanted.empty()) return {wanted};
    if (std::string const named = environment_variable("ATTUNE_CLANG_MODULE"); !named.empty())
        return {named};
    std::vector<std::string> places;
    std::error_code no_throw;
    for (std::string const& folder : loader_folders())
        if (std::string file = folder + "/libattune_clang.so";
            std::filesystem::exists(file, no_throw))
            places.push_back(std::move(file));
    places.emplace_back("libattune_clang.so");
    return places;
}

/// Returns the dlopen() flags for the module. Usually the module's symbols are local, and the
/// program's symbols take precedence, as for any library. If the program contains Clang or LLVM,
/// the module would then call the wrong functions, because symbol names are equal in all versions.
/// RTLD_DEEPBIND makes the module search its own libraries first. It is not the default, because
/// the module would then ignore an allocator of the program.
[[nodiscard]] inline int module_mode()
{
    constexpr int usual = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
    constexpr char const* of_clang =
        "_ZN5clang16CompilerInstance18createPreprocessorENS_19TranslationUnitKindE";
    constexpr char const* of_llvm = "LLVMContextCreate";
    bool const other =
        ::dlsym(RTLD_DEFAULT, of_clang) != nullptr || ::dlsym(RTLD_DEFAULT, of_llvm) != nullptr;
    return other ? usual | RTLD_DEEPBIND : usual;
}

/// @return  null, with the reason in `problem`, if the file is no usable module
[[nodiscard]] inline std::shared_ptr<clang_session const> open_clang_module(std::string const& path,
                                                                            std::string& problem)
{
    problem = lack_of_memory(400e6, "to open Clang and LLVM");
    if (!problem.empty()) return nullptr;
    fork_delay const whole; // a child could not complete a half open module
    void* const handle = ::dlopen(path.c_str(), module_mode());
    if (handle == nullptr) {
        char const* const text = ::dlerror();
        problem = text != nullptr ? text : path + " cannot be opened";
        return nullptr;
    }
    auto const module = reinterpret_cast<attune_clang_functions const* (*)()>(
        ::dlsym(handle, "attune_clang_module"));
    auto session = std::make_shared<clang_session>();
    session->functions = module != nullptr ? module() : nullptr;
    if (session->functions == nullptr ||
        session->functions->abi_version != attune_clang_abi_version) {
        problem = path + " belongs to another version of attune";
        return nullptr;
    }
    watch_program_end();
    std::array<char, 512> why{};
    session->session = session->functions->open_session(why.data(), why.size());
    if (session->session == nullptr) {
        problem = path + ": " + why.data();
        return nullptr;
    }
    return session;
}

/// Returns true if the process, or the system, cannot open another file now.
[[nodiscard]] inline bool is_out_of_descriptors()
{
    int const probe = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (probe < 0) return errno == EMFILE || errno == ENFILE;
    ::close(probe);
    return false;
}

/// The facts that determine the code, besides the kernel and the flags.
struct clang_facts {
    int major{};
    std::string version{};   ///< "19.1.7"
    std::string processor{}; ///< "cpu=znver4 features=0123456789abcdef"
    std::string toolchain{}; ///< hash of the stamps of the files of the module and LLVM

    [[nodiscard]] std::string text() const
    {
        return std::to_string(major) + '\n' + version + '\n' + processor + '\n' + toolchain + '\n';
    }
};

/// @return  empty if `text` lacks one of them
[[nodiscard]] inline std::optional<clang_facts> facts_in(std::string_view text)
{
    auto const line = [&] {
        std::size_t const end = std::min(text.find('\n'), text.size());
        std::string const found(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        return found;
    };
    clang_facts facts;
    facts.major = std::atoi(line().c_str());
    facts.version = line();
    facts.processor = line();
    facts.toolchain = line();
    if (facts.major <= 0 || facts.version.empty() || facts.processor.empty() ||
        facts.toolchain.empty())
        return {};
    return facts;
}

/// Returns the files that compile: the module and the libraries that contain Clang and LLVM.
[[nodiscard]] inline std::vector<std::string> toolchain_files(clang_session const& session)
{
    std::vector<std::string> files;
    Dl_info module{};
    if (::dladdr(reinterpret_cast<void*>(session.functions->compile), &module) != 0)
        files.emplace_back(module.dli_fname);
    std::string_view list = session.functions->toolchain(session.session);
    for (std::size_t end = list.find('\n'); end != list.npos; end = list.find('\n')) {
        files.emplace_back(list.substr(0, end));
        list.remove_prefix(end + 1);
    }
    std::error_code no_throw;
    for (std::string& file : files)
        file = std::filesystem::absolute(file, no_throw).string();
    return files;
}

[[nodiscard]] inline clang_facts facts_of(clang_session const& session)
{
    content_hash hash;
    for (std::string const& file : toolchain_files(session)) {
        file_stamp const stamp = stamp_of(file).value_or(file_stamp{});
        for (std::int64_t const n :
             {stamp.bytes, stamp.modified_ns, stamp.changed_ns, stamp.number})
            hash.add(std::to_string(n));
    }
    return {session.functions->major, session.functions->version,
            session.functions->processor(session.session), hash.hex()};
}

/// Returns the cache key for the facts of the module that these places give.
[[nodiscard]] inline std::string facts_key(std::vector<std::string> const& places)
{
    content_hash key;
    key.add("clang module").add(std::to_string(attune_clang_abi_version)).add(processor_facts());
    key.add(environment_variable("LD_LIBRARY_PATH"));
    for (std::string const& place : places)
        key.add(place);
    return key.hex();
}

/// Returns the cache key for the facts of the module that was opened last, even if its file is
/// gone.
[[nodiscard]] inline std::string last_facts_key()
{
    return content_hash{}
        .add("latest clang module")
        .add(std::to_string(attune_clang_abi_version))
        .add(processor_facts())
        .hex();
}

/// Keeps the facts of the module at places[used], valid while the module's files are unchanged and
/// no file appears at an earlier place. Keeps nothing if a file cannot be examined.
inline void keep_facts(object_cache const& cache, std::vector<std::string> const& places,
                       std::size_t used, clang_session const& session)
{
    cache_inputs inputs;
    inputs.tools = toolchain_files(session);
    for (std::string const& file : inputs.tools)
        if (!stamp_of(file)) return; // the list could not detect a change of this file
    if (inputs.tools.empty()) return;
    for (std::size_t i = 0; i < used; ++i)
        if (places[i].starts_with('/')) inputs.missed.push_back(places[i]);
    std::string const facts = facts_of(session).text();
    (void)cache.add(facts_key(places), facts, inputs);
    if (auto const kept = cache.look(last_facts_key()); !kept || kept->bytes != facts)
        (void)cache.add(last_facts_key(), facts, cache_inputs{});
}

} // namespace attune::inline ATTUNE_ABI::detail
