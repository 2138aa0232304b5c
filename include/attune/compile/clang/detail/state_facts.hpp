// attune/compile/clang/detail/state_facts.hpp - results that depend on one call alone.
// SPDX-License-Identifier: MIT
// Source   LLVM's OpenMP runtime, kmp.h: the functions that Clang calls for loops
#pragma once

#include <attune/compile/clang/detail/address_facts.hpp>
#include <attune/core/version.hpp>

#include <llvm/IR/CFG.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// A range of bytes of an array on the stack: [first, last).
using stack_bytes_range = std::pair<std::uint64_t, std::uint64_t>;

/// The instructions that use an array on the stack.
struct stack_array_uses {
    struct filling {
        llvm::Instruction const* by;
        stack_bytes_range bytes;
    };
    llvm::SmallVector<filling, 8> fillings{};
    llvm::SmallPtrSet<llvm::Instruction const*, 8> begins{};  ///< the content is unknown from here
    llvm::SmallPtrSet<llvm::Instruction const*, 16> others{}; ///< may read it, or keep its address
    bool is_copied_whole = false; ///< a copy of memory may read the gaps between its members

    /// @pre  all accesses are in the function of the array
    explicit stack_array_uses(llvm::AllocaInst const& array)
    {
        using namespace llvm;
        DataLayout const& layout = array.getModule()->getDataLayout();
        SmallVector<std::pair<Value const*, std::uint64_t>, 8> rest{{&array, 0}};
        for (std::size_t i = 0; i < rest.size(); ++i) {
            auto const [pointer, offset] = rest[i];
            for (Use const& use : pointer->uses()) {
                auto const* const user = dyn_cast<Instruction>(use.getUser());
                if (user == nullptr || user->isDebugOrPseudoInst()) continue;
                auto const fills = [&, at = offset](std::uint64_t bytes) {
                    fillings.push_back({user, {at, at + bytes}});
                };
                APInt by(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
                auto const* const place = dyn_cast<GEPOperator>(user);
                auto const* const store = dyn_cast<StoreInst>(user);
                auto const* const fill = dyn_cast<MemIntrinsic>(user);
                auto const* const copy = dyn_cast<MemTransferInst>(user);
                bool const is_read = copy != nullptr && copy->getRawSource() == pointer;
                auto const* const length =
                    fill != nullptr ? dyn_cast<ConstantInt>(fill->getLength()) : nullptr;
                if (place != nullptr && place->accumulateConstantOffset(layout, by) &&
                    !by.isNegative())
                    rest.emplace_back(user, offset + by.getZExtValue());
                else if (store != nullptr && store->getValueOperand() != pointer)
                    fills(layout.getTypeStoreSize(store->getValueOperand()->getType())
                              .getKnownMinValue());
                else if (length != nullptr && !is_read)
                    fills(length->getLimitedValue());
                else if (!user->isLifetimeStartOrEnd())
                    others.insert(user);
                else if (cast<IntrinsicInst>(user)->getIntrinsicID() == Intrinsic::lifetime_start)
                    begins.insert(user);
                is_copied_whole = is_copied_whole || is_read;
            }
        }
    }
};

/// Adds the bytes of a type that no member has. @param at  offset of the value
inline void add_gaps(llvm::DataLayout const& layout, llvm::Type* type, std::uint64_t at,
                     llvm::SmallVectorImpl<stack_bytes_range>& to)
{
    auto* const all = llvm::dyn_cast<llvm::StructType>(type);
    if (all == nullptr) return;
    llvm::StructLayout const* const places = layout.getStructLayout(all);
    std::uint64_t end = 0;
    for (unsigned i = 0; i < all->getNumElements(); ++i) {
        std::uint64_t const first = places->getElementOffset(i);
        to.emplace_back(at + end, at + first);
        add_gaps(layout, all->getElementType(i), at + first, to);
        end = first + layout.getTypeStoreSize(all->getElementType(i)).getKnownMinValue();
    }
    to.emplace_back(at + end, at + layout.getTypeAllocSize(type).getKnownMinValue());
}

/// Returns true if the ranges together have all bytes below `size`.
[[nodiscard]] inline bool is_covered(llvm::SmallVector<stack_bytes_range, 16> ranges,
                                     std::uint64_t size)
{
    std::sort(ranges.begin(), ranges.end());
    std::uint64_t end = 0;
    for (auto const& [first, last] : ranges)
        if (first <= end) end = std::max(end, last);
    return end >= size;
}

/// Returns true if each way from the function's entry to `to` goes through `through`.
[[nodiscard]] inline bool goes_through(llvm::BasicBlock const* to, llvm::BasicBlock const* through)
{
    llvm::SmallVector<llvm::BasicBlock const*, 16> rest{&to->getParent()->getEntryBlock()};
    llvm::SmallPtrSet<llvm::BasicBlock const*, 16> met{through};
    while (!rest.empty()) {
        llvm::BasicBlock const* const one = rest.pop_back_val();
        if (!met.insert(one).second) continue;
        if (one == to) return false;
        for (llvm::BasicBlock const* const next : llvm::successors(one))
            rest.push_back(next);
    }
    return true;
}

/// Returns true if the code fills a whole array on the stack in one block, before any other use.
[[nodiscard]] inline bool is_written_first(llvm::AllocaInst const& array)
{
    using namespace llvm;
    DataLayout const& layout = array.getModule()->getDataLayout();
    std::optional<TypeSize> const size = array.getAllocationSizeInBits(layout);
    if (!size || size->isScalable() || !array.getParent()->isEntryBlock()) return false;
    stack_array_uses const uses(array);
    SmallVector<stack_bytes_range, 16> gaps;
    if (!uses.is_copied_whole && !array.isArrayAllocation())
        add_gaps(layout, array.getAllocatedType(), 0, gaps);
    auto const fills_first = [&](BasicBlock const* block) {
        SmallVector<stack_bytes_range, 16> filled = gaps;
        for (Instruction const& one : *block) {
            bool const is_begin = uses.begins.contains(&one);
            if (uses.others.contains(&one) || (is_begin && filled.size() > gaps.size())) break;
            for (stack_array_uses::filling const& f : uses.fillings)
                if (f.by == &one) filled.push_back(f.bytes);
        }
        return is_covered(std::move(filled), (size->getFixedValue() + 7) / 8) &&
               all_of(uses.others,
                      [&](Instruction const* one) {
                          return !isa<PHINode>(one) && goes_through(one->getParent(), block);
                      }) &&
               none_of(uses.begins, [&](Instruction const* one) {
                   return one->getParent() != block && goes_through(one->getParent(), block);
               });
    };
    return any_of(uses.fillings, [&](stack_array_uses::filling const& f) {
        return fills_first(f.by->getParent());
    });
}

/// Returns true for a function of LLVM's OpenMP runtime that a parallel loop calls. It keeps
/// nothing of the kernel between calls, and writes only bounds of loops.
[[nodiscard]] inline bool is_openmp_loop(llvm::CallBase const& call)
{
    llvm::Function const* const called = call.getCalledFunction();
    return called != nullptr && called->isDeclaration() &&
           llvm::is_contained({"__kmpc_fork_call",
                               "__kmpc_global_thread_num",
                               "__kmpc_push_num_threads",
                               "__kmpc_serialized_parallel",
                               "__kmpc_end_serialized_parallel",
                               "__kmpc_barrier",
                               "__kmpc_for_static_init_4",
                               "__kmpc_for_static_init_4u",
                               "__kmpc_for_static_init_8",
                               "__kmpc_for_static_init_8u",
                               "__kmpc_for_static_fini",
                               "__kmpc_dispatch_init_4",
                               "__kmpc_dispatch_init_4u",
                               "__kmpc_dispatch_init_8",
                               "__kmpc_dispatch_init_8u",
                               "__kmpc_dispatch_next_4",
                               "__kmpc_dispatch_next_4u",
                               "__kmpc_dispatch_next_8",
                               "__kmpc_dispatch_next_8u",
                               "__kmpc_dispatch_fini_4",
                               "__kmpc_dispatch_fini_4u",
                               "__kmpc_dispatch_fini_8",
                               "__kmpc_dispatch_fini_8u",
                               "__kmpc_dispatch_deinit"},
                              called->getName());
}

/// Returns true if the optimised module has no state besides the arguments of a call; false:
/// unknown. Such a module uses the arguments' memory, constants, and arrays on the stack that it
/// fills first. It uses no variable, atomic, clock or volatile access, and no threads but those of
/// OpenMP's loops.
[[nodiscard]] inline bool depends_on_this_call_alone(llvm::Module const& module)
{
    using namespace llvm;
    auto const functions = reached_functions(module);
    if (functions.empty()) return false;
    harmless_calls const harmless(module);
    auto const is_fine_place = [](Value const* pointer) {
        SmallVector<Value const*, 8> rest{pointer};
        SmallPtrSet<Value const*, 8> met;
        while (!rest.empty())
            for (Value const* const base : bases_of(rest.pop_back_val())) {
                if (!met.insert(base).second || isa<PoisonValue>(base)) continue;
                auto const* const variable = dyn_cast<GlobalVariable>(base);
                auto const* const made = dyn_cast<Instruction>(base);
                bool const is_vector = isa<GEPOperator, ShuffleVectorInst, InsertElementInst>(base);
                if (made != nullptr && is_vector) {
                    for (Value const* const part : made->operand_values())
                        if (has_pointer(part->getType())) rest.push_back(part);
                } else if (variable != nullptr
                               ? !variable->isConstant() || !variable->hasDefinitiveInitializer()
                               : !isa<Argument, AllocaInst, LoadInst>(base)) {
                    return false;
                }
            }
        return true;
    };
    // The entry that attune writes has an unwritten array, which the entry's empty assembly reads.
    auto const is_placed_alone = [](AllocaInst const& array) {
        return all_of(array.users(), [](User const* user) {
            auto const* const call = dyn_cast<CallBase>(user);
            return call != nullptr &&
                   (harmless_calls::is_empty_assembly(*call) || call->isLifetimeStartOrEnd());
        });
    };
    auto const is_plain = [&](Instruction const& one) {
        if (one.isAtomic() || one.isVolatile() || isa<VAArgInst>(one)) return false;
        // The optimiser freezes what it computes earlier than the text does; the values read are
        // judged where they are read.
        if (isa<FreezeInst>(one)) return !isa<UndefValue>(one.getOperand(0));
        bool const fills_vector = isa<InsertElementInst, ShuffleVectorInst, InsertValueInst>(one);
        // An uninitialised variable.
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
        if (harmless_calls::is_plain_intrinsic(*call) || is_openmp_loop(*call))
            return all_of(call->args(), [&](Use const& use) {
                auto const* const body = dyn_cast<Function>(use.get());
                return !has_pointer(use->getType()) || is_fine_place(use.get()) ||
                       (body != nullptr && functions.contains(body) && !body->isInterposable());
            });
        return harmless.is_arithmetic(*call) || harmless_calls::is_empty_assembly(*call);
    };
    return all_of(functions, [&](Function const* function) {
        // Clang's own function ends the program.
        return function->getName() == "__clang_call_terminate" ||
               all_of(instructions(function), is_plain);
    });
}

} // namespace attune::inline ATTUNE_ABI::detail
