// attune/compile/clang/detail/module.hpp - libattune_clang.so: Clang and LLVM behind a C interface.
// SPDX-License-Identifier: MIT
//
// It is a module because a program with two LLVMs (OpenCL, Mesa) crashes unless one of them was
// opened with RTLD_LOCAL, and because LLVM's headers take 10 s to parse.
//
// Clang's own headers are searched for in the folder of the LLVM that the module is linked with,
// and in ATTUNE_LLVM_PREFIX (a string such as "/usr/lib/llvm-19") if that macro is defined.
#pragma once

#include <attune/compile/clang/detail/compile_server.hpp>
#include <attune/compile/clang/detail/front_job.hpp>
#include <attune/compile/clang/detail/loader.hpp>
#include <attune/compile/clang/detail/memory_room.hpp>
#include <attune/compile/clang/detail/own_stack.hpp>
#include <attune/compile/clang/detail/server_process.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/version.hpp>

#include <llvm/ADT/StringMap.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/TargetSelect.h>
#if LLVM_VERSION_MAJOR >= 17
#include <llvm/TargetParser/Host.h>
#else
#include <llvm/Support/Host.h>
#endif

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <filesystem>
#include <new>

namespace attune::inline ATTUNE_ABI::detail {

/// The data that all variants of one kernel share.
struct shared_preparation {
    std::string key{};
    std::string place{}; ///< of place_here()
    std::once_flag once{};
    std::string bytes{}; ///< of `made`, for the jobs that compile
    std::string log{};   ///< why there is none
    prepared_kernel made{};
    std::atomic<bool> is_prepared{false};

    /// False when the files that it was made from have changed, or nothing was made.
    [[nodiscard]] bool holds() const
    {
        return !is_prepared || (!bytes.empty() && made.by_driver.unchanged() &&
                                (!made.headers || made.headers->usable()));
    }
};

struct reply_storage : attune_clang_reply {
    reply_storage()
        : attune_clang_reply{}
    {
    }
    clang_object compiled{};
    std::string text{};
    std::vector<char const*> read_files{};
    std::vector<char const*> missed_files{};

    /// Sets the pointers of the C structure, after all other members.
    void finish()
    {
        for (auto const& [path, seen] : compiled.touched.read)
            read_files.push_back(path.c_str());
        for (std::string const& path : compiled.touched.missed)
            missed_files.push_back(path.c_str());
        log = text.c_str();
        precompiled = compiled.precompiled ? 1 : 0;
        object = reinterpret_cast<unsigned char const*>(compiled.bytes.data());
        object_size = compiled.bytes.size();
        read = read_files.data();
        read_count = read_files.size();
        missed = missed_files.data();
        missed_count = missed_files.size();
        folder = compiled.touched.folder.c_str();
        unlisted = compiled.touched.unlisted ? 1 : 0;
        spills = compiled.spills;
        vector_instructions = compiled.vector_instructions;
    }
};

/// The path of the library that contains a function; empty when the loader does not tell it.
[[nodiscard]] inline std::string library_of(void* function)
{
    Dl_info found{};
    bool const is_known = ::dladdr(function, &found) != 0 && found.dli_fname != nullptr;
    return is_known ? found.dli_fname : "";
}

/// The path given to clang's driver as its executable. The file need not exist: the driver derives
/// the place of clang's own headers, `../lib/clang/<major>/include`, from the path.
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

/// The libraries that contain Clang and LLVM, each followed by a line end.
[[nodiscard]] inline std::string toolchain_files()
{
    std::string files;
    for (void* const inside : {reinterpret_cast<void*>(&llvm::sys::getHostCPUName),
                               reinterpret_cast<void*>(&clang::EmitBackendOutput)})
        if (std::string const path = library_of(inside); !path.empty()) files += path + '\n';
    return files;
}

/// The path of this file.
[[nodiscard]] inline std::string module_file()
{
    std::error_code no_throw;
    return std::filesystem::absolute(library_of(reinterpret_cast<void*>(&attune_clang_module)),
                                     no_throw)
        .string();
}

/// Differs where the module's file, or one that holds Clang or LLVM, is another. Taken once: later
/// another file may lie there than the one that is loaded.
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

/// LLVM can compile for the machine that it runs on.
[[nodiscard]] inline bool has_native_target()
{
    static bool const has_target = [] {
        return !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter() &&
               !llvm::InitializeNativeTargetAsmParser();
    }();
    return has_target;
}

/// While one exists, the program does not fork.
class forks_held {
public:
    explicit forks_held(attune_clang_request const& request)
        : hold_(request.hold_forks)
    {
        hold_(1);
    }
    ~forks_held() { hold_(0); }
    forks_held(forks_held const&) = delete;
    forks_held& operator=(forks_held const&) = delete;

private:
    void (*hold_)(int);
};

class module_session {
public:
    explicit module_session(std::unique_ptr<object_loader> loader)
        : loader_(std::move(loader))
    {
    }

