// attune/compile/clang/detail/reached_code.hpp - the functions that a variant runs, and where their pointers come from.
// SPDX-License-Identifier: MIT
// tested by compile/clang/address_facts.cpp
#pragma once

#include <attune/compile/source/entry.hpp>
#include <attune/core/version.hpp>

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace attune::inline ATTUNE_ABI::detail {

/// Whether values of a type are pointers or contain some.
[[nodiscard]] inline bool has_pointer(llvm::Type const* type)
{
    if (type->isPtrOrPtrVectorTy()) return true;
    return llvm::any_of(type->subtypes(), [](llvm::Type const* one) { return has_pointer(one); });
}

/// The functions with a body that the entry calls, itself included; empty without an entry.
[[nodiscard]] inline llvm::SetVector<llvm::Function const*>
reached_functions(llvm::Module const& module)
{
    llvm::SetVector<llvm::Function const*> out;
    llvm::Function const* const entry = module.getFunction(entry_symbol);
    if (entry != nullptr && !entry->isDeclaration()) out.insert(entry);
    for (std::size_t i = 0; i < out.size(); ++i)
        for (llvm::Instruction const& one : llvm::instructions(out[i]))
            if (auto const* const call = llvm::dyn_cast<llvm::CallBase>(&one))
                if (llvm::Function const* const called = call->getCalledFunction();
                    called != nullptr && !called->isDeclaration())
                    out.insert(called);
    return out;
}

/// The objects that a pointer may point into. LLVM follows GEPs, casts, selects and phis to them.
[[nodiscard]] inline llvm::SmallVector<llvm::Value const*, 4> bases_of(llvm::Value const* pointer)
{
    llvm::SmallVector<llvm::Value const*, 4> out;
    llvm::getUnderlyingObjects(pointer, out, nullptr, 0);
    return out;
}

/// Whether a base is memory of the code itself: its frame, a variable, what it allocated. False for
/// what may be an argument's, which includes pointers that were loaded.
[[nodiscard]] inline bool is_own(llvm::Value const* base)
{
    if (auto const* const argument = llvm::dyn_cast<llvm::Argument>(base))
        return argument->hasByValAttr();
    if (auto const* const call = llvm::dyn_cast<llvm::CallBase>(base)) {
        llvm::Function const* const called = call->getCalledFunction();
        return called != nullptr && called->isDeclaration() &&
               (llvm::isNoAliasCall(call) ||
                called->getIntrinsicID() == llvm::Intrinsic::threadlocal_address);
    }
    return llvm::isa<llvm::AllocaInst, llvm::GlobalValue>(base);
}
[[nodiscard]] inline bool is_own_pointer(llvm::Value const* pointer)
{
    auto const bases = bases_of(pointer);
    return !bases.empty() && llvm::all_of(bases, is_own);
}

/// Whether both point into the same object in each run of their function: an argument, a variable,
/// or what an instruction gives that runs once.
[[nodiscard]] inline bool is_same_object(llvm::Value const* left, llvm::Value const* right)
{
    auto const first = bases_of(left);
    auto const second = bases_of(right);
    if (first.size() != 1 || second.size() != 1 || first[0] != second[0]) return false;
    auto const* const made = llvm::dyn_cast<llvm::Instruction>(first[0]);
    return made != nullptr ? made->getParent()->isEntryBlock()
                           : llvm::isa<llvm::Argument, llvm::GlobalValue>(first[0]);
}

/// Calls that hide nothing, by what is known of the library of C and of LLVM.
class harmless_calls {
public:
    explicit harmless_calls(llvm::Module const& module)
        : known_(llvm::Triple(module.getTargetTriple()))
        , library_(known_)
    {
    }

    /// A function of numbers: sinf(), or one that is declared to read no memory, without pointers.
    [[nodiscard]] bool is_arithmetic(llvm::CallBase const& call) const
    {
        llvm::Function const* const called = call.getCalledFunction();
        if (called == nullptr || !called->isDeclaration() || has_pointer(call.getType()) ||
            llvm::any_of(call.args(), [](auto const& use) { return has_pointer(use->getType()); }))
            return false;
        if (call.doesNotAccessMemory()) return true;
        llvm::LibFunc function;
        return library_.getLibFunc(*called, function) && call.getType()->isFloatingPointTy();
    }
    /// malloc(), free(), operator new and delete.
    [[nodiscard]] bool is_allocation(llvm::CallBase const& call) const
    {
        llvm::Function const* const called = call.getCalledFunction();
        llvm::LibFunc function;
        if (called == nullptr || !library_.getLibFunc(*called, function)) return false;
        return llvm::StringRef(called->getName()).starts_with("_Zn") ||
               llvm::StringRef(called->getName()).starts_with("_Zd") ||
               llvm::is_contained({"malloc", "calloc", "free"}, called->getName());
    }
    /// The empty assembly of attune's entry, which gives the frame its place: it has no result.
    [[nodiscard]] static bool is_empty_assembly(llvm::CallBase const& call)
    {
        auto const* const text = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand());
        return text != nullptr && text->getAsmString().empty() && call.getType()->isVoidTy();
    }
    /// An intrinsic of LLVM that touches no more memory than its alignments tell.
    [[nodiscard]] static bool is_plain_intrinsic(llvm::CallBase const& call)
    {
        using namespace llvm;
        auto const* const one = dyn_cast<IntrinsicInst>(&call);
        if (one == nullptr) return false;
        if (isa<MemIntrinsic>(one) || isa<DbgInfoIntrinsic>(one)) return true;
        switch (one->getIntrinsicID()) {
        case Intrinsic::assume:
        case Intrinsic::lifetime_start:
        case Intrinsic::lifetime_end:
        case Intrinsic::invariant_start:
        case Intrinsic::invariant_end:
        case Intrinsic::experimental_noalias_scope_decl:
        case Intrinsic::prefetch:
        case Intrinsic::threadlocal_address:
        case Intrinsic::masked_load:
        case Intrinsic::masked_store:
        case Intrinsic::masked_gather:
        case Intrinsic::masked_scatter:
        case Intrinsic::masked_expandload:
        case Intrinsic::masked_compressstore:
            return true;
        default:
            return false;
        }
    }

private:
    llvm::TargetLibraryInfoImpl known_;
    llvm::TargetLibraryInfo library_;
};

} // namespace attune::inline ATTUNE_ABI::detail
