// attune/compile/clang/detail/statics.hpp - a kernel's static objects, from loading to unloading.
// SPDX-License-Identifier: MIT
//
// ORC's own platforms for static objects need LLVM's ORC run-time library, which few systems have.
#pragma once

#include <attune/compile/detail/object_symbols.hpp>
#include <attune/core/version.hpp>

#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

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

/// Makes a function `void attune_initialize()` that calls the static constructors, in place of the
/// list for a dynamic loader, and defines `__dso_handle` as a pointer. A module without static
/// objects is not changed.
inline void make_statics_callable(llvm::Module& module)
{
    llvm::LLVMContext& context = module.getContext();
    if (llvm::GlobalVariable* const old = module.getGlobalVariable(owner_symbol)) {
        llvm::PointerType* const pointer = llvm::PointerType::get(context, 0);
        auto* const owner = new llvm::GlobalVariable(module,
                                                     pointer,
                                                     false,
                                                     llvm::GlobalValue::ExternalLinkage,
                                                     llvm::ConstantPointerNull::get(pointer),
                                                     "");
        owner->setDSOLocal(true);
        old->replaceAllUsesWith(owner);
        owner->takeName(old);
        old->eraseFromParent();
    }

    llvm::GlobalVariable* const list = module.getGlobalVariable("llvm.global_ctors");
    std::multimap<std::uint64_t, llvm::Function*> constructors; // by priority, then as listed
    if (list != nullptr && list->hasInitializer())
        if (auto* const entries = llvm::dyn_cast<llvm::ConstantArray>(list->getInitializer()))
            for (llvm::Use const& use : entries->operands()) {
                auto* const entry = llvm::cast<llvm::ConstantStruct>(use.get());
                auto* const function =
                    llvm::dyn_cast<llvm::Function>(entry->getOperand(1)->stripPointerCasts());
                if (function != nullptr)
                    constructors.emplace(
                        llvm::cast<llvm::ConstantInt>(entry->getOperand(0))->getZExtValue(),
                        function);
            }
    bool const owns = module.getGlobalVariable(owner_symbol) != nullptr;
    if (constructors.empty() && !owns) return;

    auto* const type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
    auto* const initialize =
        llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, initialize_symbol, module);
    initialize->setUWTableKind(llvm::UWTableKind::Async); // a constructor may throw through it
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", initialize));
    for (auto const& [priority, function] : constructors)
        builder.CreateCall(type, function);
    builder.CreateRetVoid();
    if (list != nullptr) list->eraseFromParent();
}

} // namespace attune::inline ATTUNE_ABI::detail
