// attune/compile/clang/detail/linking.hpp - selects JITLink; a kernel's static objects, from loading to unloading.
// SPDX-License-Identifier: MIT
//
// ORC's own platforms for static objects need LLVM's ORC run-time library, which few systems have.
#pragma once

#include <attune/compile/detail/elf_object.hpp>
#include <attune/compile/system/object_key.hpp>
#include <attune/core/version.hpp>

#include <llvm/ADT/STLExtras.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/JITLink/EHFrameSupport.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/ExecutionEngine/Orc/Shared/WrapperFunctionUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Destructors of a variant's static objects; run in reverse order when the variant is unloaded.
class static_objects {
public:
    static_objects() = default;
    static_objects(static_objects const&) = delete;
    static_objects& operator=(static_objects const&) = delete;
    ~static_objects()
    {
        while (!destructors_.empty()) {
            auto const [destroy, object] = destructors_.back();
            destructors_.pop_back();
            destroy(object);
        }
    }
    void add(void (*destroy)(void*), void* object) { destructors_.emplace_back(destroy, object); }

private:
    std::vector<std::pair<void (*)(void*), void*>> destructors_;
};

/// Replaces __cxa_atexit in kernels. `owner` is the address of the variant's __dso_handle, in which
/// the loader has stored the address of its static_objects.
extern "C" inline int attune_at_unload(void (*destroy)(void*), void* object, void* owner)
{
    (*static_cast<static_objects**>(owner))->add(destroy, object);
    return 0;
}

/// Returns the module's `__dso_handle`, as a pointer that the module defines.
[[nodiscard]] inline llvm::GlobalVariable* owner_in(llvm::Module& module)
{
    llvm::GlobalVariable* const old = module.getGlobalVariable(owner_symbol);
    if (old != nullptr && old->hasInitializer()) return old;
    llvm::PointerType* const pointer = llvm::PointerType::get(module.getContext(), 0);
    auto* const owner = new llvm::GlobalVariable(
        module, pointer, false, llvm::GlobalValue::ExternalLinkage,
        llvm::ConstantPointerNull::get(pointer), old != nullptr ? "" : owner_symbol);
    owner->setDSOLocal(true);
    if (old != nullptr) {
        old->replaceAllUsesWith(owner);
        owner->takeName(old);
        old->eraseFromParent();
    }
    return owner;
}

/// Returns the functions of llvm.global_ctors or llvm.global_dtors by priority, then as listed.
/// Removes the list.
[[nodiscard]] inline std::multimap<std::uint64_t, llvm::Function*> take_list(llvm::Module& module,
                                                                             char const* name)
{
    std::multimap<std::uint64_t, llvm::Function*> out;
    llvm::GlobalVariable* const list = module.getGlobalVariable(name);
    if (list == nullptr) return out;
    if (list->hasInitializer())
        if (auto* const entries = llvm::dyn_cast<llvm::ConstantArray>(list->getInitializer()))
            for (llvm::Use const& use : entries->operands()) {
                auto* const entry = llvm::cast<llvm::ConstantStruct>(use.get());
                auto* const function =
                    llvm::dyn_cast<llvm::Function>(entry->getOperand(1)->stripPointerCasts());
                if (function != nullptr)
                    out.emplace(llvm::cast<llvm::ConstantInt>(entry->getOperand(0))->getZExtValue(),
                                function);
            }
    list->eraseFromParent();
    return out;
}

/// Makes `void attune_finalize()`, which runs the destructors of this object. The start files of
/// compilers have such a function for every shared object. The system's loader calls it after the
/// end of the last thread with thread_local objects of this object.
inline void add_finalizer(llvm::Module& module, llvm::GlobalVariable& owner)
{
    llvm::LLVMContext& context = module.getContext();
    auto* const nothing = llvm::Type::getVoidTy(context);
    auto* const finalize =
        llvm::Function::Create(llvm::FunctionType::get(nothing, false),
                               llvm::GlobalValue::InternalLinkage, finalize_symbol, module);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", finalize));
    llvm::PointerType* const pointer = llvm::PointerType::get(context, 0);
    builder.CreateCall(module.getOrInsertFunction("__cxa_finalize", nothing, pointer), {&owner});
    builder.CreateRetVoid();
    llvm::appendToGlobalDtors(module, finalize, 65535);
}

