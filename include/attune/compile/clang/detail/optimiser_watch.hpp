// attune/compile/clang/detail/optimiser_watch.hpp - collects facts while Clang optimises code.
// SPDX-License-Identifier: MIT
// tested by compile/clang/address_facts.cpp
#pragma once

#include <attune/compile/clang/detail/address_facts.hpp>
#include <attune/compile/detail/elf_object.hpp>
#include <attune/core/version.hpp>

#include <clang/Basic/CodeGenOptions.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Passes/PassBuilder.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// Returns true if one write at the start of the function covers a whole array on the stack, before
/// any read of the array.
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

/// Returns true if the optimised module has no state besides the arguments of a call; false:
/// unknown. Such a module uses the arguments' memory, constants, and arrays on the stack that it
/// fills first. It uses no variable, thread, atomic, clock or volatile access.
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
    // The entry that attune writes has an unwritten array, which the entry's empty assembly reads.
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

/// Notes a fact in the object, as the name of an empty section that is not loaded.
inline void note_in_object(llvm::Module& module, std::string const& section)
{
    module.appendModuleInlineAsm(".section " + section + ",\"\",@progbits\n.text");
}

/// Looks at a module at two moments of the optimiser, and at the result: see address_facts.hpp.
class optimiser_watch {
public:
    /// @pre  this object outlives the optimiser
    void watch([[maybe_unused]] clang::CodeGenOptions& options)
    {
#if LLVM_VERSION_MAJOR >= 19 // older versions call no external code between passes
        options.PassBuilderCallbacks.emplace_back([this](llvm::PassBuilder& builder) {
            builder.registerPipelineStartEPCallback(
                [this](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
                    passes.addPass(look{[this](llvm::Module const& module) {
                        in_text_ = addresses_in_text(module);
                    }});
                });
            builder.registerOptimizerEarlyEPCallback(
                [this](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
                    passes.addPass(look{[this](llvm::Module const& module) {
                        looks_at_none_ = looks_at_no_address(module);
                    }});
                });
        });
#endif
    }
    /// Notes the facts in the object. Call it for the optimised module.
    void note(llvm::Module& module) const
    {
        bool const is_alone = depends_on_this_call_alone(module);
        std::uint64_t const bytes = std::max(in_text_, alignment_of_accesses(module));
        if (looks_at_none_ && bytes < code_facts{}.address_modulus)
            note_in_object(module, std::string(addresses_section) + std::to_string(bytes));
        if (is_alone) note_in_object(module, std::string(this_call_section));
    }

private:
    struct look : llvm::PassInfoMixin<look> {
        explicit look(std::function<void(llvm::Module const&)> f)
            : at(std::move(f))
        {
        }
        llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&)
        {
            at(module);
            return llvm::PreservedAnalyses::all();
        }
        std::function<void(llvm::Module const&)> at;
    };
    std::uint64_t in_text_ = code_facts{}.address_modulus;
    bool looks_at_none_ = false;
};

} // namespace attune::inline ATTUNE_ABI::detail
