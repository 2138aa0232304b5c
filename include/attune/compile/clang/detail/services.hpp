// attune/compile/clang/detail/services.hpp - libraries that a kernel's flags need, opened on demand.
// SPDX-License-Identifier: MIT
//
// The process's own symbols cannot serve: a program that uses GCC's OpenMP exports functions with
// the same names, which do not manage the threads that Clang's code starts.
#pragma once

#include <attune/core/own_float_environment.hpp>
#include <attune/core/version.hpp>

#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/Orc/Core.h>

#include <dlfcn.h>
#include <mutex>
#include <string>
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

/// Names of LLVM's OpenMP library: that of the LLVM in use first, then the loader's.
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
    /// @return  the symbol's address; null when the library lacks it
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

/// The libraries of every C++ program; must follow the process's symbols, among which they are not
/// if attune is in a plugin of a program in C.
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
    /// @param handles  of dlopen; never closed, because the libraries may have threads
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

} // namespace attune::inline ATTUNE_ABI::detail
