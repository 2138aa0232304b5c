// attune/compile/clang/detail/frontend.hpp - compiles C++ text to an object file.
// SPDX-License-Identifier: MIT
//
// The object equals that of `clang++ -fPIC -c`. clang's driver chooses the arguments. -march
// therefore reaches the front end, whose function attributes overrule the back end. clang's back
// end optimises and emits (small code model, clang's pass pipeline).
#pragma once

#include <attune/compile/clang/abi.hpp>
#include <attune/compile/clang/detail/files.hpp>
#include <attune/compile/clang/detail/headers.hpp>
#include <attune/compile/clang/detail/linking.hpp>
#include <attune/compile/clang/detail/optimiser_watch.hpp>
#include <attune/core/version.hpp>

#include <clang/Basic/TargetInfo.h>
#include <clang/CodeGen/BackendUtil.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Driver/Compilation.h>
#include <clang/Driver/Driver.h>
#include <clang/Driver/Job.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/TemplateInstCallback.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/OptBisect.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>
#if LLVM_VERSION_MAJOR >= 17
#include <llvm/TargetParser/Host.h>
#else
#include <llvm/Support/Host.h>
#endif

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct clang_object {
    llvm::SmallVector<char, 0> bytes{}; ///< empty if it did not compile
    bool precompiled = false;
    touched_files touched{}; ///< files, without those of the precompiled headers
    std::string log{};
    long spills = -1;              ///< -1: unknown
    long vector_instructions = -1; ///< -1: unknown

    template <class Self, class Visit>
    static void members(Self& self, Visit& visit)
    {
        visit(self.bytes, self.precompiled, self.touched, self.log);
        visit(self.spills, self.vector_instructions);
    }
};

/// A diagnostics engine that writes to `stream`.
class captured_diagnostics {
public:
    explicit captured_diagnostics(llvm::raw_ostream& stream)
        : options(new clang::DiagnosticOptions)
        , printer(stream, options.get())
        , engine(clang::CompilerInstance::createDiagnostics(options.get(), &printer, false))
    {
    }

    llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options;
    clang::TextDiagnosticPrinter printer;
    llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine> engine;
};

/// Asks clang's driver for the arguments of the front end.
/// @param touched  receives the driver's files and folders, such as the place of a GCC
/// @return  empty on an error
[[nodiscard]] inline std::vector<std::string>
frontend_arguments(std::string const& executable, attune_clang_request const& request,
                   touched_files& touched, llvm::raw_ostream& log)
{
    if (std::any_of(request.arguments, request.arguments + request.argument_count,
                    [](llvm::StringRef argument) { return argument.starts_with("-mllvm"); })) {
        log << "error: the flag '-mllvm' changes LLVM for the whole process and is not supported\n";
        return {};
    }
    captured_diagnostics diagnostics(log);
    clang::driver::Driver driver(executable, llvm::sys::getProcessTriple(), *diagnostics.engine,
                                 "clang", real_file_system(touched));
    driver.setCheckInputsExist(false);
    std::string const overlay = std::string("-I") + overlay_folder;
    std::vector<char const*> arguments{executable.c_str(), overlay.c_str()};
#if defined(__aarch64__)
    // Outline atomics are functions in an archive of the compiler: each kernel with an atomic would
    // need a linker.
    arguments.push_back("-mno-outline-atomics");
#endif
    arguments.insert(arguments.end(), request.arguments,
                     request.arguments + request.argument_count);
    for (char const* const last :
         {"-fPIC", "-fno-color-diagnostics", "-c", "-x", "c++", request.path})
        arguments.push_back(last);
    std::unique_ptr<clang::driver::Compilation> const plan(driver.BuildCompilation(arguments));
    if (!plan || diagnostics.engine->hasErrorOccurred() || plan->getJobs().empty()) return {};
    clang::driver::Command const& job = *plan->getJobs().begin();
    std::vector<std::string> result;
    bool skip = false;
    for (char const* const argument : job.getArguments()) {
        // clang 16 adds an -mllvm that turns an error about scalable vectors into a warning.
        bool const follows = std::exchange(skip, llvm::StringRef(argument) == "-mllvm");
        if (follows || skip || llvm::StringRef(argument) == "-cc1") continue;
        result.emplace_back(argument);
    }
    // Instantiates templates that are pending in the headers once, not in every variant. For
    // <cmath> the instantiation takes 4 ms instead of 31 ms.
    result.emplace_back("-fpch-instantiate-templates");
    return result;
}

[[nodiscard]] inline std::shared_ptr<clang::CompilerInvocation>
make_invocation(std::vector<std::string> const& frontend, attune_clang_request const& request,
                bool with_macros, std::string const& executable,
                clang::DiagnosticsEngine& diagnostics)
{
    std::vector<char const*> arguments;
    for (std::string const& argument : frontend)
        arguments.push_back(argument.c_str());
    if (with_macros)
        arguments.insert(arguments.end(), request.macros, request.macros + request.macro_count);
    auto invocation = std::make_shared<clang::CompilerInvocation>();
    if (!clang::CompilerInvocation::CreateFromArgs(*invocation, arguments, diagnostics,
                                                   executable.c_str()))
        return nullptr;
    invocation->getFrontendOpts().DisableFree = false; // the driver leaves freeing to exit()
    invocation->getCodeGenOpts().DisableFree = false;
    return invocation;
}

