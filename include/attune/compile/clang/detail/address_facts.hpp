// attune/compile/clang/detail/address_facts.hpp - whether it matters to a variant where its arrays lie.
// SPDX-License-Identifier: MIT
//
// A variant can depend on an address in two ways: its text looks at the address (a cast to an
// integer, an order of pointers, a pointer written as data), or an access assumes an alignment.
//
// The text is judged twice. Before the optimiser nothing is folded yet: what was assumed of an
// address is there, and so is each cast. Before the optimiser makes vectors, functions are inlined
// and variables have no memory: a pointer shows where it comes from, and no comparison for
// overlaps is there that the optimiser itself adds. Accesses are judged in the module that is
// compiled: vectors, and what was assumed for them, exist there alone.
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/compile/clang/detail/reached_code.hpp>
#include <attune/core/version.hpp>

#include <llvm/Analysis/AssumeBundleQueries.h>
#include <llvm/IR/Attributes.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/Alignment.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace attune::inline ATTUNE_ABI::detail {

/// Bytes: the largest alignment that is assumed of something; 64 or more: unknown.
class assumed_alignment {
public:
    void add(std::uint64_t bytes) { bytes_ = std::max(bytes_, bytes); }
    void add(llvm::MaybeAlign bytes) { add(bytes.valueOrOne().value()); }
    /// Adds what an access assumes, unless the variant owns the memory.
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

/// Adds the alignments that the bundles of an llvm.assume state. Clang writes them for
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

/// The text before the optimiser, with functions that the kernel may call by their address.
/// @return  64: the text looks at an address
[[nodiscard]] inline std::uint64_t addresses_in_text(llvm::Module const& module)
{
    assumed_alignment out;
    auto const is_cast = [](llvm::Value const* v) { return llvm::isa<llvm::PtrToIntOperator>(v); };
    for (llvm::Function const& function : module)
        for (llvm::Instruction const& one : llvm::instructions(function)) {
            if (auto const* const assume = llvm::dyn_cast<llvm::AssumeInst>(&one))
                add_assumptions(*assume, out);
            if (llvm::isa<llvm::IntToPtrInst>(one)) out.fail();
            // The difference of two pointers is judged where their objects are known.
            if (is_cast(&one) && llvm::any_of(one.users(), [&](llvm::User const* user) {
                    auto const* const made = llvm::dyn_cast<llvm::BinaryOperator>(user);
                    return made == nullptr || made->getOpcode() != llvm::Instruction::Sub ||
                           !llvm::all_of(made->operands(), is_cast);
                }))
                out.fail();
        }
    return out.bytes();
}

/// Whether a structure passed by value, which may hold addresses of arrays, is read as what it is.
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

/// Whether the module, with its functions inlined and before vectors are made, looks at no address
/// of an argument: results do not tell where arrays lie. False: unknown.
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
                                   base->getParent()->hasOneUse()); // it does not call itself
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
            // Equal addresses are an overlap, which is a property of its own; but a loop that
            // counts up to an equal address has its number.
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

/// The largest alignment that the optimised module assumes of memory that may be an argument's.
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
