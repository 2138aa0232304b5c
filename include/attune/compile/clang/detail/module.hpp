// attune/compile/clang/detail/module.hpp - libattune_clang.so: Clang and LLVM behind a C interface.
// SPDX-License-Identifier: MIT
//
// A separate module is needed for two reasons. A program with two LLVMs (OpenCL, Mesa) crashes
// unless one of them was opened with RTLD_LOCAL, and LLVM's headers take 10 s to parse.
//
// Clang's own headers are searched for in the folder of the LLVM that the module is linked with. If
// defined, the macro ATTUNE_LLVM_PREFIX is a further place of these headers: a string such as
// "/usr/lib/llvm-19".
#pragma once

#include <attune/compile/clang/detail/compile_server.hpp>
#include <attune/compile/clang/detail/loader.hpp>
#include <attune/compile/clang/detail/memory_room.hpp>
#include <attune/compile/clang/detail/module_facts.hpp>
#include <attune/compile/clang/detail/server_frames.hpp>
#include <attune/compile/clang/detail/server_process.hpp>
#include <attune/compile/clang/detail/worker_process.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The data that all variants of one kernel share.
struct shared_preparation {
    std::string key{};
    place there{};
    std::once_flag once{};
    std::string name{};  ///< unique among all processes
    std::string bytes{}; ///< `made`, for the workers of the server
    std::string log{};   ///< why nothing was made
    prepared_kernel made{};
    std::atomic<bool> is_prepared{false};

    /// Returns false if its source files have changed, or if nothing was made.
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

/// During its lifetime, the program does not fork.
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
        place const there = place_here();
        std::shared_ptr<shared_preparation> kernel;
        for (bool is_good = false; !is_good;) {
            bool is_mine = false;
            kernel = find(request, there);
            std::call_once(kernel->once, [&] {
                is_mine = true;
                prepare_once(*kernel, request);
                kernel->is_prepared = true;
            });
            is_good = is_mine || kernel->holds(); // another thread's result may be too old
        }
        reply.stage = 1;
        reply.text = kernel->log;
        if (!kernel->log.empty()) return reply.finish();
        if (auto made = run<clang_object>(
                front_task::compile, request, *kernel, kernel->bytes, reply.text,
                [&] { return compile_variant(executable_, request, kernel->made); })) {
            reply.compiled = std::move(*made);
            reply.compiled.touched.add(kernel->made.by_driver);
            reply.text = reply.compiled.log;
        }
        auto const& bytes = reply.compiled.bytes;
        if (!bytes.empty()) {
            forks_held const held(request);
            load({bytes.data(), bytes.size()}, request.entry,
                 {request.libraries, request.libraries + request.library_count}, false, reply);
        }
        reply.finish();
    }
    void load(llvm::StringRef object, char const* entry, std::vector<std::string> const& libraries,
              bool must_load, reply_storage& reply)
    {
        reply.stage = 2;
        reply.text = lack_of_memory(64e6, "to link a variant");
        if (!reply.text.empty()) return;
        elf_object const symbols({object.data(), object.size()});
        linking_needs const needs(symbols);
        if (needs.may_unwind && needs.why_linker.empty() && !must_load && locks_at_exceptions()) {
            reply.stage = 5;
            return;
        }
        std::string why_linker;
        auto code = loader_->load(object, needs, entry, libraries, reply.text, why_linker);
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
    /// Returns a hash of all that determines the front end's arguments and the parsed headers.
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
                                                           place const& there)
    {
        std::string const key = key_of(request);
        std::lock_guard const lock(mutex_);
        auto const known = std::find_if(prepared_.begin(), prepared_.end(), [&](auto const& one) {
            return one->key == key && one->there == there;
        });
        if (known != prepared_.end() && (*known)->holds()) return *known;
        if (known != prepared_.end()) prepared_.erase(known); // a running compilation keeps it
        auto kernel = std::make_shared<shared_preparation>();
        kernel->key = key;
        kernel->there = there;
        kernel->name = new_name();
        prepared_.push_back(kernel);
        if (prepared_.size() > 8) prepared_.pop_front(); // each holds some MB
        return kernel;
    }

    void prepare_once(shared_preparation& kernel, attune_clang_request const& request)
    {
        std::string const kept = kept_headers(kernel.key, request);
        auto made = run<prepared_kernel>(front_task::prepare, request, kernel, kept, kernel.log,
                                         [&] { return prepare(executable_, request, kept); });
        if (!made) return;
        kernel.made = std::move(*made);
        kernel.bytes = packed(kernel.made);
        if (kernel.made.frontend.empty()) kernel.log = kernel.made.log;
        if (kernel.made.headers && !kernel.made.is_kept)
            keep_headers(kernel.key, headers_to_keep(kernel.made), kernel.made.headers->touched(),
                         request);
    }

    /// Does a job in the compile server; without a server, in this process.
    /// @param given  job_input::given
    /// @param log    receives the reason if there is no result
    /// @param here   does the job in this process
    template <class Result, class Here>
    [[nodiscard]] std::optional<Result>
    run(front_task task, attune_clang_request const& request, shared_preparation const& kernel,
        std::string_view given, std::string& log, Here const& here)
    {
        std::optional<job_answer> answer;
        if (request.here == 0)
            answer = server_.run({packed(kernel.there) + packed(priority_here()),
                                  packed(job_of(task, executable_, request)), kernel.name, given},
                                 request.limit_s, request.is_cut);
        if (answer && !answer->bytes.empty()) return unpacked<Result>(answer->bytes);
        log = answer ? answer->ending : lack_of_memory(1e9, "to compile in it");
        if (!answer && !log.empty()) log = "error: " + log + '\n';
        if (!log.empty()) return {};
        std::optional<Result> out;
        forks_held const held(request);
        on_own_stack(host_stack_bytes, [&] { out = here(); });
        return out;
    }

    [[nodiscard]] static std::string new_name()
    {
        static std::atomic<long> count{0};
        return std::to_string(::getpid()) + '.' + std::to_string(++count) + '.' +
               std::to_string(std::chrono::steady_clock::now().time_since_epoch().count());
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

/// Returns a reply that `fill` has filled; null if memory is exhausted.
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

[[nodiscard]] inline attune_clang_reply* module_load(void* session, unsigned char const* object,
                                                     unsigned long size, char const* entry,
                                                     char const* const* libraries,
                                                     unsigned long library_count, int must_load)
{
    return make_reply([&](reply_storage& reply) {
        static_cast<module_session*>(session)->load({reinterpret_cast<char const*>(object), size},
                                                    entry, {libraries, libraries + library_count},
                                                    must_load != 0, reply);
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
