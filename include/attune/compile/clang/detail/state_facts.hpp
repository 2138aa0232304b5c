// attune/compile/clang/detail/state_facts.hpp - whether the results of a variant depend on one call alone.
// SPDX-License-Identifier: MIT
// tested by compile/clang/state_facts.cpp
#pragma once

#include <attune/compile/clang/detail/reached_code.hpp>
#include <attune/core/version.hpp>

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Operator.h>

namespace attune::inline ATTUNE_ABI::detail {

/// Whether an array on the stack is never read before it is written: one write at the function's
/// begin covers all of it.
[[nodiscard]] inline bool is_written_first(llvm::AllocaInst const& array)
{
    using namespace llvm;
    DataLayout const& layout = array.getModule()->getDataLayout();
    std::optional<TypeSize> const size = array.getAllocationSizeInBits(layout);
    if (!size || size->isScalable() || !array.getParent()->isEntryBlock()) return false;
    std::uint64_t const bytes = (size->getFixedValue() + 7) / 8;
    for (Instruction const& one : *array.getParent()) {
        if (auto const* const store = dyn_cast<StoreInst>(&one);
            store != nullptr && store->getPointerOperand() == &array &&
            layout.getTypeStoreSize(store->getValueOperand()->getType()).getKnownMinValue() >=
                bytes)
            return true;
        if (auto const* const fill = dyn_cast<MemSetInst>(&one);
            fill != nullptr && fill->getDest() == &array)
            if (auto const* const length = dyn_cast<ConstantInt>(fill->getLength());
                length != nullptr && length->getLimitedValue() >= bytes)
                return true;
        bool const is_begin = one.isDebugOrPseudoInst() || one.isLifetimeStartOrEnd();
        if (!is_begin && (one.mayReadFromMemory() || isa<CallBase>(one))) return false;
    }
    return false;
}

/// Whether the optimised module has no state besides the arguments of a call: it reads and writes
/// their memory, its constants and arrays on the stack that it fills first, and no variable, it
/// starts no thread, and it has no atomics, no clock and no volatile accesses. False: unknown.
[[nodiscard]] inline bool depends_on_this_call_alone(llvm::Module const& module)
{
    using namespace llvm;
    auto const functions = reached_functions(module);
    if (functions.empty()) return false;
    harmless_calls const harmless(module);
    auto const is_fine_base = [](Value const* base) {
        if (auto const* const variable = dyn_cast<GlobalVariable>(base))
            return variable->isConstant() && variable->hasDefinitiveInitializer();
        return isa<Argument, AllocaInst, LoadInst>(base);
    };
    auto const is_fine_place = [&](Value const* pointer) {
        auto const bases = bases_of(pointer);
        return !bases.empty() && all_of(bases, is_fine_base);
    };
    // The entry that attune writes has such an array, which its empty assembly reads.
    auto const is_placed_alone = [](AllocaInst const& array) {
        return all_of(array.users(), [](User const* user) {
            auto const* const call = dyn_cast<CallBase>(user);
            return call != nullptr &&
                   (harmless_calls::is_empty_assembly(*call) || call->isLifetimeStartOrEnd());
        });
    };
    auto const is_plain = [&](Instruction const& one) {
        if (one.isAtomic() || one.isVolatile() || isa<VAArgInst, FreezeInst>(one)) return false;
        bool const fills_vector = isa<InsertElementInst, ShuffleVectorInst, InsertValueInst>(one);
        // A variable that was never set.
        if (!fills_vector && any_of(one.operand_values(), [](Value const* v) {
                return isa<UndefValue>(v) && !isa<PoisonValue>(v);
            }))
            return false;
        if (auto const* const cast = dyn_cast<PtrToIntInst>(&one))
            return none_of(bases_of(cast->getPointerOperand()),
                           [](Value const* base) { return !isa<Argument, LoadInst>(base); });
        if (auto const* const array = dyn_cast<AllocaInst>(&one))
            return is_placed_alone(*array) || is_written_first(*array);
        if (auto const* const load = dyn_cast<LoadInst>(&one))
            return is_fine_place(load->getPointerOperand());
        if (auto const* const store = dyn_cast<StoreInst>(&one))
            return is_fine_place(store->getPointerOperand());
        auto const* const call = dyn_cast<CallBase>(&one);
        if (call == nullptr) return !one.mayReadOrWriteMemory();
        Function const* const called = call->getCalledFunction();
        if (called != nullptr && functions.contains(called)) return !called->isInterposable();
        if (harmless_calls::is_plain_intrinsic(*call))
            return all_of(call->args(), [&](Use const& use) {
                return !has_pointer(use->getType()) || is_fine_place(use.get());
            });
        return harmless.is_arithmetic(*call) || harmless_calls::is_empty_assembly(*call);
    };
    return all_of(functions, [&](Function const* function) {
        return all_of(instructions(function), is_plain);
    });
}

} // namespace attune::inline ATTUNE_ABI::detail
