// attune/compile/clang/detail/state_facts.hpp - results that depend on one call alone.
// SPDX-License-Identifier: MIT
// Source   LLVM's OpenMP runtime, kmp.h: the functions that Clang calls for loops
#pragma once

#include <attune/compile/clang/detail/address_facts.hpp>
#include <attune/core/version.hpp>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
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
    llvm::SmallDenseMap<llvm::Instruction const*, stack_bytes_range> fillings{};
    llvm::SmallPtrSet<llvm::Instruction const*, 8> begins{};  ///< the content is unknown from here
    llvm::SmallPtrSet<llvm::Instruction const*, 16> others{}; ///< may read it, or keep its address

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
                APInt by(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
                auto const* const place = dyn_cast<GEPOperator>(user);
                if (place != nullptr && place->accumulateConstantOffset(layout, by) &&
                    !by.isNegative())
                    rest.emplace_back(user, offset + by.getZExtValue());
                else if (std::uint64_t const bytes = filled_bytes(*user, pointer, layout);
                         bytes > 0)
                    fillings[user] = {offset, offset + bytes};
                else if (!user->isLifetimeStartOrEnd())
                    others.insert(user);
                else if (cast<IntrinsicInst>(user)->getIntrinsicID() == Intrinsic::lifetime_start)
                    begins.insert(user);
            }
        }
    }

private:
    /// Returns the bytes that an instruction writes from `pointer` on, without a gap; 0: it does
    /// more, or their number is unknown.
    [[nodiscard]] static std::uint64_t filled_bytes(llvm::Instruction const& one,
                                                    llvm::Value const* pointer,
                                                    llvm::DataLayout const& layout)
    {
        using namespace llvm;
        if (auto const* const store = dyn_cast<StoreInst>(&one)) {
            Value const* const value = store->getValueOperand();
            bool const has_gaps = value->getType()->isAggregateType();
            if (value == pointer || has_gaps) return 0;
            return layout.getTypeStoreSize(value->getType()).getKnownMinValue();
        }
        auto const* const fill = dyn_cast<MemIntrinsic>(&one);
        auto const* const copy = dyn_cast<MemTransferInst>(&one);
        if (fill == nullptr || (copy != nullptr && copy->getRawSource() == pointer)) return 0;
        auto const* const length = dyn_cast<ConstantInt>(fill->getLength());
        return length != nullptr ? length->getLimitedValue() : 0;
    }
};

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

/// Returns true if the block fills `size` bytes of an array before all other uses, and nothing
/// begins the array anew after that.
[[nodiscard]] inline bool fills_first(llvm::BasicBlock const& block, stack_array_uses const& uses,
                                      std::uint64_t size)
{
    llvm::SmallVector<stack_bytes_range, 16> filled;
    bool is_used = false;
    for (llvm::Instruction const& one : block) {
        if (uses.begins.contains(&one) && !filled.empty()) return false;
        is_used = is_used || uses.others.contains(&one);
        if (auto const filling = uses.fillings.find(&one);
            !is_used && filling != uses.fillings.end())
            filled.push_back(filling->second);
    }
    return is_covered(std::move(filled), size) &&
           llvm::all_of(uses.others,
                        [&](llvm::Instruction const* one) {
                            return !llvm::isa<llvm::PHINode>(one) &&
                                   goes_through(one->getParent(), &block);
                        }) &&
           llvm::none_of(uses.begins, [&](llvm::Instruction const* one) {
               return one->getParent() != &block && goes_through(one->getParent(), &block);
           });
}

/// Returns true if the code fills a whole array on the stack in one block, before any other use.
[[nodiscard]] inline bool is_written_first(llvm::AllocaInst const& array)
{
    using namespace llvm;
    DataLayout const& layout = array.getModule()->getDataLayout();
    std::optional<TypeSize> const size = array.getAllocationSizeInBits(layout);
    if (!size || size->isScalable() || !array.getParent()->isEntryBlock()) return false;
    stack_array_uses const uses(array);
    SmallPtrSet<BasicBlock const*, 8> tried;
    return any_of(uses.fillings, [&](auto const& filling) {
        BasicBlock const* const block = filling.first->getParent();
        return tried.insert(block).second &&
               fills_first(*block, uses, (size->getFixedValue() + 7) / 8);
    });
}

/// Returns true for a function of LLVM's OpenMP runtime that a parallel loop calls. It keeps
/// nothing of the kernel between calls, and writes only bounds of loops.
[[nodiscard]] inline bool is_openmp_loop(llvm::CallBase const& call)
{
    static constexpr llvm::StringLiteral names[] = {
        "__kmpc_fork_call",           "__kmpc_global_thread_num",       "__kmpc_push_num_threads",
        "__kmpc_serialized_parallel", "__kmpc_end_serialized_parallel", "__kmpc_barrier",
        "__kmpc_for_static_fini",     "__kmpc_dispatch_deinit"};
    static constexpr llvm::StringLiteral typed[] = {
        // these end with the type of the counter
        "__kmpc_for_static_init_", "__kmpc_dispatch_init_", "__kmpc_dispatch_next_",
        "__kmpc_dispatch_fini_"};
    llvm::Function const* const called = call.getCalledFunction();
    if (called == nullptr || !called->isDeclaration()) return false;
    llvm::StringRef const name = called->getName();
    return llvm::is_contained(names, name) ||
           llvm::any_of(typed, [&](llvm::StringRef one) { return name.starts_with(one); });
}

