// attune/compile/clang/detail/address_facts.hpp - the functions of a variant; results that depend on where arrays lie.
// SPDX-License-Identifier: MIT
//
// A variant can depend on an address in two ways. The text looks at the address: a cast to an
// integer, an order of pointers, a pointer written as data. Or an access assumes an alignment.
//
// attune judges the text twice. The first time is before the optimiser folds anything: the module
// still has all assumptions on addresses and all casts. The second time is after inlining and
// before the optimiser makes vectors: a pointer shows its origin, and there are no comparisons for
// overlaps yet. attune judges accesses in the compiled module, because only this module has vectors
// and the alignments that vectors need.
#pragma once

#include <attune/compile/source/entry.hpp>
#include <attune/core/callable.hpp>
#include <attune/core/version.hpp>

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/AssumeBundleQueries.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Attributes.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/Alignment.h>

#include <algorithm>
#include <cstdint>

namespace attune::inline ATTUNE_ABI::detail {

/// Returns true if values of a type are pointers or contain some.
[[nodiscard]] inline bool has_pointer(llvm::Type const* type)
{
    if (type->isPtrOrPtrVectorTy()) return true;
    return llvm::any_of(type->subtypes(), [](llvm::Type const* one) { return has_pointer(one); });
}

/// Returns the functions with a body that the entry reaches by calls or as the body of a parallel
/// region of OpenMP, and the entry; empty without an entry.
[[nodiscard]] inline llvm::SetVector<llvm::Function const*>
reached_functions(llvm::Module const& module)
{
    llvm::SetVector<llvm::Function const*> out;
    llvm::Function const* const entry = module.getFunction(entry_symbol);
    if (entry != nullptr && !entry->isDeclaration()) out.insert(entry);
    for (std::size_t i = 0; i < out.size(); ++i)
        for (llvm::Instruction const& one : llvm::instructions(out[i]))
            if (auto const* const call = llvm::dyn_cast<llvm::CallBase>(&one)) {
                llvm::Function const* called = call->getCalledFunction();
                if (called != nullptr && called->getName() == "__kmpc_fork_call" &&
                    call->arg_size() > 2)
                    called = llvm::dyn_cast<llvm::Function>(call->getArgOperand(2));
                if (called != nullptr && !called->isDeclaration()) out.insert(called);
            }
    return out;
}

/// Returns the objects into which a pointer may point. LLVM follows GEPs, casts, selects and phis.
[[nodiscard]] inline llvm::SmallVector<llvm::Value const*, 4> bases_of(llvm::Value const* pointer)
{
    llvm::SmallVector<llvm::Value const*, 4> out;
    llvm::getUnderlyingObjects(pointer, out, nullptr, 0);
    return out;
}

/// Returns true if a base is memory of the code: its frame, a variable, an allocation. False if it
/// may belong to an argument, which includes pointers that were loaded.
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

/// Returns true if both point into the same object in each run of their function. An object is an
/// argument, a variable, or the result of an instruction that runs once.
[[nodiscard]] inline bool is_same_object(llvm::Value const* left, llvm::Value const* right)
{
    auto const first = bases_of(left);
    auto const second = bases_of(right);
    if (first.size() != 1 || second.size() != 1 || first[0] != second[0]) return false;
    auto const* const made = llvm::dyn_cast<llvm::Instruction>(first[0]);
    return made != nullptr ? made->getParent()->isEntryBlock()
                           : llvm::isa<llvm::Argument, llvm::GlobalValue>(first[0]);
}

/// Calls without hidden effects, by the known properties of the C library and LLVM.
class harmless_calls {
public:
    explicit harmless_calls(llvm::Module const& module)
        : known_(llvm::Triple(module.getTargetTriple()))
        , library_(known_)
    {
    }