/// Returns true if the module calls functions of the C library's archive that pass on
/// `__dso_handle`. The archive needs a `__dso_handle` whose value is its own address.
[[nodiscard]] inline bool calls_with_owner(llvm::Module const& module)
{
    return llvm::any_of(std::array{"atexit", "at_quick_exit", "pthread_atfork"},
                        [&](char const* name) {
                            llvm::Function const* const found = module.getFunction(name);
                            return found != nullptr && found->isDeclaration();
                        });
}

/// Makes a function `void attune_initialize()` that calls the static constructors, in place of the
/// list for a dynamic loader. The function also registers the functions with
/// __attribute__((destructor)). Defines `__dso_handle` as a pointer. The system's loader loads a
/// module with thread_local variables, which therefore also gets attune_finalize(). A module
/// without static objects stays unchanged.
inline void make_statics_callable(llvm::Module& module)
{
    auto const constructors = take_list(module, "llvm.global_ctors");
    auto const destructors = take_list(module, "llvm.global_dtors");
    bool const is_of_threads =
        llvm::any_of(module.globals(), [](auto const& one) { return one.isThreadLocal(); });
    bool const registers = calls_with_owner(module);
    bool const owns =
        module.getGlobalVariable(owner_symbol) != nullptr || !destructors.empty() || registers;
    llvm::GlobalVariable* const owner = owns || is_of_threads ? owner_in(module) : nullptr;
    if (registers) owner->setInitializer(owner);
    if (is_of_threads) add_finalizer(module, *owner);
    if (constructors.empty() && !owns) return;

    llvm::LLVMContext& context = module.getContext();
    auto* const type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
    auto* const initialize =
        llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, initialize_symbol, module);
    initialize->setUWTableKind(llvm::UWTableKind::Async); // a constructor may throw through it
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", initialize));
    for (auto const& [priority, function] : constructors)
        builder.CreateCall(type, function);
    if (!destructors.empty()) {
        llvm::PointerType* const pointer = llvm::PointerType::get(context, 0);
        llvm::FunctionCallee const at_exit = module.getOrInsertFunction(
            "__cxa_atexit", builder.getInt32Ty(), pointer, pointer, pointer);
        for (auto const& [priority, function] : destructors) // handlers registered last run first
            builder.CreateCall(at_exit, {function, llvm::ConstantPointerNull::get(pointer), owner});
    }
    builder.CreateRetVoid();
}

#if LLVM_VERSION_MAJOR < 18

/// Registers unwind tables, and gives every object a deallocation action: LLVM 16 does not unmap an
/// object without one.
class unmapping_plugin final : public llvm::orc::EHFrameRegistrationPlugin {
public:
    using EHFrameRegistrationPlugin::EHFrameRegistrationPlugin;

    void modifyPassConfig(llvm::orc::MaterializationResponsibility& responsibility,
                          llvm::jitlink::LinkGraph& graph,
                          llvm::jitlink::PassConfiguration& passes) override
    {
        EHFrameRegistrationPlugin::modifyPassConfig(responsibility, graph, passes);
        passes.PrePrunePasses.emplace_back([](llvm::jitlink::LinkGraph& object) -> llvm::Error {
            namespace shared = llvm::orc::shared;
            auto nothing = shared::WrapperFunctionCall::Create<shared::SPSArgList<>>(
                llvm::orc::ExecutorAddr::fromPtr(&do_nothing));
            if (!nothing) return nothing.takeError();
            object.allocActions().push_back({{}, std::move(*nothing)});
            return llvm::Error::success();
        });
    }

private:
    static llvm::orc::shared::CWrapperFunctionResult do_nothing(char const*, std::size_t)
    {
        using llvm::orc::shared::WrapperFunction;
        return WrapperFunction<llvm::orc::shared::SPSError()>::handle(
                   nullptr, 0, []() -> llvm::Error { return llvm::Error::success(); })
            .release();
    }
};