    [[nodiscard]] std::string const& processor() const noexcept { return processor_; }

    void compile(attune_clang_request const& request, reply_storage& reply)
    {
        std::string const place = place_here();
        std::shared_ptr<shared_preparation> kernel;
        for (bool is_good = false; !is_good;) {
            bool is_mine = false;
            kernel = find(request, place);
            std::call_once(kernel->once, [&] {
                is_mine = true;
                prepare_once(*kernel, request);
                kernel->is_prepared = true;
            });
            is_good = is_mine || kernel->holds(); // another thread's may be too old
        }
        reply.stage = 1;
        reply.text = kernel->log;
        if (!kernel->log.empty()) return reply.finish();
        job_answer const answer = run(front_task::compile, request, place, kernel->bytes);
        reply.text = answer.ending;
        if (!answer.bytes.empty()) {
            reply.compiled = object_from(answer.bytes);
            reply.compiled.touched.add(kernel->made.by_driver);
            reply.text = reply.compiled.log;
        }
        auto const& bytes = reply.compiled.bytes;
        if (!bytes.empty()) {
            forks_held const held(request);
            load({bytes.data(), bytes.size()},
                 request.entry,
                 {request.libraries, request.libraries + request.library_count},
                 reply);
        }
        reply.finish();
    }
    void load(llvm::StringRef object,
              char const* entry,
              std::vector<std::string> const& libraries,
              reply_storage& reply)
    {
        reply.stage = 2;
        reply.text = lack_of_memory(64e6, "to link a variant");
        if (!reply.text.empty()) return;
        std::string why_linker;
        auto code = loader_->load(object, entry, libraries, reply.text, why_linker);
        if (!why_linker.empty()) reply.stage = 3;
        if (!why_linker.empty()) reply.text = std::move(why_linker);
        if (!code) return;
        reply.stage = 0;
        reply.address = code->address;
        reply.code = code.release();
    }
    [[nodiscard]] std::string const& toolchain() const noexcept { return toolchain_; }
    void release(loaded_code* code) { loader_->unload(std::unique_ptr<loaded_code>(code)); }

private:
    /// Everything that determines the front end's arguments and the parsed headers.
    [[nodiscard]] static std::string key_of(attune_clang_request const& request)
    {
        content_hash key;
        key.add({request.text, request.kernel_size}).add(request.path).add(request.overlay);
        key.add(request.views).add(request.surroundings);
        key.add(request.precompile != 0 ? "precompile" : "");
        for (unsigned long i = 0; i < request.argument_count; ++i)
            key.add(request.arguments[i]);
        for (unsigned long i = 0; i < request.macro_count; ++i)
            key.add(parameter_name(request.macros[i]));
        return key.hex();
    }

    [[nodiscard]] std::shared_ptr<shared_preparation> find(attune_clang_request const& request,
                                                           std::string const& place)
    {
        std::string const key = key_of(request);
        std::lock_guard const lock(mutex_);
        auto const known = std::find_if(prepared_.begin(), prepared_.end(), [&](auto const& one) {
            return one->key == key && one->place == place;
        });
        if (known != prepared_.end() && (*known)->holds()) return *known;
        if (known != prepared_.end()) prepared_.erase(known); // who compiles it keeps it
        auto kernel = std::make_shared<shared_preparation>();
        kernel->key = key;
        kernel->place = place;
        prepared_.push_back(kernel);
        if (prepared_.size() > 8) prepared_.pop_front(); // each holds some MB
        return kernel;
    }