    /// Returns true for a function of numbers: sinf(), or a function without pointers that is
    /// declared to read no memory.
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
    /// Returns true for malloc(), free(), operator new and delete.
    [[nodiscard]] bool is_allocation(llvm::CallBase const& call) const
    {
        llvm::Function const* const called = call.getCalledFunction();
        llvm::LibFunc function;
        if (called == nullptr || !library_.getLibFunc(*called, function)) return false;
        return llvm::StringRef(called->getName()).starts_with("_Zn") ||
               llvm::StringRef(called->getName()).starts_with("_Zd") ||
               called->getName() == "malloc" || called->getName() == "calloc" ||
               called->getName() == "free";
    }
    /// Returns true for the empty assembly of attune's entry, which places the frame and has no
    /// result.
    [[nodiscard]] static bool is_empty_assembly(llvm::CallBase const& call)
    {
        auto const* const text = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand());
        return text != nullptr && text->getAsmString().empty() && call.getType()->isVoidTy();
    }
    /// Returns true for an intrinsic of LLVM that uses memory only as its alignments state.
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

/// The largest alignment that the code assumes, in bytes; 64 or more: unknown.
class assumed_alignment {
public:
    void add(std::uint64_t bytes) { bytes_ = std::max(bytes_, bytes); }
    void add(llvm::MaybeAlign bytes) { add(bytes.valueOrOne().value()); }
    /// Adds the alignment that an access assumes, unless the variant owns the memory.
    void add(llvm::Value const* pointer, llvm::MaybeAlign bytes)
    {
        if (bytes.valueOrOne().value() > bytes_ && !is_own_pointer(pointer)) add(bytes);
    }
    void fail() { add(code_facts{}.address_modulus); }
    [[nodiscard]] bool is_unknown() const { return bytes_ >= code_facts{}.address_modulus; }
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

private:
    std::uint64_t bytes_ = 1;
};

/// Adds the alignments that the bundles of an llvm.assume state. Clang writes such bundles for
/// __builtin_assume_aligned; the optimiser writes some, too.
inline void add_assumptions(llvm::AssumeInst const& one, assumed_alignment& to)
{
    for (unsigned i = 0; i < one.getNumOperandBundles(); ++i) {
        llvm::OperandBundleUse const said = one.getOperandBundleAt(i);
        if (said.getTagName() != "align") continue;
        auto const* const bytes =
            said.Inputs.size() < 2 ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(said.Inputs[1]);
        if (bytes == nullptr)
            to.fail();
        else
            to.add(bytes->getLimitedValue());
    }
}

/// Judges the text before the optimiser, with functions that the kernel may call by their address.
/// @return  bytes; 64: the text looks at an address
[[nodiscard]] inline std::uint64_t addresses_in_text(llvm::Module const& module)
{
    assumed_alignment out;
    auto const is_cast = [](llvm::Value const* v) { return llvm::isa<llvm::PtrToIntOperator>(v); };
    for (llvm::Function const& function : module)
        for (llvm::Instruction const& one : llvm::instructions(function)) {
            if (auto const* const assume = llvm::dyn_cast<llvm::AssumeInst>(&one))
                add_assumptions(*assume, out);
            if (llvm::isa<llvm::IntToPtrInst>(one)) out.fail();
            // looks_at_no_address() judges a difference of pointers: there their objects show.
            if (is_cast(&one) && llvm::any_of(one.users(), [&](llvm::User const* user) {
                    auto const* const made = llvm::dyn_cast<llvm::BinaryOperator>(user);
                    return made == nullptr || made->getOpcode() != llvm::Instruction::Sub ||
                           !llvm::all_of(made->operands(), is_cast);
                }))
                out.fail();
        }
    return out.bytes();
}

/// A structure that is passed by value may hold addresses of arrays. Returns true if the code reads
/// the structure with its declared type.
[[nodiscard]] inline bool is_read_as_declared(llvm::Argument const& structure)
{
    llvm::DataLayout const& layout = structure.getParent()->getParent()->getDataLayout();
    llvm::Type* const type = structure.getParamByValType();
    auto const holds_pointer = [&](std::uint64_t first, std::uint64_t last, auto const& self,
                                   llvm::Type* in, std::uint64_t from) -> bool {
        std::uint64_t const end = from + layout.getTypeAllocSize(in).getFixedValue();
        if (!has_pointer(in) || first >= end || last <= from) return false;
        if (auto* const all = llvm::dyn_cast<llvm::StructType>(in)) {
            llvm::StructLayout const* const places = layout.getStructLayout(all);
            for (unsigned i = 0; i < all->getNumElements(); ++i)
                if (self(first, last, self, all->getElementType(i),
                         from + static_cast<std::uint64_t>(places->getElementOffset(i))))
                    return true;
            return false;
        }
        return true;
    };
    llvm::SmallVector<std::pair<llvm::Value const*, std::uint64_t>, 8> rest{{&structure, 0}};
    for (std::size_t i = 0; i < rest.size(); ++i) {
        auto const [pointer, offset] = rest[i];
        for (llvm::Use const& use : pointer->uses()) {
            auto const* const user = use.getUser();
            if (auto const* const load = llvm::dyn_cast<llvm::LoadInst>(user)) {
                std::uint64_t const size =
                    layout.getTypeStoreSize(load->getType()).getKnownMinValue();
                if (!load->getType()->isPointerTy() &&
                    holds_pointer(offset, offset + size, holds_pointer, type, 0))
                    return false;
            } else if (auto const* const place = llvm::dyn_cast<llvm::GEPOperator>(user)) {
                llvm::APInt by(layout.getIndexTypeSizeInBits(place->getType()), 0);
                if (!place->accumulateConstantOffset(layout, by) || by.isNegative()) return false;
                rest.emplace_back(place, offset + by.getZExtValue());
            } else if (auto const* const call = llvm::dyn_cast<llvm::CallBase>(user)) {
                bool const is_copy = call->isArgOperand(&use) && offset == 0 &&
                                     call->getParamByValType(call->getArgOperandNo(&use)) == type;
                if (!is_copy && !call->isLifetimeStartOrEnd()) return false;
            } else {
                return false;
            }
        }
    }
    return true;
}

/// Returns true if the module looks at no address of an argument, so that results do not depend on
/// where arrays lie. The module has its functions inlined and no vectors yet. False: unknown.
[[nodiscard]] inline bool looks_at_no_address(llvm::Module const& module)
{
    auto const functions = reached_functions(module);
    if (functions.empty() || has_pointer(functions[0]->getReturnType())) return false;
    harmless_calls const harmless(module);
    auto const writes = [](llvm::Value const* value) {
        if (!has_pointer(value->getType())) return false;
        return !value->getType()->isPointerTy() ||
               (!llvm::isa<llvm::ConstantPointerNull>(value) && !is_own_pointer(value));
    };
    auto const is_fixed_place = [&](llvm::Value const* pointer) {
        auto const* const base =
            llvm::dyn_cast<llvm::Argument>(pointer->stripInBoundsConstantOffsets());
        return base != nullptr && (base->getParent() == functions[0] ||
                                   base->getParent()->hasOneUse()); // not recursive
    };
    auto const is_plain = [&](llvm::Instruction const& one) {
        using namespace llvm;
        if (isa<IntToPtrInst, VAArgInst>(one)) return false;
        if (auto const* const cast = dyn_cast<PtrToIntInst>(&one))
            return all_of(cast->users(), [&](User const* user) {
                auto const* const made = dyn_cast<BinaryOperator>(user);
                if (made == nullptr || made->getOpcode() != Instruction::Sub) return false;
                auto const* const left = dyn_cast<PtrToIntOperator>(made->getOperand(0));
                auto const* const right = dyn_cast<PtrToIntOperator>(made->getOperand(1));
                return left != nullptr && right != nullptr &&
                       is_same_object(left->getPointerOperand(), right->getPointerOperand());
            });
        if (auto const* const compared = dyn_cast<ICmpInst>(&one)) {
            if (!has_pointer(compared->getOperand(0)->getType())) return true;
            // Equal addresses in two objects are an overlap, which is another word of a shape.
            // Within one object, equality depends on the distance of the addresses only.
            Value const* const left = compared->getOperand(0);
            Value const* const right = compared->getOperand(1);
            if (compared->isEquality() &&
                (isa<ConstantPointerNull>(left) || isa<ConstantPointerNull>(right) ||
                 (is_fixed_place(left) && is_fixed_place(right))))
                return true;
            return is_same_object(left, right);
        }
        if (auto const* const store = dyn_cast<StoreInst>(&one))
            return !writes(store->getValueOperand());
        if (isa<AtomicRMWInst, AtomicCmpXchgInst>(one)) return !writes(one.getOperand(1));
        if (auto const* const call = dyn_cast<CallBase>(&one)) {
            Function const* const called = call->getCalledFunction();
            if (called != nullptr && functions.contains(called)) return !called->isInterposable();
            return harmless.is_arithmetic(*call) || harmless.is_allocation(*call) ||
                   harmless_calls::is_plain_intrinsic(*call) ||
                   harmless_calls::is_empty_assembly(*call);
        }
        return true;
    };
    for (llvm::Function const* const function : functions) {
        for (llvm::Argument const& one : function->args())
            if (one.hasByValAttr() && !is_read_as_declared(one)) return false;
        if (!llvm::all_of(llvm::instructions(function), is_plain)) return false;
    }
    return true;
}

/// Returns the largest alignment that the optimised module assumes for memory that may belong to an
/// argument.
/// @return  bytes; 64 or more: unknown
[[nodiscard]] inline std::uint64_t alignment_of_accesses(llvm::Module const& module)
{
    using namespace llvm;
    assumed_alignment out;
    auto const functions = reached_functions(module);
    harmless_calls const harmless(module);
    if (functions.empty()) out.fail();
    auto const look_at_call = [&](CallBase const& call) {
        if (auto const* const assume = dyn_cast<AssumeInst>(&call)) add_assumptions(*assume, out);
        if (call.getType()->isPointerTy()) out.add(&call, call.getRetAlign());
        for (unsigned i = 0; i < call.arg_size(); ++i)
            if (call.getArgOperand(i)->getType()->isPointerTy())
                out.add(call.getArgOperand(i), call.getParamAlign(i));
        auto const* const one = dyn_cast<IntrinsicInst>(&call);
        Intrinsic::ID const id = one != nullptr ? one->getIntrinsicID() : Intrinsic::not_intrinsic;
        bool const is_load = id == Intrinsic::masked_load || id == Intrinsic::masked_gather;
        if (is_load || id == Intrinsic::masked_store || id == Intrinsic::masked_scatter) {
            unsigned const first = is_load ? 0 : 1;
            auto const* const bytes = dyn_cast<ConstantInt>(call.getArgOperand(first + 1));
            if (bytes == nullptr) return out.fail();
            out.add(call.getArgOperand(first), MaybeAlign(bytes->getZExtValue()));
        }
        Function const* const called = call.getCalledFunction();
        bool const is_known =
            (called != nullptr && functions.contains(called) && !called->isInterposable()) ||
            harmless.is_arithmetic(call) || harmless.is_allocation(call) ||
            harmless_calls::is_plain_intrinsic(call) || harmless_calls::is_empty_assembly(call);
        if (!is_known) out.fail();
    };
    for (Function const* const function : functions) {
        for (Argument const& one : function->args())
            if (one.getType()->isPointerTy()) out.add(&one, one.getParamAlign());
        for (Instruction const& one : instructions(function)) {
            if (out.is_unknown()) return out.bytes();
            if (auto const* const load = dyn_cast<LoadInst>(&one)) {
                out.add(load->getPointerOperand(), load->getAlign());
                if (MDNode const* const said = load->getMetadata(LLVMContext::MD_align))
                    out.add(mdconst::extract<ConstantInt>(said->getOperand(0))->getLimitedValue());
            } else if (auto const* const store = dyn_cast<StoreInst>(&one)) {
                out.add(store->getPointerOperand(), store->getAlign());
            } else if (auto const* const change = dyn_cast<AtomicRMWInst>(&one)) {
                out.add(change->getPointerOperand(), change->getAlign());
            } else if (auto const* const exchange = dyn_cast<AtomicCmpXchgInst>(&one)) {
                out.add(exchange->getPointerOperand(), exchange->getAlign());
            } else if (auto const* const call = dyn_cast<CallBase>(&one)) {
                look_at_call(*call);
            }
        }
    }
    return out.bytes();
}

} // namespace attune::inline ATTUNE_ABI::detail