/// Returns true if the value is a variable that may change, or a constant that has the address of
/// one.
[[nodiscard]] inline bool has_variable(llvm::Value const* value)
{
    llvm::SmallVector<llvm::Value const*, 8> rest{value};
    llvm::SmallPtrSet<llvm::Value const*, 8> met;
    while (!rest.empty()) {
        auto const* const one = llvm::dyn_cast<llvm::Constant>(rest.pop_back_val());
        if (one == nullptr || llvm::isa<llvm::Function>(one) || !met.insert(one).second) continue;
        auto const* const variable = llvm::dyn_cast<llvm::GlobalVariable>(one);
        if (variable != nullptr &&
            (!variable->isConstant() || !variable->hasDefinitiveInitializer()))
            return true;
        if (llvm::isa<llvm::GlobalValue>(one) && variable == nullptr) return true; // an alias
        for (llvm::Value const* const part : one->operand_values())
            rest.push_back(part);
    }
    return false;
}

/// Returns true if a part of the value was never set.
[[nodiscard]] inline bool has_undefined(llvm::Value const* value)
{
    if (llvm::isa<llvm::PoisonValue>(value)) return false;
    auto const* const known = llvm::dyn_cast<llvm::Constant>(value);
    return known != nullptr &&
           (llvm::isa<llvm::UndefValue>(known) || known->containsUndefElement());
}

/// Returns true if a pointer may point into the stack of the code.
[[nodiscard]] inline bool is_on_stack(llvm::Value const* pointer)
{
    return pointer->getType()->isPointerTy() &&
           llvm::any_of(bases_of(pointer),
                        [](llvm::Value const* base) { return llvm::isa<llvm::AllocaInst>(base); });
}

/// Returns true if the optimised module has no state besides the arguments of a call; false:
/// unknown. Such a module uses the arguments' memory, constants, and arrays on the stack that it
/// fills first. It uses no variable, atomic, clock or volatile access. Threads of OpenMP's loops
/// count as part of the call: a race among them is no state, and only results can show it.
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
                auto const* const made = dyn_cast<Instruction>(base);
                bool const is_vector = isa<GEPOperator, ShuffleVectorInst, InsertElementInst>(base);
                if (made != nullptr && is_vector) {
                    for (Value const* const part : made->operand_values())
                        if (has_pointer(part->getType())) rest.push_back(part);
                } else if (!isa<GlobalVariable, Argument, AllocaInst, LoadInst>(base)) {
                    return false;
                }
            }
        return true;
    };
    auto const is_body = [&](Value const* value) {
        auto const* const body = dyn_cast<Function>(value);
        return body != nullptr && functions.contains(body) && !body->isInterposable();
    };
    // The entry that attune writes has an unwritten array, which the entry's empty assembly reads.
    auto const is_placed_alone = [](AllocaInst const& array) {
        return all_of(array.users(), [](User const* user) {
            auto const* const call = dyn_cast<CallBase>(user);
            return call != nullptr &&
                   (harmless_calls::is_empty_assembly(*call) || call->isLifetimeStartOrEnd());
        });
    };
    // An address on the stack differs from call to call: it stays a pointer, on the stack.
    auto const is_number_of_address = [&](PtrToIntInst const& cast) {
        return any_of(bases_of(cast.getPointerOperand()), [&](Value const* base) {
            auto const* const argument = dyn_cast<Argument>(base);
            bool const is_of_call = argument != nullptr && argument->getParent() == functions[0];
            return !is_of_call && !isa<LoadInst>(base);
        });
    };
    auto const is_plain_call = [&](CallBase const& call) {
        Function const* const called = call.getCalledFunction();
        if (called != nullptr && functions.contains(called)) return !called->isInterposable();
        bool const is_fork = called != nullptr && called->getName() == "__kmpc_fork_call";
        if (is_fork && (call.arg_size() < 3 || !is_body(call.getArgOperand(2)))) return false;
        if (harmless_calls::is_plain_intrinsic(call) || is_openmp_loop(call))
            return all_of(call.args(), [&](Use const& use) {
                return !has_pointer(use->getType()) || is_fine_place(use.get()) ||
                       (is_fork && is_body(use.get()));
            });
        return harmless.is_arithmetic(call) || harmless_calls::is_empty_assembly(call);
    };
    auto const is_plain = [&](Instruction const& one) {
        if (one.isAtomic() || one.isVolatile() || isa<VAArgInst>(one)) return false;
        if (any_of(one.operand_values(),
                   [](Value const* v) { return has_undefined(v) || has_variable(v); }))
            return false;
        // The optimiser freezes what it computes earlier than the text does; the values read are
        // judged where they are read.
        if (isa<FreezeInst>(one)) return !isa<PoisonValue>(one.getOperand(0));
        if (auto const* const cast = dyn_cast<PtrToIntInst>(&one))
            return !is_number_of_address(*cast);
        if (auto const* const compared = dyn_cast<ICmpInst>(&one))
            return none_of(compared->operand_values(), is_on_stack);
        if (auto const* const array = dyn_cast<AllocaInst>(&one))
            return is_placed_alone(*array) || is_written_first(*array);
        if (auto const* const load = dyn_cast<LoadInst>(&one))
            return is_fine_place(load->getPointerOperand());
        if (auto const* const store = dyn_cast<StoreInst>(&one))
            return is_fine_place(store->getPointerOperand()) &&
                   (!is_on_stack(store->getValueOperand()) ||
                    all_of(bases_of(store->getPointerOperand()),
                           [](Value const* base) { return isa<AllocaInst>(base); }));
        if (auto const* const call = dyn_cast<CallBase>(&one)) return is_plain_call(*call);
        return !one.mayReadOrWriteMemory();
    };
    return all_of(functions, [&](Function const* function) {
        // Clang's own function ends the program.
        return function->getName() == "__clang_call_terminate" ||
               all_of(instructions(function), is_plain);
    });
}

} // namespace attune::inline ATTUNE_ABI::detail