    void prepare_once(shared_preparation& kernel, attune_clang_request const& request)
    {
        std::string const kept = kept_headers(kernel.key, request);
        job_answer answer = run(front_task::prepare, request, kernel.place, kept);
        kernel.log = std::move(answer.ending);
        if (answer.bytes.empty()) return;
        kernel.made = prepared_kernel::from(answer.bytes);
        kernel.bytes = std::move(answer.bytes);
        prepared_kernel const& made = kernel.made;
        if (made.frontend.empty()) kernel.log = made.log;
        if (made.headers && !made.is_kept)
            keep_headers(kernel.key, made.arguments_key(), *made.headers, request);
    }

    /// Runs a job in the compile server, or here where there is none.
    [[nodiscard]] job_answer run(front_task task,
                                 attune_clang_request const& request,
                                 std::string const& place,
                                 std::string_view given)
    {
        std::string const job = job_bytes(task, executable_, request);
        if (request.here == 0)
            if (std::optional<job_answer> answer = server_.run(
                    place + priority_here(), job, given, request.limit_s, request.is_cut))
                return std::move(*answer);
        job_answer out;
        if (std::string const lack = lack_of_memory(1e9, "to compile in it"); !lack.empty())
            return {{}, "error: " + lack + '\n'};
        forks_held const held(request);
        on_own_stack(host_stack_bytes, [&] { out.bytes = do_job(job, given); });
        return out;
    }

    static constexpr std::size_t host_stack_bytes = std::size_t{64} << 20;

    std::unique_ptr<object_loader> loader_;
    std::string executable_ = clang_executable();
    std::string processor_ = processor_text();
    std::string toolchain_ = toolchain_files();
    compile_server server_{module_file(), greeting_of(processor_)};
    std::mutex mutex_{};
    std::deque<std::shared_ptr<shared_preparation>> prepared_{};
};

[[nodiscard]] inline void* open_module_session(char* problem, unsigned long size)
{
    std::string why = "this LLVM has no back end for the machine it runs on";
    if (has_native_target())
        if (auto loader = object_loader::make(why)) return new module_session(std::move(loader));
    std::strncpy(problem, why.c_str(), size - 1);
    return nullptr;
}

/// A reply that `fill` has filled; null when memory is exhausted.
template <class Fill>
[[nodiscard]] attune_clang_reply* make_reply(Fill fill)
{
    auto* const reply = new (std::nothrow) reply_storage;
    if (reply == nullptr) return nullptr;
    try {
        fill(*reply);
    } catch (job_was_cut) {
        reply->stage = 1;
        reply->log = "error: compiling was cut short";
    } catch (no_server_now const& thrown) {
        reply->stage = 4;
        reply->text = thrown.why;
        reply->log = reply->text.c_str();
    } catch (std::exception const& thrown) {
        reply->stage = 1;
        reply->text = std::string("error: the Clang module failed: ") + thrown.what();
        reply->log = reply->text.c_str();
    }
    return reply;
}

[[nodiscard]] inline attune_clang_reply* module_compile(void* session,
                                                        attune_clang_request const* request)
{
    return make_reply([&](reply_storage& reply) {
        static_cast<module_session*>(session)->compile(*request, reply);
    });
}

[[nodiscard]] inline attune_clang_reply* module_load(void* session,
                                                     unsigned char const* object,
                                                     unsigned long size,
                                                     char const* entry,
                                                     char const* const* libraries,
                                                     unsigned long library_count)
{
    return make_reply([&](reply_storage& reply) {
        static_cast<module_session*>(session)->load({reinterpret_cast<char const*>(object), size},
                                                    entry,
                                                    {libraries, libraries + library_count},
                                                    reply);
        reply.finish();
    });
}

} // namespace attune::inline ATTUNE_ABI::detail

extern "C" __attribute__((visibility("default"))) attune_clang_functions const*
attune_clang_module()
{
    using namespace attune::detail;
    static attune_clang_functions const functions{
        attune_clang_abi_version,
        LLVM_VERSION_MAJOR,
        LLVM_VERSION_STRING,
        &open_module_session,
        [](void* session) { delete static_cast<module_session*>(session); },
        [](void* session) { return static_cast<module_session*>(session)->processor().c_str(); },
        &module_compile,
        [](attune_clang_reply* reply) { delete static_cast<reply_storage*>(reply); },
        [](void* session, void* code) {
            static_cast<module_session*>(session)->release(static_cast<loaded_code*>(code));
        },
        &module_load,
        [](void* session) { return static_cast<module_session*>(session)->toolchain().c_str(); },
        [](void*, void* code) { object_loader::end(*static_cast<loaded_code*>(code)); }};
    return &functions;
}
