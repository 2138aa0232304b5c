// attune/compile/clang/detail/loader.hpp - loads object files into this process, with LLVM's ORC.
// SPDX-License-Identifier: MIT
//
// JITLink gives code no thread storage, resolves no IFUNC symbol and searches no archive. An object
// that needs one of these is left to the system's linker and loader: see clang.ipp.
#pragma once

#include <attune/compile/clang/detail/linking.hpp>
#include <attune/compile/clang/detail/own_stack.hpp>
#include <attune/compile/clang/detail/services.hpp>
#include <attune/compile/clang/detail/statics.hpp>
#include <attune/compile/detail/load_failure.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/version.hpp>

#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBuffer.h>

#include <atomic>
#include <dlfcn.h>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// One loaded variant.
struct loaded_code {
    llvm::orc::JITDylib* library{};
    std::unique_ptr<static_objects> statics = std::make_unique<static_objects>();
    void* address{};
};

/// Loads objects, each into a JITDylib of its own. Thread-safe.
class object_loader {
public:
    /// @return  null, with the reason in `problem`
    [[nodiscard]] static std::unique_ptr<object_loader> make(std::string& problem)
    {
        llvm::orc::LLJITBuilder builder;
        builder.setPlatformSetUp(llvm::orc::setUpInactivePlatform);
        link_with_jitlink(builder);
        auto jit = builder.create();
        if (!jit) return problem = llvm::toString(jit.takeError()), nullptr;
        std::unique_ptr<object_loader> loader(new object_loader(std::move(*jit)));
        if (llvm::Error failed = loader->connect())
            return problem = llvm::toString(std::move(failed)), nullptr;
        return loader;
    }

    /// Loads, links and runs static constructors.
    /// @param why_linker  set when JITLink cannot link the object: "it has thread_local variables"
    /// @return  null, with all messages in `log`
    [[nodiscard]] std::unique_ptr<loaded_code> load(llvm::StringRef object,
                                                    linking_needs const& needs, char const* entry,
                                                    std::vector<std::string> const& libraries,
                                                    std::string& log, std::string& why_linker)
    {
        if (!needs.why_linker.empty()) return why_linker = needs.why_linker, nullptr;
        llvm::orc::JITDylib* behind = nullptr;
        if (!libraries.empty() && (behind = libraries_of(libraries, log)) == nullptr)
            return nullptr;
        llvm::orc::ExecutionSession& session = jit_->getExecutionSession();
        auto code = std::make_unique<loaded_code>();
        code->library =
            &session.createBareJITDylib("variant " + std::to_string(count_.fetch_add(1)));
        code->library->addToLinkOrder(*shared_);
        if (behind != nullptr) code->library->addToLinkOrder(*behind);
        std::string said;
        std::optional<llvm::Error> linked;
        on_own_stack(stack_bytes, [&] {
            begin_capture(said);
            linked.emplace(link(object, entry, needs, *code, why_linker));
            end_capture();
        });
        llvm::Error failed = std::move(*linked);
        if (!failed) { // on this thread: constructors may use its variables
            begin_capture(said);
            failed = initialize(needs, *code);
            end_capture();
        }
        if (!failed) return code;
        // The session's report names the missing symbols; the error names only their users.
        log = said + llvm::toString(std::move(failed));
        unload(std::move(code));
        return nullptr;
    }

    /// Destroys the static objects of the code, which stays in memory.
    static void end(loaded_code& code) { code.statics.reset(); }

    void unload(std::unique_ptr<loaded_code> code)
    {
        code->statics.reset();
        if (llvm::Error failed = jit_->getExecutionSession().removeJITDylib(*code->library))
            llvm::consumeError(std::move(failed));
    }

private:
    static constexpr std::size_t stack_bytes = std::size_t{8} << 20;

    explicit object_loader(std::unique_ptr<llvm::orc::LLJIT> jit)
        : jit_(std::move(jit))
    {
        jit_->getExecutionSession().setErrorReporter([this](llvm::Error failed) {
            std::string const text = llvm::toString(std::move(failed)) + '\n';
            std::lock_guard const lock(mutex_);
            auto const found = captures_.find(std::this_thread::get_id());
            if (found != captures_.end()) *found->second += text;
        });
    }

    /// Makes the JITDylib behind all variants: the process's symbols and attune's __cxa_atexit.
    [[nodiscard]] llvm::Error connect()
    {
        using namespace llvm::orc;
        ExecutionSession& session = jit_->getExecutionSession();
        shared_ = &session.createBareJITDylib("process");
        auto symbols = DynamicLibrarySearchGenerator::GetForCurrentProcess(
            jit_->getDataLayout().getGlobalPrefix());
        if (!symbols) return symbols.takeError();
        shared_->addGenerator(std::make_unique<service_libraries>());
        shared_->addGenerator(std::move(*symbols));
        shared_->addGenerator(std::make_unique<language_libraries>());
        SymbolMap own;
        llvm::JITSymbolFlags const flags =
            llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable;
#if LLVM_VERSION_MAJOR >= 17
        own[jit_->mangleAndIntern("__cxa_atexit")] = {ExecutorAddr::fromPtr(&attune_at_unload),
                                                      flags};
#else
        own[jit_->mangleAndIntern("__cxa_atexit")] =
            llvm::JITEvaluatedSymbol(llvm::pointerToJITTargetAddress(&attune_at_unload), flags);
#endif
        return shared_->define(absoluteSymbols(std::move(own)));
    }

