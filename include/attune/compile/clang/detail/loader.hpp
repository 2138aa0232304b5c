// attune/compile/clang/detail/loader.hpp - loads object files into this process, with LLVM's ORC.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/clang/detail/linking.hpp>
#include <attune/compile/clang/detail/services.hpp>
#include <attune/compile/clang/detail/statics.hpp>
#include <attune/core/version.hpp>

#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBuffer.h>

#include <atomic>
#include <dlfcn.h>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
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

    /// Loads, links and runs static constructors.  @return  null, with all messages in `log`
    [[nodiscard]] std::unique_ptr<loaded_code> load(llvm::StringRef object,
                                                    char const* entry,
                                                    std::vector<std::string> const& libraries,
                                                    std::string& log)
    {
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
        begin_capture(said);
        llvm::Error failed = link(object, entry, *code);
        end_capture();
        if (!failed) return code;
        // The session's report names the missing symbols; the error names only their users.
        log = said + llvm::toString(std::move(failed));
        unload(std::move(code));
        return nullptr;
    }

    void unload(std::unique_ptr<loaded_code> code)
    {
        code->statics.reset();
        if (llvm::Error failed = jit_->getExecutionSession().removeJITDylib(*code->library))
            llvm::consumeError(std::move(failed));
    }

private:
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

    [[nodiscard]] llvm::Error link(llvm::StringRef object, char const* entry, loaded_code& code)
    {
        llvm::Expected<bool> has_statics = defines_initialize(object);
        if (!has_statics) return has_statics.takeError();
        if (llvm::Error failed = jit_->addObjectFile(*code.library, linkable_copy(object)))
            return failed;
        auto address = jit_->lookup(*code.library, entry);
        if (!address) return address.takeError();
        code.address = address->toPtr<void*>();
        if (!*has_statics) return llvm::Error::success();

        // Lookup fails for a symbol that the kernel does not use, as the owner may be.
        if (auto owner = jit_->lookup(*code.library, owner_symbol))
            *owner->toPtr<static_objects**>() = code.statics.get();
        else
            llvm::consumeError(owner.takeError());
        auto initialize = jit_->lookup(*code.library, initialize_symbol);
        if (!initialize) return initialize.takeError();
        return run(initialize->toPtr<void (*)()>());
    }

    /// True when make_statics_callable() changed the module.
    [[nodiscard]] static llvm::Expected<bool> defines_initialize(llvm::StringRef object)
    {
        auto file = llvm::object::ObjectFile::createObjectFile({object, "kernel.o"});
        if (!file) return file.takeError();
        for (llvm::object::SymbolRef const& symbol : (*file)->symbols()) {
            llvm::Expected<llvm::StringRef> name = symbol.getName();
            if (!name)
                llvm::consumeError(name.takeError());
            else if (*name == initialize_symbol)
                return true;
        }
        return false;
    }

    [[nodiscard]] static llvm::Error run(void (*initialize)())
    {
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
