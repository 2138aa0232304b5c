// attune/compile/clang/detail/loader.hpp - loads objects and libraries into this process, by ORC.
// SPDX-License-Identifier: MIT
//
// JITLink gives code no thread storage, resolves no IFUNC symbol and searches no archive. The
// system's linker and loader handle an object that needs one of these: see clang.ipp.
//
// For OpenMP, the process's own symbols would be wrong. A program with GCC's OpenMP exports
// functions of the same names, which do not manage the threads that Clang's code starts.
#pragma once

#include <attune/compile/clang/detail/linking.hpp>
#include <attune/compile/clang/detail/memory_room.hpp>
#include <attune/compile/detail/elf_object.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/version.hpp>

#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
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

/// A library that is opened at the first lookup and never closed.
class late_library {
public:
    explicit late_library(std::vector<std::string> names)
        : names_(std::move(names))
    {
    }
    [[nodiscard]] void* find(char const* symbol)
    {
        std::call_once(once_, [this] {
            kept_float_environment const kept;
            for (std::string const& name : names_)
                if (handle_ == nullptr)
                    handle_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        });
        return handle_ != nullptr ? ::dlsym(handle_, symbol) : nullptr;
    }

private:
    std::vector<std::string> names_;
    std::once_flag once_{};
    void* handle_{};
};

/// Returns names of LLVM's OpenMP library: first paths of the LLVM in use, then names for the
/// loader.
[[nodiscard]] inline std::vector<std::string> openmp_names()
{
    std::vector<std::string> names;
#ifdef ATTUNE_LLVM_PREFIX
    names.emplace_back(ATTUNE_LLVM_PREFIX "/lib/libomp.so.5");
    names.emplace_back(ATTUNE_LLVM_PREFIX "/lib/libomp.so");
#endif
    names.push_back("/usr/lib/llvm-" + std::to_string(LLVM_VERSION_MAJOR) + "/lib/libomp.so.5");
    names.insert(names.end(), {"libomp.so.5", "libomp.so"});
    return names;
}

/// Defines the symbols that a library has; a derived class looks them up.
class library_generator : public llvm::orc::DefinitionGenerator {
public:
    llvm::Error tryToGenerate(llvm::orc::LookupState&, llvm::orc::LookupKind,
                              llvm::orc::JITDylib& into, llvm::orc::JITDylibLookupFlags,
                              llvm::orc::SymbolLookupSet const& wanted) final
    {
        llvm::orc::SymbolMap found;
        llvm::JITSymbolFlags const flags =
            llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable;
        for (auto const& [name, how] : wanted)
            if (void* const address = find(*name)) {
#if LLVM_VERSION_MAJOR >= 17
                found[name] = {llvm::orc::ExecutorAddr::fromPtr(address), flags};
#else
                found[name] =
                    llvm::JITEvaluatedSymbol(llvm::pointerToJITTargetAddress(address), flags);
#endif
            }
        if (found.empty()) return llvm::Error::success();
        return into.define(llvm::orc::absoluteSymbols(std::move(found)));
    }

private:
    /// @return  the symbol's address; null if the library lacks it
    [[nodiscard]] virtual void* find(llvm::StringRef name) = 0;
};

/// OpenMP and vector mathematics; must precede the generator for the process's symbols.
class service_libraries final : public library_generator {
private:
    [[nodiscard]] void* find(llvm::StringRef name) override
    {
        for (llvm::StringRef const start : {"__kmpc_", "kmp_", "omp_"})
            if (name.starts_with(start)) return openmp_.find(name.str().c_str());
        if (name.starts_with("_ZGV")) return vector_mathematics_.find(name.str().c_str());
        return nullptr;
    }

    late_library openmp_{openmp_names()};
    late_library vector_mathematics_{{"libmvec.so.1"}};
};

/// The libraries of every C++ program, searched after the process's symbols. If attune is in a
/// plugin of a program in C, only these libraries have the symbols of C++.
class language_libraries final : public library_generator {
private:
    [[nodiscard]] void* find(llvm::StringRef name) override
    {
        std::string const symbol = name.str();
        for (late_library* const library : {&cpp_, &mathematics_, &compiler_})
            if (void* const address = library->find(symbol.c_str())) return address;
        return nullptr;
    }

    late_library cpp_{{"libstdc++.so.6"}};
    late_library mathematics_{{"libm.so.6"}};
    late_library compiler_{{"libgcc_s.so.1"}};
};

/// The libraries of -l; must follow the process's symbols, as for a shared object.
class flag_libraries final : public library_generator {
public:
    /// @param handles  results of dlopen; never closed, because the libraries may have threads
    explicit flag_libraries(std::vector<void*> handles)
        : handles_(std::move(handles))
    {
    }

private:
    [[nodiscard]] void* find(llvm::StringRef name) override
    {
        for (void* const handle : handles_)
            if (void* const address = ::dlsym(handle, name.str().c_str())) return address;
        return nullptr;
    }

    std::vector<void*> handles_;
};

struct loaded_code {
    llvm::orc::JITDylib* library{};
    std::unique_ptr<static_objects> statics = std::make_unique<static_objects>();
    void* address{};
};

/// Loads objects, each into a separate JITDylib. Thread-safe.
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
    /// @param why_linker  set if JITLink cannot link the object: "it has thread_local variables"
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
        if (!failed) { // this thread: constructors may use its variables
            begin_capture(said);
            failed = initialize(needs, *code);
            end_capture();
        }
        if (!failed) return code;
        // The session's report names the missing symbols; the error names only the objects that
        // need them.
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

    /// Returns a JITDylib with the symbols of these libraries. Opens them at their first use.
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

    /// Returns the first of these symbols that no library of this process has; empty: all exist.
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
        // Lookup fails for a symbol that the kernel does not use; the owner may be such a symbol.
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
        std::string problem(static_object_threw);
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

    /// ORC reports errors to the session on the calling thread. Collects the errors of this thread.
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