/// For each function, the number of stores to the stack because no register was free.
using spills_by_function = std::map<llvm::Function const*, long>;

/// Keeps the number of stores that a remark of LLVM's greedy register allocator states for a
/// function, see RAGreedy::reportStats(). A second run of the allocator counts the stores of the
/// first run again.
inline void note_spills(llvm::DiagnosticInfo const& info, spills_by_function& spills)
{
    auto const* const remark = llvm::dyn_cast<llvm::DiagnosticInfoOptimizationBase>(&info);
    if (remark == nullptr || remark->getPassName() != "regalloc" ||
        remark->getRemarkName() != "SpillReloadCopies")
        return;
    long count = 0;
    for (auto const& argument : remark->getArgs()) {
        long part = 0;
        if ((argument.Key == "NumSpills" || argument.Key == "NumFoldedSpills") &&
            !llvm::StringRef(argument.Val).getAsInteger(10, part))
            count += part;
    }
    spills[&remark->getFunction()] = count;
}

/// Returns the number of instructions with a vector as result or operand, in the functions of the
/// object.
[[nodiscard]] inline long vector_instructions_of(llvm::Module const& module)
{
    auto const is_vector = [](llvm::Value const* v) { return v->getType()->isVectorTy(); };
    long count = 0;
    for (llvm::Function const& function : module) {
        if (function.isDeclarationForLinker()) continue;
        for (llvm::BasicBlock const& block : function)
            for (llvm::Instruction const& one : block)
                if (!one.isDebugOrPseudoInst() &&
                    (is_vector(&one) || llvm::any_of(one.operand_values(), is_vector)))
                    ++count;
    }
    return count;
}

/// Notes in the object that no exception leaves its functions or passes through them. Call it for
/// the optimised module.
inline void note_nounwind(llvm::Module& module)
{
    bool const may_unwind = llvm::any_of(module, [](llvm::Function const& function) {
        // A function with a handler stops exceptions. The unwind tables lead to the handler.
        return !function.isDeclarationForLinker() &&
               (!function.doesNotThrow() || function.hasPersonalityFn());
    });
    if (!may_unwind) note_in_object(module, nounwind_section);
}

/// Collects the back end's errors and its remarks about registers. Without this function LLVM
/// prints errors and ends the process.
inline void capture_backend(llvm::LLVMContext& context, llvm::raw_ostream& log, bool& failed,
                            spills_by_function& spills)
{
    struct sink {
        llvm::raw_ostream& log;
        bool& failed;
        spills_by_function& spills;
    };
    struct handler final : llvm::DiagnosticHandler {
        explicit handler(sink s)
            : to(s)
        {
        }
        bool handleDiagnostics(llvm::DiagnosticInfo const& info) override
        {
            note_spills(info, to.spills);
            if (info.getSeverity() != llvm::DS_Error) return true;
            to.failed = true;
            llvm::DiagnosticPrinterRawOStream printer(to.log);
            to.log << "error: ";
            info.print(printer);
            to.log << '\n';
            return true;
        }
        bool isAnalysisRemarkEnabled(llvm::StringRef) const override { return false; }
        bool isPassedOptRemarkEnabled(llvm::StringRef) const override { return false; }
        bool isMissedOptRemarkEnabled(llvm::StringRef pass) const override
        {
            return pass == "regalloc";
        }
        using DiagnosticHandler::isAnyRemarkEnabled;
        bool isAnyRemarkEnabled() const override { return true; }
        sink to;
    };
    context.setDiagnosticHandler(std::make_unique<handler>(sink{log, failed, spills}));
}

/// Skips the remaining passes of the optimiser after the limit. An unrolled loop nest can keep the
/// optimiser busy for minutes, and no call can end its thread.
class time_limit final : public llvm::OptPassGate {
public:
    explicit time_limit(double limit_s)
        : end_(clock::now() + std::chrono::duration_cast<clock::duration>(
                                  std::chrono::duration<double>(std::min(limit_s, 1e6))))
    {
    }
#if LLVM_VERSION_MAJOR >= 19
    bool shouldRunPass(llvm::StringRef, llvm::StringRef) override { return !passed(); }
#else
    bool shouldRunPass(llvm::StringRef const, llvm::StringRef) override { return !passed(); }
#endif
    bool isEnabled() const override { return true; }
    [[nodiscard]] bool passed() const { return clock::now() > end_; }

private:
    using clock = std::chrono::steady_clock;
    clock::time_point end_;
};

