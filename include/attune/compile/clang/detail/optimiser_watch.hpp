// attune/compile/clang/detail/optimiser_watch.hpp - collects facts while Clang optimises code.
// SPDX-License-Identifier: MIT
// tested by compile/clang/address_facts.cpp
#pragma once

#include <attune/compile/clang/detail/address_facts.hpp>
#include <attune/compile/clang/detail/state_facts.hpp>
#include <attune/compile/detail/elf_object.hpp>
#include <attune/core/version.hpp>

#include <clang/Basic/CodeGenOptions.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

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
