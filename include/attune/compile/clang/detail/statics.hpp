// attune/compile/clang/detail/statics.hpp - a kernel's static objects, from loading to unloading.
// SPDX-License-Identifier: MIT
//
// ORC's own platforms for static objects need LLVM's ORC run-time library, which few systems have.
#pragma once

#include <attune/compile/detail/object_symbols.hpp>
#include <attune/core/version.hpp>

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <array>
#include <cstdint>
#include <map>
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

/// Replaces __cxa_atexit in kernels. `owner` is the address of the variant's __dso_handle, where
/// the loader has stored the address of its static_objects.
extern "C" inline int attune_at_unload(void (*destroy)(void*), void* object, void* owner)
{
    (*static_cast<static_objects**>(owner))->add(destroy, object);
    return 0;
}

/// The module's `__dso_handle`, as a pointer that the module defines.
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

/// The functions of llvm.global_ctors or llvm.global_dtors by priority, then as listed. The list is
/// removed.
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
/// compilers have such a function for every shared object. The system's loader calls it when the
/// last thread with thread_local objects of this object has ended.
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

/// True if the module calls functions of the C library's archive that pass on the value of
/// `__dso_handle`, which must be its own address there.
[[nodiscard]] inline bool calls_with_owner(llvm::Module const& module)
{
    return llvm::any_of(std::array{"atexit", "at_quick_exit", "pthread_atfork"},
                        [&](char const* name) {
                            llvm::Function const* const found = module.getFunction(name);
                            return found != nullptr && found->isDeclaration();
                        });
}

/// Makes a function `void attune_initialize()` that calls the static constructors, in place of the
/// list for a dynamic loader, and that registers the functions with __attribute__((destructor)).
/// Defines `__dso_handle` as a pointer. A module with thread_local variables, which the system's
/// loader loads, also gets attune_finalize(). A module without static objects is not changed.
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
        for (auto const& [priority, function] : destructors) // what is registered last runs first
            builder.CreateCall(at_exit, {function, llvm::ConstantPointerNull::get(pointer), owner});
    }
    builder.CreateRetVoid();
}

} // namespace attune::inline ATTUNE_ABI::detail