/// Parses, and stops at the first instantiation of a template after the limit. Clang bounds the
/// depth of templates and the steps of a constant expression, but no number of instantiations.
class limited_action final : public clang::EmitLLVMOnlyAction {
public:
    /// @param limit  outlives this object
    limited_action(llvm::LLVMContext* context, time_limit const& limit)
        : EmitLLVMOnlyAction(context)
        , limit_(limit)
    {
    }

protected:
    void ExecuteAction() override
    {
        clang::CompilerInstance& instance = getCompilerInstance();
        if (!instance.hasSema()) instance.createSema(getTranslationUnitKind(), nullptr);
        instance.getSema().TemplateInstCallbacks.push_back(std::make_unique<watch>(limit_));
        EmitLLVMOnlyAction::ExecuteAction();
    }

private:
    /// Reports a fatal error after the limit: Clang then instantiates nothing more.
    class watch final : public clang::TemplateInstantiationCallback {
    public:
        explicit watch(time_limit const& limit)
            : limit_(limit)
        {
        }
        void initialize(clang::Sema const&) override {}
        void finalize(clang::Sema const&) override {}
        void atTemplateBegin(clang::Sema const& sema,
                             clang::Sema::CodeSynthesisContext const&) override
        {
            if (has_ended_ || !limit_.passed()) return;
            has_ended_ = true;
            sema.getDiagnostics().Report(clang::diag::fatal_too_many_errors);
        }
        void atTemplateEnd(clang::Sema const&, clang::Sema::CodeSynthesisContext const&) override {}

    private:
        time_limit const& limit_;
        bool has_ended_ = false;
    };

    time_limit const& limit_;
};

[[nodiscard]] inline clang_object compile_to_object(std::string const& executable,
                                                    std::vector<std::string> const& frontend,
                                                    parsed_headers const* headers,
                                                    attune_clang_request const& request)
{
    clang_object result;
    llvm::raw_string_ostream log(result.log);
    captured_diagnostics early(log);
    auto invocation = make_invocation(frontend, request, true, executable, *early.engine);
    if (!invocation) return result;

    llvm::StringRef const text(request.text, request.text_size);
    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files =
        kernel_file_system(request, text, result.touched);
    std::unique_ptr<llvm::MemoryBuffer> const main =
        llvm::MemoryBuffer::getMemBufferCopy(text, request.path);
    invocation->getPreprocessorOpts().RetainRemappedFileBuffers = true;
    if (headers != nullptr && headers->usable()) {
        headers->apply(*invocation, files, *main);
        result.precompiled = true;
    }

    optimiser_watch facts;
    facts.watch(invocation->getCodeGenOpts());
    clang::CompilerInstance instance;
    instance.setInvocation(invocation);
    instance.getDiagnosticOpts().ShowColors = 0;
    clang::TextDiagnosticPrinter printer(log, &instance.getDiagnosticOpts());
    // createDiagnostics() applies the warning options, setDiagnostics() does not. Without these
    // options, errors inside system headers are reported.
    instance.createDiagnostics(&printer, false);
    instance.createFileManager(files);
    instance.setVerboseOutputStream(log); // "1 error generated." would go to stderr

    time_limit limit(request.limit_s);
    llvm::LLVMContext context;
    context.setOptPassGate(limit);
    limited_action action(&context, limit);
    bool const parsed = instance.ExecuteAction(action);
    auto const too_long = [&] {
        if (!limit.passed()) return false;
        char line[80] = {};
        std::snprintf(line, sizeof line, "error: compiling took longer than %g s\n",
                      request.limit_s);
        log.flush();
        result.log.insert(0, line); // before messages on unfinished work
        result.bytes.clear();
        return true;
    };
    if (too_long()) return result;
    std::unique_ptr<llvm::Module> module = parsed ? action.takeModule() : nullptr;
    if (!module || instance.getDiagnostics().hasErrorOccurred()) return result;

    note_assembled_files(*module, instance.getHeaderSearchOpts(), result.touched);
    make_statics_callable(*module);
    bool failed = false;
    spills_by_function spills;
    capture_backend(context, log, failed, spills);
    result.vector_instructions = vector_instructions_of(*module);
    facts.note(*module); // before the module gets assembly
    note_nounwind(*module);
    clang::CodeGenOptions emit = instance.getCodeGenOpts();
    emit.DisableLLVMPasses = true; // the module is already optimised
    auto stream = std::make_unique<llvm::raw_svector_ostream>(result.bytes);
    clang::EmitBackendOutput(instance.getDiagnostics(), instance.getHeaderSearchOpts(), emit,
                             instance.getTargetOpts(), instance.getLangOpts(),
                             instance.getTarget().getDataLayoutString(), module.get(),
                             clang::Backend_EmitObj,
#if LLVM_VERSION_MAJOR >= 17
                             files,
#endif
                             std::move(stream));
    if (too_long()) return result;
    if (failed || instance.getDiagnostics().hasErrorOccurred()) result.bytes.clear();
    if (emit.OptimizationLevel > 0) {
        result.spills = 0;
        for (auto const& [function, count] : spills)
            result.spills += count;
    }
    return result;
}

} // namespace attune::inline ATTUNE_ABI::detail