    /// A JITDylib with the symbols of these libraries, which are opened at their first use.
    /// @return  null, with the loader's message in `log`
    [[nodiscard]] llvm::orc::JITDylib* libraries_of(std::vector<std::string> const& paths,
                                                    std::string& log)
    {
        std::lock_guard const lock(libraries_lock_);
        llvm::orc::JITDylib*& known = libraries_[paths];
        if (known != nullptr) return known;
        std::vector<void*> handles;
        kept_float_environment const kept;
        for (std::string const& path : paths) {
            handles.push_back(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE));
            if (handles.back() != nullptr) continue;
            char const* const said = ::dlerror();
            log = said != nullptr ? said : path + " cannot be opened";
            return nullptr;
        }
        known = &jit_->getExecutionSession().createBareJITDylib("libraries " +
                                                                std::to_string(libraries_.size()));
        known->addGenerator(std::make_unique<flag_libraries>(std::move(handles)));
        return known;
    }

    /// The first of these symbols that no library of this process has; empty when all are there.
    [[nodiscard]] llvm::Expected<std::string> missing(std::vector<std::string_view> const& wanted,
                                                      llvm::orc::JITDylib& from)
    {
        llvm::orc::JITDylibSearchOrder order;
        from.withLinkOrderDo([&](llvm::orc::JITDylibSearchOrder const& all) { order = all; });
        llvm::orc::SymbolLookupSet set;
        for (std::string_view const name : wanted)
            set.add(jit_->getExecutionSession().intern({name.data(), name.size()}),
                    llvm::orc::SymbolLookupFlags::WeaklyReferencedSymbol);
        auto found = jit_->getExecutionSession().lookup(order, set);
        if (!found) return found.takeError();
        for (auto const& [name, how] : set)
            if (found->count(name) == 0) return (*name).str();
        return std::string();
    }

    [[nodiscard]] llvm::Error link(llvm::StringRef object, char const* entry,
                                   linking_needs const& needs, loaded_code& code,
                                   std::string& why_linker)
    {
        auto absent = missing(needs.undefined, *code.library);
        if (!absent) return absent.takeError();
        if (!absent->empty()) {
            why_linker =
                "it needs the symbol '" + demangled(*absent) + "', which this process lacks";
            return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                           ("Symbols not found: [ " + *absent + " ]").c_str());
        }
        if (llvm::Error failed = jit_->addObjectFile(
                *code.library, linkable_copy(object, needs.may_unwind || !locks_at_exceptions())))
            return failed;
        auto address = jit_->lookup(*code.library, entry);
        if (!address) {
            why_linker = "LLVM's JITLink does not link it";
            return address.takeError();
        }
        code.address = address->toPtr<void*>();
        return llvm::Error::success();
    }

    [[nodiscard]] llvm::Error initialize(linking_needs const& needs, loaded_code& code)
    {
        if (!needs.has_statics) return llvm::Error::success();
        // Lookup fails for a symbol that the kernel does not use, as the owner may be.
        if (auto owner = jit_->lookup(*code.library, owner_symbol))
            *owner->toPtr<static_objects**>() = code.statics.get();
        else
            llvm::consumeError(owner.takeError());
        auto function = jit_->lookup(*code.library, initialize_symbol);
        if (!function) return function.takeError();
        return run(function->toPtr<void (*)()>());
    }

    [[nodiscard]] static llvm::Error run(void (*initialize)())
    {
        kept_float_environment const kept;
        std::string problem = "a static object of the kernel threw an exception";
        try {
            initialize();
            return llvm::Error::success();
        } catch (std::exception const& thrown) {
            problem += std::string(": ") + thrown.what();
        } catch (...) {
            problem += " that is no std::exception";
        }
        return llvm::createStringError(llvm::inconvertibleErrorCode(), problem.c_str());
    }

    /// ORC reports errors to the session on the calling thread: collects those of this thread.
    void begin_capture(std::string& said)
    {
        std::lock_guard const lock(mutex_);
        captures_[std::this_thread::get_id()] = &said;
    }
    void end_capture()
    {
        std::lock_guard const lock(mutex_);
        captures_.erase(std::this_thread::get_id());
    }

    std::unique_ptr<llvm::orc::LLJIT> jit_;
    llvm::orc::JITDylib* shared_{};
    std::atomic<unsigned long> count_{0};
    std::mutex mutex_{};
    std::map<std::thread::id, std::string*> captures_{};
    std::mutex libraries_lock_{};
    std::map<std::vector<std::string>, llvm::orc::JITDylib*> libraries_{};
};

} // namespace attune::inline ATTUNE_ABI::detail