/// Before LLVM 18 the default on x86-64 was RuntimeDyld.
inline void link_with_jitlink(llvm::orc::LLJITBuilder& builder)
{
    builder.setObjectLinkingLayerCreator(
        [](llvm::orc::ExecutionSession& session,
           llvm::Triple const&) -> llvm::Expected<std::unique_ptr<llvm::orc::ObjectLayer>> {
            auto layer = std::make_unique<llvm::orc::ObjectLinkingLayer>(session);
            layer->addPlugin(std::make_unique<unmapping_plugin>(
                session, std::make_unique<llvm::jitlink::InProcessEHFrameRegistrar>()));
            return layer;
        });
}

#else

inline void link_with_jitlink(llvm::orc::LLJITBuilder&) {}

#endif

/// An object has this empty section if no exception can leave its functions or pass through them.
/// The section is not loaded.
inline constexpr char const* nounwind_section = ".attune.nounwind";

/// Before libgcc 13, the first unwind tables that JITLink registers make each exception of the
/// program take a lock. If another thread threw during a fork, the lock stays locked in the child,
/// which then hangs at its first exception. The tables of a shared object need no lock. A function
/// of libgcc 13 shows the version.
[[nodiscard]] inline bool locks_at_exceptions()
{
    return ::dlvsym(RTLD_DEFAULT, "__truncsfbf2", "GCC_13.0.0") == nullptr;
}

/// Facts about an object, from its symbols, for its linking.
struct linking_needs {
    std::string why_linker{}; ///< the part that JITLink cannot link; empty if there is none
    bool has_statics = false; ///< make_statics_callable() changed the module
    std::vector<std::string_view> undefined{}; ///< names that must be found
    /// True: an exception may pass through the object, which then needs its unwind tables. See
    /// locks_at_exceptions().
    bool may_unwind = true;

    explicit linking_needs(elf_object const& object)
    {
        for (Elf64_Shdr const& section : object.sections())
            if (object.name(section) == nounwind_section) may_unwind = false;
        object.for_symbols([&](std::string_view name, Elf64_Sym const& symbol) {
            unsigned const type = ELF64_ST_TYPE(symbol.st_info);
            if (type == STT_TLS) why_linker = "it has thread_local variables";
            if (type == STT_GNU_IFUNC && why_linker.empty())
                why_linker = "it chooses functions when it is loaded (target_clones, ifunc)";
            if (name == initialize_symbol) has_statics = true;
            if (symbol.st_shndx == SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL &&
                name != "_GLOBAL_OFFSET_TABLE_")
                undefined.push_back(name);
        });
    }
};

/// Returns a copy of an object for JITLink, without the unwind tables if no exception may pass.
/// frame_sizes_flag makes relocations of a section that is not loaded. The JITLink of LLVM 16
/// refuses these relocations, so that the copy leaves them out too.
[[nodiscard]] inline std::unique_ptr<llvm::MemoryBuffer> linkable_copy(llvm::StringRef object,
                                                                       bool may_unwind)
{
    std::unique_ptr<llvm::WritableMemoryBuffer> out =
        llvm::WritableMemoryBuffer::getNewUninitMemBuffer(object.size(), "kernel.o");
    std::copy(object.begin(), object.end(), out->getBufferStart());
    elf_object const sections({object.data(), object.size()});
    if (!sections.usable()) return out;
    Elf64_Ehdr header;
    std::memcpy(&header, object.data(), sizeof header);
    for (std::size_t i = 0; i < sections.sections().size(); ++i) {
        Elf64_Shdr section = sections.sections()[i];
        bool const is_relocations =
            section.sh_type == SHT_RELA && sections.is_section(section.sh_info);
        std::string_view const name =
            sections.name(is_relocations ? sections.sections()[section.sh_info] : section);
        bool const is_left_out =
            (!may_unwind && name == ".eh_frame") ||
            (LLVM_VERSION_MAJOR < 17 && is_relocations && name == frame_sizes_section);
        if (!is_left_out) continue;
        section.sh_type = SHT_NULL;
        std::memcpy(out->getBufferStart() + header.e_shoff + i * sizeof section, &section,
                    sizeof section);
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
